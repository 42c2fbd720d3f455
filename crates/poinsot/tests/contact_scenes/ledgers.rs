use super::common::{begin, scene};
use poinsot::prelude::*;

/// The scenes, how long each is looked at, and what part of its scale the method may add to the energy. What is more than 1e-6
/// is a shortcoming and said here: of trees that collide (arm-and-box, ragdoll) and of crowds (pit) the books of a
/// collision are not exact; where a body rolls on an edge or with a curved surface, on a hinge or fast, leapfrog errs at its order.
const SCENES: [(&str, f64, f64); 22] = [
    ("bounce", 10.0, 1e-6),
    ("oblique", 10.0, 1e-6),
    ("cradle", 10.0, 1e-5),
    ("billiards", 10.0, 1e-6),
    ("shot", 10.0, 1e-6),
    ("penalty", 10.0, 1e-6),
    ("dominoes:5", 3.0, 1e-5),
    ("incline", 10.0, 1e-6),
    ("ladder", 10.0, 1e-6),
    ("table", 10.0, 1e-6),
    ("gripper", 10.0, 1e-6),
    ("pyramid:4", 2.0, 1e-6),
    ("wall:2", 2.0, 1e-6),
    ("mass-ratio", 10.0, 1e-6),
    ("arch:113", 10.0, 1e-6),
    ("pit:8", 2.0, 1e-2),
    ("euler-disk", 10.0, 1e-5),
    ("tippe-top", 10.0, 1e-6),
    ("rattleback", 10.0, 1e-4),
    ("ragdoll", 4.0, 1e-3),
    ("arm-and-box", 10.0, 2e-4),
    ("stepladder", 10.0, 1e-6),
];

/// No scene gains energy but by what is said above, in its whole run or at any time of it; and every ledger closes.
#[test]
fn no_scene_gains_energy() {
    let mut failed = Vec::new();
    for (name, until, part) in SCENES {
        let scene = scene(name);
        let mut s = begin(&scene);
        let mut most = 0.0f64;
        // what can be lifted: of scenes at rest the kinetic energy is round-off
        let fall = scene.model.mass() * scene.model.gravity().norm() * 0.01;
        while s.state().time < until {
            s.advance(10, scene.dt).unwrap();
            let ledger = s.ledger().unwrap();
            most = most.max(ledger.total().work(Line::Integration) / ledger.scale().max(fall));
        }
        let ledger = s.ledger().unwrap();
        let off = ledger.total().imbalance().abs() / ledger.scale().max(fall);
        println!(
            "{name:12} {most:+.1e} of {:.1e} J; stabilisation {:+.1e}",
            ledger.scale(),
            ledger.total().work(Line::Stabilisation) / ledger.scale().max(fall)
        );
        if most > part || off > 1e-12 {
            failed.push(format!("{name}: integration {most:e}, imbalance {off:e}"));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// All scenes with contact are above.
#[test]
fn all_scenes_with_contact_are_looked_at() {
    for (name, _) in poinsot::scenes::SCENES {
        let plain = name.split(':').next().unwrap();
        let touches = scene(&name.replace(":N", ":3")).contact.is_some();
        let looked_at = SCENES.iter().any(|(n, ..)| n.split(':').next() == Some(plain));
        assert_eq!(touches, looked_at, "{name}");
    }
}
