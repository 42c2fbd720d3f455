//! Friction problems of the Siconos collection (siconos/siconos, numerics/src/FrictionContact/test/data): those in the folder that the
//! variable POINSOT_FC3D names, or else in a folder refs/fc3d of a folder next to the workspace. Without them there is nothing to do.

use crate::common::*;
use nalgebra::{DMatrix, DVector};
use std::path::PathBuf;

/// Reads a problem: dense matrices column after column, or blocks of rows, each column after column.
fn read(text: &str) -> Owned {
    let mut words = text.split_whitespace();
    let mut number = || words.next().unwrap().parse::<f64>().unwrap();
    assert_eq!(number(), 3.0);
    let (contacts, storage) = (number() as usize, number() as usize);
    let (rows, columns) = (number() as usize, number() as usize);
    assert_eq!((rows, columns), (3 * contacts, 3 * contacts));
    let mut g = DMatrix::zeros(rows, columns);
    if storage == 0 {
        assert_eq!((number() as usize, number() as usize), (rows, columns));
        (0..columns).for_each(|j| (0..rows).for_each(|i| g[(i, j)] = number()));
    } else {
        let (blocks, high, wide) = (number() as usize, number() as usize, number() as usize);
        (0..high + wide).for_each(|_| _ = number());
        let (filled, count) = (number() as usize, number() as usize);
        assert_eq!(count, blocks);
        let starts: Vec<usize> = (0..filled).map(|_| number() as usize).collect();
        let at: Vec<usize> = (0..blocks).map(|_| number() as usize).collect();
        for block in 0..blocks {
            assert_eq!(number() as usize, block);
            let row = starts.partition_point(|s| *s <= block) - 1;
            (0..3).for_each(|j| (0..3).for_each(|i| g[(3 * row + i, 3 * at[block] + j)] = number()));
        }
    }
    let q = DVector::from_fn(rows, |_, _| number());
    let mu: Vec<f64> = (0..contacts).map(|_| number()).collect();
    Owned::contacts(g, q, &mu)
}

fn folder() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("POINSOT_FC3D") {
        return Some(PathBuf::from(named));
    }
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let entries = std::fs::read_dir(beside).ok()?;
    entries.flatten().map(|entry| entry.path().join("refs/fc3d")).find(|path| path.is_dir())
}

#[test]
fn problems_of_siconos() {
    let Some(folder) = folder() else { return };
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "dat") {
            continue;
        }
        let problem = read(&std::fs::read_to_string(&path).unwrap());
        let begin = std::time::Instant::now();
        let answer = problem.exact();
        let c = answer.certificate;
        println!(
            "{:40} {:3} contacts  {:12} residual {:.1e} natural map {:.1e}  {:3} iterations  {:?}  {:.0} µs",
            path.file_stem().unwrap().to_string_lossy(),
            problem.size() / 3,
            c.status,
            c.residual,
            problem.natural_map(&answer.x),
            c.iterations(),
            c.stage,
            begin.elapsed().as_secs_f64() * 1e6
        );
        assert!(c.status.is_solved(), "{c:?}");
        assert!(problem.natural_map(&answer.x) <= 1e-10, "{:e}", problem.natural_map(&answer.x));
        seen += 1;
    }
    assert!(seen > 0);
}
