//! The least of scores that change while jobs wait, without looking at all of them: a kinetic tournament (Basch,
//! Guibas and Hershberger, SODA'97). Jobs meet in pairs, winners meet winners, and each match is played anew only
//! when its result may have changed.
//!
//! Which of two is next is told by their scores alone, as if all were compared. When that may change is told by
//! their [`Line`]s: each pair crosses once at most.

use super::Candidate;
use super::score::{Score, least_first};
use crate::job::JobId;
use std::collections::BTreeMap;

/// How urgent a job is that has waited for so many seconds: `slope · (waited + head_start)`. Of two jobs the one
/// that is more urgent has the lesser score.
#[derive(Clone, Copy, Debug)]
pub(in crate::policy) struct Line {
    pub(in crate::policy) slope: f64,
    pub(in crate::policy) head_start: f64,
}

/// Lines nearer than this part of themselves are not told apart: rounding may decide between their scores.
const NEAR: f64 = 1e-9;

/// What a moment is told earlier by, a part of itself: it is a sum of numbers that are rounded.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Who takes part, and how matches stand.
pub(super) struct Tournament {
    score: Score,
    line: fn(&Candidate) -> Line,
    /// As many as a power of two, some empty.
    seats: Vec<Option<Player>>,
    empty: Vec<usize>,
    seat_of: BTreeMap<JobId, usize>,
    /// The match at `i` is between the winners of those at `2 i` and `2 i + 1`, the final at 1; as many as seats,
    /// which follow on them.
    matches: Vec<Match>,
}

struct Player {
    job: Candidate,
    line: Line,
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

impl Tournament {
    pub(super) fn new(score: Score, line: fn(&Candidate) -> Line) -> Self {
        Self {
            score,
            line,
            seats: vec![None],
            empty: vec![0],
            seat_of: BTreeMap::new(),
            matches: vec![NOT_PLAYED],
        }
    }

    pub(super) fn enter(&mut self, job: Candidate) {
        let seat = self.empty.pop().unwrap_or_else(|| {
            let seats = self.seats.len();
            self.seats.resize_with(2 * seats, || None);
            self.matches = vec![NOT_PLAYED; 2 * seats];
            self.empty.extend((seats + 1..2 * seats).rev());
            seats
        });
        let line = (self.line)(&job);
        self.seats[seat] = Some(Player { job, line });
        self.seat_of.insert(job.job, seat);
        self.forget(seat);
    }

    pub(super) fn leave(&mut self, job: JobId) {
        if let Some(seat) = self.seat_of.remove(&job) {
            self.seats[seat] = None;
            self.empty.push(seat);
            self.forget(seat);
        }
    }

    /// Who has the least score. Moments are asked for in their order.
    pub(super) fn winner(&mut self, now: f64) -> Option<JobId> {
        let winner = self.play(1, now).winner?;
        Some(self.seats[winner].as_ref()?.job.job)
    }

    /// All matches on the way from a seat to the final are to be played anew.
    fn forget(&mut self, seat: usize) {
        let mut at = (self.seats.len() + seat) / 2;
        while at > 0 {
            self.matches[at] = NOT_PLAYED;
            at /= 2;
        }
    }

    fn play(&mut self, at: usize, now: f64) -> Match {
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
        let (left, right) = (self.play(2 * at, now), self.play(2 * at + 1, now));
        let (winner, until) = self.meet(left.winner, right.winner, now);
        let played = Match {
            winner,
            until: until.min(left.until).min(right.until),
        };
        self.matches[at] = played;
        played
    }

    /// Who wins, and until when for certain.
    fn meet(&self, a: Option<usize>, b: Option<usize>, now: f64) -> (Option<usize>, f64) {
        let player = |seat: usize| self.seats[seat].as_ref();
        let (Some(a), Some(b)) = (a, b) else {
            return (a.or(b), f64::INFINITY);
        };
        let (Some(first), Some(second)) = (player(a), player(b)) else {
            return (None, f64::NEG_INFINITY);
        };
        let place = |of: &Player| {
            let score = (self.score)(&of.job, now - of.job.submit);
            (least_first(score), of.job.job)
        };
        match place(first) <= place(second) {
            true => (Some(a), first.leads(second, now)),
            false => (Some(b), second.leads(first, now)),
        }
    }
}

impl Player {
    /// Until when it leads for certain, since it leads now.
    fn leads(&self, other: &Self, now: f64) -> f64 {
        let (a, b) = (&self.job, &other.job);
        // Then it has waited longer, and leads, by whatever formula.
        let is_alike = (a.gpus, a.seconds) == (b.gpus, b.seconds);
        if is_alike && a.submit <= b.submit && a.job < b.job {
            return f64::INFINITY;
        }
        let urgency = |of: &Self| of.line.slope * (now - of.job.submit + of.line.head_start);
        let (least, slope) = (urgency(self) * (1.0 - NEAR), self.line.slope * (1.0 - NEAR));
        if !(least.is_finite() && urgency(other) < least) {
            return now;
        }
        if other.line.slope <= slope {
            return f64::INFINITY;
        }
        let begins = |of: &Self| of.job.submit - of.line.head_start;
        let later = begins(other) - begins(self);
        let waited = other.line.slope * later / (other.line.slope - slope);
        let until = begins(self) + waited;
        (until - until.abs() * ROUNDING).max(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::wfp3::{line, score};
    use proptest::prelude::*;

    proptest! {
        /// Agrees with a look at all.
        #[test]
        fn wins_who_has_the_least_score(
            steps in prop::collection::vec((0u32..4, 0u32..6, 1u32..28, 1u32..60, any::<prop::sample::Index>()), 1..120),
            unit in prop::sample::select(vec![1.0, 0.1, 1e7 / 3.0]),
            began in prop::sample::select(vec![0.0, 1e9]),
        ) {
            let mut tournament = Tournament::new(score, line);
            let mut there: Vec<Candidate> = Vec::new();
            let mut now = began;
            for (id, (what, later, gpus, seconds, index)) in (0u32..).zip(steps) {
                now += f64::from(later) * unit;
                if what < 2 || there.is_empty() {
                    let job = Candidate { job: JobId(id), submit: now, gpus, seconds: f64::from(seconds) * unit };
                    tournament.enter(job);
                    there.push(job);
                } else if what == 2 {
                    tournament.leave(there.remove(index.index(there.len())).job);
                }
                let mut least: Option<(f64, JobId)> = None;
                for job in &there {
                    let score = score(job, now - job.submit);
                    if least.is_none_or(|least| score < least.0) {
                        least = Some((score, job.job));
                    }
                }
                prop_assert_eq!(tournament.winner(now), least.map(|of| of.1));
            }
        }
    }

    #[test]
    fn where_many_wait_few_matches_are_played() {
        let mut tournament = Tournament::new(score, line);
        let mut played = 0;
        for i in 0..4_096 {
            let submit = f64::from(i / 7);
            tournament.enter(Candidate {
                job: JobId(i),
                submit,
                gpus: 1 + i % 9,
                seconds: f64::from(60 + 977 * i % 10_007),
            });
        }
        for step in 0..4_096 {
            let now = 600.0 + 10.0 * f64::from(step);
            let stale = |of: &&Match| of.until < now;
            played += tournament.matches[1..].iter().filter(stale).count();
            let winner = tournament.winner(now).expect("somebody is left");
            tournament.leave(winner);
        }
        // Looked at one by one they would be eight million.
        assert!(played < 300_000, "{played}");
    }
}
