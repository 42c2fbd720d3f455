//! The figure as pixels.

use super::panel::{ELLIPSOID, PLANE, Panel};
use poinsot::algebra::V3;
use poinsot::spatial::Pose;
use poinsot_view::raster::{Image, Lettering, Options, Painter, View};
use poinsot_view::show::{ArrowInfo, Frame, On, Scenery, SolidInfo, TraceInfo};

const LAYER: &str = "Poinsot";
const TEXT: [f64; 3] = [0.2, 0.22, 0.26];

/// The panels side by side, with this many samples per pixel in each direction.
pub fn painted(panels: &[Panel], (width, height): (usize, usize), samples: usize) -> Image {
    let mut image = Image::plain(width, height, [255; 3]);
    let count = panels.len().max(1);
    for (k, panel) in panels.iter().enumerate() {
        let (left, right) = (width * k / count, width * (k + 1) / count);
        let mut half = still(panel, right - left, height, samples);
        letter(panel, &mut half);
        image.place(&half, left, 0);
    }
    image
}

fn still(panel: &Panel, width: usize, height: usize, samples: usize) -> Image {
    let scenery = scenery(panel);
    let options = Options { supersampling: samples, stamp: false, ..Options::default() };
    let mut painter = Painter::new(&scenery, &[], width, height, options);
    let longest = panel.curves.iter().map(|c| c.points.len()).max().unwrap_or(0);
    let mut frame = Frame::default();
    for k in 0..longest {
        frame.clear();
        frame.time = k as f64;
        let nowhere = V3::new(f64::NAN, f64::NAN, f64::NAN);
        panel.curves.iter().for_each(|c| frame.trace(c.points.get(k).copied().unwrap_or(nowhere)));
        painter.note(&frame);
    }
    let even = |r: f64| V3::new(r, r, r);
    frame.solid(Pose { rot: panel.attitude, pos: V3::ZERO }, panel.half_axes);
    frame.solid(Pose::translation(panel.tip), even(0.035));
    if let Some((z, radius)) = panel.plane {
        frame.solid(Pose::translation(V3::Z * z), even(radius));
    }
    panel.arrows.iter().for_each(|a| frame.arrow(V3::ZERO, a.to));
    painter.paint(&frame)
}

fn scenery(panel: &Panel) -> Scenery {
    let mut scenery = Scenery { camera: panel.camera, ..Scenery::default() };
    let mut solid = |form: &'static str, [r, g, b]: [f64; 3], opacity: f64| {
        let rgba = [r, g, b, opacity];
        scenery.solids.push(SolidInfo { name: form.into(), form, rgba, layer: LAYER });
    };
    solid("ellipsoid", ELLIPSOID, 0.62);
    solid("ellipsoid", [0.15; 3], 1.0);
    if panel.plane.is_some() {
        solid("disc", PLANE, 0.3);
    }
    scenery.traces.extend(panel.curves.iter().map(|c| TraceInfo {
        name: String::new(),
        colour: c.colour,
        layer: LAYER,
        on: On::World,
        lasts: None,
    }));
    let arrow = |a: &super::panel::Arrow| ArrowInfo { name: a.name.into(), colour: a.colour, layer: LAYER };
    scenery.arrows.extend(panel.arrows.iter().map(arrow));
    scenery
}

fn letter(panel: &Panel, image: &mut Image) {
    let unit = (image.width as f32 / 44.0).min(image.height as f32 / 36.0).max(5.0);
    let ink = |height: f32, colour: [f64; 3]| Lettering {
        height,
        colour: colour.map(|x| (255.0 * 0.85 * x.clamp(0.0, 1.0)) as u8),
    };
    let title = ink(unit, TEXT);
    let middle = 0.5 * (image.width as f32 - title.width(panel.title));
    title.write(image, panel.title, middle, 2.6 * unit);
    let view = View::new(&panel.camera, image.width, image.height);
    for arrow in &panel.arrows {
        if let Some([x, y]) = view.project(arrow.to * 1.06) {
            ink(unit, arrow.colour).write(image, arrow.name, x as f32 + 0.5 * unit, y as f32 + 0.5 * unit);
        }
    }
    let small = 0.8 * unit;
    let gap = 2.4 * small;
    let widths = panel.legend.iter().map(|(name, _)| ink(small, TEXT).width(name) + gap);
    let mut x = 0.5 * (image.width as f32 - widths.sum::<f32>() + gap);
    let below = image.height as f32 - 1.6 * unit;
    for (name, colour) in &panel.legend {
        let ink = ink(small, *colour);
        ink.write(image, name, x, below);
        x += ink.width(name) + gap;
    }
}
