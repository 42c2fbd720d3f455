//! Files made to break a reader: each is read or refused, in time, and with a reason.
#![allow(clippy::unwrap_used)]

use poinsot_formats::{LoadError, Loaded, load, load_text, parse_mesh, read_mesh};
use std::fmt::Write;

const MJCF: &str = include_str!("../../../fuzz/seeds/drives.xml");
const URDF: &str = include_str!("../../../fuzz/seeds/robot.urdf");
/// Every element of MJCF with its attributes.
const VOCABULARY: &str = include_str!("../src/mjcf/schema.txt");
const NASTY: [&str; 9] = ["nan", "inf", "-inf", "1e400", "", "abc", "-1", "0", "1 2 3 4 5 6 7 8 9 10 11 12"];

fn read(text: &str) -> Result<Loaded, LoadError> {
    let outcome = load_text("m.xml", text, &Default::default());
    if let Err(error) = &outcome {
        assert!(error.report.has_errors() && !error.to_string().is_empty(), "refused without a reason");
    }
    outcome
}
fn refused(text: &str) -> String {
    read(text).map(|l| l.model.name().to_string()).unwrap_err().to_string()
}
fn world(inside: &str) -> String {
    format!("<mujoco><worldbody>{inside}</worldbody></mujoco>")
}

#[test]
fn cut_at_every_byte() {
    for whole in [MJCF, URDF] {
        assert!(read(whole).is_ok());
        for end in (0..whole.len()).filter(|k| whole.is_char_boundary(*k)) {
            let cut = &whole[..end];
            assert!(read(cut).is_err() || cut.trim_end() == whole.trim_end(), "accepted when cut at {end}");
        }
    }
}

#[test]
fn every_attribute_of_the_seeds_broken() {
    for whole in [MJCF, URDF] {
        let quotes: Vec<usize> = whole.match_indices('"').map(|(k, _)| k).collect();
        for pair in quotes.chunks_exact(2) {
            for bad in NASTY {
                let _ = read(&format!("{}{bad}{}", &whole[..=pair[0]], &whole[pair[1]..]));
            }
        }
    }
}

#[test]
fn every_attribute_of_the_vocabulary_broken() {
    let mut tried = 0;
    for line in VOCABULARY.lines() {
        let (element, attributes) = line.split_once(':').unwrap();
        let (parent, tag) = element.split_once(' ').unwrap();
        for attribute in attributes.split_whitespace() {
            for bad in NASTY {
                let mut text = String::from("<mujoco>");
                let path: Vec<&str> = parent.split('/').filter(|p| *p != ".").collect();
                let path: Vec<&str> =
                    path.iter().map(|p| if *p == "body" { "worldbody" } else { p }).collect();
                path.iter().for_each(|p| write!(text, "<{p}>").unwrap());
                if tag == "joint" || tag == "freejoint" || tag == "inertial" {
                    write!(text, "<body><{tag} {attribute}=\"{bad}\"/><geom size=\"1\"/></body>").unwrap();
                } else {
                    write!(text, "<{tag} {attribute}=\"{bad}\"/>").unwrap();
                }
                path.iter().rev().for_each(|p| write!(text, "</{p}>").unwrap());
                text.push_str("</mujoco>");
                let _ = read(&text);
                tried += 1;
            }
        }
    }
    assert!(tried > 10_000, "{tried}");
}

#[test]
fn bombs_of_entities_replicas_classes_and_names() {
    let laughs = "<!DOCTYPE a [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">]><mujoco model=\"&b;\"/>";
    assert!(refused(laughs).contains("remove the document type declaration"));
    assert!(refused("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><mujoco/>").contains("xml::syntax"));
    let replicas = "<replicate count='1000'>".repeat(5) + "<body/>" + &"</replicate>".repeat(5);
    assert!(refused(&world(&replicas)).contains("replicas"));
    let classes = |n: usize| {
        let open: String = (0..n).map(|k| format!("<default class='c{k}'><geom size='{k}'/>")).collect();
        format!("<mujoco><default>{open}{}</default></mujoco>", "</default>".repeat(n))
    };
    assert!(read(&classes(90)).is_ok());
    assert!(refused(&classes(5000)).contains("nested deeper"));
    // as many mistakes as there are names to choose from
    let bodies: String = (0..50_000).map(|k| format!("<body name='body_{k}'/>")).collect();
    let excludes: String =
        (0..50_000).map(|k| format!("<exclude body1='bodi_{k}' body2='world'/>")).collect();
    let text = format!("<mujoco><worldbody>{bodies}</worldbody><contact>{excludes}</contact></mujoco>");
    assert!(refused(&text).contains("no body named \"bodi_0\""));
    let unknown: String = (0..100_000).map(|k| format!("<bod{k}/>")).collect();
    assert!(read(&world(&unknown)).is_ok_and(|l| l.report.unlisted() > 90_000));
}

#[test]
fn very_deep_and_very_wide() {
    let nested = |n: usize| {
        world(&("<body><joint axis='0 1 0'/><geom size='.1' pos='1 0 0'/>".repeat(n) + &"</body>".repeat(n)))
    };
    assert!(read(&nested(15_000)).is_ok_and(|l| l.model.nv() == 15_000));
    assert!(refused(&nested(1_000_000)).contains("nested deeper"));
    let flat = world(&"<body><joint/><geom size='.1'/></body>".repeat(100_000));
    assert!(read(&flat).is_ok_and(|l| l.model.nv() == 100_000));
    let mut urdf = String::from("<robot name='chain'><link name='l0'/>");
    for k in 1..20_000 {
        let p = k - 1;
        write!(urdf, "<link name='l{k}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>").unwrap();
        write!(
            urdf,
            "<joint name='j{k}' type='continuous'><parent link='l{p}'/><child link='l{k}'/></joint>"
        )
        .unwrap();
    }
    urdf.push_str("</robot>");
    assert!(read(&urdf).is_ok_and(|l| l.model.nv() == 19_999));
}

#[test]
fn urdf_that_is_no_tree() {
    let robot = |joints: &str| format!("<robot name='r'><link name='a'/><link name='b'/>{joints}</robot>");
    let joint = |name: &str, p: &str, c: &str| {
        format!("<joint name='{name}' type='fixed'><parent link='{p}'/><child link='{c}'/></joint>")
    };
    for (joints, wanted) in [
        (joint("j", "a", "b") + &joint("k", "b", "a"), "urdf::cycle"),
        (joint("j", "a", "a"), "urdf::"),
        (joint("j", "a", "c"), "urdf::unknown-link"),
        (joint("j", "a", "b") + &joint("k", "a", "b"), "urdf::two-parents"),
        (String::new(), "urdf::several-roots"),
    ] {
        let said = refused(&robot(&joints));
        assert!(said.contains(wanted) && said.contains("m.xml:1:"), "{said}");
    }
}

#[test]
fn things_that_are_no_model_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    assert!(load(folder.path()).unwrap_err().to_string().contains("cannot read"));
    assert!(load(path("none.xml")).unwrap_err().to_string().contains("none.xml"));
    std::fs::write(path("empty.xml"), "").unwrap();
    std::fs::write(path("binary.xml"), [0u8, 159, 146, 150, 255].repeat(1000)).unwrap();
    assert!(load(path("empty.xml")).is_err() && load(path("binary.xml")).is_err());
    std::fs::create_dir(path("dir.stl")).unwrap();
    assert!(read_mesh(&path("dir.stl")).is_err() && read_mesh(&path("none.obj")).is_err());
    // a header that promises more than there is
    let mut greedy = vec![b' '; 80];
    greedy.extend(u32::MAX.to_le_bytes());
    assert!(parse_mesh(&greedy, "stl").is_err());
    let greedy: Vec<u8> = [i32::MAX; 4].iter().flat_map(|x| x.to_le_bytes()).collect();
    assert!(parse_mesh(&greedy, "msh").is_err());
    assert!(parse_mesh(b"v 0 0 0\nf 1 2 99999999999999999999\n", "obj").is_err());
    let deep = "<a>".repeat(100_000) + &"</a>".repeat(100_000);
    assert!(parse_mesh(deep.as_bytes(), "dae").is_err());
}

#[test]
fn includes_that_multiply() {
    let folder = tempfile::tempdir().unwrap();
    for k in 0..30 {
        let next = k + 1;
        let text = format!("<mujoco><include file='{next}.xml'/><include file='{next}.xml'/></mujoco>");
        std::fs::write(folder.path().join(format!("{k}.xml")), text).unwrap();
    }
    let said = load(folder.path().join("0.xml")).unwrap_err().to_string();
    assert!(said.contains("included a second time"), "{said}");
}

#[test]
fn names_with_anything_in_them() {
    for name in [
        "&#10;",
        "&quot;'&lt;",
        "\u{202e}🦀",
        "a b,c\"d".replace('"', "&quot;").as_str(),
        &"x".repeat(100_000),
    ] {
        let text =
            world(&format!("<body name=\"{name}\"><joint name=\"{name}\"/><geom size=\".1\"/></body>"));
        assert!(read(&text).is_ok());
        let twice = world(&format!("<body name=\"{name}\"/><body name=\"{name}\"/>"));
        assert!(refused(&twice).len() < 10_000);
    }
}

#[test]
fn encodings_are_read_as_declared_or_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.xml");
    let model = |encoding: &str| {
        format!(
            "<?xml version='1.0' encoding='{encoding}'?><mujoco><worldbody><body name='Tür'><joint/><geom size='1'/></body></worldbody></mujoco>"
        )
    };
    let latin: Vec<u8> = model("ISO-8859-1").chars().map(|c| c as u8).collect();
    let wide: Vec<u8> = model("UTF-16").encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [latin.clone(), [b"\xff\xfe", &wide[..]].concat(), wide, model("utf-8").into_bytes()] {
        std::fs::write(&path, bytes).unwrap();
        let loaded = poinsot_formats::load(&path).unwrap();
        assert!(loaded.model.body("Tür").is_some(), "{}", loaded.report);
    }
    std::fs::write(&path, model("EUC-JP")).unwrap();
    let error = poinsot_formats::load(&path).unwrap_err().to_string();
    assert!(error.contains("EUC-JP") && error.contains("m.xml"), "{error}");
    std::fs::write(
        &path,
        String::from_utf8_lossy(&latin).replace("ISO-8859-1", "UTF-8").replace('\u{fffd}', "?"),
    )
    .unwrap();
    assert!(poinsot_formats::load(&path).is_ok());
    // undeclared letters of an old code page are read, and said
    let bare: Vec<u8> = latin.splitn(2, |b| *b == b'>').nth(1).unwrap().to_vec();
    std::fs::write(&path, bare).unwrap();
    let said = poinsot_formats::load(&path).unwrap().report.to_string();
    assert!(said.contains("file::encoding") && said.contains("m.xml:1:1"), "{said}");
}

#[test]
fn a_large_file_of_very_many_elements_is_refused_with_the_reason() {
    let text = format!("<mujoco><worldbody>{}</worldbody></mujoco>", "<geom size='0.1'/>".repeat(4_000_000));
    let error = poinsot_formats::load_text("m.xml", &text, &Default::default()).unwrap_err().to_string();
    assert!(
        error.contains("72 MB of XML with so many elements") && error.contains("GB of memory"),
        "{error}"
    );
}
