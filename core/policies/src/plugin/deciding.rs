//! The policy that a module is: it is shown the jobs, and what it wants becomes a plan.

use super::PluginError;
use super::actions::Action;
use super::guest::Guest;
use super::table::Rows;
use crate::cluster::{Part, Placement};
use crate::job::JobId;
use crate::moment::verdict;
use crate::workload::DEFAULT_PACKLIMIT;
use crate::{Cadence, Every, Explanation, Fact, Policy, Rng};
use std::cell::RefCell;
use switchyard_engine::{Phase, Plan, View};
use switchyard_placement::{Room, Strategy};

/// A module, and what it decided last.
pub(super) struct Deciding {
    guest: RefCell<Guest>,
    rows: Rows,
    actions: Vec<Action>,
    strategy: Strategy,
    every: Option<Every>,
    room: Room,
    placement: Placement,
    /// What has been done about each row in this plan.
    done: Vec<Done>,
}

/// What has been done about a job in a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Done {
    /// Its GPUs have been given back.
    left: bool,
    started: bool,
}

impl Deciding {
    pub(super) fn new(guest: Guest, strategy: Strategy, every: Option<Every>) -> Self {
        Self {
            guest: RefCell::new(guest),
            rows: Rows::default(),
            actions: Vec::new(),
            strategy,
            every,
            room: Room::default(),
            placement: Placement::default(),
            done: Vec::new(),
        }
    }

    /// Asks the module, and writes what it wants into the plan.
    pub(super) fn decide(&mut self, view: &View<'_>, plan: &mut Plan) -> Result<(), PluginError> {
        self.rows.follow(view);
        let guest = self.guest.get_mut();
        guest.plan(&self.rows, view, &mut self.actions)?;
        if self.actions.is_empty() {
            return Ok(());
        }
        view.room(&mut self.room);
        self.done.clear();
        self.done.resize(self.rows.jobs().len(), Done::default());
        let actions = std::mem::take(&mut self.actions);
        // Who is stopped or moved leaves before anybody is laid.
        for (index, &action) in (0u32..).zip(&actions) {
            self.let_go(action, view, plan)
                .map_err(|why| PluginError::Action { index, why })?;
        }
        let mut at = 0;
        while let Some(&action) = actions.get(at) {
            let index = at as u32;
            at += self
                .carry_out(action, &actions[at..], view, plan)
                .map_err(|why| PluginError::Action { index, why })?;
        }
        self.actions = actions;
        Ok(())
    }

    /// The job of a row, and its place in `done`.
    fn of_row(&self, row: u32) -> Result<(JobId, usize), String> {
        let (row, rows) = (row as usize, self.rows.jobs());
        let found = rows.get(row).map(|&job| (job, row));
        found.ok_or_else(|| format!("an action about row {row}, of {} from 0", rows.len()))
    }

    fn let_go(&mut self, action: Action, view: &View<'_>, plan: &mut Plan) -> Result<(), String> {
        let (row, stops) = match action {
            Action::Stop { row } => (row, true),
            Action::Start { row } | Action::StartOn { row, .. } => (row, false),
            Action::Alarm { .. } => return Ok(()),
        };
        let (job, row) = self.of_row(row)?;
        let runs = view.phase(job) == Phase::Running && !self.done[row].left;
        if stops && !runs {
            return Err(format!(
                "a stop of job {}, which does not run",
                view.name(job)
            ));
        }
        if runs {
            self.done[row].left = true;
            self.room
                .give(job, view.ledger().parts(job), view.needs(job));
            plan.preempt(job);
        }
        Ok(())
    }

    /// Carries an action out, the first of `rest`, and says how many of them belong to it.
    fn carry_out(
        &mut self,
        action: Action,
        rest: &[Action],
        view: &View<'_>,
        plan: &mut Plan,
    ) -> Result<usize, String> {
        let row = match action {
            Action::Stop { .. } => return Ok(1),
            Action::Alarm { row, at } => {
                let (job, _) = self.of_row(row)?;
                plan.alarm(job, crate::Time(at));
                return Ok(1);
            }
            Action::Start { row } | Action::StartOn { row, .. } => row,
        };
        let (job, row) = self.of_row(row)?;
        if std::mem::replace(&mut self.done[row].started, true) {
            return Err(format!("a second start of job {}", view.name(job)));
        }
        let gang = view.gang(job, self.strategy, DEFAULT_PACKLIMIT);
        let nodes = asked_nodes(row as u32, rest)?;
        let laid = match nodes.is_empty() {
            true => (self.room).place(self.strategy, gang, &mut self.placement),
            false => (self.room).lay(gang, &mut self.placement, |free, _, _, placement| {
                let has_room = |part: &Part| {
                    let free = free.per_node().get(part.node as usize);
                    free.is_some_and(|&free| part.gpus <= free)
                };
                placement.parts.clone_from(&nodes);
                nodes.iter().all(has_room)
            }),
        };
        if laid {
            (self.room).take(job, &self.placement.parts, gang.needs);
            plan.place(job, &self.placement);
        } else if !nodes.is_empty() {
            let name = view.name(job);
            return Err(format!(
                "a start of job {name} on nodes that have no room for it"
            ));
        }
        Ok(nodes.len().max(1))
    }
}

/// The nodes that the first of these actions, and those after it about the same row, ask for.
fn asked_nodes(row: u32, actions: &[Action]) -> Result<Vec<Part>, String> {
    let mut parts: Vec<Part> = Vec::new();
    for action in actions {
        let &Action::StartOn {
            row: of,
            node,
            gpus,
        } = action
        else {
            break;
        };
        if of != row {
            break;
        }
        if gpus == 0 || parts.iter().any(|part| part.node == node) {
            return Err(format!(
                "a start with {gpus} GPUs on node {node}, or that node twice"
            ));
        }
        parts.push(Part::new(node, gpus));
    }
    Ok(parts)
}

impl Policy for Deciding {
    fn cadence(&self) -> Cadence {
        Cadence {
            on_change: true,
            every: self.every,
        }
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        if let Err(error) = self.decide(view, plan) {
            plan.fail(error.into());
        }
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let row = self.rows.row(job).map(|row| row as u32);
        let terms = match (row, self.guest.try_borrow_mut()) {
            (Some(row), Ok(mut guest)) => guest.explain(&self.rows, view, row),
            _ => Ok(Vec::new()),
        };
        let facts = match terms {
            Ok(terms) => terms
                .iter()
                .map(|(name, value)| Fact::new(name, in_short(*value)))
                .collect(),
            Err(why) => vec![Fact::new("not explained", why)],
        };
        Explanation::new(verdict(view, job), facts)
    }
}

/// A number with no more digits than say something.
fn in_short(value: f64) -> String {
    let text = format!("{value:.4}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}
