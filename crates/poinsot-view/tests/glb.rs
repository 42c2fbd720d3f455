//! glTF files: the container, what refers to what, and that they show what the recording shows.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

use common::recording;
use poinsot_view::glb;
use poinsot_view::show::{Camera, Recording};
use serde_json::Value;
use std::collections::HashSet;

struct Parsed {
    json: Value,
    binary: Vec<u8>,
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// Takes the container apart, and checks it.
fn parse(recording: &Recording) -> Parsed {
    let mut bytes = Vec::new();
    glb::write(recording, 1.0, &mut bytes).unwrap();
    assert_eq!((&bytes[..4], word(&bytes, 4), word(&bytes, 8)), (&b"glTF"[..], 2, bytes.len()));
    let long = word(&bytes, 12);
    assert_eq!((&bytes[16..20], long % 4), (&b"JSON"[..], 0));
    let json: Value = serde_json::from_slice(&bytes[20..20 + long]).unwrap();
    let rest = &bytes[20 + long..];
    assert_eq!((word(rest, 0), word(rest, 0) % 4, &rest[4..8]), (rest.len() - 8, 0, &b"BIN\0"[..]));
    assert_eq!(json["buffers"][0]["byteLength"], rest.len() - 8);
    Parsed { json, binary: rest[8..].to_vec() }
}

fn size(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn list<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().unwrap()
}

impl Parsed {
    /// The rows of an accessor of floats, within its view and its bounds.
    fn rows(&self, number: usize) -> Vec<Vec<f32>> {
        let accessor = &self.json["accessors"][number];
        let view = &self.json["bufferViews"][size(&accessor["bufferView"])];
        let width =
            ["SCALAR", "VEC2", "VEC3", "VEC4"].iter().position(|t| accessor["type"] == *t).unwrap() + 1;
        let (offset, count) = (size(&accessor["byteOffset"]), size(&accessor["count"]));
        assert!(offset.is_multiple_of(4) && offset + 4 * width * count <= size(&view["byteLength"]));
        let at = size(&view["byteOffset"]) + offset;
        let number = |c: &[u8]| f32::from_le_bytes(c.try_into().unwrap());
        let all: Vec<f32> = self.binary[at..at + 4 * width * count].chunks(4).map(number).collect();
        let rows: Vec<Vec<f32>> = all.chunks(width).map(<[f32]>::to_vec).collect();
        for k in 0..width {
            let bound = |name: &str| accessor[name][k].as_f64().unwrap() as f32;
            let column = || rows.iter().map(|r| r[k]);
            assert_eq!(column().fold(f32::INFINITY, f32::min), bound("min"));
            assert_eq!(column().fold(f32::NEG_INFINITY, f32::max), bound("max"));
        }
        rows
    }

    fn node(&self, name: &str) -> usize {
        list(&self.json, "nodes").iter().position(|n| n["name"] == name).unwrap()
    }

    /// The rows by which a node is moved; none when it is not.
    fn motion(&self, node: usize, path: &str) -> Option<Vec<Vec<f32>>> {
        let animation = &self.json["animations"][0];
        let mine = |c: &&Value| c["target"]["node"] == node && c["target"]["path"] == path;
        let channel = list(animation, "channels").iter().find(mine)?;
        Some(self.rows(size(&animation["samplers"][size(&channel["sampler"])]["output"])))
    }
}

#[test]
fn motion_is_the_recordings() {
    let recording = recording("humanoid", 40, 0.05);
    let parsed = parse(&recording);
    assert_eq!(parsed.json["asset"]["generator"], "Poinsot");
    let samplers = list(&parsed.json["animations"][0], "samplers");
    assert!(samplers.iter().all(|s| s["input"] == samplers[0]["input"]), "one list of times");
    let times = parsed.rows(size(&samplers[0]["input"]));
    assert_eq!((times.len(), times[0][0]), (40, 0.0));
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
    for (k, body) in recording.scenery.bodies.iter().enumerate() {
        let node = parsed.node(&body.name);
        let Some(turns) = parsed.motion(node, "rotation") else {
            assert!(!body.moves, "{} moves", body.name);
            continue;
        };
        let norm = |q: &[f32]| q.iter().map(|x| x * x).sum::<f32>();
        assert!(turns.iter().all(|q| (norm(q) - 1.0).abs() < 1e-5));
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        assert!(turns.windows(2).all(|pair| dot(&pair[0], &pair[1]) >= 0.0), "the short way");
        let [x, y, z, w, i, j, l] = recording.frames[39].poses[k];
        assert_eq!(parsed.motion(node, "translation").unwrap()[39], [x, y, z]);
        assert!((dot(&turns[39], &[i, j, l, w]).abs() - 1.0).abs() < 1e-5);
    }
}

#[test]
fn meshes_are_shared_and_sound() {
    let parsed = parse(&recording("chain:50", 3, 0.1));
    let geometries: HashSet<usize> = list(&parsed.json, "meshes")
        .iter()
        .map(|mesh| size(&mesh["primitives"][0]["attributes"]["POSITION"]))
        .collect();
    assert!(geometries.len() < 10, "many colours, few forms");
    for mesh in list(&parsed.json, "meshes") {
        for primitive in list(mesh, "primitives") {
            let points = parsed.rows(size(&primitive["attributes"]["POSITION"]));
            if primitive["mode"] == 3 {
                continue;
            }
            let normals = parsed.rows(size(&primitive["attributes"]["NORMAL"]));
            assert_eq!(points.len(), normals.len());
            let indices = &parsed.json["accessors"][size(&primitive["indices"])];
            let view = &parsed.json["bufferViews"][size(&indices["bufferView"])];
            let begin = size(&view["byteOffset"]) + size(&indices["byteOffset"]);
            let bytes = &parsed.binary[begin..begin + 4 * size(&indices["count"])];
            assert!(bytes.chunks(4).all(|c| word(c, 0) < points.len()));
        }
    }
}

#[test]
fn solids_and_traces() {
    let recording = recording("dzhanibekov", 30, 0.1);
    let parsed = parse(&recording);
    let energy = parsed.node("energy ellipsoid");
    assert!(parsed.motion(energy, "rotation").is_some());
    let children = list(&parsed.json["nodes"][energy], "children");
    let named = |name: &str| children.iter().any(|c| parsed.json["nodes"][size(c)]["name"] == name);
    assert!(named("ellipsoid") && named("polhode"), "the polhode turns with its ellipsoid");
    let polhode = &parsed.json["nodes"][parsed.node("polhode")];
    let primitive = &parsed.json["meshes"][size(&polhode["mesh"])]["primitives"][0];
    let points = parsed.rows(size(&primitive["attributes"]["POSITION"]));
    let k = recording.scenery.traces.iter().position(|t| t.name == "polhode").unwrap();
    assert_eq!((points.len(), &points[29][..]), (30, &recording.frames[29].traces[k][..]));
}

#[test]
fn up_is_up() {
    for (up, expected) in [
        ([0.0, 0.0, 1.0], [-0.5f64.sqrt(), 0.0, 0.0, 0.5f64.sqrt()]),
        ([0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]),
    ] {
        let mut recording = recording("pendulum", 2, 0.1);
        recording.scenery.camera = Camera { up, ..Camera::default() };
        let root = parse(&recording).json["nodes"][0]["rotation"].clone();
        for (k, x) in expected.iter().enumerate() {
            assert!((root[k].as_f64().unwrap() - x).abs() < 1e-12, "{up:?}: {root}");
        }
    }
}

#[test]
fn what_is_not_a_number_is_not_written() {
    let mut recording = recording("dzhanibekov", 10, 0.1);
    for k in [0, 4, 9] {
        let frame = &mut recording.frames[k];
        frame.poses[1] = [f32::NAN; 7];
        frame.solids[0] = [f32::NAN; 10];
        frame.traces[0] = [f32::INFINITY; 3];
    }
    recording.frames[7].time = f64::NAN;
    recording.scenery.parts[0].rgba[0] = f64::NAN;
    let parsed = parse(&recording);
    assert!(!parsed.json.to_string().contains("null"));
    (0..list(&parsed.json, "accessors").len())
        .filter(|k| parsed.json["accessors"][k]["componentType"] == 5126)
        .for_each(|k| assert!(parsed.rows(k).iter().flatten().all(|x| x.is_finite())));
    let hidden = list(&parsed.json["nodes"][parsed.node("energy ellipsoid")], "children")[0].clone();
    let scales = parsed.motion(size(&hidden), "scale").unwrap();
    assert_eq!((&scales[4][..], scales[5][0] > 0.0), (&[0.0; 3][..], true));
}
