//! Motions on what they touch: ladders, sticks, spheres, discs, tops.

use super::bodies::*;
use poinsot::integrate::EventKind;
use poinsot::prelude::*;
use poinsot::spatial::exp_so3;

/// A uniform rod of length l in the x–z plane whose ends are points; its axis is the body's x.
fn rod(b: &mut ModelBuilder, m: f64, l: f64, at: Pose, ends: [bool; 2], material: Material) -> BodyId {
    let inertia = m * l * l / 12.0;
    let rod = heavy(b, "rod", m, [1e-3 * inertia, inertia, inertia], at);
    for (side, (there, name)) in [-0.5, 0.5].into_iter().zip(ends.into_iter().zip(["lower", "upper"])) {
        if there {
            point(b, rod, V3::X * (side * l), name, material);
        }
    }
    rod
}

fn turned(angle: f64) -> Pose {
    // about −y, so that x turns towards z
    Pose::rotation_vector(V3::Y * -angle)
}

/// The first event of a kind, and when.
fn first(s: &mut Simulation, kind: EventKind, latest: f64) -> f64 {
    while s.state().time < latest {
        s.step().unwrap();
        if let Some(event) = s.report().events.iter().find(|e| e.kind == kind) {
            return event.time;
        }
    }
    panic!("no {} before {latest} s", kind.word());
}

/// A ladder slides down a wall without friction, and leaves it at 2/3 of its height.
#[test]
fn a_ladder_leaves_the_wall() {
    for (l, angle) in [(3.0, 1.2217304763960307f64), (1.5, 1.0)] {
        let mut b = ModelBuilder::new("ladder");
        plane(&mut b, Pose::translation(V3::Z * -POINT), rubs(0.0));
        // the wall is x ≥ 0, its normal along +x
        let wall = Pose { rot: exp_so3(V3::Y * std::f64::consts::FRAC_PI_2), pos: V3::X * -POINT };
        b.geom(
            BodyId::WORLD,
            Geom::new(Shape::Plane { x: 0.0, y: 0.0 }).named("wall").pose(wall).material(rubs(0.0)),
        );
        let centre = V3::new(0.5 * l * angle.cos(), 0.0, 0.5 * l * angle.sin());
        // the lower end is away from the wall: the axis points up and towards it
        let up = Pose { rot: turned(std::f64::consts::PI - angle).rot, pos: centre };
        let ladder = rod(&mut b, 10.0, l, up, [true, true], rubs(0.0));
        let model = b.build().unwrap();
        let mut s = begin(&model, Method::Rkmk4, 2e-3, None);
        s.step().unwrap();
        let forces: Vec<f64> = s.contacts().iter().map(|c| c.impulse.norm() / 2e-3 / (10.0 * G)).collect();
        let released = first(&mut s, EventKind::Release, 3.0);
        // by the energy: ω² = 3 g (sin θ₀ − sin θ)/l, and the time is ∫ dθ/ω, with θ = θ₀ − u² to take the root away
        let end = (2.0 / 3.0 * angle.sin()).asin();
        let speed = |theta: f64| (3.0 * G / l * (angle.sin() - theta.sin())).sqrt();
        let n = 20_000;
        let top = (angle - end).sqrt();
        let inner = |u: f64| {
            if u == 0.0 { 2.0 / (3.0 * G / l * angle.cos()).sqrt() } else { 2.0 * u / speed(angle - u * u) }
        };
        let h = top / n as f64;
        let sum: f64 = (0..=n)
            .map(|k| {
                inner(k as f64 * h)
                    * if k == 0 || k == n {
                        1.0
                    } else if k % 2 == 1 {
                        4.0
                    } else {
                        2.0
                    }
            })
            .sum();
        near(released, sum * h / 3.0, 1e-9);
        assert_eq!(forces.len(), 2);
        // at first: floor 1 − ¾ cos²θ, wall ¾ sin θ cos θ; over the first step they hardly change
        let (floor, wall) = (1.0 - 0.75 * angle.cos().powi(2), 0.75 * angle.sin() * angle.cos());
        assert!(
            forces.iter().any(|f| (f - floor).abs() < 1e-4) && forces.iter().any(|f| (f - wall).abs() < 1e-4),
            "{forces:?}"
        );
        let v = s.at().velocity(ladder);
        assert!(v.lin.x > 0.0);
    }
}

/// A stick on a smooth floor falls; its centre does so on a vertical line.
#[test]
fn a_stick_falls_flat() {
    for (l, lean) in [(1.0, 0.17453292519943296f64), (0.6, 0.5)] {
        let mut b = ModelBuilder::new("stick");
        plane(&mut b, Pose::translation(V3::Z * -POINT), rubs(0.0));
        let at =
            Pose { rot: turned(std::f64::consts::FRAC_PI_2 - lean).rot, pos: V3::Z * (0.5 * l * lean.cos()) };
        let stick = rod(&mut b, 1.0, l, at, [true, true], rubs(0.0));
        let model = b.build().unwrap();
        let mut s = begin(&model, Method::Rkmk4, 1e-3, None);
        let flat = first(&mut s, EventKind::Impact, 3.0);
        // ½ (¼ sin²θ + 1/12) l² ω² = g l (cos θ₀ − cos θ)/2; with θ = θ₀ + u²
        let speed = |t: f64| (G / l * (lean.cos() - t.cos()) / (0.25 * t.sin().powi(2) + 1.0 / 12.0)).sqrt();
        let start = (G / l * lean.sin() / (0.25 * lean.sin().powi(2) + 1.0 / 12.0)).sqrt();
        let n = 20_000;
        let h = (std::f64::consts::FRAC_PI_2 - lean).sqrt() / n as f64;
        let inner = |u: f64| if u == 0.0 { 2.0 / start } else { 2.0 * u / speed(lean + u * u) };
        let sum: f64 = (0..=n)
            .map(|k| {
                inner(k as f64 * h)
                    * if k == 0 || k == n {
                        1.0
                    } else if k % 2 == 1 {
                        4.0
                    } else {
                        2.0
                    }
            })
            .sum();
        near(flat, sum * h / 3.0, 1e-9);
        let hit = s.report().collisions[0];
        // ω² = 3 g cos θ₀/l there, and the end falls with ω l
        near(hit.velocity[0].norm(), l * (3.0 * G * lean.cos() / l).sqrt(), 1e-8);
        near(s.at().pose(stick).pos.x, 0.0, 1e-10);
    }
}

/// The first touch of a rod that is thrown.
#[test]
fn a_thrown_rod_touches_down() {
    for (v, w) in [([3.0, 4.0], 5.0), ([1.0, 2.0], -7.0)] {
        let mut b = ModelBuilder::new("thrown");
        plane(&mut b, Pose::translation(V3::Z * -POINT), rubs(0.3));
        let rod = rod(&mut b, 1.0, 1.0, Pose::translation(V3::Z * 2.0), [true, true], rubs(0.3));
        let model = b.build().unwrap();
        let mut s = begin(&model, Method::Rkmk4, 5e-3, Some(vec![v[0], 0.0, v[1], 0.0, w, 0.0]));
        let touch = first(&mut s, EventKind::Impact, 3.0);
        let height = |t: f64| 2.0 + v[1] * t - 0.5 * G * t * t - 0.5 * (w * t).sin().abs();
        let (mut a, mut b) = (0.0, 0.0);
        while height(b) > 0.0 {
            (a, b) = (b, b + 1e-4);
        }
        for _ in 0..60 {
            let mid: f64 = 0.5 * (a + b);
            if height(mid) > 0.0 { a = mid } else { b = mid }
        }
        near(touch, a, 1e-10);
        near(s.report().collisions[0].point.position.z, -0.5 * POINT, POINT);
        assert!(s.at().pose(rod).pos.x > 0.0);
    }
}

/// A ball on a fixed ball leaves it where the normal force vanishes: sliding without friction, and rolling.
#[test]
fn a_ball_leaves_a_sphere() {
    for (mu, head) in [(0.0, 0.1), (0.0, 0.5), (1e9, 0.1), (1e9, 0.5)] {
        let (big, r) = (1.0, 0.25);
        let rho: f64 = big + r;
        let mut b = ModelBuilder::new("sphere");
        b.geom(BodyId::WORLD, Geom::new(Shape::Sphere { radius: big }).named("dome").material(rubs(mu)));
        let ball =
            free(&mut b, "ball", Shape::Sphere { radius: r }, 1.0, Pose::translation(V3::Z * rho), rubs(mu));
        let model = b.build().unwrap();
        let v0 = (head * G * rho).sqrt();
        let spin = if mu > 0.0 { v0 / r } else { 0.0 };
        let mut s = begin(&model, Method::Rkmk4, 1e-3, Some(vec![v0, 0.0, 0.0, 0.0, spin, 0.0]));
        let left = first(&mut s, EventKind::Release, 5.0);
        // where it was then: it has been falling since
        let since = s.state().time - left;
        let (pos, v) = (s.at().pose(ball).pos, linear(&s));
        let there = pos - v * since - V3::Z * (0.5 * G * since * since);
        let cos = if mu > 0.0 { (10.0 + 7.0 * head) / 17.0 } else { (2.0 + head) / 3.0 };
        near(there.z / rho, cos, 1e-8);
        near(there.norm(), rho, 1e-9);
    }
}

/// A thin disc that rolls on its rim, which is that of the lower cap of a cylinder above.
fn disc(m: f64, r: f64, at: Pose) -> Model {
    let mut b = ModelBuilder::new("disc");
    plane(&mut b, Pose::IDENTITY, rubs(100.0));
    let disc = heavy(&mut b, "disc", m, [0.25 * m * r * r, 0.25 * m * r * r, 0.5 * m * r * r], at);
    let thick = 0.01 * r;
    let cap = Geom::new(Shape::Cylinder { radius: r, length: thick }).named("disc");
    b.geom(disc, cap.pose(Pose::translation(V3::Z * (0.5 * thick))).material(rubs(100.0)));
    b.build().unwrap()
}

/// A disc that rolls and wobbles, compared with an integration of the rolling constraint to 1e-10.
#[test]
fn a_disc_rolls_and_wobbles() {
    let (m, r) = (0.5, 0.1);
    let rot = exp_so3(V3::X * 1.2);
    let w = V3::new(0.4, 1.5, 18.0);
    let at = Pose { rot, pos: V3::Z * (r * 1.2f64.sin()) };
    let model = disc(m, r, at);
    // rolls: the point below has no velocity; it is the lowest of the rim
    let axis = rot * V3::Z;
    let down = axis * axis.z - V3::Z;
    let down = down * (1.0 / down.norm());
    let v = (rot * w).cross(down * -r);
    let mut s = begin(&model, Method::Adaptive, 5e-3, Some(vec![v.x, v.y, v.z, w.x, w.y, w.z]));
    let states = [
        (0.25, [-0.43916372037866386, 0.08978707662142522, 0.09305605628507964]),
        (0.5, [-0.7962227927473859, 0.3609499209710345, 0.09206314048290926]),
        (1.0, [-1.0121122938306615, 1.2089327625467678, 0.08833281937448055]),
    ];
    for (time, com) in states {
        run_to(&mut s, time, 5e-3);
        for k in 0..3 {
            near(s.state().q[k], com[k], 2e-9);
        }
    }
    near(s.energy(), 1.6740714216669246, 1e-9);
}

/// Euler's disc: its centre stays where it is, and its inclination, too.
#[test]
fn eulers_disc_keeps_its_inclination() {
    // the point below goes round the rim the faster, the flatter the disc lies
    for (degrees, r) in [(60.0f64, 0.0381), (30.0, 0.0381), (10.0, 0.05), (3.0, 0.0381), (1.0, 0.0381)] {
        let alpha = degrees.to_radians();
        let rate = (4.0 * G / r / alpha.sin()).sqrt();
        let rot = exp_so3(V3::X * alpha);
        let model = disc(0.4, r, Pose { rot, pos: V3::Z * (r * alpha.sin()) });
        // the centre rests, and so does the point below: ω is along the line between them, with Ω sin α
        let axis = rot * V3::Z;
        let down = axis * axis.z - V3::Z;
        let line = down * (1.0 / down.norm());
        let w = rot.tr_mul(line * (rate * alpha.sin() * if line.z < 0.0 { -1.0 } else { 1.0 }));
        let mut s = begin(&model, Method::Adaptive, 5e-3, Some(vec![0.0, 0.0, 0.0, w.x, w.y, w.z]));
        let energy = s.energy();
        s.run(60, 5e-3).unwrap();
        let pose = s.at().pose(model.body("disc").unwrap());
        near((pose.rot * V3::Z).z.acos(), alpha, 1e-10);
        near(pose.pos.x.hypot(pose.pos.y), 0.0, 1e-9 * r);
        near(s.energy() / energy, 1.0, 1e-9);
    }
}

/// A disc of some thickness that begins with the spin of a thin one slips at first. Friction without bound ends that at once, as great
/// friction does.
#[test]
fn a_disc_that_slips_at_first() {
    let (m, r) = (0.4, 0.0381);
    for degrees in [60.0f64, 30.0, 10.0, 3.0] {
        let alpha = degrees.to_radians();
        let rate = (4.0 * G / r / alpha.sin()).sqrt();
        let rot = exp_so3(V3::X * alpha);
        let thick = 0.01 * r;
        let after = |mu: f64| {
            let mut b = ModelBuilder::new("disc");
            plane(&mut b, Pose::IDENTITY, rubs(mu));
            let at = Pose { rot, pos: V3::Z * (r * alpha.sin() + 0.5 * thick * alpha.cos()) };
            let disc = heavy(&mut b, "disc", m, [0.25, 0.25, 0.5].map(|i| i * m * r * r), at);
            let rim = Geom::new(Shape::Cylinder { radius: r, length: thick }).named("disc");
            b.geom(disc, rim.material(rubs(mu)));
            let model = b.build().unwrap();
            let w = rot.tr_mul(V3::new(0.0, -alpha.cos(), -alpha.sin()) * (rate * alpha.sin()));
            let mut s = begin(&model, Method::Adaptive, 1e-3, Some(vec![0.0, 0.0, 0.0, w.x, w.y, w.z]));
            let energy = s.energy();
            run_to(&mut s, 0.05, 1e-3);
            (s.at().pose(disc).rot * V3::Z, s.energy() / energy)
        };
        let ((axis, kept), (great, _)) = (after(1e9), after(1e3));
        assert!((axis - great).norm() < 1e-4, "{degrees}: {axis:?} {great:?}");
        assert!(kept < 1.0 && kept > 0.999, "{degrees}: {kept}");
    }
}

/// Any friction at the one point below a tippe top keeps Jellett's integral; energy falls, and the top rises.
#[test]
fn a_tippe_top_keeps_jelletts_integral() {
    let (r, a, m, i1, i3) = (0.02, 0.004, 0.015, 2.4e-6, 2.2e-6);
    for (mu, spin) in [(0.3, 150.0), (0.1, 200.0)] {
        let theta: f64 = 0.1;
        let mut b = ModelBuilder::new("tippe top");
        plane(&mut b, Pose::IDENTITY, rubs(mu));
        let rot = exp_so3(V3::X * theta);
        let axis = rot * V3::Z;
        let at = Pose { rot, pos: V3::Z * r - axis * a };
        let top = heavy(&mut b, "top", m, [i1, i1, i3], at);
        b.geom(
            top,
            Geom::new(Shape::Sphere { radius: r })
                .named("base")
                .pose(Pose::translation(V3::Z * a))
                .material(rubs(mu)),
        );
        let model = b.build().unwrap();
        let mut s = begin(&model, Method::Rkmk4, 1e-4, Some(vec![0.0, 0.0, 0.0, 0.0, 0.0, spin]));
        let jellett = |s: &mut Simulation| {
            let (pose, w) = (s.at().pose(top), s.at().velocity(top).ang);
            let own = pose.rot.tr_mul(w);
            let l = pose.rot * V3::new(i1 * own.x, i1 * own.y, i3 * own.z);
            let to_contact = pose.rot * V3::Z * a - V3::Z * r;
            -l.dot(to_contact)
        };
        let exact = i3 * spin * (r * theta.cos() - a);
        near(jellett(&mut s), exact, 1e-15);
        let mut energy = s.energy();
        for _ in 0..5 {
            s.run(100, 1e-4).unwrap();
            near(jellett(&mut s) / exact, 1.0, 1e-9);
            let now = s.energy();
            assert!(now < energy + 1e-12);
            energy = now;
        }
    }
}

/// Painlevé's rod: a force, an impact without a collision, or two answers.
#[test]
fn painleves_rod() {
    let (l, third) = (0.5f64, std::f64::consts::FRAC_PI_3);
    for (angle, mu, turning, verdict) in [
        (std::f64::consts::FRAC_PI_6, 0.5, 0.0, "contact"),
        (1.1071487177940904, 1.2, 0.0, "contact"),
        (third, 1.6, 0.0, "jam"),
        (1.2, 1.9, 0.0, "jam"),
        (third, 1.6, 5.0, "two"),
    ] {
        let mut b = ModelBuilder::new("painleve");
        plane(&mut b, Pose::translation(V3::Z * -POINT), rubs(mu));
        let at = Pose { rot: turned(angle).rot, pos: V3::new(l * angle.cos(), 0.0, l * angle.sin()) };
        let rod = rod(&mut b, 1.0, 2.0 * l, at, [true, false], rubs(mu));
        let model = b.build().unwrap();
        // the end at −l (cos, sin) slides with −1 along x, and has no velocity along z; θ̇ is about −y
        let end = V3::new(-l * angle.cos(), 0.0, -l * angle.sin());
        let omega = V3::Y * -turning;
        let v = V3::new(-1.0, 0.0, 0.0) - omega.cross(end);
        let mut s = begin(&model, Method::Rkmk4, 1e-4, Some(vec![v.x, v.y, v.z, 0.0, -turning, 0.0]));
        s.run(1, 1e-6).unwrap();
        let (sin, cos) = angle.sin_cos();
        let (own, free) = (1.0 + 3.0 * cos * cos - 3.0 * mu * sin * cos, -G + l * turning * turning * sin);
        let certificate = s.report().certificate.unwrap();
        let jams = s.report().events.iter().filter(|e| e.kind == EventKind::Jam).count();
        match verdict {
            "contact" => {
                near(s.contacts()[0].impulse.z / 1e-6, -free / own, 1e-3);
                assert_eq!((certificate.status.word(), jams), ("solved", 0));
            }
            "jam" => {
                assert_eq!(jams, 1);
                // the impulse that stops a slip of 1 m/s, and its work
                let (pt, pn) = (0.25 * (1.0 + 3.0 * cos * cos), 0.75 * sin * cos);
                let p = s.contacts().iter().fold(V3::ZERO, |sum, c| sum + c.impulse);
                near(p.x, pt, 1e-4);
                near(p.z, pn, 1e-4);
                let velocity = s.at().velocity(rod);
                let slip = velocity.lin + velocity.ang.cross(end);
                assert!(slip.norm() < 1e-4, "{slip:?}");
            }
            _ => {
                assert_eq!((certificate.status.word(), jams), ("not unique", 0));
                assert!(s.contacts().iter().all(|c| c.impulse.norm() < 1e-12));
            }
        }
        let total = s.ledger().unwrap().total();
        assert!(total.work(Line::Integration).abs() < 1e-8, "{verdict}: {:e}", total.work(Line::Integration));
    }
}
