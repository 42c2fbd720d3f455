//! Unreachable targets: a point is never farther from the first joint than the total length of the links between them.

use super::Target;
use crate::model::{Frame, Kind, Model};

/// True if some target position is out of reach for any configuration.
pub(super) fn out_of_reach(model: &Model, targets: &[Target], limits: bool) -> bool {
    targets.iter().any(|target| match *target {
        Target::Position(frame, p) => too_far(model, frame, p, limits),
        Target::Pose(frame, x) => too_far(model, frame, x.pos, limits),
        Target::Orientation(..) | Target::CentreOfMass(_) => false,
    })
}

fn too_far(model: &Model, frame: Frame, point: crate::algebra::V3, limits: bool) -> bool {
    let (tree, body) = (&model.tree, &model.bodies()[frame.body.index()]);
    let mut link = body.link;
    if link == 0 {
        return false;
    }
    let mut length = body.pose_in_link.point(frame.pose.pos).norm();
    loop {
        let offset = tree.frame_of(link).pos;
        match tree.kind[link] {
            Kind::World => return false,
            Kind::Hinge | Kind::Ball => {}
            Kind::Screw => match slide(model, link).filter(|_| limits) {
                Some(most) => length += most,
                None => return false,
            },
            Kind::Free => return false,
        }
        if tree.parent[link] == 0 {
            // the sum of lengths is rounded
            return (point - offset).norm() > length * (1.0 + 1e-12) + 1e-12;
        }
        length += offset.norm();
        link = tree.parent[link];
    }
}

/// The largest translation of a slide, within its limits.
fn slide(model: &Model, link: usize) -> Option<f64> {
    let (dof, [_, advance, reference]) = (model.tree.v[link], model.tree.screw_of(link));
    let joint = model.joints().iter().find(|j| j.dofs().contains(&dof))?;
    let (lower, upper) = joint.limits.filter(|_| joint.kind.nv() == 1)?;
    Some(advance.abs() * (lower - reference).abs().max((upper - reference).abs()))
}
