//! From FIFO to 2D-LAS in six edits: what whoever learns to write a scheduler changes, one thing at a time. Each has a goal
//! that a run reaches or does not; a test holds that the text given here reaches it, and that the one before it does not.

/// One edit.
#[derive(Clone, Copy, Debug)]
pub struct Lesson {
    /// What it is called.
    pub title: &'static str,
    /// Why it is made.
    pub about: &'static str,
    /// What to change.
    pub hint: &'static str,
    /// What is reached by it, in words.
    pub goal: &'static str,
    /// The policy that runs beside it.
    pub beside: &'static str,
    /// What holds once it is reached.
    pub condition: Condition,
    /// A text that reaches it.
    pub text: &'static str,
}

/// What holds of a run beside that of [`Lesson::beside`].
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// Both write the same log, bit for bit.
    SameLog,
    /// It is no oracle, finishes all jobs, and has at most these parts of what the other has.
    AtMost {
        /// Of the mean JCT.
        jct_mean: f64,
        /// Of the restarts; `None`: any.
        restarts: Option<f64>,
    },
}

/// What it begins with: FIFO.
pub const START: &str = include_str!("course/start.rhai");

/// All, in order.
pub const COURSE: &[Lesson] = &[
    Lesson {
        title: "Jobs that fit go past",
        about: "Under FIFO the first job of the line blocks all behind it: GPUs stand idle while a large job waits for more. Let jobs that fit overtake it.",
        hint: "Add a line at the top: const BACKFILL = true;",
        goal: "Your run and FIFO with backfilling write the same log.",
        beside: "fifo[backfill=true]",
        condition: Condition::SameLog,
        text: include_str!("course/backfill.rhai"),
    },
    Lesson {
        title: "The smallest go first",
        about: "The key says who goes first: the job with the least number. Let it be the size of the gang. And let running jobs give way: that is what a script does unless it says otherwise.",
        hint: "Give job.gpus instead of job.submit, and delete both constants.",
        goal: "Your run and Fewest GPUs first write the same log.",
        beside: "fewest-gpus",
        condition: Condition::SameLog,
        text: include_str!("course/fewest.rhai"),
    },
    Lesson {
        title: "If one only knew",
        about: "That did not help: small is not short. Who knew how long each job has still to run would let the shortest go first. No real scheduler knows: what looks at it is an oracle, and has to say so. It shows how much there is to win.",
        hint: "Add const ORACLE = true; at the top, and give job.remaining.",
        goal: "Your run and SRTF write the same log.",
        beside: "srtf",
        condition: Condition::SameLog,
        text: include_str!("course/oracle.rhai"),
    },
    Lesson {
        title: "Guess by the past",
        about: "Most jobs are short, and who has run for long runs on for long. So those go first that have had GPUs for the least time. That is known to everybody.",
        hint: "Delete the constant, and give job.held: the seconds that it has had GPUs.",
        goal: "Without an oracle, your mean JCT is at least 5 % shorter than that of Fewest GPUs first.",
        beside: "fewest-gpus",
        condition: Condition::AtMost {
            jct_mean: 0.95,
            restarts: None,
        },
        text: include_str!("course/held.rhai"),
    },
    Lesson {
        title: "Two dimensions",
        about: "An hour on eight GPUs takes more from the others than an hour on one. So count both, time and GPUs: attained service. It grows while jobs run, so compare anew every minute.",
        hint: "Give job.attained, and add const EVERY = 60; at the top.",
        goal: "Your run and continuous 2D-LAS write the same log.",
        beside: "las",
        condition: Condition::SameLog,
        text: include_str!("course/attained.rhai"),
    },
    Lesson {
        title: "Queues",
        about: "Now jobs of about equal service take turns every minute, and each turn is a restart. Tiresias makes queues of it: who has had little is in the first, who has had more in a later one, and in each who came first goes first.",
        hint: "Make a level that rises by one where a job has had twice as much: floor(log2(1.0 + job.attained / 60.0)). Give level * 1e9 + job.submit.",
        goal: "At most 15 % of the restarts of continuous 2D-LAS, and a mean JCT at most 5 % longer than its own.",
        beside: "las",
        condition: Condition::AtMost {
            jct_mean: 1.05,
            restarts: Some(0.15),
        },
        text: include_str!("course/queues.rhai"),
    },
];
