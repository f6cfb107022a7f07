//! What a policy wants: the *changes* to who runs where, so that its cost grows with what
//! changes and not with what stays.

use super::node_state::NodeState;
use super::standing::Standing;
use crate::cluster::{Part, PlaceError, Placement};
use crate::goodput::LocalBatch;
use crate::job::JobId;
use crate::{Resource, Time};
use serde::{Deserialize, Serialize};

/// The changes a policy wants at one moment. Jobs not named stay as they are. The engine first
/// takes back the GPUs of every preempted or moved job, then places in the order given.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub(super) preempted: Vec<JobId>,
    /// Of some of them: for whom.
    pub(super) preempted_for: Vec<(JobId, JobId)>,
    pub(super) placed: Vec<Placed>,
    pub(super) parts: Vec<Part>,
    pub(super) alarms: Vec<(JobId, Time)>,
    pub(super) limits: Vec<(JobId, Time)>,
    pub(super) queue_moves: Vec<QueueMove>,
    pub(super) tuned: Vec<(JobId, LocalBatch)>,
    pub(super) round: Option<(f64, f64)>,
    pub(super) rented: Option<u32>,
    pub(super) mistake: Option<Box<Mistake>>,
}

/// A job to be placed on rows `from..to` of `parts`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) job: JobId,
    pub(super) from: u32,
    pub(super) to: u32,
    /// Else as the job's owner asks.
    pub(super) batch: Option<LocalBatch>,
    /// Jobs that take turns on these GPUs: how many, and the first of them; 1 and itself: no others.
    pub(super) turns: (u8, JobId),
    /// As what, where another job may have the same GPUs, too.
    pub(super) standing: Option<Standing>,
}

/// A change of a job's queue, for the log.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueueMove {
    pub(super) job: JobId,
    pub(super) queue: u32,
    pub(super) demoted: bool,
}

impl Plan {
    /// How many jobs may take turns on the same GPUs.
    pub const MOST_TOGETHER: usize = switchyard_interleaving::cycle::SLOTS;

    /// Take the job's GPUs away; it goes back to waiting.
    pub fn preempt(&mut self, job: JobId) {
        self.preempted.push(job);
    }

    /// The same, so that another job can run: for the log.
    pub fn preempt_for(&mut self, job: JobId, by: JobId) {
        self.preempt(job);
        self.preempted_for.push((job, by));
    }

    /// Run the job there: a start, a resume or, for a running job, a move.
    pub fn place(&mut self, job: JobId, placement: &Placement) {
        self.put(job, &placement.parts, None);
    }

    /// Run an adaptive job on these GPUs, as many as it can use, with this batch.
    pub fn train(&mut self, job: JobId, parts: &[Part], batch: LocalBatch) {
        self.put(job, parts, Some(batch));
    }

    /// Run these jobs, at most [`Self::MOST_TOGETHER`], on the same GPUs: they take turns. Those that run already start
    /// anew, too. Each may [take turns](super::View::may_take_turns), and all have gangs of the same size.
    pub fn interleave(&mut self, jobs: &[JobId], placement: &Placement) {
        for &job in jobs {
            self.put(job, &placement.parts, None);
            if let Some(placed) = self.placed.last_mut() {
                let count = u8::try_from(jobs.len()).unwrap_or(u8::MAX);
                placed.turns = (count, jobs[0]);
            }
        }
    }

    /// Run the job on exactly these GPUs, those that its parts wish for, of which each may have another job that was
    /// placed so, too. It may [run beside others](super::View::may_be_co_located).
    pub fn place_as(&mut self, job: JobId, standing: Standing, placement: &Placement) {
        self.put(job, &placement.parts, None);
        if let Some(placed) = self.placed.last_mut() {
            placed.standing = Some(standing);
        }
    }

    fn put(&mut self, job: JobId, parts: &[Part], batch: Option<LocalBatch>) {
        let from = self.parts.len() as u32;
        self.parts.extend_from_slice(parts);
        let to = self.parts.len() as u32;
        self.placed.push(Placed {
            job,
            from,
            to,
            batch,
            turns: (1, job),
            standing: None,
        });
    }

    /// Let a running adaptive job go on with another batch: no restart.
    pub fn tune(&mut self, job: JobId, batch: LocalBatch) {
        self.tuned.push((job, batch));
    }

    /// Note how good a round's allocation is thought to be, for the log: the scheduler's fitness,
    /// and the speedup per GPU.
    pub fn note_round(&mut self, fitness: f64, utility: f64) {
        self.round = Some((fitness, utility));
    }

    /// From now on only the cluster's first `nodes` are rented: nothing runs on the others, and
    /// they cost nothing. Until a policy says so, all are.
    pub fn rent(&mut self, nodes: u32) {
        self.rented = Some(nodes);
    }

    /// Ask to be called at `at` about this job, if until then it neither starts, moves, stops
    /// nor finishes. A later alarm for the same job replaces an earlier one.
    pub fn alarm(&mut self, job: JobId, at: Time) {
        self.alarms.push((job, at));
    }

    /// End the job at `at`, done or not, if it still has its GPUs by this plan: it has come to its time limit.
    pub fn limit(&mut self, job: JobId, at: Time) {
        self.limits.push((job, at));
    }

    /// Note that the job has sunk to `queue` (0 is the highest).
    pub fn demote(&mut self, job: JobId, queue: u32) {
        self.queue_moves.push(QueueMove {
            job,
            queue,
            demoted: true,
        });
    }

    /// Note that the job has risen to `queue` (0 is the highest).
    pub fn promote(&mut self, job: JobId, queue: u32) {
        self.queue_moves.push(QueueMove {
            job,
            queue,
            demoted: false,
        });
    }

    /// There is no plan: the policy's program, which a person wrote, has this mistake. The run ends.
    pub fn fail(&mut self, mistake: Mistake) {
        self.mistake = Some(Box::new(mistake));
    }

    pub(super) fn clear(&mut self) {
        self.preempted.clear();
        self.preempted_for.clear();
        self.placed.clear();
        self.parts.clear();
        self.alarms.clear();
        self.limits.clear();
        self.queue_moves.clear();
        self.tuned.clear();
        self.round = None;
        self.rented = None;
        self.mistake = None;
    }
}

/// What is wrong in a program that a person wrote, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{}{what}", self.place())]
pub struct Mistake {
    /// From 1; 0: in no line of it.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// What, and what to do.
    pub what: String,
}

impl Mistake {
    /// One that is in no line.
    pub fn nowhere(what: impl Into<String>) -> Self {
        Self {
            line: 0,
            column: 0,
            what: what.into(),
        }
    }

    /// Where, in words; nothing of what is in no line.
    fn place(&self) -> String {
        match self.line {
            0 => String::new(),
            line => format!("line {line}, column {}: ", self.column),
        }
    }
}

/// A mistake in the program of a policy, found while it ran.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{policy} ends at {time} s: {mistake}", time = time.seconds())]
pub struct ProgramError {
    /// The policy's canonical spec, without its text.
    pub policy: String,
    /// When, in the simulated time.
    pub time: Time,
    /// What, and where in its text.
    pub mistake: Mistake,
}

/// A plan the engine refuses: the policy, the moment, the job, and what is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "policy {policy} made an impossible plan at {time} s for job {job}: {kind}",
    time = time.seconds(),
    job = job.0,
    kind = unit.words(&kind.to_string())
)]
pub struct PlanError {
    /// The policy's canonical spec.
    pub policy: String,
    /// When.
    pub time: Time,
    /// About which job.
    pub job: JobId,
    /// What is wrong.
    pub kind: PlanErrorKind,
    /// What is counted.
    pub unit: Resource,
}

/// What is wrong with a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanErrorKind {
    /// No job has this id.
    #[error("there is no such job")]
    UnknownJob,
    /// The job is not in the system: not yet submitted, finished or rejected.
    #[error("it is not waiting or running")]
    NotActive,
    /// Only a running job can be preempted.
    #[error("it is preempted but does not run")]
    NotRunning,
    /// One placement per job and plan.
    #[error("it is named twice")]
    NamedTwice,
    /// A gang is all or nothing.
    #[error("it asks for {requested} GPUs but is given {given}")]
    GangBroken {
        /// The gang.
        requested: u32,
        /// GPUs in the plan.
        given: u32,
    },
    /// A gang is all roles or nothing.
    #[error("it has {wanted} parameter servers but is given room for {there}")]
    ServersBroken {
        /// The job's.
        wanted: u32,
        /// Those in the plan.
        there: u32,
    },
    /// A job that shares a GPU gets what it asks for of one, and nobody else does.
    #[error("it is given something else than the share of a GPU that it asks for")]
    NotItsShare,
    /// Jobs that take turns are gangs of whole GPUs with a fixed duration, and few.
    #[error(
        "it is to take turns with others on the same GPUs, but adapts, has parameter servers or a share of a GPU, or is one of more than four"
    )]
    CannotTakeTurns,
    /// So are jobs beside which others run; they tell of no memory that they need, and are given GPUs by number.
    #[error(
        "others may come to its GPUs, but it adapts, has parameter servers or a share of a GPU, tells how much memory of a GPU it needs, or is not told which GPUs it gets"
    )]
    CannotRunBeside,
    /// Only an adaptive job has a batch to choose.
    #[error("it is given a batch size but is a gang with a fixed duration")]
    NotAdaptive,
    /// More GPUs than the job's limits have work for.
    #[error("it can use {most} GPUs but is given {given}")]
    TooManyGpus {
        /// The most it can use.
        most: u32,
        /// GPUs in the plan.
        given: u32,
    },
    /// A batch outside the job's limits.
    #[error("{m} samples per GPU with {s} accumulation passes are outside its limits")]
    BadBatch {
        /// Samples per GPU and pass.
        m: u32,
        /// Accumulation passes.
        s: u32,
    },
    /// Only the first nodes of the cluster are rented.
    #[error("it is to run on node {node}, but only the first {rented} are rented")]
    NotRented {
        /// The node, from 0.
        node: u32,
        /// How many are rented.
        rented: u32,
    },
    /// A type of GPUs, or of their memory, that the job does not allow.
    #[error(
        "it may not run on node {node}: its GPUs are of a type, or have a memory, that it does not allow"
    )]
    NotAllowedOn {
        /// The node, from 0.
        node: u32,
    },
    /// A gang runs on one type.
    #[error("its gang is laid on GPUs of several types")]
    TypesMixed,
    /// The nodes have no more cores or memory.
    #[error("a node that it is to run on has too few cores or too little memory left")]
    NoCoresOrMemory,
    /// Only a node that is up takes jobs.
    #[error("it is to run on node {node}, which is {state}")]
    NodeNotUp {
        /// The node, from 0.
        node: u32,
        /// What it is.
        state: NodeState,
    },
    /// The GPUs are not there.
    #[error(transparent)]
    Place(PlaceError),
    /// An alarm, or a time limit, at NaN.
    #[error("it asks to be called, or to be ended, at a time that is no number")]
    AlarmAtNoTime,
}
