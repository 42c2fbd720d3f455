//! A description as MJCF text.

use super::write_assets::Assets;
use crate::build::Names;
use crate::description::{Body, Description, Geom, Joint, JointType, Site};
use crate::diagnostic::Report;
use crate::writer::{Losses, Tag, Writer, number, numbers, vector};
use poinsot_core::algebra::V3;
use poinsot_core::model::{self, Filter, Material, Role, Shape, SolverParameters};
use poinsot_core::spatial::{Pose, Quat};
use std::collections::{HashMap, HashSet};

/// MuJoCo's least mass and moment of inertia.
const LEAST: f64 = 1e-15;

/// The description as MJCF, and what MJCF (or MuJoCo) cannot express. Files are named by their absolute paths.
///
/// ```
/// let urdf = r#"<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
///     <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
///     <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"#;
/// let loaded = poinsot_formats::load_text("r.urdf", urdf, &Default::default())?;
/// let (text, losses) = poinsot_formats::to_mjcf(&loaded.description);
/// assert!(text.contains(r#"<joint name="j" type="hinge" axis="1 0 0"/>"#));
/// assert!(losses.diagnostics().is_empty());
/// # Ok::<(), poinsot_formats::LoadError>(())
/// ```
pub fn to_mjcf(d: &Description) -> (String, Report) {
    let mut out = MjcfWriter {
        d,
        names: Names::new(d),
        assets: Assets::new(d),
        w: Writer::default(),
        losses: Losses::default(),
        geoms: HashSet::new(),
        sites: HashMap::new(),
    };
    out.w.open(Tag::new("mujoco").text("model", &d.name));
    out.w.leaf(
        Tag::new("compiler")
            .with("angle", "radian")
            .with("autolimits", "true")
            .with("inertiafromgeom", "false")
            .with("fusestatic", "false"),
    );
    out.options();
    out.write_assets();
    out.place_sites();
    out.bodies();
    out.relations();
    (out.w.finish(), out.losses.report())
}

pub(super) struct MjcfWriter<'d> {
    pub d: &'d Description,
    pub names: Names,
    pub assets: Assets,
    pub w: Writer,
    pub losses: Losses,
    /// Names of geoms that are taken.
    geoms: HashSet<&'d str>,
    /// Sites that actuators need and that have no name in the description, by body.
    pub sites: HashMap<usize, Vec<(String, Pose)>>,
}

/// `pos` and `quat`, where they differ from the identity.
pub(super) fn with_pose(tag: Tag, pose: Pose) -> Tag {
    let tag = tag.unless(V3::ZERO, pose.pos, "pos", |v| vector(*v));
    if pose.rot == Pose::IDENTITY.rot {
        return tag;
    }
    tag.with("quat", numbers(&Quat::from_matrix(pose.rot).array()))
}

/// `solref` and `solimp` under the names they have here.
pub(super) fn with_solver(tag: Tag, solver: &SolverParameters, names: [&str; 2]) -> Tag {
    let usual = SolverParameters::default();
    tag.list(names[0], &solver.reference, &usual.reference).list(
        names[1],
        &solver.impedance,
        &usual.impedance,
    )
}

impl<'d> MjcfWriter<'d> {
    fn options(&mut self) {
        let (o, usual) = (&self.d.options, crate::description::Options::default());
        let tag = Tag::new("option")
            .number("timestep", o.timestep, usual.timestep)
            .unless(usual.gravity, o.gravity, "gravity", |v| vector(*v))
            .text("integrator", &o.integrator)
            .number("density", o.density, 0.0)
            .number("viscosity", o.viscosity, 0.0)
            .unless(V3::ZERO, o.wind, "wind", |v| vector(*v))
            .number("o_margin", o.contact_margin.unwrap_or(0.0), 0.0);
        let tag = match o.contact_friction {
            Some(friction) => tag.text("o_friction", &numbers(&friction)),
            None => tag,
        };
        self.w.open(tag);
        if !o.disabled.is_empty() || o.contact_margin.is_some() {
            let flag = o.disabled.iter().fold(Tag::new("flag"), |tag, name| tag.with(name, "disable"));
            self.w.leaf(if o.contact_margin.is_some() { flag.with("override", "enable") } else { flag });
        }
        self.w.close();
    }

    /// The tree, depth first, without calling itself.
    fn bodies(&mut self) {
        let d = self.d;
        self.w.open(Tag::new("worldbody"));
        self.content(0);
        let mut first_joint = 0;
        // the bodies whose elements are open, from the world on
        let mut open = vec![0];
        for (k, body) in d.bodies.iter().enumerate().skip(1) {
            while open.len() > 1 && open.last() != Some(&body.parent) {
                open.pop();
                self.w.close();
            }
            let tag = with_pose(Tag::new("body").with("name", &self.names.bodies[k]), body.pose)
                .number("gravcomp", body.gravity_compensation, 0.0)
                .unless(false, body.mocap, "mocap", bool::to_string);
            self.w.open(tag);
            open.push(k);
            self.inertial(body, &self.names.bodies[k].clone());
            for joint in &body.joints {
                let name = self.names.joints[first_joint].clone();
                self.joint(joint, &name, body.parent != 0);
                first_joint += 1;
            }
            self.content(k);
        }
        for _ in open {
            self.w.close();
        }
    }

    /// Mass, centre of mass, and the full tensor about it.
    fn inertial(&mut self, body: &Body, name: &str) {
        let i = body.inertia;
        // the shift to the centre of mass leaves round-off in place of zeros
        let small = 1e-15 * i.rotational.trace().abs();
        let clean = i.about_com().array().map(|x| if x.abs() < small { 0.0 } else { x });
        let [xx, xy, xz, yy, yz, zz] = clean;
        let diagonal = [xy, xz, yz] == [0.0; 3];
        let positive = i.mass > LEAST && i.principal_moments()[0] > LEAST;
        if !positive && !body.joints.is_empty() {
            let what =
                "MuJoCo requires every moving body to have a mass and three moments of inertia above 0";
            self.losses.add(what, name);
        } else if i.check().is_err() || (!positive && !diagonal) {
            self.losses.add("MuJoCo refuses an inertia that no distribution of mass has", name);
        }
        if i.mass == 0.0 && clean == [0.0; 6] {
            return;
        }
        let tag = Tag::new("inertial").with("pos", vector(i.com())).with("mass", number(i.mass));
        self.w.leaf(if diagonal {
            tag.with("diaginertia", numbers(&[xx, yy, zz]))
        } else {
            tag.with("fullinertia", numbers(&[xx, yy, zz, xy, xz, yz]))
        });
    }

    fn joint(&mut self, joint: &Joint, name: &str, nested: bool) {
        let word = match joint.kind {
            JointType::Hinge => "hinge",
            JointType::Slide => "slide",
            JointType::Ball => "ball",
            JointType::Free => {
                if nested {
                    self.losses.add("MJCF allows free joints only on bodies of the world", name);
                }
                "free"
            }
            JointType::Planar => return self.planar(joint, name),
        };
        self.w.leaf(self.joint_tag(joint, name, word, joint.axis));
        if joint.effort_and_velocity.is_some_and(|(_, v)| v.is_finite()) {
            self.losses.add("MJCF has no greatest speed of a joint", name);
        }
    }

    fn joint_tag(&self, joint: &Joint, name: &str, word: &str, axis: V3) -> Tag {
        let one = matches!(word, "hinge" | "slide");
        let mut tag = Tag::new("joint").with("name", name).with("type", word);
        if one {
            tag = tag.with("axis", vector(axis));
        }
        if word != "free" {
            tag = tag.unless(V3::ZERO, joint.anchor, "pos", |v| vector(*v));
        }
        // the effort of a URDF limits the sum of the motor forces
        let effort = joint.effort_and_velocity.map(|(e, _)| e).filter(|e| e.is_finite() && *e > 0.0 && one);
        let force = joint.actuator_force_range.or(effort.map(|e| (-e, e)));
        let pair = |range: &Option<(f64, f64)>| {
            range.map_or(String::new(), |(a, b)| numbers(&[finite(a), finite(b)]))
        };
        let tag = tag
            .number("ref", joint.reference, 0.0)
            .number("springref", joint.spring_reference, 0.0)
            .number("stiffness", joint.stiffness, 0.0)
            .number("damping", joint.damping, 0.0)
            .number("armature", joint.armature, 0.0)
            .number("frictionloss", joint.friction_loss, 0.0)
            .unless(None, joint.range.filter(|_| word != "free"), "range", pair)
            .number("margin", joint.margin, 0.0)
            .unless(None, force, "actuatorfrcrange", pair);
        let tag = with_solver(tag, &joint.solver_limit, ["solreflimit", "solimplimit"]);
        with_solver(tag, &joint.solver_friction, ["solreffriction", "solimpfriction"])
    }

    /// Two slides and a hinge, as the joint is simulated.
    fn planar(&mut self, joint: &Joint, name: &str) {
        let (x, y) = plane_axes(joint.axis);
        for (suffix, word, axis) in [("_x", "slide", x), ("_y", "slide", y), ("", "hinge", joint.axis)] {
            self.w.leaf(self.joint_tag(joint, &format!("{name}{suffix}"), word, axis));
        }
    }

    /// Everything fixed to a body.
    fn content(&mut self, k: usize) {
        let body = &self.d.bodies[k];
        for geom in &body.geoms {
            self.geom(geom);
        }
        for site in &body.sites {
            self.site(site);
        }
        for (name, pose) in self.sites.get(&k).cloned().unwrap_or_default() {
            self.w.leaf(with_pose(Tag::new("site").with("name", name), pose));
        }
        for c in &body.cameras {
            let tag =
                Tag::new("camera").text("name", &c.name).with("fovy", number(c.field_of_view.to_degrees()));
            let tag = tag.text("mode", &c.mode).text("target", c.target.as_deref().unwrap_or_default());
            self.w.leaf(with_pose(tag, c.pose));
        }
        for l in &body.lights {
            let tag = Tag::new("light").text("name", &l.name).with("pos", vector(l.position));
            let tag = tag.with("dir", vector(l.direction)).unless(
                false,
                l.directional,
                "directional",
                bool::to_string,
            );
            let tag = tag.with("diffuse", numbers(&l.diffuse)).with("ambient", numbers(&l.ambient));
            let tag = tag.with("specular", numbers(&l.specular)).unless(
                true,
                l.cast_shadow,
                "castshadow",
                bool::to_string,
            );
            self.w.leaf(tag.unless(true, l.active, "active", bool::to_string));
        }
    }

    fn geom(&mut self, geom: &'d Geom) {
        let g = &geom.geom;
        let mut tag = Tag::new("geom");
        if !g.name.is_empty() {
            if self.geoms.insert(&g.name) {
                tag.set("name", &g.name);
            } else {
                self.losses.add("names of geoms must differ: a second one has none", &g.name);
            }
        }
        let Some(tag) = self.shape(tag, &g.shape) else { return };
        let tag = if geom.fluid_ellipsoid { tag.with("fluidshape", "ellipsoid") } else { tag };
        let tag = with_contact(with_pose(tag, g.pose), g).unless(0, g.group, "group", i32::to_string);
        self.w.leaf(self.looks(tag, geom.material, g.rgba.unwrap_or(Geom::GREY)));
    }

    fn looks(&self, tag: Tag, material: Option<usize>, rgba: [f64; 4]) -> Tag {
        let tag = match material {
            Some(k) => tag.with("material", &self.assets.materials[k]),
            None => tag,
        };
        let own = material.map_or(Geom::GREY, |k| self.d.materials[k].rgba);
        tag.list("rgba", &rgba, &own)
    }

    fn site(&mut self, s: &Site) {
        let tag = Tag::new("site").text("name", &s.name);
        let Some(tag) = self.shape(tag, &s.shape) else { return };
        let tag = with_pose(tag, s.pose).unless(0, s.group, "group", i32::to_string);
        self.w.leaf(self.looks(tag, s.material, s.rgba));
    }

    /// `type` and `size`; `None` for a mesh that MuJoCo cannot read.
    fn shape(&mut self, tag: Tag, shape: &Shape) -> Option<Tag> {
        let sized = |tag: Tag, word: &str, size: &[f64]| tag.with("type", word).with("size", numbers(size));
        if !matches!(shape, Shape::Plane { .. }) && shape.sizes().iter().any(|x| *x <= 0.0) {
            self.losses.add("MuJoCo requires sizes above 0: such shapes are left out", "");
            return None;
        }
        Some(match shape {
            Shape::Plane { x, y } => sized(tag, "plane", &[0.5 * x, 0.5 * y, 0.01]),
            Shape::Sphere { radius } => sized(tag, "sphere", &[*radius]),
            Shape::Capsule { radius, length } => sized(tag, "capsule", &[*radius, 0.5 * length]),
            Shape::Cylinder { radius, length } => sized(tag, "cylinder", &[*radius, 0.5 * length]),
            Shape::Ellipsoid { radii } => sized(tag, "ellipsoid", &radii.array()),
            Shape::Box { size } => sized(tag, "box", &(*size * 0.5).array()),
            Shape::Hull(mesh) | Shape::Mesh(mesh) => {
                tag.with("type", "mesh").with("mesh", self.assets.mesh(mesh)?)
            }
            Shape::HeightField(field) => tag.with("type", "hfield").with("hfield", &field.name),
        })
    }
}

/// Masks, friction, margins and softness, where they differ from the default.
fn with_contact(tag: Tag, g: &model::Geom) -> Tag {
    let (m, usual) = (&g.material, Material::default());
    // a visual geom must have no contact, whatever its masks
    let filter = if g.role == Role::Visual { Filter::NOTHING } else { g.filter };
    // MuJoCo reads a signed 32-bit integer
    let signed = |mask: &u32| (*mask as i32).to_string();
    let tag = tag
        .unless(1, filter.contype, "contype", signed)
        .unless(1, filter.conaffinity, "conaffinity", signed)
        .unless(usual.condim, m.condim, "condim", u8::to_string)
        .unless(usual.priority, m.priority, "priority", i32::to_string)
        .list("friction", &m.friction, &usual.friction)
        .number("solmix", m.mix, usual.mix)
        .number("margin", m.margin, 0.0)
        .number("gap", m.gap, 0.0);
    with_solver(tag, &m.solver, ["solref", "solimp"])
}

/// Infinite limits, as large as a file can express.
fn finite(x: f64) -> f64 {
    x.clamp(-1e10, 1e10)
}

/// The axes a planar joint slides along: that after the largest component of the normal, projected, and the one that
/// completes the frame.
fn plane_axes(normal: V3) -> (V3, V3) {
    let n = normal.unit().unwrap_or(V3::Z);
    let size = [n.x.abs(), n.y.abs(), n.z.abs()];
    let largest = (0..3).fold(0, |b, k| if size[k] > size[b] { k } else { b });
    let next = [V3::Y, V3::Z, V3::X][largest];
    let x = (next - n * n.dot(next)).unit().unwrap_or(V3::X);
    (x, n.cross(x))
}
