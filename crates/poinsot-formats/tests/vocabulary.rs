//! Nothing that a file may say is ignored in silence: every attribute of the vocabulary is read, reported, or listed here with the reason
//! why it changes no motion.
#![allow(clippy::unwrap_used)]

use poinsot_formats::{LoadOptions, load_text};
use std::collections::BTreeSet;
use std::path::Path;

/// How MuJoCo computes, stores and writes, not what it simulates.
const COMPUTING: &str = "
    accel autoreset ccd_iterations ccd_tolerance cone conflict content_type diagexact energy eulerdamp fuse fwdinv impratio inttotal invdiscrete
    ipc island iterations jacobian lengthrange ls_iterations ls_tolerance maxforce memory midphase multiccd nativeccd nconmax njmax nkey
    noslip_iterations noslip_tolerance nstack nuser_actuator nuser_body nuser_cam nuser_geom nuser_jnt nuser_sensor nuser_site nuser_tendon
    nuserdata passthrough savecanonical savecompiled saveinertial sdf_initpoints sdf_iterations simple sleep sleep_tolerance solver speculative
    meaninertia meanmass meansize tolerance tolrange useexisting uselimit usethread warmstart";

/// What is seen; of lights and materials a note says what is not drawn.
const SEEN: &str = "
    actuatorlength actuatornegative actuatorpositive actuatortendon actuatorwidth alpha attenuation azimuth bindpos bindquat bulbradius bv bvactive
    cameraid center colorspace com contactforce contactfriction contactgap contactheight contactpoint contacttorque contactwidth crankbroken
    ellipsoidinertia embed exponent extent focal focalpixel fog fogend fogstart forcewidth framelength framewidth frustum glow haze height hflip
    inflate intensity ipd jointlength jointwidth linewidth metallic nchannel numquads numslices numstacks offheight offsamples offwidth
    orthographic output principal principalpixel projection realtime resolution role roughness selectpoint sensorsize shadowclip shadowscale
    shadowsize slidercrank smoothnormal softness stiffnessrot texcoord vertid vertweight vflip zfar znear";

/// Of elements that are refused, or reported as a whole: flexible bodies, plugins, muscles, pid, dcmotor, sensors that are refused by name; and
/// the shape of a fluid's ellipsoid, which is reported as `fluidshape`.
const OF_OTHERS: &str = "
    activelayers cell cellcount cogging controller datatype dim dof elastic2d element elemtexcoord enclosed flatskin fluidcoef fpmax fvmax grid
    gridrange id imax inductance inertiabox input instance ki lmax lmin lugre motorconst needstage node nodecoord nominal num origin params
    passive point poisson posrange prefix radius reduce resistance rigid saturation section sectionsize selfcollide shear spacing subtree1
    subtree2 tausmooth thermal thickness vmax yield young";

#[test]
fn every_attribute_is_read_or_reported_or_changes_no_motion() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = String::new();
    for folder in ["mjcf", "build", "."] {
        for file in std::fs::read_dir(src.join(folder)).unwrap().map(|f| f.unwrap().path()) {
            let writes = file.file_name().unwrap().to_str().unwrap().starts_with("write");
            if file.extension().is_some_and(|e| e == "rs") && !writes {
                sources.push_str(&std::fs::read_to_string(file).unwrap());
            }
        }
    }
    let vocabulary = std::fs::read_to_string(src.join("mjcf/schema.txt")).unwrap();
    let all: BTreeSet<&str> = vocabulary
        .lines()
        .filter_map(|l| l.split_once(':'))
        .flat_map(|(_, a)| a.split_whitespace())
        .collect();
    let harmless: BTreeSet<&str> =
        [COMPUTING, SEEN, OF_OTHERS].iter().flat_map(|list| list.split_whitespace()).collect();
    let read = |name: &&&str| sources.contains(&format!("\"{name}\""));
    let forgotten: Vec<&&str> = all.iter().filter(|name| !harmless.contains(**name) && !read(name)).collect();
    assert!(forgotten.is_empty(), "neither read nor reported: {forgotten:?}");
    let unknown: Vec<&&str> = harmless.iter().filter(|name| !all.contains(**name)).collect();
    assert!(unknown.is_empty(), "there are no such attributes: {unknown:?}");
}

fn said(name: &str, text: &str) -> String {
    load_text(name, text, &LoadOptions::default()).unwrap().report.to_string()
}

#[test]
fn softness_of_limits_and_friction_is_reported_once() {
    let text = |class: &str| {
        format!(
            "<mujoco><default><joint {class}/></default><worldbody><body><joint name='a' range='-1 1' frictionloss='1'/><joint name='b'
             range='-1 1' axis='1 0 0'/><geom size='.1'/></body></worldbody></mujoco>"
        )
    };
    let soft = said("m.xml", &text("solreflimit='.1 1' solimpfriction='.5 .6 .1'"));
    assert_eq!(soft.matches("not simulated: soft limits (2), soft dry friction (1)").count(), 1, "{soft}");
    let early = said("m.xml", &text("margin='.1'"));
    assert!(early.contains("not simulated: soft limits (2)"), "{early}");
    assert!(!said("m.xml", &text("")).contains("not simulated"));
    let yielding = LoadOptions { soft_limits: true, ..LoadOptions::default() };
    let yielding = load_text("m.xml", &text("solreflimit='.1 1'"), &yielding).unwrap().report.to_string();
    assert!(!yielding.contains("not simulated"), "{yielding}");
}

#[test]
fn attributes_of_geoms_that_move_others_are_reported() {
    let geom = |how: &str| {
        said(
            "m.xml",
            &format!(
                "<mujoco><worldbody><geom type='plane' size='1 1 1' {how}/><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
            ),
        )
    };
    for how in ["surfacevel='1 0 0'", "adhesion='2'"] {
        assert!(geom(how).contains("of <geom> is read, but not simulated"), "{how}: {}", geom(how));
    }
    assert!(!geom("adhesion='0'").contains("not simulated"));
    let robot = "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>
        <collision group='2' mask='1'><geometry><sphere radius='.1'/></geometry></collision>
        <collision><geometry><plane normal='0 1 0'/></geometry></collision></link></robot>";
    let told = said("r.urdf", robot);
    for wanted in ["`group` of <collision> (1)", "`mask` of <collision> (1)", "`normal` of <plane> (1)"] {
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
}

#[test]
fn flags_switch_springs_and_dampers_of_tendons_off_too() {
    let text = "<mujoco><option><flag spring='disable' damper='disable'/></option><worldbody><body><joint name='a'/><geom size='.1'/></body>
        </worldbody><tendon><fixed stiffness='5' damping='3'><joint joint='a' coef='1'/></fixed></tendon></mujoco>";
    let model = load_text("m.xml", text, &LoadOptions::default()).unwrap().model;
    assert_eq!((model.tendons()[0].stiffness, model.tendons()[0].damping), (0.0, 0.0));
}
