//! The failure of a command: as text, or as one JSON object.

use crate::draw;
use crate::report::{plain, print};
use miette::miette;
use poinsot::formats;
use poinsot_view::diagnostics;
use serde_json::{Value, json};
use std::fmt::Display;
use std::io::IsTerminal;

/// The result of a command: the exit code, or the failure.
pub type Outcome<T> = Result<T, Failure>;

/// Why a command could not do its work.
#[derive(Debug)]
pub struct Failure {
    message: String,
    help: Option<String>,
    report: Option<Box<formats::Report>>,
}

/// A failure with this message.
pub fn failure(message: impl Display) -> Failure {
    Failure { message: message.to_string(), help: None, report: None }
}

/// The first failure of several attempts, all of which are made.
pub fn all(attempts: impl IntoIterator<Item = Outcome<()>>) -> Outcome<()> {
    let mut first = Ok(());
    for attempt in attempts {
        first = first.and(attempt);
    }
    first
}

/// Errors of the library already say what to do.
impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        failure(error)
    }
}

impl Failure {
    /// Adds what to do.
    pub fn help(mut self, help: impl Display) -> Failure {
        self.help = Some(help.to_string());
        self
    }
    /// Adds the diagnostics of the model's files.
    pub fn with_report(mut self, report: formats::Report) -> Failure {
        self.report = Some(Box::new(report));
        self
    }
    /// Puts a context before the message: what was being done.
    pub fn while_doing(mut self, what: impl Display) -> Failure {
        self.message = format!("{what}: {}", self.message);
        self
    }

    /// Prints it to standard error; JSON goes to standard output, where a program expects the result.
    pub fn show(&self, as_json: bool) {
        if as_json {
            let told = print(&format!("{:#}\n", self.json()));
            if let Err(unwritten) = told {
                crate::report::tell(&format!("{unwritten}\n"));
            }
            return;
        }
        if let Some(report) = &self.report {
            draw::to_stderr(report, draw::Least::Warnings, None);
        }
        crate::report::tell_drawn(&draw::rendered(self.drawn().as_ref(), std::io::stderr().is_terminal()));
    }

    fn drawn(&self) -> miette::Report {
        match &self.help {
            Some(help) => miette!(help = plain(help), "{}", plain(&self.message)),
            None => miette!("{}", plain(&self.message)),
        }
    }

    fn json(&self) -> Value {
        let mut object = json!({"error": self.message});
        if let Some(help) = &self.help {
            object["help"] = json!(help);
        }
        object["diagnostics"] = self.report.as_deref().map_or_else(|| json!([]), diagnostics::json);
        object
    }
}
