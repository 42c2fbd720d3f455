//! Text on pictures: the time and the labels of tracks.

use super::image::Image;
use super::options::Options;
use super::shapes::Shapes;
use super::text::Lettering;
use super::vector::{Placement, norm};
use super::view::View;
use crate::show::{Frame, Scenery};
use poinsot::algebra::V3;
use poinsot::model::Shape;

/// The positions of labels: above the initial state of each track.
#[derive(Default)]
pub(super) struct Signs {
    above: Option<Vec<V3>>,
}

const GREY: [u8; 3] = [70, 76, 86];

impl Signs {
    pub fn note(&mut self, scenery: &Scenery, shapes: &Shapes, frame: &Frame) {
        if self.above.is_none() && scenery.tracks.len() > 1 {
            let above = |track: usize| top(track, scenery, shapes, frame);
            self.above = Some((0..scenery.tracks.len()).map(above).collect());
        }
    }

    pub fn write(&self, image: &mut Image, scenery: &Scenery, view: &View, options: &Options, time: f64) {
        let height = (0.024 * image.height as f32).max(7.0);
        if options.stamp && time.is_finite() {
            let below = image.height as f32 - 1.4 * height;
            let ink = Lettering { height, colour: GREY };
            ink.write(image, &format!("t = {time:.2} s"), 1.4 * height, below);
        }
        let mut written: Vec<[f32; 3]> = Vec::new();
        for (track, above) in scenery.tracks.iter().zip(self.above.iter().flatten()) {
            let Some([x, y]) = view.project(*above).filter(|_| options.labels) else { continue };
            let colour = track.colour.map(|c| (c.clamp(0.0, 1.0) * 200.0) as u8);
            let ink = Lettering { height, colour };
            let width = ink.width(&track.label);
            let (x, mut y) = (x as f32 - 0.5 * width, y as f32 - 0.6 * height);
            // labels at one position are placed below one another
            let meets =
                |y: f32, w: &[f32; 3]| (w[1] - y).abs() < 1.5 * height && x < w[0] + w[2] && w[0] < x + width;
            while written.iter().any(|w| meets(y, w)) {
                y += 1.8 * height;
            }
            written.push([x, y, width]);
            ink.write(image, &track.label, x, y);
        }
    }
}

/// The place above a track's world as high as its highest part.
fn top(track: usize, scenery: &Scenery, shapes: &Shapes, frame: &Frame) -> V3 {
    let mine = |body: usize| scenery.bodies.get(body).is_some_and(|b| b.track == track);
    let world = scenery.bodies.iter().position(|b| b.track == track && b.parent.is_none());
    let pose = |body: usize| frame.poses.get(body).and_then(|p| Placement::of(*p));
    let [x, y, z] = world.and_then(pose).map_or([0.0; 3], |p| p.at).map(f64::from);
    let parts = scenery
        .parts
        .iter()
        .zip(&shapes.of_parts)
        .filter(|(p, _)| mine(p.body) && !matches!(p.shape, Shape::Plane { .. }));
    let tops = parts.filter_map(|(part, shape)| {
        let own = Placement::of(part.pose.map(|x| x as f32))?;
        let reach = shapes.surfaces[(*shape)?].points.iter().map(|p| norm(*p)).fold(0.0, f32::max);
        Some(f64::from(pose(part.body)?.point(own.at)[2] + reach))
    });
    V3::new(x, y, tops.fold(z, f64::max))
}
