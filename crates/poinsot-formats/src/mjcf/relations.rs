//! What refers to bodies and joints: contact pairs and exclusions, sensors, keyframes.

use super::Reader;
use super::attributes::Attributes;
use crate::description::{ContactPair, Exclude, Keyframe, Sensor};
use crate::xml::ElementId;

impl<'t> Reader<'t> {
    pub(super) fn read_relations(&mut self) {
        for (id, tag) in self.section("contact") {
            match tag {
                "exclude" => self.read_exclude(id),
                "pair" => self.read_pair(id),
                _ => {}
            }
        }
        for (id, tag) in self.section("equality") {
            self.read_equality(id, tag);
        }
        for (id, tag) in self.section("sensor") {
            self.read_sensor(id, tag);
        }
        let sizes = crate::build::sizes(&self.d);
        for (id, _) in self.section("keyframe").into_iter().filter(|(_, tag)| *tag == "key") {
            self.read_key(id, sizes);
        }
        for (id, _) in self.section("deformable").into_iter().filter(|(_, tag)| *tag == "flex") {
            self.unsupported(id, "flexible bodies (<flex>)");
        }
    }

    fn read_exclude(&mut self, id: ElementId) {
        let a = self.attributes(id, 0);
        let pair = (self.reference(a, "body1", "body"), self.reference(a, "body2", "body"));
        if let (Some(body1), Some(body2)) = pair {
            self.d.excludes.push(Exclude { name: a.name(), body1, body2, place: a.place() });
        }
    }

    fn read_pair(&mut self, id: ElementId) {
        let a = self.attributes(id, 0);
        self.reference(a, "geom1", "geom");
        self.reference(a, "geom2", "geom");
        let mut friction = [1.0, 1.0, 0.005, 0.0001, 0.0001];
        let rubbed = a.fill(self.report, "friction", &mut friction);
        self.refuse_negative(a, "friction", &friction);
        let soft = a.get("solref").is_some() || a.get("solimp").is_some();
        let solver = self.read_solver(a, "solref", "solimp");
        let text = |name| a.text(name).unwrap_or_default().to_string();
        let pair = ContactPair {
            name: a.name(),
            geom1: text("geom1"),
            geom2: text("geom2"),
            condim: self.read_condim(a),
            friction: rubbed.then_some(friction),
            margin: a.number(self.report, "margin"),
            gap: a.number(self.report, "gap"),
            solver: soft.then_some(solver),
            place: a.place(),
        };
        self.d.pairs.push(pair);
    }

    fn read_sensor(&mut self, id: ElementId, tag: &'t str) {
        let a = Attributes::new(self.tree, &self.tree[id], &[]);
        let is_reference = |name: &str| !matches!(name, "name" | "cutoff" | "noise" | "user" | "interp");
        let names = a.own.attributes.iter().filter(|x| is_reference(&x.name));
        let names: Vec<(String, String)> = names.map(|x| (x.name.clone(), x.value.clone())).collect();
        for kind in ["site", "joint", "tendon", "actuator", "body", "geom"] {
            if a.get(kind).is_some() {
                self.reference(a, kind, kind);
            }
        }
        let sensor = Sensor {
            name: a.name(),
            word: tag.to_string(),
            names,
            cutoff: a.number_or(self.report, "cutoff", 0.0),
            noise: a.number_or(self.report, "noise", 0.0),
            place: a.place(),
        };
        self.d.sensors.push(sensor);
    }

    fn read_key(&mut self, id: ElementId, sizes: (usize, usize)) {
        let a = Attributes::new(self.tree, &self.tree[id], &[]);
        let list = |report: &mut _, name| a.list(report, name).unwrap_or_default();
        let key = Keyframe {
            name: a.name(),
            time: a.number_or(self.report, "time", 0.0),
            qpos: list(self.report, "qpos"),
            qvel: list(self.report, "qvel"),
            act: list(self.report, "act"),
            ctrl: list(self.report, "ctrl"),
            place: a.place(),
        };
        for (what, given, wanted) in [
            ("qpos", key.qpos.len(), sizes.0),
            ("qvel", key.qvel.len(), sizes.1),
            ("ctrl", key.ctrl.len(), self.d.actuators.len()),
        ] {
            if given != 0 && given != wanted {
                let message = format!("`{what}` has {given} numbers, but the model has {wanted}");
                self.report.error("mjcf::wrong-count", message).place = a.get(what).map(|x| x.place);
            }
        }
        let activations = self.d.actuators.iter().filter(|a| a.dynamics != "none").count();
        if !key.act.is_empty() && key.act.len() != activations {
            let given = key.act.len();
            let message = format!(
                "`act` has {given} numbers, but {activations} actuators have dynamics: it is not used"
            );
            self.report.warning("mjcf::wrong-count", message).place = a.get("act").map(|x| x.place);
        }
        self.d.keyframes.push(key);
    }
}
