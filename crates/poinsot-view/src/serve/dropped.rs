//! Files dropped on the page: stored in a folder for as long as they are read, and opened.

use super::{MOST_BYTES, Server};
use crate::cast::{Actor, Show};
use crate::live::Envelope;
use axum::Json;
use axum::extract::multipart::MultipartError;
use axum::extract::{Multipart, State};
use axum::http::StatusCode;
use poinsot::formats::{self, LoadOptions, Report};
use poinsot::model::Model;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The limits of one drop.
const MOST_FILES: usize = 10_000;
/// The number of bytes on disk for all simultaneous drops.
const MOST_KEPT: usize = 4 * MOST_BYTES;
/// The longest pause of an upload, and its least speed in bytes a second.
const SILENCE: Duration = Duration::from_secs(10);
const SLOWEST: usize = 10_000;
const MOST_BODIES: usize = 10_000;
const MOST_CONSTRAINTS: usize = 500;

pub(super) async fn take(State(server): State<Server>, form: Multipart) -> Json<Value> {
    let mut kept = Kept { all: server.kept.clone(), own: 0 };
    let answer = match saved(form, &mut kept).await {
        Err(message) => refusal(message, json!([])),
        Ok((folder, files)) => {
            // an upload that never ends must not keep others waiting
            let _turn = server.dropping.lock().await;
            let opened = tokio::task::spawn_blocking(move || opened(folder.path(), &files)).await;
            match opened {
                Ok(Ok((show, diagnostics))) => {
                    let sent = server.shared.commands.send(Envelope::Show(Box::new(show), diagnostics));
                    if sent.is_ok() {
                        json!({"ok": true})
                    } else {
                        refusal("the simulation has ended", json!([]))
                    }
                }
                Ok(Err((message, diagnostics))) => refusal(message, diagnostics),
                Err(_) => refusal("the file could not be read", json!([])),
            }
        }
    };
    Json(answer)
}

fn refusal(message: impl Into<String>, diagnostics: Value) -> Value {
    json!({"ok": false, "message": message.into(), "diagnostics": diagnostics})
}

/// The bytes of one drop on disk, and the total of all.
struct Kept {
    all: Arc<AtomicUsize>,
    own: usize,
}

impl Kept {
    fn add(&mut self, bytes: usize) -> Result<(), String> {
        self.own += bytes;
        let before = self.all.fetch_add(bytes, Relaxed);
        let room = before + bytes <= MOST_KEPT;
        if room { Ok(()) } else { Err("too much is being dropped at the same time; try again later".into()) }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.all.fetch_sub(self.own, Relaxed);
    }
}

/// The next part of an upload that began at `begun`, of which `received` bytes have arrived.
async fn in_time<T>(
    next: impl Future<Output = Result<T, MultipartError>>,
    begun: Instant,
    received: usize,
) -> Result<T, String> {
    let until = begun + SILENCE + Duration::from_secs((received / SLOWEST) as u64);
    let soon = Instant::now() + SILENCE;
    match timeout_at(until.min(soon), next).await {
        Ok(outcome) => outcome.map_err(|e| too_large(&e)),
        Err(_) => Err("the files did not arrive in time".into()),
    }
}

/// Writes the files into a folder of their own.
async fn saved(mut form: Multipart, kept: &mut Kept) -> Result<(tempfile::TempDir, Vec<PathBuf>), String> {
    let begun = Instant::now();
    let folder = tempfile::tempdir().map_err(|e| format!("cannot make a folder: {e}"))?;
    let mut files = Vec::new();
    while let Some(mut field) = in_time(form.next_field(), begun, kept.own).await? {
        let name = field.file_name().unwrap_or_default().to_string();
        let path = inside(&name).ok_or_else(|| format!("\"{name}\" is not a file name"))?;
        if files.len() == MOST_FILES {
            return Err(format!("more than {MOST_FILES} files were dropped at once"));
        }
        let whole = folder.path().join(&path);
        let unkept = |e: std::io::Error| format!("cannot keep \"{name}\": {e}");
        let made = whole.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| File::create(&whole));
        let mut file = made.map_err(unkept)?;
        while let Some(bytes) = in_time(field.chunk(), begun, kept.own).await? {
            kept.add(bytes.len())?;
            file.write_all(&bytes).map_err(unkept)?;
        }
        files.push(path);
    }
    Ok((folder, files))
}

/// Why a form could not be read to the end.
fn too_large(error: &MultipartError) -> String {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            let most = MOST_BYTES >> 20;
            format!("what was dropped is larger than {most} MB; open it with `poinsot view FILE`")
        }
        _ => error.body_text(),
    }
}

/// A relative path that does not lead upwards.
fn inside(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(name.replace('\\', "/"));
    let down = path.components().all(|c| matches!(c, Component::Normal(_)));
    (down && path.file_name().is_some()).then_some(path)
}

type Refusal = (String, Value);

fn opened(folder: &Path, files: &[PathBuf]) -> Result<(Show, Value), Refusal> {
    let (file, others) = model_among(folder, files).map_err(|message| (message, json!([])))?;
    let options = LoadOptions {
        search: folders(folder, files),
        root: Some(folder.to_path_buf()),
        ..LoadOptions::default()
    };
    let mut loaded = formats::load_with(folder.join(&file), &options).map_err(|error| {
        let diagnostics = diagnostics(&error.report, folder);
        (format!("there is no model in {}", file.display()), diagnostics)
    })?;
    poinsot::note_integrator(&loaded.description, &loaded.model, &mut loaded.report);
    let mut diagnostics = diagnostics(&loaded.report, folder);
    let (model, description) = (loaded.model, loaded.description);
    if model.is_singular() {
        let why = model.defects().first().map_or(String::new(), ToString::to_string);
        return Err((format!("{} cannot be simulated: {why}", file.display()), diagnostics));
    }
    if let Some(why) = too_much(&model) {
        return Err((format!("{} {why}; open it with `poinsot view FILE`", file.display()), diagnostics));
    }
    let actor = Actor::of_file(model, &description);
    if let Some(list) = diagnostics.as_array_mut() {
        let prefix = format!("{}/", folder.display());
        let missing = actor.look.missing.iter().map(|m| m.replace(&prefix, ""));
        list.extend(missing.map(|m| json!({"severity": "warning", "code": "view::not-drawn", "message": m})));
        if !others.is_empty() {
            let message = format!("{} was opened; there are also {}", file.display(), others.join(", "));
            list.push(json!({"severity": "note", "code": "view::several-models", "message": message}));
        }
    }
    Ok((Show::of(&file.display().to_string(), vec![actor]), diagnostics))
}

/// An untrusted model must not take gigabytes of memory.
fn too_much(model: &Model) -> Option<String> {
    let (bodies, constraints) = (model.bodies().len(), model.constraints().len());
    if bodies > MOST_BODIES {
        return Some(format!("has {bodies} bodies, more than the {MOST_BODIES} that may be dropped"));
    }
    let many = constraints > MOST_CONSTRAINTS;
    many.then(|| {
        format!("has {constraints} constraints, more than the {MOST_CONSTRAINTS} that may be dropped")
    })
}

/// The model among dropped files, and other candidates: those that no other file refers to.
fn model_among(folder: &Path, files: &[PathBuf]) -> Result<(PathBuf, Vec<String>), String> {
    let ending = |p: &Path| p.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let known = files.iter().filter(|p| ["xml", "urdf", "mjcf"].contains(&ending(p).as_str()));
    let texts: Vec<(&PathBuf, String)> =
        known.map(|p| (p, fs::read_to_string(folder.join(p)).unwrap_or_default())).collect();
    let named = |p: &PathBuf| {
        let name = p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        texts.iter().any(|(other, text)| *other != p && text.contains(&name))
    };
    let mut models: Vec<&PathBuf> =
        texts.iter().filter(|(p, text)| is_model(text) && !named(p)).map(|(p, _)| *p).collect();
    // if none has the right root element, the reader reports what is wrong with the first
    if models.is_empty() {
        models = texts.iter().map(|(p, _)| *p).collect();
    }
    models.sort_by_key(|p| (p.components().count(), p.to_path_buf()));
    let mut models = models.into_iter();
    let first = models.next().ok_or("there is no .xml, .urdf or .mjcf file among what was dropped")?;
    Ok((first.clone(), models.map(|p| p.display().to_string()).collect()))
}

/// True if the first element is that of a model.
fn is_model(text: &str) -> bool {
    let elements = text.split('<').skip(1).filter(|e| !e.starts_with(['?', '!']));
    elements.take(1).any(|e| ["mujoco", "robot"].iter().any(|tag| e.starts_with(tag)))
}

/// All folders of the dropped files: meshes may be next to the model or in a package.
fn folders(folder: &Path, files: &[PathBuf]) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        files.iter().flat_map(|f| f.ancestors().skip(1)).map(|f| folder.join(f)).collect();
    all.push(folder.to_path_buf());
    all.sort();
    all.dedup();
    all
}

/// Diagnostics for the page, with paths as they were dropped.
fn diagnostics(report: &Report, folder: &Path) -> Value {
    let prefix = format!("{}/", folder.display());
    let mut all = crate::diagnostics::grouped(report);
    for one in all.as_array_mut().into_iter().flatten() {
        for key in ["file", "message", "help"] {
            if let Some(text) = one[key].as_str() {
                one[key] = json!(text.replace(&prefix, ""));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_no_model() {
        assert!(is_model("<?xml version='1.0'?><!-- a --><robot name='r'/>") && is_model("<mujoco/>"));
        assert!(!is_model("<package format='2'><name>robot</name></package>") && !is_model("robot"));
    }

    #[test]
    fn no_path_leads_out() {
        assert_eq!(inside("robot/meshes/a.stl"), Some(PathBuf::from("robot/meshes/a.stl")));
        for bad in ["../a", "/etc/passwd", "a/../../b", "", ".", "..\\a"] {
            assert_eq!(inside(bad), None, "{bad}");
        }
    }

    /// As in collections of robots, whose packages are folders far above the robot.
    #[test]
    fn the_end_of_a_package_path_is_enough() {
        let folder = tempfile::tempdir().unwrap();
        let urdf = "<robot name='r'><link name='a'>
            <visual><geometry><mesh filename='package://collection/robots/r/meshes/a.obj'/></geometry></visual>
            <visual><geometry><mesh filename='package://collection/robots/r/meshes/b.obj'/></geometry></visual>
            </link></robot>";
        let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
        let files = [("r/urdf/r.urdf", urdf), ("r/meshes/a.obj", mesh)].map(|(name, text)| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
            PathBuf::from(name)
        });
        let (_, diagnostics) = opened(folder.path(), &files).unwrap();
        let all = diagnostics.as_array().unwrap();
        let missing: Vec<&Value> = all.iter().filter(|d| d["code"] == "urdf::missing-mesh").collect();
        assert_eq!(missing.len(), 1, "{diagnostics}");
        assert!(missing[0]["message"].as_str().unwrap().contains("b.obj"));
        assert!(
            missing[0]["help"]
                .as_str()
                .unwrap()
                .contains("give the folder that has it together with the model")
        );
    }
}
