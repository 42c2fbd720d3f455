//! The triangles of one Collada geometry.
//!
//! A primitive has a list `<p>` of indices: for each corner one index for each of its inputs, of which only VERTEX
//! matters here. VERTEX names a `<vertices>` element, whose POSITION names a `<source>` of numbers.

use super::collada::{MOST_TRIANGLES, child, children, numbers};
use poinsot_core::algebra::V3;
use poinsot_core::model::TriangleMesh;
use roxmltree::Node;
use std::collections::HashMap;

type Ids<'a> = HashMap<&'a str, Node<'a, 'a>>;

/// All triangles under a `<mesh>`.
pub(super) fn triangles_of<'a>(mesh: Node<'a, 'a>, ids: &Ids<'a>) -> Result<TriangleMesh, String> {
    let mut all = TriangleMesh::default();
    // primitives share their vertices: where those of a source begin
    let mut begins: HashMap<&str, usize> = HashMap::new();
    for primitive in mesh.children().filter(Node::is_element) {
        let tag = primitive.tag_name().name();
        if !matches!(tag, "triangles" | "polylist" | "polygons" | "tristrips" | "trifans") {
            continue;
        }
        let Some(corners) = Corners::of(primitive) else { continue };
        let begin = match begins.get(corners.vertices) {
            Some(begin) => *begin,
            None => {
                let begin = all.vertices.len();
                all.vertices.extend(positions(corners.vertices, ids)?);
                // many <vertices> can name one list of numbers
                if all.vertices.len() > MOST_TRIANGLES {
                    return Err(format!("a geometry has more than {MOST_TRIANGLES} vertices"));
                }
                begins.insert(corners.vertices, begin);
                begin
            }
        };
        let own = polygons(primitive, tag, &corners)?.into_iter().flat_map(|p| split(tag, &p));
        all.triangles.extend(own.map(|t| t.map(|k| k.saturating_add(begin))));
    }
    Ok(all)
}

/// How the indices of a primitive are laid out.
struct Corners<'a> {
    /// The id of the `<vertices>`.
    vertices: &'a str,
    /// The place of a corner's index among those of all inputs.
    offset: usize,
    /// The number of indices of a corner.
    stride: usize,
}

impl<'a> Corners<'a> {
    fn of(primitive: Node<'a, 'a>) -> Option<Corners<'a>> {
        let offset = |i: &Node| i.attribute("offset").and_then(|o| o.parse::<usize>().ok()).unwrap_or(0);
        let vertex = children(primitive, "input").find(|i| i.attribute("semantic") == Some("VERTEX"))?;
        let stride = children(primitive, "input").map(|i| offset(&i)).max()?.checked_add(1)?;
        let vertices = vertex.attribute("source")?.trim_start_matches('#');
        Some(Corners { vertices, offset: offset(&vertex), stride })
    }
    /// The numbers of the vertices in a list of indices.
    fn pick(&self, indices: &[usize]) -> Vec<usize> {
        indices.chunks_exact(self.stride).map(|corner| corner[self.offset]).collect()
    }
}

/// The points of a `<vertices>` element.
fn positions<'a>(vertices: &str, ids: &Ids<'a>) -> Result<Vec<V3>, String> {
    let missing = |id: &str| format!("there is no element with the id \"{id}\"");
    let list = *ids.get(vertices).ok_or_else(|| missing(vertices))?;
    let input = children(list, "input").find(|i| i.attribute("semantic") == Some("POSITION"));
    let source = input.and_then(|i| i.attribute("source")).unwrap_or_default().trim_start_matches('#');
    let source_node = *ids.get(source).ok_or_else(|| missing(source))?;
    let array =
        child(source_node, "float_array").ok_or_else(|| format!("\"{source}\" has no <float_array>"))?;
    let accessor = child(source_node, "technique_common").and_then(|t| child(t, "accessor"));
    let number = |name| accessor.and_then(|a| a.attribute(name)).and_then(|n| n.parse::<usize>().ok());
    let (stride, offset) = (number("stride").unwrap_or(3).max(1), number("offset").unwrap_or(0));
    let data: Vec<f64> = numbers(array)?;
    let points = data.get(offset..).unwrap_or_default().chunks(stride).filter(|p| p.len() >= 3);
    Ok(points.map(|p| V3::new(p[0], p[1], p[2])).collect())
}

/// The polygons, strips or fans of a primitive, each by its vertices.
fn polygons<'a>(primitive: Node<'a, 'a>, tag: &str, corners: &Corners) -> Result<Vec<Vec<usize>>, String> {
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
            return Err("<vcount> asks for more corners than <p> has".into());
        };
        cut.push(polygon.to_vec());
        rest = later;
    }
    Ok(cut)
}

/// The triangles of a list of vertices.
fn split(tag: &str, list: &[usize]) -> Vec<[usize; 3]> {
    match tag {
        "triangles" => list.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
        // every second triangle of a strip runs the other way
        "tristrips" => {
            let turned =
                |(k, t): (usize, &[usize])| if k % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] };
            list.windows(3).enumerate().map(turned).collect()
        }
        _ => match list {
            [first, rest @ ..] => rest.windows(2).map(|t| [*first, t[0], t[1]]).collect(),
            [] => Vec::new(),
        },
    }
}
