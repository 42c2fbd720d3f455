//! `<actuator>`: all shortcuts become the general form `gain(l, l̇) · (control or activation) + bias(l, l̇)`.

use super::Reader;
use super::attributes::Attributes;
use super::defaults::ACTUATOR;
use crate::description::{Actuator, Target, TendonPath};
use crate::xml::{Element, ElementId};
use std::f64::consts::PI;

/// Keywords whose law is not affine; they are read, but not simulated.
const OTHER_LAWS: [&str; 5] = ["muscle", "plugin", "orientation", "pid", "dcmotor"];

/// The law of an actuator as defaults and shortcuts build it up.
struct Law {
    /// The keyword that set it last.
    word: String,
    dynamics: String,
    dynprm: [f64; 10],
    gain: String,
    gainprm: [f64; 10],
    bias: String,
    biasprm: [f64; 10],
    damping_ratio: Option<f64>,
}

impl Law {
    fn new() -> Law {
        let one = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let word = String::from;
        Law {
            word: String::new(),
            dynamics: word("none"),
            dynprm: one,
            gain: word("fixed"),
            gainprm: one,
            bias: word("none"),
            biasprm: [0.0; 10],
            damping_ratio: None,
        }
    }
    fn set(&mut self, dynamics: &str, gain: &str, bias: &str) {
        (self.dynamics, self.gain, self.bias) = (dynamics.into(), gain.into(), bias.into());
    }
    /// A shortcut resets what another shortcut has set; what `<general>` has set stays.
    fn begin(&mut self, word: &str) {
        if ![word, "general", ""].contains(&self.word.as_str()) && word != "general" {
            *self = Law::new();
        }
        self.word = word.to_string();
    }
}

impl<'t> Reader<'t> {
    pub(super) fn read_actuators(&mut self) {
        for (id, tag) in self.section("actuator") {
            self.read_actuator(id, tag);
        }
    }

    fn read_actuator(&mut self, id: ElementId, tag: &'t str) {
        let element = &self.tree[id];
        let class = self.defaults.class_of(self.report, element, "class", 0);
        let chain = self.defaults.chain(class, ACTUATOR);
        let a = Attributes::new(self.tree, element, chain);
        let mut law = Law::new();
        // every layer, from the farthest default to the element itself, with its own keyword
        for layer in chain.iter().rev().map(|k| &self.tree[*k]).chain([element]) {
            self.apply(&mut law, layer);
        }
        let Some(target) = self.read_target(a) else { return };
        let mut gear = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        a.fill(self.report, "gear", &mut gear);
        let autolimits = self.compiler.autolimits;
        let always = matches!(tag, "damper" | "adhesion");
        let mut control_range = a.range(self.report, "ctrlrange", "ctrllimited", autolimits || always);
        let mut activation_range = a.range(self.report, "actrange", "actlimited", autolimits);
        if let Some(share) = a.number(self.report, "inheritrange").filter(|s| *s > 0.0) {
            // the length to reach must stay in the range of the joint
            let length = if tag == "intvelocity" { &mut activation_range } else { &mut control_range };
            *length = self.inherited_range(a, &target, share).or(*length);
        }
        if is_other_word(tag) || [&law.dynamics, &law.gain, &law.bias].iter().any(|w| is_other_law(w)) {
            self.unsimulated(
                "actuator",
                format!("actuators of the kind <{tag}> are read, but not simulated"),
                id,
            );
        } else if self.is_on_spatial_tendon(&target) {
            let message =
                "actuators on spatial tendons are read, but not yet simulated: their controls do nothing";
            self.unsimulated("actuator on a spatial tendon", message, id);
        }
        let actuator = Actuator {
            name: a.name(),
            word: tag.to_string(),
            target,
            gear,
            control_range,
            force_range: a.range(self.report, "forcerange", "forcelimited", autolimits),
            activation_range,
            dynamics: law.dynamics,
            dynamics_parameters: law.dynprm.to_vec(),
            gain: law.gain,
            gain_parameters: law.gainprm.to_vec(),
            bias: law.bias,
            bias_parameters: law.biasprm.to_vec(),
            damping_ratio: law.damping_ratio,
            place: a.place(),
        };
        if a.number_or(self.report, "armature", 0.0) > 0.0 || self.linear(a, "damping") > 0.0 {
            let message =
                "`armature` and `damping` of actuators are read, but not simulated; give them to the joint";
            self.report.warning("mjcf::not-simulated", message).at(a.place());
        }
        self.add_name("actuator", &actuator.name, self.d.actuators.len(), actuator.place);
        self.d.actuators.push(actuator);
    }

    fn is_on_spatial_tendon(&self, target: &Target) -> bool {
        matches!(target, Target::Tendon(k) if matches!(self.d.tendons[*k].path, TendonPath::Spatial(_)))
    }

    /// What one layer, a default or the element, sets in the law.
    fn apply(&mut self, law: &mut Law, element: &'t Element) {
        let a = Attributes::new(self.tree, element, &[]);
        let number = |report: &mut _, name| a.number(report, name);
        if let Some(kv) = a.get("kv").filter(|kv| kv.value.trim_start().starts_with('-')) {
            self.report.error("mjcf::bad-number", "`kv` is negative: it would feed energy in").at(kv.place);
        }
        let before = law.word.clone();
        law.begin(&element.tag);
        match element.tag.as_str() {
            "motor" => {
                *law = Law::new();
                law.word = "motor".into();
            }
            "position" | "intvelocity" => {
                let kp = number(self.report, "kp").unwrap_or(law.gainprm[0]);
                let kv = number(self.report, "kv").map(|kv| -kv).unwrap_or(law.biasprm[2]);
                (law.gainprm[0], law.biasprm[0], law.biasprm[1], law.biasprm[2]) = (kp, 0.0, -kp, kv);
                // explicit damping replaces a damping ratio
                let inherited = law.damping_ratio.filter(|_| a.get("kv").is_none());
                let ratio = number(self.report, "dampratio").or(Some(kv)).filter(|z| *z > 0.0);
                law.damping_ratio = ratio.or(inherited);
                self.follow(law, a, before == element.tag);
            }
            "velocity" => {
                let kv = number(self.report, "kv").unwrap_or(law.gainprm[0]);
                (law.gainprm[0], law.biasprm) = (kv, [0.0; 10]);
                law.biasprm[2] = -kv;
                law.set("none", "fixed", "affine");
            }
            "damper" => {
                let kv = number(self.report, "kv").map(|kv| -kv).unwrap_or(law.gainprm[2]);
                law.gainprm = [0.0; 10];
                law.gainprm[2] = kv;
                law.set("none", "affine", "none");
            }
            "cylinder" => {
                law.dynprm[0] = number(self.report, "timeconst").unwrap_or(law.dynprm[0]);
                law.gainprm[0] = number(self.report, "area").unwrap_or(law.gainprm[0]);
                if let Some(d) = number(self.report, "diameter").filter(|d| *d >= 0.0) {
                    law.gainprm[0] = PI / 4.0 * d * d;
                }
                a.fill(self.report, "bias", &mut law.biasprm[..3]);
                law.set("filter", "fixed", "affine");
            }
            "adhesion" => {
                law.gainprm[0] = number(self.report, "gain").unwrap_or(1.0);
                law.set("none", "fixed", "none");
            }
            "muscle" => law.set("muscle", "muscle", "muscle"),
            _ => self.apply_general(law, a),
        }
    }

    /// The activation dynamics of a servo: none, a filter, or integration.
    fn follow(&mut self, law: &mut Law, a: Attributes<'t>, again: bool) {
        let time_constant = a.number(self.report, "timeconst").filter(|t| *t > 0.0);
        let filtered = again && law.dynamics == "filterexact" && a.get("timeconst").is_none();
        law.set("none", "fixed", "affine");
        if a.own.tag == "intvelocity" {
            law.dynamics = "integrator".into();
        } else if filtered || time_constant.is_some() {
            law.dynamics = "filterexact".into();
        }
        law.dynprm[0] = time_constant.unwrap_or(if filtered { law.dynprm[0] } else { 1.0 });
    }

    fn apply_general(&mut self, law: &mut Law, a: Attributes<'t>) {
        let dynamics = ["none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "user"];
        let gains = ["fixed", "affine", "muscle", "dcmotor", "so3", "user"];
        let biases = ["none", "affine", "muscle", "dcmotor", "so3", "user"];
        let report = &mut *self.report;
        if let Some(word) = a.word(report, "dyntype", &dynamics) {
            law.dynamics = word.into();
        }
        if let Some(word) = a.word(report, "gaintype", &gains) {
            law.gain = word.into();
        }
        if let Some(word) = a.word(report, "biastype", &biases) {
            law.bias = word.into();
        }
        a.fill(report, "dynprm", &mut law.dynprm);
        a.fill(report, "gainprm", &mut law.gainprm);
        a.fill(report, "biasprm", &mut law.biasprm);
    }

    fn read_target(&mut self, a: Attributes<'t>) -> Option<Target> {
        let targets = ["joint", "jointinparent", "tendon", "site", "body", "cranksite"];
        let given: Vec<&str> = targets.into_iter().filter(|t| a.get(t).is_some()).collect();
        if given.len() > 1 {
            let message = format!("<{}> moves one thing, but names more: {}", a.own.tag, given.join(", "));
            self.report.error("mjcf::two-targets", message).at(a.place());
        }
        if a.get("joint").is_some() {
            return self
                .reference(a, "joint", "joint")
                .map(|joint| Target::Joint { joint, in_parent: false });
        }
        if a.get("jointinparent").is_some() {
            let joint = self.reference(a, "jointinparent", "joint");
            return joint.map(|joint| Target::Joint { joint, in_parent: true });
        }
        if a.get("tendon").is_some() {
            return self.reference(a, "tendon", "tendon").map(Target::Tendon);
        }
        if a.get("site").is_some() {
            let site = self.reference(a, "site", "site")?;
            let reference = match a.get("refsite") {
                Some(_) => Some(self.reference(a, "refsite", "site")?),
                None => None,
            };
            let (body, pose) = self.site(site);
            let reference = reference.map(|r| self.site(r));
            if reference.is_some() {
                let message = "actuators between a site and a reference site are read, but not simulated";
                self.unsimulated_at("actuator with refsite", message, a.place());
            }
            return Some(Target::Site { body, pose, reference });
        }
        if a.get("body").is_some() {
            self.unsimulated_at("adhesion", "adhesion is read, but not yet simulated", a.place());
            return self.reference(a, "body", "body").map(Target::Body);
        }
        if a.get("cranksite").is_some() {
            self.unsimulated_at(
                "slider-crank",
                "slider-crank actuators are read, but not simulated",
                a.place(),
            );
            self.reference(a, "cranksite", "site")?;
            self.reference(a, "slidersite", "site")?;
            let text = |name| a.text(name).unwrap_or_default().to_string();
            let length = a.number_or(self.report, "cranklength", 0.0);
            return Some(Target::SliderCrank {
                crank: text("cranksite"),
                slider: text("slidersite"),
                length,
            });
        }
        let message = format!("<{}> does not say what it moves", a.own.tag);
        let help = "give it a `joint`, `jointinparent`, `tendon`, `site`, `body`, or `cranksite`";
        self.report.error("mjcf::missing-attribute", message).at(a.place()).help(help);
        None
    }

    /// The body of a site and its pose there.
    pub(super) fn site(&self, number: usize) -> (usize, poinsot_core::spatial::Pose) {
        let (body, k) = self.site_bodies[number];
        (body, self.d.bodies[body].sites[k].pose)
    }

    /// `inheritrange`: the range of the joint or tendon, scaled about its middle.
    fn inherited_range(&mut self, a: Attributes<'t>, target: &Target, share: f64) -> Option<(f64, f64)> {
        let range = match target {
            Target::Joint { joint, .. } => {
                let (body, k) = self.joint_bodies[*joint];
                self.d.bodies[body].joints[k].range
            }
            Target::Tendon(k) => self.d.tendons[*k].range,
            _ => None,
        };
        let Some((lower, upper)) = range else {
            let message = "`inheritrange` needs a joint or tendon with a range";
            self.report.error("mjcf::bad-range", message).at(a.place());
            return None;
        };
        let (middle, half) = (0.5 * (lower + upper), 0.5 * share * (upper - lower));
        Some((middle - half, middle + half))
    }
}

/// True for an actuator keyword whose law is not affine.
pub(super) fn is_other_word(word: &str) -> bool {
    OTHER_LAWS.contains(&word)
}

/// True for a law that is not affine.
pub(super) fn is_other_law(word: &str) -> bool {
    matches!(word, "muscle" | "user" | "dcmotor" | "so3")
}
