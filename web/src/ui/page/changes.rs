//! What has changed since subscribers were last told.

use crate::stage::Clock;
use crate::state::AppState;
use serde::Serialize;
use std::rc::Rc;

/// The clock is told of at most this often, in milliseconds.
const TIME_EVERY_MS: f64 = 100.0;

/// What has changed: the clock, or a part of the page's state that scripts can ask about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Changed {
    /// What is open, or is being opened.
    Opening,
    /// What the runs have in common.
    Setup,
    /// The runs, or what came of them.
    Runs,
    /// What is shown, and how it looks.
    View,
    /// The chosen job, or what is known of it.
    Selection,
    /// What is worked out beside the runs.
    Analyses,
    /// What the page tells a person.
    Notices,
    /// The clock: where it is, how far it can go, how fast it is, whether it moves.
    Time,
}

/// The page at one moment, as far as changes of it are told.
#[derive(Clone)]
pub(super) struct Seen {
    pub(super) state: Rc<AppState>,
    pub(super) clock: Clock,
    /// Whether what is shown is about to become something else.
    pub(super) is_under_way: bool,
}

/// What has been told, and when.
pub(super) struct ChangeReporter {
    reported: Seen,
    time_reported_ms: f64,
}

impl ChangeReporter {
    /// Tells what is other than now.
    pub(super) fn new(now: Seen) -> Self {
        Self {
            reported: now,
            time_reported_ms: f64::NEG_INFINITY,
        }
    }

    /// What has changed since the last call, at this moment in milliseconds; and in how many milliseconds to ask
    /// again, where the clock has moved too soon after it was told of.
    pub(super) fn changes(&mut self, now: Seen, ms: f64) -> (Vec<Changed>, Option<f64>) {
        let mut changes = Vec::new();
        if !Rc::ptr_eq(&self.reported.state, &now.state) {
            changes = between(&self.reported.state, &now.state);
        }
        if self.reported.is_under_way != now.is_under_way && !changes.contains(&Changed::Opening) {
            changes.push(Changed::Opening);
        }
        (self.reported.state, self.reported.is_under_way) = (now.state, now.is_under_way);
        if self.reported.clock == now.clock {
            return (changes, None);
        }
        let early = self.time_reported_ms + TIME_EVERY_MS - ms;
        if early > 0.0 {
            return (changes, Some(early));
        }
        (self.reported.clock, self.time_reported_ms) = (now.clock, ms);
        changes.push(Changed::Time);
        (changes, None)
    }
}

/// The parts in which two states differ. What is open over the view concerns nobody but the reader.
fn between(before: &AppState, after: &AppState) -> Vec<Changed> {
    let AppState {
        opening,
        setup,
        runs,
        view,
        selection,
        analyses,
        notices,
        panels: _,
    } = after;
    let parts = [
        (Changed::Opening, before.opening != *opening),
        (Changed::Setup, before.setup != *setup),
        (Changed::Runs, before.runs != *runs),
        (Changed::View, before.view != *view),
        (Changed::Selection, before.selection != *selection),
        (Changed::Analyses, before.analyses != *analyses),
        (Changed::Notices, before.notices != *notices),
    ];
    let changed = parts.into_iter().filter(|(_, is_other)| *is_other);
    changed.map(|(change, _)| change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::Stage;
    use crate::state::link::Link;
    use crate::state::{Action, PanelsAction, SelectionAction, ViewAction};
    use switchyard::job::JobId;

    fn seen() -> Seen {
        Seen {
            state: Rc::new(AppState::from_link(&Link::parse(""))),
            clock: Stage::default().clock,
            is_under_way: false,
        }
    }

    fn after(seen: &Seen, actions: impl IntoIterator<Item = Action>) -> Seen {
        let reduce = |state: Rc<AppState>, action| state.reduce(action);
        Seen {
            state: actions.into_iter().fold(seen.state.clone(), reduce),
            ..seen.clone()
        }
    }

    #[test]
    fn each_change_of_the_state_is_told_once_and_at_once() {
        let first = seen();
        let mut teller = ChangeReporter::new(first.clone());
        assert_eq!(teller.changes(first.clone(), 0.0), (vec![], None));
        let shown = ViewAction::Show("compare").into();
        let second = after(
            &first,
            [shown, SelectionAction::Select(Some(JobId(1))).into()],
        );
        let told = (vec![Changed::View, Changed::Selection], None);
        assert_eq!(teller.changes(second.clone(), 0.0), told);
        assert_eq!(teller.changes(second.clone(), 0.0), (vec![], None));
        let third = after(&second, [PanelsAction::Help(true).into()]);
        assert_eq!(teller.changes(third, 0.0), (vec![], None));
    }

    #[test]
    fn what_is_under_way_is_told_without_an_action() {
        let first = seen();
        let mut teller = ChangeReporter::new(first.clone());
        for is_under_way in [true, false] {
            let now = Seen {
                is_under_way,
                ..first.clone()
            };
            let told = (vec![Changed::Opening], None);
            assert_eq!(teller.changes(now.clone(), 0.0), told);
            assert_eq!(teller.changes(now, 0.0), (vec![], None));
        }
    }

    #[test]
    fn the_clock_is_told_ten_times_a_second_and_where_it_stops() {
        let mut seen = seen();
        let mut teller = ChangeReporter::new(seen.clone());
        let mut told = Vec::new();
        for frame in 0..60 {
            seen.clock.now = f64::from(frame + 1);
            let ms = f64::from(frame) * 1000.0 / 60.0;
            let (changes, later) = teller.changes(seen.clone(), ms);
            assert_eq!(changes.is_empty(), later.is_some(), "told now or later");
            if changes == [Changed::Time] {
                told.push(seen.clock.now);
            }
        }
        assert!(told.len() <= 10, "{told:?}");
        // It stands still from now on, and where it stands has not been told.
        assert_ne!(told.last(), Some(&60.0));
        let (changes, later) = teller.changes(seen.clone(), 990.0);
        assert_eq!(changes, []);
        let ms = 990.0 + later.expect("the last of it is owed");
        assert_eq!(
            teller.changes(seen.clone(), ms),
            (vec![Changed::Time], None)
        );
        assert_eq!(teller.changes(seen, ms + 1_000.0), (vec![], None));
    }
}
