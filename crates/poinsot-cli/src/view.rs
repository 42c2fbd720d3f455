//! `poinsot view`.

use crate::Screen;
use crate::eval::Start;
use crate::failure::{Outcome, failure};
use crate::plan;
use crate::report::{print, tell};
use crate::subject::{FileOptions, Origin, Subject};
use clap::Args;
use poinsot::scenes::SCENES;
use poinsot_view::cast::{Actor, Show};
use poinsot_view::diagnostics;
use poinsot_view::gallery::{self, EXHIBITS};
use poinsot_view::live;
use poinsot_view::page;
use poinsot_view::serve::{self, Guard, StopHandle};
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};

/// View a model in the browser
///
/// Serves a page at http://127.0.0.1:7878 and opens it. Without a model: the gallery. The simulation runs here; the page shows it and lets
/// you pull on it.
#[derive(Args)]
pub struct View {
    /// A scene of the gallery, a built-in scene, or the path of an MJCF or URDF file [default: the gallery]
    model: Option<OsString>,
    #[command(flatten)]
    start: Start,
    /// The integrator (see `poinsot list`) [default: the scene's, or the closest to the file's]
    #[arg(long)]
    integrator: Option<String>,
    /// The time step, s [default: the scene's or the file's]
    #[arg(long, value_parser = crate::run::positive, allow_negative_numbers = true)]
    dt: Option<f64>,
    /// Start paused
    #[arg(long)]
    paused: bool,
    /// The port [default: 7878, or the next free one]
    #[arg(long)]
    port: Option<u16>,
    /// The address to listen on; other machines need the token contained in the printed link
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// The access token [default: none on a local address, otherwise random]
    #[arg(long)]
    token: Option<String>,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    files: FileOptions,
}

const PORT: u16 = 7878;
/// The scene shown behind the gallery.
const FIRST: &str = EXHIBITS[0].name;

impl View {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        if !page::is_built() {
            return Err(failure(page::MISSING));
        }
        let (show, diagnostics) = self.show(screen)?;
        let shared = live::start(show, diagnostics, !self.paused).map_err(failure)?;
        let wanted = SocketAddr::new(self.bind, self.port.unwrap_or(PORT));
        let listener = serve::bind(wanted, self.port.is_some()).map_err(|e| {
            failure(format!("cannot serve at {wanted}: {e}"))
                .help("give another --port, or an address of this machine to --bind")
        })?;
        let address = listener.local_addr()?;
        let guard = Guard::new(address, self.token.clone()).map_err(failure)?;
        let gallery = if self.model.is_none() { "#gallery" } else { "" };
        let link = format!("{}{gallery}", guard.url());
        print(&if screen.json {
            format!("{}\n", json!({"url": link, "address": address.to_string()}))
        } else {
            format!("  {link}\n  Ctrl-C ends it\n")
        })?;
        if !self.no_open && !screen.json {
            open_browser(&link);
        }
        let stop = StopHandle::default();
        let by_hand = stop.clone();
        if let Err(error) = ctrlc::set_handler(move || by_hand.stop()) {
            tell(&format!("Ctrl-C will end the program at once: {error}\n"));
        }
        serve::serve(listener, shared, guard, &stop)?;
        Ok(0)
    }

    fn show(&self, screen: Screen) -> Outcome<(Show, Value)> {
        let given = self.model.as_deref().unwrap_or(OsStr::new(FIRST));
        let name = &*given.to_string_lossy();
        let mut show = match EXHIBITS.iter().find(|e| e.name == given) {
            Some(exhibit) => {
                if let Some(flag) = self.files.given() {
                    return Err(failure(format!("{flag} is for model files, and \"{name}\" is a scene")));
                }
                (self.begun(exhibit.show()?, name)?, json!([]))
            }
            None => self.show_model(given, screen)?,
        };
        for actor in &mut show.0.actors {
            if let Some(name) = &self.integrator {
                actor.integrator = plan::method(name)?;
                actor.integrator.integrator(&actor.model)?;
            }
            actor.dt = self.dt.unwrap_or(actor.dt);
        }
        Ok(show)
    }

    /// An exhibit from the initial state that the user chooses.
    fn begun(&self, mut show: Show, name: &str) -> Outcome<Show> {
        if !self.start.is_given() {
            return Ok(show);
        }
        let is_scene = SCENES.iter().any(|(scene, _)| scene.split(':').next() == name.split(':').next());
        let (true, [actor]) = (is_scene, &mut show.actors[..]) else {
            return Err(failure(format!(
                "--key, --qpos and --qvel are for one model, and \"{name}\" has its own initial state"
            )));
        };
        let subject = Subject::load(OsStr::new(name), &self.files)?;
        actor.start.state = self.start.state(&subject, subject.state.clone())?;
        if let Some(control) = self.start.controls(&subject)?.filter(|c| c.len() == actor.start.control.len())
        {
            actor.start.control = control;
        }
        Ok(show)
    }

    fn show_model(&self, name: &OsStr, screen: Screen) -> Outcome<(Show, Value)> {
        let subject = Subject::load(name, &self.files)?;
        if !screen.json {
            subject.show_diagnostics(screen.verbose);
        }
        subject.refuse_singular("a view of")?;
        let state = self.start.state(&subject, subject.state.clone())?;
        let control = self.start.controls(&subject)?;
        let said = subject.report().map_or_else(|| json!([]), diagnostics::grouped);
        let mut actor = actor(subject)?;
        actor.look.missing.iter().for_each(|what| tell(&format!("  warning: {what}\n")));
        actor.start.state = state;
        if let Some(control) = control.filter(|c| c.len() == actor.start.control.len()) {
            actor.start.control = control;
        }
        Ok((Show::of(&name.to_string_lossy(), vec![actor]), said))
    }
}

/// The model of a command as an actor.
fn actor(subject: Subject) -> Outcome<Actor> {
    let Subject { name, model, origin, .. } = subject;
    Ok(match origin {
        Origin::Scene { .. } => {
            let show = gallery::by_name(&name)?;
            show.actors.into_iter().next().ok_or_else(|| failure("the scene is empty"))?
        }
        Origin::File { description, .. } => Actor::of_file(model, &description),
    })
}

/// Opens the link if there is a display; if that fails it is not an error, since the link is printed.
fn open_browser(link: &str) {
    let has_screen =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|v| std::env::var_os(v).is_some_and(|s| !s.is_empty()));
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ if has_screen => "xdg-open",
        _ => return,
    };
    let mut command = Command::new(program);
    drop(command.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn());
}
