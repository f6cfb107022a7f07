//! Why nothing is said of when a job starts.

use switchyard::RunSpecError;
use switchyard::engine::RunError;

/// Why nothing is said of when a job starts.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The policy knows what nobody can know.
    #[error(
        "{policy} sees how long jobs will take, which nobody knows before: ask of a policy that does not, such as fifo or las, or one with history=online"
    )]
    Oracle {
        /// The policy.
        policy: String,
    },
    /// The policy goes by times asked for, which some jobs do not ask for.
    #[error(
        "{policy} goes by the times that jobs ask for, and {jobs} of {all} ask for none, where it would see the true ones: ask of another policy{hint}"
    )]
    NoTimes {
        /// The policy.
        policy: String,
        /// How many jobs ask for none.
        jobs: usize,
        /// Of how many.
        all: usize,
        /// What helps if it is the job that is added.
        hint: &'static str,
    },
    /// The policy repeats what the trace records.
    #[error("{policy} repeats when jobs started, and decides nothing: ask of another policy")]
    Replays {
        /// The policy.
        policy: String,
    },
    /// Jobs that adapt have no duration.
    #[error(
        "jobs that train applications take as long as their GPUs let them, so that what jobs took before says little: ask without them"
    )]
    Adaptive,
    /// The moment is none of the trace.
    #[error(
        "the moment lies after the trace: its last job came at {last} s and all have ended by {ended} s"
    )]
    After {
        /// When its last job came, seconds.
        last: f64,
        /// When all had ended, seconds.
        ended: f64,
    },
    /// The moment is none.
    #[error("the moment must be a time of the trace, 0 or later")]
    NoMoment,
    /// The job has not come by the moment.
    #[error("the job comes at {submit} s, after the moment")]
    NotYet {
        /// When it comes, seconds.
        submit: f64,
    },
    /// No job is called so.
    #[error("there is no job '{name}' in the trace{meant}")]
    NotNamed {
        /// The name.
        name: String,
        /// What may have been meant, if anything.
        meant: String,
    },
    /// There is no such job.
    #[error("there is no such job in the trace")]
    NoJob,
    /// More than the cluster has.
    #[error(
        "it wants {gpus} GPUs, which this cluster ({cluster}) cannot give to one job: ask for fewer"
    )]
    TooLarge {
        /// What it wants.
        gpus: u32,
        /// What there is.
        cluster: String,
    },
    /// A job without GPUs.
    #[error("a job without GPUs is beside what schedulers decide: ask for one or more")]
    NoGpus,
    /// A limit that is none.
    #[error("a limit must be longer than 0 s")]
    Limit,
    /// What the policy does up to the moment hangs on what comes later.
    #[error(
        "what {policy} does up to the moment is another if later jobs or durations are others, so that it cannot be asked"
    )]
    Foresees {
        /// The policy.
        policy: String,
    },
    /// The run cannot begin.
    #[error(transparent)]
    Spec(#[from] RunSpecError),
    /// The run ends too early.
    #[error(transparent)]
    Run(#[from] RunError),
}
