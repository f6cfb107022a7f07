//! What a round asks, and what it is answered. In: what a caller says. Out: the same, checked.

use crate::configurations::Configuration;
use thiserror::Error;

/// A round.
#[derive(Clone, Debug)]
pub struct Program {
    /// What may be chosen, the same for all jobs.
    pub columns: Vec<Configuration>,
    /// GPUs of each type.
    pub gpus: Vec<u32>,
    /// For each job, the cost of each column less that of going without; in any unit, below 2^40. Only costs below
    /// 0 are ever chosen freely.
    pub costs: Vec<Vec<i64>>,
    /// For each job the column it must keep.
    pub kept: Vec<Option<usize>>,
    /// For each job the column it had: where the search begins.
    pub former: Vec<Option<usize>>,
}

/// How far a search goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// The most branches that go on from one job to the next.
    pub branches: usize,
    /// It ends where cost and bound are this close, as a share of the cost, `zero` included.
    pub gap: f64,
    /// The cost of going without of all jobs together, which shares of the gap are counted with.
    pub zero: i64,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            branches: 1024,
            gap: 1e-4,
            zero: 0,
        }
    }
}

/// A plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The column of each job.
    pub chosen: Vec<Option<usize>>,
    /// Its cost.
    pub cost: i64,
    /// No plan costs less.
    pub bound: i64,
}

/// Why a program cannot be solved.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// A row or list of the wrong length.
    #[error("job {job} has {found} costs for {expected} columns: give each job a cost per column")]
    Shape {
        /// The job, from 0.
        job: usize,
        /// Its costs.
        found: usize,
        /// The columns.
        expected: usize,
    },
    /// Lists of jobs of unlike length.
    #[error(
        "{costs} jobs have costs, {kept} a kept and {former} a former column: give all three for each job"
    )]
    Jobs {
        /// Rows of costs.
        costs: usize,
        /// Entries of kept columns.
        kept: usize,
        /// Entries of former columns.
        former: usize,
    },
    /// A column that is not there, of a type that is not there.
    #[error("column {0} is not there, or its type is not: name one of the columns")]
    Column(usize),
    /// What must be kept does not fit.
    #[error("jobs must keep {used} GPUs of type {kind}, which has {gpus}: let some of them go")]
    Kept {
        /// The type.
        kind: usize,
        /// What they hold.
        used: u64,
        /// What there is.
        gpus: u32,
    },
    /// A cost beyond ±2^40.
    #[error("a cost of job {0} is beyond 2^40: clip it")]
    Cost(usize),
    /// So many GPUs that a branch has no number.
    #[error("there are too many types and GPUs to number their uses: join types")]
    Size,
}

/// What is left of each type by the jobs that keep theirs.
pub(super) fn left(program: &Program) -> Result<Vec<u32>, ProgramError> {
    const MOST: u64 = 1 << 40;
    let jobs = program.costs.len();
    if program.kept.len() != jobs || program.former.len() != jobs {
        return Err(ProgramError::Jobs {
            costs: jobs,
            kept: program.kept.len(),
            former: program.former.len(),
        });
    }
    let kinds = program.gpus.len();
    let columns = &program.columns;
    if let Some(at) = columns.iter().position(|column| column.kind >= kinds) {
        return Err(ProgramError::Column(at));
    }
    for (job, costs) in program.costs.iter().enumerate() {
        if costs.len() != columns.len() {
            return Err(ProgramError::Shape {
                job,
                found: costs.len(),
                expected: columns.len(),
            });
        }
        if costs.iter().any(|cost| cost.unsigned_abs() > MOST) {
            return Err(ProgramError::Cost(job));
        }
    }
    let named = program.kept.iter().chain(&program.former).flatten();
    if let Some(&at) = named.into_iter().find(|&&at| at >= columns.len()) {
        return Err(ProgramError::Column(at));
    }
    let mut used = vec![0_u64; kinds];
    for &column in program.kept.iter().flatten() {
        used[columns[column].kind] += u64::from(columns[column].gpus);
    }
    let left = program.gpus.iter().zip(&used).enumerate();
    left.map(|(kind, (&gpus, &used))| {
        let over = ProgramError::Kept { kind, used, gpus };
        u32::try_from(used)
            .ok()
            .and_then(|used| gpus.checked_sub(used))
            .ok_or(over)
    })
    .collect()
}
