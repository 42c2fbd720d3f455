//! Geoms and sites: shapes with a pose, given by sizes or by two end points.

use super::Reader;
use super::attributes::Attributes;
use super::compiler::turn_z_to;
use super::walk::Spot;
use crate::description::{ContactParameters, Form, Geom, Role, Site, SolverParameters, push_exact};
use crate::xml::{Attribute, ElementId};
use poinsot_core::algebra::V3;
use poinsot_core::spatial::Pose;

const GEOM_TYPES: [&str; 9] =
    ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"];
const SITE_TYPES: [&str; 6] = ["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"];

impl Reader<'_> {
    pub(super) fn read_geom(&mut self, id: ElementId, spot: &Spot) {
        let a = self.attributes(id, spot.class);
        let word = a.word(self.report, "type", &GEOM_TYPES).unwrap_or("sphere");
        if word == "sdf" {
            self.unsupported(id, "signed distance fields (type=\"sdf\")");
            return;
        }
        let (form, pose) = match a.get("mesh") {
            Some(mesh) if !matches!(word, "mesh" | "plane" | "hfield") => self.read_fitted(a, word, mesh),
            _ => self.read_form(a, word, [0.0; 3]),
        };
        let mut rgba = [0.5, 0.5, 0.5, 1.0];
        let coloured = a.fill(self.report, "rgba", &mut rgba);
        let material = a.get("material").and_then(|m| self.named("material", &m.value, m.place));
        if let (Some(k), false) = (material, coloured) {
            rgba = self.d.materials[k].rgba;
        }
        let contact = self.read_contact(a);
        let touches = contact.contype != 0 || contact.conaffinity != 0;
        let mass = a.number(self.report, "mass");
        let density = a.number_or(self.report, "density", 1000.0);
        for (name, value) in [("mass", mass.unwrap_or(0.0)), ("density", density)] {
            if value < 0.0 {
                let message = format!("`{name}` is negative: {value}");
                self.report.error("mjcf::bad-number", message).place = a.get(name).map(|x| x.place);
            }
        }
        let geom = Geom {
            name: self.name_in(a, spot),
            form,
            pose: spot.frame * pose,
            role: if touches { Role::Both } else { Role::Visual },
            mass,
            density,
            fluid_ellipsoid: a.text("fluidshape") == Some("ellipsoid"),
            shell: a.flag_or(self.report, "shellinertia", false),
            contact,
            group: a.integer_or(self.report, "group", 0) as i32,
            rgba,
            material,
            place: a.place(),
        };
        if a.text("fluidshape") == Some("ellipsoid") {
            let message = "ellipsoids in a medium (fluidshape) are read; the medium acts on the body's inertia box instead";
            self.unsimulated("fluidshape", message, id);
        }
        self.geom_count += 1;
        self.add_name("geom", &geom.name, self.geom_count - 1, geom.place);
        push_exact(&mut self.d.bodies[spot.body].geoms, geom);
    }

    fn read_contact(&mut self, a: Attributes) -> ContactParameters {
        let mut c = ContactParameters::default();
        c.contype = a.integer_or(self.report, "contype", c.contype);
        c.conaffinity = a.integer_or(self.report, "conaffinity", c.conaffinity);
        c.condim = a.integer_or(self.report, "condim", c.condim);
        c.priority = a.integer_or(self.report, "priority", c.priority);
        a.fill(self.report, "friction", &mut c.friction);
        c.solmix = a.number_or(self.report, "solmix", c.solmix);
        c.margin = a.number_or(self.report, "margin", c.margin);
        c.gap = a.number_or(self.report, "gap", c.gap);
        c.solver = self.read_solver(a, "solref", "solimp");
        c
    }

    pub(super) fn read_solver<'a>(
        &mut self,
        a: Attributes<'a>,
        reference: &'a str,
        impedance: &'a str,
    ) -> SolverParameters {
        let mut s = SolverParameters::default();
        a.fill(self.report, reference, &mut s.reference);
        a.fill(self.report, impedance, &mut s.impedance);
        s
    }

    pub(super) fn read_site(&mut self, id: ElementId, spot: &Spot) {
        let a = self.attributes(id, spot.class);
        let word = a.word(self.report, "type", &SITE_TYPES).unwrap_or("sphere");
        let (form, pose) = self.read_form(a, word, [0.005; 3]);
        let mut rgba = [0.5, 0.5, 0.5, 1.0];
        a.fill(self.report, "rgba", &mut rgba);
        let material = a.get("material").and_then(|m| self.named("material", &m.value, m.place));
        let site = Site {
            name: self.name_in(a, spot),
            form,
            pose: spot.frame * pose,
            group: a.integer_or(self.report, "group", 0) as i32,
            rgba,
            material,
            place: a.place(),
        };
        self.site_bodies.push((spot.body, self.d.bodies[spot.body].sites.len()));
        self.add_name("site", &site.name, self.site_bodies.len() - 1, site.place);
        push_exact(&mut self.d.bodies[spot.body].sites, site);
    }

    /// A simple shape that names a mesh is fitted to it.
    fn read_fitted(&mut self, a: Attributes, word: &str, mesh: &Attribute) -> (Form, Pose) {
        let pose = self.read_pose(a);
        if self.compiler.fit_aabb {
            let message = "shapes fitted to the bounding box of a mesh (fitaabb) are not supported";
            self.report.error("mjcf::not-supported", message).at(mesh.place);
        }
        let scale = a.number_or(self.report, "fitscale", 1.0);
        match self.named("mesh", &mesh.value, mesh.place) {
            Some(number) => {
                let (form, own) = self.fit(word, number, scale);
                (form, pose * own)
            }
            None => (Form::Sphere { radius: 0.0 }, pose),
        }
    }

    /// Shape and pose.
    fn read_form(&mut self, a: Attributes, word: &str, size: [f64; 3]) -> (Form, Pose) {
        let mut size = size;
        a.fill(self.report, "size", &mut size);
        let mut pose = self.read_pose(a);
        let long = matches!(word, "capsule" | "cylinder" | "box" | "ellipsoid");
        if let (false, Some(fromto)) = (long, a.own.get("fromto")) {
            let message = format!("`fromto` of a {word} has no effect");
            self.report.warning("mjcf::no-effect", message).at(fromto.place);
        }
        if let (true, Some(pos), true) = (long, a.own.get("pos"), a.own.get("fromto").is_some()) {
            self.report.warning("mjcf::no-effect", "`pos` has no effect beside `fromto`").at(pos.place);
        }
        if let (true, Some([x0, y0, z0, x1, y1, z1])) = (long, a.exact::<6>(self.report, "fromto")) {
            let (from, to) = (V3::new(x0, y0, z0), V3::new(x1, y1, z1));
            let span = from - to;
            pose = Pose { rot: span.unit().map_or(pose.rot, turn_z_to), pos: (from + to) * 0.5 };
            let half = 0.5 * span.norm();
            size = match word {
                "box" | "ellipsoid" => [size[0], size[0], half],
                _ => [size[0], half, 0.0],
            };
        }
        let mut asset = |kind: &'static str| match a.required(self.report, kind) {
            Some(name) => self.named(kind, &name.value, name.place).unwrap_or(usize::MAX),
            None => usize::MAX,
        };
        let [x, y, z] = size;
        let form = match word {
            "plane" => Form::Plane { x: 2.0 * x, y: 2.0 * y },
            "capsule" => Form::Capsule { radius: x, length: 2.0 * y },
            "cylinder" => Form::Cylinder { radius: x, length: 2.0 * y },
            "ellipsoid" => Form::Ellipsoid { radii: V3::new(x, y, z) },
            "box" => Form::Box { size: V3::new(x, y, z) * 2.0 },
            "mesh" => Form::Mesh { mesh: asset("mesh"), scale: V3::new(1.0, 1.0, 1.0) },
            "hfield" => Form::HeightField { field: asset("hfield") },
            _ => Form::Sphere { radius: x },
        };
        // the error is in the report; what follows needs a form that exists
        match form {
            Form::Mesh { mesh: usize::MAX, .. } | Form::HeightField { field: usize::MAX } => {
                (Form::Sphere { radius: 0.0 }, pose)
            }
            form => (form, pose),
        }
    }

    /// Position and orientation.
    pub(super) fn read_pose(&mut self, a: Attributes) -> Pose {
        let pos = a.vector(self.report, "pos").unwrap_or(V3::ZERO);
        Pose { rot: self.compiler.rotation(self.report, a), pos }
    }
}
