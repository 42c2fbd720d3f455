use super::common::{begin, scene};
use poinsot::prelude::*;

/// The scenes, how long each is looked at, what part of its scale the line `integration` may add, and what part that line,
/// contacts, friction and stabilisation may add together. All should add no more than 1e-6. Those that add more are known to, and
/// their bounds, a little above what was measured, keep them from growing: `cradle`, where contacts do no work; `arm-and-box`,
/// `ragdolls` and `fallen-humanoid`, which stay below 1e-6 without contact, and do not get better with shorter steps; `tippe-top`; and `dominoes`, where it is not `integration` that adds. Scenes that are slow are small here, or are looked at for less
/// than 10 s.
const SCENES: [(&str, f64, f64, f64); 25] = [
    ("bounce", 10.0, 1e-6, 1e-6),
    ("oblique", 10.0, 1e-6, 1e-6),
    ("cradle", 10.0, 5e-6, 5e-6),
    ("billiards", 10.0, 1e-6, 1e-6),
    ("shot", 10.0, 1e-6, 1e-6),
    ("penalty", 10.0, 1e-6, 1e-6),
    ("dominoes:5", 3.0, 1e-6, 2e-5),
    ("incline", 10.0, 1e-6, 1e-6),
    ("ladder", 10.0, 1e-6, 1e-6),
    ("table", 10.0, 1e-6, 1e-6),
    ("gripper", 10.0, 1e-6, 1e-6),
    ("pyramid:4", 2.0, 1e-6, 1e-6),
    ("wall:2", 2.0, 1e-6, 1e-6),
    ("mass-ratio", 10.0, 1e-6, 1e-6),
    ("arch:113", 10.0, 1e-6, 1e-6),
    ("pit:8", 2.0, 1e-6, 1e-6),
    ("euler-disk", 10.0, 1e-6, 1e-6),
    ("tippe-top", 10.0, 2e-6, 1e-6),
    ("rattleback", 10.0, 1e-6, 1e-6),
    ("ragdoll", 4.0, 1e-6, 1e-6),
    ("arm-and-box", 10.0, 2e-4, 5e-6),
    ("stepladder", 10.0, 1e-6, 1e-6),
    ("painleve", 10.0, 1e-6, 1e-6),
    ("ragdolls:2", 2.0, 1e-3, 1e-6),
    ("fallen-humanoid", 2.0, 9e-3, 1e-6),
];

/// No scene gains energy but by what is said above, at any time of its run: neither by the method, nor by it, contacts and what
/// pushes bodies out of each other together. Every ledger closes.
#[test]
fn no_scene_gains_energy() {
    let mut failed = Vec::new();
    for (name, until, part, all_parts) in SCENES {
        let scene = scene(name);
        let mut s = begin(&scene);
        let (mut most, mut given) = (0.0f64, 0.0f64);
        // what can be lifted: of scenes at rest the kinetic energy is round-off
        let fall = scene.model.mass() * scene.model.gravity().norm() * 0.01;
        while s.state().time < until {
            s.advance(10, scene.dt).unwrap();
            let ledger = s.ledger().unwrap();
            let scale = ledger.scale().max(fall);
            most = most.max(ledger.total().work(Line::Integration) / scale);
            // contacts store energy where they are springs, and give no more back than that
            let all = [Line::Contact, Line::Friction, Line::Stabilisation, Line::Integration];
            given = given.max(all.map(|line| ledger.total().work(line)).iter().sum::<f64>() / scale);
        }
        let ledger = s.ledger().unwrap();
        let off = ledger.total().imbalance().abs() / ledger.scale().max(fall);
        println!(
            "{name:12} {most:+.1e} of {:.1e} J; stabilisation {:+.1e}; with contact {given:+.1e}",
            ledger.scale(),
            ledger.total().work(Line::Stabilisation) / ledger.scale().max(fall)
        );
        if most > part || given > all_parts || off > 1e-12 {
            failed.push(format!("{name}: integration {most:e}, with contact {given:e}, imbalance {off:e}"));
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
