//! Clips: coordinates as functions of time, from CSV or NPZ.

use super::npz;
use crate::error::OptimizeError;
use crate::problem::TrajectoryRow;
use crate::system::Names;
use std::path::Path;

/// Rows of a clip.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clip {
    pub time: Vec<f64>,
    pub q: Vec<Vec<f64>>,
    /// Rows are empty if the file has no velocities.
    pub v: Vec<Vec<f64>>,
    pub u: Vec<Vec<f64>>,
}

/// Reads a clip: a NumPy archive with the arrays `time` and `qpos`, as written by `--out FILE.npz`, or a file with a column `time` and
/// columns named after the coordinates, with or without the suffix `.qpos`. Columns with the suffixes `.qvel` and `.control` are velocities
/// and controls; other columns are ignored.
pub(crate) fn read(path: &Path, names: &Names) -> Result<Clip, OptimizeError> {
    let wrong = |what: String| OptimizeError::File(format!("{}: {what}", path.display()));
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npz")) {
        return read_archive(path, names);
    }
    let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
    let mut lines = text.lines().filter(|l| !l.trim().is_empty());
    let header: Vec<&str> =
        lines.next().unwrap_or("").split(',').map(|w| w.trim().trim_matches('"')).collect();
    let column = |wanted: &[String]| wanted.iter().find_map(|w| header.iter().position(|h| h == w));
    let time = column(&["time".into()]).ok_or_else(|| wrong("there is no column `time`".into()))?;
    let columns = |names: &[String], word: &str, bare: bool| -> Vec<Option<usize>> {
        let of = |name: &String| {
            let with = format!("{name}.{word}");
            let numbered = numbered(name, word);
            if bare { column(&[with, name.clone(), numbered]) } else { column(&[with, numbered]) }
        };
        names.iter().map(of).collect()
    };
    let q = columns(&names.q, "qpos", true);
    if let Some(k) = q.iter().position(Option::is_none) {
        return Err(wrong(format!(
            "there is no column for the coordinate {}; it has {}",
            names.q[k],
            header.join(", ")
        )));
    }
    let all = |c: Vec<Option<usize>>| c.into_iter().collect::<Option<Vec<usize>>>().unwrap_or_default();
    let (q, v, u) = (all(q), all(columns(&names.v, "qvel", false)), all(columns(&names.u, "control", false)));
    let mut clip = Clip { time: Vec::new(), q: Vec::new(), v: Vec::new(), u: Vec::new() };
    for (number, line) in lines.enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let at = |k: &usize| {
            let x = fields.get(*k).and_then(|w| w.trim().parse::<f64>().ok()).filter(|x| x.is_finite());
            x.ok_or_else(|| wrong(format!("row {}: column {} is not a number", number + 1, header[*k])))
        };
        let row = |columns: &[usize]| columns.iter().map(at).collect::<Result<Vec<f64>, _>>();
        let now = at(&time)?;
        if let Some(last) = clip.time.last() {
            // where phases meet there are two rows at the same time
            if now == *last {
                continue;
            }
            if now < *last {
                return Err(wrong(format!("row {}: the time goes back", number + 1)));
            }
        }
        clip.time.push(now);
        clip.q.push(row(&q)?);
        clip.v.push(row(&v)?);
        clip.u.push(row(&u)?);
    }
    if clip.time.len() < 2 {
        return Err(wrong("a clip has at least two rows".into()));
    }
    Ok(clip)
}

fn read_archive(path: &Path, names: &Names) -> Result<Clip, OptimizeError> {
    let wrong = |what: String| OptimizeError::File(format!("{}: {what}", path.display()));
    let bytes = std::fs::read(path).map_err(|e| wrong(e.to_string()))?;
    let (time, qpos) =
        (npz::array(&bytes, "time").map_err(wrong)?, npz::array(&bytes, "qpos").map_err(wrong)?);
    if time.columns != 1 || time.rows != qpos.rows || qpos.columns != names.q.len() {
        return Err(wrong(format!(
            "\"time\" has {} rows and \"qpos\" {} × {}, and there are {} coordinates: {}",
            time.rows,
            qpos.rows,
            qpos.columns,
            names.q.len(),
            names.q.join(", ")
        )));
    }
    let mut clip = Clip { time: Vec::new(), q: Vec::new(), v: Vec::new(), u: Vec::new() };
    for (now, q) in time.numbers.iter().zip(qpos.numbers.chunks(qpos.columns.max(1))) {
        match clip.time.last() {
            Some(last) if now == last => continue,
            Some(last) if now < last => return Err(wrong(format!("the time goes back after {last} s"))),
            _ => {}
        }
        if !now.is_finite() || q.iter().any(|x| !x.is_finite()) {
            return Err(wrong("it has numbers that are not finite".into()));
        }
        clip.time.push(*now);
        clip.q.push(q.to_vec());
        clip.v.push(Vec::new());
        clip.u.push(Vec::new());
    }
    if clip.time.len() < 2 { Err(wrong("a clip has at least two rows".into())) } else { Ok(clip) }
}

/// Maps `root.x` to the first of `root.qpos0`, …: `run` numbers the coordinates of joints with several from 0.
fn numbered(name: &str, word: &str) -> String {
    const PARTS: [&str; 13] = ["x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"];
    let Some((joint, part)) = name.rsplit_once('.') else { return format!("{name}.{word}") };
    let k = PARTS.iter().position(|p| *p == part).map_or(0, |k| if k >= 7 { k - 7 } else { k });
    format!("{joint}.{word}{k}")
}

impl Clip {
    fn part(&self, k: usize) -> f64 {
        let (first, last) = (self.time[0], self.time[self.time.len() - 1]);
        (self.time[k] - first) / (last - first)
    }
    /// One coordinate, over fractions of the whole duration.
    pub fn column(&self, coordinate: usize) -> Vec<(f64, f64)> {
        (0..self.time.len()).map(|k| (self.part(k), self.q[k][coordinate])).collect()
    }
    /// All rows, over fractions of the whole duration.
    pub fn trajectory(&self) -> Vec<TrajectoryRow> {
        let row = |k: usize| (self.part(k), self.q[k].clone(), self.v[k].clone(), self.u[k].clone());
        (0..self.time.len()).map(row).collect()
    }
}
