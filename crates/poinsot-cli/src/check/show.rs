//! The results, as text and as JSON.

use super::Findings;
use crate::report::count;
use crate::run::summary::{moved_json, moved_words};
use poinsot::audit::{self, Agreement};
use poinsot::constraint::Mobility;
use serde_json::{Value, json};

impl Findings<'_> {
    pub fn text(&self) -> String {
        let mut out: String =
            self.heading().iter().map(|(name, value)| format!("  {name:18} {value}\n")).collect();
        out.push('\n');
        out.push_str(&table(&self.agreements));
        if let Some(contact) = &self.contact {
            out.push('\n');
            out.push_str(&contact.text());
        }
        let (failed, all) =
            (self.failed(), self.agreements.len() + self.contact.as_ref().map_or(0, |c| c.count()));
        out.push('\n');
        out.push_str(&match failed {
            0 => "  the formulations agree\n".to_string(),
            n => format!(
                "  FAILED: {n} of {} differ by more than their tolerance\n",
                count(all, "quantity", "quantities")
            ),
        });
        out
    }

    fn heading(&self) -> Vec<(&'static str, String)> {
        let model = &self.subject.model;
        let bodies = count(model.bodies().len() - 1, "body", "bodies");
        let freedoms = count(model.nv(), "degree of freedom", "degrees of freedom");
        let mut rows = vec![("model", format!("{}: {bodies}, {freedoms}", model.name()))];
        rows.extend(self.mobility.as_ref().map(|m| ("mobility", mobility(m))));
        rows.extend(self.moved.as_ref().map(|m| ("assembled", moved_words(&self.subject.model, m))));
        rows.push((
            "velocities",
            match self.seed_used {
                Some((seed, true)) => format!("random, seed {seed}"),
                Some((seed, false)) => {
                    format!("random, seed {seed}, because the file starts at rest (--qvel or --random-velocities change that)")
                }
                None => "those of the initial state".into(),
            },
        ));
        rows.push(("shared code", audit::SHARED.into()));
        let (steps, dt) = (self.options.steps, self.options.dt);
        let looks = (0..=steps).filter(|k| k % self.options.every == 0 || *k == steps).count();
        rows.push((
            "compared",
            match steps {
                0 => "at the start alone".into(),
                _ => format!("at {looks} moments of {} of {dt} s", count(steps, "step", "steps")),
            },
        ));
        rows
    }

    pub fn json(&self) -> String {
        let one = |(a, tolerance): &(Agreement, f64)| {
            let (what, between) = a.quantity.words();
            json!({
                "quantity": what,
                "between": between,
                // infinity is not valid JSON
                "worst": a.worst,
                "where": a.place,
                "time": a.time,
                "tolerance": tolerance,
                "ok": a.worst <= *tolerance,
            })
        };
        let object = json!({
            "model": self.subject.name,
            "dt": self.options.dt,
            "steps": self.options.steps,
            "shared_code": audit::SHARED,
            "velocity_seed": self.seed_used.map(|(seed, _)| seed),
            "assembled": self.moved.as_ref().map(|m| moved_json(&self.subject.model, m)),
            "mobility": self.mobility.as_ref().map(|m| json!({
                "freedoms": m.freedoms, "rows": m.rows, "rank": m.rank, "redundant": m.redundant,
            })),
            "agreements": self.agreements.iter().map(one).collect::<Value>(),
            "contact": self.contact.as_ref().map(|c| c.json()),
            "ok": self.failed() == 0,
            "diagnostics": self.subject.diagnostics_json(),
        });
        format!("{object:#}\n")
    }
}

fn mobility(m: &Mobility) -> String {
    let freedoms = count(m.freedoms, "freedom", "freedoms");
    let rows = count(m.rows, "row", "rows");
    let redundant = match m.redundant.len() {
        0 => String::new(),
        _ => format!("; redundant: {}", m.redundant.join(", ")),
    };
    format!("{freedoms}; {rows} of constraints, of rank {}{redundant}", m.rank)
}

fn table(agreements: &[(Agreement, f64)]) -> String {
    let head = ["quantity", "between", "worst", "where", "at t, s", "tolerance", ""].map(String::from);
    let line = |(a, tolerance): &(Agreement, f64)| {
        let (what, between) = a.quantity.words();
        let verdict = if a.worst <= *tolerance { "ok" } else { "FAILS" };
        let place = if a.worst == 0.0 { "" } else { &a.place };
        [
            what.to_string(),
            between.to_string(),
            format!("{:.1e}", a.worst),
            place.to_string(),
            format!("{:.4}", a.time),
            format!("{tolerance:.0e}"),
            verdict.to_string(),
        ]
    };
    let lines: Vec<[String; 7]> = std::iter::once(head).chain(agreements.iter().map(line)).collect();
    let width = |k: usize| lines.iter().map(|l| l[k].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let padded = |l: &[String; 7]| {
        let cells: Vec<String> = l.iter().zip(&widths).map(|(cell, w)| format!("{cell:w$}")).collect();
        format!("  {}\n", cells.join("  ").trim_end())
    };
    lines.iter().map(padded).collect()
}
