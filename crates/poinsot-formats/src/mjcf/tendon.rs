//! `<tendon>`: fixed and spatial.

use super::Reader;
use super::attributes::Attributes;
use crate::description::{Tendon, TendonPath, Waypoint};
use crate::xml::ElementId;

impl<'t> Reader<'t> {
    pub(super) fn read_tendons(&mut self) {
        for (id, tag) in self.section("tendon") {
            let path = match tag {
                "fixed" => self.read_fixed(id),
                "spatial" => {
                    self.unsimulated("spatial tendon", "spatial tendons are read, but not yet simulated", id);
                    self.read_spatial(id)
                }
                _ => continue,
            };
            self.read_tendon(id, path);
        }
    }

    fn read_tendon(&mut self, id: ElementId, path: TendonPath) {
        let a = self.attributes(id, 0);
        let given = a.list(self.report, "springlength").unwrap_or_default();
        let spring_length = match given[..] {
            // −1 means the length of the reference configuration
            [] | [-1.0] | [-1.0, -1.0] => None,
            [one] => Some((one, one)),
            [lower, upper, ..] => Some((lower, upper)),
        };
        let mut rgba = [0.5, 0.5, 0.5, 1.0];
        a.fill(self.report, "rgba", &mut rgba);
        let tendon = Tendon {
            name: a.name(),
            path,
            range: a.range(self.report, "range", "limited", self.compiler.autolimits),
            stiffness: self.linear(a, "stiffness"),
            damping: self.linear(a, "damping"),
            armature: a.number_or(self.report, "armature", 0.0),
            friction_loss: a.number_or(self.report, "frictionloss", 0.0),
            spring_length,
            margin: a.number_or(self.report, "margin", 0.0),
            solver_limit: self.read_solver(a, "solreflimit", "solimplimit"),
            soft_limit: None,
            width: a.number_or(self.report, "width", 0.003),
            rgba,
            place: a.place(),
        };
        if tendon.armature > 0.0 {
            let message = "inertia of tendons (armature) is read, but not simulated";
            self.report.warning("mjcf::not-simulated", message).at(tendon.place);
        }
        self.add_name("tendon", &tendon.name, self.d.tendons.len(), tendon.place);
        self.d.tendons.push(tendon);
    }

    fn read_fixed(&mut self, id: ElementId) -> TendonPath {
        let mut terms = Vec::new();
        for (_, element) in self.tree.children(id).filter(|(_, e)| e.tag == "joint") {
            let a = Attributes::new(self.tree, element, &[]);
            let joint = self.reference(a, "joint", "joint");
            let coefficient = a.number_or(self.report, "coef", 0.0);
            terms.extend(joint.map(|j| (j, coefficient)));
        }
        TendonPath::Fixed(terms)
    }

    fn read_spatial(&mut self, id: ElementId) -> TendonPath {
        let mut path = Vec::new();
        for (_, element) in self.tree.children(id) {
            let a = Attributes::new(self.tree, element, &[]);
            let text = |name| element.text(name).unwrap_or_default().to_string();
            path.push(match element.tag.as_str() {
                "site" => {
                    self.reference(a, "site", "site");
                    Waypoint::Site(text("site"))
                }
                "geom" => {
                    self.reference(a, "geom", "geom");
                    Waypoint::Geom { geom: text("geom"), side: element.text("sidesite").map(String::from) }
                }
                "pulley" => Waypoint::Pulley { divisor: a.number_or(self.report, "divisor", 1.0) },
                _ => continue,
            });
        }
        TendonPath::Spatial(path)
    }
}
