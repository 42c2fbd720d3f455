#![allow(clippy::unwrap_used)]

use super::*;
use crate::show::{BodyInfo, Camera, Frame, On, PartInfo, Scenery, SolidInfo, TraceInfo};
use poinsot::algebra::V3;
use poinsot::model::Shape;

const WHITE: [f64; 3] = [1.0; 3];
const RED: [f64; 3] = [0.9, 0.05, 0.05];

fn ball(body: usize, radius: f64, [r, g, b]: [f64; 3]) -> PartInfo {
    let pose = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let shape = Shape::Sphere { radius };
    PartInfo { body, shape, mesh: None, pose, rgba: [r, g, b, 1.0], layer: "visual" }
}

fn body() -> BodyInfo {
    let (com, ellipsoid, axes) = ([0.0; 3], [0.0; 3], [1.0, 0.0, 0.0, 0.0]);
    BodyInfo {
        track: 0,
        name: "ball".into(),
        parent: None,
        mass: 1.0,
        com,
        ellipsoid,
        axes,
        moves: true,
        size: 1.0,
    }
}

/// Balls at these places, seen along y from 10 m.
fn scene(balls: &[([f32; 3], f64, [f64; 3])]) -> (Scenery, Frame) {
    let camera = Camera { from: [0.0, -10.0, 0.0], to: [0.0; 3], up: [0.0, 0.0, 1.0] };
    let mut scenery = Scenery { camera, ..Scenery::default() };
    let mut frame = Frame::default();
    for (k, (at, radius, colour)) in balls.iter().enumerate() {
        scenery.bodies.push(body());
        scenery.parts.push(ball(k, *radius, *colour));
        frame.poses.push([at[0], at[1], at[2], 1.0, 0.0, 0.0, 0.0]);
    }
    (scenery, frame)
}

fn painted(scenery: &Scenery, frame: &Frame) -> Image {
    let options = Options { stamp: false, ..Options::default() };
    Painter::new(scenery, &[], 160, 100, options).paint(frame)
}

fn is_red([r, g, b]: [u8; 3]) -> bool {
    r > 100 && g < 90 && b < 90
}

#[test]
fn what_is_in_front_covers_what_is_behind() {
    for order in [[0, 1], [1, 0]] {
        let both = [([0.0, 0.0, 0.0], 1.0, WHITE), ([0.0, 4.0, 0.0], 2.5, RED)];
        let (scenery, frame) = scene(&order.map(|k| both[k]));
        let image = painted(&scenery, &frame);
        let [r, g, b] = image.dot(80, 50).unwrap();
        assert!(r > 180 && r.abs_diff(g) < 25 && r.abs_diff(b) < 40, "white in the middle: {r} {g} {b}");
        // half the height is 10 tan 20° = 3.64 m at the white ball
        assert!(is_red(image.dot(80 + 19, 50).unwrap()), "red beside it: {:?}", image.dot(99, 50));
    }
}

#[test]
fn a_centre_lands_where_it_should() {
    let at = [1.5, 2.0, -1.0];
    let (scenery, frame) = scene(&[(at, 0.2, RED)]);
    let image = painted(&scenery, &frame);
    let red = (0..160 * 100).filter(|k| is_red(image.dot(k % 160, k / 160).unwrap()));
    let (mut count, mut sum) = (0.0, [0.0; 2]);
    red.for_each(|k| (count, sum) = (count + 1.0, [sum[0] + (k % 160) as f64, sum[1] + (k / 160) as f64]));
    let focal = 50.0 / 20.0_f64.to_radians().tan();
    let expected = [80.0 + focal * 1.5 / 12.0, 50.0 + focal * 1.0 / 12.0];
    let projected = View::new(&scenery.camera, 160, 100).project(V3::new(1.5, 2.0, -1.0)).unwrap();
    for k in 0..2 {
        assert!((projected[k] - expected[k]).abs() < 1e-3);
        assert!((sum[k] / count + 0.5 - expected[k]).abs() < 0.5, "{sum:?} / {count}, {expected:?}");
    }
}

#[test]
fn surfaces_are_seen_from_outside_only() {
    // from inside a ball one sees through it
    let (mut scenery, frame) = scene(&[([0.0, -10.0, 0.0], 3.0, RED), ([0.0, 0.0, 0.0], 1.0, WHITE)]);
    scenery.parts[0].shape = Shape::Sphere { radius: 3.0 };
    let image = painted(&scenery, &frame);
    let [r, g, _] = image.dot(80, 50).unwrap();
    assert!(r > 180 && g > 180);
    assert!(!(0..160).any(|x| is_red(image.dot(x, 10).unwrap())));
}

#[test]
fn a_ball_throws_its_shadow_on_the_floor() {
    let (mut scenery, frame) = scene(&[([0.0, 0.0, 0.0], 1.0, RED)]);
    scenery.camera.from = [0.0, -10.0, 4.0];
    scenery.floor = Some(-1.0);
    let with = painted(&scenery, &frame);
    scenery.parts[0].shape = Shape::Sphere { radius: 1e-9 };
    let without = painted(&scenery, &frame);
    let darker = |k: &usize| {
        let ([r, g, b], [p, q, s]) =
            (with.dot(k % 160, k / 160).unwrap(), without.dot(k % 160, k / 160).unwrap());
        !is_red([r, g, b]) && [(r, p), (g, q), (b, s)].iter().all(|(x, y)| x.saturating_add(30) < *y)
    };
    let dark: Vec<usize> = (0..160 * 100).filter(darker).collect();
    assert!(dark.len() > 50, "{}", dark.len());
    // the light comes from the left
    let mean = dark.iter().map(|k| (k % 160) as f64).sum::<f64>() / dark.len() as f64;
    assert!(mean > 80.0, "{mean}");
    scenery.floor = None;
    assert_ne!(painted(&scenery, &frame), without);
}

#[test]
fn what_is_nowhere_is_not_drawn() {
    let (scenery, mut frame) = scene(&[([0.0, 0.0, 0.0], 1.0, WHITE), ([0.0, 4.0, 0.0], 2.5, RED)]);
    for wrong in [f32::NAN, f32::INFINITY, 1e38] {
        for number in 0..7 {
            frame.poses[0] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
            frame.poses[0][number] = wrong;
            let image = painted(&scenery, &frame);
            if !wrong.is_finite() {
                assert!(is_red(image.dot(80, 50).unwrap()));
            }
        }
    }
    let mut lost = scenery.clone();
    lost.camera.from = [f64::NAN; 3];
    painted(&lost, &frame);
    lost.camera.from = lost.camera.to;
    painted(&lost, &frame);
    frame.poses.clear();
    painted(&scenery, &frame);
    for (width, height) in [(0, 0), (0, 9), (9, 0), (1, 1)] {
        let mut painter = Painter::new(&scenery, &[], width, height, Options::default());
        let image = painter.paint(&frame);
        assert_eq!(image.rgb.len(), 3 * image.width * image.height);
    }
}

#[test]
fn solids_are_seen_through_and_traces_follow_them() {
    let (mut scenery, mut frame) = scene(&[([0.0, 4.0, 0.0], 1.0, RED)]);
    let rgba = [0.0, 0.3, 1.0, 0.5];
    scenery.solids.push(SolidInfo { name: "e".into(), form: "ellipsoid", rgba, layer: "Poinsot" });
    let (on, colour) = (On::Solid(0), [0.0, 0.8, 0.0]);
    scenery.traces.push(TraceInfo { name: "t".into(), colour, layer: "Poinsot", on, lasts: Some(10.0) });
    frame.solids.push([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 1.0, 2.0]);
    frame.traces.push([-1.0, -1.0, 1.0]);
    let options = Options { stamp: false, ..Options::default() };
    let mut painter = Painter::new(&scenery, &[], 160, 100, options);
    painter.note(&frame);
    (frame.time, frame.traces[0]) = (1.0, [1.0, -1.0, 1.0]);
    // a turn by half about y takes the line from above to below
    frame.solids[0][3..7].copy_from_slice(&[0.0, 0.0, 1.0, 0.0]);
    let image = painter.paint(&frame);
    let [r, g, b] = image.dot(80, 50).unwrap();
    assert!(r > 60 && b > 60 && g < r.max(b), "red through blue: {r} {g} {b}");
    let green = |y: usize| image.dot(80, y).is_some_and(|[r, g, b]| g > 150 && r < 120 && b < 120);
    assert!((50..90).any(green) && !(0..50).any(green));
    (frame.time, frame.traces[0]) = (20.0, [f32::NAN; 3]);
    let faded = painter.paint(&frame);
    assert!(!(0..100).any(|y| faded.dot(80, y).is_some_and(|[r, g, b]| g > 150 && r < 120 && b < 120)));
}

#[test]
fn the_same_frame_gives_the_same_bytes_and_png_gives_them_back() {
    let (mut scenery, frame) = scene(&[([0.0, 0.0, 0.0], 1.0, WHITE), ([0.7, 4.0, 0.0], 2.5, RED)]);
    scenery.floor = Some(-3.0);
    scenery.camera = fit_camera(V3::new(-2.0, -2.0, -3.0), V3::new(3.0, 6.0, 3.0), V3::Z);
    let image = painted(&scenery, &frame);
    assert_eq!(image, painted(&scenery, &frame));
    let bytes = image.png();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut rgb).unwrap();
    assert_eq!(rgb, image.rgb);
}

#[test]
fn a_fitted_camera_sees_the_whole_box() {
    for (low, high) in [((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)), ((0.0, 5.0, 2.0), (10.0, 5.1, 2.2))] {
        let (low, high) = (V3::new(low.0, low.1, low.2), V3::new(high.0, high.1, high.2));
        for (width, height) in [(320, 200), (300, 400), (900, 300)] {
            let view = View::new(&fit_camera(low, high, V3::Z), width, height);
            for k in 0..8 {
                let pick = |bit: usize, a: f64, b: f64| if k >> bit & 1 == 0 { a } else { b };
                let corner = V3::new(pick(0, low.x, high.x), pick(1, low.y, high.y), pick(2, low.z, high.z));
                let [x, y] = view.project(corner).unwrap();
                assert!(x > 0.0 && x < width as f64 && y > 0.0 && y < height as f64);
            }
        }
    }
    assert_eq!(fit_camera(V3::ZERO, V3::ZERO, V3::Z).from, Camera::default().from);
}

#[test]
fn a_large_picture_is_painted_in_bands_and_looks_the_same() {
    let (mut scenery, frame) = scene(&[([0.0, 0.0, 0.0], 1.0, WHITE), ([0.7, 4.0, 0.0], 2.5, RED)]);
    scenery.floor = Some(-3.0);
    scenery.camera = fit_camera(V3::new(-2.0, -2.0, -3.0), V3::new(3.0, 6.0, 3.0), V3::Z);
    let options = |supersampling| Options { stamp: false, supersampling, ..Options::default() };
    // 64 samples a dot are too many to be held at once, 4 are not
    let fine = Painter::new(&scenery, &[], 480, 400, options(8)).paint(&frame);
    let plain = Painter::new(&scenery, &[], 480, 400, options(2)).paint(&frame);
    assert_eq!((fine.width, fine.height, fine.rgb.len()), (480, 400, plain.rgb.len()));
    let far = fine.rgb.iter().zip(&plain.rgb).filter(|(a, b)| a.abs_diff(**b) > 12).count();
    assert!(far < fine.rgb.len() / 200, "{far} bytes differ");
    let mut asked = 0;
    let mut painter = Painter::new(&scenery, &[], 480, 400, options(8));
    let stopped = painter.paint_unless(&frame, || {
        asked += 1;
        asked == 20
    });
    assert!(stopped.is_none());
}
