//! A page that follows a simulation stepped elsewhere.
//!
//! The page requests a snapshot sixty times a second, and shows new ones. Play, pull and all other commands act on the page's own copy,
//! from the moment shown; the next step of the simulation brings the page back to it.

use super::followed::Followed;
use super::saved::Saved;
use super::session::Session;

impl Session {
    /// Goes to the present state of the simulation; false if it has not moved.
    pub(super) fn follow(&mut self) -> bool {
        let Some(Followed { source, seen }) = &mut self.followed else { return false };
        let Some(snapshot) = source() else { return false };
        let (state, control) = (snapshot.state(), snapshot.control());
        if seen.as_ref().is_some_and(|(s, c)| s == state && c == control) {
            return false;
        }
        let first = seen.replace((state.clone(), control.to_vec())).is_none();
        let back = snapshot.state().time < self.time();
        let Some(runner) = self.runners.first_mut() else { return false };
        if runner.go_to(&Saved { snapshot, account: None, touch: None }).is_err() {
            return false;
        }
        // the state at the opening of the page is shown already, and may have been played on
        if first {
            return false;
        }
        (self.playing, self.past) = (false, false);
        if back {
            self.begin_again();
        } else {
            self.forget_what_comes();
            self.until = self.time();
            self.record();
        }
        true
    }
}
