//! `poinsot convert`.

use crate::Screen;
use crate::draw::drawn;
use crate::failure::{Outcome, failure};
use crate::output;
use crate::report::print;
use crate::subject::{FileOptions, Origin, Subject};
use clap::{Args, ValueEnum};
use poinsot::formats::{self, Diagnostic, Report, Severity};
use poinsot_view::diagnostics;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;

/// Convert a model file to another format and report what that format cannot express
#[derive(Args)]
pub struct Convert {
    /// The MJCF or URDF file to read
    #[arg(value_name = "IN")]
    input: OsString,
    /// The file to write, .xml, .mjcf or .urdf; - for standard output
    #[arg(value_name = "OUT")]
    output: OsString,
    /// The format to write [default: from the extension of OUT]
    #[arg(long)]
    to: Option<Target>,
    #[command(flatten)]
    files: FileOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Target {
    Mjcf,
    Urdf,
}

impl Convert {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        let target = self.target()?;
        let subject = Subject::load(&self.input, &self.files)?;
        let Origin::File { description, report } = &subject.origin else {
            let message =
                format!("\"{}\" is a built-in scene; only files can be converted", self.input.display());
            return Err(failure(message));
        };
        let (text, losses) = match target {
            Target::Mjcf => formats::to_mjcf(description),
            Target::Urdf => formats::to_urdf(description),
        };
        if self.output != "-" {
            self.write(&text)?;
        }
        if screen.json {
            print(&format!("{:#}\n", self.json(target, &text, report, &losses)))?;
            return Ok(0);
        }
        subject.show_diagnostics(screen.verbose);
        // notes too: each names something that is missing from the new file
        for loss in losses.diagnostics() {
            crate::report::tell(&drawn(report, loss, std::io::stderr().is_terminal()));
        }
        if self.output == "-" {
            print(&text)?;
        }
        Ok(0)
    }

    fn target(&self) -> Outcome<Target> {
        let ending = Path::new(&self.output).extension().map(|e| e.to_string_lossy().to_lowercase());
        match (self.to, ending.as_deref()) {
            (Some(target), _) => Ok(target),
            (None, Some("urdf")) => Ok(Target::Urdf),
            (None, Some("xml" | "mjcf")) => Ok(Target::Mjcf),
            (None, _) => Err(failure(format!(
                "the extension of \"{}\" does not determine the format",
                self.output.display()
            ))
            .help("give --to mjcf or --to urdf")),
        }
    }

    fn write(&self, text: &str) -> Outcome<()> {
        let same = |p: &OsString| std::fs::canonicalize(p).ok();
        if same(&self.output).is_some() && same(&self.output) == same(&self.input) {
            return Err(failure(format!("{} would be written over itself", self.input.display()))
                .help("give another OUT"));
        }
        output::Target::create(Path::new(&self.output))?.fill(text.as_bytes())
    }

    fn json(&self, target: Target, text: &str, report: &Report, losses: &Report) -> Value {
        let all = report.diagnostics().iter().chain(losses.diagnostics());
        let list: Vec<Value> = all.map(|d: &Diagnostic| diagnostics::one(report, d)).collect();
        let mut object = json!({
            "output": self.output.to_string_lossy(),
            "format": if target == Target::Mjcf { "mjcf" } else { "urdf" },
            "losses": losses.count(Severity::Warning) + losses.count(Severity::Note),
            "diagnostics": list,
        });
        if self.output == "-" {
            object["text"] = json!(text);
        }
        object
    }
}
