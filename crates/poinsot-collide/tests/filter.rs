//! Which geoms may touch: every rule of MJCF, with what it says of welded bodies and of the world.
#![allow(clippy::unwrap_used)]

use poinsot_collide::pairs_that_may_touch;
use poinsot_core::algebra::V3;
use poinsot_core::model::*;

fn ball(name: &str) -> Geom {
    Geom::new(Shape::Sphere { radius: 0.1 }).named(name)
}

fn body(b: &mut ModelBuilder, parent: BodyId, name: &str, joint: Option<Joint>) -> BodyId {
    let id = b.body(parent, BodySpec::new(name).solid_geom(ball(name), 1.0).unwrap());
    if let Some(joint) = joint {
        b.joint(id, joint);
    }
    id
}

/// The pairs by name, in order.
fn pairs(b: ModelBuilder) -> Vec<String> {
    let model = b.build().unwrap();
    let name = |g: GeomId| model[g].name.clone();
    pairs_that_may_touch(&model).into_iter().map(|[g, h]| format!("{}-{}", name(g), name(h))).collect()
}

/// The world, a hinge a, on it a welded w, on that a hinge b, on that a hinge c; and d, welded to the world.
fn chain() -> (ModelBuilder, [BodyId; 5]) {
    let mut b = ModelBuilder::new("chain");
    b.geom(BodyId::WORLD, ball("ground"));
    let hinge = || Some(Joint::revolute(V3::Y));
    let a = body(&mut b, BodyId::WORLD, "a", hinge());
    let w = body(&mut b, a, "w", None);
    let c = body(&mut b, w, "b", hinge());
    let e = body(&mut b, c, "c", hinge());
    let d = body(&mut b, BodyId::WORLD, "d", None);
    (b, [a, w, c, e, d])
}

#[test]
fn parents_and_welded_bodies() {
    // a and w are one; b is the child of both; all touch the world and what is welded to it; the world does not touch itself
    let (b, _) = chain();
    let expected = ["ground-a", "ground-w", "ground-b", "ground-c", "a-c", "a-d", "w-c", "w-d", "b-d", "c-d"];
    assert_eq!(pairs(b), expected);
}

#[test]
fn parents_that_are_touched() {
    let (mut b, _) = chain();
    b.contact_with_parents(true);
    let expected = [
        "ground-a", "ground-w", "ground-b", "ground-c", "a-b", "a-c", "a-d", "w-b", "w-c", "w-d", "b-c",
        "b-d", "c-d",
    ];
    assert_eq!(pairs(b), expected);
}

#[test]
fn where_contact_is_switched_off_nothing_touches() {
    let (mut b, [a, ..]) = chain();
    let [g, h] = [a, BodyId::WORLD].map(|body| b.geom(body, ball("")));
    b.contact_pair(ContactPair::new(h, g)).contact(false);
    assert_eq!(pairs(b), Vec::<String>::new());
}

#[test]
fn excluded_bodies_are_the_very_bodies() {
    let (mut b, [a, _, _, c, d]) = chain();
    b.exclude_contact(c, a).exclude_contact(BodyId::WORLD, a).exclude_contact(c, d);
    let expected = ["ground-w", "ground-b", "ground-c", "a-d", "w-c", "w-d", "b-d"];
    assert_eq!(pairs(b), expected);
}

#[test]
fn pairs_given_by_name_touch_whatever_else_is_said() {
    let (mut b, [a, w, ..]) = chain();
    let [g, h] = [a, w].map(|body| b.geom(body, Geom::new(Shape::Sphere { radius: 0.1 }).filter(0, 0)));
    b.contact_pair(ContactPair::new(h, g)).exclude_contact(a, w);
    let found = pairs(b);
    assert_eq!(found.len(), 11);
    assert_eq!(found.last().unwrap(), "-");
}

#[test]
fn masks() {
    let mut b = ModelBuilder::new("masks");
    for (name, contype, conaffinity) in
        [("p", 1, 2), ("q", 2, 1), ("r", 4, 0), ("s", 0, 4), ("t", 1, 1), ("u", 0, 0)]
    {
        let spec = BodySpec::new(name).solid_geom(ball(name).filter(contype, conaffinity), 1.0).unwrap();
        let id = b.body(BodyId::WORLD, spec);
        b.joint(id, Joint::free());
    }
    assert_eq!(pairs(b), ["p-q", "p-t", "q-t", "r-s"]);
}

#[test]
fn several_joints_on_a_body_make_one_body() {
    let mut b = ModelBuilder::new("joints");
    let a = body(&mut b, BodyId::WORLD, "a", Some(Joint::revolute(V3::X)));
    b.joint(a, Joint::revolute(V3::Y));
    let c = body(&mut b, a, "b", Some(Joint::prismatic(V3::X)));
    b.joint(c, Joint::revolute(V3::Y));
    body(&mut b, c, "c", Some(Joint::new(JointKind::Fixed)));
    assert_eq!(pairs(b), Vec::<String>::new());
}

#[test]
fn what_is_only_seen_touches_nothing() {
    let mut b = ModelBuilder::new("visual");
    b.geom(BodyId::WORLD, ball("ground"));
    let a = body(&mut b, BodyId::WORLD, "a", Some(Joint::free()));
    b.geom(a, ball("seen").visual());
    assert_eq!(pairs(b), ["ground-a"]);
}
