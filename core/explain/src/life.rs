//! What a job's whole life was spent on: running, or waiting, and for what. In: what it does, step by step. Out:
//! [`Life`].

use super::Verdict;
use crate::Time;
use crate::job::JobId;
use serde::{Deserialize, Serialize};

/// What a stretch of a job's life is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spent {
    /// It runs; of the time that it was slowed, what would have been enough at full speed.
    Running,
    /// It runs, and is slower than at its full speed: what that cost.
    Slowed,
    /// It has its GPUs, and is being restored: the restart cost.
    Restarting,
    /// The queue's head blocks everything behind it.
    BehindHead,
    /// Jobs that go before it leave too few GPUs.
    Outranked,
    /// Too few GPUs are left, and with those of the nodes that are away there would be enough.
    NodesAway,
    /// Its queue may not use so many GPUs more.
    Quota,
    /// Enough GPUs are free, but not where the placement wants them.
    Fragmentation,
    /// It asks for no GPU, and no node has its cores or memory left.
    Cores,
    /// It starts when the trace records that it did.
    Recorded,
    /// The scheduler has not decided about it yet: it decides at intervals.
    Undecided,
    /// It waited only between the moments that were looked at.
    Unseen,
}

impl Spent {
    /// All of them, in the order in which they are stacked.
    pub const ALL: [Self; 12] = [
        Self::Running,
        Self::Slowed,
        Self::Restarting,
        Self::Outranked,
        Self::BehindHead,
        Self::Fragmentation,
        Self::Quota,
        Self::NodesAway,
        Self::Cores,
        Self::Recorded,
        Self::Undecided,
        Self::Unseen,
    ];

    /// Its word in files.
    pub fn id(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Slowed => "slowed",
            Self::Restarting => "restarting",
            Self::BehindHead => "behind-head",
            Self::Outranked => "outranked",
            Self::NodesAway => "nodes-away",
            Self::Quota => "quota",
            Self::Fragmentation => "fragmentation",
            Self::Cores => "cores",
            Self::Recorded => "recorded",
            Self::Undecided => "undecided",
            Self::Unseen => "unseen",
        }
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Slowed => "slowed",
            Self::Restarting => "restarting",
            Self::BehindHead => "behind the head of the queue",
            Self::Outranked => "outranked",
            Self::NodesAway => "nodes away",
            Self::Quota => "quota",
            Self::Fragmentation => "fragmentation",
            Self::Cores => "too few cores",
            Self::Recorded => "as recorded",
            Self::Undecided => "not decided yet",
            Self::Unseen => "not looked at",
        }
    }

    /// What it means, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Running => "It had its GPUs and made progress.",
            Self::Slowed => {
                "It had its GPUs and was slower than at its full speed: so much longer did it take."
            }
            Self::Restarting => "It had its GPUs and was being restored, or started.",
            Self::BehindHead => "The first job of the queue did not fit, and nobody may pass it.",
            Self::Outranked => "Jobs that go before it held so many GPUs that too few were left.",
            Self::NodesAway => {
                "Too few GPUs were left. With those of nodes that were down or drained there would have been enough."
            }
            Self::Quota => "Its queue had used up what it may use.",
            Self::Fragmentation => {
                "Enough GPUs were free, but scattered: not where the placement would put it."
            }
            Self::Cores => "It asks for no GPU, and no node had its cores or its memory left.",
            Self::Recorded => "It started when the trace records that it did.",
            Self::Undecided => "The scheduler decides at intervals, and had not come to it yet.",
            Self::Unseen => "It waited only between the moments that were looked at.",
        }
    }

    /// Whether the job has no GPUs then.
    pub fn is_waiting(self) -> bool {
        !matches!(self, Self::Running | Self::Slowed | Self::Restarting)
    }
}

impl From<Verdict> for Spent {
    /// What a job waits for by what its policy says, which knows nothing of nodes that are away.
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::BehindHead { .. } => Self::BehindHead,
            Verdict::TooFewGpus { .. } => Self::Outranked,
            Verdict::NoQuota { .. } => Self::Quota,
            Verdict::PlacementWaits { .. } => Self::Fragmentation,
            Verdict::TooFewCores { .. } => Self::Cores,
            Verdict::StartsLater { .. } => Self::Recorded,
            Verdict::Runs | Verdict::NotActive => Self::Undecided,
        }
    }
}

/// A stretch of a job's life.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stretch {
    /// From when on; until the next one begins.
    pub from: Time,
    /// On what.
    pub spent: Spent,
    /// The queue's head, where that is what it waits for.
    pub head: Option<JobId>,
}

/// What a job's life was spent on, from its submission to its end.
///
/// While it waits it is looked at after every step of the run; where there are very many of these, after every second,
/// fourth and so on. When it gets or loses its GPUs is exact.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Life {
    /// In order of time.
    pub stretches: Vec<Stretch>,
    /// When it ended, or the run.
    pub end: Option<Time>,
    /// Until when it is being restored on the GPUs that it has.
    ready: Option<Time>,
    looks: u32,
    /// Steps since the last look.
    since: u32,
    /// One step of so many is looked at, less one.
    skips: u32,
}

/// After so many looks only half of the steps are looked at.
const LOOKS: u32 = 4096;

impl Life {
    /// It waits after this step. `look` says for what.
    pub fn wait(&mut self, now: Time, look: impl FnOnce() -> (Spent, Option<JobId>)) {
        self.ready = None;
        let waits = |last: &Stretch| last.spent.is_waiting();
        if self.stretches.last().is_some_and(waits) {
            self.since += 1;
            if self.since <= self.skips {
                return;
            }
        }
        self.since = 0;
        self.looks += 1;
        if self.looks == LOOKS {
            self.looks = 0;
            self.skips = 2 * self.skips + 1;
        }
        let (spent, head) = look();
        self.push(Stretch {
            from: now,
            spent,
            head,
        });
    }

    /// It has GPUs after this step, and makes progress from `ready` on.
    pub fn run(&mut self, now: Time, ready: Time) {
        if self.ready == Some(ready) {
            return;
        }
        self.ready = Some(ready);
        let stretch = |from: Time, spent: Spent| Stretch {
            from,
            spent,
            head: None,
        };
        if now < ready {
            self.push(stretch(now, Spent::Restarting));
        }
        self.push(stretch(now.max(ready), Spent::Running));
    }

    /// It is over.
    pub fn close(&mut self, now: Time) {
        while self.stretches.last().is_some_and(|last| last.from > now) {
            self.stretches.pop();
        }
        self.end.get_or_insert(now);
    }

    /// What was told of times from here on has turned out otherwise.
    fn push(&mut self, stretch: Stretch) {
        while self
            .stretches
            .last()
            .is_some_and(|last| last.from >= stretch.from)
        {
            self.stretches.pop();
        }
        let is_same = |last: &Stretch| (last.spent, last.head) == (stretch.spent, stretch.head);
        if !self.stretches.last().is_some_and(is_same) {
            self.stretches.push(stretch);
        }
    }

    /// Each stretch with its end; of a life that is not over the last has none yet, and is left out.
    pub fn spans(&self) -> impl Iterator<Item = (Stretch, Time)> {
        let next = self.stretches.iter().skip(1).map(|next| next.from);
        let ends = next.chain(self.end);
        self.stretches.iter().copied().zip(ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(life: &Life) -> Vec<(f64, f64, Spent)> {
        let spans = life.spans();
        spans
            .map(|(of, to)| (of.from.seconds(), to.seconds(), of.spent))
            .collect()
    }

    #[test]
    fn a_life_is_told_without_gaps_from_submission_to_end() {
        let mut life = Life::default();
        life.wait(Time(10.0), || (Spent::Undecided, None));
        life.wait(Time(20.0), || (Spent::BehindHead, Some(JobId(3))));
        life.wait(Time(30.0), || (Spent::BehindHead, Some(JobId(3))));
        life.wait(Time(40.0), || (Spent::BehindHead, Some(JobId(4))));
        life.run(Time(50.0), Time(55.0));
        life.run(Time(52.0), Time(55.0));
        life.run(Time(60.0), Time(55.0));
        // It loses its GPUs, and gets others, but not for long enough to be ready.
        life.wait(Time(70.0), || (Spent::Outranked, None));
        life.run(Time(80.0), Time(95.0));
        life.wait(Time(90.0), || (Spent::Fragmentation, None));
        life.run(Time(100.0), Time(100.0));
        life.close(Time(120.0));
        assert_eq!(
            told(&life),
            [
                (10.0, 20.0, Spent::Undecided),
                (20.0, 40.0, Spent::BehindHead),
                (40.0, 50.0, Spent::BehindHead),
                (50.0, 55.0, Spent::Restarting),
                (55.0, 70.0, Spent::Running),
                (70.0, 80.0, Spent::Outranked),
                (80.0, 90.0, Spent::Restarting),
                (90.0, 100.0, Spent::Fragmentation),
                (100.0, 120.0, Spent::Running),
            ]
        );
    }

    #[test]
    fn many_steps_are_looked_at_less_often_but_gpus_are_always_noticed() {
        let mut life = Life::default();
        let mut looks = 0u32;
        for step in 0..100_000u32 {
            life.wait(Time(f64::from(step)), || {
                looks += 1;
                (Spent::Outranked, None)
            });
        }
        assert!((LOOKS..20 * LOOKS).contains(&looks), "{looks}");
        life.run(Time(100_000.0), Time(100_000.0));
        life.wait(Time(100_001.0), || (Spent::Quota, None));
        life.close(Time(100_002.0));
        assert_eq!(
            told(&life),
            [
                (0.0, 100_000.0, Spent::Outranked),
                (100_000.0, 100_001.0, Spent::Running),
                (100_001.0, 100_002.0, Spent::Quota),
            ]
        );
    }
}
