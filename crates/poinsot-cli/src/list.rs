//! `poinsot list`.

use crate::report::print;
use clap::Args;
use miette::Result;
use poinsot::{integrate, scenes::SCENES};
use serde_json::{Value, json};

/// Show the built-in scenes and the integrators
#[derive(Args)]
pub struct List {
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

impl List {
    pub fn execute(self) -> Result<()> {
        if self.json {
            let entry = |(name, about): &(&str, &str)| json!({"name": name, "about": about});
            let scenes: Vec<Value> = SCENES.iter().map(entry).collect();
            let integrators: Vec<Value> = integrate::INTEGRATORS.iter().map(entry).collect();
            let all = json!({"scenes": scenes, "integrators": integrators});
            return print(&format!("{all:#}\n"));
        }
        let names = SCENES.iter().chain(&integrate::INTEGRATORS).map(|(name, _)| name.len());
        let width = names.max().unwrap_or(0);
        let line = |(name, about): &(&str, &str)| format!("  {name:width$}  {about}\n");
        let mut out = String::from("Scenes (poinsot run SCENE)\n");
        out.extend(SCENES.iter().map(line));
        out.push_str("\nIntegrators (--integrator NAME)\n");
        out.extend(integrate::INTEGRATORS.iter().map(line));
        print(&out)
    }
}
