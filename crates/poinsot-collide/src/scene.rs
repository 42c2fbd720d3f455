//! The scene: the geoms of a model, prepared for collision detection.

use crate::between::Displacement;
use crate::broad::{Bounds, Broad, Candidate, TooMany};
use crate::contact::{Contact, ContactKey, Contacts};
use crate::error::{CollideError, geom_name};
use crate::filter::Rules;
use crate::manifold::order;
use crate::math::{Aabb, Frame, Vec3, v3};
use crate::narrow::Scratch;
use crate::solid::{Compiler, Solid};
use crate::touch::parted;
use poinsot_core::dynamics::At;
use poinsot_core::model::{BodyId, Geom, GeomId, Model, Shape};
use poinsot_core::spatial::Pose;

/// All geoms of a model with contact, compiled once, with data reused from one detection to the next: boxes, the pairs whose boxes overlap,
/// and separating axes. These make detection faster and do not affect the result: contacts depend on poses and margin alone, so a restored
/// simulation continues bit for bit without stored contacts. For the same reason, contacts of pairs that hardly moved are not copied from
/// the last detection.
///
/// ```
/// use poinsot_collide::{Contacts, Feature, Scene};
/// use poinsot_core::{algebra::V3, model::*, spatial::Pose};
/// let mut b = ModelBuilder::new("a box on the floor");
/// b.geom(BodyId::WORLD, Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).named("floor"));
/// let cube = Shape::Box { size: V3::new(0.2, 0.2, 0.2) };
/// let block = b.body(BodyId::WORLD, BodySpec::new("block").solid_geom(Geom::new(cube).named("cube"), 1.0)?);
/// b.joint(block, Joint::free());
/// let mut scene = Scene::new(&b.build()?)?;
/// let mut contacts = Contacts::new();
/// let poses = [Pose::IDENTITY, Pose::translation(V3::Z * 0.09)];
/// scene.detect(&poses, 0.0, &mut contacts)?;
/// assert_eq!(contacts.len(), 4);
/// let corner = contacts[0];
/// assert_eq!(corner.key.features, [Feature::Face(0), Feature::Vertex(0)]);
/// assert!((corner.gap + 0.01).abs() < 1e-15 && corner.normal == V3::Z);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scene {
    pub(crate) geoms: Vec<Placed>,
    pub(crate) solids: Vec<Option<Solid>>,
    rules: Rules,
    named: Vec<Option<f64>>,
    bodies: Vec<String>,
    broad: Broad,
    /// Boxes around whole motions.
    pub(crate) swept: Broad,
    pub(crate) frames: Vec<Frame>,
    pub(crate) boxes: Vec<Aabb>,
    pub(crate) grown: Vec<f64>,
    /// The margin in the last detection, in addition to the model's.
    margin: f64,
    /// For each geom: how far it may move in the last detection; and the limit on how much of that counts.
    reach: Vec<f64>,
    most: f64,
    pub(crate) scratch: Scratch,
    /// Poses at the start of the swept motions.
    pub(crate) sweep_poses: Vec<Pose>,
    /// The motion of each body between two poses.
    pub(crate) displacements: Vec<Displacement>,
}

/// A geom on its body.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub id: GeomId,
    pub body: BodyId,
    pub local: Frame,
    /// True if it is at the body's own frame.
    at_origin: bool,
    /// The distance below which its contacts are considered.
    margin: f64,
    /// The largest margin of any of its pairs.
    largest: f64,
    pub name: String,
}

impl Scene {
    /// Compiles the geoms of a model. Meshes and height fields are read from their files here, except those of geoms without contact. An
    /// error names the geom.
    pub fn new(model: &Model) -> Result<Scene, CollideError> {
        let (scene, left_out) = Scene::of_readable(model);
        left_out.into_iter().next().map_or(Ok(scene), Err)
    }

    /// As [`Scene::new`], skipping geoms that cannot be compiled, for example because the file of a mesh is missing or damaged: these have
    /// no contact, and each yields an error.
    pub fn of_readable(model: &Model) -> (Scene, Vec<CollideError>) {
        let rules = Rules::new(model);
        Scene::compile(model, |k| rules.takes_part(k as u32), |geom| geom.shape.clone())
    }

    /// The geoms that take part, by number, each of the shape that is made of it.
    pub(crate) fn compile(
        model: &Model,
        takes_part: impl Fn(usize) -> bool,
        shape: impl Fn(&Geom) -> Shape,
    ) -> (Scene, Vec<CollideError>) {
        let rules = Rules::new(model);
        let mut compiler = Compiler::default();
        let (mut geoms, mut solids, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        for (k, id) in model.geom_ids().enumerate() {
            let geom = &model[id];
            let made = takes_part(k).then(|| compiler.solid(&shape(geom))).transpose();
            let broken = |why: String| left_out.push(CollideError::geom(model, id, why));
            solids.push(made.map_err(broken).unwrap_or(None));
            let margin = geom.material.margin;
            geoms.push(Placed {
                id,
                body: geom.body(),
                local: Frame::from(geom.pose),
                at_origin: geom.pose == Pose::IDENTITY,
                margin,
                largest: margin.max(0.0),
                name: geom_name(model, id),
            });
        }
        let named: Vec<Option<f64>> = model.contact_pairs().iter().map(|p| p.margin).collect();
        for (pair, margin) in model.contact_pairs().iter().zip(&named) {
            for g in pair.geoms {
                let largest = &mut geoms[g.index()].largest;
                *largest = largest.max(margin.unwrap_or(0.0));
            }
        }
        let frames = geoms.iter().map(|g| g.local).collect();
        let scene = Scene {
            broad: Broad::new(&solids),
            swept: Broad::new(&solids),
            boxes: vec![Aabb::EMPTY; geoms.len()],
            grown: vec![0.0; geoms.len()],
            margin: 0.0,
            reach: vec![0.0; geoms.len()],
            most: 0.0,
            frames,
            bodies: model.bodies().iter().map(|b| b.name.clone()).collect(),
            scratch: Scratch::default(),
            sweep_poses: Vec::new(),
            displacements: Vec::new(),
            geoms,
            solids,
            rules,
            named,
        };
        (scene, left_out)
    }

    /// Sets how many pairs of geoms may be near each other at once, by default 100 000 and 64 for each geom; beyond that, detection fails
    /// with [`CollideError::TooManyPairs`] instead of running out of memory.
    pub fn limit_pairs(&mut self, limit: usize) {
        (self.broad.limit, self.swept.limit) = (limit, limit);
    }

    /// Finds all points at which geoms come within a distance of each other: the larger of their margins in the model, or that of a named
    /// pair, plus `margin`. `poses` are those of the bodies in the world, the world's own first. Replaces the contents of `contacts`. Does
    /// not allocate once all buffers have grown.
    pub fn detect(
        &mut self,
        poses: &[Pose],
        margin: f64,
        contacts: &mut Contacts,
    ) -> Result<(), CollideError> {
        contacts.list.clear();
        self.reach.fill(0.0);
        self.detect_all(poses, margin, |_| Some(0.0), contacts)
    }

    /// As [`Scene::detect`], for moving bodies: body k may close by up to `reach[k]`, m. Two bodies are examined up to the sum of both
    /// reaches further away, but no more than `most` and no more than `of_pair` returns for their geoms; if that is `None` they are
    /// skipped. So a fast body does not bring together all bodies at rest, nor all those that move along with it.
    pub fn detect_in_motion(
        &mut self,
        poses: &[Pose],
        reach: &[f64],
        most: f64,
        margin: f64,
        of_pair: impl Fn([GeomId; 2]) -> Option<f64>,
        contacts: &mut Contacts,
    ) -> Result<(), CollideError> {
        contacts.list.clear();
        if reach.len() != self.bodies.len() {
            return Err(CollideError::Poses { given: reach.len(), bodies: self.bodies.len() });
        }
        if let Some(margin) = reach.iter().find(|r| !r.is_finite()) {
            return Err(CollideError::Margin { margin: *margin });
        }
        for (own, geom) in self.reach.iter_mut().zip(&self.geoms) {
            *own = reach[geom.body.index()];
        }
        self.most = most;
        self.detect_all(poses, margin, of_pair, contacts)
    }

    fn detect_all(
        &mut self,
        poses: &[Pose],
        margin: f64,
        of_pair: impl Fn([GeomId; 2]) -> Option<f64>,
        contacts: &mut Contacts,
    ) -> Result<(), CollideError> {
        if !margin.is_finite() {
            return Err(CollideError::Margin { margin });
        }
        self.place(poses)?;
        self.surround(margin);
        self.update_pairs()?;
        for k in 0..self.broad.pairs.len() {
            if !self.is_near(&self.broad.pairs[k]) {
                continue;
            }
            let pair = self.broad.pairs[k];
            let [a, b] = [pair.geoms[0] as usize, pair.geoms[1] as usize];
            let Some(own) = of_pair([self.geoms[a].id, self.geoms[b].id]) else { continue };
            let (a, b) = (self.reach[a].min(self.most), self.reach[b].min(self.most));
            let further = own.min(a + b).min(self.most);
            if self.is_within(&pair, further - (a + b)) {
                self.broad.pairs[k].axis = self.touch(&pair, margin + further, contacts);
            }
        }
        Ok(())
    }

    /// True if the boxes of a pair overlap when one of them is grown further; always true for planes.
    fn is_within(&self, pair: &Candidate, by: f64) -> bool {
        let [a, b] = [pair.geoms[0] as usize, pair.geoms[1] as usize];
        pair.plane || self.boxes[a].grown(by).meets(&self.boxes[b])
    }

    /// The contacts of one pair of geoms, regardless of the filter, without a broad phase.
    pub fn detect_pair(
        &mut self,
        poses: &[Pose],
        geoms: [GeomId; 2],
        margin: f64,
        contacts: &mut Contacts,
    ) -> Result<(), CollideError> {
        contacts.list.clear();
        if !margin.is_finite() {
            return Err(CollideError::Margin { margin });
        }
        self.check(poses, geoms.map(|g| self.geoms[g.index()].body.index()).into_iter())?;
        let [a, b] = geoms.map(|g| g.index() as u32);
        self.place_geom(a as usize, poses);
        self.place_geom(b as usize, poses);
        let pair = Candidate { geoms: [a.min(b), a.max(b)], named: u32::MAX, axis: Vec3::ZERO, plane: false };
        self.touch(&pair, margin, contacts);
        Ok(())
    }

    /// As [`Scene::detect_pair`], for several pairs, one after the other.
    pub fn detect_pairs(
        &mut self,
        poses: &[Pose],
        pairs: &[[GeomId; 2]],
        margin: f64,
        contacts: &mut Contacts,
    ) -> Result<(), CollideError> {
        contacts.list.clear();
        if !margin.is_finite() {
            return Err(CollideError::Margin { margin });
        }
        self.place(poses)?;
        for geoms in pairs {
            let [a, b] = geoms.map(|g| g.index() as u32);
            let pair =
                Candidate { geoms: [a.min(b), a.max(b)], named: u32::MAX, axis: Vec3::ZERO, plane: false };
            self.touch(&pair, margin, contacts);
        }
        Ok(())
    }

    /// The broad phase alone: all pairs that may touch and whose boxes, grown by the margins, overlap; sorted. Replaces the contents of
    /// `pairs`.
    pub fn near(
        &mut self,
        poses: &[Pose],
        margin: f64,
        pairs: &mut Vec<[GeomId; 2]>,
    ) -> Result<(), CollideError> {
        pairs.clear();
        if !margin.is_finite() {
            return Err(CollideError::Margin { margin });
        }
        self.reach.fill(0.0);
        self.place(poses)?;
        self.surround(margin);
        self.update_pairs()?;
        let near = self.broad.pairs.iter().filter(|pair| self.is_near(pair));
        pairs.extend(near.map(|pair| pair.geoms.map(|k| self.geoms[k as usize].id)));
        Ok(())
    }

    /// Computes the frames of all geoms.
    pub(crate) fn place(&mut self, poses: &[Pose]) -> Result<(), CollideError> {
        self.check(poses, 0..poses.len())?;
        (0..self.geoms.len()).for_each(|k| self.place_geom(k, poses));
        Ok(())
    }

    /// Checks that there is a pose for each body, and that those of some are finite.
    fn check(&self, poses: &[Pose], mut some: impl Iterator<Item = usize>) -> Result<(), CollideError> {
        let bodies = self.bodies.len();
        if poses.len() != bodies {
            return Err(CollideError::Poses { given: poses.len(), bodies });
        }
        match some.find(|k| !Frame::from(poses[*k]).is_finite()) {
            Some(k) => Err(CollideError::NotFinite { body: self.bodies[k].clone() }),
            None => Ok(()),
        }
    }

    #[inline]
    fn place_geom(&mut self, k: usize, poses: &[Pose]) {
        let geom = &self.geoms[k];
        let body = Frame::from(poses[geom.body.index()]);
        self.frames[k] = if geom.at_origin { body } else { body.then(&geom.local) };
    }

    /// Computes the boxes of all geoms, grown so that they overlap if a pair is within its margin.
    fn surround(&mut self, margin: f64) {
        if margin > self.margin {
            // the pairs with planes were found with a smaller margin
            self.broad.forget();
        }
        self.margin = margin;
        for (k, solid) in self.solids.iter().enumerate() {
            if let Some(solid) = solid {
                let by = self.geoms[k].largest + 0.5 * margin.max(0.0) + self.reach[k].min(self.most);
                self.grown[k] = by;
                self.boxes[k] = solid.aabb(&self.frames[k]).grown(by);
            }
        }
    }

    fn update_pairs(&mut self) -> Result<(), CollideError> {
        let at = Bounds { boxes: &self.boxes, frames: &self.frames, grown: &self.grown };
        self.broad.update(&at, &self.rules).map_err(|many| self.too_many(many))
    }

    /// Updates the pairs of overlapping boxes around motions.
    pub(crate) fn update_swept_pairs(&mut self) -> Result<(), CollideError> {
        let at = Bounds { boxes: &self.boxes, frames: &self.frames, grown: &self.grown };
        self.swept.update(&at, &self.rules).map_err(|many| self.too_many(many))
    }

    fn too_many(&self, TooMany { geom, of_it }: TooMany) -> CollideError {
        let geom = self.geoms[geom as usize].name.clone();
        CollideError::TooManyPairs { limit: self.broad.limit, geom, of_it }
    }

    /// True if the boxes of a pair meet, or that of a geom and a plane: inlined, since most pairs go no further.
    #[inline(always)]
    pub(crate) fn is_near(&self, pair: &Candidate) -> bool {
        let [a, b] = [pair.geoms[0] as usize, pair.geoms[1] as usize];
        if !pair.plane {
            return self.boxes[a].meets(&self.boxes[b]);
        }
        let at = Bounds { boxes: &self.boxes, frames: &self.frames, grown: &self.grown };
        match &self.solids[a] {
            Some(Solid::Plane) => at.below(a as u32, &self.boxes[b]),
            _ => at.below(b as u32, &self.boxes[a]),
        }
    }

    /// The distance below which a pair is in contact.
    fn margin(&self, pair: &Candidate) -> f64 {
        let [a, b] = [pair.geoms[0] as usize, pair.geoms[1] as usize];
        let (a, b) = (self.geoms[a].margin, self.geoms[b].margin);
        let own = a.max(b);
        self.named.get(pair.named as usize).map_or(own, |m| m.unwrap_or(own))
    }

    /// Adds the contacts of a pair. If it is too far apart and a separating axis is known, returns the axis: the next detection tries it
    /// first.
    fn touch(&mut self, pair: &Candidate, margin: f64, contacts: &mut Contacts) -> Vec3 {
        let most = self.margin(pair) + margin;
        let [a, b] = [pair.geoms[0] as usize, pair.geoms[1] as usize];
        let (Some(first), Some(second)) = (&self.solids[a], &self.solids[b]) else { return Vec3::ZERO };
        let (x_a, x_b) = (&self.frames[a], &self.frames[b]);
        if pair.axis != Vec3::ZERO && parted(first, second, x_a, x_b, pair.axis, most) {
            return pair.axis;
        }
        self.scratch.contacts([first, second], [x_a, x_b], most);
        if self.scratch.points.is_empty() {
            return self.scratch.axis;
        }
        let points = &mut self.scratch.points;
        if points.len() > 1 {
            points.sort_unstable_by(|p, q| p.features.cmp(&q.features).then(order(p.position, q.position)));
        }
        let geoms = [self.geoms[a].id, self.geoms[b].id];
        let bodies = [self.geoms[a].body, self.geoms[b].body];
        let named_pair = (pair.named != u32::MAX).then_some(pair.named as usize);
        let (mut last, mut ordinal) = (None, 0);
        for p in points.iter() {
            ordinal = if last == Some(p.features) { ordinal + 1 } else { 0 };
            last = Some(p.features);
            contacts.list.push(Contact {
                key: ContactKey { geoms, features: p.features, ordinal },
                bodies,
                named_pair,
                position: v3(self.frames[a].point(p.position)),
                normal: v3(self.frames[a].vector(p.normal)),
                gap: p.gap,
            });
        }
        Vec3::ZERO
    }
}

/// The poses of all bodies at a state, in the form that [`Scene::detect`] expects.
pub fn body_poses(model: &Model, at: &At, out: &mut Vec<Pose>) {
    out.clear();
    out.extend(model.body_ids().map(|body| at.pose(body)));
}
