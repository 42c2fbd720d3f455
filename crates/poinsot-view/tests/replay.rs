//! Replay files: what is put in comes out.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use common::recording;
use poinsot_view::replay;
use poinsot_view::show::Stamp;
use poinsot_view::surface::Surface;
use serde_json::Value;
use std::io::Read;

#[test]
fn out_comes_what_went_in() {
    let mut recording = recording("double-pendulum", 20, 0.05);
    recording.scenery.title = "</script><!-- <script>".into();
    recording.surfaces.push(Surface::of(&poinsot::model::Shape::Sphere { radius: 1.0 }).unwrap());
    let page = replay::page("<html><!--RECORDING--><p></p></html>", &recording, 0.5).unwrap();
    let body = page.strip_prefix("<html><script type=\"application/json\" id=\"recording\">").unwrap();
    let json = body.strip_suffix("</script><p></p></html>").unwrap();
    assert!(!json.contains('<'), "nothing can end the element early");
    let json: Value = serde_json::from_str(json).unwrap();
    assert_eq!(json["scenery"]["title"], "</script><!-- <script>");
    assert_eq!(json["scenery"]["bodies"].as_array().unwrap().len(), 3);

    let mut bytes = Vec::new();
    let packed = STANDARD.decode(json["frames"].as_str().unwrap()).unwrap();
    flate2::read::DeflateDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
    let mut rest = &bytes[..];
    for (k, frame) in recording.frames.iter().enumerate() {
        let (long, after) = rest.split_first_chunk().unwrap();
        let (mine, after) = after.split_at(u32::from_le_bytes(*long) as usize);
        let history = (0.0, recording.frames[19].time);
        let stamp = Stamp { number: k as u32, speed: 0.5, history, ..Stamp::default() };
        assert_eq!(mine, frame.bytes(&stamp), "frame {k}");
        rest = after;
    }
    assert!(rest.is_empty());

    let mesh = STANDARD.decode(json["meshes"][0].as_str().unwrap()).unwrap();
    let sphere = &recording.surfaces[0];
    assert_eq!(mesh.len(), 16 + 24 * sphere.points.len() + 12 * sphere.triangles.len());
}

#[test]
fn a_page_without_a_place() {
    let error = replay::page("<html></html>", &recording("pendulum", 1, 0.1), 1.0).unwrap_err();
    assert!(error.to_string().contains("<!--RECORDING-->"));
}
