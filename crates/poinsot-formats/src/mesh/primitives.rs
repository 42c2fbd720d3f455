//! The triangles of one Collada geometry.
//!
//! A primitive has a list `<p>` of indices: for each corner one index for each of its inputs. VERTEX names a `<vertices>` element,
//! whose POSITION names a `<source>` of numbers; TEXCOORD and COLOR, of the primitive or of the `<vertices>`, name their sources
//! directly.

use super::collada::{MOST_TRIANGLES, child, children, numbers};
use super::painted::{Look, PaintedMesh};
use poinsot_core::algebra::V3;
use roxmltree::Node;
use std::collections::HashMap;

type Ids<'a> = HashMap<&'a str, Node<'a, 'a>>;

/// A geometry; its triangles name material symbols, to which each instance binds materials.
#[derive(Default)]
pub(super) struct Geometry<'a> {
    pub painted: PaintedMesh,
    pub symbols: Vec<&'a str>,
}

/// All triangles of a `<mesh>`, with their appearance if `paint`.
pub(super) fn triangles_of<'a>(
    mesh: Node<'a, 'a>,
    ids: &Ids<'a>,
    paint: bool,
) -> Result<Geometry<'a>, String> {
    let mut all = Geometry::default();
    // primitives share vertices: the index at which those of a source begin
    let mut begins: HashMap<&str, usize> = HashMap::new();
    for primitive in mesh.children().filter(Node::is_element) {
        let tag = primitive.tag_name().name();
        if !matches!(tag, "triangles" | "polylist" | "polygons" | "tristrips" | "trifans") {
            continue;
        }
        let Some(corners) = Corners::of(primitive, ids, paint) else { continue };
        let vertices = &mut all.painted.mesh.vertices;
        let begin = match begins.get(corners.vertices) {
            Some(begin) => *begin,
            None => {
                let begin = vertices.len();
                vertices.extend(positions(corners.vertices, ids)?);
                // many <vertices> can refer to one list of numbers
                if vertices.len() > MOST_TRIANGLES {
                    return Err(format!("a geometry has more than {MOST_TRIANGLES} vertices"));
                }
                begins.insert(corners.vertices, begin);
                begin
            }
        };
        let brush = Brush::of(primitive, &corners, ids, &mut all.symbols, paint)?;
        for list in polygons(primitive, tag, &corners)? {
            for triangle in split(tag, &list) {
                let vertices = triangle.map(|c| c[0].saturating_add(begin));
                all.painted.push(vertices, &brush.look(triangle));
            }
        }
    }
    Ok(all)
}

/// The indices of a corner: of its vertex, its texture coordinates, its colour.
type Corner = [usize; 3];

/// How the indices of a primitive are laid out.
struct Corners<'a> {
    /// The id of the `<vertices>`.
    vertices: &'a str,
    /// The positions of a corner's indices among those of all inputs.
    offsets: Corner,
    /// The number of indices of a corner.
    stride: usize,
    /// The ids of the sources of texture coordinates and of colours.
    texture: Option<&'a str>,
    colour: Option<&'a str>,
}

impl<'a> Corners<'a> {
    fn of(primitive: Node<'a, 'a>, ids: &Ids<'a>, paint: bool) -> Option<Corners<'a>> {
        let offset = |i: &Node| i.attribute("offset").and_then(|o| o.parse::<usize>().ok()).unwrap_or(0);
        let vertex = input(primitive, "VERTEX")?;
        let stride = children(primitive, "input").map(|i| offset(&i)).max()?.checked_add(1)?;
        let vertices = source(vertex)?;
        let shared = ids.get(vertices).copied().filter(|_| paint);
        // an input of the primitive, or one shared with the vertices
        let find = |semantic: &'a str| {
            let own = input(primitive, semantic).filter(|_| paint).map(|i| (source(i), offset(&i)));
            own.or_else(|| Some((source(input(shared?, semantic)?), offset(&vertex))))
        };
        let (texture, texture_offset) = find("TEXCOORD").unwrap_or_default();
        let (colour, colour_offset) = find("COLOR").unwrap_or_default();
        let offsets = [offset(&vertex), texture_offset, colour_offset];
        Some(Corners { vertices, offsets, stride, texture, colour })
    }
    /// The corners in a list of indices.
    fn pick(&self, indices: &[usize]) -> Vec<Corner> {
        indices.chunks_exact(self.stride).map(|corner| self.offsets.map(|k| corner[k])).collect()
    }
}

fn input<'a>(node: Node<'a, 'a>, semantic: &'a str) -> Option<Node<'a, 'a>> {
    children(node, "input").find(|i| i.attribute("semantic") == Some(semantic))
}

fn source<'a>(input: Node<'a, 'a>) -> Option<&'a str> {
    Some(input.attribute("source")?.trim_start_matches('#'))
}

/// The appearance of the triangles of a primitive.
#[derive(Default)]
struct Brush {
    material: Option<usize>,
    texture_at: Vec<[f32; 2]>,
    colours: Vec<[f32; 4]>,
}

impl Brush {
    fn of<'a>(
        primitive: Node<'a, 'a>,
        corners: &Corners<'a>,
        ids: &Ids<'a>,
        symbols: &mut Vec<&'a str>,
        paint: bool,
    ) -> Result<Brush, String> {
        if !paint {
            return Ok(Brush::default());
        }
        let material = primitive.attribute("material").map(|symbol| {
            symbols.iter().position(|s| *s == symbol).unwrap_or_else(|| {
                symbols.push(symbol);
                symbols.len() - 1
            })
        });
        let rows = |id: Option<&'a str>, least: usize| id.map_or(Ok(Vec::new()), |id| rows(id, least, ids));
        // Collada counts from the lower left corner
        let texture_at = rows(corners.texture, 2)?.iter().map(|t| [t[0] as f32, 1.0 - t[1] as f32]).collect();
        let opacity = |c: &[f64]| c.get(3).map_or(1.0, |a| *a as f32);
        let colours = rows(corners.colour, 3)?;
        let colours = colours.iter().map(|c| [c[0] as f32, c[1] as f32, c[2] as f32, opacity(c)]).collect();
        Ok(Brush { material, texture_at, colours })
    }

    fn look(&self, triangle: [Corner; 3]) -> Look {
        let pick = |list: &[[f32; 2]], k: usize| list.get(k).copied().unwrap_or_default();
        let colour = |k: usize| self.colours.get(k).copied().unwrap_or([1.0; 4]);
        Look {
            material: self.material,
            texture_at: (!self.texture_at.is_empty()).then(|| triangle.map(|c| pick(&self.texture_at, c[1]))),
            colours: (!self.colours.is_empty()).then(|| triangle.map(|c| colour(c[2]))),
        }
    }
}

/// The points of a `<vertices>` element.
fn positions<'a>(vertices: &str, ids: &Ids<'a>) -> Result<Vec<V3>, String> {
    let list = *ids.get(vertices).ok_or_else(|| missing(vertices))?;
    let source = input(list, "POSITION").and_then(source).unwrap_or_default();
    Ok(rows(source, 3, ids)?.iter().map(|p| V3::new(p[0], p[1], p[2])).collect())
}

fn missing(id: &str) -> String {
    format!("there is no element with the id \"{id}\"")
}

/// The rows of a `<source>`, if they have at least this many numbers each.
fn rows<'a>(source: &str, least: usize, ids: &Ids<'a>) -> Result<Vec<Vec<f64>>, String> {
    let node = *ids.get(source).ok_or_else(|| missing(source))?;
    let array = child(node, "float_array").ok_or_else(|| format!("\"{source}\" has no <float_array>"))?;
    let accessor = child(node, "technique_common").and_then(|t| child(t, "accessor"));
    let number = |name| accessor.and_then(|a| a.attribute(name)).and_then(|n| n.parse::<usize>().ok());
    let (stride, offset) = (number("stride").unwrap_or(least).max(1), number("offset").unwrap_or(0));
    let data: Vec<f64> = numbers(array)?;
    let rows = data.get(offset..).unwrap_or_default().chunks(stride).filter(|p| p.len() >= least);
    Ok(rows.map(<[f64]>::to_vec).collect())
}

/// The polygons, strips or fans of a primitive, each by its vertices.
fn polygons<'a>(primitive: Node<'a, 'a>, tag: &str, corners: &Corners) -> Result<Vec<Vec<Corner>>, String> {
    let mut lists = Vec::new();
    // a polygon with holes keeps its outline: the holes are not cut out
    let outlines = children(primitive, "ph").filter_map(|ph| child(ph, "p"));
    for p in children(primitive, "p").chain(outlines) {
        lists.push(corners.pick(&numbers::<usize>(p)?));
    }
    if tag != "polylist" {
        return Ok(lists);
    }
    let counts: Vec<usize> = child(primitive, "vcount").map_or(Ok(Vec::new()), numbers)?;
    let all = lists.concat();
    let mut rest = &all[..];
    let mut cut = Vec::with_capacity(counts.len().min(all.len()));
    for count in counts {
        let Some((polygon, later)) = rest.split_at_checked(count) else {
            return Err("<vcount> needs more corners than <p> has".into());
        };
        cut.push(polygon.to_vec());
        rest = later;
    }
    Ok(cut)
}

/// The triangles of a list of vertices.
fn split(tag: &str, list: &[Corner]) -> Vec<[Corner; 3]> {
    match tag {
        "triangles" => list.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
        // every second triangle of a strip has the opposite orientation
        "tristrips" => {
            let turned =
                |(k, t): (usize, &[Corner])| if k % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] };
            list.windows(3).enumerate().map(turned).collect()
        }
        _ => match list {
            [first, rest @ ..] => rest.windows(2).map(|t| [*first, t[0], t[1]]).collect(),
            [] => Vec::new(),
        },
    }
}
