//! The true goodput of jobs, for a scheduler that is told it.

use crate::application::{Application, even};
use crate::goodput::Choice;
use std::collections::BTreeMap;
use switchyard_engine::TrainingView;

/// True choices, remembered.
#[derive(Default)]
pub(super) struct Truth {
    /// By application, epoch, nodes and replicas.
    choices: BTreeMap<(u32, u32, u32, u32), Option<Choice>>,
}

impl Truth {
    pub(super) fn choose(
        &mut self,
        training: &TrainingView<'_>,
        epoch: u32,
        nodes: u32,
        replicas: u32,
    ) -> Option<Choice> {
        let truth: &Application = training.truth()?;
        let key = (training.application(), epoch, nodes, replicas);
        *self
            .choices
            .entry(key)
            .or_insert_with(|| truth.best_choice(&even(nodes, replicas), epoch))
    }
}
