//! The models are worth trying: every kind of joint occurs, free ones below bodies, several on one body, rotors.

use crate::common::*;
use poinsot_core::model::{BodyId, JointKind};

#[test]
fn the_zoo_has_every_kind_of_joint() {
    let models = models();
    let joints = || models.iter().flat_map(|m| m.joints());
    let words = [
        "fixed",
        "revolute",
        "prismatic",
        "helical",
        "cylindrical",
        "universal",
        "spherical",
        "planar",
        "free",
    ];
    for word in words {
        assert!(joints().filter(|j| j.kind.word() == word).count() >= 3, "{word}");
    }
    assert!(joints().filter(|j| j.armature > 0.0).count() > 10);
    let mut below = 0;
    for m in &models {
        let hanging = m.bodies()[1..].iter().filter(|b| b.parent != BodyId::WORLD);
        below += hanging
            .filter(|b| m.joints()[b.joints.clone()].iter().any(|j| j.kind == JointKind::Free))
            .count();
    }
    assert!(below > 3);
    let several = models.iter().flat_map(|m| m.bodies()).filter(|b| b.joints.len() > 1).count();
    let melted = models.iter().flat_map(|m| &m.bodies()[1..]).filter(|b| b.joints.is_empty()).count();
    assert!(several > 5 && melted > 5);
}
