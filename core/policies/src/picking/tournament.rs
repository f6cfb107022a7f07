//! The first of jobs whose places change while they wait, without looking at all of them: a kinetic tournament (Basch,
//! Guibas and Hershberger, SODA'97). Jobs meet in pairs, winners meet winners, and each match is played anew only
//! when its result may have changed.
//!
//! Which of two is first is told by their places alone, as if all were compared. When that may change is told by
//! their [`Urgency`]s: each pair crosses once at most.

use crate::job::JobId;
use std::collections::BTreeMap;

/// A job that takes part.
pub(crate) trait Player {
    /// What places hang on besides players and the moment. If it tells players apart at all, it changes nothing
    /// between two whose lines are apart.
    type With: Copy;
    /// Where a job stands among others, least first.
    type Place: Ord;

    fn job(&self) -> JobId;

    fn submit(&self) -> f64;

    fn place(&self, now: f64, with: Self::With) -> Self::Place;

    fn line(&self) -> Urgency;

    /// Otherwise they are in the order of their jobs.
    fn tells_apart(_with: Self::With) -> bool {
        true
    }

    /// Whether its place is before the other's always, by whatever formula.
    fn is_always_before(&self, other: &Self) -> bool;
}

/// How urgent a job is that has waited for so many seconds: `slope · (waited + head_start)`. Of two jobs the one
/// that is more urgent has the lesser place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Urgency {
    pub(crate) slope: f64,
    pub(crate) head_start: f64,
}

/// Lines nearer than this part of themselves are not told apart: rounding may decide between their places.
const NEAR: f64 = 1e-9;

/// What a moment is told earlier by, a part of itself: it is a sum of numbers that are rounded.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Whom a tournament finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sought {
    /// Whose place is the least.
    First,
    /// Whose place is the greatest.
    Last,
}

/// Who takes part, and how matches stand.
pub(crate) struct Tournament<P> {
    sought: Sought,
    /// As many as a power of two, some empty.
    seats: Vec<Option<P>>,
    empty: Vec<usize>,
    seat_of: BTreeMap<JobId, usize>,
    /// The match at `i` is between the winners of those at `2 i` and `2 i + 1`, the final at 1; as many as seats,
    /// which follow on them.
    matches: Vec<Match>,
}

#[derive(Clone, Copy)]
struct Match {
    /// Its seat.
    winner: Option<usize>,
    /// Up to and including which moment.
    until: f64,
}

const NOT_PLAYED: Match = Match {
    winner: None,
    until: f64::NEG_INFINITY,
};

impl<P: Player> Tournament<P> {
    pub(crate) fn new(sought: Sought) -> Self {
        Self {
            sought,
            seats: vec![None],
            empty: vec![0],
            seat_of: BTreeMap::new(),
            matches: vec![NOT_PLAYED],
        }
    }

    pub(crate) fn enter(&mut self, player: P) {
        let seat = self.empty.pop().unwrap_or_else(|| {
            let seats = self.seats.len();
            self.seats.resize_with(2 * seats, || None);
            self.matches = vec![NOT_PLAYED; 2 * seats];
            self.empty.extend((seats + 1..2 * seats).rev());
            seats
        });
        self.seat_of.insert(player.job(), seat);
        self.seats[seat] = Some(player);
        self.forget(seat);
    }

    /// Who leaves, if it took part.
    pub(crate) fn leave(&mut self, job: JobId) -> Option<P> {
        let seat = self.seat_of.remove(&job)?;
        self.empty.push(seat);
        self.forget(seat);
        self.seats[seat].take()
    }

    /// How many take part.
    pub(crate) fn len(&self) -> usize {
        self.seat_of.len()
    }

    /// Who is sought. Moments are asked for in their order, each with one thing that places hang on.
    pub(crate) fn winner(&mut self, now: f64, with: P::With) -> Option<&P> {
        let winner = match (P::tells_apart(with), self.sought) {
            (true, _) => self.play(1, now, with).winner?,
            (false, Sought::First) => *self.seat_of.first_key_value()?.1,
            (false, Sought::Last) => *self.seat_of.last_key_value()?.1,
        };
        self.seats[winner].as_ref()
    }

    /// All matches on the way from a seat to the final are to be played anew.
    fn forget(&mut self, seat: usize) {
        let mut at = (self.seats.len() + seat) / 2;
        while at > 0 {
            self.matches[at] = NOT_PLAYED;
            at /= 2;
        }
    }

    fn play(&mut self, at: usize, now: f64, with: P::With) -> Match {
        let Some(of) = self.matches.get(at).copied() else {
            let seat = at - self.seats.len();
            return Match {
                winner: self.seats[seat].as_ref().map(|_| seat),
                until: f64::INFINITY,
            };
        };
        if now <= of.until {
            return of;
        }
        let (left, right) = (
            self.play(2 * at, now, with),
            self.play(2 * at + 1, now, with),
        );
        let (winner, until) = self.meet(left.winner, right.winner, now, with);
        let played = Match {
            winner,
            until: until.min(left.until).min(right.until),
        };
        self.matches[at] = played;
        played
    }

    /// Who wins, and until when for certain.
    fn meet(
        &self,
        a: Option<usize>,
        b: Option<usize>,
        now: f64,
        with: P::With,
    ) -> (Option<usize>, f64) {
        let player = |seat: usize| self.seats[seat].as_ref();
        let (Some(a), Some(b)) = (a, b) else {
            return (a.or(b), f64::INFINITY);
        };
        let (Some(one), Some(other)) = (player(a), player(b)) else {
            return (None, f64::NEG_INFINITY);
        };
        let is_before = one.place(now, with) <= other.place(now, with);
        let until = match is_before {
            true => leads_until(one, other, now),
            false => leads_until(other, one, now),
        };
        let wins = is_before == (self.sought == Sought::First);
        (Some(if wins { a } else { b }), until)
    }
}

/// Until when one is before another for certain, since it is now.
fn leads_until<P: Player>(first: &P, second: &P, now: f64) -> f64 {
    if first.is_always_before(second) {
        return f64::INFINITY;
    }
    let (a, b) = (first.line(), second.line());
    let urgency = |of: &P, line: Urgency| line.slope * (now - of.submit() + line.head_start);
    let (least, slope) = (urgency(first, a) * (1.0 - NEAR), a.slope * (1.0 - NEAR));
    if !(least.is_finite() && urgency(second, b) < least) {
        return now;
    }
    if b.slope <= slope {
        return f64::INFINITY;
    }
    let begins = |of: &P, line: Urgency| of.submit() - line.head_start;
    let later = begins(second, b) - begins(first, a);
    let waited = b.slope * later / (b.slope - slope);
    let until = begins(first, a) + waited;
    (until - until.abs() * ROUNDING).max(now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picking::Candidate;
    use crate::picking::score::Ageing;
    use crate::wfp3::{line, score};
    use proptest::prelude::*;

    fn player(job: Candidate) -> Ageing {
        Ageing {
            job,
            score,
            line: line(&job),
        }
    }

    fn winner(tournament: &mut Tournament<Ageing>, now: f64) -> Option<JobId> {
        Some(tournament.winner(now, ())?.job())
    }

    proptest! {
        /// Agree with a look at all.
        #[test]
        fn the_first_and_the_last_are_found(
            steps in prop::collection::vec((0u32..4, 0u32..6, 1u32..28, 1u32..60, any::<prop::sample::Index>()), 1..120),
            unit in prop::sample::select(vec![1.0, 0.1, 1e7 / 3.0]),
            began in prop::sample::select(vec![0.0, 1e9]),
        ) {
            let mut first = Tournament::new(Sought::First);
            let mut last = Tournament::new(Sought::Last);
            let mut there: Vec<Candidate> = Vec::new();
            let mut now = began;
            for (id, (what, later, gpus, seconds, index)) in (0u32..).zip(steps) {
                now += f64::from(later) * unit;
                if what < 2 || there.is_empty() {
                    let job = Candidate { job: JobId(id), submit: now, gpus, seconds: f64::from(seconds) * unit };
                    first.enter(player(job));
                    last.enter(player(job));
                    there.push(job);
                } else if what == 2 {
                    let gone = there.remove(index.index(there.len())).job;
                    prop_assert!(first.leave(gone).is_some() && last.leave(gone).is_some());
                }
                let (mut least, mut greatest) = (None, None);
                for job in &there {
                    let score = score(job, now - job.submit);
                    if least.is_none_or(|(least, _)| score < least) {
                        least = Some((score, job.job));
                    }
                    if greatest.is_none_or(|(greatest, _)| score >= greatest) {
                        greatest = Some((score, job.job));
                    }
                }
                prop_assert_eq!(winner(&mut first, now), least.map(|of| of.1));
                prop_assert_eq!(winner(&mut last, now), greatest.map(|of| of.1));
            }
        }
    }

    #[test]
    fn where_many_wait_few_matches_are_played() {
        let mut tournament = Tournament::new(Sought::First);
        let mut played = 0;
        for i in 0..4_096 {
            let submit = f64::from(i / 7);
            tournament.enter(player(Candidate {
                job: JobId(i),
                submit,
                gpus: 1 + i % 9,
                seconds: f64::from(60 + 977 * i % 10_007),
            }));
        }
        for step in 0..4_096 {
            let now = 600.0 + 10.0 * f64::from(step);
            let stale = |of: &&Match| of.until < now;
            played += tournament.matches[1..].iter().filter(stale).count();
            let winner = winner(&mut tournament, now).expect("somebody is left");
            tournament.leave(winner);
        }
        // Looked at one by one they would be eight million.
        assert!(played < 300_000, "{played}");
    }
}
