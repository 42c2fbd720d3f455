//! The tree of `<worldbody>`: bodies with joints, geoms, sites, cameras and lights; frames and replicas.

use super::Reader;
use super::attributes::Attributes;
use super::compiler::ORIENTATIONS;
use super::defaults::ClassId;
use crate::description::{Body, Camera, Joint, JointType, Light, push_exact};
use crate::inertia;
use crate::xml::ElementId;
use poinsot_core::algebra::{Sym3, V3};
use poinsot_core::spatial::{Inertia, Pose};
use std::rc::Rc;

const CAMERA_MODES: [&str; 5] = ["fixed", "track", "trackcom", "targetbody", "targetbodycom"];

/// The context of an element: its body, its frame in the body, and what it inherits.
#[derive(Clone)]
pub(super) struct Context {
    pub body: usize,
    pub frame: Pose,
    pub class: ClassId,
    /// The suffix that replicas add to names.
    pub suffix: Rc<str>,
}

/// More replicas than this are refused.
const MOST_REPLICAS: i64 = 100_000;
/// A few lines with `<replicate>` can define a model too large for any memory: the text of all copies together is bounded.
const MOST_REPLICATED: usize = 30_000_000;
/// The cost of a copy of an element in addition to its text.
const COPY: usize = 100;
/// Longer suffixes are refused.
const LONGEST_SUFFIX: usize = 1000;

impl Reader<'_> {
    /// Reads all `<worldbody>` sections, depth first.
    pub(super) fn read_world(&mut self) {
        let roots: Vec<ElementId> =
            self.tree.children(self.root).filter(|(_, e)| e.tag == "worldbody").map(|(id, _)| id).collect();
        for root in roots {
            let context = Context { body: 0, frame: Pose::IDENTITY, class: 0, suffix: "".into() };
            let class = self.defaults.class_of(self.report, &self.tree[root], "childclass", 0);
            let mut open = Vec::new();
            push_children(self.tree, root, Context { class, ..context }, &mut open);
            while let Some((id, context)) = open.pop() {
                if !context.suffix.is_empty() && !self.may_copy(id, 0) {
                    return;
                }
                self.read_element(id, context, &mut open);
            }
        }
        self.number_joints();
    }

    /// Numbers joints body by body: in the file, a joint may follow the children of its body.
    fn number_joints(&mut self) {
        let numbers = self.names.entry("joint").or_default();
        for (body, of_body) in self.d.bodies.iter().enumerate() {
            for (k, joint) in of_body.joints.iter().enumerate() {
                if let Some(number) = numbers.get_mut(&joint.name) {
                    *number = self.joint_bodies.len();
                }
                self.joint_bodies.push((body, k));
            }
        }
    }

    /// Counts the copy of an element; false, with an error, if there are too many.
    fn may_copy(&mut self, id: ElementId, more: usize) -> bool {
        let element = &self.tree[id];
        let text: usize = element.attributes.iter().map(|a| a.value.len()).sum();
        self.replicated = self.replicated.saturating_add(more).saturating_add(text);
        if self.replicated > MOST_REPLICATED {
            let message = "the replicas are too many, or too large";
            self.report.error("mjcf::too-many", message).at(element.place);
        }
        self.replicated <= MOST_REPLICATED
    }

    fn read_element(&mut self, id: ElementId, context: Context, open: &mut Vec<(ElementId, Context)>) {
        match self.tree[id].tag.as_str() {
            "body" => {
                let inside = self.read_body(id, &context);
                push_children(self.tree, id, inside, open);
            }
            "frame" => {
                let a = Attributes::new(self.tree, &self.tree[id], &[]);
                let class = self.defaults.class_of(self.report, a.own, "childclass", context.class);
                let frame = context.frame * self.read_pose(a);
                push_children(self.tree, id, Context { frame, class, ..context }, open);
            }
            "replicate" => self.replicate(id, context, open),
            "inertial" => self.read_inertial(id, &context),
            "joint" | "freejoint" => self.read_joint(id, &context),
            "geom" => self.read_geom(id, &context),
            "site" => self.read_site(id, &context),
            "camera" => self.read_camera(id, &context),
            "light" => self.read_light(id, &context),
            "attach" => self.unsupported(id, "attached models (<attach>)"),
            "composite" | "flexcomp" => self.unsupported(id, "flexible and composite bodies"),
            "plugin" => self.unsimulated("plugin", "plugins are not run", id),
            _ => {}
        }
    }

    /// Reads a body's own attributes; returns the context of its children.
    fn read_body(&mut self, id: ElementId, context: &Context) -> Context {
        let a = Attributes::new(self.tree, &self.tree[id], &[]);
        let mut body = Body::new(self.name_in(a, context), context.body, a.place());
        body.pose = context.frame * self.read_pose(a);
        body.gravity_compensation = a.number_or(self.report, "gravcomp", 0.0);
        body.mocap = a.flag_or(self.report, "mocap", false);
        if body.mocap {
            self.unsimulated("mocap", "mocap bodies stay where they are put", id);
        }
        let class = self.defaults.class_of(self.report, a.own, "childclass", context.class);
        let number = self.d.bodies.len();
        self.add_name("body", &body.name, number, body.place);
        self.d.bodies.push(body);
        self.inertials.push(None);
        Context { body: number, frame: Pose::IDENTITY, class, suffix: context.suffix.clone() }
    }

    /// `<replicate>`: copy k is rotated by k times the angles; each is offset in the frame of the one before.
    fn replicate(&mut self, id: ElementId, context: Context, open: &mut Vec<(ElementId, Context)>) {
        let a = Attributes::new(self.tree, &self.tree[id], &[]);
        let count = a.integer_or(self.report, "count", 0);
        if count < 1 || count > MOST_REPLICAS - self.replicas {
            let message =
                format!("`count` is {count}, not a number from 1 to {MOST_REPLICAS}, all replicas together");
            self.report.error("mjcf::bad-number", message).at(a.place());
            return;
        }
        self.replicas += count;
        // all copies are placed before they are read
        let children = self.tree[id].children.len();
        if !self.may_copy(id, children.saturating_mul(count as usize).saturating_mul(COPY)) {
            return;
        }
        let offset = a.vector(self.report, "offset").unwrap_or(V3::ZERO);
        let angles = a.vector(self.report, "euler").unwrap_or(V3::ZERO) * self.compiler.angle;
        let separator = a.text("sep").unwrap_or("").to_string();
        let digits = (count - 1).to_string().len();
        if context.suffix.len() + separator.len() + digits > LONGEST_SUFFIX {
            let message = format!("names of replicas get longer by more than {LONGEST_SUFFIX} letters");
            self.report.error("mjcf::too-many", message).at(a.place());
            return;
        }
        let mut copies = Vec::new();
        let mut pos = V3::ZERO;
        for k in 0..count {
            let turn = self.compiler.euler_rotation((angles * k as f64).array());
            let frame = context.frame * Pose { rot: turn, pos };
            let suffix = format!("{separator}{k:0digits$}{}", context.suffix);
            copies.push(Context { frame, suffix: suffix.into(), ..context.clone() });
            pos += turn * offset;
        }
        for copy in copies.into_iter().rev() {
            push_children(self.tree, id, copy, open);
        }
    }

    fn read_inertial(&mut self, id: ElementId, context: &Context) {
        let a = Attributes::new(self.tree, &self.tree[id], &[]);
        if context.body == 0 || self.inertials[context.body].is_some() {
            let whose = if context.body == 0 {
                "the world has no inertia"
            } else {
                "this body has an <inertial> already"
            };
            self.report.error("mjcf::bad-inertia", whose).at(a.place());
            return;
        }
        let pose = context.frame * self.read_pose(a);
        a.required(self.report, "pos");
        a.required(self.report, "mass");
        let mass = a.number_or(self.report, "mass", 0.0);
        let about_com = if let Some([xx, yy, zz, xy, xz, yz]) = a.exact::<6>(self.report, "fullinertia") {
            if a.get("diaginertia").is_some() {
                let message = "`fullinertia` and `diaginertia` exclude each other";
                self.report.error("mjcf::bad-inertia", message).at(a.place());
            }
            if a.nearest(self.report, &ORIENTATIONS).is_some() {
                let message =
                    "`fullinertia` is in the axes of the body; an orientation belongs to `diaginertia`";
                self.report.error("mjcf::bad-inertia", message).at(a.place());
            }
            Sym3 { xx, xy, xz, yy, yz, zz }
        } else {
            let [x, y, z] = a.exact::<3>(self.report, "diaginertia").unwrap_or_default();
            Sym3::diagonal(x, y, z)
        };
        self.check_inertia(a, context.body, mass, about_com);
        let own = Inertia { mass, first_moment: V3::ZERO, rotational: about_com };
        self.inertials[context.body] = Some(own.seen_from(pose));
    }

    /// The inertia is used as given; one that no body can have is reported.
    fn check_inertia(&mut self, a: Attributes, body: usize, mass: f64, about_com: Sym3) {
        if mass < 0.0 {
            let place = a.get("mass").map_or(a.place(), |m| m.place);
            let message = format!("body \"{}\" has the negative mass {mass} kg", self.d.bodies[body].name);
            self.report.error("mjcf::bad-inertia", message).at(place);
        }
        let whose = format!("body \"{}\"", self.d.bodies[body].name);
        let fault = inertia::fault(&whose, mass, about_com).filter(|_| !self.compiler.balance_inertia);
        if let Some(fault) = fault {
            self.report.warning("mjcf::impossible-inertia", fault.message).at(a.place()).help(fault.help);
        }
    }

    fn read_joint(&mut self, id: ElementId, context: &Context) {
        let free = self.tree[id].tag == "freejoint";
        // a <freejoint> has no defaults
        let a = if free {
            Attributes::new(self.tree, &self.tree[id], &[])
        } else {
            self.attributes(id, context.class)
        };
        if context.body == 0 {
            let help = "put the joint into a body: it joins the body to its parent";
            let error = self.report.error("mjcf::joint-on-world", "the world cannot have a joint");
            error.at(a.place()).help(help);
            return;
        }
        let kind = match a.word(self.report, "type", &["hinge", "slide", "ball", "free"]) {
            _ if free => JointType::Free,
            Some("free") => JointType::Free,
            Some("ball") => JointType::Ball,
            Some("slide") => JointType::Slide,
            _ => JointType::Hinge,
        };
        if free && a.text("align") == Some("true") {
            let message =
                "the frame of the body stays as it is given, not aligned with its inertia (`align`)";
            self.report.warning("mjcf::kept", message).at(a.place());
        }
        if kind == JointType::Free && self.d.bodies[context.body].parent != 0 {
            let message = "a free joint moves relative to the world, but this body is the child of another";
            self.report.error("mjcf::free-joint", message).at(a.place());
        }
        let mut joint = Joint::new(self.name_in(a, context), kind, a.place());
        let turning = matches!(kind, JointType::Hinge | JointType::Ball);
        let unit = if turning { self.compiler.angle } else { 1.0 };
        let axis = a.vector(self.report, "axis").unwrap_or(V3::Z);
        joint.axis = context.frame.rot * axis;
        joint.anchor = context.frame.point(a.vector(self.report, "pos").unwrap_or(V3::ZERO));
        joint.reference = a.number_or(self.report, "ref", 0.0) * unit;
        joint.spring_reference = a.number_or(self.report, "springref", 0.0) * unit;
        joint.armature = a.number_or(self.report, "armature", 0.0);
        joint.friction_loss = a.number_or(self.report, "frictionloss", 0.0);
        joint.margin = a.number_or(self.report, "margin", 0.0);
        let autolimits = self.compiler.autolimits;
        let range = a.range(self.report, "range", "limited", autolimits);
        joint.range = range.map(|(l, u)| (l * unit, u * unit));
        joint.actuator_force_range =
            a.range(self.report, "actuatorfrcrange", "actuatorfrclimited", autolimits);
        joint.solver_limit = self.read_solver(a, "solreflimit", "solimplimit");
        joint.solver_friction = self.read_solver(a, "solreffriction", "solimpfriction");
        (joint.stiffness, joint.damping) = (self.linear(a, "stiffness"), self.linear(a, "damping"));
        let mut springdamper = [0.0; 2];
        a.fill(self.report, "springdamper", &mut springdamper);
        if springdamper.iter().filter(|x| **x > 0.0).count() == 1 {
            let message = "`springdamper` takes a time constant and a damping ratio, both above 0";
            self.report.error("mjcf::bad-number", message).place = a.get("springdamper").map(|x| x.place);
        }
        joint.spring_damper = Some(springdamper).filter(|s| s.iter().all(|x| *x > 0.0));
        // its index is known once all joints are
        self.add_name("joint", &joint.name, usize::MAX, joint.place);
        push_exact(&mut self.d.bodies[context.body].joints, joint);
    }

    /// A coefficient that may be given as a polynomial; only its linear part is simulated.
    pub(super) fn linear<'a>(&mut self, a: Attributes<'a>, name: &'a str) -> f64 {
        let numbers = a.list(self.report, name).unwrap_or_default();
        if numbers.iter().skip(1).any(|x| *x != 0.0) {
            let message = format!("`{name}` is a polynomial; only its linear part is simulated");
            self.report.warning("mjcf::not-simulated", message).place = a.get(name).map(|x| x.place);
        }
        numbers.first().copied().unwrap_or(0.0)
    }

    fn read_camera(&mut self, id: ElementId, context: &Context) {
        let a = self.attributes(id, context.class);
        let camera = Camera {
            name: self.name_in(a, context),
            pose: context.frame * self.read_pose(a),
            field_of_view: a.number_or(self.report, "fovy", 45.0).to_radians(),
            mode: a.word(self.report, "mode", &CAMERA_MODES).unwrap_or("fixed").to_string(),
            target: a.text("target").map(String::from),
            place: a.place(),
        };
        self.d.bodies[context.body].cameras.push(camera);
    }

    fn read_light(&mut self, id: ElementId, context: &Context) {
        let a = self.attributes(id, context.class);
        let (mut diffuse, mut ambient, mut specular) = ([0.7; 3], [0.0; 3], [0.3; 3]);
        a.fill(self.report, "diffuse", &mut diffuse);
        a.fill(self.report, "ambient", &mut ambient);
        a.fill(self.report, "specular", &mut specular);
        let light = Light {
            name: self.name_in(a, context),
            position: context.frame.point(a.vector(self.report, "pos").unwrap_or(V3::ZERO)),
            direction: context.frame.rot * a.vector(self.report, "dir").unwrap_or(-V3::Z),
            directional: a.flag_or(self.report, "directional", false)
                || a.text("type") == Some("directional"),
            diffuse,
            ambient,
            specular,
            cast_shadow: a.flag_or(self.report, "castshadow", true),
            active: a.flag_or(self.report, "active", true),
            place: a.place(),
        };
        self.d.bodies[context.body].lights.push(light);
    }

    /// The name of an element, with what replicas add to it.
    pub(super) fn name_in(&self, a: Attributes, context: &Context) -> String {
        let mut name = a.name();
        if !name.is_empty() {
            name.push_str(&context.suffix);
        }
        name
    }
}

fn push_children(
    tree: &crate::xml::Tree,
    id: ElementId,
    context: Context,
    open: &mut Vec<(ElementId, Context)>,
) {
    // taken from the end: the first child comes first, with everything below it
    open.extend(tree[id].children.iter().rev().map(|child| (*child, context.clone())));
}
