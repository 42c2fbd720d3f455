//! Collisions.

use super::{STONE, Scene, SceneError, at, begin, cuboid, floor, free};
use crate::algebra::V3;
use crate::model::{BodyId, BodySpec, Geom, Joint, Material, ModelBuilder, Shape};
use crate::spatial::{Pose, exp_so3};
use crate::{Contact, Penalty};

fn ball(radius: f64, material: Material) -> Geom {
    Geom::new(Shape::Sphere { radius }).material(material)
}

/// A dark band around a ball, which shows how it turns.
fn band(radius: f64) -> Geom {
    let across = Pose { rot: exp_so3(V3::X * std::f64::consts::FRAC_PI_2), pos: V3::ZERO };
    let ring = Geom::new(Shape::Cylinder { radius: 1.01 * radius, length: 0.25 * radius });
    ring.pose(across).rgba([0.15, 0.15, 0.17, 1.0]).visual()
}

/// A frictionless material.
fn smooth(restitution: f64) -> Material {
    Material { restitution, condim: 1, ..Material::with_friction(0.0) }
}

/// Five balls fall a metre; they rebound with 0, 0.3, 0.5, 0.7 and all of their speed.
pub fn bounce() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("bounce");
    floor(&mut b, Material::default());
    for (k, restitution) in [0.0, 0.3, 0.5, 0.7, 1.0].into_iter().enumerate() {
        let skin = ball(0.1, Material { restitution, ..Material::default() });
        free(&mut b, &format!("ball_{restitution}"), skin, 1.0, at(0.4 * k as f64 - 0.8, 0.0, 1.1))?;
    }
    Ok(begin(b.build()?, 10.0, 2e-3))
}

/// Two balls in free space, of 1 and 2 kg, collide at 30°: e = 0.8, μ = 0.3.
pub fn oblique() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("oblique");
    b.gravity(V3::ZERO);
    let material = Material { restitution: 0.8, ..Material::with_friction(0.3) };
    let first = free(&mut b, "first", ball(0.1, material), 1.0, at(-1.0, 0.1, 0.0))?;
    let second = free(&mut b, "second", ball(0.1, material), 2.0, at(0.0, 0.0, 0.0))?;
    for body in [first, second] {
        b.geom(body, band(0.1));
    }
    Ok(begin(b.build()?, 10.0, 2e-3).thrown(first, V3::X * 1.0, V3::Z * 5.0))
}

/// Newton's cradle: five balls on strings that touch, the first released from 0.6 rad. They collide one after another.
pub fn cradle() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("cradle");
    for k in 0..5 {
        let name = format!("ball{}", k + 1);
        let spec =
            BodySpec::new(&name).at(V3::X * (0.2 * f64::from(k))).solid_geom(ball(0.1, smooth(1.0)), 1.0)?;
        let string = Geom::new(Shape::Capsule { radius: 0.004, length: 1.0 }).at(V3::Z * 0.5);
        let body = b.body(BodyId::WORLD, spec.geom(string.rgba(STONE).visual()));
        b.joint(body, Joint::revolute(-V3::Y).named(&name).anchor(V3::Z));
    }
    let mut scene = begin(b.build()?, 10.0, 1e-3);
    scene.state.q[0] = -0.6;
    if let Some(contact) = &mut scene.contact {
        contact.settings.impacts = crate::constraint::Impacts::Sequential;
    }
    Ok(scene)
}

/// The radius of a billiard ball, m.
const BILLIARD: f64 = 0.028_575;

/// A rack of fifteen balls is broken by a sixteenth at 6 m/s.
pub fn billiards() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("billiards");
    // the cloth determines friction: balls slide, then roll, then come to rest
    let cloth = Material { friction: [0.2, 0.0, 2e-4], condim: 6, priority: 1, ..Material::default() };
    let [long, wide, thick] = [2.24, 1.12, 0.1];
    b.geom(
        BodyId::WORLD,
        Geom::new(Shape::Plane { x: long, y: wide })
            .named("cloth")
            .material(cloth)
            .rgba([0.1, 0.45, 0.3, 1.0]),
    );
    let rubber = Material { restitution: 0.8, priority: 1, ..Material::with_friction(0.15) };
    for side in [-1.0, 1.0] {
        let ends = [
            (cuboid(thick, wide + 2.0 * thick, 0.05), V3::X * (0.5 * (long + thick) * side)),
            (cuboid(long, thick, 0.05), V3::Y * (0.5 * (wide + thick) * side)),
        ];
        for (rail, place) in ends {
            b.geom(
                BodyId::WORLD,
                rail.at(place + V3::Z * 0.025).material(rubber).rgba([0.35, 0.2, 0.1, 1.0]),
            );
        }
    }
    let ivory = Material { restitution: 0.95, ..Material::with_friction(0.05) };
    let cue = free(
        &mut b,
        "cue",
        ball(BILLIARD, ivory).rgba([0.95, 0.95, 0.9, 1.0]),
        0.17,
        at(-0.6, 0.004, BILLIARD),
    )?;
    // a gap of a tenth of a millimetre between them
    let pitch = 2.0 * BILLIARD + 1e-4;
    for row in 0..5 {
        for k in 0..=row {
            let (x, y) = (
                0.5 + 0.75f64.sqrt() * pitch * f64::from(row),
                pitch * (f64::from(k) - 0.5 * f64::from(row)),
            );
            free(
                &mut b,
                &format!("ball{}", row * (row + 1) / 2 + k + 1),
                ball(BILLIARD, ivory),
                0.17,
                at(x, y, BILLIARD),
            )?;
        }
    }
    Ok(begin(b.build()?, 10.0, 2e-3).thrown(cue, V3::X * 6.0, V3::ZERO))
}

/// A pellet of 1 g at 500 m/s, and a plate of 1 mm on a hinge.
pub fn shot() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("shot");
    let plate = cuboid(1e-3, 0.4, 0.4).material(smooth(0.3));
    let body = b.body(BodyId::WORLD, BodySpec::new("plate").at(V3::Z * 0.8).solid_geom(plate, 0.5)?);
    b.joint(body, Joint::revolute(-V3::Y).named("hinge").anchor(V3::Z * 0.2).damping(0.002));
    let pellet = free(&mut b, "pellet", ball(0.01, smooth(0.3)), 1e-3, at(-0.7, 0.0, 0.7))?;
    floor(&mut b, Material { restitution: 0.5, ..Material::default() });
    Ok(begin(b.build()?, 10.0, 2e-3).thrown(pellet, V3::X * 500.0, V3::ZERO))
}

/// Balls of 10 g, 1 kg and 100 kg, the heavier the larger, on contacts that are springs with dampers: all sink in by g T², a millimetre.
pub fn penalty() -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new("penalty");
    floor(&mut b, Material::default());
    for (x, radius, mass, name) in
        [(-0.4, 0.05, 0.01, "10_g"), (-0.1, 0.1, 1.0, "1_kg"), (0.35, 0.2, 100.0, "100_kg")]
    {
        free(&mut b, name, ball(radius, Material::default()), mass, at(x, 0.0, 0.3 + radius))?;
    }
    let scene = begin(b.build()?, 10.0, 2e-3);
    Ok(Scene { contact: Some(Contact { penalty: Some(Penalty::default()), ..Contact::default() }), ..scene })
}
