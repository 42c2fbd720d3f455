//! Contact filtering, as MJCF defines it (MuJoCo's documentation, "Computation", "Selection").
//!
//! Bodies without joints are welded to their parents: what holds for a body holds for all bodies welded to it.
//!
//! 0. If contact is switched off, nothing touches.
//! 1. A named pair may touch, whatever the other rules say.
//! 2. Two geoms of bodies that are welded together do not touch; so geoms of the world do not touch each other.
//! 3. A body and its parent do not touch, unless the parent is the world, or this rule is switched off.
//! 4. Two excluded bodies do not touch; this holds for these bodies only, not for those welded to them.
//! 5. The masks decide: `contype` of one must share a bit with `conaffinity` of the other.

use poinsot_core::model::{BodyId, GeomId, JointKind, Model, Role};

/// The rules above for one model, prepared for queries.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    geoms: Vec<Masks>,
    /// For each body: the topmost of those it is welded to, and the topmost for that one's parent.
    weld: Vec<[u32; 2]>,
    excludes: Vec<[u32; 2]>,
    parents_touch: bool,
    /// Named pairs, lower number first, with their index in the model.
    pub named: Vec<([u32; 2], u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Masks {
    body: u32,
    contype: u32,
    conaffinity: u32,
}

/// The result of the rules for a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    No,
    Yes,
    /// A named pair, with its index.
    Named(u32),
}

impl Rules {
    pub fn new(model: &Model) -> Rules {
        let moves = |k: usize| {
            model.bodies()[k].joints.clone().any(|j| !matches!(model.joints()[j].kind, JointKind::Fixed))
        };
        let mut top: Vec<u32> = Vec::with_capacity(model.bodies().len());
        for (k, body) in model.bodies().iter().enumerate() {
            top.push(if k == 0 || moves(k) { k as u32 } else { top[body.parent.index()] });
        }
        let parent = |t: u32| top[model.bodies()[t as usize].parent.index()];
        let weld = top.iter().map(|&t| [t, parent(t)]).collect();
        let geoms = model.geoms().iter().map(|g| {
            let off = g.role == Role::Visual || !model.has_contact();
            let mask = |m: u32| if off { 0 } else { m };
            Masks {
                body: g.body().index() as u32,
                contype: mask(g.filter.contype),
                conaffinity: mask(g.filter.conaffinity),
            }
        });
        let mut excludes: Vec<[u32; 2]> =
            model.contact_excludes().iter().map(|p| ordered(p.map(|b: BodyId| b.index() as u32))).collect();
        excludes.sort_unstable();
        let pairs = if model.has_contact() { model.contact_pairs() } else { &[] };
        let named = pairs.iter().enumerate();
        let mut named: Vec<_> =
            named.map(|(k, p)| (ordered(p.geoms.map(|g: GeomId| g.index() as u32)), k as u32)).collect();
        named.sort_unstable();
        let parents_touch = model.parents_touch();
        Rules { geoms: geoms.collect(), weld, excludes, parents_touch, named }
    }

    /// Applies the rules to two geoms, given by their numbers.
    pub fn verdict(&self, a: u32, b: u32) -> Verdict {
        if !self.named.is_empty() {
            let pair = ordered([a, b]);
            let at = self.named.partition_point(|n| n.0 < pair);
            if let Some((found, k)) = self.named.get(at)
                && *found == pair
            {
                return Verdict::Named(*k);
            }
        }
        let (g, h) = (self.geoms[a as usize], self.geoms[b as usize]);
        let masks = g.contype & h.conaffinity != 0 || h.contype & g.conaffinity != 0;
        if masks && self.bodies_may_touch(g.body, h.body) { Verdict::Yes } else { Verdict::No }
    }

    fn bodies_may_touch(&self, a: u32, b: u32) -> bool {
        let ([top_a, above_a], [top_b, above_b]) = (self.weld[a as usize], self.weld[b as usize]);
        let parent_and_child =
            !self.parents_touch && top_a != 0 && top_b != 0 && (top_a == above_b || top_b == above_a);
        top_a != top_b && !parent_and_child && self.excludes.binary_search(&ordered([a, b])).is_err()
    }

    /// True if a geom may touch anything at all.
    pub fn takes_part(&self, geom: u32) -> bool {
        let g = self.geoms[geom as usize];
        g.contype | g.conaffinity != 0 || self.named.iter().any(|(pair, _)| pair.contains(&geom))
    }

    /// True for geoms that no joint moves.
    pub fn is_static(&self, geom: u32) -> bool {
        self.weld[self.geoms[geom as usize].body as usize][0] == 0
    }
}

fn ordered([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Lists all pairs of geoms that may touch, in the order of their numbers, lower number first. As in MJCF, masks (`contype`,
/// `conaffinity`), named pairs, excluded bodies and the parent filter decide. The cost is quadratic in the number of geoms;
/// [`crate::Scene`] applies the same rules only to nearby pairs.
///
/// ```
/// use poinsot_collide::pairs_that_may_touch;
/// use poinsot_core::{algebra::V3, model::*};
/// let mut b = ModelBuilder::new("two links above a floor");
/// let floor = b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }));
/// let ball = Shape::Sphere { radius: 0.1 };
/// let upper = b.body(BodyId::WORLD, BodySpec::new("upper").at(V3::Z).solid_geom(Geom::new(ball.clone()).named("g"), 1.0)?);
/// b.joint(upper, Joint::revolute(V3::Y));
/// let lower = b.body(upper, BodySpec::new("lower").at(V3::X * 0.3).solid_geom(Geom::new(ball).named("h"), 1.0)?);
/// b.joint(lower, Joint::revolute(V3::Y));
/// let model = b.build()?;
/// let (g, h) = (model.geom("g").unwrap(), model.geom("h").unwrap());
/// // parent and child do not touch, but the world is a parent that does
/// assert_eq!(pairs_that_may_touch(&model), [[floor, g], [floor, h]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pairs_that_may_touch(model: &Model) -> Vec<[GeomId; 2]> {
    let rules = Rules::new(model);
    let ids: Vec<GeomId> = model.geom_ids().collect();
    let mut out = Vec::new();
    for (a, &first) in ids.iter().enumerate() {
        for (b, &second) in ids.iter().enumerate().skip(a + 1) {
            if rules.verdict(a as u32, b as u32) != Verdict::No {
                out.push([first, second]);
            }
        }
    }
    out
}

/// True if some geoms of the model may touch: [`pairs_that_may_touch`] is not empty.
pub fn some_may_touch(model: &Model) -> bool {
    any_pair(model, |_, _| true)
}

/// True if something that moves may touch something static: the world, or a body fixed to it.
pub fn some_may_touch_world(model: &Model) -> bool {
    any_pair(model, |a, b| a != b)
}

/// True if two geoms may touch for which `fits` holds; its arguments tell which of them are static.
fn any_pair(model: &Model, fits: impl Fn(bool, bool) -> bool) -> bool {
    let rules = Rules::new(model);
    let all = 0..model.geoms().len() as u32;
    let part: Vec<(u32, bool)> =
        all.filter(|g| rules.takes_part(*g)).map(|g| (g, rules.is_static(g))).collect();
    let touch = |a: &(u32, bool), b: &(u32, bool)| {
        !(a.1 && b.1) && fits(a.1, b.1) && rules.verdict(a.0, b.0) != Verdict::No
    };
    part.iter().enumerate().any(|(k, a)| part[k + 1..].iter().any(|b| touch(a, b)))
}
