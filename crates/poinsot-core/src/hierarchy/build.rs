//! A hierarchy of nodes that rotate, translate, scale, stretch and shear, as described by a user.

use super::dynamics::Node;
use super::{Affine, AffineError, Condition, NodeMotion};
use crate::algebra::{M3, Sym3, V3};
use crate::model::{BodyId, Shape};
use crate::spatial::{Inertia, MassTensor, Pose};

/// A solid fixed to a node, which deforms with it: (2) sums over these.
#[derive(Clone, Debug, PartialEq)]
pub struct Primitive {
    /// The node that carries it.
    pub node: BodyId,
    /// Its shape, if it has one.
    pub shape: Option<Shape>,
    /// Its pose on the node.
    pub pose: Pose,
    /// Its mass tensor in the axes of the node.
    pub tensor: MassTensor,
}

/// A spring with a damper along one degree of freedom: the force `−k (q − rest) − d v`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DofSpring {
    /// The degree of freedom.
    pub dof: usize,
    /// The coordinate it acts on.
    pub(super) coordinate: usize,
    /// k.
    pub stiffness: f64,
    /// d.
    pub damping: f64,
    /// The coordinate of zero force.
    pub rest: f64,
}

/// A node as users see it: its name, its last link and its first degree of freedom.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub name: String,
    pub link: usize,
    pub dofs: std::ops::Range<usize>,
}

/// A hierarchy of nodes that may stretch; immutable during a motion.
///
/// ```
/// use poinsot_core::{algebra::V3, hierarchy::*, model::{BodyId, Shape}, spatial::Pose};
/// let mut b = AffineBuilder::new();
/// let jelly = b.node(BodyId::WORLD, "jelly", Affine::identity(), &[NodeMotion::Squash { axis: V3::Z }])?;
/// b.solid(jelly, &Shape::Sphere { radius: 0.2 }, 1.0, Pose { pos: V3::Z * 0.2, ..Pose::IDENTITY })?;
/// b.spring(b.dof(jelly, 0)?, 200.0, 0.0, 1.0)?;
/// let model = b.build();
/// assert_eq!((model.nv(), model.rest()), (1, vec![1.0]));
/// # Ok::<(), AffineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AffineModel {
    pub(super) gravity: V3,
    pub(super) links: Vec<Node>,
    pub(super) nodes: Vec<Named>,
    pub(super) primitives: Vec<Primitive>,
    pub(super) springs: Vec<DofSpring>,
    pub(super) conditions: Vec<Condition>,
    pub(super) nq: usize,
    pub(super) nv: usize,
}

impl AffineModel {
    /// The number of coordinates.
    pub fn nq(&self) -> usize {
        self.nq
    }
    /// The number of degrees of freedom.
    pub fn nv(&self) -> usize {
        self.nv
    }
    /// The coordinates without rotation or stretch.
    pub fn rest(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.nq];
        for link in &self.links {
            link.motion.rest(&mut q[link.q..]);
        }
        q
    }
    /// The acceleration of free fall.
    pub fn gravity(&self) -> V3 {
        self.gravity
    }
    /// The name of a node; the world is node 0.
    pub fn name(&self, node: BodyId) -> Option<&str> {
        self.nodes.get(node.0).map(|n| &*n.name)
    }
    /// The names of all nodes, the world first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().map(|n| &*n.name)
    }
    /// The node of this name.
    pub fn node(&self, name: &str) -> Option<BodyId> {
        self.nodes.iter().position(|n| n.name == name).map(BodyId)
    }
    /// The number of nodes, including the world.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }
    /// The primitives, in the order in which they were added.
    pub fn primitives(&self) -> &[Primitive] {
        &self.primitives
    }
    /// The springs.
    pub fn springs(&self) -> &[DofSpring] {
        &self.springs
    }
    /// The constraints.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }
    /// The number of constraint rows.
    pub fn rows(&self) -> usize {
        self.conditions.iter().map(Condition::rows).sum()
    }
    /// True if all rates are derivatives of coordinates.
    pub fn has_coordinate_rates(&self) -> bool {
        self.links.iter().all(|l| l.motion.has_coordinate_rates())
    }
}

/// Collects nodes, primitives, springs and constraints. Example: [`AffineModel`].
#[derive(Clone, Debug)]
pub struct AffineBuilder {
    model: AffineModel,
}

/// A builder that starts with a model, to add to it.
impl From<AffineModel> for AffineBuilder {
    fn from(model: AffineModel) -> Self {
        AffineBuilder { model }
    }
}

impl Default for AffineBuilder {
    fn default() -> Self {
        AffineBuilder::new()
    }
}

fn no_mass() -> MassTensor {
    MassTensor { second_moments: Sym3::zero(), first_moment: V3::ZERO, mass: 0.0 }
}

impl AffineBuilder {
    /// The world alone, with gravity 9.81 m/s² along −z.
    pub fn new() -> Self {
        let frame = Affine::identity();
        let world = Node { parent: 0, motion: NodeMotion::Fixed, frame, mass: no_mass(), q: 0, v: 0 };
        let named = Named { name: "world".to_string(), link: 0, dofs: 0..0 };
        AffineBuilder {
            model: AffineModel {
                gravity: V3::new(0.0, 0.0, -9.81),
                links: vec![world],
                nodes: vec![named],
                primitives: Vec::new(),
                springs: Vec::new(),
                conditions: Vec::new(),
                nq: 0,
                nv: 0,
            },
        }
    }

    /// The acceleration of free fall.
    pub fn gravity(&mut self, g: V3) -> &mut Self {
        self.model.gravity = g;
        self
    }

    /// A node on `parent`: its frame there, and its motions, each in the frame moved by those before it.
    pub fn node(
        &mut self,
        parent: BodyId,
        name: impl Into<String>,
        frame: Affine,
        motions: &[NodeMotion],
    ) -> Result<BodyId, AffineError> {
        let name = name.into();
        let mut parent = self.named(parent)?.link;
        let finite = frame.shift.is_finite() && frame.linear.max_abs().is_finite();
        if !finite || frame.linear.inverse().is_none() {
            return Err(AffineError::Frame { node: name });
        }
        let motions: Vec<NodeMotion> =
            motions.iter().map(|m| with_unit_axes(*m, &name)).collect::<Result<_, _>>()?;
        let (first, mut frame) = (self.model.nv, frame);
        let fixed = if motions.is_empty() { &[NodeMotion::Fixed][..] } else { &motions };
        for motion in fixed {
            let (q, v) = (self.model.nq, self.model.nv);
            self.model.links.push(Node { parent, motion: *motion, frame, mass: no_mass(), q, v });
            self.model.nq += motion.nq();
            self.model.nv += motion.nv();
            parent = self.model.links.len() - 1;
            frame = Affine::identity();
        }
        let dofs = first..self.model.nv;
        self.model.nodes.push(Named { name, link: parent, dofs });
        Ok(BodyId(self.model.nodes.len() - 1))
    }

    /// A homogeneous solid on a node, at this pose.
    pub fn solid(
        &mut self,
        node: BodyId,
        shape: &Shape,
        mass: f64,
        pose: Pose,
    ) -> Result<&mut Self, AffineError> {
        let name = self.named(node)?.name.clone();
        let inertia = shape.inertia(mass).map_err(|source| AffineError::Solid { node: name, source })?;
        self.add(node, Some(shape.clone()), inertia, pose)
    }

    /// Mass with this inertia on a node, at this pose.
    pub fn primitive(
        &mut self,
        node: BodyId,
        inertia: Inertia,
        pose: Pose,
    ) -> Result<&mut Self, AffineError> {
        self.add(node, None, inertia, pose)
    }

    fn add(
        &mut self,
        node: BodyId,
        shape: Option<Shape>,
        inertia: Inertia,
        pose: Pose,
    ) -> Result<&mut Self, AffineError> {
        let link = self.named(node)?.link;
        let tensor = inertia.mass_tensor().seen_from(pose);
        let all = tensor.rows();
        if let Some(value) = all.iter().flatten().find(|x| !x.is_finite()) {
            let what = format!("the mass tensor of node {:?}", self.model.nodes[node.0].name);
            return Err(AffineError::Number { what, value: *value, positive: false });
        }
        let mass = &mut self.model.links[link].mass;
        mass.second_moments = mass.second_moments + tensor.second_moments;
        mass.first_moment += tensor.first_moment;
        mass.mass += tensor.mass;
        self.model.primitives.push(Primitive { node, shape, pose, tensor });
        Ok(self)
    }

    /// The number of the k-th degree of freedom of a node.
    pub fn dof(&self, node: BodyId, k: usize) -> Result<usize, AffineError> {
        let dofs = &self.named(node)?.dofs;
        let count = dofs.len();
        dofs.clone().nth(k).ok_or(AffineError::Missing { what: "degree of freedom", index: k, count })
    }

    /// A spring with a damper along a degree of freedom.
    pub fn spring(
        &mut self,
        dof: usize,
        stiffness: f64,
        damping: f64,
        rest: f64,
    ) -> Result<&mut Self, AffineError> {
        let coordinate = self.coordinate(dof)?;
        for (what, value) in [("the stiffness", stiffness), ("the damping", damping), ("the rest", rest)] {
            if !value.is_finite() {
                let what = format!("{what} of the spring along {dof}");
                return Err(AffineError::Number { what, value, positive: false });
            }
        }
        self.model.springs.push(DofSpring { dof, coordinate, stiffness, damping, rest });
        Ok(self)
    }

    /// A constraint.
    pub fn constraint(&mut self, condition: Condition) -> Result<&mut Self, AffineError> {
        condition.check(&self.model)?;
        self.model.conditions.push(condition);
        Ok(self)
    }

    /// Completes the model.
    pub fn build(self) -> AffineModel {
        self.model
    }

    fn named(&self, node: BodyId) -> Result<&Named, AffineError> {
        self.model.nodes.get(node.0).ok_or_else(|| self.model.missing(node))
    }

    fn coordinate(&self, dof: usize) -> Result<usize, AffineError> {
        self.model.coordinate(dof)
    }
}

impl AffineModel {
    pub(super) fn missing(&self, node: BodyId) -> AffineError {
        AffineError::Missing { what: "node", index: node.0, count: self.nodes.len() }
    }

    /// The coordinate whose derivative is this rate.
    pub(super) fn coordinate(&self, dof: usize) -> Result<usize, AffineError> {
        let of = |l: &&Node| (l.v..l.v + l.motion.nv()).contains(&dof);
        match self.links.iter().find(of) {
            Some(link) if link.motion.has_coordinate_rates() => Ok(link.q + dof - link.v),
            Some(_) => Err(AffineError::NoCoordinate { dof }),
            None => Err(AffineError::Missing { what: "degree of freedom", index: dof, count: self.nv }),
        }
    }

    /// The node that has this degree of freedom.
    pub(super) fn owner(&self, dof: usize) -> String {
        self.nodes.iter().find(|n| n.dofs.contains(&dof)).map(|n| n.name.clone()).unwrap_or_default()
    }
}

fn with_unit_axes(motion: NodeMotion, node: &str) -> Result<NodeMotion, AffineError> {
    let unit = |axis: V3| axis.unit().ok_or_else(|| AffineError::Axis { node: node.to_string(), axis });
    Ok(match motion {
        NodeMotion::Turn { axis } => NodeMotion::Turn { axis: unit(axis)? },
        NodeMotion::Slide { axis } => NodeMotion::Slide { axis: unit(axis)? },
        NodeMotion::Stretch { axis } => NodeMotion::Stretch { axis: unit(axis)? },
        NodeMotion::Squash { axis } => NodeMotion::Squash { axis: unit(axis)? },
        NodeMotion::Shear { along, normal } => {
            NodeMotion::Shear { along: unit(along)?, normal: unit(normal)? }
        }
        other => other,
    })
}

impl From<V3> for Affine {
    /// A shift.
    fn from(shift: V3) -> Self {
        Affine { linear: M3::IDENTITY, shift }
    }
}
