//! Contact in a simulation: what a user chooses, and the geoms of the model as a source of contacts.

use super::{Simulation, SimulationError};
use crate::algebra::V3;
use crate::constraint::{
    ContactKey, ContactPoint, ContactSettings, ContactSolver, ContactSource, Impacts, Maximal, Surface,
    Touched,
};
use crate::dynamics::{State, Workspace};
use crate::integrate::{Method, Stepping, System};
use crate::model::{BodyId, ContactPair, GeomId, Material, Model, Shape};
use crate::spatial::{Motion, Pose, log_so3};
use crate::tally::Touchings;
use poinsot_collide::{CollideError, Contacts, Feature, Impact, Scene, Sweep};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Metres: nearer than this geoms are not apart.
const APART: f64 = 1e-9;

/// Metres: geoms of one tree that overlap by more than this from the start never touch.
const OVERLAP: f64 = 1e-6;

/// How bodies that touch are kept apart.
///
/// ```
/// use poinsot::prelude::*;
/// let mut b = ModelBuilder::new("a ball falls on the floor");
/// b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
/// let rubber = Geom::new(Shape::Sphere { radius: 0.1 })
///     .material(Material { restitution: 0.5, ..Material::default() });
/// let ball = b.body(BodyId::WORLD, BodySpec::new("ball").at(V3::Z * 1.1).solid_geom(rubber, 1.0)?);
/// b.joint(ball, Joint::free());
/// let model = b.build()?;
/// let mut simulation = Simulation::builder(&model)
///     .integrator(Method::Leapfrog)
///     .contact("exact".parse::<Contact>()?)
///     .build()?;
/// simulation.run(1000, 1e-3)?;
/// let hit = simulation.events()[0].time;
/// assert!((hit - (2.0f64 / 9.81).sqrt()).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// What finds impulses, what rebounds, and whether bodies are followed on their way.
    pub settings: ContactSettings,
    /// All contacts yield as springs with dampers, taken at the end of the step; none: as their materials say.
    pub penalty: Option<Penalty>,
}

/// A contact as a spring with a damper. Without gains of its own it has, for bodies of masses m₁ and m₂,
/// `m = m₁ m₂/(m₁ + m₂)`, `k = m/T²` and `d = 2 m/T`: critically damped, whatever the masses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// k, N/m, and d, N s/m.
    pub gains: Option<[f64; 2]>,
    /// T, s.
    pub time_constant: f64,
}

impl Default for Penalty {
    fn default() -> Penalty {
        Penalty { gains: None, time_constant: 0.01 }
    }
}

impl FromStr for Contact {
    type Err = String;
    /// `exact`, `lcp`, `lcp:EDGES`, `pgs`; `impulse`: the exact solver, with collisions one after the other; `penalty`: springs and
    /// dampers. With `/discrete` at its end, bodies are not followed on their way.
    fn from_str(text: &str) -> Result<Contact, String> {
        let (word, detection) = text.split_once('/').unwrap_or((text, "swept"));
        let mut contact = Contact::default();
        contact.settings.swept = match detection {
            "swept" => true,
            "discrete" => false,
            other => return Err(format!("there is no detection \"{other}\"; give swept or discrete")),
        };
        match word {
            "impulse" => contact.settings.impacts = Impacts::Sequential,
            "penalty" => contact.penalty = Some(Penalty::default()),
            word => {
                contact.settings.solver = word.parse::<ContactSolver>().map_err(|_| {
                    let all = "exact, lcp, lcp:EDGES, pgs, impulse, penalty or none";
                    format!("there is no contact \"{word}\"; give {all}")
                })?;
            }
        }
        Ok(contact)
    }
}

impl fmt::Display for Contact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.penalty, self.settings.impacts, self.settings.solver) {
            (Some(_), ..) => f.write_str("penalty"),
            (None, Impacts::Sequential, ContactSolver::Exact) => f.write_str("impulse"),
            (None, _, solver) => solver.fmt(f),
        }?;
        if self.settings.swept { Ok(()) } else { f.write_str("/discrete") }
    }
}

impl Contact {
    /// What a model is simulated with if nobody says otherwise: the exact solver where geoms may touch and the method steps
    /// contacts, else nothing.
    pub fn usual(model: &Model, method: Method) -> Option<Contact> {
        (Contact::is_stepped_by(method) && poinsot_collide::some_may_touch(model)).then(Contact::default)
    }

    /// Why nothing ever touches in a model, if that is so.
    ///
    /// ```
    /// use poinsot::Contact;
    /// let text = r#"<mujoco><option><flag contact="disable"/></option><worldbody><geom type="plane" size="0 0 1"/>
    ///   <body><freejoint/><geom size="1"/></body></worldbody></mujoco>"#;
    /// let off = poinsot::formats::load_text("off.xml", text, &Default::default())?.model;
    /// assert!(Contact::nothing_touches(&off).is_some_and(|why| why.contains("switched off")));
    /// # Ok::<(), poinsot::formats::LoadError>(())
    /// ```
    pub fn nothing_touches(model: &Model) -> Option<&'static str> {
        if !model.has_contact() {
            return Some("contact is switched off in the model (MJCF: the flags `contact` and `constraint`)");
        }
        let none =
            "no two of its geoms may touch (contype, conaffinity, exclude; parents and children never do)";
        (!poinsot_collide::some_may_touch(model)).then_some(none)
    }

    /// True for the methods that step contacts.
    pub fn is_stepped_by(method: Method) -> bool {
        method.stepping().is_some()
    }

    /// The same for a motion from event to event, which has no springs, and loses nothing by small bounces.
    fn from_event_to_event(
        mut self,
        model: &Model,
        integrator: &'static str,
    ) -> Result<Contact, SimulationError> {
        let yields = model.geoms().iter().any(|geom| geom.material.stiffness.is_some());
        if self.penalty.is_some() || yields {
            return Err(SimulationError::YieldsBetweenEvents { integrator });
        }
        if self.settings.resting == ContactSettings::default().resting {
            self.settings.resting = ContactSettings::RESTING_BETWEEN_EVENTS;
        }
        Ok(self)
    }

    /// Lets the bodies of a system touch, which is that of the model or of its free bodies.
    pub(super) fn begin(
        self,
        model: &Model,
        q: &[f64],
        maximal: Option<&Maximal>,
        system: &mut System,
    ) -> Result<(), CollideError> {
        let mut finder = Finder::new(model, maximal)?;
        finder.penalty = self.penalty;
        finder.leave_out(model, q)?;
        system.touch(finder, self.settings);
        Ok(())
    }
}

impl Simulation<'_> {
    /// Lets bodies touch from now on.
    pub(super) fn touch(&mut self, contact: Contact) -> Result<(), SimulationError> {
        let Some(stepping) = self.method.and_then(Method::stepping) else {
            return Err(SimulationError::NotForContact { integrator: self.integrator.name() });
        };
        let contact = match stepping {
            Stepping::Time => contact,
            Stepping::Events => contact.from_event_to_event(&self.model, self.integrator.name())?,
        };
        let maximal = self.bodies.as_ref().map(|b| &*b.maximal);
        contact.begin(&self.model, &self.state.q, maximal, &mut self.system)?;
        self.contact = Some(contact);
        self.ask_under_contacts();
        self.begin_watch();
        Ok(())
    }
    /// How bodies that touch are kept apart; none: they pass through one another.
    pub fn contact(&self) -> Option<Contact> {
        self.contact
    }
    /// What contacts were like in all steps since energy and momentum are watched; none: bodies pass through one another.
    ///
    /// ```
    /// use poinsot::prelude::*;
    /// let mut b = ModelBuilder::new("a block on the floor");
    /// b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
    /// let cube = Geom::new(Shape::Box { size: V3::new(0.2, 0.2, 0.2) });
    /// let block = b.body(BodyId::WORLD, BodySpec::new("block").at(V3::Z * 0.1).solid_geom(cube, 1.0)?);
    /// b.joint(block, Joint::free());
    /// let model = b.build()?;
    /// let contact = Contact::default();
    /// let mut simulation = Simulation::builder(&model).integrator(Method::Leapfrog).contact(contact).build()?;
    /// simulation.run(100, 1e-3)?;
    /// let touched = simulation.touchings().unwrap();
    /// assert_eq!((touched.most, touched.collisions, touched.unsolved), (4, 0, 0));
    /// assert!(touched.residual < 1e-9 && touched.penetration < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn touchings(&self) -> Option<Touchings> {
        self.contact.map(|_| self.tally.touched())
    }
    /// The contacts of the last step, with their impulses. Bodies are those of the model.
    pub fn contacts(&self) -> &[Touched] {
        &self.system.report().contacts
    }
}

/// The geoms of a model as a source of contacts.
struct Finder {
    scene: Scene,
    found: Contacts,
    impacts: Vec<Impact>,
    materials: Vec<Material>,
    pairs: Vec<ContactPair>,
    /// All geoms, and the body of each.
    ids: Vec<GeomId>,
    bodies: Vec<BodyId>,
    /// For each body: the largest distance of its geoms from its origin.
    radii: Vec<f64>,
    /// For each geom: the least radius of curvature of its surface.
    radii_of_curvature: Vec<f64>,
    /// For each geom: half its least width; and the least of all.
    widths: Vec<f64>,
    thinnest: f64,
    /// In maximal coordinates, for each body of the model: the one that is stepped; and the other way round.
    stepped: Option<Vec<BodyId>>,
    poses: Vec<Pose>,
    sweeps: Vec<Sweep>,
    speeds: Vec<f64>,
    moved: Vec<V3>,
    penalty: Option<Penalty>,
    masses: Vec<f64>,
    /// Pairs that overlap from the start, sorted.
    left_out: Vec<[GeomId; 2]>,
}

impl Finder {
    fn new(model: &Model, maximal: Option<&Maximal>) -> Result<Finder, CollideError> {
        let scene = Scene::new(model)?;
        let mut radii = vec![0.0f64; model.bodies().len()];
        for id in model.geom_ids() {
            let own = &mut radii[model[id].body().index()];
            *own = own.max(scene.reach(id));
        }
        let widths: Vec<f64> = model.geom_ids().map(|id| scene.thinness(id)).collect();
        let stepped = maximal.map(|m| model.body_ids().map(|body| m.body(body)).collect());
        Ok(Finder {
            scene,
            found: Contacts::new(),
            impacts: Vec::new(),
            materials: model.geoms().iter().map(|g| g.material).collect(),
            pairs: model.contact_pairs().to_vec(),
            ids: model.geom_ids().collect(),
            bodies: model.geoms().iter().map(|g| g.body()).collect(),
            radii,
            radii_of_curvature: model.geoms().iter().map(|g| least_radius(&g.shape)).collect(),
            thinnest: widths.iter().fold(f64::INFINITY, |least, w| least.min(*w)),
            widths,
            stepped,
            poses: Vec::new(),
            sweeps: Vec::new(),
            speeds: Vec::new(),
            moved: Vec::new(),
            penalty: None,
            masses: masses(model),
            left_out: Vec::new(),
        })
    }

    /// Leaves out pairs of geoms of one tree that overlap at q: shapes of links that are drawn larger than they are.
    fn leave_out(&mut self, model: &Model, q: &[f64]) -> Result<(), CollideError> {
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
        for contact in &self.found {
            let [a, b] = contact.bodies;
            let same = a != BodyId::WORLD && b != BodyId::WORLD && root(a) == root(b);
            if same && contact.named_pair.is_none() && contact.gap < -OVERLAP {
                self.left_out.push(contact.key.geoms);
            }
        }
        self.left_out.dedup();
        Ok(())
    }

    /// The pose or motion of a body of the model among those that are stepped.
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
        ContactPoint {
            key: ContactKey { geoms: key.geoms, features: key.features.map(number), ordinal: key.ordinal },
            bodies,
            position: contact.position,
            normal: contact.normal,
            // MJCF: a contact with a margin pushes from there on
            gap: contact.gap - (margin - gap),
            surface: self.yielding(surface(a, b, pair), contact.bodies),
        }
    }

    /// The same surface as a spring with a damper, where all contacts are.
    fn yielding(&self, surface: Surface, bodies: [BodyId; 2]) -> Surface {
        let Some(penalty) = self.penalty else { return surface };
        let [a, b] = bodies.map(|body| self.masses[body.index()]);
        let m = if a.is_finite() && b.is_finite() { a * b / (a + b) } else { a.min(b) };
        let rule = || [m / penalty.time_constant.powi(2), 2.0 * m / penalty.time_constant];
        Surface { softness: Some(penalty.gains.unwrap_or_else(rule)), ..surface }
    }
}

/// The least radius of curvature of a surface; infinite for one of flat faces.
fn least_radius(shape: &Shape) -> f64 {
    match *shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } | Shape::Cylinder { radius, .. } => radius,
        Shape::Ellipsoid { radii: V3 { x, y, z } } => x.min(y).min(z).powi(2) / x.max(y).max(z),
        _ => f64::INFINITY,
    }
}

/// What two geoms may come nearer by and still be found on their right sides.
fn thickness(widths: &[f64], geoms: [GeomId; 2]) -> f64 {
    let [a, b] = geoms.map(|geom| widths[geom.index()]);
    if a.is_finite() && b.is_finite() { 0.5 * (a + b) } else { a.min(b) }
}

/// The mass that moves with each body; infinite for what is fixed to the world.
fn masses(model: &Model) -> Vec<f64> {
    let moves = |body: BodyId| {
        let mut body = body;
        while body != BodyId::WORLD {
            if model[body].joints.clone().any(|j| model.joints()[j].kind.nv() > 0) {
                return true;
            }
            body = model[body].parent;
        }
        false
    };
    let mass = |body| if moves(body) { model[body].inertia.mass.max(1e-9) } else { f64::INFINITY };
    model.body_ids().map(mass).collect()
}

/// What two materials make of a contact. As MJCF has it, the one of higher priority decides; of equal ones, the larger friction
/// and the larger number of directions; of restitutions the larger, too. Two of equal priority that yield are springs in series.
fn surface(a: &Material, b: &Material, pair: Option<&ContactPair>) -> Surface {
    let decided = a.priority.cmp(&b.priority);
    let pick = |x: f64, y: f64| match decided {
        Ordering::Greater => x,
        Ordering::Less => y,
        Ordering::Equal => x.max(y),
    };
    let yields = |x: Option<f64>, y: Option<f64>| match decided {
        Ordering::Greater => x,
        Ordering::Less => y,
        Ordering::Equal => series(x, y),
    };
    let [slide, twist, roll] = std::array::from_fn(|k| pick(a.friction[k], b.friction[k]));
    let condim = pick(f64::from(a.condim), f64::from(b.condim)) as u8;
    let friction = pair.and_then(|p| p.friction).unwrap_or([slide, slide, twist, roll, roll]);
    let condim = pair.and_then(|p| p.condim).unwrap_or(condim);
    let count = match condim {
        1 => 0,
        4 => 3,
        6 => 5,
        _ => 2,
    };
    let count = if friction[..count].iter().all(|mu| *mu == 0.0) { 0 } else { count };
    let stiffness = yields(a.stiffness, b.stiffness);
    let softness = stiffness.map(|k| [k, yields(a.damping, b.damping).unwrap_or(0.0)]);
    Surface { count, friction, restitution: pick(a.restitution, b.restitution), softness }
}

fn series(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if a + b > 0.0 { a * b / (a + b) } else { 0.0 }),
        (one, other) => one.or(other),
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
            let speed =
                if *radius > 0.0 { radius.mul_add(motion.ang.norm(), motion.lin.norm()) } else { 0.0 };
            self.speeds.push(reach * speed);
        }
        // what comes from further away in one step is swept
        let most = 2.0 * self.thinnest;
        let Finder { scene, found, left_out, bodies, stepped, poses, radii, widths, speeds, .. } = self;
        // links that fly together do not come nearer: what counts is how fast a point of one moves past the other
        let approach = |geoms: [GeomId; 2]| {
            let [a, b] = geoms.map(|g| bodies[g.index()].index());
            let [of_a, of_b] = [a, b].map(|body| Finder::of(stepped, motions, body));
            let (turning, between) = ((of_b.ang - of_a.ang).norm(), poses[b].pos - poses[a].pos);
            let at = |carrier: Motion| (of_b.lin - of_a.lin - carrier.ang.cross(between)).norm();
            // a plane has no end: there the other geom says how far its points may be
            let side = |geom: GeomId, body: usize, there: f64| {
                let bounded = widths[geom.index()].is_finite();
                if bounded { radii[body].mul_add(turning, there) } else { f64::INFINITY }
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
        Ok(())
    }

    fn first_touch(
        &mut self,
        from: &[Pose],
        to: &[Pose],
        h: f64,
        look: &dyn Fn([GeomId; 2]) -> Option<bool>,
    ) -> Result<Option<(f64, [GeomId; 2])>, String> {
        self.sweeps.clear();
        self.speeds.clear();
        self.moved.clear();
        for (body, radius) in self.radii.iter().enumerate() {
            let [from, to] = [from, to].map(|poses| Finder::of(&self.stepped, poses, body));
            self.sweeps.push(if from == to { Sweep::still(from) } else { Sweep::screw(from, to, h) });
            let turned = log_so3(to.rot * from.rot.transpose()).norm();
            self.speeds.push(radius * turned);
            self.moved.push(to.pos - from.pos);
        }
        let Finder { scene, sweeps, impacts, left_out, speeds, moved, bodies, widths, .. } = self;
        let wanted = |geoms: [GeomId; 2]| {
            let [a, b] = geoms.map(|g| bodies[g.index()].index());
            let nearer = speeds[a] + speeds[b] + (moved[a] - moved[b]).norm();
            left_out.binary_search(&geoms).is_err()
                && look(geoms).unwrap_or_else(|| nearer > thickness(widths, geoms))
        };
        scene.impacts_of(sweeps, h, APART, wanted, impacts).map_err(|e| e.to_string())?;
        Ok(impacts.first().map(|i| (i.time, i.geoms)))
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

    fn memory(&self, out: &mut Vec<f64>) {
        out.push(self.left_out.len() as f64);
        out.extend(self.left_out.iter().flatten().map(|g| g.index() as f64));
    }
    fn recall(&mut self, next: &mut dyn FnMut() -> f64) {
        // a damaged number must not ask for all memory
        let count = next().clamp(0.0, 1e7) as usize;
        self.left_out.clear();
        for _ in 0..count {
            let pair = [next(), next()].map(|k| self.ids.get(k as usize).copied());
            if let [Some(a), Some(b)] = pair {
                self.left_out.push([a, b]);
            }
        }
    }

    fn thickness(&self, geoms: [GeomId; 2]) -> f64 {
        thickness(&self.widths, geoms)
    }
    fn thinnest(&self) -> f64 {
        self.thinnest
    }
    fn roundness(&self, geoms: [GeomId; 2]) -> f64 {
        geoms.map(|geom| self.radii_of_curvature[geom.index()]).iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Springs in series, unless one surface decides.
    #[test]
    fn the_surface_of_higher_priority_decides_how_a_contact_yields() {
        let mat = Material { stiffness: Some(2e4), damping: Some(10.0), ..Material::default() };
        let rigid = Material::default();
        let first = |m: &Material| Material { priority: 1, ..*m };
        assert_eq!(surface(&mat, &mat, None).softness, Some([1e4, 5.0]));
        assert_eq!(surface(&mat, &rigid, None).softness, Some([2e4, 10.0]));
        assert_eq!(surface(&first(&mat), &mat, None).softness, Some([2e4, 10.0]));
        assert_eq!(surface(&mat, &first(&rigid), None).softness, None);
    }
}
