//! The figure as lines: those in front of the ellipsoid drawn out, those behind it dashed.
//!
//! In units of its half axes the ellipsoid is the unit ball, and lines of sight stay straight. From the eye e its outline is
//! the circle u·e = 1, |u| = 1, and the point p is hidden when the line from e to p enters the ball before it comes to p.

use super::panel::{ELLIPSOID, PLANE, Panel};
use poinsot::algebra::V3;
use poinsot_view::raster::View;
use std::f64::consts::TAU;
use std::fmt::Write;

/// The panels side by side.
pub fn drawn(panels: &[Panel], (width, height): (usize, usize)) -> String {
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let each = width / panels.len().max(1);
    for (k, panel) in panels.iter().enumerate() {
        let view = View::new(&panel.camera, each, height);
        let sheet = Sheet { panel, view, size: (each as f64, height as f64) };
        text.push_str(&format!("<g transform=\"translate({} 0)\">\n{}</g>\n", k * each, sheet.lines()));
    }
    text + "</svg>\n"
}

struct Sheet<'a> {
    panel: &'a Panel,
    view: View,
    size: (f64, f64),
}

impl Sheet<'_> {
    fn lines(&self) -> String {
        let mut out = String::new();
        if let Some((z, radius)) = self.panel.plane {
            let rim: Vec<V3> = circle(V3::X * radius, V3::Y * radius).map(|p| p + V3::Z * z).collect();
            self.area(&mut out, &rim, PLANE, 0.15);
        }
        self.area(&mut out, &self.outline(), ELLIPSOID, 0.12);
        for curve in &self.panel.curves {
            self.line(&mut out, &curve.points, curve.colour, 1.4);
        }
        for arrow in &self.panel.arrows {
            let shaft: Vec<V3> = (0..=60).map(|k| arrow.to * (f64::from(k) / 60.0)).collect();
            self.line(&mut out, &shaft, arrow.colour, 2.0);
            self.head(&mut out, arrow.to, arrow.colour);
            self.word(&mut out, arrow.to * 1.07, arrow.name, arrow.colour);
        }
        self.words(&mut out);
        out
    }

    /// A point of the world in units of the half axes.
    fn unit(&self, p: V3) -> V3 {
        let (p, h) = (self.panel.attitude.tr_mul(p), self.panel.half_axes);
        V3::new(p.x / h.x, p.y / h.y, p.z / h.z)
    }

    fn outline(&self) -> Vec<V3> {
        let eye = self.unit(V3::from(self.panel.camera.from));
        let ahead = eye.unit().unwrap_or(V3::Z);
        let side = ahead.cross(if ahead.x.abs() < 0.6 { V3::X } else { V3::Y }).unit().unwrap_or(V3::X);
        let centre = ahead * (1.0 / eye.norm());
        let radius = (1.0 - centre.dot(centre)).max(0.0).sqrt();
        let h = self.panel.half_axes;
        let back = |u: V3| self.panel.attitude * V3::new(h.x * u.x, h.y * u.y, h.z * u.z);
        circle(side * radius, ahead.cross(side) * radius).map(|u| back(u + centre)).collect()
    }

    fn hidden(&self, p: V3) -> bool {
        let (eye, p) = (self.unit(V3::from(self.panel.camera.from)), self.unit(p));
        let along = p - eye;
        let (a, b, c) = (along.dot(along), eye.dot(along), eye.dot(eye) - 1.0);
        let square = b * b - a * c;
        // if p is on the ball, the line meets the ball at p itself
        square > 0.0 && (-b - square.sqrt()) / a < 0.995
    }

    fn line(&self, out: &mut String, points: &[V3], colour: [f64; 3], width: f64) {
        let mut from = 0;
        for k in 1..points.len() {
            let hidden = self.hidden(points[k]);
            let ends = k + 1 == points.len() || self.hidden(points[k + 1]) != hidden;
            if ends {
                let dash = if hidden { " stroke-dasharray=\"3 3\" opacity=\"0.6\"" } else { "" };
                let path = self.path(&points[from..=k]);
                let _ = writeln!(
                    out,
                    "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"{dash}/>",
                    hex(colour)
                );
                from = k;
            }
        }
    }

    fn area(&self, out: &mut String, points: &[V3], colour: [f64; 3], opacity: f64) {
        let (path, colour) = (self.path(points), hex(colour));
        let _ = writeln!(
            out,
            "<path d=\"{path}Z\" fill=\"{colour}\" fill-opacity=\"{opacity}\" stroke=\"{colour}\" stroke-width=\"1\"/>"
        );
    }

    fn head(&self, out: &mut String, tip: V3, colour: [f64; 3]) {
        let (Some([x, y]), Some([a, b])) = (self.view.project(tip), self.view.project(tip * 0.9)) else {
            return;
        };
        let length = (x - a).hypot(y - b).max(1e-9);
        let (u, v) = ((x - a) / length, (y - b) / length);
        let size = 0.02 * self.size.1;
        let (base, side) = ((x - size * u, y - size * v), (-0.4 * size * v, 0.4 * size * u));
        let _ = writeln!(
            out,
            "<path d=\"M{x:.1} {y:.1}L{:.1} {:.1}L{:.1} {:.1}Z\" fill=\"{}\"/>",
            base.0 + side.0,
            base.1 + side.1,
            base.0 - side.0,
            base.1 - side.1,
            hex(colour)
        );
    }

    fn path(&self, points: &[V3]) -> String {
        let mut text = String::new();
        let mut last = [f64::INFINITY; 2];
        for (k, p) in points.iter().enumerate() {
            let Some([x, y]) = self.view.project(*p) else { continue };
            // points closer than half a pixel to one another add nothing
            if k + 1 < points.len() && (x - last[0]).hypot(y - last[1]) < 0.5 {
                continue;
            }
            let _ = write!(text, "{}{x:.1} {y:.1}", if text.is_empty() { 'M' } else { 'L' });
            last = [x, y];
        }
        text
    }

    fn word(&self, out: &mut String, at: V3, word: &str, colour: [f64; 3]) {
        if let Some([x, y]) = self.view.project(at) {
            let size = self.size.1 / 34.0;
            let _ = writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{size:.1}\" fill=\"{}\">{word}</text>",
                x + 0.4 * size,
                y + 0.4 * size,
                hex(colour)
            );
        }
    }

    fn words(&self, out: &mut String) {
        let ((width, height), title) = (self.size, self.panel.title);
        let size = (width / 30.0).min(height / 26.0);
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{size:.1}\" text-anchor=\"middle\" fill=\"#333\">{title}</text>",
            0.5 * width,
            1.8 * size
        );
        let step = width / self.panel.legend.len().max(1) as f64;
        for (k, (name, colour)) in self.panel.legend.iter().enumerate() {
            let _ = writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{:.1}\" text-anchor=\"middle\" fill=\"{}\">{name}</text>",
                (k as f64 + 0.5) * step,
                height - size,
                0.8 * size,
                hex(*colour)
            );
        }
    }
}

fn circle(a: V3, b: V3) -> impl Iterator<Item = V3> {
    (0..180).map(move |k| TAU * f64::from(k) / 180.0).map(move |t| a * t.cos() + b * t.sin())
}

fn hex(colour: [f64; 3]) -> String {
    let [r, g, b] = colour.map(|x| (255.0 * x.clamp(0.0, 1.0)) as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}
