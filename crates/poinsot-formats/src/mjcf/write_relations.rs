//! Contacts, constraints, tendons, actuators, sensors and keyframes as MJCF.

use super::actuator::{is_other_law, is_other_word};
use super::write::{MjcfWriter, with_solver};
use crate::description::{Actuator, EqualityKind, Target, Tendon, TendonPath, Waypoint};
use crate::mocap::tied;
use crate::writer::{Tag, number, numbers, vector};
use poinsot_core::algebra::V3;
use poinsot_core::model::Material;
use poinsot_core::spatial::{Pose, Quat};

impl MjcfWriter<'_> {
    pub fn relations(&mut self) {
        self.section("custom", Self::custom);
        self.section("contact", Self::contacts);
        self.section("equality", Self::equalities);
        self.section("tendon", Self::tendons);
        self.section("actuator", Self::actuators);
        self.section("sensor", Self::sensors);
        self.section("keyframe", Self::keyframes);
    }

    /// What MJCF cannot express; only named geoms and equalities can have it.
    fn custom(&mut self) {
        for word in ["restitution", "stiffness", "damping"] {
            let elements = self.customs(word);
            if elements.is_empty() {
                continue;
            }
            self.w.open(Tag::new("tuple").text("name", &format!("poinsot:{word}")));
            for (kind, name, x) in elements {
                let tag = Tag::new("element").text("objtype", kind).text("objname", &name);
                self.w.leaf(tag.number("prm", x, f64::NAN));
            }
            self.w.close();
        }
    }

    /// Entries of one of our settings: the kind of element, its name, and the value.
    fn customs(&self, word: &str) -> Vec<(&'static str, String, f64)> {
        let of =
            |list: [(&str, Option<f64>); 3]| list.into_iter().find(|(w, _)| *w == word).and_then(|(_, x)| x);
        let d = self.d;
        let geoms = d.geoms().map(|(_, g)| ("geom", &g.geom.name, of(customs(&g.geom.material))));
        let joints = d.joints().zip(&self.names.joints).filter(|((_, j), _)| j.range.is_some());
        let joints = joints.map(|((_, j), name)| ("joint", name, of(yields(j.soft_limit))));
        // those to mocap bodies follow from `solref`
        let ties = d.equalities.iter().filter(|e| tied(d, e).is_none());
        let ties =
            ties.map(|e| ("equality", &e.name, of(yields(e.softness.map(|s| (s.stiffness, s.damping))))));
        let all = geoms.chain(joints).chain(ties).filter(|(_, name, _)| !name.is_empty());
        all.filter_map(|(kind, name, x)| Some((kind, name.clone(), x?))).collect()
    }

    fn section(&mut self, name: &str, content: fn(&mut Self)) {
        let d = self.d;
        let empty = match name {
            "custom" => {
                ["restitution", "stiffness", "damping"].iter().all(|word| self.customs(word).is_empty())
            }
            "contact" => d.pairs.is_empty() && d.excludes.is_empty(),
            "equality" => d.equalities.is_empty(),
            "tendon" => d.tendons.is_empty(),
            "actuator" => d.actuators.is_empty(),
            "sensor" => d.sensors.is_empty(),
            _ => d.keyframes.is_empty(),
        };
        if !empty {
            self.w.open(Tag::new(name));
            content(self);
            self.w.close();
        }
    }

    fn contacts(&mut self) {
        for p in &self.d.pairs {
            let tag = Tag::new("pair").text("name", &p.name).with("geom1", &p.geom1).with("geom2", &p.geom2);
            let tag = tag
                .unless(None, p.condim, "condim", |n| n.map_or(String::new(), |n| n.to_string()))
                .unless(None, p.friction, "friction", |f| f.map_or(String::new(), |f| numbers(&f)))
                .unless(None, p.margin, "margin", |x| x.map_or(String::new(), number))
                .unless(None, p.gap, "gap", |x| x.map_or(String::new(), number));
            self.w.leaf(match &p.solver {
                Some(solver) => with_solver(tag, solver, ["solref", "solimp"]),
                None => tag,
            });
        }
        for e in &self.d.excludes {
            let tag = Tag::new("exclude").text("name", &e.name);
            let body = |k: usize| &self.names.bodies[k];
            self.w.leaf(tag.with("body1", body(e.body1)).with("body2", body(e.body2)));
        }
    }

    fn equalities(&mut self) {
        for e in &self.d.equalities {
            let (bodies, joints, tendons) = (&self.names.bodies, &self.names.joints, &self.names.tendons);
            let pair =
                |word: &str, attribute: &str, first: &str, second: Option<&str>, polynomial: &[f64]| {
                    let tag = Tag::new(word).with(&format!("{attribute}1"), first);
                    let tag = tag.text(&format!("{attribute}2"), second.unwrap_or_default());
                    tag.with("polycoef", numbers(polynomial))
                };
            let tag = match &e.kind {
                EqualityKind::Connect { body1, body2, anchor } => Tag::new("connect")
                    .with("body1", &bodies[*body1])
                    .with("body2", &bodies[*body2])
                    .with("anchor", vector(*anchor)),
                EqualityKind::Sites { sites: [one, two], weld, torque_scale } => {
                    let site = |(body, pose): &(usize, Pose)| self.site_at(*body, *pose).unwrap_or_default();
                    let tag = Tag::new(if *weld { "weld" } else { "connect" });
                    let tag = tag.with("site1", site(one)).with("site2", site(two));
                    tag.number("torquescale", *torque_scale, 1.0)
                }
                EqualityKind::Weld { body1, body2, anchor, relative, torque_scale } => {
                    let tag = Tag::new("weld").with("body1", &bodies[*body1]).with("body2", &bodies[*body2]);
                    let tag = tag.unless(V3::ZERO, *anchor, "anchor", |v| vector(*v));
                    let tag = tag.number("torquescale", *torque_scale, 1.0);
                    match relative {
                        Some(Pose { rot, pos }) => {
                            let seven = [&pos.array()[..], &Quat::from_matrix(*rot).array()].concat();
                            tag.with("relpose", numbers(&seven))
                        }
                        None => tag,
                    }
                }
                EqualityKind::Joint { joint1, joint2, coefficients } => {
                    let second = joint2.map(|k| joints[k].as_str());
                    pair("joint", "joint", &joints[*joint1], second, coefficients)
                }
                EqualityKind::Tendon { tendon1, tendon2, coefficients } => {
                    let second = tendon2.map(|k| tendons[k].as_str());
                    pair("tendon", "tendon", &tendons[*tendon1], second, coefficients)
                }
                EqualityKind::Other(word) => {
                    self.losses.add("constraints of this kind are not written", word);
                    continue;
                }
            };
            let tag = tag.text("name", &e.name).unless(true, e.active, "active", bool::to_string);
            self.w.leaf(with_solver(tag, &e.solver, ["solref", "solimp"]));
        }
    }

    fn tendons(&mut self) {
        for (k, t) in self.d.tendons.iter().enumerate() {
            let word = if matches!(t.path, TendonPath::Fixed(_)) { "fixed" } else { "spatial" };
            self.w.open(tendon_tag(t, word).with("name", &self.names.tendons[k]));
            match &t.path {
                TendonPath::Fixed(terms) => {
                    for (joint, coefficient) in terms {
                        let tag = Tag::new("joint").with("joint", &self.names.joints[*joint]);
                        self.w.leaf(tag.with("coef", number(*coefficient)));
                    }
                }
                TendonPath::Spatial(points) => points.iter().for_each(|p| self.w.leaf(waypoint(p))),
            }
            self.w.close();
        }
    }

    /// The name of a site at a pose of a body; creates one if there is none.
    fn site_at(&self, body: usize, pose: Pose) -> Option<String> {
        let given = self.d.bodies[body].sites.iter().find(|s| s.pose == pose && !s.name.is_empty());
        let made = || self.sites.get(&body)?.iter().find(|(_, p)| *p == pose).map(|(name, _)| name.clone());
        given.map(|s| s.name.clone()).or_else(made)
    }

    /// Adds sites for actuators and constraints that refer to unnamed poses; they are written with their bodies.
    pub fn place_sites(&mut self) {
        let d = self.d;
        for (k, a) in d.actuators.iter().enumerate() {
            if let Target::Site { body, pose, reference } = &a.target {
                let ends = [Some((*body, *pose)), *reference];
                self.name_sites(&format!("actuator{k}"), ends.into_iter().flatten());
            }
        }
        for (k, e) in d.equalities.iter().enumerate() {
            if let EqualityKind::Sites { sites, .. } = e.kind {
                self.name_sites(&format!("equality{k}"), sites.into_iter());
            }
        }
    }

    fn name_sites(&mut self, whose: &str, ends: impl Iterator<Item = (usize, Pose)>) {
        for (end, (body, pose)) in ends.enumerate() {
            if self.site_at(body, pose).is_none() {
                self.sites.entry(body).or_default().push((format!("{whose}_site{end}"), pose));
            }
        }
    }

    fn actuators(&mut self) {
        for (k, a) in self.d.actuators.iter().enumerate() {
            if [&a.dynamics, &a.gain, &a.bias].iter().any(|word| is_other_law(word)) || is_other_word(&a.word)
            {
                let what = "the law of these actuators is not carried: they are written as <general>";
                self.losses.add(what, &self.names.actuators[k]);
            }
            let tag = Tag::new("general").with("name", &self.names.actuators[k]);
            let tag = match &a.target {
                Target::Joint { joint, in_parent } => {
                    let word = if *in_parent { "jointinparent" } else { "joint" };
                    tag.with(word, &self.names.joints[*joint])
                }
                Target::Tendon(t) => tag.with("tendon", &self.names.tendons[*t]),
                Target::Site { body, pose, reference } => {
                    let tag = tag.with("site", self.site_at(*body, *pose).unwrap_or_default());
                    let other = reference.and_then(|(body, pose)| self.site_at(body, pose));
                    tag.text("refsite", other.as_deref().unwrap_or_default())
                }
                Target::SliderCrank { crank, slider, length } => tag
                    .with("cranksite", crank)
                    .with("slidersite", slider)
                    .with("cranklength", number(*length)),
                Target::Body(body) => tag.with("body", &self.names.bodies[*body]),
            };
            self.w.leaf(with_drive(tag, a));
        }
    }

    fn sensors(&mut self) {
        for s in &self.d.sensors {
            let tag = Tag::new(&s.word).text("name", &s.name);
            let tag = s.names.iter().fold(tag, |tag, (attribute, name)| tag.with(attribute, name));
            self.w.leaf(tag.number("cutoff", s.cutoff, 0.0).number("noise", s.noise, 0.0));
        }
    }

    fn keyframes(&mut self) {
        for key in &self.d.keyframes {
            let tag = Tag::new("key").text("name", &key.name).number("time", key.time, 0.0);
            let tag = tag.list("qpos", &key.qpos, &[]).list("qvel", &key.qvel, &[]);
            self.w.leaf(tag.list("act", &key.act, &[]).list("ctrl", &key.ctrl, &[]));
        }
    }
}

fn tendon_tag(t: &Tendon, word: &str) -> Tag {
    let pair = |range: &Option<(f64, f64)>| range.map_or(String::new(), |(a, b)| numbers(&[a, b]));
    let tag = Tag::new(word)
        .unless(None, t.range, "range", pair)
        .unless(None, t.spring_length, "springlength", pair)
        .number("stiffness", t.stiffness, 0.0)
        .number("damping", t.damping, 0.0)
        .number("armature", t.armature, 0.0)
        .number("frictionloss", t.friction_loss, 0.0)
        .number("margin", t.margin, 0.0);
    let tag = with_solver(tag, &t.solver_limit, ["solreflimit", "solimplimit"]);
    if word == "fixed" {
        return tag;
    }
    tag.number("width", t.width, 0.003).list("rgba", &t.rgba, &[0.5, 0.5, 0.5, 1.0])
}

fn waypoint(point: &Waypoint) -> Tag {
    match point {
        Waypoint::Site(name) => Tag::new("site").with("site", name),
        Waypoint::Geom { geom, side } => {
            Tag::new("geom").with("geom", geom).text("sidesite", side.as_deref().unwrap_or_default())
        }
        Waypoint::Pulley { divisor } => Tag::new("pulley").with("divisor", number(*divisor)),
    }
}

/// Gear, ranges, dynamics, gain and bias.
fn with_drive(tag: Tag, a: &Actuator) -> Tag {
    let pair = |range: &Option<(f64, f64)>| range.map_or(String::new(), |(a, b)| numbers(&[a, b]));
    tag.list("gear", &a.gear, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        .unless(None, a.control_range, "ctrlrange", pair)
        .unless(None, a.force_range, "forcerange", pair)
        .unless(None, a.activation_range, "actrange", pair)
        .text("dyntype", &a.dynamics)
        .list("dynprm", &a.dynamics_parameters, &[])
        .text("gaintype", &a.gain)
        .list("gainprm", &a.gain_parameters, &[])
        .text("biastype", &a.bias)
        .list("biasprm", &a.bias_parameters, &[])
}

/// Material properties that MJCF cannot express.
fn customs(m: &Material) -> [(&'static str, Option<f64>); 3] {
    let restitution = (m.restitution != 0.0).then_some(m.restitution);
    [("restitution", restitution), ("stiffness", m.stiffness), ("damping", m.damping)]
}

/// As above, for soft constraints and limits.
fn yields(softness: Option<(f64, f64)>) -> [(&'static str, Option<f64>); 3] {
    let [k, c] = [softness.map(|(k, _)| k), softness.map(|(_, c)| c)];
    [("restitution", None), ("stiffness", k), ("damping", c)]
}
