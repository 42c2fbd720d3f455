//! Geoms, contact pairs and excluded bodies.

use crate::description::{Description, Geom};
use poinsot_core::model::{self, BodyId, GeomId, ModelBuilder};
use std::collections::{HashMap, HashSet};

/// Adds all geometry. Returns the geoms in the order of [`Description::geoms`].
pub(super) fn add(builder: &mut ModelBuilder, description: &Description, bodies: &[BodyId]) -> Vec<GeomId> {
    let options = &description.options;
    builder.contact(!options.no_contact()).contact_with_parents(options.is_disabled("filterparent"));
    let (mut names, mut all) = (Names::default(), Vec::new());
    let mut by_name: HashMap<&str, GeomId> = HashMap::new();
    for (body, geom) in description.geoms() {
        let mut made = geom.geom.clone();
        made.name = names.fresh(&made.name);
        made.rgba = Some(colour(description, geom));
        made.material.margin = options.contact_margin.unwrap_or(made.material.margin);
        if let Some([slide, _, twist, roll, _]) = options.contact_friction {
            made.material.friction = [slide, twist, roll];
        }
        let id = builder.geom(bodies[body], made);
        all.push(id);
        by_name.entry(&geom.geom.name).or_insert(id);
    }
    for pair in &description.pairs {
        let (Some(a), Some(b)) = (by_name.get(&*pair.geom1), by_name.get(&*pair.geom2)) else { continue };
        let mut made = model::ContactPair::new(*a, *b);
        made.name.clone_from(&pair.name);
        (made.condim, made.friction) = (pair.condim, options.contact_friction.or(pair.friction));
        (made.margin, made.gap, made.solver) =
            (options.contact_margin.or(pair.margin), pair.gap, pair.solver);
        builder.contact_pair(made);
    }
    for exclude in &description.excludes {
        builder.exclude_contact(bodies[exclude.body1], bodies[exclude.body2]);
    }
    all
}

/// Names of geoms in a model differ; those of a URDF need not.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
}

impl Names {
    fn fresh(&mut self, given: &str) -> String {
        let mut name = given.to_string();
        while !name.is_empty() && !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// The colour of a geom, or the mean colour of the pattern on it.
fn colour(description: &Description, geom: &Geom) -> [f64; 4] {
    let own = geom.geom.rgba.unwrap_or(Geom::GREY);
    let material = geom.material.and_then(|m| description.materials.get(m));
    let texture = material.and_then(|m| m.texture).and_then(|t| description.textures.get(t));
    match (material, texture) {
        (Some(material), Some(t)) if own == material.rgba && t.builtin != "none" => {
            let mean = |k: usize| 0.5 * (t.rgb1[k] + t.rgb2[k]) * own[k];
            [mean(0), mean(1), mean(2), own[3]]
        }
        _ => own,
    }
}
