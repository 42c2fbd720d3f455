//! Linear complementarity problems and constructed friction problems, on bare matrices.

use crate::entry::{Ledger, Worst};
use crate::read::{number, numbers, read, source};
use poinsot::contact::{Dense, Exact, Law, Lcp, LcpMethod, Options, Problem, Status};

pub fn enter(ledger: &mut Ledger) {
    small(ledger);
    constructed(ledger);
}

fn small(ledger: &mut Ledger) {
    let file = read("lcp_small");
    ledger.problem("lcp_small", format!("{}; all basic solutions by exact arithmetic", source(&file)));
    for method in [LcpMethod::Lemke, LcpMethod::Dantzig] {
        let (mut residual, mut wrong) = (Worst::default(), 0);
        for problem in file["problems"].as_array().unwrap() {
            let (m, q) = (numbers(&problem["M"]), numbers(&problem["q"]));
            let known = problem["solutions"].as_array().unwrap().iter().map(numbers).collect::<Vec<_>>();
            let monotone = problem["monotone"].as_bool().unwrap();
            let mut lcp = Lcp::default();
            let answer = lcp.solve(&m, &q, method).unwrap();
            let right = match answer.status {
                Status::Solved => known.iter().any(|z| near(z, lcp.z())),
                Status::NotUnique => !known.is_empty(),
                Status::NoSolution => known.is_empty(),
                // principal pivoting is for matrices that are positive semidefinite or have positive principal minors
                Status::Unsolved => method == LcpMethod::Dantzig && !monotone,
            };
            wrong += usize::from(!right);
            if answer.status.is_solved() {
                let least = lcp.z().iter().zip(lcp.w()).map(|(z, w)| z.min(*w)).collect::<Vec<_>>();
                residual.absolute(&least, &vec![0.0; least.len()]);
            }
        }
        let word = if method == LcpMethod::Lemke { "lemke" } else { "dantzig" };
        ledger.error(format!("`{word}`: answers that are not among the known ones"), wrong as f64, 0.0);
        ledger.error(format!("`{word}`: largest |min(z, w)|"), residual.0, 1e-10);
    }
}

fn near(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * a.abs().max(1.0))
}

fn constructed(ledger: &mut Ledger) {
    let file = read("friction_constructed");
    ledger.problem("friction_constructed", format!("{}; the file asks for 1e-10", source(&file)));
    let (mut velocity, mut reaction) = (Worst::default(), Worst::default());
    for problem in file["problems"].as_array().unwrap() {
        let (w, q) = (numbers(&problem["W"]), numbers(&problem["q"]));
        let n = q.len();
        let laws = vec![Law::contact(number(&problem["mu"])); n / 3];
        let matrix = Dense::new(n, &w).unwrap();
        let at = Problem { matrix: &matrix, free: &q, laws: &laws, compliance: &[] };
        let (mut r, mut u) = (vec![0.0; n], vec![0.0; n]);
        let options = Options { refine: true, ..Options::default() };
        Exact::new(options).solve(&at, &mut r, &mut u).unwrap();
        velocity.at_scale(&u, &numbers(&problem["velocity"]), crate::common::size(&q));
        if problem["rank"].as_u64() == Some(n as u64) {
            reaction.relative(&r, &numbers(&problem["reaction"]));
        }
    }
    ledger.error("`exact`: velocities, relative", velocity.0, 1e-10);
    ledger.error("`exact`: reactions where they are unique, relative", reaction.0, 1e-8);
}
