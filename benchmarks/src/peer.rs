//! The peer: a child process that answers commands, a line each.

use miette::{Context, IntoDiagnostic, Result, miette};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub struct Peer {
    name: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    pub fn start(build: &Path, name: &str, files: &[PathBuf]) -> Result<Peer> {
        let mut child = Command::new(build.join(name))
            .args(files)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .into_diagnostic()
            .with_context(|| format!("cannot start {name} in {}", build.display()))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| miette!("{name}: no pipes"))?;
        Ok(Peer { name: name.to_string(), child, input, output: BufReader::new(output) })
    }

    /// Sends a command; none when the peer cannot do this model at all.
    fn ask(&mut self, command: &str) -> Result<Option<String>> {
        writeln!(self.input, "{command}").and_then(|()| self.input.flush()).into_diagnostic()?;
        let mut line = String::new();
        self.output.read_line(&mut line).into_diagnostic()?;
        match line.split_whitespace().next() {
            None => Err(miette!("{} died at `{command}`", self.name)),
            Some("error") => Err(miette!("{}: `{command}`: {line}", self.name)),
            Some("skip") => Ok(None),
            Some(_) => Ok(Some(line)),
        }
    }

    /// ns a call.
    pub fn time(&mut self, work: &str, seconds: f64) -> Result<Option<f64>> {
        let answer = self.ask(&format!("time {work} {seconds}"))?;
        answer.map(|a| a.trim().parse().into_diagnostic()).transpose()
    }

    /// The numbers that answer a command.
    pub fn numbers(&mut self, command: &str) -> Result<Vec<f64>> {
        let answer = self.ask(command)?.unwrap_or_default();
        answer.split_whitespace().map(|x| x.parse().into_diagnostic()).collect()
    }

    /// The results for one state.
    pub fn values(&mut self, work: &str, index: usize) -> Result<Option<Vec<f64>>> {
        let answer = self.ask(&format!("values {work} {index}"))?;
        let numbers = |a: String| a.split_whitespace().map(|x| x.parse().into_diagnostic()).collect();
        answer.map(numbers).transpose()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = writeln!(self.input, "quit");
        let _ = self.child.wait();
    }
}
