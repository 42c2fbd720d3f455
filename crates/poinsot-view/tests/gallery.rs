//! Every exhibit holds together: what instruments declare they read, and what is seen is finite.
#![allow(clippy::unwrap_used)]

use poinsot::Simulation;
use poinsot::integrate::Method;
use poinsot::scenes::SCENES;
use poinsot_view::cast::Show;
use poinsot_view::gallery::{self, EXHIBITS};
use poinsot_view::projector::Now;
use poinsot_view::show::Frame;
use poinsot_view::thumbnail;

/// Frames of a show at its beginning and after some steps.
fn frames(show: Show) -> (poinsot_view::show::Scenery, Vec<Frame>) {
    let (mut projector, roles) = show.begin();
    let mut simulations: Vec<_> = roles.iter().map(|role| role.simulation().unwrap()).collect();
    let mut all = Vec::new();
    for _ in 0..4 {
        let now: Vec<Now> =
            simulations.iter().map(|s| Now { state: s.state(), control: s.control() }).collect();
        let mut frame = Frame::default();
        projector.project(&now, &mut frame);
        all.push(frame);
        simulations.iter_mut().zip(&roles).for_each(|(s, role)| s.advance(5, role.dt).unwrap());
    }
    (projector.scenery().clone(), all)
}

fn check(name: &str, make: impl Fn() -> Show) {
    let (scenery, frames) = frames(make());
    let plotted = make().live().begin().0;
    for frame in frames {
        let counts = [
            (frame.poses.len(), scenery.bodies.len(), "bodies"),
            (frame.arrows.len(), scenery.arrows.len(), "arrows"),
            (frame.traces.len(), scenery.traces.len(), "traces"),
            (frame.solids.len(), scenery.solids.len(), "solids"),
            (frame.channels.len(), scenery.channels.len(), "channels"),
        ];
        for (read, declared, what) in counts {
            assert_eq!(read, declared, "{name}: {what}");
        }
        assert!(frame.poses.as_flattened().iter().all(|x| x.is_finite()), "{name}");
        assert!(frame.channels.iter().all(|x| x.is_finite()), "{name}");
        let unit = |q: &[f32; 7]| (q[3..].iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5;
        assert!(frame.poses.iter().all(unit), "{name}");
    }
    for group in &scenery.plots {
        let mut live = plotted.scenery().channels.iter();
        assert!(live.any(|c| c.group == *group), "{name}: there is no group \"{group}\"");
    }
    for joint in scenery.joints.iter().filter(|j| j.channel.is_some()) {
        let channel = &scenery.channels[joint.channel.unwrap()];
        assert!(channel.name.starts_with(&joint.name) && channel.track == joint.track, "{name}: {channel:?}");
    }
    assert!(scenery.parts.iter().any(|p| p.layer == "visual"), "{name} is seen");
}

#[test]
fn every_exhibit_and_every_scene_is_shown() {
    for exhibit in &EXHIBITS {
        check(exhibit.name, || exhibit.show().unwrap());
        for words in [exhibit.title, exhibit.physics, exhibit.try_this, exhibit.watch] {
            assert!(words.len() > 8 && !words.contains("  "), "{}: {words:?}", exhibit.name);
        }
    }
    for (name, _) in SCENES {
        let name = name.replace(":N", ":12");
        check(&name, || gallery::by_name(&name).unwrap());
    }
}

#[test]
fn scenes_are_driven_as_they_say() {
    for (name, _) in SCENES {
        let name = name.replace(":N", ":12");
        let (scene, show) = (poinsot::scenes::by_name(&name).unwrap(), gallery::by_name(&name).unwrap());
        assert!(scene.control.is_empty() || scene.control == show.actors[0].start.control, "{name}");
    }
    assert_eq!(gallery::by_name("andrews").unwrap().speed, 0.01, "a run of 0.03 s");
}

#[test]
fn constraints_are_marked_and_drift_is_seen_without_a_session() {
    let (scenery, frames) = frames(gallery::by_name("drift-race").unwrap());
    let drifts: Vec<usize> =
        (0..scenery.channels.len()).filter(|k| scenery.channels[*k].group == "constraint drift").collect();
    let last = frames.last().unwrap();
    let [nothing, baumgarte, projection] = [0, 1, 2].map(|k| last.channels[drifts[k]]);
    assert!(nothing > baumgarte && baumgarte > 1e3 * projection, "{nothing} {baumgarte} {projection}");
    // both ends of the hinge that closes the loop, and nothing between them where it is closed
    let knees: Vec<usize> = (0..scenery.solids.len()).filter(|k| scenery.solids[*k].name == "knee").collect();
    assert_eq!(knees.len(), 9);
    let gap = |k: usize| {
        let [a, b] = [0, 1].map(|end| last.solids[knees[3 * k + end]]);
        (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f32>().sqrt()
    };
    assert!((f64::from(gap(0)) - nothing).abs() < 0.5 * nothing && gap(2) < 1e-6, "{} {}", gap(0), gap(2));
    assert!(last.solids[knees[8]][0].is_nan());
}

#[test]
fn thumbnails_are_pictures() {
    for exhibit in EXHIBITS.iter().filter(|e| e.name != "rotors") {
        let png = thumbnail::of(exhibit).unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 2500, "{}", exhibit.name);
    }
}

#[test]
fn the_exact_path_is_followed_at_the_order_of_the_method() {
    let error = |dt: f64| {
        let mut show = gallery::by_name("particle-drag").unwrap();
        show.actors[0].dt = dt;
        let (mut projector, roles) = show.begin();
        let mut simulation =
            Simulation::new(&roles[0].model, roles[0].start.state.clone(), Method::SemiImplicit).unwrap();
        let mut frame = Frame::default();
        projector.project(&[Now { state: simulation.state(), control: &[] }], &mut frame);
        simulation.run((1.0 / dt).round() as usize, dt).unwrap();
        projector.project(&[Now { state: simulation.state(), control: &[] }], &mut frame);
        let channel = projector.scenery().channels.iter().position(|c| c.group == "error").unwrap();
        frame.channels[channel]
    };
    let ratio = error(0.02) / error(0.01);
    assert!((ratio - 2.0).abs() < 0.05, "first order: {ratio}");
}
