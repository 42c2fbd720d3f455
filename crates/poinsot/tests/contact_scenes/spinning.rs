use super::common::{G, begin, body, run, scene};
use poinsot::prelude::*;

/// The disc precesses as its steady motion has it, the better the shorter the step.
#[test]
fn eulers_disk_precesses() {
    let mut errors = Vec::new();
    for dt in [2e-4, 1e-4] {
        let mut scene = scene("euler-disk");
        scene.dt = dt;
        let mut s = begin(&scene);
        let disk = body(&scene, "disk");
        let begin = s.at().pose(disk).rot.z;
        run(&mut s, 0.02);
        let now = s.at().pose(disk).rot.z;
        let angle = begin.x.mul_add(now.y, -begin.y * now.x).atan2(begin.x * now.x + begin.y * now.y);
        let inertia = scene.model[disk].inertia.about_com();
        let (r, t, (sin, cos)) = (0.075, 0.0127, 0.35f64.sin_cos());
        let weight = G * (r * cos - 0.5 * t * sin);
        let exact = (weight / (sin * (inertia.xx * cos - inertia.zz * t * sin / (2.0 * r)))).sqrt();
        errors.push((angle / 0.02 / exact - 1.0).abs());
    }
    assert!(errors[1] < 1e-3 && errors[1] < 0.7 * errors[0], "{errors:?}");
}

/// Jellett's integral, the angular momentum times the way from the centre of mass to the floor, is kept whatever friction does;
/// and the top turns over.
#[test]
fn a_tippe_top_turns_over_and_keeps_jelletts_integral() {
    let scene = scene("tippe-top");
    let top = body(&scene, "top");
    let integral = |s: &mut Simulation| {
        let (pose, velocity, inertia) = (s.at().pose(top), s.at().velocity(top), scene.model[top].inertia);
        let moments = inertia.about_com().rotated(pose.rot);
        let spin = moments.full() * velocity.ang;
        let centre = pose.point(inertia.com());
        spin.dot(V3::new(pose.pos.x, pose.pos.y, 0.0) - centre)
    };
    let mut s = begin(&scene);
    let (start, mut off) = (integral(&mut s), 0.0f64);
    for _ in 0..30 {
        let until = s.state().time + 0.1;
        run(&mut s, until);
        off = off.max((integral(&mut s) / start - 1.0).abs());
    }
    assert!(off < 2e-3, "{off}");
    assert!(s.at().pose(top).rot.z.z < -0.9, "{}", s.at().pose(top).rot.z.z);
    assert!(
        s.at().pose(top).point(scene.model[top].inertia.com()).z > 0.0235,
        "its centre of mass has risen"
    );
}

/// Spun the wrong way a rattleback turns back; the other way it goes on.
#[test]
fn a_rattleback_turns_back() {
    let scene = scene("rattleback");
    let celt = body(&scene, "celt");
    let end = |sign: f64| {
        let mut other = scene.clone();
        other.state.v[5] *= sign;
        let mut s = begin(&other);
        run(&mut s, 10.0);
        sign * s.at().velocity(celt).ang.z
    };
    let (wrong, right) = (end(1.0), end(-1.0));
    assert!(wrong < -0.5 && right > 4.0, "{wrong} {right}");
}
