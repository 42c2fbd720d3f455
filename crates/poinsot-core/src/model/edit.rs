//! Models with more or fewer bodies: a model is immutable, but another one can be made from it.

use super::{
    BodyId, BodySpec, ContactPair, Geom, GeomId, Joint, JointId, Model, ModelBuilder, ModelError, Site,
};
use crate::spatial::Inertia;

impl ModelBuilder {
    /// A builder that starts with the contents of a model. Bodies, joints and geoms keep their numbers; additions come after them.
    ///
    /// ```
    /// use poinsot_core::{algebra::V3, model::*};
    /// let mut b = ModelBuilder::new("one ball");
    /// let skin = || Geom::new(Shape::Sphere { radius: 0.1 });
    /// let first = b.body(BodyId::WORLD, BodySpec::new("first").solid_geom(skin(), 1.0)?);
    /// b.joint(first, Joint::free());
    /// let one = b.build()?;
    /// let mut b = ModelBuilder::of(&one);
    /// let second = b.body(BodyId::WORLD, BodySpec::new("second").at(V3::Z).solid_geom(skin(), 2.0)?);
    /// b.joint(second, Joint::free());
    /// let two = b.build()?;
    /// assert_eq!((two.nv(), two.body("first"), two.mass()), (12, Some(first), 3.0));
    /// assert_eq!(two.without(&[first])?.mass(), 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(model: &Model) -> ModelBuilder {
        let mut b = ModelBuilder::emptied(model);
        let bodies: Vec<BodyId> = model.body_ids().collect();
        for body in bodies.iter().skip(1) {
            b.take_body(model, *body, model[*body].parent);
        }
        b.geometry_of(model, &bodies);
        b.take_others(model);
        b
    }

    /// The inertia of a body, to be changed.
    ///
    /// ```
    /// use poinsot_core::{algebra::V3, model::*};
    /// let mut b = ModelBuilder::new("pendulum");
    /// let bob = b.body(BodyId::WORLD, BodySpec::new("bob").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
    /// let hinge = b.joint(bob, Joint::revolute(V3::Y).anchor(V3::Z));
    /// let model = b.build()?;
    /// // the same pendulum, of another mass, with friction, on the moon
    /// let mut b = ModelBuilder::of(&model);
    /// *b.inertia_mut(bob) = Shape::Sphere { radius: 0.1 }.inertia(3.0)?;
    /// b.joint_mut(hinge).damping = 0.2;
    /// b.geom_mut(model.geom_ids().next().ok_or("no geom")?).material.friction[0] = 0.5;
    /// let other = b.gravity(V3::Z * -1.6).clone().build()?;
    /// assert_eq!((other.mass(), other[hinge].damping, other.geoms()[0].material.friction[0]), (3.0, 0.2, 0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the body is not from this builder; likewise [`ModelBuilder::joint_mut`] and [`ModelBuilder::geom_mut`].
    pub fn inertia_mut(&mut self, body: BodyId) -> &mut Inertia {
        &mut self.bodies[body.index()].1.inertia
    }
    /// A joint, to be changed.
    pub fn joint_mut(&mut self, joint: JointId) -> &mut Joint {
        let mut number = joint.index();
        for (_, _, joints) in &mut self.bodies {
            if number < joints.len() {
                return &mut joints[number];
            }
            number -= joints.len();
        }
        panic!("the builder has no joint number {}", joint.index())
    }
    /// A geom, to be changed.
    pub fn geom_mut(&mut self, geom: GeomId) -> &mut Geom {
        &mut self.geoms[geom.index()]
    }
}

impl Model {
    /// A copy with another mass for one body; its moments of inertia are scaled in proportion.
    ///
    /// ```
    /// use poinsot_core::model::*;
    /// let mut b = ModelBuilder::new("a ball");
    /// let skin = Geom::new(Shape::Sphere { radius: 0.1 });
    /// let ball = b.body(BodyId::WORLD, BodySpec::new("ball").solid_geom(skin, 1.0)?);
    /// b.joint(ball, Joint::free());
    /// let model = b.build()?;
    /// let heavy = model.with_mass(ball, 5.0)?;
    /// assert_eq!((heavy.mass(), heavy[ball].inertia.rotational), (5.0, model[ball].inertia.rotational.scaled(5.0)));
    /// assert!(model.with_mass(ball, -1.0).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_mass(&self, body: BodyId, mass: f64) -> Result<Model, ModelError> {
        let mut changed = self.clone();
        let inertia = &mut changed.bodies[body.index()].inertia;
        let part = mass / inertia.mass;
        *inertia = Inertia {
            mass,
            first_moment: inertia.first_moment * part,
            rotational: inertia.rotational.scaled(part),
        };
        ModelBuilder::of(&changed).build()
    }

    /// The model without some bodies, and without everything attached to them. Names stay; the numbers of everything after them change.
    ///
    /// If tendons, actuators, constraints or sensors refer to bodies and joints by number, only the bodies added last can be removed;
    /// otherwise, build the model anew.
    pub fn without(&self, bodies: &[BodyId]) -> Result<Model, ModelError> {
        let mut places: Vec<Option<BodyId>> = vec![Some(BodyId::WORLD)];
        let mut b = ModelBuilder::emptied(self);
        let mut moved = None;
        for id in self.body_ids().skip(1) {
            let parent = places.get(self[id].parent.index()).copied().flatten();
            let kept = parent.filter(|_| !bodies.contains(&id));
            places.push(kept.map(|parent| b.take_body(self, id, parent)));
            if places[id.index()].is_some_and(|place| place != id) {
                moved.get_or_insert(id);
            }
        }
        let nothing = self.tendons.is_empty() && self.actuators.is_empty();
        let refers = !(nothing && self.constraints.is_empty() && self.sensors.is_empty());
        if let Some(body) = moved.filter(|_| refers) {
            return Err(ModelError::Renumbered { body: self[body].name.clone() });
        }
        b.some_geometry_of(self, &places);
        b.take_others(self);
        b.sites.retain_mut(|site: &mut Site| match places[site.body.index()] {
            Some(place) => {
                site.body = place;
                true
            }
            None => false,
        });
        b.build()
    }
}

impl ModelBuilder {
    /// The world of a model alone, with its gravity and medium.
    fn emptied(model: &Model) -> ModelBuilder {
        let mut b = ModelBuilder::new(model.name.clone());
        b.gravity(model.gravity);
        if let Some(medium) = model.medium {
            b.medium(medium);
        }
        if !model.defects.is_empty() {
            b.lenient();
        }
        b
    }

    fn take_body(&mut self, model: &Model, body: BodyId, parent: BodyId) -> BodyId {
        let own = &model[body];
        let spec = BodySpec::new(own.name.clone()).pose(own.pose).inertia(own.inertia);
        let place = self.body(parent, spec.gravity_compensation(own.gravity_compensation));
        for joint in &model.joints[own.joints.clone()] {
            self.joint(place, joint.clone());
        }
        place
    }

    fn take_others(&mut self, model: &Model) {
        self.tendons.clone_from(&model.tendons);
        self.actuators.clone_from(&model.actuators);
        self.constraints.clone_from(&model.constraints);
        self.sites.clone_from(&model.sites);
        self.sensors.clone_from(&model.sensors);
    }

    /// The geometry of the remaining bodies.
    fn some_geometry_of(&mut self, model: &Model, places: &[Option<BodyId>]) {
        (self.touching.on, self.touching.parents) = (model.has_contact(), model.parents_touch());
        let mut geoms: Vec<Option<GeomId>> = Vec::new();
        for geom in model.geoms() {
            let place = places[geom.body.index()];
            geoms.push(place.map(|place| self.geom(place, Geom::clone(geom))));
        }
        for pair in model.contact_pairs() {
            if let [Some(a), Some(b)] = pair.geoms.map(|g| geoms[g.index()]) {
                self.contact_pair(ContactPair { geoms: [a, b], ..pair.clone() });
            }
        }
        for pair in model.contact_excludes() {
            if let [Some(a), Some(b)] = pair.map(|body| places[body.index()]) {
                self.exclude_contact(a, b);
            }
        }
    }
}
