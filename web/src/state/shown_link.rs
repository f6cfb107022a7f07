//! What the page shows, as a link.

use super::link::{Link, fit_in_a_link};
use super::{AppState, Run, names};
use crate::bridge::protocol::Choice;
use crate::stage::Stage;
use switchyard::outages::Outages;
use switchyard_app::study::Origin;

impl Link {
    /// What the page shows now.
    pub fn of(state: &AppState, stage: &Stage) -> Self {
        let trace = state.opening.trace.as_ref();
        let position = |id: u32| state.runs.iter().position(|run| run.id == id);
        Self {
            source: state.opening.source.clone(),
            cluster: (state.opening.cluster_origin == Origin::Asked)
                .then(|| state.setup.cluster.clone()),
            settings: {
                let mut settings = state.setup.settings.clone();
                if !settings.applications.profiles.is_empty() {
                    settings.applications_mut().profiles.clear();
                }
                if !fit_in_a_link(&settings.outages) {
                    settings.outages = Outages::default();
                }
                settings
            },
            member: trace.and_then(|trace| trace.member.clone()),
            columns: trace.and_then(|trace| trace.columns.clone()),
            choice: trace.map_or_else(Choice::default, |trace| trace.choice.clone()),
            policies: state.runs.iter().map(|run| run.policy.clone()).collect(),
            names: state.runs.iter().map(|run| run.given.clone()).collect(),
            hues: names::hues_in_links(&state.runs.list),
            says_runs: true,
            baseline: position(state.runs.baseline).unwrap_or(0),
            view: state.view.name.clone(),
            options: state
                .view
                .options
                .with_runs(|id| Some(position(id)? as u32)),
            question: state.analyses.model.question.clone(),
            colour_by: state.view.colour_by,
            theme: state.view.theme,
            time: Some(stage.clock.now),
            speed: Some(stage.clock.speed),
            seen: stage.axis.seen(),
            range: stage.axis.selected(),
            job: state.selection.job,
            followed: state.selection.followed,
            lit: state.view.lit,
            complaints: Vec::new(),
        }
    }

    /// What of the page no link carries, in words: files do.
    pub fn left_out(state: &AppState) -> Vec<&'static str> {
        let settings = &state.setup.settings;
        let names_history = |run: &Run| run.policy.history().is_some();
        let parts = [
            (
                !settings.applications.profiles.is_empty(),
                "the measured profiles that jobs train by",
            ),
            (
                !fit_in_a_link(&settings.outages),
                "the list of outages, which is too long",
            ),
            (
                state.runs.iter().any(names_history),
                "the service history that a scheduler learns from",
            ),
        ];
        let parts = parts.into_iter();
        parts.filter(|(is, _)| *is).map(|(_, what)| what).collect()
    }
}
