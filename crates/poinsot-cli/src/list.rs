//! `poinsot list`.

use crate::Screen;
use crate::failure::Outcome;
use crate::report::print;
use clap::Args;
use poinsot::{integrate::Method, scenes::SCENES};
use poinsot_view::gallery::{EXHIBITS, Exhibit};
use serde_json::{Value, json};

/// Show the built-in scenes, the gallery and the integrators
#[derive(Args)]
pub struct List {}

impl List {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        print(&if screen.json { json() } else { text() })?;
        Ok(0)
    }
}

fn integrators() -> [(&'static str, &'static str); Method::ALL.len()] {
    Method::ALL.map(|m| (m.word(), m.sentence()))
}

fn json() -> String {
    let entry = |(name, about): &(&str, &str)| json!({"name": name, "about": about});
    let scenes: Vec<Value> = SCENES.iter().map(entry).collect();
    let integrators: Vec<Value> = integrators().iter().map(entry).collect();
    let shown = |e: &Exhibit| json!({"name": e.name, "about": e.physics});
    let gallery: Vec<Value> = EXHIBITS.iter().map(shown).collect();
    format!("{:#}\n", json!({"scenes": scenes, "gallery": gallery, "integrators": integrators}))
}

fn text() -> String {
    let integrators = integrators();
    let names = SCENES.iter().chain(&integrators).map(|(name, _)| name.len());
    let width = names.max().unwrap_or(0);
    let line = |(name, about): &(&str, &str)| format!("  {name:width$}  {about}\n");
    let mut out = String::from("Scenes (poinsot run SCENE)\n");
    out.extend(SCENES.iter().map(line));
    out.push_str("\nGallery (poinsot view NAME)\n");
    out.extend(EXHIBITS.iter().map(|e| line(&(e.name, e.title))));
    out.push_str("\nIntegrators (--integrator NAME)\n");
    out.extend(integrators.iter().map(line));
    out
}
