//! Shapes as triangles with normals, and their colours and pictures.

use crate::bones::Bones;
use crate::picture::Picture;
use poinsot::algebra::V3;
use poinsot::model::{Heights, Shape};
use poinsot::spatial::Pose;
use std::collections::{BTreeMap, HashMap};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Triangles whose vertices have normals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The vertices.
    pub points: Vec<[f32; 3]>,
    /// The unit normal at each vertex.
    pub normals: Vec<[f32; 3]>,
    /// Indices of vertices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Red, green, blue, opacity at each vertex, which multiply the colour of the part; empty: white.
    pub colours: Vec<[u8; 4]>,
    /// Texture coordinates of each vertex, to the right and down in widths and heights of the picture; empty without one.
    pub texture_at: Vec<[f32; 2]>,
    /// The picture that multiplies the colour; it repeats.
    pub picture: Option<Arc<Picture>>,
    /// True if its encoding contains the picture: for the first surface that has it.
    pub carries: bool,
    /// The bones it deforms with; its points are then in world coordinates, not in the frame of a body.
    pub bones: Option<Arc<Bones>>,
}

/// The colour of a corner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CornerPaint {
    /// Red, green, blue, opacity.
    pub colour: [u8; 4],
    /// Texture coordinates.
    pub texture_at: [f32; 2],
}

/// Edges sharper than this are shown as edges: cos 35°.
const CREASE: f64 = 0.82;
/// Around a vertex with more triangles than this, those with nearly the same normal are grouped.
const MANY_FACES: usize = 64;
/// Directions are distinguished to about a quarter of the crease angle.
const CELLS_OF_A_UNIT: f64 = 6.0;
/// The subdivision of round shapes.
const AROUND: usize = 32;
/// The half edge of an infinite plane, m.
const ENDLESS: f64 = 50.0;

impl Surface {
    /// The surface deformed by its bones, with their bodies at these poses.
    pub fn bent(&self, bones: &Bones, pose: impl Fn(usize) -> Option<Pose>) -> Surface {
        let moves: Vec<Pose> =
            bones.bones.iter().map(|(body, back)| pose(*body).unwrap_or(Pose::IDENTITY) * *back).collect();
        let mut bent = self.clone();
        let corners = bent.points.iter_mut().zip(&mut bent.normals);
        for ((point, normal), (joints, weights)) in corners.zip(bones.joints.iter().zip(&bones.weights)) {
            let [p, n] = [*point, *normal].map(|v| V3::from(v.map(f64::from)));
            let (mut at, mut out) = (V3::ZERO, V3::ZERO);
            for (joint, weight) in joints.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
                let Some(x) = moves.get(usize::from(*joint)) else { continue };
                at += x.point(p) * f64::from(*weight);
                out += x.rot * n * f64::from(*weight);
            }
            *point = at.array().map(|x| x as f32);
            *normal = out.unit().unwrap_or(n).array().map(|x| x as f32);
        }
        bent
    }

    /// The surface of a shape; `None` for meshes and height fields, which have their own, and for impossible sizes.
    ///
    /// ```
    /// use poinsot::model::Shape;
    /// use poinsot_view::surface::Surface;
    /// let ball = Surface::of(&Shape::Sphere { radius: 2.0 }).expect("a ball is not a mesh");
    /// assert!(ball.points.iter().all(|p| (p.iter().map(|x| x * x).sum::<f32>() - 4.0).abs() < 1e-5));
    /// ```
    pub fn of(shape: &Shape) -> Option<Surface> {
        if !shape.sizes().iter().all(|x| *x >= 0.0 && x.is_finite()) {
            return None;
        }
        Some(match *shape {
            Shape::Sphere { radius } => Surface::ellipsoid(V3::new(radius, radius, radius)),
            Shape::Ellipsoid { radii } => Surface::ellipsoid(radii),
            Shape::Capsule { radius, length } => Surface::capsule(radius, length),
            Shape::Cylinder { radius, length } => Surface::cylinder(radius, length),
            Shape::Box { size } => Surface::cuboid(size),
            Shape::Plane { x, y } => {
                let half = |edge: f64| if edge > 0.0 { 0.5 * edge } else { ENDLESS };
                Surface::rectangle(half(x), half(y))
            }
            Shape::Hull(_) | Shape::Mesh(_) | Shape::HeightField(_) => return None,
        })
    }

    fn push(&mut self, point: V3, normal: V3) -> u32 {
        let single = |v: V3| v.array().map(|x| x as f32);
        self.points.push(single(point));
        self.normals.push(single(normal));
        self.points.len() as u32 - 1
    }

    /// A grid of rows of vertices, each row closed if `closed`.
    fn grid(rows: usize, columns: usize, corner: impl Fn(f64, f64) -> (V3, V3)) -> Surface {
        let mut surface = Surface::default();
        for r in 0..=rows {
            for c in 0..=columns {
                let (point, normal) = corner(r as f64 / rows as f64, c as f64 / columns as f64);
                surface.push(point, normal);
            }
        }
        let number = |r: usize, c: usize| (r * (columns + 1) + c) as u32;
        for r in 0..rows {
            for c in 0..columns {
                let (a, b, d, e) = (number(r, c), number(r, c + 1), number(r + 1, c), number(r + 1, c + 1));
                surface.triangles.extend([[a, b, e], [a, e, d]]);
            }
        }
        surface
    }

    /// From the south pole to the north, with `along` added to z above the equator.
    fn round(radii: V3, half: f64) -> Surface {
        let rows = AROUND / 2;
        // one more row, so that a capsule has its cylinder between two rows at the equator
        let extra = usize::from(half > 0.0);
        let mut surface = Surface::grid(rows + extra, AROUND, |r, c| {
            let k = (r * (rows + extra) as f64).round() as usize;
            let upper = k > rows / 2;
            let latitude = PI * (k - if upper { extra } else { 0 }) as f64 / rows as f64 - 0.5 * PI;
            let (s, c) = ((TAU * c).sin(), (TAU * c).cos());
            let u = V3::new(latitude.cos() * c, latitude.cos() * s, latitude.sin());
            let point =
                V3::new(radii.x * u.x, radii.y * u.y, radii.z * u.z + if upper { half } else { -half });
            let normal = V3::new(u.x / radii.x, u.y / radii.y, u.z / radii.z);
            (point, normal.unit().unwrap_or(V3::Z))
        });
        surface.drop_slivers();
        surface
    }

    fn ellipsoid(radii: V3) -> Surface {
        Surface::round(radii, 0.0)
    }

    fn capsule(radius: f64, length: f64) -> Surface {
        Surface::round(V3::new(radius, radius, radius), 0.5 * length)
    }

    fn cylinder(radius: f64, length: f64) -> Surface {
        let around = |c: f64| V3::new((TAU * c).cos(), (TAU * c).sin(), 0.0);
        let mut side = Surface::grid(1, AROUND, |r, c| {
            let n = around(c);
            (n * radius + V3::Z * (length * (r - 0.5)), n)
        });
        for up in [-1.0, 1.0] {
            let z = V3::Z * (0.5 * length * up);
            let centre = side.push(z, V3::Z * up);
            let rim: Vec<u32> = (0..=AROUND)
                .map(|k| side.push(around(k as f64 / AROUND as f64) * radius + z, V3::Z * up))
                .collect();
            for pair in rim.windows(2) {
                side.triangles.push(if up > 0.0 {
                    [centre, pair[0], pair[1]]
                } else {
                    [centre, pair[1], pair[0]]
                });
            }
        }
        side
    }

    fn cuboid(size: V3) -> Surface {
        let h = size * 0.5;
        let mut surface = Surface::default();
        for (n, u) in [(V3::X, V3::Y), (V3::Y, V3::Z), (V3::Z, V3::X)] {
            for sign in [1.0, -1.0] {
                let (n, w) = (n * sign, n.cross(u) * sign * sign);
                let w = if sign > 0.0 { w } else { w * -1.0 };
                let corner = |a: f64, b: f64| {
                    let d = n + u * a + w * b;
                    V3::new(d.x * h.x, d.y * h.y, d.z * h.z)
                };
                let [a, b, c, d] = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                    .map(|(a, b)| surface.push(corner(a, b), n));
                surface.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        surface
    }

    fn rectangle(x: f64, y: f64) -> Surface {
        let mut surface = Surface::default();
        let [a, b, c, d] =
            [(-x, -y), (x, -y), (x, y), (-x, y)].map(|(x, y)| surface.push(V3::new(x, y, 0.0), V3::Z));
        surface.triangles = vec![[a, b, c], [a, c, d]];
        surface
    }

    /// A height field; `size` has half the edges and the greatest height.
    pub fn of_heights([x, y, height, _]: [f64; 4], heights: &Heights) -> Surface {
        let Heights { rows, columns, elevation } = heights;
        let (rows, columns) = (*rows, *columns);
        let point = |r: usize, c: usize| {
            let across = |k: usize, n: usize| 2.0 * k as f64 / (n - 1) as f64 - 1.0;
            V3::new(x * across(c, columns), y * across(r, rows), height * elevation[r * columns + c])
        };
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for r in 0..rows {
            for c in 0..columns {
                vertices.push(point(r, c));
                if r + 1 < rows && c + 1 < columns {
                    let a = r * columns + c;
                    triangles.extend([[a, a + 1, a + columns + 1], [a, a + columns + 1, a + columns]]);
                }
            }
        }
        Surface::creased(&vertices, &triangles)
    }

    /// Triangles with normals that are smooth except across edges: at a vertex the normals of the triangles around it are
    /// averaged over those within the crease angle.
    pub fn creased(vertices: &[V3], triangles: &[[usize; 3]]) -> Surface {
        let all: Vec<usize> = (0..triangles.len()).collect();
        Creases::of(vertices, triangles).surface(&all, |_, _| CornerPaint::default())
    }

    /// The encoding for a page: u32 points, u32 triangles, u32 1 with colours + 2 with a picture + 4 with bones, u32 bytes of the picture;
    /// then f32 points, f32 normals, u8 colours, f32 texture coordinates, u16 bones, f32 weights, u32 triangles, and the file of the
    /// picture.
    pub fn bytes(&self) -> Vec<u8> {
        let file: &[u8] = self.picture.as_ref().filter(|_| self.carries).map_or(&[], |p| &p.file);
        let kinds = u32::from(!self.colours.is_empty()) | u32::from(!self.texture_at.is_empty()) << 1;
        let kinds = kinds | u32::from(self.bones.is_some()) << 2;
        let counts = [self.points.len() as u32, self.triangles.len() as u32, kinds, file.len() as u32];
        let mut out: Vec<u8> = counts.iter().flat_map(|x| x.to_le_bytes()).collect();
        out.extend(self.points.iter().chain(&self.normals).flatten().flat_map(|x| x.to_le_bytes()));
        out.extend(self.colours.as_flattened());
        out.extend(self.texture_at.iter().flatten().flat_map(|x| x.to_le_bytes()));
        if let Some(bones) = &self.bones {
            out.extend(bones.joints.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
            out.extend(bones.weights.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
        }
        out.extend(self.triangles.iter().flatten().flat_map(|x| x.to_le_bytes()));
        out.extend(file);
        out
    }

    /// Removes triangles with two corners at one point.
    fn drop_slivers(&mut self) {
        let points = &self.points;
        self.triangles.retain(|&[a, b, c]| {
            let [a, b, c] = [a, b, c].map(|k| points[k as usize]);
            let apart = |p: [f32; 3], q: [f32; 3]| {
                p.iter().zip(&q).any(|(x, y)| (x - y).abs() > 1e-7 * (x.abs() + y.abs()))
            };
            apart(a, b) && apart(b, c) && apart(c, a)
        });
    }
}

/// What distinguishes corners: vertex, normal, colour, texture coordinates.
type CornerKey = (usize, [u32; 3], [u8; 4], [u32; 2]);

/// Triangles and their normals, from which to make surfaces that are smooth except across edges.
pub struct Creases<'a> {
    vertices: &'a [V3],
    triangles: &'a [[usize; 3]],
    /// Normals weighted by area.
    faces: Vec<V3>,
    units: Vec<V3>,
    /// The triangles around each vertex.
    around: Vec<Vec<u32>>,
    /// For vertices with many triangles, the sums of nearly equal normals.
    hubs: HashMap<usize, Vec<V3>>,
}

/// The sums of the normals in each cell of a grid of directions: a vertex may have as many triangles around it as the mesh has, and each
/// needs its neighbours.
fn grouped(numbers: &[u32], faces: &[V3], units: &[V3]) -> Vec<V3> {
    let mut cells: BTreeMap<[i8; 3], V3> = BTreeMap::new();
    for k in numbers.iter().map(|k| *k as usize) {
        let cell = units[k].array().map(|x| (x * CELLS_OF_A_UNIT).round() as i8);
        *cells.entry(cell).or_insert(V3::ZERO) += faces[k];
    }
    cells.into_values().collect()
}

impl<'a> Creases<'a> {
    /// The creases of all triangles of a mesh.
    pub fn of(vertices: &'a [V3], triangles: &'a [[usize; 3]]) -> Creases<'a> {
        let area = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|k| vertices[k]);
            (b - a).cross(c - a)
        };
        let faces: Vec<V3> = triangles.iter().map(area).collect();
        let units: Vec<V3> = faces.iter().map(|n| n.unit().unwrap_or(V3::ZERO)).collect();
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); vertices.len()];
        for (k, t) in triangles.iter().enumerate() {
            t.iter().for_each(|v| around[*v].push(k as u32));
        }
        let many = around.iter().enumerate().filter(|(_, faces)| faces.len() > MANY_FACES);
        let hubs = many.map(|(vertex, numbers)| (vertex, grouped(numbers, &faces, &units))).collect();
        Creases { vertices, triangles, faces, units, around, hubs }
    }

    fn normal(&self, vertex: usize, triangle: usize) -> V3 {
        let unit = self.units[triangle];
        let sum = match &self.hubs.get(&vertex) {
            Some(hub) => hub
                .iter()
                .filter(|f| unit.dot(f.unit().unwrap_or(V3::ZERO)) > CREASE)
                .fold(V3::ZERO, |n, f| n + *f),
            None => {
                let near = self.around[vertex].iter().map(|f| *f as usize);
                near.filter(|f| self.units[*f].dot(unit) > CREASE).fold(V3::ZERO, |n, f| n + self.faces[f])
            }
        };
        sum.unit().unwrap_or(V3::Z)
    }

    /// The surface of the triangles with these indices; `paint` gives the colours of the corners of a triangle.
    pub fn surface(&self, numbers: &[usize], paint: impl Fn(usize, usize) -> CornerPaint) -> Surface {
        self.surface_of_vertices(numbers, paint).0
    }

    /// As [`Creases::surface`], also with the vertex of each point.
    pub fn surface_of_vertices(
        &self,
        numbers: &[usize],
        paint: impl Fn(usize, usize) -> CornerPaint,
    ) -> (Surface, Vec<usize>) {
        let (mut surface, mut made_of) = (Surface::default(), Vec::new());
        let mut known: HashMap<CornerKey, u32> = HashMap::new();
        let plain = CornerPaint::default();
        let (mut coloured, mut textured) = (false, false);
        for k in numbers {
            let corner = |c: usize| {
                let (vertex, paint) = (self.triangles[*k][c], paint(*k, c));
                let normal = self.normal(vertex, *k);
                let bits = normal.array().map(|x| (x as f32).to_bits());
                let key = (vertex, bits, paint.colour, paint.texture_at.map(f32::to_bits));
                (key, paint, self.vertices[vertex], normal)
            };
            let triangle = [0, 1, 2].map(|c| {
                let (key, paint, vertex, normal) = corner(c);
                coloured |= paint.colour != plain.colour;
                textured |= paint.texture_at != plain.texture_at;
                *known.entry(key).or_insert_with(|| {
                    made_of.push(key.0);
                    surface.colours.push(paint.colour);
                    surface.texture_at.push(paint.texture_at);
                    surface.push(vertex, normal)
                })
            });
            surface.triangles.push(triangle);
        }
        if !coloured {
            surface.colours.clear();
        }
        if !textured {
            surface.texture_at.clear();
        }
        (surface, made_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(s: &Surface) -> f64 {
        let p = |k: u32| V3::from(s.points[k as usize].map(f64::from));
        s.triangles.iter().map(|&[a, b, c]| p(a).dot(p(b).cross(p(c))) / 6.0).sum()
    }

    #[test]
    fn surfaces_are_closed_and_face_outward() {
        let cases = [
            (Shape::Sphere { radius: 1.0 }, 4.0 / 3.0 * PI),
            (Shape::Ellipsoid { radii: V3::new(1.0, 2.0, 3.0) }, 8.0 * PI),
            (Shape::Box { size: V3::new(1.0, 2.0, 3.0) }, 6.0),
            (Shape::Cylinder { radius: 1.0, length: 2.0 }, 2.0 * PI),
            (Shape::Capsule { radius: 1.0, length: 2.0 }, 2.0 * PI + 4.0 / 3.0 * PI),
        ];
        for (form, exact) in cases {
            let surface = Surface::of(&form).expect("not a mesh");
            let found = volume(&surface);
            assert!((found / exact - 1.0).abs() < 0.02, "{form:?}: {found} instead of {exact}");
            for (p, n) in surface.points.iter().zip(&surface.normals) {
                let outward: f32 = p.iter().zip(n).map(|(a, b)| a * b).sum();
                assert!(outward > 0.0, "{form:?}: {p:?} {n:?}");
            }
        }
    }

    #[test]
    fn a_polygon_of_many_corners_takes_no_longer_than_as_many_triangles() {
        let count = 200_000;
        let rim = |k: usize| {
            let (s, c) = (TAU * k as f64 / count as f64).sin_cos();
            V3::new(c, s, 0.0)
        };
        let mut vertices: Vec<V3> = (0..count).map(rim).collect();
        vertices.push(V3::Z);
        let flat = (2..count).map(|k| [0, k, k - 1]);
        let cone = (0..count).map(|k| [k, (k + 1) % count, count]);
        let triangles: Vec<[usize; 3]> = flat.chain(cone).collect();
        let begin = std::time::Instant::now();
        let surface = Surface::creased(&vertices, &triangles);
        assert!(begin.elapsed() < std::time::Duration::from_secs(20), "{:?}", begin.elapsed());
        let facing = |n: &[f32; 3], p: &[f32; 3]| p[2] == 0.0 && n[2] < -0.999;
        assert!(surface.normals.iter().zip(&surface.points).filter(|(n, p)| facing(n, p)).count() >= count);
    }

    #[test]
    fn creases_stay_sharp() {
        let corner = |k: usize| V3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2 & 1) as f64);
        let vertices: Vec<V3> = (0..8).map(corner).collect();
        let faces = [[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6]];
        let surface = Surface::creased(&vertices, &faces);
        assert_eq!(surface.points.len(), 8);
        assert!(surface.normals.iter().all(|n| n[2].abs() > 0.999));
    }
}
