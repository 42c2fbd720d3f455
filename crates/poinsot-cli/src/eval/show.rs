//! Results as tables.

use super::quantity::Answer;
use poinsot::constraint::Kkt;
use poinsot::model::Model;
use poinsot::names::{Space, labels};

/// Every result under its name.
pub fn text(results: &[(String, Answer)], model: &Model) -> String {
    let dofs = labels(model, Space::Velocity);
    let one = |(name, answer): &(String, Answer)| match answer {
        Answer::Count(n) => format!("{name}  {n}\n"),
        Answer::Scalar(x, unit) => format!("{name}  {} {unit}\n", number(*x)),
        Answer::Dofs(x) => format!("{name}\n{}", column(&dofs, x)),
        Answer::Matrix { rows, entries } => {
            let rows: Vec<String> = rows.map_or_else(|| dofs.clone(), |r| r.map(String::from).to_vec());
            format!("{name}\n{}", matrix(&rows, &dofs, entries))
        }
        Answer::Matrices { columns, parts } => {
            let one = |(part, entries): &(&str, Vec<Vec<f64>>)| {
                let title = if part == name { name.clone() } else { format!("{name}: {part}") };
                // six rows: a motion, or a moment and a force
                let six = ["angular x", "angular y", "angular z", "linear x", "linear y", "linear z"];
                let rows = if name.starts_with("stiffness:") {
                    columns.clone()
                } else if *part == "flat of v" {
                    vec![String::new()]
                } else if name.contains("dynamics") || part == name || name == "metric" {
                    dofs.clone()
                } else {
                    six.map(String::from).to_vec()
                };
                format!("{title}\n{}", matrix(&rows, columns, entries))
            };
            parts.iter().map(one).collect::<Vec<_>>().join("\n")
        }
        Answer::Table { rows, columns, entries } => format!("{name}\n{}", matrix(rows, columns, entries)),
        Answer::Kkt(kkt) => format!("{name}: [M −Jᵀ; J 0] [v̇; λ] = [f; −J̇v]\n{}", of_kkt(kkt)),
        Answer::Vectors(list) => {
            let width = list.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0).max(8);
            let lines = list.iter().map(|(name, v, unit)| format!("  {name:width$} {} {unit}\n", row(v)));
            format!("{name}\n{}", lines.collect::<String>())
        }
        Answer::Poses(list) => format!("{name}\n{}", poses(list)),
    };
    results.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// The matrix with two additional columns, the right-hand side and the solution. Columns have the numbers of the unknowns, because their
/// names are too long.
fn of_kkt(kkt: &Kkt) -> String {
    let mut columns: Vec<String> = (1..=kkt.names.len()).map(|k| k.to_string()).collect();
    columns.extend(["right side".to_string(), "solution".to_string()]);
    let rows: Vec<String> =
        kkt.names.iter().enumerate().map(|(k, name)| format!("{:>2} {name}", k + 1)).collect();
    let entries: Vec<Vec<f64>> = (0..kkt.names.len())
        .map(|i| kkt.matrix.row(i).iter().copied().chain([kkt.rhs[i], kkt.solution[i]]).collect())
        .collect();
    matrix(&rows, &columns, &entries)
}

/// All digits that are needed to read the same number back, but no more.
fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || (1e-5..1e15).contains(&size) { format!("{x}") } else { format!("{x:e}") }
}

fn row(x: &[f64]) -> String {
    x.iter().map(|x| number(*x)).collect::<Vec<_>>().join("  ")
}

fn column(names: &[String], x: &[f64]) -> String {
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
    names.iter().zip(x).map(|(n, x)| format!("  {n:width$}  {}\n", sign_aligned(*x))).collect()
}

/// Leaves room for a minus sign.
fn sign_aligned(x: f64) -> String {
    if x.is_sign_negative() { number(x) } else { format!(" {}", number(x)) }
}

/// Rounded to six digits, since a matrix with all digits is unreadable. `--json` has them all.
fn matrix(rows: &[String], columns: &[String], entries: &[Vec<f64>]) -> String {
    let cell = |x: f64| if x == 0.0 { "0".to_string() } else { crate::tree::short(x) };
    let left = rows.iter().map(|n| n.chars().count()).max().unwrap_or(0);
    let width = |k: usize| {
        let widest = entries.iter().map(|r| cell(r[k]).chars().count()).max().unwrap_or(0);
        widest.max(columns[k].chars().count())
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let mut out = format!("  {:left$}", "");
    out.extend(columns.iter().zip(&widths).map(|(c, w)| format!("  {c:>w$}")));
    out.push('\n');
    for (name, row) in rows.iter().zip(entries) {
        out.push_str(&format!("  {name:left$}"));
        out.extend(row.iter().zip(&widths).map(|(x, w)| format!("  {:>w$}", cell(*x))));
        out.push('\n');
    }
    out.push_str("  (rounded; --json has all digits)\n");
    out
}

fn poses(list: &[(String, [f64; 3], [f64; 4])]) -> String {
    let width = list.iter().map(|(n, _, _)| n.chars().count()).max().unwrap_or(0);
    let head = format!(
        "  {:width$}  {:>10} {:>10} {:>10}   {:>9} {:>9} {:>9} {:>9}\n",
        "", "x", "y", "z", "qw", "qx", "qy", "qz"
    );
    let line = |(name, p, q): &(String, [f64; 3], [f64; 4])| {
        let cell = |x: &f64| crate::tree::short(*x);
        let (p, q): (Vec<String>, Vec<String>) = (p.iter().map(cell).collect(), q.iter().map(cell).collect());
        format!(
            "  {name:width$}  {:>10} {:>10} {:>10}   {:>9} {:>9} {:>9} {:>9}\n",
            p[0], p[1], p[2], q[0], q[1], q[2], q[3]
        )
    };
    head + &list.iter().map(line).collect::<String>() + "  (rounded; --json has all digits)\n"
}
