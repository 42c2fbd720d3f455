//! Replays, animations and films of runs.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod common;

use common::{ARM, file, poinsot, refused, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// The JSON of a .glb file.
fn glb(path: &Path) -> Value {
    let bytes = fs::read(path).unwrap();
    assert_eq!((&bytes[..4], word(&bytes, 8)), (&b"glTF"[..], bytes.len()));
    serde_json::from_slice(&bytes[20..20 + word(&bytes, 12)]).unwrap()
}

/// How many pictures there are in a folder, and the size of the first.
fn pictures(folder: &Path) -> (usize, (u32, u32)) {
    let first = fs::read(folder.join("frame_00001.png")).unwrap();
    assert_eq!(&first[..8], b"\x89PNG\r\n\x1a\n");
    let side = |at: usize| u32::from_be_bytes(first[at..at + 4].try_into().unwrap());
    (fs::read_dir(folder).unwrap().count(), (side(16), side(20)))
}

#[test]
fn animations() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.glb");
    let out = path.to_str().unwrap();
    let times = |json: &Value| {
        let sampler = &json["animations"][0]["samplers"][0];
        let times = &json["accessors"][sampler["input"].as_u64().unwrap() as usize];
        (times["count"].as_u64().unwrap(), times["max"][0].as_f64().unwrap() as f32)
    };
    stdout(&["run", "double-pendulum", "--time", "1", "--out", out]);
    let json = glb(&path);
    assert_eq!(times(&json), (31, 1.0), "30 a second, and the first");
    let named = |name: &str| json["nodes"].as_array().unwrap().iter().any(|n| n["name"] == name);
    assert!(named("rod1") && named("rod2") && named("camera"));
    // the end of the run is the end of the animation, which is played at half the speed here
    let slow = ["--playback-speed", "0.5", "--fps", "10"];
    stdout(&[&["run", "double-pendulum", "--time", "0.96", "--out", out], &slow[..]].concat());
    assert_eq!(times(&glb(&path)), (21, 1.92));
    // a model file has its own shapes and names
    let (_keep, model) = file("arm.xml", ARM);
    stdout(&["run", model.to_str().unwrap(), "--key", "bent", "--time", "0.5", "--out", out]);
    let json = glb(&path);
    let named = |name: &str| json["nodes"].as_array().unwrap().iter().any(|n| n["name"] == name);
    assert!(named("rod") && named("capsule"));
}

#[test]
fn films_and_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let (gif, frames) = (folder.path().join("run.gif"), folder.path().join("frames"));
    let size = ["--size", "64x40"];
    let run = |more: &[&str]| {
        let frames = frames.to_str().unwrap();
        stdout(&[&["run", "pendulum", "--frames", frames], &size[..], more].concat());
        let found = pictures(Path::new(frames));
        fs::remove_dir_all(frames).unwrap();
        found
    };
    let out = gif.to_str().unwrap();
    assert_eq!(run(&["--time", "1", "--fps", "10", "--out", out]), (11, (64, 40)));
    let bytes = fs::read(&gif).unwrap();
    assert_eq!((&bytes[..6], &bytes[6..10]), (&b"GIF89a"[..], &[64, 0, 40, 0][..]));
    assert_eq!(bytes.last(), Some(&b';'), "it is whole");
    // steps longer than the time between pictures: some are shown more than once
    assert_eq!(run(&["--time", "1", "--dt", "0.1", "--fps", "30"]).0, 31);
    // steps that do not divide it: the nearest are shown
    assert_eq!(run(&["--time", "1", "--dt", "0.007", "--fps", "9"]).0, 10);
    assert_eq!(run(&["--time", "2", "--playback-speed", "2", "--fps", "10"]).0, 11);
    // a folder is a folder, whatever its name ends with
    let page = folder.path().join("frames.html");
    stdout(&[&["run", "pendulum", "--time", "1", "--frames", page.to_str().unwrap()], &size[..]].concat());
    assert_eq!(pictures(&page).0, 31);
}

#[test]
fn replays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.html");
    let arguments = ["run", "pendulum", "--time", "0.1", "--out", path.to_str().unwrap()];
    if !poinsot_view::page::is_built() {
        return refused(&arguments, &["npm", "build again"]);
    }
    stdout(&arguments);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("<script type=\"application/json\" id=\"recording\">{"));
    assert!(!text.contains("<!--RECORDING-->"));
}

#[test]
fn what_cannot_be_filmed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let run = ["run", "pendulum", "--time", "0.1"];
    let (glb, avi) = (path("run.glb"), path("run.avi"));
    refused(&[&run[..], &["--out", &avi]].concat(), &["run.avi", ".html", ".glb", ".gif, .mp4"]);
    refused(&[&run[..], &["--fps", "10"]].concat(), &["--fps is for films", "--out run.gif"]);
    let csv = path("a.csv");
    refused(&[&run[..], &["--size", "64x40", "--out", &csv]].concat(), &["--size is for films"]);
    assert!(!Path::new(&csv).exists(), "what is refused leaves nothing");
    let size = [&run[..], &["--size", "64x40", "--out", &glb]].concat();
    refused(&size, &["--size is for films made of pictures", "--out run.gif or .mp4"]);
    refused(
        &[&run[..], &["--every", "2", "--out", &glb]].concat(),
        &["--every applies to rows", "run.csv", "--fps"],
    );
    refused(&["run", "chain:1000", "--time", "1e5", "--out", &glb], &["GB", "--fps"]);
    refused(&[&run[..], &["--out", "/no/such/run.glb"]].concat(), &["/no/such/run.glb"]);
    refused(&[&run[..], &["--out", "/no/such/run.gif"]].concat(), &["/no/such/run.gif"]);
    for (flag, wrong) in [("--fps", "0"), ("--size", "800"), ("--size", "1x1"), ("--playback-speed", "-1")] {
        poinsot(&[&run[..], &["--out", &glb, flag, wrong]].concat()).assert().code(2);
    }
}

#[test]
fn what_is_odd_about_a_film_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let said = |name: &str, more: &[&str]| {
        let path = folder.path().join(name);
        let arguments = [&["run", "andrews", "--out", path.to_str().unwrap()], more].concat();
        let output = poinsot(&arguments).assert().success().get_output().clone();
        String::from_utf8(output.stderr).unwrap()
    };
    let short = said("a.gif", &["--fps", "10", "--size", "64x40"]);
    assert!(
        short.contains("shows 0.03 s in 1 frame;") && short.contains("--playback-speed 0.0060 makes"),
        "{short}"
    );
    let slow = said("a.gif", &["--fps", "10", "--size", "64x40", "--playback-speed", "0.01"]);
    assert!(!slow.contains("note:"), "{slow}");
}

/// A program that takes all pictures and writes this instead of a film, without a complaint.
#[cfg(unix)]
fn liar(folder: &Path, writes: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("ffmpeg");
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = -version ] && exit 0\ncat > /dev/null\nfor last; do :; done\n{writes} > \"$last\"\n"
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
#[cfg(unix)]
fn a_film_that_is_cut_short_replaces_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (film, rows) = (folder.path().join("run.mp4"), folder.path().join("run.csv"));
    let system = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{system}", folder.path().display());
    // nothing, something else, and a box that is said to be longer than the file
    for writes in ["true", "echo film", "printf '\\000\\000\\001\\000moov'"] {
        liar(folder.path(), writes);
        [&film, &rows].iter().for_each(|p| fs::write(p, "old").unwrap());
        let [out, rows_out] = [&film, &rows].map(|p| p.to_str().unwrap());
        let mut command = poinsot(&[
            "run", "pendulum", "--time", "0.5", "--size", "64x40", "--out", out, "--out", rows_out,
        ]);
        let output = command.env("PATH", &path).assert().code(1).get_output().clone();
        let said = String::from_utf8(output.stderr).unwrap().replace(['│', '\n'], " ");
        assert!(said.contains("incomplete") && said.contains("run.mp4"), "{said}");
        // not the rows either: files of a run belong together
        [&film, &rows].iter().for_each(|p| assert_eq!(fs::read_to_string(p).unwrap(), "old", "{writes}"));
        let left = fs::read_dir(&folder).unwrap().count();
        assert_eq!(left, 3, "no temporary files stay");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn ctrl_c_in_a_terminal_keeps_the_film() {
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    if Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).status().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let film = folder.path().join("run.mp4");
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("poinsot"))
        .args(["run", "pendulum", "--time", "1e6", "--dt", "1e-3", "--size", "64x40", "--out"])
        .arg(&film)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    // a terminal sends it to the whole process group
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(&fs::read(&film).unwrap()[4..8], b"ftyp");
}
