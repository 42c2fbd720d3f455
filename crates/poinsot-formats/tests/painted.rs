//! The looks of mesh files: materials, texture coordinates, colours of vertices, skins.

use poinsot_core::algebra::V3;
use poinsot_formats::{PaintedMesh, parse_skin, read_mesh, read_painted_mesh};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A folder that is removed when it goes out of sight.
struct Folder(PathBuf);

impl Folder {
    fn new(files: &[(&str, &[u8])]) -> Folder {
        let number = NEXT.fetch_add(1, Ordering::Relaxed).wrapping_add(std::process::id() << 12);
        let folder = std::env::temp_dir().join(format!("poinsot-painted-{number}"));
        for (name, bytes) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for temporary files");
            fs::write(path, bytes).expect("a folder for temporary files");
        }
        Folder(folder)
    }
    fn read(&self, name: &str) -> PaintedMesh {
        read_painted_mesh(&self.0.join(name)).expect("nothing is wrong with it")
    }
}
impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Two triangles with a material each, placed once as they are and once mirrored with the materials exchanged.
fn collada() -> String {
    let effect = |id: &str, diffuse: &str, more: &str| {
        format!(
            r##"<effect id="{id}-fx"><profile_COMMON>
            <newparam sid="surf"><surface type="2D"><init_from>img</init_from></surface></newparam>
            <newparam sid="samp"><sampler2D><source>surf</source></sampler2D></newparam>
            <technique sid="common"><phong><diffuse>{diffuse}</diffuse>{more}</phong></technique></profile_COMMON></effect>"##
        )
    };
    let clear = r#"<transparent opaque="A_ONE"><color>1 1 1 1</color></transparent><transparency><float>0.25</float></transparency>"#;
    let red = effect("red", "<color>1 0.5 0 1</color>", clear);
    let printed = effect("printed", r#"<texture texture="samp" texcoord="UV"/>"#, "");
    let triangle = |symbol: &str, p: &str| {
        format!(
            r##"<triangles count="1" material="{symbol}"><input semantic="VERTEX" source="#v" offset="0"/>
            <input semantic="TEXCOORD" source="#t" offset="1" set="0"/><input semantic="COLOR" source="#c" offset="0"/>
            <p>{p}</p></triangles>"##
        )
    };
    let source = |id: &str, numbers: &str, stride: usize| {
        format!(
            r##"<source id="{id}"><float_array id="{id}-a">{numbers}</float_array><technique_common>
            <accessor source="#{id}-a" stride="{stride}"/></technique_common></source>"##
        )
    };
    let instance = |a: &str, b: &str| {
        format!(
            r##"<instance_geometry url="#g"><bind_material><technique_common>
            <instance_material symbol="a" target="#{a}"/><instance_material symbol="b" target="#{b}"/>
            </technique_common></bind_material></instance_geometry>"##
        )
    };
    format!(
        r##"<COLLADA><asset><up_axis>Z_UP</up_axis></asset>
        <library_images><image id="img"><init_from>wood grain.png</init_from></image></library_images>
        <library_effects>{red}{printed}</library_effects>
        <library_materials><material id="red" name="Red"><instance_effect url="#red-fx"/></material>
        <material id="printed"><instance_effect url="#printed-fx"/></material></library_materials>
        <library_geometries><geometry id="g"><mesh>{}{}{}
        <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>{}{}</mesh></geometry></library_geometries>
        <library_visual_scenes><visual_scene id="w"><node>{}</node><node><scale>-1 1 1</scale>{}</node></visual_scene>
        </library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>"##,
        source("s", "0 0 0  1 0 0  1 1 0  0 1 0", 3),
        source("t", "0 0  1 0  1 0.75", 2),
        source("c", "1 1 1 1  0.5 1 1 1  1 1 1 1  1 1 1 1", 4),
        triangle("a", "0 0 1 1 2 2"),
        triangle("b", "0 0 2 1 3 2"),
        instance("red", "printed"),
        instance("printed", "red"),
    )
}

#[test]
fn collada_has_materials_pictures_and_colours() {
    let folder = Folder::new(&[("m.dae", collada().as_bytes())]);
    let painted = folder.read("m.dae");
    assert_eq!(painted.mesh, read_mesh(&folder.0.join("m.dae")).expect("the same file"));
    let [red, printed] = &painted.materials[..] else { panic!("{:?}", painted.materials) };
    assert_eq!((red.name.as_str(), red.rgba, &red.texture), ("Red", [1.0, 0.5, 0.0, 0.25], &None));
    assert_eq!((printed.rgba, printed.texture.as_deref()), ([1.0; 4], Some("wood grain.png")));
    // the second instance exchanges them
    assert_eq!(painted.material_of, [Some(0), Some(1), Some(1), Some(0)]);
    // heights of pictures are counted from above here, from below there
    assert_eq!(painted.texture_at[0], [[0.0, 1.0], [1.0, 1.0], [1.0, 0.25]]);
    assert_eq!(painted.colours[0], [[1.0; 4], [0.5, 1.0, 1.0, 1.0], [1.0; 4]]);
    // in the mirror a triangle runs the other way, and its looks with it
    let at =
        |k: usize, c: usize| (painted.mesh.vertices[painted.mesh.triangles[k][c]], painted.texture_at[k][c]);
    for c in 0..3 {
        let (place, texture) = at(0, c);
        let other = V3::new(-place.x, place.y, place.z);
        assert!((0..3).any(|d| at(2, d) == (other, texture)), "corner {c}");
    }
}

#[test]
fn an_image_that_is_missing_or_a_symbol_that_is_not_bound_is_no_error() {
    let text = collada().replace(r#"id="img""#, r#"id="other""#).replace(r#"symbol="b""#, r#"symbol="z""#);
    let painted = Folder::new(&[("m.dae", text.as_bytes())]).read("m.dae");
    assert!(painted.materials.iter().all(|m| m.texture.is_none()));
    assert_eq!(painted.material_of[1], None);
    // where programs say that all of it is clear they mean that nothing is
    let text = collada().replace("<float>0.25</float>", "<float>0</float>");
    assert_eq!(Folder::new(&[("m.dae", text.as_bytes())]).read("m.dae").materials[0].rgba[3], 1.0);
}

const OBJ: &str = "mtllib sub/paint.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0.25\nvt 0 1\n\
                   usemtl shiny\nf 1/1 2/2 3/3\nusemtl later\nf 1 3 4\n";
const MTL: &str = "newmtl shiny\nKd 0 0 0\nmap_Kd -s 1 1 1 colors.png\nnewmtl later # twice\nKd 0.1 0.2 0.3\nd 0.5\nTr 0.5\n";

#[test]
fn obj_has_the_materials_of_its_library() {
    let folder = Folder::new(&[("in/m.obj", OBJ.as_bytes()), ("in/sub/paint.mtl", MTL.as_bytes())]);
    let painted = folder.read("in/m.obj");
    let [shiny, later] = &painted.materials[..] else { panic!("{:?}", painted.materials) };
    assert_eq!((shiny.rgba, shiny.texture.as_deref()), ([1.0; 4], Some("colors.png")));
    assert_eq!((later.name.as_str(), later.rgba), ("later", [0.1, 0.2, 0.3, 0.5]));
    assert!(painted.unread.is_empty());
    assert_eq!(painted.material_of, [Some(0), Some(1)]);
    assert_eq!(painted.texture_at, [[[0.0, 1.0], [1.0, 0.75], [0.0, 0.0]], [[0.0; 2]; 3]]);
}

#[test]
fn a_library_that_lies_elsewhere_is_not_read() {
    for library in ["../paint.mtl", "/etc/hostname", "not/there.mtl"] {
        let text = OBJ.replace("sub/paint.mtl", library);
        let folder = Folder::new(&[("in/m.obj", text.as_bytes()), ("paint.mtl", MTL.as_bytes())]);
        let painted = folder.read("in/m.obj");
        assert!(painted.materials.iter().all(|m| m.rgba == [1.0; 4] && m.texture.is_none()), "{library}");
        let why = "there is no such file next to the mesh";
        assert_eq!(painted.unread, [(library.to_string(), why.to_string())]);
    }
}

#[test]
fn msh_has_texture_coordinates() {
    let mut bytes: Vec<u8> = [3_i32, 0, 3, 1].iter().flat_map(|x| x.to_le_bytes()).collect();
    let numbers: [f32; 15] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.25];
    bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend([0_i32, 1, 2].iter().flat_map(|x| x.to_le_bytes()));
    let painted = Folder::new(&[("m.msh", &bytes)]).read("m.msh");
    assert_eq!(painted.texture_at, [[[0.0, 0.0], [1.0, 0.0], [0.5, 0.25]]]);
}

/// A triangle that follows two bodies.
fn skin() -> Vec<u8> {
    let mut bytes: Vec<u8> = [3_i32, 3, 1, 2].iter().flat_map(|x| x.to_le_bytes()).collect();
    let floats = |list: &[f32], bytes: &mut Vec<u8>| bytes.extend(list.iter().flat_map(|x| x.to_le_bytes()));
    floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], &mut bytes);
    floats(&[0.0, 0.0, 1.0, 0.0, 0.5, 1.0], &mut bytes);
    bytes.extend([0_i32, 1, 2].iter().flat_map(|x| x.to_le_bytes()));
    for (name, follows) in [("upper", vec![0_i32, 1]), ("lower", vec![1, 2])] {
        let mut title = [0_u8; 40];
        title[..name.len()].copy_from_slice(name.as_bytes());
        bytes.extend(title);
        floats(&[0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0], &mut bytes);
        bytes.extend((follows.len() as i32).to_le_bytes());
        bytes.extend(follows.iter().flat_map(|x| x.to_le_bytes()));
        floats(&vec![0.5; follows.len()], &mut bytes);
    }
    bytes
}

#[test]
fn skins_follow_their_bodies() {
    let skin = parse_skin(&skin()).expect("nothing is wrong with it");
    assert_eq!(skin.painted.mesh.triangles, [[0, 1, 2]]);
    assert_eq!(skin.painted.texture_at, [[[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]]]);
    assert_eq!((skin.bones[0].body.as_str(), skin.bones[1].body.as_str()), ("upper", "lower"));
    assert_eq!(skin.bones[1].weights, [(1, 0.5), (2, 0.5)]);
    assert_eq!(skin.bones[0].bind.pos, V3::Z * 2.0);
}

#[test]
fn broken_skins_are_refused() {
    let good = skin();
    for length in 0..good.len() {
        assert!(parse_skin(&good[..length]).is_err_and(|why| why.contains("ends too early")), "{length}");
    }
    let with = |at: usize, word: [u8; 4]| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&word);
        parse_skin(&bytes).expect_err("broken")
    };
    assert!(with(0, (-1_i32).to_le_bytes()).contains("negative"));
    assert!(with(0, i32::MAX.to_le_bytes()).contains("ends too early"));
    assert!(with(16, f32::NAN.to_le_bytes()).contains("not finite"));
    // numbers, vertices, texture coordinates; then the triangle
    assert!(with(16 + 36 + 24, 3_i32.to_le_bytes()).contains("names vertex 3"));
    // name and pose of the first bone, how many it has; then the number of a vertex
    assert!(with(16 + 36 + 24 + 12 + 40 + 28 + 4, 9_i32.to_le_bytes()).contains("not there"));
    assert!(parse_skin(&[good, vec![0]].concat()).expect_err("longer").contains("left over"));
}
