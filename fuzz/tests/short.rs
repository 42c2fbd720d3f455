//! The short form of the long run (see docs/fuzzing.md): in every test.

use poinsot_fuzz::{Format, Maker, Progress, run};

#[test]
fn no_input_of_any_format_is_too_much() {
    // with a build that is not optimised fewer, in the same time
    let inputs = if cfg!(debug_assertions) { 2_000 } else { 20_000 };
    std::thread::scope(|scope| {
        for format in Format::ALL {
            scope.spawn(move || {
                let outcome = run(format, 7, 0..inputs, &Progress::default());
                let tally = outcome.unwrap_or_else(|find| {
                    let input = String::from_utf8_lossy(&find.input).into_owned();
                    panic!("{}: input {}: {}\n{input}", format.name(), find.number, find.what);
                });
                // inputs that are all refused at the door would test little
                assert!(tally.good > inputs / 20, "{}: only {} are good", format.name(), tally.good);
            });
        }
    });
}

#[test]
fn inputs_are_the_same_every_time() {
    for format in Format::ALL {
        let (one, two) = (Maker::new(format), Maker::new(format));
        let inputs = |m: &Maker, seed| (0..100).map(|k| m.input(seed, k)).collect::<Vec<_>>();
        assert_eq!(inputs(&one, 1), inputs(&two, 1));
        assert_ne!(inputs(&one, 1), inputs(&one, 2));
    }
}
