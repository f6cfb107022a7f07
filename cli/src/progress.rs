//! How far long work is, on standard error: in a terminal a bar; elsewhere a line once it has taken two seconds, and
//! then ever more seldom, with what is left at the pace so far. `--quiet` says nothing of it.

use crate::terminal::within_line;
use crate::{Failure, output};
use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use switchyard::Time;
use switchyard::engine::RunError;
use switchyard_app::driver::{self, Budget, Driver, Step};

/// When the first line is due; from one to the next it is twice as long each time, up to [`SELDOM`].
const FIRST: Duration = Duration::from_secs(2);
const SELDOM: Duration = Duration::from_secs(60);

/// Between two looks at the run.
const LOOK: Duration = Duration::from_millis(50);

/// How finely a bar is drawn.
const BAR: u64 = 10_000;

/// Whether nothing is said.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Says nothing of any progress.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Work of several pieces, each of which may be done in part.
pub(crate) struct Progress {
    /// What is done.
    what: String,
    /// What the pieces are called.
    unit: &'static str,
    total: u64,
    begin: Instant,
    bar: ProgressBar,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Pieces that are done.
    count: u64,
    /// Of all of them, with what is done of those that are not: from 0 to 1; and at the first word of it.
    share: f64,
    from: Option<f64>,
    /// Since the begin, and from it to the one before: the next line.
    due: Duration,
    wait: Duration,
}

impl Progress {
    /// Of so many pieces.
    pub(crate) fn of(what: &str, total: u64, unit: &'static str) -> Self {
        let target = match QUIET.load(Ordering::Relaxed) {
            true => ProgressDrawTarget::hidden(),
            // Hidden by itself where standard error is no terminal.
            false => ProgressDrawTarget::stderr(),
        };
        let style = ProgressStyle::with_template("{prefix} {wide_bar} {msg}");
        let what = within_line(what);
        Self {
            unit,
            total,
            begin: Instant::now(),
            bar: ProgressBar::with_draw_target(Some(BAR), target)
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
                .with_prefix(what.clone()),
            what,
            state: Mutex::new(State {
                due: FIRST,
                wait: FIRST,
                ..State::default()
            }),
        }
    }

    /// So many pieces are done, and that share of all work.
    pub(crate) fn reach(&self, count: u64, share: f64) {
        self.change(|state| (state.count, state.share) = (count, share));
    }

    /// So many pieces are done, which are alike.
    pub(crate) fn count(&self, count: u64) {
        self.reach(count, count as f64 / self.total.max(1) as f64);
    }

    /// The next piece, of which nothing is done.
    pub(crate) fn piece(&self) -> Piece<'_> {
        Piece {
            of: self,
            share: 0.0,
        }
    }

    /// Carries a run to its end, which is one more piece.
    pub(crate) fn run(&self, run: &mut Driver) -> Result<(), RunError> {
        let mut piece = self.piece();
        drive(run, Time::NEVER, |reached| piece.reach(reached.share()))?;
        piece.done();
        Ok(())
    }

    /// Carries the only run to a time, whose seconds are the pieces.
    pub(crate) fn run_until(&self, run: &mut Driver, until: Time) -> Result<(), RunError> {
        drive(run, until, |reached| {
            self.count(reached.now.seconds() as u64)
        })
    }

    /// Carries the only run to its end, whose jobs are the pieces.
    pub(crate) fn run_jobs(&self, run: &mut Driver) -> Result<(), RunError> {
        drive(run, Time::NEVER, |reached| {
            self.reach(reached.done.into(), reached.share());
        })
    }

    /// Prints what is there meanwhile.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        self.bar.suspend(|| output::print(text))
    }

    /// A line of its own, above the bar.
    pub(crate) fn say(&self, text: &str) {
        self.bar.println(text);
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let Ok(mut state) = self.state.lock() else {
            return;
        };
        change(&mut state);
        let share = state.share.clamp(0.0, 1.0);
        state.from.get_or_insert(share);
        let spent = self.begin.elapsed();
        if !self.bar.is_hidden() {
            self.bar.set_message(self.said(&state, spent));
            self.bar.set_position((share * BAR as f64) as u64);
        } else if !QUIET.load(Ordering::Relaxed)
            && !io::stderr().is_terminal()
            && let Some(line) = self.line(&mut state, spent)
        {
            // Where nobody listens there is nothing to say.
            let _ = writeln!(io::stderr(), "{line}");
        }
    }

    /// The line that is due, if one is.
    fn line(&self, state: &mut State, spent: Duration) -> Option<String> {
        if spent < state.due {
            return None;
        }
        state.wait = (state.wait * 2).min(SELDOM);
        state.due = spent + state.wait;
        Some(format!("{}: {}", self.what, self.said(state, spent)))
    }

    /// How far it is, and, at the pace so far, how long it takes from there.
    fn said(&self, state: &State, spent: Duration) -> String {
        let (done, all) = (HumanCount(state.count), HumanCount(self.total));
        let said = format!("{done} of {all} {}", self.unit);
        let gone = state.share - state.from.unwrap_or_default();
        let left = spent.as_secs_f64() * (1.0 - state.share) / gone;
        match Duration::try_from_secs_f64(left) {
            Ok(left) if spent >= FIRST => format!("{said}, about {} left", HumanDuration(left)),
            // Nobody knows yet.
            _ => said,
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A piece of work, done in part.
pub(crate) struct Piece<'a> {
    of: &'a Progress,
    share: f64,
}

impl Piece<'_> {
    /// So much of it is done, from 0 to 1.
    pub(crate) fn reach(&mut self, share: f64) {
        let more = (share - self.share) / self.of.total.max(1) as f64;
        self.share = share;
        self.of.change(|state| state.share += more);
    }

    /// All of it is.
    pub(crate) fn done(mut self) {
        self.reach(1.0);
        self.of.change(|state| state.count += 1);
    }
}

/// Carries a run to a time or its end, and looks at it every now and then.
fn drive(
    run: &mut Driver,
    until: Time,
    mut look: impl FnMut(driver::RunProgress),
) -> Result<(), RunError> {
    loop {
        let begin = Instant::now();
        let budget = Budget::until(until).or_time_is_up(|| begin.elapsed() > LOOK);
        match run.step_for(budget)? {
            Step::Progress(reached) => look(reached),
            Step::Done(_) | Step::Cancelled => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_after_two_seconds_and_ever_more_seldom() {
        let progress = Progress::of("a\x1btest", 5_778, "jobs");
        let mut said = Vec::new();
        for second in 0..200 {
            let mut state = progress.state.lock().expect("nobody panicked");
            state.from = Some(0.0);
            state.share = f64::from(second) / 400.0;
            let line = progress.line(&mut state, Duration::from_secs(second.into()));
            said.extend(line.map(|line| (second, line)));
        }
        let when: Vec<u32> = said.iter().map(|&(second, _)| second).collect();
        assert_eq!(when, [2, 6, 14, 30, 62, 122, 182]);
        assert_eq!(said[6].1, "a␛test: 0 of 5,778 jobs, about 4 minutes left");
        // Nothing is done: nobody knows how long it takes.
        let mut state = progress.state.lock().expect("nobody panicked");
        state.share = 0.0;
        let line = progress.line(&mut state, Duration::from_secs(999));
        assert_eq!(line.as_deref(), Some("a␛test: 0 of 5,778 jobs"));
    }

    #[test]
    fn pieces_done_in_part_add_up() {
        let progress = Progress::of("a test", 4, "runs");
        let sample = switchyard::workload::Sample::named("lab").expect("a sample");
        let workload = std::sync::Arc::new(sample.workload());
        let spec =
            switchyard::RunSpec::new("fifo".parse().expect("a policy"), sample.cluster_spec());
        for done in 1..=4_u64 {
            let start = || Driver::new(spec.start(workload.clone()), workload.clone());
            let mut run = start();
            let mut shares = vec![run.progress().share()];
            while let Step::Progress(reached) = run.step_for(Budget::of_steps(1)).expect("it runs")
            {
                shares.push(reached.share());
            }
            assert!(
                shares.is_sorted() && shares.last() == Some(&1.0),
                "{shares:?}"
            );
            progress.run(&mut start()).expect("it runs");
            let state = progress.state.lock().expect("nobody panicked");
            assert_eq!(state.count, done);
            assert!(
                (state.share - done as f64 / 4.0).abs() < 1e-9,
                "{}",
                state.share
            );
        }
    }
}
