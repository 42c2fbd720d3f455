//! The time of impact of moving bodies, by conservative advancement [Mirtich96b].
//!
//! Let two bodies be apart by d > 0 along n, which points from the first to the second. Until they touch, d decreases no faster than
//!
//! `μ = n·(v₁ − v₂) + |n × ω₁| r₁ + |n × ω₂| r₂`,
//!
//! with v the velocity of a reference point and r the largest distance of the body from it: the height along n of any point x of the body
//! changes with `n·v + (n × ω)·(x − c)`. So there is no touch before d/μ, and if μ ≤ 0, none at all. At that time d is recomputed. The
//! steps converge to the time of impact from below at any speed; the last ones are Newton steps, with the velocity at the contact.
//!
//! For convex bodies this also holds for overlaps (d < 0), since d is the largest of their separations along all directions. So the time at
//! which an overlap reaches a given depth is found in the same way. A non-convex body may be met from any side: there μ is the speed of the
//! fastest points.

use crate::error::CollideError;
use crate::math::{Frame, Vec3, v3, vec3};
use crate::narrow::Scratch;
use crate::scene::Scene;
use crate::solid::Solid;
use poinsot_core::algebra::V3;
use poinsot_core::model::GeomId;
use poinsot_core::spatial::{Motion, Pose, exp_se3, exp_so3, log_se3};

/// The motion of a body during a step.
///
/// ```
/// use poinsot_collide::Sweep;
/// use poinsot_core::{algebra::V3, spatial::{Motion, Pose}};
/// let spin = Sweep::new(Pose::IDENTITY, Motion { ang: V3::Z, lin: V3::X });
/// let later = spin.at(0.5);
/// assert!((later.pos - V3::X * 0.5).norm() < 1e-15 && (later.rot.x.x - 0.5f64.cos()).abs() < 1e-15);
/// let screw = Sweep::screw(Pose::IDENTITY, later, 0.5);
/// assert!((screw.at(0.5).pos - later.pos).norm() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    start: Pose,
    path: Path,
}

#[derive(Clone, Copy, Debug)]
enum Path {
    /// The origin of the body moves straight while the body rotates about it.
    Straight(Motion),
    /// A constant motion referred to the origin of the world.
    Screw(Motion),
}

impl Sweep {
    /// The body's origin moves with the constant velocity `motion.lin` and the body rotates with the constant angular velocity
    /// `motion.ang`, in world axes, as in `q ⊕ t v` for a free joint.
    pub fn new(start: Pose, motion: Motion) -> Sweep {
        Sweep { start, path: Path::Straight(motion) }
    }
    /// The screw motion from one pose to another in the time h, with a rotation of at most half a turn.
    pub fn screw(start: Pose, end: Pose, h: f64) -> Sweep {
        let whole = log_se3(end * start.inverse());
        Sweep { start, path: Path::Screw(whole * (1.0 / h)) }
    }
    /// A body at rest.
    pub fn still(pose: Pose) -> Sweep {
        Sweep::new(pose, Motion::default())
    }
    /// The pose at time t.
    pub fn at(&self, t: f64) -> Pose {
        if t == 0.0 {
            return self.start;
        }
        match self.path {
            Path::Straight(m) => {
                Pose { rot: exp_so3(m.ang * t) * self.start.rot, pos: m.lin.mul_add(t, self.start.pos) }
            }
            Path::Screw(m) => exp_se3(m * t) * self.start,
        }
    }
    fn is_finite(&self) -> bool {
        let (Path::Straight(m) | Path::Screw(m)) = self.path;
        m.ang.is_finite() && m.lin.is_finite() && Frame::from(self.start).is_finite()
    }
    fn ang(&self) -> V3 {
        let (Path::Straight(m) | Path::Screw(m)) = self.path;
        m.ang
    }
    /// The velocity of the body point at p, when the body's origin is at `origin`.
    fn velocity(&self, origin: V3, p: V3) -> V3 {
        match self.path {
            Path::Straight(m) => m.at(p - origin).lin,
            Path::Screw(m) => m.at(p).lin,
        }
    }
    /// An upper bound, from t to h, on the speed along n of points within r of the body's origin. The velocity v of the origin of a screw
    /// rotates with ω, so it changes by at most |ω| (h − t) |v|.
    fn speed(&self, n: V3, r: f64, (t, h): (f64, f64)) -> f64 {
        match self.path {
            Path::Straight(m) => n.dot(m.lin) + n.cross(m.ang).norm() * r,
            Path::Screw(m) => {
                let (v, turning) = (m.at(self.at(t).pos).lin, m.ang.norm());
                let (speed, turned) = (v.norm(), turning * (h - t));
                (n.dot(v) + turned * speed).min(speed) + n.cross(m.ang).norm() * r
            }
        }
    }
}

/// The first touch of two geoms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// After the start, s.
    pub time: f64,
    /// The geoms, in the order of the request.
    pub geoms: [GeomId; 2],
    /// Midway between the surfaces, in the world, m.
    pub position: V3,
    /// From the first to the second.
    pub normal: V3,
    /// The remaining gap, m: round-off, or negative if they overlap from the start.
    pub gap: f64,
    /// They touched at the start, and have reached the allowed overlap.
    pub touching: bool,
}

/// A solid on a moving body.
pub(crate) struct Moving<'a> {
    pub solid: &'a Solid,
    pub local: Frame,
    pub sweep: Sweep,
    /// The largest distance of the solid from the body's origin.
    pub reach: f64,
    /// The largest distance of its core from the origin: rotation moves no other part of its surface.
    arm: f64,
}

impl<'a> Moving<'a> {
    pub fn new(solid: &'a Solid, local: Frame, sweep: Sweep) -> Moving<'a> {
        let round = match solid {
            Solid::Sphere { radius } | Solid::Capsule { radius, .. } => *radius,
            _ => 0.0,
        };
        let reach = local.pos.length() + solid.reach();
        Moving { solid, local, sweep, reach, arm: reach - round }
    }
    /// The largest distance from the body's origin at which it can be touched within the time h.
    fn reach_within(&self, other: &Moving, h: f64) -> f64 {
        if self.reach.is_finite() || !other.reach.is_finite() {
            return if self.reach.is_finite() { self.arm } else { 0.0 };
        }
        let apart = (self.sweep.start.pos - other.sweep.start.pos).norm();
        apart + (fastest(&self.sweep, 0.0) + fastest(&other.sweep, 0.0)) * h + other.reach
    }
    fn frame(&self, t: f64) -> Frame {
        Frame::from(self.sweep.at(t)).then(&self.local)
    }
}

/// Time, gap, position and normal of a first touch, in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub time: f64,
    pub gap: f64,
    pub position: V3,
    pub normal: V3,
}

impl Touch {
    pub(crate) fn of(self, geoms: [GeomId; 2], touching: bool) -> Impact {
        let Touch { time, gap, position, normal } = self;
        Impact { time, geoms, position, normal, gap, touching }
    }
}

/// A gap smaller than this fraction of the size counts as zero.
pub(crate) const TOUCHING: f64 = 1e-13;
/// Below this gap Newton's method takes over.
pub(crate) const NEAR: f64 = 1e-6;
const ROUNDS: usize = 2000;

/// The rule for sweeping a pair of geoms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepRule {
    /// A pair that touches at the start is followed until it overlaps by this much, m; at infinity, not at all.
    pub overlap: f64,
    /// If true, a pair that is apart at the start is reported only if it also comes to overlap by this much.
    pub deep: bool,
}

impl SweepRule {
    /// Follows pairs to their first touch, and skips those that touch at the start.
    pub const TO_TOUCH: SweepRule = SweepRule { overlap: f64::INFINITY, deep: false };
}

/// The first time within h at which two moving solids touch. Of a plane, only the part matters that the other can reach within h.
///
/// Solids that are within `already` of each other at the start touch at time 0.
pub(crate) fn first_touch(
    scratch: &mut Scratch,
    a: &Moving,
    b: &Moving,
    h: f64,
    already: f64,
) -> Option<Touch> {
    let pair = Pair::new(a, b, h, 0.0);
    let now = scratch.touch_at(&pair, 0.0, pair.most(0.0))?;
    if now.gap <= already.max(pair.enough) { Some(now) } else { pair.advance(scratch, now) }
}

/// The first touch of solids that are further apart than `apart` at the start, or the time at which the others reach the allowed overlap.
pub(crate) fn follow(
    scratch: &mut Scratch,
    [a, b]: [&Moving; 2],
    h: f64,
    apart: f64,
    how: SweepRule,
) -> Option<(Touch, bool)> {
    let pair = Pair::new(a, b, h, 0.0);
    let now = scratch.touch_at(&pair, 0.0, pair.most(0.0))?;
    let to_depth = |scratch: &mut Scratch, depth: f64| {
        let deep = Pair { depth, ..pair };
        let touch = deep.advance(scratch, Touch { gap: now.gap + depth, ..now })?;
        Some(Touch { gap: touch.gap - depth, ..touch })
    };
    if now.gap > apart.max(pair.enough) {
        if how.deep {
            to_depth(scratch, how.overlap)?;
        }
        return Some((pair.advance(scratch, now)?, false));
    }
    if how.overlap.is_infinite() {
        return None;
    }
    // a pair that already overlaps may overlap slightly more
    let depth = how.overlap.max(0.25f64.mul_add(how.overlap, -now.gap));
    Some((to_depth(scratch, depth)?, true))
}

/// Two moving solids within the time h; they count as touching when they overlap by `depth`.
#[derive(Clone, Copy)]
struct Pair<'a> {
    a: &'a Moving<'a>,
    b: &'a Moving<'a>,
    h: f64,
    depth: f64,
    reaches: [f64; 2],
    fastest: f64,
    size: f64,
    enough: f64,
    convex: bool,
}

impl<'a> Pair<'a> {
    fn new(a: &'a Moving, b: &'a Moving, h: f64, depth: f64) -> Pair<'a> {
        let size = [a.reach, b.reach].into_iter().filter(|r| r.is_finite()).fold(1e-3f64, f64::max);
        let reaches = [a.reach_within(b, h), b.reach_within(a, h)];
        let fastest = fastest(&a.sweep, reaches[0]) + fastest(&b.sweep, reaches[1]);
        let convex = [a, b].iter().all(|m| matches!(m.solid, Solid::Plane) || m.solid.convex().is_some());
        Pair { a, b, h, depth, reaches, fastest, size, enough: TOUCHING * size, convex }
    }

    /// A distance that cannot be covered in the remaining time.
    fn most(&self, t: f64) -> f64 {
        self.fastest * (self.h - t) + NEAR * self.size
    }

    /// μ from a given time on.
    fn approach(&self, now: &Touch) -> f64 {
        if !self.convex {
            return self.fastest;
        }
        let left = (now.time, self.h);
        let [of_a, of_b] = self.reaches;
        self.a.sweep.speed(now.normal, of_a, left) + self.b.sweep.speed(-now.normal, of_b, left)
    }

    /// Advances from a time at which they are apart to their touch.
    fn advance(&self, scratch: &mut Scratch, mut now: Touch) -> Option<Touch> {
        for _ in 0..ROUNDS {
            let bound = self.approach(&now);
            if bound <= 0.0 {
                return None;
            }
            let sure = now.time + now.gap / bound;
            let near = now.gap < NEAR * self.size;
            let guess =
                if near { now.time + now.gap / closing(self.a, self.b, &now).max(0.0) } else { self.h };
            let t = if guess < self.h { guess } else { sure };
            if t >= self.h {
                return None;
            }
            if t <= now.time {
                return Some(now);
            }
            let next = scratch.touch_at(self, t, self.most(t))?;
            if next.gap < -self.enough {
                return Some(scratch.between(self, now, next));
            }
            now = next;
            if now.gap <= self.enough {
                return Some(now);
            }
        }
        // spinning so fast that the gap is indistinguishable from a touch
        Some(now)
    }
}

/// The approach speed of two bodies at a point between them.
fn closing(a: &Moving, b: &Moving, now: &Touch) -> f64 {
    let velocity = |m: &Moving| m.sweep.velocity(m.sweep.at(now.time).pos, now.position);
    now.normal.dot(velocity(a) - velocity(b))
}

impl Scratch {
    fn touch_at(&mut self, pair: &Pair, t: f64, most: f64) -> Option<Touch> {
        let (x_a, x_b) = (pair.a.frame(t), pair.b.frame(t));
        let found = self.separation(pair.a.solid, pair.b.solid, &x_a.to(&x_b), most)?;
        let position = v3(x_a.point(0.5 * (found.witnesses[0] + found.witnesses[1])));
        let gap = found.gap + pair.depth;
        Some(Touch { time: t, gap, position, normal: v3(x_a.vector(found.normal)) })
    }

    /// The touch between a time with a gap and a time with an overlap, by the secant method, with bisection if it is slow.
    fn between(&mut self, pair: &Pair, mut apart: Touch, mut over: Touch) -> Touch {
        for round in 0..80 {
            let part = if round % 3 == 2 { 0.5 } else { apart.gap / (apart.gap - over.gap) };
            let t = apart.time + part * (over.time - apart.time);
            if t <= apart.time || t >= over.time {
                break;
            }
            match self.touch_at(pair, t, f64::INFINITY) {
                Some(now) if now.gap.abs() <= pair.enough => return now,
                Some(now) if now.gap > 0.0 => apart = now,
                Some(now) => over = now,
                None => break,
            }
        }
        apart
    }
}

/// An upper bound on the speed of any point within r of the body's origin.
fn fastest(sweep: &Sweep, r: f64) -> f64 {
    let (Path::Straight(m) | Path::Screw(m)) = sweep.path;
    match sweep.path {
        Path::Straight(_) => m.lin.norm() + m.ang.norm() * r,
        Path::Screw(_) => m.at(sweep.start.pos).lin.norm() + m.ang.norm() * r,
    }
}

fn checked(h: f64, sweeps: &[Sweep]) -> Result<(), CollideError> {
    if !(h >= 0.0 && h.is_finite()) {
        let (value, needed) = (h.to_string(), "give a finite time of 0 or more, in seconds");
        return Err(CollideError::Argument { what: "the time h", value, needed });
    }
    match sweeps.iter().position(|s| !s.is_finite()) {
        Some(k) => {
            let (value, needed) = (format!("not finite for body {k}"), "give finite poses and velocities");
            Err(CollideError::Argument { what: "a sweep", value, needed })
        }
        None => Ok(()),
    }
}

impl Scene {
    /// The first time within h at which two geoms touch whose bodies move along these sweeps, if any; `gap` ≤ 0 at time 0 if they overlap
    /// from the start. There is no limit on speeds.
    ///
    /// ```
    /// use poinsot_collide::{Scene, Sweep};
    /// use poinsot_core::{algebra::V3, model::*, spatial::{Motion, Pose}};
    /// let mut b = ModelBuilder::new("a fast ball and a thin plate");
    /// let plate = b.geom(BodyId::WORLD, Geom::new(Shape::Box { size: V3::new(1.0, 1.0, 0.001) }));
    /// let ball = Geom::new(Shape::Sphere { radius: 0.01 }).named("ball");
    /// let body = b.body(BodyId::WORLD, BodySpec::new("ball").solid_geom(ball, 1.0)?);
    /// b.joint(body, Joint::free());
    /// let model = b.build()?;
    /// let ball = model.geom("ball").unwrap();
    /// let fast = Sweep::new(Pose::translation(V3::Z), Motion { ang: V3::X * 100.0, lin: V3::Z * -5000.0 });
    /// let hit = Scene::new(&model)?.time_of_impact([ball, plate], [fast, Sweep::still(Pose::IDENTITY)], 1.0)?;
    /// assert!((hit.unwrap().time - (1.0 - 0.0105) / 5000.0).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn time_of_impact(
        &mut self,
        geoms: [GeomId; 2],
        sweeps: [Sweep; 2],
        h: f64,
    ) -> Result<Option<Impact>, CollideError> {
        checked(h, &sweeps)?;
        let [a, b] = geoms.map(|g| g.index());
        let (Some(first), Some(second)) = (&self.solids[a], &self.solids[b]) else { return Ok(None) };
        let a = Moving::new(first, self.geoms[a].local, sweeps[0]);
        let b = Moving::new(second, self.geoms[b].local, sweeps[1]);
        let found = first_touch(&mut self.scratch, &a, &b, h, 0.0);
        Ok(found.map(|t| t.of(geoms, false)))
    }

    /// The first touch of every pair of geoms that may touch, is more than `apart` metres apart at the start (nearer ones are contacts
    /// already), and touches within the time h while the bodies move along these sweeps (one for each body, the world's first); earliest
    /// first. Replaces the contents of `impacts`.
    pub fn impacts(
        &mut self,
        sweeps: &[Sweep],
        h: f64,
        apart: f64,
        impacts: &mut Vec<Impact>,
    ) -> Result<(), CollideError> {
        self.impacts_of(sweeps, h, apart, |_| Some(SweepRule::TO_TOUCH), impacts)
    }

    /// [`Scene::impacts`] for the selected pairs, each with its own rule.
    pub fn impacts_of(
        &mut self,
        sweeps: &[Sweep],
        h: f64,
        apart: f64,
        wanted: impl Fn([GeomId; 2]) -> Option<SweepRule>,
        impacts: &mut Vec<Impact>,
    ) -> Result<(), CollideError> {
        impacts.clear();
        checked(h, sweeps)?;
        let mut poses = std::mem::take(&mut self.sweep_poses);
        poses.clear();
        poses.extend(sweeps.iter().map(|s| s.at(0.0)));
        let placed = self.place(&poses);
        self.sweep_poses = poses;
        placed?;
        self.surround_sweeps(sweeps, h);
        self.update_swept_pairs()?;
        for k in 0..self.swept.pairs.len() {
            let pair = self.swept.pairs[k];
            if !self.is_near(&pair) {
                continue;
            }
            let [a, b] = pair.geoms.map(|g| g as usize);
            let (Some(first), Some(second)) = (&self.solids[a], &self.solids[b]) else { continue };
            let (g, o) = (&self.geoms[a], &self.geoms[b]);
            let Some(how) = wanted([g.id, o.id]) else { continue };
            let (of_a, of_b) = (sweeps[g.body.index()], sweeps[o.body.index()]);
            let (one, two) = (Moving::new(first, g.local, of_a), Moving::new(second, o.local, of_b));
            let found = follow(&mut self.scratch, [&one, &two], h, apart, how);
            impacts.extend(found.map(|(t, touching)| t.of([g.id, o.id], touching)));
        }
        impacts.sort_unstable_by(|a, b| a.time.total_cmp(&b.time).then(a.geoms.cmp(&b.geoms)));
        Ok(())
    }

    /// Computes boxes around the volumes that the geoms pass through.
    fn surround_sweeps(&mut self, sweeps: &[Sweep], h: f64) {
        for (k, solid) in self.solids.iter().enumerate() {
            let Some(solid) = solid else { continue };
            let (geom, sweep) = (&self.geoms[k], &sweeps[self.geoms[k].body.index()]);
            let here = solid.aabb(&self.frames[k]);
            if matches!(solid, Solid::Plane) {
                // a moving plane is grown by its displacement; a turning one may come anywhere
                let turns = sweep.ang() != V3::ZERO;
                self.grown[k] = if turns { f64::INFINITY } else { fastest(sweep, 0.0) * h };
                self.boxes[k] = here;
                continue;
            }
            let reach = geom.local.pos.length() + solid.reach();
            self.boxes[k] = match sweep.path {
                Path::Straight(m) if m.ang == V3::ZERO => {
                    let by = vec3(m.lin) * h;
                    let there = crate::math::Aabb { min: here.min + by, max: here.max + by };
                    here.joined(&there)
                }
                Path::Straight(m) => {
                    let from = vec3(sweep.start.pos);
                    let ball = crate::math::Aabb::of([from, from + vec3(m.lin) * h]).grown(reach);
                    // a small rotation moves no point farther than this
                    let turned = reach * m.ang.norm() * h;
                    let by: Vec3 = vec3(m.lin) * h;
                    let there = crate::math::Aabb { min: here.min + by, max: here.max + by };
                    if turned < reach { here.joined(&there).grown(turned) } else { ball }
                }
                Path::Screw(m) => {
                    let speed = m.at(sweep.start.pos).lin.norm() + sweep.ang().norm() * reach;
                    here.grown(speed * h)
                }
            };
        }
    }
}
