//! A moving picture of nodes that stretch, seen along y: outlines of the deformed primitives in an SVG file.
//!
//! An outline is the shadow of a convex shape on the plane of x and z, by its support points in directions of that plane.

use poinsot::algebra::V3;
use poinsot::hierarchy::{Affine, AffineModel};
use poinsot::model::Shape;
use std::fmt::Write;

const POINTS: usize = 48;
const COLOURS: [&str; 6] = ["#e07a5f", "#3d5a80", "#81b29a", "#f2cc8f", "#9a8c98", "#577590"];

/// The picture of scenes at intervals of `dt`, each with the transforms of all nodes.
pub fn svg(model: &AffineModel, scenes: &[Vec<Affine>], dt: f64) -> String {
    let outlines: Vec<Vec<Vec<(f64, f64)>>> = model
        .primitives()
        .iter()
        .map(|p| {
            let shape = |w: &Vec<Affine>| {
                let at = w[p.node.index()] * Affine::from(p.pose);
                p.shape.as_ref().map_or(Vec::new(), |s| outline(s, at))
            };
            scenes.iter().map(shape).collect()
        })
        .collect();
    let all = || outlines.iter().flatten().flatten();
    let edge = |of: fn(&(f64, f64)) -> f64, least: bool| {
        all().map(of).fold(f64::NAN, if least { f64::min } else { f64::max })
    };
    let (left, right) = (edge(|p| p.0, true), edge(|p| p.0, false));
    let (low, high) = (edge(|p| p.1, true).min(0.0), edge(|p| p.1, false));
    let margin = 0.05 * (right - left).max(high - low);
    let scale = 600.0 / (high - low + 2.0 * margin);
    let place = |(x, z): &(f64, f64)| ((x - left + margin) * scale, (high + margin - z) * scale);
    let (width, floor) = ((right - left + 2.0 * margin) * scale, place(&(0.0, 0.0)).1);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} 600\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fdfbf7\"/>\n\
         <line x1=\"0\" x2=\"{width:.0}\" y1=\"{floor:.1}\" y2=\"{floor:.1}\" stroke=\"#888\"/>\n"
    );
    for (k, frames) in outlines.iter().enumerate() {
        let path = |points: &Vec<(f64, f64)>| {
            let places = points.iter().map(&place).map(|(x, y)| format!("{x:.1},{y:.1}"));
            places.collect::<Vec<_>>().join(" ")
        };
        let values: Vec<String> = frames.iter().map(path).collect();
        let first = values.first().cloned().unwrap_or_default();
        let (colour, time) = (COLOURS[k % COLOURS.len()], dt * scenes.len() as f64);
        // writing to a string cannot fail
        let _ = write!(
            text,
            "<polygon points=\"{first}\" fill=\"{colour}\" fill-opacity=\"0.85\" stroke=\"#333\">\n\
             <animate attributeName=\"points\" dur=\"{time:.3}s\" repeatCount=\"indefinite\" calcMode=\"linear\" values=\"{}\"/>\n\
             </polygon>\n",
            values.join(";")
        );
    }
    text + "</svg>\n"
}

/// The outline of a shape under w, always with the same number of points.
fn outline(shape: &Shape, w: Affine) -> Vec<(f64, f64)> {
    let directions = (0..POINTS).map(|k| {
        let (s, c) = (std::f64::consts::TAU * k as f64 / POINTS as f64).sin_cos();
        V3::new(c, 0.0, s)
    });
    // the point of the deformed shape that is farthest along n is W of that farthest along Aᵀ n
    let farthest = |n: V3| {
        let m = w.linear.tr_mul(n);
        let x = match shape {
            Shape::Sphere { radius } => m.unit().map_or(V3::ZERO, |m| m * *radius),
            Shape::Box { size } => {
                V3::new(size.x.copysign(m.x), size.y.copysign(m.y), size.z.copysign(m.z)) * 0.5
            }
            _ => V3::ZERO,
        };
        let p = w.point(x);
        (p.x, p.z)
    };
    directions.map(farthest).collect()
}
