//! Links on fixed joints become part of their parents.

use crate::description::{Body, Description};
use poinsot_core::spatial::Pose;

/// Merges every body without a joint into its parent, except those on the world, whose mass would be lost.
pub(super) fn merge_fixed(d: &mut Description) {
    let bodies = std::mem::take(&mut d.bodies);
    // for each old body: the new one it is part of, and its pose there
    let mut at: Vec<(usize, Pose)> = Vec::with_capacity(bodies.len());
    for (k, mut body) in bodies.into_iter().enumerate() {
        if k == 0 {
            at.push((0, Pose::IDENTITY));
            d.bodies.push(body);
            continue;
        }
        let (carrier, pose) = at[body.parent];
        let here = pose * body.pose;
        if body.joints.is_empty() && carrier != 0 {
            absorb(&mut d.bodies[carrier], body, here);
            at.push((carrier, here));
        } else {
            (body.parent, body.pose) = (carrier, here);
            at.push((d.bodies.len(), Pose::IDENTITY));
            d.bodies.push(body);
        }
    }
}

fn absorb(carrier: &mut Body, part: Body, pose: Pose) {
    carrier.inertia = carrier.inertia + part.inertia.seen_from(pose);
    carrier.geoms.extend(part.geoms.into_iter().map(|mut g| {
        g.geom.pose = pose * g.geom.pose;
        g
    }));
    carrier.sites.extend(part.sites.into_iter().map(|mut s| {
        s.pose = pose * s.pose;
        s
    }));
    carrier.cameras.extend(part.cameras.into_iter().map(|mut c| {
        c.pose = pose * c.pose;
        c
    }));
}
