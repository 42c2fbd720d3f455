//! From frames to pictures.

use super::canvas::{Canvas, Corner, Tint, Triangle, projected};
use super::ground::{self, Shadow};
use super::image::Image;
use super::light::{Light, Paint, linear};
use super::memory::Memory;
use super::objects::{Object, ground_plane, objects, own_ground};
use super::options::Options;
use super::shapes::Shapes;
use super::signs::Signs;
use super::tint::Pyramid;
use super::vector::{Placement, Vector, scale, sub};
use super::view::View;
use crate::show::{Camera, Frame, On, Scenery};
use crate::surface::Surface;
use std::ops::Range;

/// Paints the frames of a scenery.
pub struct Painter {
    scenery: Scenery,
    shapes: Shapes,
    options: Options,
    width: usize,
    height: usize,
    floor: Option<f32>,
    /// The height of a plane of the model that is drawn itself.
    own_ground: Option<f32>,
    memory: Memory,
    signs: Signs,
    canvas: Canvas,
    /// The number of rows of pixels painted at a time.
    band: usize,
    /// Background and floor, painted once for each camera position if the picture is one band.
    empty: Option<(View, Canvas)>,
}

/// Half the width of a trace, as a fraction of the picture's height.
const TRACE_RADIUS: f32 = 0.0026;
/// A picture with more samples is painted in bands: a sample takes 32 bytes.
const MOST_SAMPLES: usize = 9_000_000;
/// A band of this many samples takes a fraction of a second, after which painting may be stopped.
const SAMPLES_OF_A_BAND: usize = 1_000_000;

impl Painter {
    /// A painter of pictures of this size; `meshes` are the scenery's.
    pub fn new(
        scenery: &Scenery,
        meshes: &[Surface],
        width: usize,
        height: usize,
        options: Options,
    ) -> Painter {
        let samples = options.supersampling.clamp(1, 8);
        let band = band(width, height, samples);
        let mut hidden = options.hidden;
        hidden.retain(|layer| !scenery.shown.contains(layer));
        Painter {
            scenery: scenery.clone(),
            shapes: Shapes::of(scenery, meshes),
            width,
            height,
            floor: scenery.floor.or_else(|| ground_plane(scenery)).map(|z| z as f32),
            own_ground: own_ground(scenery).map(|z| z as f32),
            memory: Memory::of(scenery),
            signs: Signs::default(),
            canvas: Canvas::new(width * samples, band * samples),
            band,
            empty: None,
            options: Options { supersampling: samples, hidden, ..options },
        }
    }

    /// The camera, to be moved between frames.
    pub fn camera_mut(&mut self) -> &mut Camera {
        &mut self.scenery.camera
    }

    /// Records a frame for traces without painting it.
    pub fn note(&mut self, frame: &Frame) {
        self.memory.note(frame);
        self.signs.note(&self.scenery, &self.shapes, frame);
    }

    /// The picture of a frame, with the traces up to it.
    pub fn paint(&mut self, frame: &Frame) -> Image {
        self.paint_unless(frame, || false).unwrap_or_default()
    }

    /// As [`Painter::paint`], unless `stop`, which is checked often, becomes true.
    pub fn paint_unless(&mut self, frame: &Frame, mut stop: impl FnMut() -> bool) -> Option<Image> {
        self.note(frame);
        if self.width == 0 || self.height == 0 {
            return Some(Image::default());
        }
        self.shapes.bend(frame);
        let view = self.view(1);
        let objects = self.objects(frame, &view);
        let mut rgb = Vec::with_capacity(3 * self.width * self.height);
        for first in (0..self.height).step_by(self.band) {
            let rows = first..self.height.min(first + self.band);
            self.paint_rows(rows, frame, &objects, &mut stop)?;
            self.canvas.append_to(&mut rgb, self.options.supersampling);
        }
        let mut image = Image { width: self.width, height: self.height, rgb };
        self.signs.write(&mut image, &self.scenery, &view, &self.options, frame.time);
        Some(image)
    }

    /// Paints some rows of the picture on the canvas.
    fn paint_rows(
        &mut self,
        rows: Range<usize>,
        frame: &Frame,
        objects: &[Object],
        stop: &mut impl FnMut() -> bool,
    ) -> Option<()> {
        let samples = self.options.supersampling;
        let first = rows.start;
        let coarse = self.view(1).below_row(first as f32);
        let view = self.view(samples).below_row((first * samples) as f32);
        let light = Light::of(&view, [0, 1, 2].map(|k| self.scenery.camera.up[k] as f32));
        let floor = self.floor.filter(|h| h.is_finite() && view.eye[2] > *h);
        self.canvas.set_height(rows.len() * samples);
        self.clear(&coarse, first, floor);
        go_on(stop)?;
        if let Some(height) = floor {
            let shadow = self.shadow(objects, &coarse, &light, height);
            go_on(stop)?;
            let seen = (&coarse, first, self.height);
            ground::floor(&mut self.canvas, samples, seen, height, Some(&shadow));
        }
        let own = self.own_ground.filter(|h| floor.is_none() && view.eye[2] > *h);
        let (ground, others): (Vec<&Object>, Vec<&Object>) = objects.iter().partition(|o| o.ground);
        let mut sheer: Vec<(f32, Triangle, Paint, Option<&Pyramid>)> = Vec::new();
        for (number, object) in ground.iter().chain(&others).enumerate() {
            go_on(stop)?;
            if number == ground.len()
                && let Some(height) = own
            {
                let shadow = self.shadow(objects, &coarse, &light, height);
                ground::darken(&mut self.canvas, samples, &coarse, height, &shadow);
            }
            let paint = light.paint(object.rgba, object.placement.at, &view);
            let picture = self.shapes.pictures.get(object.shape).and_then(Option::as_deref);
            let canvas = &mut self.canvas;
            each_triangle(&self.shapes.surfaces[object.shape], &object.placement, &view, |triangle| {
                if paint.opacity >= 1.0 {
                    canvas.fill(&triangle, object.both, &light, &paint, picture);
                } else if paint.opacity > 0.0 {
                    let near = triangle.screen.iter().map(|p| p[2]).sum();
                    sheer.push((near, triangle, paint, picture));
                }
            });
        }
        let tall = (self.height * samples) as f32;
        traces((&self.scenery, &self.options.hidden, &self.memory), frame, (&view, tall), &mut self.canvas);
        // from far to near
        sheer.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, triangle, paint, picture) in &sheer {
            self.canvas.fill(triangle, true, &light, paint, *picture);
        }
        go_on(stop)
    }

    /// Background and floor alone.
    fn clear(&mut self, view: &View, first: usize, floor: Option<f32>) {
        let (samples, tall) = (self.options.supersampling, self.height);
        let draw = |canvas: &mut Canvas| {
            ground::background(canvas, first * samples, tall * samples);
            if let Some(height) = floor {
                ground::floor(canvas, samples, (view, first, tall), height, None);
            }
        };
        if self.band < self.height {
            return draw(&mut self.canvas);
        }
        let known = self.empty.take().filter(|(seen, _)| seen == view);
        let (_, empty) = self.empty.insert(known.unwrap_or_else(|| {
            let mut empty = Canvas::new(self.canvas.size[0], self.canvas.size[1]);
            draw(&mut empty);
            (*view, empty)
        }));
        self.canvas.colour.copy_from_slice(&empty.colour);
        self.canvas.near.copy_from_slice(&empty.near);
    }

    fn view(&self, samples: usize) -> View {
        View::new(&self.scenery.camera, self.width * samples, self.height * samples)
    }

    fn shows(&self, layer: &str) -> bool {
        !self.options.hidden.iter().any(|h| h == layer)
    }

    fn objects(&self, frame: &Frame, view: &View) -> Vec<Object> {
        let floor = self.floor.is_some();
        objects((&self.scenery, &self.shapes), frame, view, floor, |layer| self.shows(layer))
    }

    fn shadow(&self, objects: &[Object], view: &View, light: &Light, height: f32) -> Shadow {
        let margin = if self.band < self.height { Shadow::blurs(self.width) } else { 0 };
        let mut shadow = Shadow::new(self.width, self.canvas.size[1] / self.options.supersampling, margin);
        let slope = scale(light.key, 1.0 / light.key[2].max(0.2));
        for object in objects.iter().filter(|o| o.shadow && o.rgba[3] > 0.5) {
            let surface = &self.shapes.surfaces[object.shape];
            let fallen: Vec<Vector> = surface
                .points
                .iter()
                .map(|p| {
                    let p = object.placement.point(*p);
                    sub(p, scale(slope, (p[2] - height).max(0.0)))
                })
                .collect();
            for triangle in &surface.triangles {
                shadow.add(view, triangle.map(|k| fallen[k as usize]), object.both);
            }
        }
        shadow.soften();
        shadow
    }
}

/// The number of rows of pixels painted at a time: all, unless the samples of the picture would take too much memory.
fn band(width: usize, height: usize, samples: usize) -> usize {
    let row = (width * samples * samples).max(1);
    if row * height <= MOST_SAMPLES {
        height.max(1)
    } else {
        (SAMPLES_OF_A_BAND / row).clamp(1, height.max(1))
    }
}

/// `None` if painting is to stop.
fn go_on(stop: &mut impl FnMut() -> bool) -> Option<()> {
    (!stop()).then_some(())
}

/// Draws the traces of points.
fn traces(
    (scenery, hidden, memory): (&Scenery, &[String], &Memory),
    frame: &Frame,
    (view, tall): (&View, f32),
    canvas: &mut Canvas,
) {
    for (number, trace) in scenery.traces.iter().enumerate() {
        let place = match trace.on {
            On::World => Placement::of([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
            On::Body(k) => frame.poses.get(k).and_then(|p| Placement::of(*p)),
            On::Solid(k) => frame.solids.get(k).and_then(|s| s.first_chunk().and_then(|p| Placement::of(*p))),
        };
        let shown = !hidden.iter().any(|h| h == trace.layer);
        let Some(place) = place.filter(|_| shown) else { continue };
        let colour = linear(trace.colour);
        for (ends, fresh) in memory.pieces(number) {
            let seen = ends.map(|p| view.seen(place.point(p)));
            let radius = (TRACE_RADIUS * tall).max(1.0) * (0.35 + 0.65 * fresh);
            canvas.line(view, seen, radius, colour);
        }
    }
}

fn each_triangle(surface: &Surface, placement: &Placement, view: &View, mut draw: impl FnMut(Triangle)) {
    let tint = |k: usize| {
        let seen = surface.colours.get(k).map(|c| [c[0], c[1], c[2]].map(|x| f64::from(x) / 255.0));
        let at = surface.texture_at.get(k).copied().unwrap_or_default();
        Tint { colour: seen.map_or([1.0; 3], linear), at }
    };
    let corners: Vec<Corner> = surface
        .points
        .iter()
        .zip(&surface.normals)
        .enumerate()
        .map(|(k, (p, n))| {
            let (seen, normal) = (view.seen(placement.point(*p)), placement.normal(*n));
            Corner { seen, normal, tint: tint(k) }
        })
        .collect();
    for triangle in &surface.triangles {
        projected(view, triangle.map(|k| corners[k as usize]), &mut draw);
    }
}
