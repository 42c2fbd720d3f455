//! The page's server reads nothing but what was dropped, and the loader nothing outside its root: each hostile model is
//! dropped while the files it asks for are there, and again when they are not. The answers are the same, and nobody has
//! read the files.
#![allow(clippy::unwrap_used)]

#[path = "hostile/cases.rs"]
mod cases;
#[path = "hostile/server.rs"]
mod server;

use cases::Case;
use poinsot::formats::{LoadOptions, Loaded, load_with};
use serde_json::Value;
use server::{Drop, Server};
use std::fs::{self, File, FileTimes};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

const SECRET: &str = "TOP-SECRET";
const TETRAHEDRON: &str = "v 0 0 0\nv 7 0 0\nv 0 7 0\nv 0 0 7\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// A folder next to the drops, with files that are nobody's business.
struct Secrets(TempDir);

impl Secrets {
    fn new() -> Secrets {
        let secrets = Secrets(tempfile::tempdir().unwrap());
        secrets.write();
        secrets
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    fn files() -> [(&'static str, Vec<u8>); 8] {
        let xml = format!(
            "<mujoco model='{SECRET}'><worldbody><body name='{SECRET}'><geom size='1'/></body></worldbody></mujoco>"
        );
        let field: Vec<u8> = [2i32.to_le_bytes(), 2i32.to_le_bytes()].concat();
        let field = [field, [0f32, 1.0, 2.0, 3.0].iter().flat_map(|x| x.to_le_bytes()).collect()].concat();
        [
            ("secret.xml", xml.clone().into_bytes()),
            ("secret.stl", format!("solid {SECRET}\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 7 0 0\nvertex 0 7 0\nendloop\nendfacet\nendsolid\n").into_bytes()),
            ("secret.obj", TETRAHEDRON.into()),
            ("secret.mtl", format!("newmtl red\nKd 0.123 0 0\n# {SECRET}\n").into_bytes()),
            ("secret.dae", xml.clone().into_bytes()),
            ("secret.msh", vec![0; 16]),
            ("secret.hf", field),
            ("secret.png", b"\x89PNG\r\n\x1a\n".to_vec()),
        ]
    }
    /// All files, last read long before they were written: who reads them now leaves a new time.
    fn write(&self) {
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        for (name, bytes) in Secrets::files() {
            fs::write(self.path(name), bytes).unwrap();
            let times =
                FileTimes::new().set_accessed(long_ago).set_modified(long_ago + Duration::from_secs(9));
            File::options().write(true).open(self.path(name)).unwrap().set_times(times).unwrap();
        }
    }
    fn remove(&self) {
        Secrets::files().iter().for_each(|(name, _)| fs::remove_file(self.path(name)).unwrap());
    }
    fn read_times(&self) -> Vec<SystemTime> {
        Secrets::files()
            .iter()
            .map(|(name, _)| fs::metadata(self.path(name)).unwrap().accessed().unwrap())
            .collect()
    }
    /// The texts of a case with the paths of these files; drops are made in folders next to this one.
    fn named_in(&self, files: &Drop) -> Drop {
        let (whole, last) = (self.0.path().display().to_string(), self.0.path().file_name().unwrap());
        let up = format!("../{}", last.to_string_lossy());
        let put = |text: &String| text.replace("ABS", &whole).replace("REL", &up);
        files.iter().map(|(name, text)| (put(name), put(text))).collect()
    }
    /// What `attempt` says must not depend on the files, nor tell of them, nor have read or written any.
    fn are_kept(&self, name: &str, mut attempt: impl FnMut() -> String) {
        let before = self.read_times();
        let there = attempt();
        if access_times_are_kept() {
            assert_eq!(before, self.read_times(), "{name}: a file outside was read");
        }
        let count = fs::read_dir(self.0.path()).unwrap().count();
        assert_eq!(count, Secrets::files().len(), "{name}: something was written outside");
        self.remove();
        let gone = attempt();
        self.write();
        assert_eq!(there, gone, "{name}: the answer tells whether there is such a file");
        assert!(!there.contains(SECRET), "{name}: {there}");
    }
}

/// True where the file system notes when a file is read.
fn access_times_are_kept() -> bool {
    let secrets = Secrets::new();
    let before = secrets.read_times();
    fs::read(secrets.path("secret.xml")).unwrap();
    before != secrets.read_times()
}

#[test]
fn a_drop_reads_nothing_but_what_was_dropped() {
    let cases = cases::all();
    assert!(cases.len() >= 40, "{}", cases.len());
    let (secrets, mut server) = (Secrets::new(), Server::start());
    for Case { name, files, said } in &cases {
        let files = secrets.named_in(files);
        secrets.are_kept(name, || {
            let answer = server.drop(&files);
            assert!(!said || says_something(&answer), "{name}: {answer}");
            answer.to_string()
        });
    }
}

/// Everything that was refused is said: in the message, or among the diagnostics.
fn says_something(answer: &Value) -> bool {
    let refused =
        answer["ok"] == Value::Bool(false) && answer["message"].as_str().is_some_and(|m| !m.is_empty());
    let diagnostics = answer["scenery"]["diagnostics"].as_array();
    refused || diagnostics.is_some_and(|list| list.iter().any(|d| d["severity"] != "note"))
}

#[test]
fn the_same_models_are_read_when_they_name_their_own_files() {
    let mut server = Server::start();
    let meshes = |file: &str| {
        format!(
            "<mujoco><compiler meshdir='meshes/../meshes'/><asset><mesh name='m' file='{file}'/></asset><worldbody><body><joint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
        )
    };
    let files =
        |list: &[(&str, &str)]| list.iter().map(|(n, t)| (n.to_string(), t.to_string())).collect::<Drop>();
    let answer = server.drop(&files(&[("m.xml", &meshes("a.obj")), ("meshes/a.obj", TETRAHEDRON)]));
    assert!(answer["triangles"].as_u64().unwrap() > 0, "{answer}");
    let robot = "<robot name='r'><link name='a'><visual><geometry><mesh filename='package://pkg/meshes/a.obj'/></geometry></visual></link></robot>";
    let answer = server.drop(&files(&[("pkg/urdf/r.urdf", robot), ("pkg/meshes/a.obj", TETRAHEDRON)]));
    assert!(answer["triangles"].as_u64().unwrap() > 0, "{answer}");
}

fn load_in(root: &Path, file: &str) -> Result<Loaded, String> {
    let options = LoadOptions { root: Some(root.to_path_buf()), ..LoadOptions::default() };
    load_with(root.join(file), &options).map_err(|e| e.to_string())
}

/// All that a loaded model has to give, with every file it names.
fn contents(loaded: &Loaded) -> String {
    let meshes: Vec<_> =
        loaded.description.meshes.iter().map(|m| m.surface().map(|s| s.vertices.len())).collect();
    let fields: Vec<_> = loaded.description.height_fields.iter().map(|h| h.heights().cloned()).collect();
    let pictures: Vec<_> =
        loaded.description.textures.iter().map(|t| t.file.as_ref().map(|f| fs::read(f).ok())).collect();
    format!("{}\n{meshes:?}\n{fields:?}\n{pictures:?}", loaded.report)
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_the_root() {
    use std::os::unix::fs::symlink;
    let secrets = Secrets::new();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    symlink(secrets.0.path(), root.join("way")).unwrap();
    symlink("way", root.join("two")).unwrap();
    symlink("..", root.join("up")).unwrap();
    for (name, _) in Secrets::files() {
        symlink(secrets.path(name), root.join(name.replace("secret", "linked"))).unwrap();
    }
    let last = secrets.0.path().file_name().unwrap().to_string_lossy().into_owned();
    for way in ["way/secret", "two/secret", "linked", &format!("up/{last}/secret"), "way/../linked"] {
        let mut texts = vec![
            ("m.xml", format!("<mujoco><include file='{way}.xml'/></mujoco>")),
            (
                "r.urdf",
                format!(
                    "<robot name='r'><link name='a'><visual><geometry><mesh filename='{way}.stl'/></geometry></visual></link></robot>"
                ),
            ),
            (
                "r.urdf",
                format!(
                    "<robot name='r'><link name='a'><visual><geometry><mesh filename='package://{way}.stl'/></geometry></visual></link></robot>"
                ),
            ),
        ];
        for asset in [
            format!("<mesh name='a' file='{way}.stl'/>"),
            format!("<mesh name='a' file='{way}.obj'/>"),
            format!("<hfield name='a' size='1 1 1 1' file='{way}.hf'/>"),
            format!("<texture name='a' type='cube' file='{way}.png'/>"),
        ] {
            texts.push(("m.xml", format!("<mujoco><asset>{asset}</asset></mujoco>")));
        }
        for (file, text) in texts {
            fs::write(root.join(file), &text).unwrap();
            secrets.are_kept(&text, || match load_in(root, file) {
                Ok(loaded) => {
                    let said = loaded.report.to_string();
                    assert!(
                        said.contains("is outside the folder") || said.contains("there is no"),
                        "{text}\n{said}"
                    );
                    contents(&loaded)
                }
                Err(message) => message,
            });
        }
    }
    // the model itself
    secrets.are_kept("linked.xml", || load_in(root, "linked.xml").unwrap_err());
    secrets.are_kept("way/secret.xml", || load_in(root, "way/secret.xml").unwrap_err());
}

#[test]
fn uploads_that_stall_keep_nobody_waiting() {
    let mut server = Server::start();
    let head = format!(
        "POST /drop HTTP/1.1\r\nHost: {}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n--b\r\n",
        server.address
    );
    let stalled: Vec<_> = (0..100)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    let model = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>";
    let answer = server.drop(&vec![("a.xml".into(), model.into())]);
    assert!(answer["scenery"].is_object(), "{answer}");
    assert!(begin.elapsed() < Duration::from_secs(8), "{:?}", begin.elapsed());
    drop(stalled);
}
