//! The runs on stage as charts and tables compare them.

use crate::draw::format;
use crate::stage::{Stage, StageRun};
use std::borrow::Cow;
use switchyard::report::{Outcomes, Summary, TypeFigures};
use switchyard_app::figures::{Compared, Comparison};

impl Stage {
    /// All runs, as charts compare them.
    pub fn comparison(&self) -> Comparison<'_> {
        Comparison {
            workload: &self.workload,
            cluster: &self.cluster,
            moments: self.moments(),
            unit: format::unit(),
            end: self.whole(),
            runs: self.runs.iter().map(|run| compared(self, run)).collect(),
        }
    }
}

fn compared<'a>(stage: &Stage, run: &'a StageRun) -> Compared<'a> {
    Compared {
        name: run.name(),
        hue: run.hue(),
        reached: run.reached(),
        log: &run.log,
        results: run.finished().map(|of| (&of.outcomes, &of.summary)),
        // The page does not have the applications.
        knows_rho: !stage.state.adapts(),
    }
}

/// What became of each job of a run, as far as it has come.
pub fn outcomes<'a>(stage: &'a Stage, run: &'a StageRun) -> Cow<'a, Outcomes> {
    compared(stage, run).outcomes(&stage.comparison())
}

/// A run in numbers, as far as it has come.
pub fn summary(stage: &Stage, run: &StageRun) -> Summary {
    compared(stage, run).summary(&stage.comparison())
}

/// A run by GPU type, as far as it has come; nothing where all GPUs are of one.
pub fn types(stage: &Stage, run: &StageRun) -> Vec<TypeFigures> {
    compared(stage, run).types(&stage.comparison())
}
