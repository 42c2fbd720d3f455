//! Geoms and sites: shapes with a pose, given by sizes or by two end points.

use super::Reader;
use super::attributes::Attributes;
use super::compiler::turn_z_to;
use super::walk::Context;
use crate::description::{Geom, Site, push_exact};
use crate::xml::{Attribute, ElementId};
use poinsot_core::algebra::V3;
use poinsot_core::model::{self, Filter, Material, Role, Shape, ShapeError, SolverParameters};
use poinsot_core::spatial::Pose;

const GEOM_TYPES: [&str; 9] =
    ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"];
const SITE_TYPES: [&str; 6] = ["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"];

/// Replaces a shape that could not be read; the error is in the report. It has a mass, so that no second error follows.
const NOTHING: Shape = Shape::Sphere { radius: 1.0 };

impl Reader<'_> {
    pub(super) fn read_geom(&mut self, id: ElementId, context: &Context) {
        let a = self.attributes(id, context.class);
        let word = a.word(self.report, "type", &GEOM_TYPES).unwrap_or("sphere");
        if word == "sdf" {
            self.unsupported(id, "signed distance fields (type=\"sdf\")");
            return;
        }
        let (shape, pose) = match a.get("mesh") {
            Some(mesh) if !matches!(word, "mesh" | "plane" | "hfield") => self.read_fitted(a, word, mesh),
            _ => self.read_shape(a, word, [0.0; 3]),
        };
        let mut rgba = Geom::GREY;
        let coloured = a.fill(self.report, "rgba", &mut rgba);
        let material = a.get("material").and_then(|m| self.named("material", &m.value, m.place));
        if let (Some(k), false) = (material, coloured) {
            rgba = self.d.materials[k].rgba;
        }
        let mut made =
            model::Geom::new(shape).named(self.name_in(a, context)).pose(context.frame * pose).rgba(rgba);
        (made.material, made.filter) = (self.read_contact(a), self.read_filter(a));
        made.role = if made.filter == Filter::NOTHING { Role::Visual } else { Role::Both };
        made.group = a.integer_or(self.report, "group", 0) as i32;
        let mass = a.number(self.report, "mass");
        let density = a.number_or(self.report, "density", 1000.0);
        for (name, value) in [("mass", mass.unwrap_or(0.0)), ("density", density)] {
            if value < 0.0 {
                let message = format!("`{name}` is negative: {value}");
                self.report.error("mjcf::bad-number", message).place = a.get(name).map(|x| x.place);
            }
        }
        let geom = Geom {
            geom: made,
            mass,
            density,
            fluid_ellipsoid: a.text("fluidshape") == Some("ellipsoid"),
            shell: a.flag_or(self.report, "shellinertia", false),
            material,
            place: a.place(),
        };
        if a.text("fluidshape") == Some("ellipsoid") {
            let message = "ellipsoids in a medium (fluidshape) are read; the medium acts on the body's inertia box instead";
            self.unsimulated("fluidshape", message, id);
        }
        self.geom_count += 1;
        self.add_name("geom", &geom.geom.name, self.geom_count - 1, geom.place);
        push_exact(&mut self.d.bodies[context.body].geoms, geom);
    }

    fn read_contact(&mut self, a: Attributes) -> Material {
        let mut m = Material::default();
        m.condim = self.read_condim(a).unwrap_or(m.condim);
        m.priority = a.integer_or(self.report, "priority", 0).clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        a.fill(self.report, "friction", &mut m.friction);
        self.refuse_negative(a, "friction", &m.friction);
        m.mix = a.number_or(self.report, "solmix", m.mix);
        m.margin = a.number_or(self.report, "margin", m.margin);
        m.gap = a.number_or(self.report, "gap", m.gap);
        m.solver = self.read_solver(a, "solref", "solimp");
        m
    }

    /// Refuses negative coefficients of friction, which would add energy.
    pub(super) fn refuse_negative(&mut self, a: Attributes, name: &'static str, numbers: &[f64]) {
        if let Some(value) = numbers.iter().find(|x| !(**x >= 0.0 && x.is_finite())) {
            let message = format!("`{name}` has {value}: friction takes energy away");
            let error = self.report.error("mjcf::bad-number", message).help("give numbers of 0 or more");
            error.place = a.get(name).map(|x| x.place);
        }
    }

    /// `condim`, if it is given.
    pub(super) fn read_condim(&mut self, a: Attributes) -> Option<u8> {
        let given = a.get("condim")?;
        let condim = a.integer_or(self.report, "condim", 3);
        if matches!(condim, 1 | 3 | 4 | 6) {
            return Some(condim as u8);
        }
        let message = format!("`condim` is {condim}: a contact acts in 1, 3, 4 or 6 directions");
        self.report.error("mjcf::bad-number", message).at(given.place);
        None
    }

    /// Masks of 32 bits, as whole numbers with or without a sign.
    fn read_filter(&mut self, a: Attributes) -> Filter {
        let [contype, conaffinity] = ["contype", "conaffinity"].map(|name| {
            let value = a.integer_or(self.report, name, 1);
            if !(i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&value) {
                let message = format!("`{name}` is {value}, which is not a mask of 32 bits");
                self.report.error("mjcf::bad-number", message).place = a.get(name).map(|x| x.place);
            }
            value as u32
        });
        Filter { contype, conaffinity }
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

    pub(super) fn read_site(&mut self, id: ElementId, context: &Context) {
        let a = self.attributes(id, context.class);
        let word = a.word(self.report, "type", &SITE_TYPES).unwrap_or("sphere");
        let (shape, pose) = self.read_shape(a, word, [0.005; 3]);
        let mut rgba = Geom::GREY;
        a.fill(self.report, "rgba", &mut rgba);
        let material = a.get("material").and_then(|m| self.named("material", &m.value, m.place));
        let site = Site {
            name: self.name_in(a, context),
            shape,
            pose: context.frame * pose,
            group: a.integer_or(self.report, "group", 0) as i32,
            rgba,
            material,
            place: a.place(),
        };
        self.site_bodies.push((context.body, self.d.bodies[context.body].sites.len()));
        self.add_name("site", &site.name, self.site_bodies.len() - 1, site.place);
        push_exact(&mut self.d.bodies[context.body].sites, site);
    }

    /// A simple shape that names a mesh is fitted to it.
    fn read_fitted(&mut self, a: Attributes, word: &str, mesh: &Attribute) -> (Shape, Pose) {
        let pose = self.read_pose(a);
        if self.compiler.fit_aabb {
            let message = "shapes fitted to the bounding box of a mesh (fitaabb) are not supported";
            self.report.error("mjcf::not-supported", message).at(mesh.place);
        }
        let scale = a.number_or(self.report, "fitscale", 1.0);
        match self.named("mesh", &mesh.value, mesh.place) {
            Some(number) => {
                let (shape, own) = self.fit(word, number, scale);
                (shape, pose * own)
            }
            None => (NOTHING, pose),
        }
    }

    /// Shape and pose.
    fn read_shape(&mut self, a: Attributes, word: &str, size: [f64; 3]) -> (Shape, Pose) {
        let mut size = size;
        a.fill(self.report, "size", &mut size);
        let mut pose = self.read_pose(a);
        let long = matches!(word, "capsule" | "cylinder" | "box" | "ellipsoid");
        if let (false, Some(fromto)) = (long, a.own.get("fromto")) {
            let message = format!("`fromto` of a {word} has no effect");
            self.report.warning("mjcf::no-effect", message).at(fromto.place);
        }
        if let (true, Some(pos), true) = (long, a.own.get("pos"), a.own.get("fromto").is_some()) {
            self.report
                .warning("mjcf::no-effect", "`pos` has no effect together with `fromto`")
                .at(pos.place);
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
        let mut asset = |kind: &'static str| {
            let name = a.required(self.report, kind)?;
            self.named(kind, &name.value, name.place)
        };
        let [x, y, z] = size;
        let shape = match word {
            // its size needs no further report
            "plane" | "capsule" | "cylinder" | "ellipsoid" | "box" | "sphere"
                if a.is_unreadable("size") || long && a.is_unreadable("fromto") =>
            {
                NOTHING
            }
            // infinite where no width is given
            "plane" => Shape::Plane { x: 2.0 * x.max(0.0), y: 2.0 * y.max(0.0) },
            "capsule" => Shape::Capsule { radius: x, length: 2.0 * y },
            "cylinder" => Shape::Cylinder { radius: x, length: 2.0 * y },
            "ellipsoid" => Shape::Ellipsoid { radii: V3::new(x, y, z) },
            "box" => Shape::Box { size: V3::new(x, y, z) * 2.0 },
            "mesh" => asset("mesh").map_or(NOTHING, |k| Shape::Hull(self.d.meshes[k].clone())),
            "hfield" => {
                asset("hfield").map_or(NOTHING, |k| Shape::HeightField(self.d.height_fields[k].clone()))
            }
            _ => Shape::Sphere { radius: x },
        };
        let sized = !matches!(shape, Shape::Plane { .. } | Shape::Hull(_) | Shape::HeightField(_));
        match shape.check().err().filter(|_| sized) {
            Some(why) => {
                self.refuse_size(a, long, word, &why);
                (NOTHING, pose)
            }
            None => (shape, pose),
        }
    }

    /// Refuses a shape without a volume, as MuJoCo does.
    fn refuse_size(&mut self, a: Attributes, long: bool, word: &str, why: &ShapeError) {
        let between_ends =
            matches!(why, ShapeError::BadLength { what: "length" | "z size" | "z radius", .. });
        let ends = a.own.get("fromto").filter(|_| long && between_ends);
        let place = ends.or(a.get("size")).map_or(a.place(), |x| x.place);
        let error = self.report.error("mjcf::bad-size", format!("{word}: {why}")).at(place);
        error.help("`size` has radii and halves of lengths and edges, all above 0");
    }

    /// Position and orientation.
    pub(super) fn read_pose(&mut self, a: Attributes) -> Pose {
        let pos = a.vector(self.report, "pos").unwrap_or(V3::ZERO);
        Pose { rot: self.compiler.rotation(self.report, a), pos }
    }
}
