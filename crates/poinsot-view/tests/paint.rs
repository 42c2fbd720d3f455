//! Materials and pictures of files: in looks, in pictures that are painted, and in glTF.
#![allow(clippy::unwrap_used)]

use poinsot::algebra::V3;
use poinsot::dynamics::State;
use poinsot::formats::{Loaded, load};
use poinsot_view::cast::{Actor, Show};
use poinsot_view::look::{Layer, Look, Part};
use poinsot_view::picture::Picture;
use poinsot_view::projector::{Now, outline};
use poinsot_view::raster::{Image, Options, Painter, View};
use poinsot_view::show::{Frame, Recording};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const RED: [u8; 4] = [255, 0, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];

/// Red above, blue below.
fn flag() -> Vec<u8> {
    let rows = [[RED; 4], [RED; 4], [BLUE; 4], [BLUE; 4]];
    Picture::made(4, 4, rows.concat().concat()).unwrap().file
}

/// A wall in the plane of y and z, 1 m high, which shows its picture to whoever looks along −x.
const WALL: &str = "mtllib wall.mtl\nv 0 -0.5 0\nv 0 0.5 0\nv 0 0.5 1\nv 0 -0.5 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n\
                    usemtl print\nf 1/1 2/2 3/3 4/4\n";

fn urdf(visual: &str) -> String {
    format!(
        r#"<robot name="wall"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
        iyz="0"/></inertial><visual><geometry><mesh filename="meshes/wall.obj"/></geometry>{visual}</visual></link></robot>"#
    )
}

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

fn read(path: &Path) -> (Loaded, Look) {
    let loaded = load(path).unwrap();
    let look = Look::described(&loaded.model, &loaded.description);
    (loaded, look)
}

fn wall(mtl: &str, visual: &str) -> (TempDir, Loaded, Look) {
    let folder = folder(&[
        ("r/robot.urdf", urdf(visual).as_bytes()),
        ("r/meshes/wall.obj", WALL.as_bytes()),
        ("r/meshes/wall.mtl", mtl.as_bytes()),
        ("r/meshes/flag.png", &flag()),
        ("flag.png", &flag()),
    ]);
    let (loaded, look) = read(&folder.path().join("r/robot.urdf"));
    (folder, loaded, look)
}

fn seen(look: &Look) -> Vec<&Part> {
    look.parts.iter().filter(|p| p.layer == Layer::Visual).collect()
}

#[test]
fn a_mesh_brings_its_picture() {
    let (_folder, _, look) = wall("newmtl print\nmap_Kd flag.png\n", "");
    let [part] = seen(&look)[..] else { panic!() };
    let surface = &look.surfaces[part.surface.unwrap()];
    let picture = surface.picture.as_ref().unwrap();
    assert_eq!((picture.width, &picture.rgba[..4], surface.carries), (4, &RED[..], true));
    assert_eq!((part.rgba, look.missing.len()), ([1.0; 4], 0));
    assert!(surface.bytes().ends_with(&picture.file));
}

#[test]
fn the_model_has_the_last_word_on_colours() {
    let green = r#"<material name="m"><color rgba="0 1 0 0.5"/></material>"#;
    let (_folder, _, look) = wall("newmtl print\nKd 0.2 0.4 0.6\n", green);
    assert_eq!(seen(&look)[0].rgba, [0.0, 1.0, 0.0, 0.5]);
    let (_folder, _, look) = wall("newmtl print\nKd 0.2 0.4 0.6\n", "");
    assert_eq!(seen(&look)[0].rgba, [0.2, 0.4, 0.6, 1.0]);
}

#[test]
fn a_picture_that_cannot_be_read_is_said() {
    for (name, why) in [
        ("gone.png", "there is no such file next to the meshes"),
        // it is there, but outside of what the meshes share
        ("../../flag.png", ""),
        ("wall.obj", "neither PNG nor JPEG"),
        ("/etc/passwd", "there is no such file next to the meshes"),
    ] {
        let (_folder, _, look) = wall(&format!("newmtl print\nmap_Kd {name}\n"), "");
        if why.is_empty() {
            // found by its name alone, next to the mesh
            assert!(look.missing.is_empty() && look.surfaces[0].picture.is_some());
            continue;
        }
        assert!(look.surfaces[0].picture.is_none(), "{name}");
        let [said] = &look.missing[..] else { panic!("{name}: {:?}", look.missing) };
        assert!(said.contains("texture") && said.contains(why), "{said}");
    }
}

/// The scene of a look with the camera in front of it, as a recording of one frame.
fn recording(loaded: Loaded) -> Recording {
    let Loaded { model, description, .. } = loaded;
    let state = State::new(&model);
    let mut show = Show::of("test", vec![Actor::of_file(model, &description)]);
    show.scenery.camera.from = [4.0, 0.0, 0.5];
    show.scenery.camera.to = [0.0, 0.0, 0.5];
    let (mut projector, _) = show.begin();
    let mut frame = Frame::default();
    projector.project(&[Now { state: &state, control: &[] }], &mut frame);
    let (scenery, surfaces) = (projector.scenery().clone(), projector.surfaces().to_vec());
    Recording { scenery, surfaces, frames: vec![frame] }
}

fn painted(recording: &Recording) -> Image {
    let options = Options { stamp: false, ..Options::default() };
    let mut painter = Painter::new(&recording.scenery, &recording.surfaces, 160, 100, options);
    painter.paint(&recording.frames[0])
}

/// Where a point is in such a picture.
fn dot(image: &Image, recording: &Recording, at: V3) -> [u8; 3] {
    let [x, y] = View::new(&recording.scenery.camera, 160, 100).project(at).unwrap();
    image.dot(x as usize, y as usize).unwrap()
}

#[test]
fn films_show_pictures_the_right_way_up() {
    let (_folder, loaded, _) = wall("newmtl print\nmap_Kd flag.png\n", "");
    let recording = recording(loaded);
    let image = painted(&recording);
    let [above, below] = [0.8, 0.2].map(|z| dot(&image, &recording, V3::Z * z));
    assert!(above[0] > 100 && above[2] < 60, "red above: {above:?}");
    assert!(below[2] > 100 && below[0] < 60, "blue below: {below:?}");
}

#[test]
fn gltf_carries_the_picture() {
    let (_folder, loaded, _) = wall("newmtl print\nmap_Kd flag.png\n", "");
    let mut bytes = Vec::new();
    poinsot_view::glb::write(&recording(loaded), 1.0, &mut bytes).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("baseColorTexture") && text.contains("TEXCOORD_0") && text.contains("image/png"));
    assert!(bytes.windows(flag().len()).any(|w| w == flag()));
}

#[test]
fn a_robot_fills_two_thirds_of_the_picture_and_stands_on_a_floor() {
    let (_folder, loaded, look) = wall("newmtl print\n", "");
    let points = outline(&loaded.model, &State::new(&loaded.model), &look);
    let show = Show::of("wall", vec![Actor::of_file(loaded.model, &loaded.description)]);
    assert_eq!(show.scenery.floor, Some(0.0));
    let view = View::new(&show.scenery.camera, 1600, 1000);
    let dots: Vec<[f64; 2]> = points.iter().map(|p| view.project(*p).unwrap()).collect();
    let span = |k: usize| {
        let (low, high) = dots.iter().fold((f64::MAX, f64::MIN), |(l, h), d| (l.min(d[k]), h.max(d[k])));
        (low, high)
    };
    let ((left, right), (top, bottom)) = (span(0), span(1));
    let filled = ((right - left) / 1600.0).max((bottom - top) / 1000.0);
    assert!((0.62..0.72).contains(&filled), "{filled}");
    assert!((0.5 * (top + bottom) - 500.0).abs() < 30.0 && (0.5 * (left + right) - 800.0).abs() < 30.0);
}

#[test]
fn mjcf_shows_groups_textures_and_marks_as_mujoco_does() {
    let model = r#"<mujoco><asset>
      <texture name="chess" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" mark="edge" markrgb="0 1 0" width="8" height="8"/>
      <texture name="die" type="cube" file="flag.png" gridsize="1 2" gridlayout="UD"/>
      <material name="floor" texture="chess" texuniform="true" texrepeat="2 2"/><material name="die" texture="die"/></asset>
      <worldbody><geom type="plane" size="1 1 1" material="floor"/>
      <body><freejoint/><geom type="box" size="0.1 0.1 0.1" material="die" group="2"/>
      <geom name="hidden" size="0.2" group="3"/></body></worldbody></mujoco>"#;
    let folder = folder(&[("m.xml", model.as_bytes()), ("flag.png", &flag())]);
    let (_, look) = read(&folder.path().join("m.xml"));
    assert!(look.missing.is_empty(), "{:?}", look.missing);
    let [floor, die] = seen(&look)[..] else { panic!("{:?}", look.parts) };
    let surface = &look.surfaces[floor.surface.unwrap()];
    let pattern = surface.picture.as_ref().unwrap();
    let at = |x: usize, y: usize| &pattern.rgba[4 * (y * pattern.width + x)..][..3];
    let (near, far) = (pattern.width / 4, 3 * pattern.width / 4);
    assert_eq!((at(near, far), at(far, near), at(near, near)), (&RED[..3], &RED[..3], &BLUE[..3]));
    assert_eq!(at(0, near), [0, 255, 0]);
    // two repeats in two metres, the middle of the picture at the origin
    let corner = surface.points.iter().position(|p| *p == [1.0, 1.0, 0.0]).unwrap();
    assert_eq!(surface.texture_at[corner], [1.5, -0.5]);
    let surface = &look.surfaces[die.surface.unwrap()];
    let up = surface.normals.iter().zip(&surface.texture_at).filter(|(n, _)| **n == [0.0, 1.0, 0.0]);
    assert!(up.into_iter().all(|(_, at)| at[0] < 0.5), "the left half is that of +y");
}

#[test]
fn a_skin_goes_with_its_bodies() {
    let mut skin: Vec<u8> = [3_i32, 0, 1, 2].iter().flat_map(|x| x.to_le_bytes()).collect();
    let corners: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    skin.extend(corners.iter().flat_map(|x| x.to_le_bytes()));
    skin.extend([0_i32, 1, 2].iter().flat_map(|x| x.to_le_bytes()));
    for (name, follows) in [("a", [0_i32, 1]), ("b", [1, 2])] {
        let mut title = [0_u8; 40];
        title[0] = name.as_bytes()[0];
        skin.extend(title);
        skin.extend([0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0].iter().flat_map(|x| x.to_le_bytes()));
        skin.extend(2_i32.to_le_bytes());
        skin.extend(follows.iter().flat_map(|x| x.to_le_bytes()));
        skin.extend([1.0_f32, 1.0].iter().flat_map(|x| x.to_le_bytes()));
    }
    let body = |name: &str, y: f64| {
        format!(r#"<body name="{name}" pos="0 {y} 0"><freejoint/><geom size="0.1" group="4"/></body>"#)
    };
    let model = format!(
        r#"<mujoco><asset><skin name="hide" file="h.skn" rgba="1 0 0 1"/></asset><worldbody>{}{}</worldbody></mujoco>"#,
        body("a", 0.0),
        body("b", 2.0)
    );
    let folder = folder(&[("m.xml", model.as_bytes()), ("h.skn", &skin)]);
    let (loaded, look) = read(&folder.path().join("m.xml"));
    assert!(look.missing.is_empty(), "{:?}", look.missing);
    let [part] = seen(&look)[..] else { panic!("{:?}", look.parts) };
    assert_eq!(
        (part.rgba, look.surfaces[part.surface.unwrap()].bones.is_some()),
        ([1.0, 0.0, 0.0, 1.0], true)
    );
    // the first corner is with a, the last with b, the middle one half way
    let mut points = outline(&loaded.model, &State::new(&loaded.model), &look);
    points.sort_by(|a, b| a.y.total_cmp(&b.y));
    assert_eq!(points, [V3::ZERO, V3::new(1.0, 1.0, 0.0), V3::new(0.0, 2.0, 1.0)]);
    let mut bytes = Vec::new();
    poinsot_view::glb::write(&recording(loaded), 1.0, &mut bytes).unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains("inverseBindMatrices"));

    let broken = folder_with_broken_skin(&model, &skin);
    let (_, look) = read(&broken.path().join("m.xml"));
    assert!(look.missing[0].contains("the skin \"hide\" is not drawn"), "{:?}", look.missing);
    assert_eq!(seen(&look).len(), 2, "the bodies are seen by what they touch with");
}

fn folder_with_broken_skin(model: &str, skin: &[u8]) -> TempDir {
    folder(&[("m.xml", model.as_bytes()), ("h.skn", &skin[..skin.len() - 1])])
}
