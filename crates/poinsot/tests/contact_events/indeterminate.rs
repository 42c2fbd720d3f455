//! Supports that share a load in more than one way, the beginning of a slip, and rolling friction.

use super::bodies::*;
use poinsot::formats::load_text;
use poinsot::integrate::{EventKind, Fallback};
use poinsot::prelude::*;

fn scene(mu: f64, world: &str, bodies: &str) -> Model {
    let text = format!(
        r#"<mujoco><default><geom friction="{mu} 0 0"/></default><worldbody>
           <geom type="plane" size="0 0 1"/>{world}{bodies}</worldbody></mujoco>"#
    );
    load_text("m.xml", &text, &Default::default()).expect("a model").model
}

const WALL: &str = r#"<geom type="plane" size="0 0 1" euler="0 90 0"/>"#;

fn ladder(degrees: f64, mu: f64) -> Model {
    let (length, radius, angle) = (2.2, 0.02, degrees.to_radians());
    let (x, z) = (radius + 0.5 * length * angle.cos(), radius + 0.5 * length * angle.sin());
    let body = format!(
        r#"<body pos="{x} 0 {z}" euler="0 {} 0"><freejoint/><geom type="capsule" size="{radius} {}" mass="3.3"/></body>"#,
        degrees - 90.0,
        0.5 * length
    );
    scene(mu, WALL, &body)
}

fn channel() -> Model {
    let (mu, high) = (0.4, 0.1 + (0.04f64 - 0.0144).sqrt());
    let balls = format!(
        r#"<body pos=".1 0 .1"><freejoint/><geom size=".1" mass="1"/></body>
           <body pos=".22 0 {high}"><freejoint/><geom size=".1" mass="3"/></body>"#
    );
    let walls = format!(r#"{WALL}<geom type="plane" size="0 0 1" pos=".32 0 0" euler="0 -90 0"/>"#);
    scene(mu, &walls, &balls)
}

fn leaning_box() -> Model {
    let (width, height, lean) = (0.2, 0.8, 15f64.to_radians());
    let turned = |x: f64, z: f64| (x * lean.cos() - z * lean.sin(), x * lean.sin() + z * lean.cos());
    let corners = [(-0.1, -0.4), (0.1, -0.4), (-0.1, 0.4), (0.1, 0.4)].map(|(x, z)| turned(x, z));
    let (x, z) = corners.iter().fold((f64::INFINITY, f64::INFINITY), |(a, b), (x, z)| (a.min(*x), b.min(*z)));
    let body = format!(
        r#"<body pos="{} 0 {}" euler="0 -15 0"><freejoint/><geom type="box" size="{} .1 {}" mass="2"/></body>"#,
        -x,
        -z,
        0.5 * width,
        0.5 * height
    );
    scene(0.5, WALL, &body)
}

/// Where forces are not unique, those reported push, stay within their cones and hold the bodies, and the certificate is theirs.
#[test]
fn supports_share_a_load_within_their_cones() {
    let cases = [
        ("ladder", ladder(70.0, 0.5), 0.5, 3.3),
        ("rough ladder", ladder(50.0, 2.0), 2.0, 3.3),
        ("box", leaning_box(), 0.5, 2.0),
        ("channel", channel(), 0.4, 4.0),
    ];
    for (name, model, mu, mass) in cases {
        for method in [Method::Adaptive, Method::Rkmk4, Method::Midpoint] {
            let dt = 0.02;
            let mut s = begin(&model, method, dt, None);
            s.run(5, dt).unwrap();
            let (mut outside, mut largest, mut held) = (0.0f64, 0.0f64, V3::ZERO);
            for c in s.contacts() {
                let f = c.impulse * (1.0 / dt);
                let push = f.dot(c.point.normal);
                let rub = (f - c.point.normal * push).norm();
                outside = outside.max(-push).max(rub - mu * push);
                largest = largest.max(f.norm());
                if c.point.bodies[0] == BodyId::WORLD {
                    held += f;
                }
            }
            assert!(outside <= 1e-9 * largest, "{name}, {method:?}: {outside} N outside the cone");
            near(held.x.abs() + held.y.abs() + (held.z - mass * G).abs(), 0.0, 1e-9 * largest);
            let found = s.report().certificate.unwrap();
            assert_eq!(found.status.word(), "not unique", "{name}, {method:?}");
            assert!(found.cone <= 1e-9 * largest && found.residual < 1e-9, "{name}: {found:?}");
            assert!(s.state().v.iter().all(|v| v.abs() < 1e-12), "{name}: {:?}", s.state().v);
            assert_eq!(s.tally().steps(Fallback::Accumulated), 0, "{name}, {method:?}");
        }
    }
}

/// A pencil that tips sticks until friction leaves its cone: an event.
#[test]
fn the_beginning_of_a_slip_is_an_event() {
    let (length, radius, mu, lean) = (1.0, 0.01, 0.28, 8f64.to_radians());
    let half: f64 = 0.5 * length;
    let inertia = length * length / 12.0;
    let body = format!(
        r#"<body pos="{} 0 {}" euler="0 8 0"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="{inertia} {inertia} 1e-4"/>
           <geom type="capsule" size="{radius} {half}"/></body>"#,
        half * lean.sin(),
        radius + half * lean.cos()
    );
    let model = scene(mu, "", &body);
    for method in [Method::Adaptive, Method::Rkmk4] {
        let mut s = begin(&model, method, 0.01, None);
        let mut slips = Vec::new();
        for _ in 0..50 {
            s.run(1, 0.01).unwrap();
            slips.extend(s.events().into_iter().filter(|e| e.kind == EventKind::Slip).map(|e| e.time));
        }
        assert_eq!((slips.len(), s.tally().number(EventKind::Slip)), (1, 1), "{slips:?}");
        near(slips[0], 0.44660, 1e-5);
    }
}

/// A ball that rolls slows down by rolling friction, which shares its cone with a little slip.
#[test]
fn rolling_friction_slows_a_ball() {
    let (radius, mass, mu, rolls, v0) = (0.1, 2.0, 0.5, 2e-3, 0.5);
    let geom = format!(r#"friction="{mu} 0.004 {rolls}" condim="6""#);
    let text = format!(
        r#"<mujoco><worldbody><geom type="plane" size="0 0 1" {geom}/>
           <body pos="0 0 {radius}"><freejoint/><geom size="{radius}" mass="{mass}" {geom}/></body></worldbody></mujoco>"#
    );
    let model = load_text("m.xml", &text, &Default::default()).expect("a model").model;
    // the elliptic cone: friction μ² s/d and moment μ_r² ω/d per unit of normal force, where d² = (μ s)² + (μ_r ω)²
    let inertia = 0.4 * mass * radius * radius;
    let rate = |[v, w]: [f64; 2]| {
        let s = v - radius * w;
        let d = (mu * s).hypot(rolls * w);
        let (f, m) = (-mass * G * mu * mu * s / d, -mass * G * rolls * rolls * w / d);
        [f / mass, (m - radius * f) / inertia]
    };
    let along = |y: [f64; 2], k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    let (mut y, h, time) = ([v0, v0 / radius], 1e-5, 1.0);
    for _ in 0..100_000 {
        let k1 = rate(y);
        let k2 = rate(along(y, k1, 0.5 * h));
        let k3 = rate(along(y, k2, 0.5 * h));
        let k4 = rate(along(y, k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    for dt in [0.05, 0.01] {
        let mut s = begin(&model, Method::Adaptive, dt, Some(vec![v0, 0.0, 0.0, 0.0, v0 / radius, 0.0]));
        s.run((time / dt).round() as usize, dt).unwrap();
        near(s.state().v[0], y[0], 1e-9);
        near(s.state().v[4], y[1], 1e-8);
        assert_eq!(s.tally().steps(Fallback::Accumulated), 0);
    }
}
