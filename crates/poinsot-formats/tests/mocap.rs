//! What is tied to a mocap body yields as `solref` has it.
#![allow(clippy::unwrap_used)]

use poinsot_core::model::Softness;
use poinsot_formats::{LoadOptions, load_text};

/// A ball of 2 kg on a free joint, 1 m from the mocap body.
fn text(equality: &str) -> String {
    format!(
        "<mujoco><worldbody>
           <body name='hand' mocap='true'><body name='palm' pos='0 0 1'/></body>
           <body name='ball' pos='0 0 2'><freejoint/><geom size='.1' mass='2'/></body>
         </worldbody><equality>{equality}</equality></mujoco>"
    )
}

#[test]
fn what_is_tied_to_mocap_bodies_is_a_spring_with_a_damper() {
    let inertia = 0.4 * 2.0 * 0.1 * 0.1;
    for (equality, k, d) in [
        ("<weld body1='hand' body2='ball'/>", 1.0 / (0.02 * 0.02), 2.0 / 0.02),
        ("<weld body1='ball' body2='palm' solref='.1 .5'/>", 1.0 / (0.05 * 0.05), 2.0 / 0.1),
        ("<connect body1='ball' body2='hand' anchor='0 0 0' solref='-300 -20'/>", 300.0, 20.0),
    ] {
        let loaded = load_text("m.xml", &text(equality), &LoadOptions::default()).unwrap();
        let [constraint] = loaded.model.constraints() else { panic!("{equality}") };
        let Softness { stiffness, damping, turning_stiffness, turning_damping } =
            constraint.softness.unwrap();
        for (ours, exact) in [
            (stiffness, 2.0 * k),
            (damping, 2.0 * d),
            (turning_stiffness, inertia * k),
            (turning_damping, inertia * d),
        ] {
            assert!((ours - exact).abs() < 1e-9 * exact, "{equality}: {ours} and {exact}");
        }
        let said = loaded.report.diagnostics().iter().filter(|d| d.code == "mjcf::soft-mocap").count();
        assert_eq!(said, 1);
        assert!(!loaded.report.to_string().contains("taken as rigid"), "{}", loaded.report);
    }
    // all else is rigid
    let fixed = text("<weld body1='ball' solref='.1 .5'/>");
    let loaded = load_text("m.xml", &fixed, &LoadOptions::default()).unwrap();
    assert!(loaded.model.constraints()[0].softness.is_none());
    assert!(loaded.report.to_string().contains("taken as rigid"));
}
