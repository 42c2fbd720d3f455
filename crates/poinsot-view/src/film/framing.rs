//! The camera of a film: where it stands, and whether it follows the motion.
//!
//! All frames are known before the first is painted. A fixed camera that sees the whole motion shows it best; only a model that travels
//! much farther than its own size is followed.

use crate::bones::pose_of;
use crate::raster::{Options, View, frame_points_from};
use crate::show::{Camera, Frame, On, PartInfo, Scenery};
use crate::surface::Surface;
use poinsot::algebra::V3;
use poinsot::model::Shape;
use poinsot::spatial::Pose;
use std::collections::BTreeMap;

/// The fraction of the picture's height or width that the motion fills.
const FILLED: f64 = 0.84;
/// A model that travels more than this many times its own size is followed.
const FAR: f64 = 15.0;
/// A camera given by the user is kept if it sees the whole motion and this fills at least this fraction of the picture.
const ENOUGH: f64 = 0.45;
/// The fraction of the picture left empty at its edges.
const EDGE: f64 = 0.02;
/// The number of points considered; for longer motions of larger models, frames are skipped.
const MOST_POINTS: usize = 2_000_000;
const LEAST_FRAMES: usize = 24;

/// Where the camera of a film stands, and how it moves.
pub struct Framing {
    camera: Camera,
    /// The motion that the camera follows; `None`: it is fixed.
    followed: Option<Followed>,
}

/// The centre of mass, along the directions in which it is followed.
struct Followed {
    masses: Vec<(f64, V3)>,
    begin: V3,
    up: V3,
    level: bool,
    upright: bool,
}

/// The points of a frame.
type Cloud<'a> = (Vec<(Option<usize>, V3)>, &'a Frame);

impl Framing {
    /// The framing of a motion that consists of these frames.
    pub fn of(scenery: &Scenery, surfaces: &[Surface], frames: &[Frame]) -> Framing {
        let seen = Seen::of(scenery, surfaces);
        let taken = (MOST_POINTS / seen.points().max(1)).max(LEAST_FRAMES);
        let stride = frames.len().div_ceil(taken).max(1);
        let last = frames.last().filter(|_| !frames.len().saturating_sub(1).is_multiple_of(stride));
        let clouds: Vec<Cloud> =
            frames.iter().step_by(stride).chain(last).map(|frame| (seen.at(frame), frame)).collect();
        let followed = followed(scenery, &clouds);
        let shift = |frame: &Frame| followed.as_ref().map_or(V3::ZERO, |f| f.shift(frame));
        let begin = clouds.first().map_or(0.0, |(cloud, _)| extent(cloud.iter().map(|(_, p)| *p)));
        let points = clouds
            .iter()
            .flat_map(|(cloud, frame)| {
                let shift = shift(frame);
                cloud.iter().map(move |(of, p)| (*of, *p - shift))
            })
            .collect();
        let points = without_lost(points, begin);
        let given = scenery.camera;
        let camera = if shows(&given, &points) { given } else { fitted(&given, &points).unwrap_or(given) };
        Framing { camera, followed }
    }

    /// The camera for a frame.
    pub fn camera(&self, frame: &Frame) -> Camera {
        let shift = self.followed.as_ref().map_or(V3::ZERO, |f| f.shift(frame));
        let moved = |at: [f64; 3]| (V3::from(at) + shift).array();
        Camera { from: moved(self.camera.from), to: moved(self.camera.to), up: self.camera.up }
    }
}

impl Followed {
    fn shift(&self, frame: &Frame) -> V3 {
        let Some(centre) = centre(&self.masses, frame) else { return V3::ZERO };
        let all = centre - self.begin;
        let upright = self.up * all.dot(self.up);
        let level = all - upright;
        (if self.level { level } else { V3::ZERO }) + (if self.upright { upright } else { V3::ZERO })
    }
}

/// The centre of mass in a frame.
fn centre(masses: &[(f64, V3)], frame: &Frame) -> Option<V3> {
    let total: f64 = masses.iter().map(|(mass, _)| mass).sum();
    let mut sum = V3::ZERO;
    for ((mass, com), pose) in masses.iter().zip(&frame.poses).filter(|((mass, _), _)| *mass > 0.0) {
        sum += pose_of(*pose)?.point(*com) * (mass / total);
    }
    (total > 0.0 && sum.is_finite()).then_some(sum)
}

/// What to follow, if a model travels far.
fn followed(scenery: &Scenery, clouds: &[Cloud]) -> Option<Followed> {
    if !scenery.joints.iter().any(|joint| joint.kind == "free") {
        return None;
    }
    let up = V3::from(scenery.camera.up).unit()?;
    let masses: Vec<(f64, V3)> = scenery.bodies.iter().map(|b| (b.mass, V3::from(b.com))).collect();
    let sizes =
        clouds.iter().map(|(cloud, _)| extent(cloud.iter().map(|(_, p)| *p))).filter(|size| *size > 0.0);
    let mut sizes: Vec<f64> = sizes.collect();
    sizes.sort_by(f64::total_cmp);
    let size = *sizes.get(sizes.len() / 2)?;
    let centres: Vec<V3> = clouds.iter().filter_map(|(_, frame)| centre(&masses, frame)).collect();
    let begin = *centres.first()?;
    let heights = centres.iter().map(|c| (*c - begin).dot(up));
    let (low, high) = heights.fold((0.0_f64, 0.0_f64), |(l, h), x| (l.min(x), h.max(x)));
    let level = centres.iter().map(|c| *c - up * (*c - begin).dot(up));
    let (level, upright) = (extent(level) > FAR * size, high - low > FAR * size);
    (level || upright).then_some(Followed { masses, begin, up, level, upright })
}

/// The box around points; `None` without points.
fn bounds(points: impl Iterator<Item = V3>) -> Option<[V3; 2]> {
    points.map(|p| [p, p]).reduce(|[low, high], [p, _]| {
        let pick = |a: V3, b: V3, f: fn(f64, f64) -> f64| V3::new(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z));
        [pick(low, p, f64::min), pick(high, p, f64::max)]
    })
}

/// The diagonal of the box around points.
fn extent(points: impl Iterator<Item = V3>) -> f64 {
    bounds(points).map_or(0.0, |[low, high]| (high - low).norm())
}

/// The points without those of bodies that fly away while others stay, like a bullet: they are in the picture as long as they are near the others.
fn without_lost(points: Vec<(Option<usize>, V3)>, begin: f64) -> Vec<V3> {
    let mut boxes: BTreeMap<usize, [V3; 2]> = BTreeMap::new();
    for (body, p) in points.iter().filter_map(|(of, p)| Some((of.as_ref()?, *p))) {
        let known = boxes.entry(*body).or_insert([p, p]);
        *known = bounds([known[0], known[1], p].into_iter()).unwrap_or(*known);
    }
    boxes.retain(|_, [low, high]| (*high - *low).norm() <= FAR * begin);
    let stays = |of: &Option<usize>| of.is_some_and(|body| boxes.contains_key(&body));
    let near = bounds(points.iter().filter(|(of, _)| stays(of)).map(|(_, p)| *p));
    let Some([low, high]) = near else { return points.into_iter().map(|(_, p)| p).collect() };
    let beyond = |p: V3| {
        let [p, low, high] = [p, low, high].map(|v| v.array());
        (0..3).any(|k| p[k] < low[k] - begin || p[k] > high[k] + begin)
    };
    let seen = points.into_iter().filter(|(of, p)| stays(of) || !beyond(*p));
    seen.map(|(_, p)| p).collect()
}

/// Whether a camera sees all of these points, and they are not small.
fn shows(camera: &Camera, points: &[V3]) -> bool {
    const SIZE: [usize; 2] = [1600, 1000];
    let view = View::new(camera, SIZE[0], SIZE[1]);
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for p in points {
        let Some(at) = view.project(*p) else { return false };
        for k in 0..2 {
            let share = at[k] / SIZE[k] as f64;
            (low[k], high[k]) = (low[k].min(share), high[k].max(share));
        }
    }
    let inside = (0..2).all(|k| low[k] >= EDGE && high[k] <= 1.0 - EDGE);
    inside && (0..2).any(|k| high[k] - low[k] >= ENOUGH)
}

/// The camera that looks in the direction of `given` and sees all of these points.
fn fitted(given: &Camera, points: &[V3]) -> Option<Camera> {
    let (from, to, up) = (V3::from(given.from), V3::from(given.to), V3::from(given.up));
    frame_points_from(points, up.unit()?, (from - to).unit()?, FILLED)
}

/// The visible points of a scenery.
struct Seen<'a> {
    scenery: &'a Scenery,
    /// The body of each part, and the outermost points of the part in the frame of the body.
    parts: Vec<(usize, Vec<V3>)>,
    /// Bodies whose positions deform a surface.
    bones: Vec<usize>,
    shows: Box<dyn Fn(&str) -> bool + 'a>,
}

impl<'a> Seen<'a> {
    fn of(scenery: &'a Scenery, surfaces: &[Surface]) -> Seen<'a> {
        let hidden = Options::default().hidden;
        let shows =
            move |layer: &str| scenery.shown.iter().any(|l| l == layer) || !hidden.iter().any(|h| h == layer);
        let (mut parts, mut bones) = (Vec::new(), Vec::new());
        for part in scenery.parts.iter().filter(|p| p.rgba[3] > 0.0 && shows(p.layer)) {
            let surface = part.mesh.and_then(|k| surfaces.get(k));
            if let Some(skin) = surface.and_then(|s| s.bones.as_ref()) {
                bones.extend(skin.bones.iter().map(|(body, _)| *body));
            } else if moves(scenery, part) {
                let made = if surface.is_some() { None } else { Surface::of(&part.shape) };
                let points = surface.or(made.as_ref()).map_or_else(Vec::new, |s| outermost(&s.points));
                let pose = pose_of(part.pose.map(|x| x as f32)).unwrap_or(Pose::IDENTITY);
                parts.push((part.body, points.into_iter().map(|p| pose.point(p)).collect()));
            }
        }
        Seen { scenery, parts, bones, shows: Box::new(shows) }
    }

    /// The number of points in a frame.
    fn points(&self) -> usize {
        self.parts.iter().map(|(_, points)| points.len()).sum::<usize>() + self.bones.len()
    }

    /// The points in a frame, each with its body if it has one.
    fn at(&self, frame: &Frame) -> Vec<(Option<usize>, V3)> {
        let pose = |body: usize| frame.poses.get(body).and_then(|p| pose_of(*p));
        let mut all = Vec::with_capacity(self.points());
        for (body, points) in &self.parts {
            if let Some(pose) = pose(*body) {
                all.extend(points.iter().map(|p| (Some(*body), pose.point(*p))));
            }
        }
        all.extend(self.bones.iter().filter_map(|body| Some((Some(*body), pose(*body)?.pos))));
        let point = |p: &[f32]| V3::new(f64::from(p[0]), f64::from(p[1]), f64::from(p[2]));
        let arrows = self.scenery.arrows.iter().zip(&frame.arrows);
        for (_, arrow) in arrows.filter(|(info, _)| (self.shows)(info.layer)) {
            all.extend([point(&arrow[..3]), point(&arrow[3..])].map(|p| (None, p)));
        }
        for (info, trace) in self.scenery.traces.iter().zip(&frame.traces) {
            if matches!(info.on, On::World) && (self.shows)(info.layer) {
                all.push((None, point(trace)));
            }
        }
        let solids = self.scenery.solids.iter().zip(&frame.solids);
        for (_, solid) in solids.filter(|(info, _)| (self.shows)(info.layer)) {
            let Some(pose) = solid.first_chunk().and_then(|p| pose_of(*p)) else { continue };
            for (k, axis) in [V3::X, V3::Y, V3::Z].into_iter().enumerate() {
                let half = axis * f64::from(solid[7 + k]);
                all.extend([pose.point(half), pose.point(-half)].map(|p| (None, p)));
            }
        }
        all.retain(|(_, p)| p.is_finite());
        all
    }
}

/// Ground and static objects are not the subject of a film.
fn moves(scenery: &Scenery, part: &PartInfo) -> bool {
    !matches!(part.shape, Shape::Plane { .. })
        && scenery.bodies.get(part.body).is_some_and(|b| b.parent.is_some())
}

/// The points that are outermost in 26 directions.
fn outermost(points: &[[f32; 3]]) -> Vec<V3> {
    let points: Vec<V3> =
        points.iter().map(|p| V3::from(p.map(f64::from))).filter(|p| p.is_finite()).collect();
    let steps = || [-1.0, 0.0, 1.0].into_iter();
    let directions = steps().flat_map(|x| steps().flat_map(move |y| steps().map(move |z| V3::new(x, y, z))));
    let far = |d: V3| points.iter().copied().max_by(|a, b| a.dot(d).total_cmp(&b.dot(d)));
    directions.filter(|d| *d != V3::ZERO).filter_map(far).collect()
}
