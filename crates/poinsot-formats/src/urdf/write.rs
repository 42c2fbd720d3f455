//! A description as URDF text.
//!
//! In URDF each link has one parent joint, whose frame is the link's. So a link's frame is at the anchor of the last joint of
//! its body, its contents are shifted accordingly, and several joints of a body become a chain of massless links.
//! A joint's reference coordinate becomes part of its origin: coordinates mean the same in both.

use crate::build::Names;
use crate::description::{Description, EqualityKind, Joint, JointType};
use crate::diagnostic::Report;
use crate::writer::{Losses, Tag, Writer, number, numbers, vector};
use poinsot_core::algebra::{Sym3, V3};
use poinsot_core::spatial::{Inertia, Pose, exp_so3};
use std::collections::HashMap;

/// URDF cannot express an unlimited slide, effort or speed.
const ENDLESS: f64 = 1e9;

/// The description as URDF, and what URDF cannot express. Files are named by their absolute paths.
///
/// ```
/// let mjcf = r#"<mujoco><worldbody><body name="arm">
///     <joint name="pan" axis="0 0 1"/><joint name="tilt" axis="0 1 0" armature="0.1"/>
///     <geom type="capsule" fromto="0 0 0 0 0 1" size="0.05"/></body></worldbody></mujoco>"#;
/// let loaded = poinsot_formats::load_text("arm.xml", mjcf, &Default::default())?;
/// let (text, losses) = poinsot_formats::to_urdf(&loaded.description);
/// let again = poinsot_formats::load_text("arm.urdf", &text, &Default::default())?;
/// assert_eq!(again.model.nv(), 2);
/// assert!(losses.to_string().contains("rotor inertias (armature)"));
/// # Ok::<(), poinsot_formats::LoadError>(())
/// ```
pub fn to_urdf(d: &Description) -> (String, Report) {
    let mut out = UrdfWriter {
        d,
        names: Names::new(d),
        w: Writer::default(),
        losses: Losses::default(),
        root: 0,
        shift: vec![V3::ZERO; d.bodies.len()],
        mimics: HashMap::new(),
    };
    let name = if d.name.is_empty() { "robot" } else { &d.name };
    out.w.open(Tag::new("robot").with("name", name));
    out.materials();
    out.find_mimics();
    out.world();
    let mut first_joint = 0;
    for k in 1..d.bodies.len() {
        out.body(k, first_joint);
        first_joint += d.bodies[k].joints.len();
    }
    out.report_losses();
    (out.w.finish(), out.losses.report())
}

pub(super) struct UrdfWriter<'d> {
    pub d: &'d Description,
    names: Names,
    pub w: Writer,
    pub losses: Losses,
    /// The body of the root link.
    root: usize,
    /// For each body: the frame of its link in the body's frame.
    shift: Vec<V3>,
    /// For each joint that follows another: its number, multiplier and offset.
    mimics: HashMap<usize, (usize, f64, f64)>,
}

/// `<origin>`, where there is one.
pub(super) fn origin(pose: Pose) -> Option<Tag> {
    let rpy = rpy(pose);
    let tag = Tag::new("origin").with("xyz", vector(pose.pos)).with("rpy", vector(rpy));
    (pose.pos != V3::ZERO || rpy != V3::ZERO).then_some(tag)
}

/// The angles with `R = Rz(yaw) Ry(pitch) Rx(roll)`. The roll is computed after the yaw is removed, so that at a pitch of
/// ±90°, where the yaw is arbitrary, they still give R.
fn rpy(pose: Pose) -> V3 {
    let r = pose.rot;
    let yaw = libm::atan2(r.x.y, r.x.x);
    let (s, c) = (libm::sin(yaw), libm::cos(yaw));
    let pitch = libm::atan2(-r.x.z, c * r.x.x + s * r.x.y);
    let roll = libm::atan2(s * r.z.x - c * r.z.y, c * r.y.y - s * r.y.x);
    // −0 is written as 0
    V3::new(roll, pitch, yaw) + V3::ZERO
}

impl<'d> UrdfWriter<'d> {
    /// A link for the world, unless a single body is fixed to it: then that is the root.
    fn world(&mut self) {
        let top: Vec<usize> = (1..self.d.bodies.len()).filter(|k| self.d.bodies[*k].parent == 0).collect();
        let root = match top[..] {
            [one] => self.d.bodies[one].joints.is_empty() && self.d.bodies[one].pose == Pose::IDENTITY,
            _ => false,
        };
        if root && self.d.bodies[0].geoms.is_empty() {
            self.root = top[0];
            // no other link may have the world's name
            if self.d.bodies[self.root].name == self.names.bodies[0] {
                self.names.bodies.swap(0, top[0]);
            }
            return;
        }
        self.link(0, &self.names.bodies[0].clone(), V3::ZERO);
    }

    fn body(&mut self, k: usize, first_joint: usize) {
        let body = &self.d.bodies[k];
        let name = self.names.bodies[k].clone();
        self.shift[k] = match body.joints.last() {
            Some(last) if last.kind != JointType::Free => last.anchor,
            _ => V3::ZERO,
        };
        self.link(k, &name, self.shift[k]);
        let parent = self.names.bodies[body.parent].clone();
        if k == self.root {
            return;
        }
        let in_parent = Pose::translation(-self.shift[body.parent]) * body.pose;
        if body.joints.is_empty() {
            self.fixed(&format!("{name}_fixed"), &parent, &name, in_parent);
            return;
        }
        let mut above = (parent, in_parent, V3::ZERO);
        for (n, joint) in body.joints.iter().enumerate() {
            let number = first_joint + n;
            let last = n + 1 == body.joints.len();
            let own = self.names.joints[number].clone();
            let link = if last { name.clone() } else { format!("{name}_{own}") };
            if !last {
                self.w.leaf(Tag::new("link").with("name", &link));
            }
            // from the anchor of the previous link to this anchor
            let (before, frame, anchor) = above;
            // a free body's anchor is its origin; this is its initial position
            let anchor_here = if joint.kind == JointType::Free { V3::ZERO } else { joint.anchor };
            let frame = frame * Pose::translation(anchor_here - anchor);
            self.joint(joint, number, (&before, &link), frame);
            above = (link, Pose::IDENTITY, anchor_here);
        }
    }

    fn fixed(&mut self, name: &str, parent: &str, child: &str, frame: Pose) {
        self.open_joint(name, "fixed", (parent, child), frame);
        self.w.close();
    }

    fn open_joint(&mut self, name: &str, kind: &str, (parent, child): (&str, &str), frame: Pose) {
        self.w.open(Tag::new("joint").with("name", name).with("type", kind));
        if let Some(tag) = origin(frame) {
            self.w.leaf(tag);
        }
        self.w.leaf(Tag::new("parent").with("link", parent));
        self.w.leaf(Tag::new("child").with("link", child));
    }

    fn joint(&mut self, joint: &Joint, k: usize, links: (&str, &str), frame: Pose) {
        let name = self.names.joints[k].clone();
        // MJCF's axes may have any length
        let axis = joint.axis.unit().unwrap_or(V3::Z);
        let (kind, frame) = match joint.kind {
            JointType::Ball => return self.ball(joint, &name, links, frame),
            JointType::Free => ("floating", frame),
            JointType::Planar => ("planar", frame),
            JointType::Slide => ("prismatic", frame * Pose::translation(axis * -joint.reference)),
            JointType::Hinge => {
                let back = Pose { rot: exp_so3(axis * -joint.reference), pos: V3::ZERO };
                let kind = if joint.range.is_some() { "revolute" } else { "continuous" };
                (kind, if joint.reference == 0.0 { frame } else { frame * back })
            }
        };
        self.open_joint(&name, kind, links, frame);
        if joint.kind != JointType::Free {
            self.w.leaf(Tag::new("axis").with("xyz", vector(joint.axis)));
        }
        if kind == "prismatic" || kind == "revolute" || joint.effort_and_velocity.is_some() {
            self.limit(joint, kind);
        }
        if joint.damping != 0.0 || joint.friction_loss != 0.0 {
            let tag = Tag::new("dynamics").number("damping", joint.damping, 0.0);
            self.w.leaf(tag.number("friction", joint.friction_loss, 0.0));
        }
        if let Some((other, multiplier, offset)) = self.mimics.get(&k) {
            let tag = Tag::new("mimic").with("joint", &self.names.joints[*other]);
            self.w.leaf(tag.with("multiplier", number(*multiplier)).with("offset", number(*offset)));
        }
        self.w.close();
    }

    fn limit(&mut self, joint: &Joint, kind: &str) {
        let end = |x: f64| number(x.clamp(-ENDLESS, ENDLESS));
        let mut tag = Tag::new("limit");
        if matches!(kind, "prismatic" | "revolute") {
            let (lower, upper) = joint.range.unwrap_or((-ENDLESS, ENDLESS));
            tag = tag.with("lower", end(lower)).with("upper", end(upper));
        }
        let force = joint.actuator_force_range.map_or(ENDLESS, |(a, b)| b.max(-a));
        let (effort, velocity) = joint.effort_and_velocity.unwrap_or((force, ENDLESS));
        self.w.leaf(tag.with("effort", end(effort)).with("velocity", end(velocity)));
    }

    /// Three hinges, about x, y and z: the same motions in other coordinates.
    fn ball(&mut self, joint: &Joint, name: &str, (parent, child): (&str, &str), frame: Pose) {
        self.losses.add("ball joints became three turns about x, y and z, with other coordinates", name);
        let (first, second) = (format!("{child}_{name}_x"), format!("{child}_{name}_y"));
        let links = [(parent, first.as_str()), (&first, &second), (&second, child)];
        for link in [&first, &second] {
            self.w.leaf(Tag::new("link").with("name", link));
        }
        for (k, (suffix, axis)) in [("_x", V3::X), ("_y", V3::Y), ("_z", V3::Z)].into_iter().enumerate() {
            let frame = if k == 0 { frame } else { Pose::IDENTITY };
            self.open_joint(&format!("{name}{suffix}"), "continuous", links[k], frame);
            self.w.leaf(Tag::new("axis").with("xyz", vector(axis)));
            if joint.damping != 0.0 {
                self.w.leaf(Tag::new("dynamics").with("damping", number(joint.damping)));
            }
            self.w.close();
        }
    }

    fn link(&mut self, k: usize, name: &str, shift: V3) {
        let body = &self.d.bodies[k];
        let empty = body.inertia == Inertia::ZERO && body.geoms.is_empty();
        let tag = Tag::new("link").with("name", name);
        if empty {
            return self.w.leaf(tag);
        }
        self.w.open(tag);
        if body.inertia != Inertia::ZERO {
            self.inertial(&body.inertia, shift);
        }
        for geom in &body.geoms {
            self.geom(geom, shift);
        }
        self.w.close();
    }

    fn inertial(&mut self, inertia: &Inertia, shift: V3) {
        self.w.open(Tag::new("inertial"));
        let centre = if inertia.mass == 0.0 { V3::ZERO } else { inertia.com() - shift };
        if let Some(tag) = origin(Pose::translation(centre)) {
            self.w.leaf(tag);
        }
        self.w.leaf(Tag::new("mass").with("value", number(inertia.mass)));
        let Sym3 { xx, xy, xz, yy, yz, zz } = inertia.about_com();
        let names = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];
        let values = [xx, xy, xz, yy, yz, zz];
        let tag = names.iter().zip(values).fold(Tag::new("inertia"), |tag, (n, x)| tag.with(n, number(x)));
        self.w.leaf(tag);
        self.w.close();
    }

    /// Linear couplings of joints become `<mimic>`: q₁ − r₁ = a + b (q₂ − r₂).
    fn find_mimics(&mut self) {
        let reference: Vec<f64> = self.d.joints().map(|(_, j)| j.reference).collect();
        for e in &self.d.equalities {
            match e.kind {
                // a joint mimics one other
                EqualityKind::Joint { joint1, joint2: Some(joint2), coefficients: [a, b, 0.0, 0.0, 0.0] }
                    if e.active && !self.mimics.contains_key(&joint1) =>
                {
                    let offset = a + reference[joint1] - b * reference[joint2];
                    self.mimics.insert(joint1, (joint2, b, offset));
                }
                _ => self.losses.add(
                    "URDF couples only two joints, by a linear law: other constraints are left out",
                    &e.name,
                ),
            }
        }
    }

    fn report_losses(&mut self) {
        let (d, lost) = (self.d, &mut self.losses);
        for (_, j) in d.joints() {
            for (there, what) in [
                (j.armature != 0.0, "URDF has no rotor inertias (armature)"),
                (j.stiffness != 0.0, "URDF has no springs in joints"),
                (j.kind == JointType::Ball && j.range.is_some(), "URDF has no limits of ball joints"),
            ] {
                if there {
                    lost.add(what, &j.name);
                }
            }
        }
        for b in &d.bodies {
            lost.add_all("URDF has no sites", b.sites.iter().map(|s| s.name.as_str()));
            lost.add_all("URDF has no cameras", b.cameras.iter().map(|c| c.name.as_str()));
            lost.add_all("URDF has no lights", b.lights.iter().map(|l| l.name.as_str()));
            if b.gravity_compensation != 0.0 {
                lost.add("URDF has no gravity compensation", &b.name);
            }
            if b.mocap {
                lost.add("URDF has no bodies that the user moves (mocap)", &b.name);
            }
        }
        lost.add_all("URDF has no tendons", d.tendons.iter().map(|t| t.name.as_str()));
        lost.add_all("URDF has no actuators", d.actuators.iter().map(|a| a.name.as_str()));
        lost.add_all("URDF has no sensors", d.sensors.iter().map(|s| s.name.as_str()));
        lost.add_all("URDF has no keyframes", d.keyframes.iter().map(|k| k.name.as_str()));
        lost.add_all("URDF has no pairs of contact", d.pairs.iter().map(|p| p.name.as_str()));
        lost.add_all("URDF has no excluded pairs", d.excludes.iter().map(|e| e.name.as_str()));
        let usual = crate::description::Options::default();
        if d.options.gravity != usual.gravity {
            lost.add("URDF has no gravity", numbers(&d.options.gravity.array()));
        }
        if d.options != (crate::description::Options { gravity: d.options.gravity, ..usual }) {
            lost.add("URDF has no settings of a simulation", "");
        }
    }
}
