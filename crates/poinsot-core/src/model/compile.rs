//! Compiles bodies and joints to the links that the sweeps run over.
//!
//! A *link* is one elementary joint with the inertia behind it. Bodies become links as follows:
//! - links are in depth-first order; link 0 is the world; a parent comes before its children;
//! - a body fixed to its parent is merged into the parent's link;
//! - several joints on one body, and joints with more than one axis (cylindrical, universal, planar), become a chain of links of which only
//!   the last has mass;
//! - frames are *z-canonical*: the origin of a link is its joint's anchor and every axis is its z axis, so a sweep needs no axis;
//! - constants are stored for eight links side by side, in the layout of the sweeps (`[field; lanes]`).

use super::builder::Defects;
use super::redundancy::check_redundancy;
use super::{Body, Joint, JointKind, ModelError};
use crate::algebra::{Lanes, M3, V3};
use crate::spatial::{Inertia, Pose};
use std::ops::Range;

/// The elementary joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The world: no motion.
    World,
    /// Rotation about z.
    Hinge,
    /// Rotation about z by a q with translation along z by b q: prismatic (0, 1) and helical (1, pitch).
    Screw,
    /// Any rotation; velocities in link axes.
    Ball,
    /// Any motion; linear velocity in the axes of the joint frame on the parent, angular in link axes.
    Free,
}

impl Kind {
    /// The number of degrees of freedom.
    #[inline(always)]
    pub fn nv(self) -> usize {
        match self {
            Kind::World => 0,
            Kind::Hinge | Kind::Screw => 1,
            Kind::Ball => 3,
            Kind::Free => 6,
        }
    }
}

/// The compiled model.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub nq: usize,
    pub nv: usize,
    /// For each link: its parent; the world is its own parent.
    pub parent: Vec<usize>,
    pub kind: Vec<Kind>,
    /// For each link: true if one of its children does not come right after it.
    pub fork: Vec<bool>,
    /// For each link that does not come right after its parent: true if it is the last such sibling, which an inward sweep reaches first.
    pub opens: Vec<bool>,
    /// For each link: true if its full rotation is needed again later, by a child that does not come right after it, by its own joint or by
    /// a free child.
    pub whole: Vec<bool>,
    /// For each link: its first index in qpos and in qvel. `q` is padded with 0 to whole blocks.
    pub q: Vec<usize>,
    pub v: Vec<usize>,
    /// Runs of blocks of eight [loose](Tree::is_loose) links, and the runs between them.
    pub loose: Vec<Range<usize>>,
    pub bound: Vec<Range<usize>>,
    /// For each degree of freedom: rotor inertia.
    pub armature: Vec<f64>,
    /// A velocity vector of zeros.
    pub rest: Vec<f64>,
    /// `X_PL` at the reference: rotation by columns, position. Blocks of eight links.
    pub frame: Vec<[Lanes<8>; 12]>,
    /// Rotation and translation per unit of q, and the reference coordinate. Blocks of eight links.
    pub screw: Vec<[Lanes<8>; 3]>,
    /// m, h, I about the link's origin. Blocks of eight links.
    pub inertia: Vec<[Lanes<8>; 10]>,
}

/// A link during compilation.
pub(super) struct Draft {
    pub parent: usize,
    pub kind: Kind,
    pub frame: Pose,
    pub screw: [f64; 3],
    pub inertia: Inertia,
    pub joint: usize,
    q: usize,
    v: usize,
}

impl Tree {
    pub fn links(&self) -> usize {
        self.parent.len()
    }

    /// The indices of all blocks of eight links.
    pub fn blocks(&self) -> Range<usize> {
        0..self.links().div_ceil(8)
    }

    /// True for a link on a free joint to the world, without rotors in its joint.
    #[inline(always)]
    pub fn floats(&self, link: usize, armature: &[f64]) -> bool {
        let v = self.v[link];
        self.parent[link] == 0 && self.kind[link] == Kind::Free && armature[v..v + 6] == [0.0; 6]
    }

    /// True for a link that [floats](Tree::floats) and has no children: it does not affect any other link.
    pub fn is_loose(&self, link: usize) -> bool {
        let carries = self.fork[link] || self.parent.get(link + 1) == Some(&link);
        !carries && self.floats(link, &self.armature)
    }

    /// Divides the blocks of eight links into runs of loose ones and runs of the others. A subtree is contiguous, so the parent of a link
    /// is in the same run, or is the world.
    fn divide(&mut self) {
        let links = self.links();
        for block in self.blocks() {
            let loose = 8 * block + 8 <= links && (8 * block..8 * block + 8).all(|i| self.is_loose(i));
            let runs = if loose { &mut self.loose } else { &mut self.bound };
            match runs.last_mut() {
                Some(run) if run.end == block => run.end += 1,
                _ => runs.push(block..block + 1),
            }
        }
    }

    /// `X_PL` at the reference.
    pub fn frame_of(&self, link: usize) -> Pose {
        let c = self.frame[link / 8].map(|field| field.0[link % 8]);
        let column = |k: usize| V3::new(c[k], c[k + 1], c[k + 2]);
        Pose { rot: M3::columns(column(0), column(3), column(6)), pos: column(9) }
    }

    /// The inertia of a link about its own origin.
    pub fn inertia_of(&self, link: usize) -> Inertia {
        let c = self.inertia[link / 8].map(|field| field.0[link % 8]);
        Inertia {
            mass: c[0],
            first_moment: V3::new(c[1], c[2], c[3]),
            rotational: [c[4], c[5], c[6], c[7], c[8], c[9]].into(),
        }
    }

    /// The tree with only the compensated masses: that of each body times its gravity compensation. Moments of inertia are omitted, since
    /// only the gravity term of this tree is needed.
    pub fn carried(&self, bodies: &[Body]) -> Option<Tree> {
        let carried = |b: &&Body| b.gravity_compensation != 0.0 && b.inertia.mass != 0.0;
        bodies.iter().find(carried)?;
        let mut tree = self.clone();
        tree.inertia.fill([Lanes([0.0; 8]); 10]);
        for body in bodies.iter().filter(carried) {
            let own = body.inertia.seen_from(body.pose_in_link);
            let V3 { x, y, z } = own.first_moment;
            for (cell, part) in tree.inertia[body.link / 8].iter_mut().zip([own.mass, x, y, z]) {
                cell.0[body.link % 8] += body.gravity_compensation * part;
            }
        }
        Some(tree)
    }

    /// Rotation and translation per unit of q, and the reference coordinate.
    pub fn screw_of(&self, link: usize) -> [f64; 3] {
        self.screw[link / 8].map(|field| field.0[link % 8])
    }

    pub fn compile(
        bodies: &mut [Body],
        joints: &[Joint],
        nq: usize,
        nv: usize,
        defects: &mut Defects,
    ) -> Result<Tree, ModelError> {
        let mut links = vec![Draft {
            parent: 0,
            kind: Kind::World,
            frame: Pose::IDENTITY,
            screw: [0.0; 3],
            inertia: Inertia::ZERO,
            joint: 0,
            q: 0,
            v: 0,
        }];
        for index in depth_first(bodies) {
            place_body(index, bodies, joints, &mut links);
        }
        check_inertias(&links, bodies, joints, defects)?;
        if let Err(error) = check_redundancy(&links, joints) {
            defects.meet(error)?;
        }
        let mut fork = vec![false; links.len()];
        for (i, link) in links.iter().enumerate().skip(1) {
            fork[link.parent] |= link.parent + 1 != i;
        }
        let mut opens = vec![false; links.len()];
        let mut seen = vec![false; links.len()];
        for (i, link) in links.iter().enumerate().skip(1).rev() {
            if link.parent + 1 != i {
                opens[i] = !std::mem::replace(&mut seen[link.parent], true);
            }
        }
        let mut whole = fork.clone();
        for (i, link) in links.iter().enumerate().skip(1) {
            whole[i] |= matches!(link.kind, Kind::Ball | Kind::Free);
            whole[link.parent] |= link.kind == Kind::Free;
        }
        let mut armature = vec![0.0; nv];
        for joint in joints {
            armature[joint.dofs()].fill(joint.armature);
        }
        let mut tree = Tree {
            nq,
            nv,
            parent: links.iter().map(|l| l.parent).collect(),
            kind: links.iter().map(|l| l.kind).collect(),
            fork,
            opens,
            whole,
            q: links.iter().map(|l| l.q).chain([0; 7]).collect(),
            v: links.iter().map(|l| l.v).collect(),
            loose: Vec::new(),
            bound: Vec::new(),
            armature,
            rest: vec![0.0; nv],
            frame: blocks(&links, |l| {
                let (r, p) = (l.frame.rot, l.frame.pos);
                [r.x.x, r.x.y, r.x.z, r.y.x, r.y.y, r.y.z, r.z.x, r.z.y, r.z.z, p.x, p.y, p.z]
            }),
            screw: blocks(&links, |l| l.screw),
            inertia: blocks(&links, |l| {
                let (m, h, i) = (l.inertia.mass, l.inertia.first_moment, l.inertia.rotational);
                [m, h.x, h.y, h.z, i.xx, i.xy, i.xz, i.yy, i.yz, i.zz]
            }),
        };
        tree.divide();
        Ok(tree)
    }
}

/// The bodies, parents first, each subtree contiguous; children in the order they were added.
fn depth_first(bodies: &[Body]) -> Vec<usize> {
    let mut children = vec![Vec::new(); bodies.len()];
    for (k, b) in bodies.iter().enumerate().skip(1) {
        children[b.parent.0].push(k);
    }
    let (mut order, mut stack) = (Vec::with_capacity(bodies.len()), vec![0]);
    while let Some(k) = stack.pop() {
        order.push(k);
        stack.extend(children[k].iter().rev());
    }
    order
}

/// Appends the links of one body and merges its inertia into the last of them.
fn place_body(index: usize, bodies: &mut [Body], joints: &[Joint], links: &mut Vec<Draft>) {
    let body = &bodies[index];
    let parent = &bodies[body.parent.0];
    let (mut link, x_parent) = (parent.link, parent.pose_in_link);
    // the pose of the body frame in the current link, all joints so far at their reference
    let mut x_lb = if index == 0 { Pose::IDENTITY } else { x_parent * body.pose };
    for (number, joint) in joints.iter().enumerate().take(body.joints.end).skip(body.joints.start) {
        for (k, (kind, axes, screw)) in elementary(joint).into_iter().enumerate() {
            let x_bl = Pose { rot: axes, pos: joint.anchor };
            let free = kind == Kind::Free;
            links.push(Draft {
                parent: link,
                kind,
                // a free body's coordinates are its pose in the parent: the pose of the model is not added
                frame: if free { x_parent } else { x_lb * x_bl },
                screw,
                inertia: Inertia::ZERO,
                joint: number,
                q: joint.first_q + k,
                v: joint.first_v + k,
            });
            link = links.len() - 1;
            x_lb = if free { Pose::IDENTITY } else { x_bl.inverse() };
        }
    }
    let own = body.inertia.seen_from(x_lb);
    links[link].inertia = links[link].inertia + own;
    (bodies[index].link, bodies[index].pose_in_link) = (link, x_lb);
}

/// Splits a joint into a chain of elementary ones: kind, link axes in body axes, (rotation, translation, reference).
fn elementary(joint: &Joint) -> Vec<(Kind, M3, [f64; 3])> {
    let reference = joint.reference;
    let hinge = |axis| (Kind::Hinge, axes_with_z(axis), [1.0, 0.0, reference]);
    let slide = |axis| (Kind::Screw, axes_with_z(axis), [0.0, 1.0, reference]);
    match joint.kind {
        JointKind::Fixed => vec![],
        JointKind::Revolute { axis } => vec![hinge(axis)],
        JointKind::Prismatic { axis } => vec![slide(axis)],
        JointKind::Helical { axis, pitch } => {
            vec![(Kind::Screw, axes_with_z(axis), [1.0, pitch, reference])]
        }
        JointKind::Cylindrical { axis } => vec![slide(axis), hinge(axis)],
        JointKind::Universal { first, second } => vec![hinge(first), hinge(second)],
        JointKind::Planar { normal } => {
            let plane = axes_with_z(normal);
            vec![slide(plane.x), slide(plane.y), hinge(normal)]
        }
        JointKind::Spherical => vec![(Kind::Ball, M3::IDENTITY, [0.0; 3])],
        JointKind::Free => vec![(Kind::Free, M3::IDENTITY, [0.0; 3])],
    }
}

/// Right-handed axes with the given z; the unit axes give exact permutations.
pub(crate) fn axes_with_z(z: V3) -> M3 {
    // the unit axis after the largest component of z is never parallel to it
    let a = [z.x.abs(), z.y.abs(), z.z.abs()];
    let seed = if a[0] >= a[1] && a[0] >= a[2] {
        V3::Y
    } else if a[1] >= a[2] {
        V3::Z
    } else {
        V3::X
    };
    let x = seed - z * seed.dot(z);
    let x = x.unit().unwrap_or(seed);
    M3::columns(x, z.cross(x), z)
}

fn blocks<const K: usize>(links: &[Draft], fields: impl Fn(&Draft) -> [f64; K]) -> Vec<[Lanes<8>; K]> {
    let mut out = vec![[Lanes([0.0; 8]); K]; links.len().div_ceil(8)];
    for (i, link) in links.iter().enumerate() {
        for (cell, x) in out[i / 8].iter_mut().zip(fields(link)) {
            cell.0[i % 8] = x;
        }
    }
    out
}

/// Checks that every joint moves some inertia; for a leaf this does not depend on the configuration.
fn check_inertias(
    links: &[Draft],
    bodies: &[Body],
    joints: &[Joint],
    defects: &mut Defects,
) -> Result<(), ModelError> {
    let mut mass: Vec<f64> = links.iter().map(|l| l.inertia.mass).collect();
    let mut leaf = vec![true; links.len()];
    for i in (1..links.len()).rev() {
        mass[links[i].parent] += mass[i];
        leaf[links[i].parent] = false;
    }
    for (i, link) in links.iter().enumerate().skip(1) {
        let joint = &joints[link.joint];
        if joint.armature > 0.0 {
            continue;
        }
        let i_l = link.inertia.rotational;
        let tiny = 1e-14 * i_l.trace();
        let still = |moment: f64| leaf[i] && moment <= tiny;
        let without_inertia = match link.kind {
            Kind::World => false,
            Kind::Hinge => still(i_l.zz),
            Kind::Screw => {
                still(link.screw[0] * link.screw[0] * i_l.zz + link.screw[1] * link.screw[1] * mass[i])
            }
            Kind::Ball => still(smallest_eigenvalue(i_l)),
            Kind::Free => still(smallest_eigenvalue(link.inertia.about_com())),
        };
        if mass[i] == 0.0 || without_inertia {
            // joints are numbered body by body, so the range of a body without joints ends where that of the previous one does
            let body = bodies.partition_point(|b| b.joints.end <= link.joint);
            defects.meet(ModelError::Massless {
                body: bodies.get(body).map(|b| b.name.clone()).unwrap_or_default(),
                joint: joint.name.clone(),
                what: if mass[i] == 0.0 { "everything" } else { "the last body" },
            })?;
        }
    }
    Ok(())
}

fn smallest_eigenvalue(i: crate::algebra::Sym3) -> f64 {
    crate::spatial::eigen3(i).0.min()
}
