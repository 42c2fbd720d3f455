//! Piles and stacks.

use super::{STONE, Scene, SceneError, at, begin, cuboid, floor, free};
use crate::algebra::V3;
use crate::model::{BodyId, Geom, Material, ModelBuilder, Shape};
use crate::spatial::{Pose, exp_so3};

/// The edge of a box, m.
const EDGE: f64 = 0.2;

/// A pyramid with `base` boxes in its lowest row, with small gaps between them.
pub fn pyramid(base: usize) -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new(format!("pyramid, {base}"));
    floor(&mut b, Material::default());
    for row in 0..base {
        for k in 0..base - row {
            let x = 0.22 * (k as f64 - 0.5 * (base - row - 1) as f64);
            let place = at(x, 0.0, EDGE * (row as f64 + 0.5));
            free(&mut b, &format!("box{}_{}", row + 1, k + 1), cuboid(EDGE, EDGE, EDGE), 1.0, place)?;
        }
    }
    Ok(begin(b.build()?, 10.0, 5e-3))
}

/// A wall of `rows` courses, five bricks wide, in running bond; every other course ends in half bricks.
pub fn wall(rows: usize) -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new(format!("wall, {rows}"));
    floor(&mut b, Material::default());
    let whole = |x: f64| (x, 0.4);
    for row in 0..rows {
        let course: Vec<(f64, f64)> = match row % 2 {
            0 => (-2..=2).map(|k| whole(0.41 * f64::from(k))).collect(),
            _ => [(-0.9225, 0.195), (0.9225, 0.195)]
                .into_iter()
                .chain((-2..2).map(|k| whole(0.41 * (f64::from(k) + 0.5))))
                .collect(),
        };
        for (k, (x, length)) in course.into_iter().enumerate() {
            let (name, place) =
                (format!("brick{}_{}", row + 1, k + 1), at(x, 0.0, EDGE * (row as f64 + 0.5)));
            free(&mut b, &name, cuboid(length, 0.2, EDGE), 5.0 * length, place)?;
        }
    }
    Ok(begin(b.build()?, 10.0, 5e-3))
}

/// Ten boxes on top of one another, the top one `ratio` times as heavy as the others.
pub fn mass_ratio(ratio: usize) -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new(format!("stack, 1 : {ratio}"));
    floor(&mut b, Material::default());
    for k in 0..10 {
        let mass = if k == 9 { ratio as f64 } else { 1.0 };
        let (name, place) = (format!("box{}", k + 1), at(0.0, 0.0, EDGE * (f64::from(k) + 0.5)));
        free(&mut b, &name, cuboid(EDGE, EDGE, EDGE), mass, place)?;
    }
    Ok(begin(b.build()?, 10.0, 1.0 / 60.0))
}

/// `count` dominoes in a row, the first of which is pushed.
pub fn dominoes(count: usize) -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new(format!("dominoes, {count}"));
    floor(&mut b, Material { priority: 1, ..Material::with_friction(0.9) });
    let mut first = None;
    for k in 0..count {
        let x = 0.12 * (k as f64 - 0.5 * (count as f64 - 1.0));
        let stone = cuboid(0.04, 0.2, 0.4).material(Material::with_friction(0.2));
        let body = free(&mut b, &format!("domino{}", k + 1), stone, 1.0, at(x, 0.0, 0.2))?;
        first.get_or_insert(body);
    }
    let scene = begin(b.build()?, 10.0, 2e-3);
    // rotated about its lower edge
    let turn = V3::Y * 2.5;
    Ok(match first {
        Some(body) => scene.thrown(body, turn.cross(V3::new(-0.02, 0.0, 0.2)), turn),
        None => scene,
    })
}

/// `count` boxes, balls, capsules, cylinders and ellipsoids fall into a pit.
pub fn pit(count: usize) -> Result<Scene, SceneError> {
    let mut b = ModelBuilder::new(format!("pit, {count}"));
    let material = Material::with_friction(0.6);
    floor(&mut b, material);
    // wide enough for five layers
    let side = (count as f64 / 5.0).sqrt().ceil().max(2.0);
    let (inner, high) = (0.25 * side, 0.6);
    for sign in [-1.0, 1.0] {
        let across = sign * (0.5 * inner + 0.05);
        for (wall, x, y) in
            [(cuboid(0.1, inner + 0.2, high), across, 0.0), (cuboid(inner, 0.1, high), 0.0, across)]
        {
            let [r, g, blue, _] = STONE;
            let wall = wall.at(V3::new(x, y, 0.5 * high)).material(material).rgba([r, g, blue, 0.35]);
            b.geom(BodyId::WORLD, wall);
        }
    }
    let each = (side * side) as usize;
    for k in 0..count {
        let (layer, place) = (k / each, k % each);
        let (row, column) = ((place as f64 / side).floor(), place as f64 % side);
        let pos = V3::new(column - 0.5 * (side - 1.0), row - 0.5 * (side - 1.0), 0.8 + layer as f64) * 0.24;
        // multiples of the golden ratio vary the orientations
        let turn = |n: f64| 3.0 * (0.618_033_988_749_894_9 * n * (k + 1) as f64).fract();
        let pose = Pose { rot: exp_so3(V3::new(turn(1.0), turn(2.0), turn(3.0))), pos };
        let geom = Geom::new(mixed(k)).material(material);
        free(&mut b, &format!("thing{}", k + 1), geom, 1.0, pose)?;
    }
    Ok(begin(b.build()?, 10.0, 5e-3))
}

fn mixed(k: usize) -> Shape {
    match k % 5 {
        0 => Shape::Box { size: V3::new(0.16, 0.12, 0.1) },
        1 => Shape::Sphere { radius: 0.08 },
        2 => Shape::Capsule { radius: 0.05, length: 0.1 },
        3 => Shape::Cylinder { radius: 0.06, length: 0.14 },
        _ => Shape::Ellipsoid { radii: V3::new(0.09, 0.07, 0.05) },
    }
}
