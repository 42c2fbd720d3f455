//! From frames to pictures.

use super::canvas::{Canvas, Corner, Triangle, projected};
use super::ground::{self, Shadow};
use super::image::Image;
use super::light::{Light, Paint, linear};
use super::memory::Memory;
use super::shapes::{BALL, DISC, HEAD, SHAFT, Shapes};
use super::signs::Signs;
use super::vector::{Placement, Vector, across, cross, dot, norm, scale, sub};
use super::view::View;
use crate::show::{Camera, Frame, On, Scenery};
use crate::surface::Surface;

/// How pictures are painted.
#[derive(Clone, Debug)]
pub struct Options {
    /// Each dot is the mean of so many samples across and down.
    pub supersampling: usize,
    /// The layers that are not shown.
    pub hidden: Vec<String>,
    /// The time is written in the lower left corner.
    pub stamp: bool,
    /// Where there are several tracks their labels are written.
    pub labels: bool,
}

impl Default for Options {
    fn default() -> Self {
        let hidden = ["collision", "momenta", "momenta of bodies", "momentum ellipsoid"];
        Options { supersampling: 2, hidden: hidden.map(String::from).to_vec(), stamp: true, labels: true }
    }
}

/// Paints the frames of a scenery.
pub struct Painter {
    scenery: Scenery,
    shapes: Shapes,
    options: Options,
    width: usize,
    height: usize,
    floor: Option<f32>,
    memory: Memory,
    signs: Signs,
    canvas: Canvas,
}

/// A surface to be drawn.
struct Object {
    shape: usize,
    placement: Placement,
    rgba: [f64; 4],
    /// Seen from inside too.
    both: bool,
    shadow: bool,
}

/// The radius of an arrow's shaft, as a part of the picture's height.
const SHAFT_RADIUS: f32 = 0.0045;
/// Half the width of a trace, as a part of the picture's height.
const TRACE_RADIUS: f32 = 0.0026;

impl Painter {
    /// A painter of pictures of so many dots; `meshes` are the scenery's.
    pub fn new(
        scenery: &Scenery,
        meshes: &[Surface],
        width: usize,
        height: usize,
        options: Options,
    ) -> Painter {
        let samples = options.supersampling.clamp(1, 8);
        Painter {
            scenery: scenery.clone(),
            shapes: Shapes::of(scenery, meshes),
            width,
            height,
            floor: scenery.floor.or_else(|| ground_plane(scenery)).map(|z| z as f32),
            memory: Memory::of(scenery),
            signs: Signs::default(),
            canvas: Canvas::new(width * samples, height * samples),
            options: Options { supersampling: samples, ..options },
        }
    }

    /// The camera, to be moved between frames.
    pub fn camera_mut(&mut self) -> &mut Camera {
        &mut self.scenery.camera
    }

    /// Lets a frame pass: traces remember it.
    pub fn note(&mut self, frame: &Frame) {
        self.memory.note(frame);
        self.signs.note(&self.scenery, &self.shapes, frame);
    }

    /// The picture of a frame, with what traces have drawn up to it.
    pub fn paint(&mut self, frame: &Frame) -> Image {
        self.note(frame);
        if self.width == 0 || self.height == 0 {
            return Image::default();
        }
        let samples = self.options.supersampling;
        let (coarse, view) = (self.view(1), self.view(samples));
        let light = Light::of(&view, [0, 1, 2].map(|k| self.scenery.camera.up[k] as f32));
        let objects = self.objects(frame, &coarse);
        ground::background(&mut self.canvas);
        if let Some(height) = self.floor.filter(|h| h.is_finite() && view.eye[2] > *h) {
            let shadow = self.shadow(&objects, &coarse, &light, height);
            ground::floor(&mut self.canvas, samples, &coarse, height, &shadow);
        }
        let mut sheer: Vec<(f32, Triangle, Paint)> = Vec::new();
        for object in &objects {
            let paint = light.paint(object.rgba, object.placement.at, &view);
            let canvas = &mut self.canvas;
            each_triangle(&self.shapes.surfaces[object.shape], &object.placement, &view, |triangle| {
                if paint.opacity >= 1.0 {
                    canvas.fill(&triangle, object.both, &light, &paint);
                } else if paint.opacity > 0.0 {
                    sheer.push((triangle.screen.iter().map(|p| p[2]).sum(), triangle, paint));
                }
            });
        }
        self.traces(frame, &view);
        // what is far first
        sheer.sort_by(|a, b| a.0.total_cmp(&b.0));
        sheer.iter().for_each(|(_, triangle, paint)| self.canvas.fill(triangle, true, &light, paint));
        let mut image = self.canvas.image(samples);
        self.signs.write(&mut image, &self.scenery, &coarse, &self.options, frame.time);
        image
    }

    fn view(&self, samples: usize) -> View {
        View::new(&self.scenery.camera, self.width * samples, self.height * samples)
    }

    fn shows(&self, layer: &str) -> bool {
        !self.options.hidden.iter().any(|h| h == layer)
    }

    fn objects(&self, frame: &Frame, view: &View) -> Vec<Object> {
        let mut objects = Vec::with_capacity(self.scenery.parts.len());
        for (part, shape) in self.scenery.parts.iter().zip(&self.shapes.of_parts) {
            let body = frame.poses.get(part.body).and_then(|p| Placement::of(*p));
            let own = Placement::of(part.pose.map(|x| x as f32));
            let (Some(shape), Some(body), Some(own)) = (*shape, body, own) else { continue };
            let endless = part.form == "plane" && part.size.iter().all(|x| *x <= 0.0);
            if self.shows(part.layer) && !(endless && self.floor.is_some()) {
                let open = matches!(part.form, "mesh" | "plane");
                let placement = body.then(&own);
                objects.push(Object {
                    shape,
                    placement,
                    rgba: part.rgba,
                    both: open,
                    shadow: part.form != "plane",
                });
            }
        }
        for (info, solid) in self.scenery.solids.iter().zip(&frame.solids) {
            let [x, y, z, w, i, j, k, a, b, c] = *solid;
            let Some(placement) = Placement::of([x, y, z, w, i, j, k]) else { continue };
            if self.shows(info.layer) && [a, b, c].iter().all(|r| r.is_finite()) {
                let shape = if info.form == "disc" { DISC } else { BALL };
                let half = if info.form == "disc" { [a, b, a.max(b)] } else { [a, b, c] };
                let placement = placement.with_half_axes(half);
                objects.push(Object { shape, placement, rgba: info.rgba, both: true, shadow: false });
            }
        }
        for (info, arrow) in self.scenery.arrows.iter().zip(&frame.arrows) {
            if self.shows(info.layer) {
                objects.extend(arrow_of(*arrow, info.colour, view, SHAFT_RADIUS * self.height as f32));
            }
        }
        objects
    }

    fn shadow(&self, objects: &[Object], view: &View, light: &Light, height: f32) -> Shadow {
        let mut shadow = Shadow::new(self.width, self.height);
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

    fn traces(&mut self, frame: &Frame, view: &View) {
        let samples = self.canvas.size[1] as f32;
        for (number, trace) in self.scenery.traces.iter().enumerate() {
            let place = match trace.on {
                On::World => Placement::of([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
                On::Body(k) => frame.poses.get(k).and_then(|p| Placement::of(*p)),
                On::Solid(k) => {
                    frame.solids.get(k).and_then(|s| s.first_chunk().and_then(|p| Placement::of(*p)))
                }
            };
            let shown = !self.options.hidden.iter().any(|h| h == trace.layer);
            let Some(place) = place.filter(|_| shown) else { continue };
            let colour = linear(trace.colour);
            for (ends, fresh) in self.memory.pieces(number) {
                let seen = ends.map(|p| view.seen(place.point(p)));
                let radius = (TRACE_RADIUS * samples).max(1.0) * (0.35 + 0.65 * fresh);
                self.canvas.line(view, seen, radius, colour);
            }
        }
    }
}

/// The height of an endless level plane among the parts.
fn ground_plane(scenery: &Scenery) -> Option<f64> {
    let level = |p: &[f64; 7]| p[4].abs() < 1e-6 && p[5].abs() < 1e-6;
    let fixed = |body: usize| scenery.bodies.get(body).is_some_and(|b| b.parent.is_none());
    let endless = |size: &[f64]| size.iter().all(|x| *x <= 0.0);
    let ground =
        |p: &&crate::show::PartInfo| p.form == "plane" && endless(&p.size) && fixed(p.body) && level(&p.pose);
    scenery.parts.iter().find(ground).map(|p| p.pose[2])
}

fn each_triangle(surface: &Surface, placement: &Placement, view: &View, mut draw: impl FnMut(Triangle)) {
    let corners: Vec<Corner> = surface
        .points
        .iter()
        .zip(&surface.normals)
        .map(|(p, n)| Corner { seen: view.seen(placement.point(*p)), normal: placement.normal(*n) })
        .collect();
    for triangle in &surface.triangles {
        projected(view, triangle.map(|k| corners[k as usize]), &mut draw);
    }
}

/// Shaft and head, of a thickness that is the same on the screen for all.
fn arrow_of([a, b, c, d, e, f]: [f32; 6], colour: [f64; 3], view: &View, dots: f32) -> Vec<Object> {
    let (tail, tip) = ([a, b, c], [d, e, f]);
    let along = sub(tip, tail);
    let length = norm(along);
    let depth = dot(sub(tail, view.eye), view.ahead).max(view.near());
    let radius = (dots * depth / view.focal).min(0.08 * length);
    if !(length.is_finite() && norm(tail).is_finite() && radius > 0.0) {
        return Vec::new();
    }
    let ahead = scale(along, 1.0 / length);
    let side = across(ahead);
    let other = cross(ahead, side);
    let part = |shape: usize, from: f32, to: f32, radius: f32| {
        let at = super::vector::add(tail, scale(ahead, from));
        let axes = [scale(side, radius), scale(other, radius), scale(ahead, to - from)];
        let [r, g, b] = colour;
        let placement = Placement::stretched(at, axes);
        Object { shape, placement, rgba: [r, g, b, 1.0], both: false, shadow: false }
    };
    let head = (7.0 * radius).min(0.45 * length);
    vec![part(SHAFT, 0.0, length - head, radius), part(HEAD, length - head, length, 2.6 * radius)]
}
