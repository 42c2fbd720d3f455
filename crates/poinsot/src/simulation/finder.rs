//! The geoms of a model as a source of contacts.

use super::overlap::{Overlap, Overlaps};
use super::surfaces::Yielding;
use crate::algebra::V3;
use crate::constraint::{ContactKey, ContactPoint, ContactSource, FirstTouch, Maximal, SweepRule};
use crate::dynamics::{State, Workspace};
use crate::model::{Body, BodyId, ContactPair, GeomId, JointKind, Material, Model, Shape};
use crate::spatial::{Motion, Pose, log_so3};
use poinsot_collide::{CollideError, Contacts, Feature, Impact, Scene, Sweep, SweepRule as PairSweepRule};

/// Geoms closer than this count as touching, in metres.
const APART: f64 = 1e-9;

/// Geoms of one tree that initially overlap by more than this never touch, in metres.
const OVERLAP: f64 = 1e-6;

/// Overlaps deeper than this, in metres, or than `DEEP_SHARE` of the thickness, are reported.
const DEEP: f64 = 1e-3;
const DEEP_SHARE: f64 = 0.05;

/// The geoms of a model as a source of contacts.
pub(super) struct Finder {
    scene: Scene,
    found: Contacts,
    impacts: Vec<Impact>,
    materials: Vec<Material>,
    pairs: Vec<ContactPair>,
    /// All geoms, and the body of each.
    ids: Vec<GeomId>,
    bodies: Vec<BodyId>,
    /// For each body: true if it moves by a free joint of its own.
    loose: Vec<bool>,
    /// For each body: the largest distance of its geoms from its origin.
    radii: Vec<f64>,
    /// For each geom: true for a plane.
    half_space: Vec<bool>,
    /// For each geom: the least radius of curvature of its surface.
    radii_of_curvature: Vec<f64>,
    widths: Widths,
    /// For each body: how far it may move before a pair with one of its geoms can close by more than its thickness.
    leeway: Vec<f64>,
    /// In maximal coordinates, for each body of the model: the one that is stepped; and the inverse map.
    stepped: Option<Vec<BodyId>>,
    poses: Vec<Pose>,
    /// The poses at the end of a path.
    there: Vec<Pose>,
    speeds: Vec<f64>,
    moved: Vec<V3>,
    /// For each body: true if it moves farther than its leeway.
    far: Vec<bool>,
    yielding: Yielding,
    /// Pairs that overlap from the start, sorted.
    left_out: Vec<[GeomId; 2]>,
    /// Those that were left out where the simulation began, or at any state since: where a state is set, they are looked at again.
    may_overlap: Vec<[GeomId; 2]>,
}

impl Finder {
    pub fn new(scene: Scene, model: &Model, maximal: Option<&Maximal>, yielding: Yielding) -> Finder {
        let mut radii = vec![0.0f64; model.bodies().len()];
        for id in model.geom_ids() {
            let own = &mut radii[model[id].body().index()];
            *own = own.max(scene.reach(id));
        }
        let widths = Widths::of(&scene, model);
        let mut leeway = vec![f64::INFINITY; model.bodies().len()];
        for id in model.geom_ids() {
            let own = &mut leeway[model[id].body().index()];
            *own = own.min(widths.leeway(id));
        }
        let free =
            |body: &Body| model.joints()[body.joints.clone()].iter().any(|j| j.kind == JointKind::Free);
        let loose = model.bodies().iter().map(free).collect();
        let stepped = maximal.map(|m| model.body_ids().map(|body| m.body(body)).collect());
        Finder {
            scene,
            found: Contacts::new(),
            impacts: Vec::new(),
            materials: model.geoms().iter().map(|g| g.material).collect(),
            pairs: model.contact_pairs().to_vec(),
            ids: model.geom_ids().collect(),
            bodies: model.geoms().iter().map(|g| g.body()).collect(),
            loose,
            radii,
            half_space: model.geoms().iter().map(|g| matches!(g.shape, Shape::Plane { .. })).collect(),
            radii_of_curvature: model.geoms().iter().map(|g| least_radius(&g.shape)).collect(),
            widths,
            leeway,
            stepped,
            poses: Vec::new(),
            there: Vec::new(),
            speeds: Vec::new(),
            moved: Vec::new(),
            far: Vec::new(),
            yielding,
            left_out: Vec::new(),
            may_overlap: Vec::new(),
        }
    }

    /// Excludes pairs of geoms of one tree that overlap at q, which are shapes of links drawn larger than they are. Returns these, and all
    /// others that overlap deeply.
    pub fn leave_out(&mut self, model: &Model, q: &[f64]) -> Result<Overlaps, CollideError> {
        let state = State { q: q.to_vec(), ..State::new(model) };
        let mut ws = Workspace::new(model);
        let mut poses = Vec::new();
        poinsot_collide::body_poses(model, &ws.at(model, &state), &mut poses);
        self.scene.detect(&poses, 0.0, &mut self.found)?;
        let root = |body: BodyId| {
            let mut body = body;
            while model[body].parent != BodyId::WORLD {
                body = model[body].parent;
            }
            body
        };
        let mut pushed: Vec<Overlap> = Vec::new();
        for contact in &self.found {
            let ([a, b], geoms, depth) = (contact.bodies, contact.key.geoms, -contact.gap);
            let same = a != BodyId::WORLD && b != BodyId::WORLD && root(a) == root(b);
            if same && contact.named_pair.is_none() {
                if depth > OVERLAP {
                    self.left_out.push(geoms);
                }
            } else if depth > DEEP.min(DEEP_SHARE * self.widths.thickness(geoms)) {
                match pushed.iter_mut().find(|o| o.geoms == geoms) {
                    Some(overlap) => overlap.depth = overlap.depth.max(depth),
                    None => pushed.push(Overlap { geoms, depth }),
                }
            }
        }
        self.left_out.dedup();
        self.may_overlap.clone_from(&self.left_out);
        pushed.sort_by(|a, b| b.depth.total_cmp(&a.depth));
        Ok(Overlaps { pushed, passing: self.left_out.clone() })
    }

    /// The pose or motion of a body of the model, from those of the bodies that are stepped.
    fn of<T: Copy>(stepped: &Option<Vec<BodyId>>, all: &[T], body: usize) -> T {
        stepped.as_ref().map_or_else(|| all[body], |stepped| all[stepped[body].index()])
    }

    fn place(&mut self, poses: &[Pose]) {
        self.poses.clear();
        let bodies = 0..self.radii.len();
        self.poses.extend(bodies.map(|body| Finder::of(&self.stepped, poses, body)));
    }

    fn point(&self, contact: &poinsot_collide::Contact) -> ContactPoint {
        let number = |f: Feature| match f {
            Feature::Vertex(k) => k << 2,
            Feature::Edge(k) => k << 2 | 1,
            Feature::Face(k) => k << 2 | 2,
        };
        let key = contact.key;
        let [a, b] = key.geoms.map(|g| &self.materials[g.index()]);
        let pair = contact.named_pair.map(|k| &self.pairs[k]);
        let margin = pair.and_then(|p| p.margin).unwrap_or(a.margin.max(b.margin));
        let gap = pair.and_then(|p| p.gap).unwrap_or(a.gap.max(b.gap));
        let bodies = match &self.stepped {
            Some(stepped) => contact.bodies.map(|body| stepped[body.index()]),
            None => contact.bodies,
        };
        // MJCF: a contact with a margin exerts force from there on
        let gap = contact.gap - (margin - gap);
        ContactPoint {
            key: ContactKey { geoms: key.geoms, features: key.features.map(number), ordinal: key.ordinal },
            bodies,
            position: contact.position,
            normal: contact.normal,
            gap,
            surface: self.yielding.surface([a, b], pair, contact.bodies, gap),
        }
    }
}

/// Moves the points of each manifold along its normal to the height of its deepest point.
///
/// A face that lands a little tilted has points midway between the surfaces at different heights. Their normal velocities ask the body to
/// turn until it lies flat, and turning moves points at different heights sideways by different amounts, so friction could not hold all
/// of them still.
fn level(points: &mut [ContactPoint]) {
    for face in points.chunk_by_mut(|a, b| a.key.geoms == b.key.geoms && a.normal == b.normal) {
        let Some(deepest) = face.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)) else { continue };
        let (n, height) = (deepest.normal, deepest.normal.dot(deepest.position));
        for point in face.iter_mut() {
            let off = height - n.dot(point.position);
            point.position += n * off;
        }
    }
}

/// The motion of a body from one pose to another in the time h: `q ⊕ t v` for a loose body, a screw for a link.
fn sweep(from: Pose, to: Pose, h: f64, loose: bool) -> Sweep {
    if from == to {
        return Sweep::still(from);
    }
    if !loose {
        return Sweep::screw(from, to, h);
    }
    let ang = log_so3(to.rot * from.rot.transpose()) * (1.0 / h);
    Sweep::new(from, Motion { ang, lin: (to.pos - from.pos) * (1.0 / h) })
}

/// The length of a vector, without fused multiply-adds, which would be library calls; bounds need no more accuracy.
fn length(x: V3) -> f64 {
    square(x).sqrt()
}
fn plain_cross(a: V3, b: V3) -> V3 {
    V3::new(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}
fn square(V3 { x, y, z }: V3) -> f64 {
    x * x + y * y + z * z
}

/// The least radius of curvature of a surface; infinite for one with flat faces.
fn least_radius(shape: &Shape) -> f64 {
    match *shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } | Shape::Cylinder { radius, .. } => radius,
        Shape::Ellipsoid { radii: V3 { x, y, z } } => x.min(y).min(z).powi(2) / x.max(y).max(z),
        _ => f64::INFINITY,
    }
}

/// An upper bound on the angle θ between two poses: with s = sin ½θ, ‖R₂ − R₁‖ is 2√2 s, and the arcsine is at most s + (½π − 1) s³.
fn turn(from: Pose, to: Pose) -> f64 {
    let columns = [to.rot.x - from.rot.x, to.rot.y - from.rot.y, to.rot.z - from.rot.z];
    let all = square(columns[0]) + square(columns[1]) + square(columns[2]);
    let square = all / 8.0;
    2.0 * square.sqrt() * (1.0 + (std::f64::consts::FRAC_PI_2 - 1.0) * square)
}

/// The thickness of geoms.
struct Widths {
    /// For each geom: half its least width; and true if it is a shell.
    half: Vec<f64>,
    shell: Vec<bool>,
    /// The smallest thickness of any pair.
    least: f64,
}

impl Widths {
    fn of(scene: &Scene, model: &Model) -> Widths {
        let half: Vec<f64> = model.geom_ids().map(|id| scene.thinness(id)).collect();
        let shell: Vec<bool> = model.geom_ids().map(|id| scene.is_shell(id)).collect();
        let thinnest = half.iter().fold(f64::INFINITY, |least, w| least.min(*w));
        let least = if shell.contains(&true) { 0.5 * thinnest } else { thinnest };
        Widths { half, shell, least }
    }

    /// How far a geom may move: two that move no further do not close by more than their thickness.
    fn leeway(&self, geom: GeomId) -> f64 {
        let half = self.half[geom.index()];
        match self.shell.contains(&true) {
            _ if !half.is_finite() => 0.0,
            true if self.shell[geom.index()] => 0.5 * self.least,
            true => 0.25 * half,
            false => 0.5 * half,
        }
    }

    /// How much two geoms may close and still be found on the correct sides. At a shell, only the other geom has an inside.
    fn thickness(&self, geoms: [GeomId; 2]) -> f64 {
        let [a, b] = [self.half[geoms[0].index()], self.half[geoms[1].index()]];
        match [self.shell[geoms[0].index()], self.shell[geoms[1].index()]] {
            _ if !(a.is_finite() && b.is_finite()) => a.min(b),
            [true, false] => 0.5 * b,
            [false, true] => 0.5 * a,
            _ => 0.5 * (a + b),
        }
    }
}

impl ContactSource for Finder {
    fn detect(
        &mut self,
        poses: &[Pose],
        motions: &[Motion],
        reach: f64,
        extra: f64,
        out: &mut Vec<ContactPoint>,
    ) -> Result<(), String> {
        self.place(poses);
        self.speeds.clear();
        for (body, radius) in self.radii.iter().enumerate() {
            let motion = Finder::of(&self.stepped, motions, body);
            let speed = if *radius > 0.0 { radius * length(motion.ang) + length(motion.lin) } else { 0.0 };
            self.speeds.push(reach * speed);
        }
        // geoms that come from further away in one step are swept
        let most = 2.0 * self.widths.least;
        let Finder { scene, found, left_out, bodies, stepped, poses, radii, widths, speeds, .. } = self;
        // links that fly together do not close: what matters is the relative speed of their points
        let approach = |geoms: [GeomId; 2]| {
            let (a, b) = (bodies[geoms[0].index()].index(), bodies[geoms[1].index()].index());
            let (of_a, of_b) = (Finder::of(stepped, motions, a), Finder::of(stepped, motions, b));
            let (turning, between) = (length(of_b.ang - of_a.ang), poses[b].pos - poses[a].pos);
            let at = |carrier: Motion| length(of_b.lin - of_a.lin - plain_cross(carrier.ang, between));
            // a plane is infinite: the other geom determines how far its points may be
            let side = |geom: GeomId, body: usize, there: f64| {
                let bounded = widths.half[geom.index()].is_finite();
                if bounded { radii[body] * turning + there } else { f64::INFINITY }
            };
            let [first, second] = geoms;
            side(first, a, at(of_b)).min(side(second, b, at(of_a)))
        };
        let of_pair =
            |geoms: [GeomId; 2]| left_out.binary_search(&geoms).is_err().then(|| reach * approach(geoms));
        let outcome = scene.detect_in_motion(poses, speeds, most, extra, of_pair, found);
        outcome.map_err(|e| e.to_string())?;
        out.clear();
        for contact in &self.found {
            out.push(self.point(contact));
        }
        level(out);
        Ok(())
    }

    fn first_touch(
        &mut self,
        from: &[Pose],
        to: &[Pose],
        h: f64,
        always: bool,
        how: &dyn Fn([GeomId; 2]) -> Option<SweepRule>,
    ) -> Result<Option<FirstTouch>, String> {
        self.speeds.clear();
        self.moved.clear();
        self.far.clear();
        let (mut any_far, mut farthest) = (always, 0.0f64);
        for (body, radius) in self.radii.iter().enumerate() {
            let (from, to) = (Finder::of(&self.stepped, from, body), Finder::of(&self.stepped, to, body));
            let turned = if *radius > 0.0 { radius * turn(from, to) } else { 0.0 };
            let moved = to.pos - from.pos;
            let by = length(moved);
            let far = turned + by > self.leeway[body];
            self.speeds.push(turned);
            self.moved.push(moved);
            self.far.push(always || far);
            any_far |= far;
            farthest = farthest.max(by);
        }
        if !any_far {
            return Ok(None);
        }
        self.place(from);
        self.there.clear();
        self.there.extend((0..self.radii.len()).map(|body| Finder::of(&self.stepped, to, body)));
        let Finder {
            scene, poses, there, impacts, left_out, speeds, moved, far, bodies, widths, loose, ..
        } = self;
        let (poses, there) = (&poses[..], &there[..]);
        // event-driven motion handles rotation about a contact itself
        let is_fast = |how: &SweepRule| how.always || how.overlap.is_finite() || farthest > widths.least;
        let wanted = |geoms: [GeomId; 2]| {
            let (a, b) = (bodies[geoms[0].index()].index(), bodies[geoms[1].index()].index());
            let nearer = speeds[a] + speeds[b] + length(moved[a] - moved[b]);
            let thickness = widths.thickness(geoms);
            if !always && nearer <= thickness {
                return None;
            }
            let how = how(geoms).filter(|how| is_fast(how) && (how.always || nearer > thickness))?;
            let overlap = how.overlap * thickness;
            left_out.binary_search(&geoms).is_err().then_some(PairSweepRule { overlap, deep: how.held })
        };
        let sweep = |body: usize| sweep(poses[body], there[body], h, loose[body]);
        let found = scene.impacts_between([poses, there], h, APART, far, sweep, wanted, impacts);
        found.map_err(|e| e.to_string())?;
        let first = impacts.first();
        Ok(first.map(|i| FirstTouch { time: i.time, geoms: i.geoms, touching: i.touching }))
    }

    fn closest(&mut self, poses: &[Pose], geoms: [GeomId; 2]) -> Result<Option<ContactPoint>, String> {
        self.place(poses);
        self.scene.detect_pair(&self.poses, geoms, 1.0, &mut self.found).map_err(|e| e.to_string())?;
        let nearest = self.found.iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
        Ok(nearest.map(|contact| self.point(contact)))
    }

    fn points(
        &mut self,
        poses: &[Pose],
        pairs: &[[GeomId; 2]],
        margin: f64,
        out: &mut Vec<ContactPoint>,
    ) -> Result<(), String> {
        self.place(poses);
        self.scene.detect_pairs(&self.poses, pairs, margin, &mut self.found).map_err(|e| e.to_string())?;
        out.clear();
        out.extend(self.found.iter().map(|contact| self.point(contact)));
        Ok(())
    }

    fn begin_at(&mut self, poses: &[Pose]) -> Option<Vec<[GeomId; 2]>> {
        if self.may_overlap.is_empty() {
            return None;
        }
        self.place(poses);
        // poses that no geom can have are told by the step
        let looked = self.scene.detect_pairs(&self.poses, &self.may_overlap, 0.0, &mut self.found);
        looked.ok()?;
        self.left_out.clear();
        let deep = self.found.iter().filter(|contact| -contact.gap > OVERLAP);
        self.left_out.extend(deep.map(|contact| contact.key.geoms));
        self.left_out.dedup();
        Some(self.left_out.clone())
    }

    fn begin_step(&mut self, h: f64) {
        self.yielding.step = h;
    }

    fn memory(&self, out: &mut Vec<f64>) {
        out.push(self.left_out.len() as f64);
        out.extend(self.left_out.iter().flatten().map(|g| g.index() as f64));
    }
    fn restore_memory(&mut self, next: &mut dyn FnMut() -> f64) {
        // a corrupt count must not exhaust memory
        let count = next().clamp(0.0, 1e7) as usize;
        self.left_out.clear();
        for _ in 0..count {
            let pair = [next(), next()].map(|k| self.ids.get(k as usize).copied());
            if let [Some(a), Some(b)] = pair {
                self.left_out.push([a, b]);
            }
        }
        self.may_overlap.extend_from_slice(&self.left_out);
        self.may_overlap.sort_unstable();
        self.may_overlap.dedup();
    }

    fn remap(&mut self, memory: &[f64], geoms: &[Option<GeomId>]) {
        // of the pairs that existed before, exactly those that were excluded are excluded again
        let new = |geom: &GeomId| !geoms.contains(&Some(*geom));
        self.left_out.retain(|pair| pair.iter().any(new));
        let of = |k: f64| geoms.get(k as usize).copied().flatten();
        for pair in memory.get(1..).unwrap_or_default().chunks_exact(2) {
            if let (Some(a), Some(b)) = (of(pair[0]), of(pair[1])) {
                self.left_out.push([a, b]);
            }
        }
        self.left_out.sort_unstable();
        self.left_out.dedup();
        self.may_overlap.clone_from(&self.left_out);
    }

    fn thickness(&self, geoms: [GeomId; 2]) -> f64 {
        self.widths.thickness(geoms)
    }
    fn is_half_space(&self, geoms: [GeomId; 2]) -> bool {
        geoms.iter().any(|geom| self.half_space[geom.index()])
    }
    fn thinnest(&self) -> f64 {
        self.widths.least
    }
    fn roundness(&self, geoms: [GeomId; 2]) -> f64 {
        geoms.map(|geom| self.radii_of_curvature[geom.index()]).iter().sum()
    }
}
