//! What a replay comes to, job by job.

/// What became of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Its name.
    pub name: String,
    /// Its application.
    pub application: String,
    /// When it came, s.
    pub submitted: f64,
    /// When it was done, s.
    pub completed: f64,
    /// Restarts, the first start not counted.
    pub restarts: u32,
    /// GPUs × seconds that it held, restarts and the rest of its last round included.
    pub gpu_seconds: f64,
}

impl Outcome {
    /// Seconds from submission to completion.
    pub fn jct(&self) -> f64 {
        self.completed - self.submitted
    }
}

/// A workload that was run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// In the order of submissions.
    pub outcomes: Vec<Outcome>,
    /// Jobs that ran or waited, in each round.
    pub contention: Vec<u32>,
    /// Rounds of Sia whose plan is the best to within the gap that was asked for, and all of them.
    pub proven: [u32; 2],
}
