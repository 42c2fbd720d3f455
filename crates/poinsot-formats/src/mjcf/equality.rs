//! `<equality>`: constraints between bodies, sites, joints and tendons.

use super::Reader;
use super::attributes::Attributes;
use crate::description::{Description, Equality, EqualityKind, JointType, TendonPath};
use crate::mocap::tied;
use crate::xml::ElementId;
use poinsot_core::algebra::V3;
use poinsot_core::spatial::{Pose, Quat};

impl<'t> Reader<'t> {
    pub(super) fn read_equality(&mut self, id: ElementId, tag: &'t str) {
        let class = self.defaults.class_of(self.report, &self.tree[id], "class", 0);
        let a = Attributes::new(self.tree, &self.tree[id], self.defaults.chain(class, "equality"));
        let kind = match tag {
            "connect" | "weld" if a.get("site1").is_some() => self.read_sites(a, tag == "weld"),
            "connect" => self.read_connect(a),
            "weld" => self.read_weld(a),
            "joint" => {
                self.read_coupling(a, ["joint1", "joint2"], "joint").map(|(joint1, joint2, coefficients)| {
                    self.check_coupled(a, [Some(joint1), joint2]);
                    EqualityKind::Joint { joint1, joint2, coefficients }
                })
            }
            "tendon" => self.read_coupling(a, ["tendon1", "tendon2"], "tendon").map(
                |(tendon1, tendon2, coefficients)| EqualityKind::Tendon { tendon1, tendon2, coefficients },
            ),
            other => Some(EqualityKind::Other(other.to_string())),
        };
        let Some(kind) = kind else { return };
        let equality = Equality {
            name: a.name(),
            kind,
            active: a.flag_or(self.report, "active", true),
            solver: self.read_solver(a, "solref", "solimp"),
            softness: None,
            place: a.place(),
        };
        self.report_unused(a, &equality);
        self.add_name("equality", &equality.name, self.d.equalities.len(), equality.place);
        self.d.equalities.push(equality);
    }

    fn read_connect(&mut self, a: Attributes<'t>) -> Option<EqualityKind> {
        let (body1, body2) = self.bodies(a)?;
        a.required(self.report, "anchor")?;
        let anchor = a.vector(self.report, "anchor")?;
        Some(EqualityKind::Connect { body1, body2, anchor })
    }

    fn read_weld(&mut self, a: Attributes<'t>) -> Option<EqualityKind> {
        let (body1, body2) = self.bodies(a)?;
        let [x, y, z, qw, qx, qy, qz] = a.exact(self.report, "relpose").unwrap_or_default();
        let quat = Quat { w: qw, x: qx, y: qy, z: qz };
        // a quaternion of 0 means the pose of the reference configuration
        let relative =
            (quat.norm() > 0.0).then(|| Pose { rot: quat.normalized().matrix(), pos: V3::new(x, y, z) });
        let anchor = a.vector(self.report, "anchor").unwrap_or(V3::ZERO);
        let torque_scale = a.number_or(self.report, "torquescale", 1.0);
        Some(EqualityKind::Weld { body1, body2, anchor, relative, torque_scale })
    }

    fn read_sites(&mut self, a: Attributes<'t>, weld: bool) -> Option<EqualityKind> {
        for other in ["body1", "body2", "anchor", "relpose"] {
            if let Some(given) = a.get(other) {
                let message = format!("`site1` and `{other}` exclude each other");
                self.report.error("mjcf::bad-equality", message).at(given.place).help("give sites or bodies");
            }
        }
        let pair = (self.reference(a, "site1", "site"), self.reference(a, "site2", "site"));
        let sites = [self.site(pair.0?), self.site(pair.1?)];
        let torque_scale = a.number_or(self.report, "torquescale", 1.0);
        Some(EqualityKind::Sites { sites, weld, torque_scale })
    }

    fn bodies(&mut self, a: Attributes<'t>) -> Option<(usize, usize)> {
        let body1 = self.reference(a, "body1", "body")?;
        let body2 = match a.get("body2") {
            Some(b) => self.named("body", &b.value, b.place)?,
            None => 0,
        };
        Some((body1, body2))
    }

    /// One or two joints or tendons, and the polynomial between them.
    fn read_coupling(
        &mut self,
        a: Attributes<'t>,
        [first, second]: [&'t str; 2],
        kind: &'static str,
    ) -> Option<(usize, Option<usize>, [f64; 5])> {
        let one = self.reference(a, first, kind);
        let two = match a.get(second) {
            Some(given) => Some(self.named(kind, &given.value, given.place)?),
            None => None,
        };
        if one.is_some() && one == two {
            let message = format!("a {kind} cannot be coupled to itself");
            self.report.error("mjcf::bad-equality", message).at(a.place()).help(format!("name two {kind}s"));
        }
        let mut coefficients = [0.0, 1.0, 0.0, 0.0, 0.0];
        a.fill(self.report, "polycoef", &mut coefficients);
        Some((one?, two, coefficients))
    }

    fn check_coupled(&mut self, a: Attributes<'t>, joints: [Option<usize>; 2]) {
        for joint in joints.into_iter().flatten() {
            let (body, k) = self.joint_bodies[joint];
            let joint = &self.d.bodies[body].joints[k];
            if !matches!(joint.kind, JointType::Hinge | JointType::Slide) {
                let message = format!("joint \"{}\" is neither a hinge nor a slide", joint.name);
                let help = "couple joints of one coordinate";
                self.report.error("mjcf::bad-equality", message).at(a.place()).help(help);
            }
        }
    }

    /// Counts settings that a rigid constraint does not use.
    fn report_unused(&mut self, a: Attributes<'t>, equality: &Equality) {
        let yields = tied(&self.d, equality).is_some();
        if let Some(given) = a.get("solref").or(a.get("solimp")).filter(|_| !yields) {
            let message = "equality constraints are taken as rigid: `solref` and `solimp` are read, but not used; \
                           constraints that yield are stated in the API, with a `Softness`";
            self.unsimulated_at("soft equality", message, given.place);
        }
        if let EqualityKind::Weld { torque_scale, .. } | EqualityKind::Sites { torque_scale, .. } =
            equality.kind
            && torque_scale != 1.0
        {
            let message = "`torquescale` is read, but not used: welds are rigid in all directions";
            self.unsimulated_at("torquescale", message, equality.place);
        }
    }
}

/// Why an equality is not a constraint of the model: a word for its kind, and the message.
pub(super) fn left_out(d: &Description, equality: &Equality) -> Option<(&'static str, &'static str)> {
    let spatial = |tendon: usize| matches!(d.tendons[tendon].path, TendonPath::Spatial(_));
    match equality.kind {
        _ if d.options.without_equalities() => Some((
            "equality switched off",
            "equality constraints are ignored: a flag of the file switches them off",
        )),
        _ if !equality.active => {
            Some(("inactive equality", "equality constraints that are not active are ignored"))
        }
        EqualityKind::Tendon { tendon1, tendon2, .. } if spatial(tendon1) || tendon2.is_some_and(spatial) => {
            Some((
                "equality of spatial tendons",
                "constraints of spatial tendons are read, but not yet simulated",
            ))
        }
        EqualityKind::Other(_) => {
            Some(("flexible equality", "constraints of flexible bodies are read, but not simulated"))
        }
        _ => None,
    }
}
