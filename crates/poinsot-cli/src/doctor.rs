//! `poinsot doctor`: the findings of the library's doctor, drawn.

use crate::draw::drawn;
use crate::failure::Outcome;
use crate::report::{count, print};
use crate::subject::{FileOptions, Origin, Subject};
use crate::{Screen, run};
use clap::Args;
use poinsot::doctor::{Finding, Patient, examine};
use poinsot::formats::{Report, Severity, groups};
use poinsot_view::diagnostics;
use serde_json::json;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::IsTerminal;

/// Find physics that is wrong, suspicious or not simulated
///
/// Shows all diagnostics of a file: impossible and suspicious inertias, limits, overlaps and keyframes, and springs,
/// dampers and servos that are too stiff for the time step. Exits with code 1 when there are errors.
#[derive(Args)]
pub struct Doctor {
    /// A built-in scene, or the path of an MJCF or URDF file
    model: OsString,
    /// The time step the model will be run with, s [default: the scene's or the file's]
    #[arg(long, value_parser = run::positive, allow_negative_numbers = true)]
    dt: Option<f64>,
    #[command(flatten)]
    files: FileOptions,
}

/// If a kind of note occurs more often than this, only some are shown.
const MOST_OF_A_KIND: usize = 4;

impl Doctor {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        let subject = Subject::load(&self.model, &self.files)?;
        let its_dt = match &subject.origin {
            Origin::Scene { dt, .. } => *dt,
            Origin::File { description, .. } => description.options.timestep,
        };
        let dt = self.dt.unwrap_or(its_dt);
        let patient = Patient { model: &subject.model, description: subject.description(), dt };
        let empty = Report::default();
        let report = subject.report().unwrap_or(&empty);
        let mut all = examine(&patient);
        add_report(&mut all, report);
        all.sort_by_key(|f| std::cmp::Reverse(f.severity));
        let failed = all.iter().any(|f| f.severity == Severity::Error);
        if screen.json {
            let list: Vec<_> = all.iter().map(|f| diagnostics::one(report, f)).collect();
            let [errors, warnings, notes] = counts(&all);
            let object = json!({
                "model": subject.model.name(),
                "dt": dt,
                "errors": errors,
                "warnings": warnings,
                "notes": notes,
                "diagnostics": list,
            });
            print(&format!("{object:#}\n"))?;
        } else {
            print(&text(&all, report, screen.verbose))?;
        }
        Ok(u8::from(failed))
    }
}

/// Adds the reader's diagnostics without duplicates: the doctor says more about defects, though the reader may know their place better.
fn add_report(all: &mut Vec<Finding>, report: &Report) {
    let impossible = |f: &Finding| f.code.ends_with("::impossible-inertia");
    let by_doctor = all.len();
    for said in report.diagnostics().iter().filter(|d| d.code != "model::defect") {
        let name = said.message.split('"').nth(1).map(|n| format!("body \"{n}\""));
        let same =
            |f: &&mut Finding| impossible(f) && name.as_ref().is_some_and(|n| f.message.starts_with(n));
        match all[..by_doctor].iter_mut().find(same).filter(|_| impossible(said)) {
            Some(finding) => (finding.place, finding.help) = (said.place, said.help.clone()),
            None => all.push(said.clone()),
        }
    }
}

fn counts(all: &[Finding]) -> [usize; 3] {
    [Severity::Error, Severity::Warning, Severity::Note]
        .map(|severity| all.iter().filter(|f| f.severity == severity).count())
}

fn text(all: &[Finding], report: &Report, everything: bool) -> String {
    let terminal = std::io::stdout().is_terminal();
    let (mut seen, mut hidden) = (HashMap::new(), 0);
    let mut out = String::new();
    for group in groups(all) {
        let n: &mut usize = seen.entry(group.first.code).or_default();
        *n += 1;
        if everything {
            let each = std::iter::once(&group.first).chain(&group.others);
            each.for_each(|finding| out.push_str(&drawn(report, finding, terminal)));
        } else if *n <= MOST_OF_A_KIND || group.first.severity == Severity::Error {
            out.push_str(&drawn(report, &group.as_one(), terminal));
            hidden += group.others.len();
        } else {
            hidden += 1 + group.others.len();
        }
    }
    if hidden > 0 {
        out.push_str(&format!(
            "  {hidden} more of the same kinds are not shown one by one; -v shows them all\n\n"
        ));
    }
    let [errors, warnings, notes] = counts(all);
    out.push_str(&if all.is_empty() {
        "  nothing to complain about\n".to_string()
    } else {
        format!(
            "  {}, {}, {}\n",
            count(errors, "error", "errors"),
            count(warnings, "warning", "warnings"),
            count(notes, "note", "notes")
        )
    });
    out
}
