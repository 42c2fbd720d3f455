//! The requests of a page.

use crate::cast::Show;
use poinsot::Formulation;
use serde::Deserialize;
use serde_json::Value;

/// A message from a page, as in PROTOCOL.md.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
#[allow(missing_docs)] // the table in PROTOCOL.md
pub enum Command {
    Play {},
    Pause {},
    Step {},
    Reset {},
    Speed {
        value: f64,
    },
    Seek {
        time: f64,
    },
    Key {
        index: usize,
    },
    Grab {
        body: usize,
        point: [f64; 3],
    },
    Pull {
        to: [f64; 3],
    },
    Release {},
    Joint {
        joint: usize,
        value: f64,
    },
    Watch {
        joint: usize,
    },
    Control {
        actuator: usize,
        value: f64,
    },
    Integrator {
        track: Option<usize>,
        name: String,
    },
    Dt {
        track: Option<usize>,
        value: f64,
    },
    Formulation {
        track: Option<usize>,
        #[serde(deserialize_with = "formulation")]
        name: Formulation,
    },
    Contact {
        track: Option<usize>,
        name: String,
    },
    Gains {
        track: Option<usize>,
        stiffness: f64,
        damping: f64,
    },
    Mass {
        body: usize,
        value: f64,
    },
    Stiffness {
        constraint: usize,
        value: f64,
    },
    Want {
        what: String,
        on: bool,
    },
    Gravity {
        on: bool,
    },
    Open {
        name: String,
    },
}

impl Command {
    /// Parses a message; the error says what is wrong with it.
    ///
    /// ```
    /// use poinsot_view::live::Command;
    /// assert_eq!(Command::parse(r#"{"do": "speed", "value": 2}"#), Ok(Command::Speed { value: 2.0 }));
    /// assert!(Command::parse("hello").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Command, String> {
        serde_json::from_str(text).map_err(|e| format!("the message was not understood: {e}"))
    }
}

/// A formulation by its word.
fn formulation<'de, D: serde::Deserializer<'de>>(word: D) -> Result<Formulation, D::Error> {
    let word = String::deserialize(word)?;
    let found = Formulation::ALL.into_iter().find(|f| f.word() == word);
    found.ok_or_else(|| serde::de::Error::custom(format!("\"{word}\" is neither reduced nor maximal")))
}

/// The messages to the session's thread.
pub enum Envelope {
    /// A page has opened; it receives everything from now on.
    Hello(super::Client),
    /// A page has closed.
    Bye,
    /// A command of a page.
    Command(Command, super::Client),
    /// Another show, with the diagnostics of its files.
    Show(Box<Show>, Value),
}

impl Envelope {
    /// True for commands that interrupt a long step. The others would interrupt every step while the user drags a body or a slider.
    pub(super) fn cannot_wait(&self) -> bool {
        match self {
            Envelope::Hello(_) | Envelope::Show(..) => true,
            Envelope::Bye => false,
            Envelope::Command(command, _) => !matches!(
                command,
                Command::Play {}
                    | Command::Speed { .. }
                    | Command::Grab { .. }
                    | Command::Pull { .. }
                    | Command::Release {}
                    | Command::Watch { .. }
                    | Command::Control { .. }
                    | Command::Want { .. }
            ),
        }
    }
}
