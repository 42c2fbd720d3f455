//! Mesh files: every format, and what is wrong with them.

use poinsot_core::algebra::V3;
use poinsot_formats::{MeshFileError, TriangleMesh, read_mesh};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A file that is removed when it goes out of sight.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, bytes: &[u8]) -> Temporary {
        let path = std::env::temp_dir().join(format!(
            "poinsot-mesh-{}-{name}",
            NEXT.fetch_add(1, Ordering::Relaxed).wrapping_add(std::process::id() << 12)
        ));
        std::fs::write(&path, bytes).expect("a folder for temporary files");
        Temporary(path)
    }
}
impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn read(name: &str, bytes: &[u8]) -> Result<TriangleMesh, MeshFileError> {
    read_mesh(&Temporary::new(name, bytes).0)
}

fn complaint(name: &str, bytes: &[u8]) -> String {
    read(name, bytes).expect_err("something is wrong with it").to_string()
}

const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

fn tetrahedron() -> TriangleMesh {
    let vertices = CORNERS.map(|c| V3::from(c.map(f64::from))).to_vec();
    TriangleMesh { vertices, triangles: FACES.to_vec() }
}

/// True if both have the same triangles, whatever the order of their vertices.
fn same(a: &TriangleMesh, b: &TriangleMesh) -> bool {
    let points = |m: &TriangleMesh| -> Vec<[[f64; 3]; 3]> {
        let mut all: Vec<_> = m.triangles.iter().map(|t| t.map(|k| m.vertices[k].array())).collect();
        for t in &mut all {
            let least = (0..3).fold(0, |a, b| if t[b] < t[a] { b } else { a });
            t.rotate_left(least);
        }
        all.sort_by(|a, b| a.partial_cmp(b).expect("finite"));
        all
    };
    let near = |a: &f64, b: &f64| (a - b).abs() < 1e-12;
    let (a, b) = (points(a), points(b));
    a.len() == b.len()
        && a.as_flattened()
            .as_flattened()
            .iter()
            .zip(b.as_flattened().as_flattened())
            .all(|(a, b)| near(a, b))
}

fn binary_stl(header: &str) -> Vec<u8> {
    let mut bytes = format!("{header:<80}").into_bytes();
    bytes.extend(4u32.to_le_bytes());
    for face in FACES {
        bytes.extend([0u8; 12]);
        for number in face.iter().flat_map(|k| CORNERS[*k]) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend([0u8; 2]);
    }
    bytes
}

fn ascii_stl() -> String {
    let facet = |f: &[usize; 3]| {
        let vertex = |k: &usize| format!("vertex {} {} {}\n", CORNERS[*k][0], CORNERS[*k][1], CORNERS[*k][2]);
        let corners: String = f.iter().map(vertex).collect();
        format!("facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet\n")
    };
    format!("solid thing\n{}endsolid thing\n", FACES.iter().map(facet).collect::<String>())
}

fn msh() -> Vec<u8> {
    let mut bytes: Vec<u8> = [4i32, 1, 2, 4].iter().flat_map(|n| n.to_le_bytes()).collect();
    bytes.extend(CORNERS.iter().flatten().flat_map(|x| x.to_le_bytes()));
    bytes.extend([0u8; 12 + 16]);
    bytes.extend(FACES.iter().flatten().flat_map(|k| (*k as i32).to_le_bytes()));
    bytes
}

/// A tetrahedron in Collada; `asset` and `nodes` to try.
fn collada(asset: &str, nodes: &str) -> String {
    let numbers: Vec<String> = CORNERS.iter().flatten().map(f32::to_string).collect();
    let corners: Vec<String> = FACES.iter().flatten().map(|k| format!("{k} 0")).collect();
    format!(
        r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
        <asset>{asset}</asset><library_geometries><geometry id="g"><mesh>
        <source id="s"><float_array id="a" count="12">{}</float_array><technique_common>
        <accessor source="#a" count="4" stride="3"/></technique_common></source>
        <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
        <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
        <input semantic="NORMAL" source="#n" offset="1"/><p>{}</p></triangles></mesh></geometry></library_geometries>
        <library_visual_scenes><visual_scene id="w">{nodes}</visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#w"/></scene></COLLADA>"##,
        numbers.join(" "),
        corners.join(" ")
    )
}

const HERE: &str = r##"<node><instance_geometry url="#g"/></node>"##;
const Z_UP: &str = "<up_axis>Z_UP</up_axis>";

fn mapped(f: impl Fn(V3) -> V3) -> TriangleMesh {
    let mut mesh = tetrahedron();
    mesh.vertices.iter_mut().for_each(|v| *v = f(*v));
    mesh
}

#[test]
fn every_format_gives_the_same_tetrahedron() {
    let obj = "o t\nv 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf -4 -1 -2\nf 2 3 4\n";
    for (name, bytes) in [
        ("a.stl", ascii_stl().into_bytes()),
        ("b.STL", binary_stl("made by hand")),
        ("c.stl", binary_stl("solid but binary")),
        ("d.Obj", obj.as_bytes().to_vec()),
        ("e.msh", msh()),
        ("f.dae", collada(Z_UP, HERE).into_bytes()),
    ] {
        let mesh = read(name, &bytes).unwrap();
        assert!(same(&mesh, &tetrahedron()), "{name}: {mesh:?}");
        assert_eq!(mesh.vertices.len(), 4, "{name}");
    }
}

#[test]
fn polygons_are_fans_of_triangles() {
    let square = read("s.obj", b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n").unwrap();
    assert_eq!(square.triangles, [[0, 1, 2], [0, 2, 3]]);
    let text = collada(Z_UP, HERE);
    let list = text
        .replace("<triangles count=\"4\">", "<polylist><vcount>4</vcount>")
        .replace("</triangles>", "</polylist>");
    assert_eq!(read("p.dae", list.as_bytes()).unwrap().triangles.len(), 1, "0 2 1 0: a corner twice");
    let strips = text.replace("triangles", "tristrips");
    assert!(read("q.dae", strips.as_bytes()).is_ok());
}

#[test]
fn collada_units_and_axes() {
    let read = |asset: &str| read("u.dae", collada(asset, HERE).as_bytes()).unwrap();
    let inch = read(r#"<unit name="inch" meter="0.0254"/><up_axis>Z_UP</up_axis>"#);
    assert!(same(&inch, &mapped(|v| v * 0.0254)));
    // the axes are those of the file, as in RViz: the torso of Baxter is upright though its file says Y_UP
    for axis in ["", "<up_axis>X_UP</up_axis>", "<up_axis>Y_UP</up_axis>", Z_UP] {
        assert!(same(&read(axis), &tetrahedron()), "{axis}");
    }
}

#[test]
fn collada_nodes_nest_and_place_a_geometry_more_than_once() {
    let nodes = r##"<node><translate>0 0 1</translate><rotate>0 0 1 90</rotate>
        <node><scale>2 2 2</scale><instance_geometry url="#g"/></node></node>
        <node><matrix>1 0 0 5  0 1 0 0  0 0 -1 0  0 0 0 1</matrix><instance_geometry url="#g"/></node>"##;
    let mesh = read("n.dae", collada(Z_UP, nodes).as_bytes()).unwrap();
    let turned = mapped(|v| V3::new(-v.y, v.x, v.z) * 2.0 + V3::Z);
    let mut mirrored = mapped(|v| V3::new(v.x + 5.0, v.y, -v.z));
    mirrored.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    let first = turned.vertices.len();
    let mut both = turned;
    both.vertices.extend(mirrored.vertices);
    both.triangles.extend(mirrored.triangles.iter().map(|t| t.map(|k| k + first)));
    assert!(same(&mesh, &both), "{mesh:?}");
}

#[test]
fn what_is_wrong_is_said() {
    assert!(complaint("a.ply", b"ply").contains("the ending .ply is not known"));
    assert!(
        read_mesh("/nowhere/a.stl".as_ref())
            .unwrap_err()
            .to_string()
            .starts_with("cannot read /nowhere/a.stl")
    );
    assert!(complaint("b.stl", b"garbage").contains("too short"));
    let cut = &binary_stl("x")[..100];
    assert!(
        complaint("c.stl", cut).contains("its header says 4 triangles, which take 284 bytes, but it has 100")
    );
    let mut huge = msh();
    huge[..4].copy_from_slice(&i32::MAX.to_le_bytes());
    assert!(complaint("d.msh", &huge).contains("its counts ask for"));
    let mut wild = msh();
    let last = wild.len() - 4;
    wild[last..].copy_from_slice(&77i32.to_le_bytes());
    assert!(complaint("e.msh", &wild).contains("triangle 3 names vertex 77, but there are only 4"));
    assert!(complaint("f.obj", b"v 0 0 0\nf 1 2 3\n").contains("line 2: \"2\" names none of the 1 vertices"));
    let mixed = b"v 0 0 0\nv 0 0 1\nv 0 1 1\nvt 0 0\nf 1/1 2/1 3/1\nf 1 \\\n3 2\n";
    assert_eq!(read("m.obj", mixed).unwrap().triangles.len(), 2);
    assert!(complaint("g.obj", b"v 0 0 nan\nv 0 0 1\nv 0 1 1\nf 1 2 3\n").contains("not finite"));
    assert!(complaint("h.dae", b"<a/>").contains("its root element is <a>, not <COLLADA>"));
    let deep = "<a>".repeat(200_000);
    assert!(complaint("i.dae", deep.as_bytes()).contains("nested deeper than 1000 levels"));
    let bad = collada(Z_UP, HERE).replace("<p>0 0", "<p>9 0");
    assert!(complaint("j.dae", bad.as_bytes()).contains("names vertex 9"));
    let word = collada(Z_UP, HERE).replace("<p>0 0", "<p>zero 0");
    assert!(complaint("k.dae", word.as_bytes()).contains("\"zero\" in <p> at 7:"));
    let cycle = r##"<node id="n"><instance_node url="#n"/></node>"##;
    assert!(complaint("l.dae", collada(Z_UP, cycle).as_bytes()).contains("contain one another"));
}

/// Files with bytes changed, cut and repeated: an answer or an error, never a panic.
#[test]
fn damaged_files_do_not_panic() {
    let mut seed = 1u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    };
    let obj = "mtllib /dev/zero\nv 0 0 0 1\nv 1 0 0 1 1 1\nv 0 2 0\nvt 0 0\nvn 0 0 1\ng a\nusemtl b\nf 1/1/1 2/1/1 3/1/1\n";
    let whole = [
        ("a.stl", ascii_stl().into_bytes()),
        ("b.stl", binary_stl("solid")),
        ("c.obj", obj.as_bytes().to_vec()),
        ("d.msh", msh()),
        ("e.dae", collada("", HERE).into_bytes()),
    ];
    for (name, bytes) in &whole {
        for _ in 0..300 {
            let mut bytes = bytes.clone();
            for _ in 0..1 + random(4) {
                let at = random(bytes.len());
                match random(4) {
                    0 => bytes[at] = random(256) as u8,
                    1 => bytes.truncate(at + 1),
                    2 => bytes[at] = b"0123456789-. <>/#\n"[random(18)],
                    _ => {
                        let piece = bytes[at..(at + 20).min(bytes.len())].to_vec();
                        bytes.splice(at..at, piece);
                    }
                }
            }
            let _ = read(name, &bytes);
        }
    }
}
