//! What goes wrong under FIFO, and what the best of the published policies makes of it, on a challenge's open workload.

use super::challenge::Challenge;
use super::run::{Carry, Drawn, ScoreError};
use serde::Serialize;
use switchyard::policies::PolicySpec;

/// How many moments a picture has.
const MOMENTS: usize = 120;

/// How many jobs are there, over time: submitted, and not done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Picture {
    /// Seconds from one moment to the next.
    pub every: f64,
    /// Under FIFO.
    pub fifo: Vec<u32>,
    /// Under the par's policy.
    pub par: Vec<u32>,
}

/// A challenge's picture, of two runs.
///
/// # Errors
///
/// A run has been given up.
pub fn picture(
    challenge: &'static Challenge,
    carry: &mut Carry<'_>,
) -> Result<Picture, ScoreError> {
    let drawn = Drawn::open(challenge);
    let mut ends = |spec: &str| {
        let policy: Result<PolicySpec, _> = spec.parse();
        let policy = policy.unwrap_or_else(|_| unreachable!("it is one of the policies"));
        let (jct, _) = drawn.run((&policy).into(), carry)?;
        let jobs = drawn.workload.jobs.iter().zip(jct);
        let lives = jobs.map(|(job, jct)| (job.submit.seconds(), job.submit.seconds() + jct));
        Ok::<Vec<(f64, f64)>, ScoreError>(lives.collect())
    };
    let (fifo, par) = (ends("fifo")?, ends(challenge.par.policy)?);
    let last = fifo.iter().chain(&par).map(|of| of.1).fold(0.0, f64::max);
    let every = last / MOMENTS as f64;
    let there = |lives: &[(f64, f64)]| {
        let at = |moment: usize| {
            let now = moment as f64 * every;
            let there = lives.iter().filter(|&&(from, to)| from <= now && now < to);
            there.count() as u32
        };
        (0..=MOMENTS).map(at).collect()
    };
    Ok(Picture {
        every,
        fifo: there(&fifo),
        par: there(&par),
    })
}
