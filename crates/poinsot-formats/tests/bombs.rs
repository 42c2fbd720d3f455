//! Small files that ask for much: of memory, of time, of the stack. Each is read or refused within seconds.
#![allow(clippy::unwrap_used)]

use poinsot_formats::{Loaded, load, load_text, parse_mesh, read_mesh};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Seconds for anything here in a release build, on a machine that does other things as well.
const MOST: Duration = Duration::from_secs(if cfg!(debug_assertions) { 240 } else { 30 });

/// The model, or what is said instead; in time.
fn read(text: &str) -> Result<Loaded, String> {
    let begin = Instant::now();
    let outcome = load_text("m.xml", text, &Default::default());
    let outcome = outcome.map_err(|error| error.to_string());
    if let Ok(loaded) = &outcome {
        let _ = loaded.report.to_string();
    }
    assert!(begin.elapsed() < MOST, "took {:?}: {:.200}", begin.elapsed(), text);
    outcome
}
fn refused(text: &str) -> String {
    let said = read(text).map(|l| l.model.nv()).unwrap_err();
    assert!(said.len() < 3_000_000, "{} bytes of words", said.len());
    said
}
fn world(inside: &str) -> String {
    format!("<mujoco><worldbody>{inside}</worldbody></mujoco>")
}
fn many(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect()
}

#[test]
fn what_the_xml_parser_cannot_do() {
    // comments that begin like whole ones hide the closing tags from a hasty count of the depth
    let hidden = "<mujoco>".to_string() + &"<body><!--></body>-->".repeat(300_000);
    assert!(refused(&hidden).contains("xml::too-deep"));
    let attributes = many(100_000, |k| format!(" a{k}='1'"));
    assert!(refused(&format!("<mujoco{attributes}/>")).contains("xml::too-many-attributes"));
    let spaces = many(15_000, |k| format!("<body xmlns:a{k}='b'>"));
    assert!(refused(&world(&spaces)).contains("xml::too-many-namespaces"));
    // one line of many megabytes, with a fault at every step
    let line = world(&many(300_000, |k| format!("<body nam='{k}'/>")));
    assert!(read(&line).is_ok_and(|l| l.report.unlisted() > 290_000));
    let laughs = many(9, |k| format!("<!ENTITY a{} \"{}\">", k + 1, format!("&a{k};").repeat(10)));
    let laughs = format!("<!DOCTYPE a [<!ENTITY a0 \"ha\">{laughs}]><robot name=\"&a9;\"/>");
    assert!(refused(&laughs).contains("DTD"));
}

#[test]
fn as_many_faults_as_names() {
    let n = 100_000;
    let twice = world(&"<body name='b'/>".repeat(n));
    assert!(refused(&twice).contains("another body named"));
    let bodies = many(n, |k| format!("<body name='arm{k}'><joint name='j{k}'/></body>"));
    let motors = many(n, |k| format!("<motor joint='h{k}'/>"));
    let text = format!("<mujoco><worldbody>{bodies}</worldbody><actuator>{motors}</actuator></mujoco>");
    assert!(refused(&text).contains("did you mean \"j0\"?"));
    // joints that move no mass, each of them a defect of the model
    assert!(read(&world(&bodies)).is_ok_and(|l| l.model.is_singular()));
    let links = format!("<robot name='r'>{}</robot>", "<link name='a'/>".repeat(n));
    assert!(refused(&links).contains("urdf::duplicate-name"));
    let joints = many(n, |k| {
        format!("<joint name='j{k}' type='fixed'><parent link='a'/><child link='x{k}'/></joint>")
    });
    assert!(
        refused(&format!("<robot name='r'><link name='a'/>{joints}</robot>")).contains("urdf::unknown-link")
    );
    let word = "x".repeat(5_000_000);
    let long =
        format!("<mujoco><{word} {word}='1'/><option integrator='{word}' timestep='{word}'/></mujoco>");
    assert!(refused(&long).contains("mjcf::bad-number"));
}

fn chain(n: usize, more: impl Fn(usize) -> String) -> String {
    let mut urdf = String::from("<robot name='chain'><link name='l0'/>");
    for k in 1..=n {
        let (p, more) = (k - 1, more(k));
        let inertial = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";
        write!(urdf, "<link name='l{k}'>{inertial}</link><joint name='j{k}' type='continuous'>").unwrap();
        write!(urdf, "<parent link='l{p}'/><child link='l{k}'/>{more}</joint>").unwrap();
    }
    urdf + "</robot>"
}

#[test]
fn long_urdf_chains() {
    let n = 100_000;
    assert!(read(&chain(n, |_| String::new())).is_ok_and(|l| l.model.nv() == n));
    let mimics = chain(n, |k| format!("<mimic joint='j{}'/>", k % n + 1));
    assert!(read(&mimics).is_ok_and(|l| l.description.equalities.len() == n));
    // all in one cycle, next to a root
    let cycle = chain(n, |_| String::new()).replace("<parent link='l0'/>", &format!("<parent link='l{n}'/>"));
    assert!(refused(&cycle).contains("urdf::cycle"));
}

#[test]
fn replicas_that_multiply() {
    let bodies = "<body><geom size='1'/></body>".repeat(1000);
    let wide = format!("<replicate count='100000'>{bodies}</replicate>");
    assert!(refused(&world(&wide)).contains("mjcf::too-many"));
    let text = "x".repeat(1_000_000);
    let named = format!("<replicate count='10000'><body name='{text}'/></replicate>");
    assert!(refused(&world(&named)).contains("mjcf::too-many"));
    let separated = format!("<replicate count='10000' sep='{text}'><body name='a'/></replicate>");
    assert!(refused(&world(&separated)).contains("mjcf::too-many"));
    for count in ["0", "-1", "1e300", "nan", "1.5", "", "99999999999999999999"] {
        let said = refused(&world(&format!("<replicate count='{count}'><body/></replicate>")));
        assert!(said.contains("m.xml:1:"), "{said}");
    }
}

#[test]
fn defaults_that_multiply() {
    let model = |defaults: &str| format!("<mujoco><default>{defaults}</default></mujoco>");
    assert!(refused(&model(&"<geom size='1'/>".repeat(100_000))).contains("mjcf::too-many"));
    let tags = many(3000, |k| format!("<t{k}/>"));
    let classes = many(30_000, |k| format!("<default class='c{k}'/>"));
    assert!(refused(&model(&(tags + &classes))).contains("mjcf::too-many"));
    let long = format!("<texture builtin='{}'/>", "x".repeat(1_000_000));
    assert!(refused(&model(&long)).contains("mjcf::too-many"));
}

#[test]
fn gains_of_many_springs() {
    // trees of their own are done together; one tree of so many is refused
    let one = "<body><joint axis='0 1 0' springdamper='1 1'/><geom size='1' pos='1 0 0'/></body>";
    let field = read(&world(&one.repeat(50_000))).unwrap();
    let joints = field.model.joints();
    assert!(joints[0].stiffness > 0.0 && joints[0].stiffness == joints[49_999].stiffness);
    let tree = format!("<body><freejoint/><geom size='1'/>{}</body>", one.repeat(50_000));
    assert!(refused(&world(&tree)).contains("too long to find"));
}

#[test]
fn tendons_keys_and_servos_by_the_ten_thousand() {
    let n = 20_000;
    let bodies = many(n, |k| {
        format!(
            "<body><joint name='j{k}' axis='0 1 0' range='-1 1' ref='.1'/><geom size='1' pos='1 0 0'/></body>"
        )
    });
    let tendons = many(n, |k| format!("<fixed stiffness='1'><joint joint='j{k}' coef='1'/></fixed>"));
    let servos = many(n, |k| format!("<position joint='j{k}' inheritrange='1' dampratio='1'/>"));
    let keys = "<key time='1'/>".repeat(n);
    let text = format!(
        "<mujoco><worldbody>{bodies}</worldbody><tendon>{tendons}</tendon><actuator>{servos}</actuator>
         <keyframe>{keys}</keyframe></mujoco>"
    );
    assert!(read(&text).is_ok_and(|l| l.model.actuators().len() == n && l.model.tendons().len() == n));
}

#[test]
fn files_without_an_end_and_files_that_may_not_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| std::fs::write(path(name), text).unwrap();
    let said = |name: &str| load(path(name)).unwrap_err().to_string();
    write("include.xml", "<mujoco>\n <include file='/dev/zero'/></mujoco>");
    assert!(said("include.xml").contains("include.xml:2:11") && said("include.xml").contains("/dev/zero"));
    for (file, wanted) in [("/dev/zero.stl", "/dev/zero.stl"), (".", "folder"), ("none.stl", "none.stl")] {
        let mesh = format!(
            "<mujoco><asset>\n<mesh name='m' file='{file}'/></asset><worldbody><body><joint/>
             <geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
        );
        write("mesh.xml", &mesh);
        assert!(said("mesh.xml").contains("mesh.xml:2:1") && said("mesh.xml").contains(wanted), "{file}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        symlink("/dev/zero", path("zero.stl")).unwrap();
        assert!(read_mesh(&path("zero.stl")).is_err_and(|e| e.to_string().contains("not a file")));
        write("secret.xml", "<mujoco/>");
        std::fs::set_permissions(path("secret.xml"), PermissionsExt::from_mode(0o000)).unwrap();
        // root may read anything
        if std::fs::read(path("secret.xml")).is_err() {
            assert!(said("secret.xml").contains("secret.xml"));
        }
    }
}

/// An include may name any file of the machine: what is no MJCF is not shown.
#[test]
fn includes_show_nothing_of_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| std::fs::write(path(name), text).unwrap();
    let said = |named: &str| {
        write("main.xml", &format!("<mujoco><include file='{named}'/></mujoco>"));
        load(path("main.xml")).map_or_else(|e| e.to_string(), |loaded| loaded.report.to_string())
    };
    std::fs::create_dir(path("in")).unwrap();
    for text in [
        "sesame:x:0:0",
        "<sesame",
        "<conf>\n<!-- sesame --><key>sesame</key> &sesame; </conf>",
        "{\"sesame\": 1}",
    ] {
        write("plain", text);
        for named in ["plain", "in/../plain", &path("plain").display().to_string()] {
            let said = said(named);
            assert!(!said.contains("sesame"), "{said}");
            assert!(said.contains("main.xml:1:18: error[mjcf::not-mjcf]"), "{said}");
        }
    }
    // XML of another kind is taken, as MuJoCo takes it, but not shown
    write("plain", "<conf><word secret='sesame'/></conf>");
    assert!(!said("plain").contains("sesame"));
    // what begins as MJCF is shown
    write(
        "part.xml",
        "<?xml version='1.0'?>\n<!-- a part -->\n<mujocoinclude>\n<worldbody\n</mujocoinclude>",
    );
    assert!(said("part.xml").contains("part.xml:5:1") && said("part.xml").contains("5 | </mujocoinclude>"));
}

/// A Collada file with these nodes in its library and in its scene.
fn collada(library: &str, scene: &str) -> String {
    format!(
        "<COLLADA><library_geometries><geometry id='g'><mesh>
           <source id='p'><float_array>0 0 0 1 0 0 0 1 0</float_array></source>
           <vertices id='v'><input semantic='POSITION' source='#p'/></vertices>
           <triangles><input semantic='VERTEX' source='#v'/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>
         <library_nodes>{library}</library_nodes>
         <library_visual_scenes><visual_scene id='s'>{scene}</visual_scene></library_visual_scenes>
         <scene><instance_visual_scene url='#s'/></scene></COLLADA>"
    )
}

#[test]
fn collada_nodes_that_multiply() {
    let parse = |text: &str| {
        let begin = Instant::now();
        let outcome = parse_mesh(text.as_bytes(), "dae");
        assert!(begin.elapsed() < MOST, "took {:?}", begin.elapsed());
        outcome
    };
    // each node holds the next twice
    let doubled = many(60, |k| {
        let next = format!("<instance_node url='#n{}'/>", k + 1);
        format!("<node id='n{k}'>{next}{next}</node>")
    });
    let last = "<node id='n60'><instance_geometry url='#g'/></node>";
    let top = "<node><instance_node url='#n0'/></node>";
    let begin = Instant::now();
    assert!(parse(&collada(&(doubled + last), top)).is_err_and(|e| e.contains("too many")));
    assert!(begin.elapsed() < Duration::from_millis(500), "they are counted before they are placed");
    let itself = "<node id='n0'><rotate>0 0 1 5</rotate><instance_node url='#n0'/></node>";
    assert!(parse(&collada(itself, top)).is_err_and(|e| e.contains("contain one another")));
    // the same node twice, side by side, is no cycle
    let leaf = "<node id='n0'><instance_geometry url='#g'/></node>";
    let pair =
        "<node><instance_node url='#n0'/><translate>0 0 1</translate><instance_node url='#n0'/></node>";
    assert!(parse(&collada(leaf, pair)).is_ok());
    // many lists of vertices that are all the same one
    let numbers = "1 ".repeat(60_000);
    let lists = many(2000, |k| {
        format!(
            "<vertices id='v{k}'><input semantic='POSITION' source='#p'/></vertices>
             <triangles><input semantic='VERTEX' source='#v{k}'/><p>0 1 2</p></triangles>"
        )
    });
    let text = format!(
        "<COLLADA><library_geometries><geometry><mesh><source id='p'><float_array>{numbers}</float_array></source>{lists}
         </mesh></geometry></library_geometries></COLLADA>"
    );
    assert!(parse(&text).is_err_and(|e| e.contains("vertices")));
}
