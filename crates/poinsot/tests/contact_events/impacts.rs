//! Impacts.

use super::bodies::*;
use poinsot::integrate::{EventKind, Fallback};
use poinsot::prelude::*;

/// Times of the first impacts, and rest after their accumulation.
#[test]
fn a_ball_bounces_to_rest() {
    for (gap, e, dt) in [(1.0, 0.8, 0.01), (0.3, 0.6, 2e-3), (2.0, 0.9, 0.02)] {
        let mut b = ModelBuilder::new("ball");
        plane(&mut b, Pose::IDENTITY, bounces(e));
        let ball = free(
            &mut b,
            "ball",
            Shape::Sphere { radius: 0.1 },
            1.0,
            Pose::translation(V3::Z * (0.1 + gap)),
            bounces(e),
        );
        let model = b.build().unwrap();
        let mut s = begin(&model, Method::Rkmk4, dt, None);
        let fall = (2.0 * gap / G).sqrt();
        let zeno = fall * (1.0 + 2.0 * e / (1.0 - e));
        let mut exact = fall;
        run_to(&mut s, zeno - 0.05, dt);
        let impacts = s.tally().number(EventKind::Impact);
        assert!(impacts > 3);
        let mut s = begin(&model, Method::Rkmk4, dt, None);
        let mut events = Vec::new();
        while s.state().time < zeno + 0.1 {
            s.step().unwrap();
            events.extend(s.report().events.iter().filter(|e| e.kind == EventKind::Impact).map(|e| e.time));
        }
        for (n, time) in events.iter().take(12).enumerate() {
            near(*time, exact, 1e-11);
            exact += 2.0 * fall * e.powi(n as i32 + 1);
        }
        near(*events.last().unwrap(), zeno, 4e-6 / (1.0 - e));
        near(s.at().pose(ball).pos.z, 0.1, 1e-12);
        assert!(s.state().v.iter().all(|v| v.abs() < 1e-12));
        assert_eq!(s.tally().steps(Fallback::Accumulated), 0);
        let total = s.ledger().unwrap().total();
        near(total.work(Line::Contact), -G * gap, 1e-9);
        assert!(total.work(Line::Integration).abs() < 1e-9, "{:e}", total.work(Line::Integration));
    }
}
