//! Pictures, replays and the page.

use crate::guarded::Alarm;
use crate::model::PyModel;
use crate::simulation::{Object, PySimulation};
use numpy::{IntoPyArray, PyArray3, PyArrayMethods};
use poinsot::AtomicFile;
use poinsot::dynamics::State;
use poinsot_view::cast::{Actor, Show};
use poinsot_view::film::{self, FilmError, Framing};
use poinsot_view::live;
use poinsot_view::look::Look;
use poinsot_view::page;
use poinsot_view::projector::{Now, Projector};
use poinsot_view::raster::{Image, Options, Painter};
use poinsot_view::serve::{self, Guard, StopHandle};
use poinsot_view::show::{Camera, Frame, Recording};
use poinsot_view::{glb, replay};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Larger pictures are refused: pixels across or down.
const MOST_DOTS: usize = 8192;
const PORT: u16 = 7878;

/// The position of the camera, the point it looks at, and the upward direction.
type Eye = ([f64; 3], [f64; 3], [f64; 3]);

/// A painter of pictures of one size, with its scene.
pub struct Studio {
    size: (usize, usize),
    projector: Projector,
    painter: Painter,
    camera: Camera,
}

impl PyModel {
    /// The shapes of the bodies, read on first use.
    fn look(&self) -> Look {
        let read = || match &self.description {
            Some(description) => Look::described(&self.model, description),
            None => Look::of_file(&self.model),
        };
        self.look.get_or_init(read).clone()
    }

    /// The model in a show, from a state on.
    fn show(&self, state: &State) -> Show {
        let model = poinsot::model::Model::clone(&self.model);
        let mut actor = Actor::new(model, self.look(), state.clone(), self.integrator, self.timestep);
        actor.contact = self.usual_contact(self.integrator);
        Show::of(self.model.name(), vec![actor])
    }

    fn studio(&self, state: &State, size: (usize, usize)) -> Studio {
        let (projector, _) = self.show(state).begin();
        let options = Options { stamp: false, labels: false, ..Options::default() };
        let painter = Painter::new(projector.scenery(), projector.surfaces(), size.0, size.1, options);
        let camera = projector.scenery().camera;
        Studio { size, projector, painter, camera }
    }

    /// A picture of the model at a state.
    fn picture(&self, state: &State, size: (usize, usize)) -> Image {
        let control = vec![0.0; self.model.actuators().len()];
        self.studio(state, size).paint(state, &control, None, || false).unwrap_or_default()
    }
}

impl Studio {
    /// A picture, unless `stop` becomes true.
    fn paint(
        &mut self,
        state: &State,
        control: &[f64],
        camera: Option<Camera>,
        stop: impl FnMut() -> bool,
    ) -> Option<Image> {
        let mut frame = Frame::default();
        self.projector.project(&[Now { state, control }], &mut frame);
        *self.painter.camera_mut() = camera.unwrap_or(self.camera);
        self.painter.paint_unless(&frame, stop)
    }
}

fn check_size(width: usize, height: usize) -> PyResult<(usize, usize)> {
    if (1..=MOST_DOTS).contains(&width) && (1..=MOST_DOTS).contains(&height) {
        return Ok((width, height));
    }
    let text = format!("a picture of {width} by {height} dots; give from 1 to {MOST_DOTS} each way");
    Err(PyValueError::new_err(text))
}

/// (from, to) or (from, to, up).
fn camera_of(given: Option<&Object<'_>>) -> PyResult<Option<Camera>> {
    let Some(given) = given else { return Ok(None) };
    let up = [0.0, 0.0, 1.0];
    let eye: PyResult<Eye> = given.extract().or_else(|_| given.extract().map(|(from, to)| (from, to, up)));
    let Ok((from, to, up)) = eye else {
        let text = "camera: give (from, to) or (from, to, up), each of three numbers: where it is, what it looks at, what is up";
        return Err(PyTypeError::new_err(text));
    };
    if up == [0.0; 3] {
        return Err(PyValueError::new_err("camera: up is (0, 0, 0); give a direction, as in (0, 0, 1)"));
    }
    if [from, to, up].concat().iter().all(|x| x.is_finite()) && from != to {
        return Ok(Some(Camera { from, to, up }));
    }
    Err(PyValueError::new_err("camera: numbers must be finite, and it cannot look at where it is"))
}

#[pymethods]
impl PyModel {
    /// A picture of the initial state of a simulation, and the painter's scene.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let png = py.detach(|| self.picture(&self.begin, (480, 320)).png());
        let bytes = py.import("base64")?.call_method1("b64encode", (PyBytes::new(py, &png),))?;
        let data: String = bytes.call_method1("decode", ("ascii",))?.extract()?;
        let model = &self.model;
        let rows = [
            ("bodies", model.bodies().len() - 1),
            ("joints", model.joints().len()),
            ("degrees of freedom", model.nv()),
            ("actuators", model.actuators().len()),
            ("sensors", model.sensors().len()),
            ("constraints", model.constraints().len()),
        ];
        let rows = rows.iter().map(|(what, n)| format!("<tr><td>{what}</td><td>{n}</td></tr>"));
        let name = escaped(model.name());
        Ok(format!(
            "<div style=\"display:flex;gap:1em;align-items:center\"><img alt=\"{name}\" width=\"480\" height=\"320\" \
             src=\"data:image/png;base64,{data}\"/><div><b>{name}</b><table>{}<tr><td>mass</td><td>{:.4} kg</td></tr>\
             </table></div></div>",
            rows.collect::<String>(),
            model.mass(),
        ))
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[pymethods]
impl PySimulation {
    /// A picture of the simulation now: an array of uint8, shape (height, width, 3).
    ///
    /// camera: (from, to) or (from, to, up), each a point or direction in the world; by default everything that was there when the first
    /// picture of this size was made is in view.
    #[pyo3(signature = (width=640, height=480, camera=None))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        width: usize,
        height: usize,
        camera: Option<&Object<'py>>,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let (size, camera) = (check_size(width, height)?, camera_of(camera)?);
        let (state, control) = {
            let running = self.lock(py)?;
            (running.simulation.state().clone(), running.simulation.control().to_vec())
        };
        let model = self.model.get();
        let alarm = set_alarm();
        // the lock is not held while painting: a signal handler may request a picture as well
        let kept = || self.studio.lock().unwrap_or_else(PoisonError::into_inner);
        let image = py.detach(|| {
            let known = kept().take().filter(|s| s.size == size);
            let mut studio = known.unwrap_or_else(|| model.studio(&state, size));
            let image = studio.paint(&state, &control, camera, || alarm.rings());
            *kept() = Some(studio);
            image
        });
        let image = image.ok_or_else(|| raised(&alarm))?;
        image.rgb.into_pyarray(py).reshape([height, width, 3])
    }

    /// The number of recorded moments.
    #[getter]
    fn recorded(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.lock(py)?.recording.as_ref().map_or(0, |r| r.moments.len()))
    }

    /// The recording, as a replay.
    fn _replay(&self, py: Python<'_>, speed: f64) -> PyResult<PyReplay> {
        if !(speed > 0.0 && speed.is_finite()) {
            return Err(PyValueError::new_err(format!("speed is {speed}; give a positive number")));
        }
        let Some(recorded) = self.lock(py)?.recording.clone() else {
            return Err(PyValueError::new_err("nothing has been recorded; call record() before the steps"));
        };
        let model = self.model.get();
        let rate = speed / (recorded.every as f64 * self.dt);
        let recording = py.detach(|| {
            let (first, _) = &recorded.moments[0];
            let mut show = model.show(first);
            for actor in &mut show.actors {
                (actor.integrator, actor.label, actor.dt) =
                    (self.settings.method, self.settings.method.to_string(), self.dt);
            }
            let (mut projector, _) = show.begin();
            let frames = recorded.moments.iter().map(|(state, control)| {
                let mut frame = Frame::default();
                projector.project(&[Now { state, control }], &mut frame);
                frame
            });
            let frames = frames.collect();
            let (scenery, surfaces) = (projector.scenery().clone(), projector.surfaces().to_vec());
            Recording { scenery, surfaces, frames }
        });
        Ok(PyReplay { recording, speed, rate })
    }
}

/// A recorded run: a notebook displays it, and save writes it to a file.
#[pyclass(name = "Replay", module = "poinsot", frozen)]
pub struct PyReplay {
    recording: Recording,
    speed: f64,
    /// Frames per second of a film.
    rate: f64,
}

impl PyReplay {
    fn page(&self) -> PyResult<String> {
        let template = page::replay_template().ok_or_else(|| PyRuntimeError::new_err(page::MISSING))?;
        Ok(replay::page(&template, &self.recording, self.speed)?)
    }

    fn film(&self, path: &Path, size: (usize, usize)) -> PyResult<()> {
        let failed = |e: FilmError| PyOSError::new_err(e.to_string());
        let Recording { scenery, surfaces, frames } = &self.recording;
        let mut film = film::create(path, self.rate).map_err(failed)?;
        let mut painter = Painter::new(scenery, surfaces, size.0, size.1, Options::default());
        let (framing, alarm) = (Framing::of(scenery, surfaces, frames), set_alarm());
        for frame in frames {
            *painter.camera_mut() = framing.camera(frame);
            let Some(image) = painter.paint_unless(frame, || alarm.rings()) else {
                return Err(raised(&alarm));
            };
            film.frame(&image).map_err(failed)?;
        }
        film.finish().map_err(failed)
    }
}

fn set_alarm() -> Arc<Alarm> {
    let alarm = Alarm::new();
    alarm.set();
    alarm
}

/// The exception raised by a signal handler.
fn raised(alarm: &Alarm) -> PyErr {
    Python::attach(|py| alarm.error(py)).unwrap_or_else(|| PyKeyboardInterrupt::new_err(()))
}

/// Writes a file next to its destination, and moves it there when it is complete.
fn whole(path: &Path, write: impl FnOnce(&mut AtomicFile) -> std::io::Result<()>) -> PyResult<()> {
    let written = AtomicFile::create(path).and_then(|mut file| {
        write(&mut file)?;
        file.finish()
    });
    written.map_err(|e| PyOSError::new_err(format!("cannot write {}: {e}", path.display())))
}

#[pymethods]
impl PyReplay {
    /// Writes it to a file: .html, one page that replays anywhere; .glb, animated glTF; .gif, or .mp4 if ffmpeg is installed; without an
    /// extension, a folder of PNG files. width and height are those of films.
    #[pyo3(signature = (path, *, width=640, height=480))]
    fn save(&self, py: Python<'_>, path: PathBuf, width: usize, height: usize) -> PyResult<()> {
        let size = check_size(width, height)?;
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("html" | "htm") => {
                let page = self.page()?;
                whole(&path, |file| file.write_all(page.as_bytes()))
            }
            Some("glb") => py.detach(|| whole(&path, |file| glb::write(&self.recording, self.speed, file))),
            _ => py.detach(|| self.film(&path, size)),
        }
    }
    /// The replay page, as text.
    fn html(&self) -> PyResult<String> {
        self.page()
    }
    fn _repr_html_(&self) -> PyResult<String> {
        let page = escaped(&self.page()?);
        Ok(format!("<iframe srcdoc=\"{page}\" width=\"100%\" height=\"520\" style=\"border:0\"></iframe>"))
    }
    fn __len__(&self) -> usize {
        self.recording.frames.len()
    }
    fn __repr__(&self) -> String {
        let time = |f: Option<&Frame>| f.map_or(0.0, |f| f.time);
        let (frames, name) = (&self.recording.frames, &self.recording.scenery.title);
        let (from, to) = (time(frames.first()), time(frames.last()));
        format!("<poinsot.Replay of \"{name}\" from t = {from} to {to} s, {} frames>", frames.len())
    }
}

/// A page that is being served; close ends it.
#[pyclass(name = "Viewer", module = "poinsot", frozen)]
pub struct PyViewer {
    url: String,
    stop: StopHandle,
    server: Mutex<Option<JoinHandle<std::io::Result<()>>>>,
}

#[pymethods]
impl PyViewer {
    /// The address of the page.
    #[getter]
    fn url(&self) -> &str {
        &self.url
    }
    /// True while the page is served.
    #[getter]
    fn running(&self) -> bool {
        let server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        server.as_ref().is_some_and(|thread| !thread.is_finished())
    }
    /// Ends it.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.stop.stop();
        let server = self.server.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = server else { return Ok(()) };
        match py.detach(|| thread.join()) {
            Ok(outcome) => Ok(outcome?),
            Err(_) => Err(PyRuntimeError::new_err("the server has failed")),
        }
    }
    fn __repr__(&self) -> String {
        format!("<poinsot.Viewer at {}>", self.url)
    }
}

/// The caption of a page that follows a simulation.
const FOLLOWS: &str = "the page follows a simulation in Python: steps made there are seen here. Play, pull and the controls here act \
                       on a copy, from the moment that is shown; the next step in Python brings the page back";

/// Serves the page of a model, or of a simulation.
#[pyfunction]
#[pyo3(signature = (what, port=None, playing=true))]
pub fn _serve(py: Python<'_>, what: &Object<'_>, port: Option<u16>, playing: bool) -> PyResult<PyViewer> {
    if !page::is_built() {
        return Err(PyRuntimeError::new_err(page::MISSING));
    }
    let mut source: Option<live::Source> = None;
    let (show, mut said) = if let Ok(model) = what.cast::<PyModel>() {
        let model = model.get();
        let mut show = model.show(&model.begin);
        show.actors.iter_mut().for_each(|actor| actor.start.control.clone_from(&model.control));
        (show, model.said())
    } else if let Ok(simulation) = what.cast::<PySimulation>() {
        let own = simulation.get();
        let (state, control, by) =
            own.under_controls(py, |s| (s.state().clone(), s.control().to_vec(), s.stabilisation()))?;
        let mut show = own.model.get().show(&state);
        for actor in &mut show.actors {
            (actor.integrator, actor.formulation) = (own.settings.method, own.settings.formulation);
            actor.contact = own.settings.contact;
            (actor.stabilisation, actor.dt, actor.start.control) = (by, own.dt, control.clone());
        }
        let followed = simulation.clone().unbind();
        source = Some(Box::new(move || followed.get().guarded.latest_snapshot()));
        (show, own.model.get().said())
    } else {
        let found = what.get_type().name()?;
        let text = format!("view needs a poinsot.Model or a poinsot.Simulation, not a {found}");
        return Err(PyTypeError::new_err(text));
    };
    if let (Some(_), Some(list)) = (&source, said.as_array_mut()) {
        list.push(json!({"severity": "note", "code": "view::follows", "message": FOLLOWS}));
    }
    let shared = match source {
        Some(source) => live::start_following(show, said, playing, source),
        None => live::start(show, said, playing),
    };
    let shared = shared.map_err(PyRuntimeError::new_err)?;
    let wanted = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port.unwrap_or(PORT));
    let unserved =
        |e: std::io::Error| PyOSError::new_err(format!("cannot serve at {wanted}: {e}; give another port"));
    let listener = serve::bind(wanted, port.is_some()).map_err(unserved)?;
    let guard = Guard::new(listener.local_addr()?, None).map_err(PyRuntimeError::new_err)?;
    let (url, stop) = (guard.url(), StopHandle::default());
    let by_hand = stop.clone();
    let thread = std::thread::Builder::new().name("poinsot page".into());
    let server = thread.spawn(move || serve::serve(listener, shared, guard, &by_hand))?;
    Ok(PyViewer { url, stop, server: Mutex::new(Some(server)) })
}
