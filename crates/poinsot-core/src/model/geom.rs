//! Geoms: shapes fixed to bodies, for display and contact.

use super::actuator::pose_fault;
use super::builder::Defects;
use super::{BodyId, Material, ModelError, Shape};
use crate::algebra::V3;
use crate::spatial::Pose;

/// The purpose of a geom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Display only.
    Visual,
    /// Contact only (URDF collision elements).
    Collision,
    /// Display and contact.
    Both,
}

/// Which geoms may touch: those of which one's `contype` shares a bit with the other's `conaffinity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// What it is.
    pub contype: u32,
    /// What it touches.
    pub conaffinity: u32,
}

impl Default for Filter {
    fn default() -> Self {
        Filter { contype: 1, conaffinity: 1 }
    }
}

impl Filter {
    /// Touches nothing.
    pub const NOTHING: Filter = Filter { contype: 0, conaffinity: 0 };

    /// True if the masks allow contact between the two.
    pub fn meets(self, other: Filter) -> bool {
        self.contype & other.conaffinity != 0 || other.contype & self.conaffinity != 0
    }
}

/// A shape fixed to a body: its pose there, its material, its contact filter, its colour.
///
/// ```
/// use poinsot_core::{algebra::V3, model::*};
/// let mut b = ModelBuilder::new("a ball above the floor");
/// b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).named("floor"));
/// let skin = Geom::new(Shape::Sphere { radius: 0.1 }).named("skin").rgba([0.8, 0.2, 0.1, 1.0]);
/// let ball = b.body(BodyId::WORLD, BodySpec::new("ball").at(V3::Z).solid_geom(skin, 0.5)?);
/// b.joint(ball, Joint::free());
/// b.geom(ball, Geom::new(Shape::Sphere { radius: 0.02 }).at(V3::X * 0.1).visual());
/// let model = b.build()?;
/// let skin = model.geom("skin").expect("named above");
/// assert_eq!((model.geoms().len(), model.geoms_of(ball).count(), model[skin].body()), (3, 2, ball));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Geom {
    /// The name, unique in the model; empty if it has none.
    pub name: String,
    /// The shape.
    pub shape: Shape,
    /// Its pose in the body's frame.
    pub pose: Pose,
    /// Its purpose.
    pub role: Role,
    /// Its contact properties.
    pub material: Material,
    /// Its contact filter.
    pub filter: Filter,
    /// A group for showing and hiding.
    pub group: i32,
    /// Red, green, blue, opacity, 0 to 1; `None`: chosen by the viewer.
    pub rgba: Option<[f64; 4]>,
    pub(super) body: BodyId,
}

impl Geom {
    /// A geom at the body's frame, for display and contact.
    pub fn new(shape: Shape) -> Geom {
        Geom {
            name: String::new(),
            shape,
            pose: Pose::IDENTITY,
            role: Role::Both,
            material: Material::default(),
            filter: Filter::default(),
            group: 0,
            rgba: None,
            body: BodyId::WORLD,
        }
    }
    /// Sets the name.
    pub fn named(mut self, name: impl Into<String>) -> Geom {
        self.name = name.into();
        self
    }
    /// Sets the pose in the body's frame.
    pub fn pose(mut self, pose: Pose) -> Geom {
        self.pose = pose;
        self
    }
    /// Sets the position in the body's frame.
    pub fn at(mut self, pos: V3) -> Geom {
        self.pose.pos = pos;
        self
    }
    /// Makes it for display only.
    pub fn visual(mut self) -> Geom {
        self.role = Role::Visual;
        self.filter = Filter::NOTHING;
        self
    }
    /// Makes it for contact only.
    pub fn collision(mut self) -> Geom {
        self.role = Role::Collision;
        self
    }
    /// Sets the material.
    pub fn material(mut self, material: Material) -> Geom {
        self.material = material;
        self
    }
    /// Sets the contact filter.
    pub fn filter(mut self, contype: u32, conaffinity: u32) -> Geom {
        self.filter = Filter { contype, conaffinity };
        self
    }
    /// Sets the group.
    pub fn group(mut self, group: i32) -> Geom {
        self.group = group;
        self
    }
    /// Sets the colour: red, green, blue, opacity, 0 to 1.
    pub fn rgba(mut self, rgba: [f64; 4]) -> Geom {
        self.rgba = Some(rgba);
        self
    }
    /// The body it is fixed to; the world until it is given to a builder.
    pub fn body(&self) -> BodyId {
        self.body
    }
    /// True if it is for contact and its masks let it touch anything.
    pub fn touches(&self) -> bool {
        self.role != Role::Visual && self.filter != Filter::NOTHING
    }

    /// Checks it. Without contact, sizes and materials appear in no equation of motion, so a lenient builder accepts them.
    pub(super) fn check(&self, number: usize, body: &str, defects: &mut Defects) -> Result<(), ModelError> {
        let wrong = |why: String| {
            let geom = if self.name.is_empty() { number.to_string() } else { format!("\"{}\"", self.name) };
            ModelError::Geom { geom, body: body.to_string(), number, why }
        };
        if let Err(why) = pose_fault(self.pose) {
            let why =
                format!("its pose is not a rigid motion ({why}); give a unit rotation and a finite position");
            return Err(wrong(why));
        }
        if let Some(value) = self.rgba.and_then(|c| c.into_iter().find(|x| !x.is_finite())) {
            return Err(wrong(format!("its colour has {value}; give four numbers from 0 to 1")));
        }
        if let Err(why) = self.material.check() {
            defects.meet(wrong(why))?;
        }
        match self.shape.check() {
            Ok(()) => Ok(()),
            Err(why) => defects.meet(wrong(format!("{}: {why}", self.shape.word()))),
        }
    }
}
