#![allow(clippy::unwrap_used)]

use super::*;
use crate::raster::View;
use crate::show::{BodyInfo, Camera, Frame, JointInfo, PartInfo, Scenery};
use poinsot::model::Shape;
use std::path::PathBuf;

fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("poinsot-film-{}-{name}", std::process::id()))
}

/// A dark block that moves over a bright ground.
fn moving(k: usize) -> Image {
    let mut image = Image::plain(48, 30, [230, 240, 250]);
    image.place(&Image::plain(6, 6, [200, 30, 30]), 2 + 3 * k, 12);
    image
}

fn decoded(path: &PathBuf) -> (u16, u16, Vec<u16>, Vec<u8>) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(std::fs::File::open(path).unwrap()).unwrap();
    let (width, height) = (decoder.width(), decoder.height());
    let (mut delays, mut screen) = (Vec::new(), vec![0; 3 * usize::from(width) * usize::from(height)]);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        delays.push(frame.delay);
        for (k, dot) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, dot)| dot[3] > 0) {
            let (across, down) = (k % usize::from(frame.width), k / usize::from(frame.width));
            let (x, y) = (usize::from(frame.left) + across, usize::from(frame.top) + down);
            screen[3 * (y * usize::from(width) + x)..][..3].copy_from_slice(&dot[..3]);
        }
    }
    (width, height, delays, screen)
}

#[test]
fn a_gif_decodes_to_its_pictures() {
    let path = scratch("moving.gif");
    let mut film = create(&path, 30.0).unwrap();
    (0..10).for_each(|k| film.frame(&moving(k)).unwrap());
    film.finish().unwrap();
    let (width, height, delays, screen) = decoded(&path);
    std::fs::remove_file(&path).unwrap();
    assert_eq!((width, height, delays.len()), (48, 30, 10));
    assert_eq!(delays.iter().sum::<u16>(), 33, "ten pictures at 30 a second last a third of a second");
    let far = screen.iter().zip(&moving(9).rgb).map(|(a, b)| a.abs_diff(*b)).max();
    assert!(far.unwrap() <= 3, "the last picture is as it was given: {far:?}");
}

#[test]
fn fast_and_still_films_last_as_long_as_they_should() {
    let path = scratch("fast.gif");
    let mut film = create(&path, 200.0).unwrap();
    (0..12).for_each(|k| film.frame(&moving(k)).unwrap());
    (0..188).for_each(|_| film.frame(&moving(11)).unwrap());
    film.finish().unwrap();
    let (_, _, delays, _) = decoded(&path);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(delays.iter().sum::<u16>(), 100);
    assert!(delays.iter().all(|d| *d >= 2));
}

#[test]
fn a_sequence_is_numbered_png_files() {
    let folder = scratch("frames");
    let mut film = create(&folder, 25.0).unwrap();
    (0..3).for_each(|k| film.frame(&moving(k)).unwrap());
    film.finish().unwrap();
    let bytes = std::fs::read(folder.join("frame_00003.png")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    assert_eq!((info.width, info.height), (48, 30));
    assert_eq!(rgb, moving(2).rgb);
}

#[test]
fn what_is_wrong_is_said() {
    let told = |path: &str, rate: f64| create(&scratch(path), rate).err().unwrap().to_string();
    assert!(told("a.avi", 25.0).contains(".gif or .mp4"));
    assert!(told("a.gif", 0.0).contains("above 0"));
    assert!(told("none/a.gif", 25.0).contains("cannot write"));
    let path = scratch("sizes.gif");
    let mut film = create(&path, 25.0).unwrap();
    film.frame(&moving(0)).unwrap();
    assert!(film.frame(&Image::plain(3, 3, [0; 3])).is_err());
    drop(film);
    assert!(!path.exists(), "a film that is not finished leaves no file");
    let path = scratch("empty.gif");
    assert!(create(&path, 25.0).unwrap().finish().unwrap_err().to_string().contains("at least one"));
    for nameless in ["", ".gif", "folder/.mp4", ".HTML"] {
        let said = create(std::path::Path::new(nameless), 25.0).err().unwrap().to_string();
        assert!(said.contains("as in film.gif"), "{nameless}: {said}");
    }
}

/// A ball that is thrown along x, seen by a camera that sees only its beginning.
fn thrown(far: f32) -> (Scenery, Vec<Frame>) {
    let body = |parent: Option<usize>| BodyInfo {
        track: 0,
        name: "ball".into(),
        parent,
        mass: if parent.is_some() { 1.0 } else { 0.0 },
        com: [0.0; 3],
        ellipsoid: [0.0; 3],
        axes: [1.0, 0.0, 0.0, 0.0],
        moves: true,
        size: 1.0,
    };
    let joint = JointInfo {
        track: 0,
        name: "free".into(),
        kind: "free".into(),
        body: 1,
        range: None,
        single: false,
        channel: None,
        unit: "",
    };
    let part = PartInfo {
        body: 1,
        shape: Shape::Sphere { radius: 0.5 },
        mesh: None,
        pose: [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        rgba: [1.0; 4],
        layer: "visual",
    };
    let scenery = Scenery {
        bodies: vec![body(None), body(Some(0))],
        parts: vec![part],
        joints: vec![joint],
        camera: Camera { from: [0.0, -2.4, 0.5], to: [0.0; 3], up: [0.0, 0.0, 1.0] },
        ..Scenery::default()
    };
    let still = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let frame = |k: usize| {
        let mut moved = still;
        moved[0] = far * k as f32 / 30.0;
        Frame { time: k as f64 / 30.0, poses: vec![still, moved], ..Frame::default() }
    };
    (scenery, (0..=30).map(frame).collect())
}

#[test]
fn a_film_shows_the_whole_motion() {
    let column = |camera: &Camera, x: f64| {
        View::new(camera, 320, 200).project(poinsot::algebra::V3::new(x, 0.0, 0.0)).unwrap()[0]
    };
    let (scenery, frames) = thrown(6.0);
    let framing = Framing::of(&scenery, &[], &frames);
    let cameras = [framing.camera(&frames[0]), framing.camera(&frames[30])];
    assert_eq!(cameras[0].from, cameras[1].from, "the camera stands still");
    let (first, last) = (column(&cameras[0], 0.0), column(&cameras[0], 6.0));
    assert!(first > 16.0 && last < 304.0 && last - first > 100.0, "{first} … {last}");
    // a camera that sees all of it already is kept
    let (scenery, frames) = thrown(0.1);
    assert_eq!(Framing::of(&scenery, &[], &frames).camera(&frames[0]).from, scenery.camera.from);
    // what travels a hundred times its size is followed
    let (scenery, frames) = thrown(100.0);
    let framing = Framing::of(&scenery, &[], &frames);
    let end = framing.camera(&frames[30]);
    assert!((column(&end, 100.0) - column(&framing.camera(&frames[0]), 0.0)).abs() < 1.0);
    assert!(end.from[0] > 90.0);
    // what flies away from something that stays is let go
    let (mut scenery, mut frames) = thrown(5000.0);
    let (body, part) = (scenery.bodies[1].clone(), scenery.parts[0].clone());
    scenery.bodies.push(body);
    scenery.parts.push(PartInfo { body: 2, ..part });
    frames.iter_mut().for_each(|f| f.poses.push([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]));
    let camera = Framing::of(&scenery, &[], &frames).camera(&frames[30]);
    assert!(camera.from.iter().all(|x| x.abs() < 20.0), "{camera:?}");
    // nor does a motion that is lost hide the rest
    let (scenery, mut frames) = thrown(6.0);
    frames[12].poses[1] = [f32::NAN; 7];
    assert!(Framing::of(&scenery, &[], &frames).camera(&frames[12]).from.iter().all(|x| x.is_finite()));
    assert_eq!(Framing::of(&scenery, &[], &[]).camera(&Frame::default()).from, scenery.camera.from);
}
