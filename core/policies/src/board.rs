//! Nodes and jobs, as a plan in the making leaves them: what somebody's own policy writes to that decides the whole.
//! In: what a [`View`] shows, and one change after the other. Out: a [`Plan`]. Each change is tried on what is free at
//! once, so that what is impossible is told where it is asked for, in words.

use crate::Time;
use crate::cluster::{Needs, Part, Placement};
use crate::goodput::LocalBatch;
use crate::job::JobId;
use crate::priority_walk::{Floor, PriorityWalk};
use crate::waiting_room::Waiter;
use crate::workload::DEFAULT_PACKLIMIT;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use switchyard_engine::{Phase, Plan, View};
use switchyard_placement::{Gang, Room, Strategy};

/// What came of a change, or why there is none, in words.
pub type Answer<T> = Result<T, String>;

/// A job by whatever is asked about it; its name is for messages.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// Which.
    pub id: JobId,
    /// What the trace calls it.
    pub name: &'a str,
}

/// Where a job is at a moment, and what it needs.
#[derive(Debug)]
pub struct Seat {
    /// Its gang, for a placement to lay.
    pub gang: Gang,
    /// Where that may lie.
    pub needs: Needs,
    /// Where it lies; nowhere, if the job waits.
    pub parts: Vec<Part>,
    /// Whether it runs.
    pub running: bool,
}

/// GPUs on a node that are asked for; without a number as many as are free there.
pub type OnNode = (i64, Option<u32>);

/// Nodes and jobs, as a plan in the making leaves them.
pub struct Board {
    plan: Plan,
    strategy: Strategy,
    strict: bool,
    seats: BTreeMap<JobId, Arc<Seat>>,
    room: RefCell<Room>,
    /// The walk has taken the room over.
    is_handed_on: Cell<bool>,
    closed: u32,
    has_unlike_nodes: bool,
    /// Who has been started, stopped or moved.
    changed: BTreeSet<JobId>,
    has_walked: bool,
    placement: Placement,
}

/// Who starts and who gives way by a [walk](Board::walk).
#[derive(Clone, Debug)]
pub struct Walked {
    /// Those that start, the first first.
    pub started: Vec<JobId>,
    /// Those that lose their GPUs.
    pub preempted: Vec<JobId>,
}

impl Named<'_> {
    /// Which it is, for messages.
    pub fn called(self) -> String {
        format!("job '{}'", self.name)
    }
}

impl Seat {
    /// Of a job now; its gang is to be laid so.
    pub fn of(view: &View<'_>, id: JobId, strategy: Strategy) -> Self {
        Self {
            gang: view.gang(id, strategy, DEFAULT_PACKLIMIT),
            needs: view.needs(id),
            parts: view.ledger().parts(id).to_vec(),
            running: view.phase(id) == Phase::Running,
        }
    }

    /// GPUs that it holds.
    pub fn holds(&self) -> u32 {
        Part::gpus_of(&self.parts)
    }
}

impl Board {
    /// What a view shows, before anything is changed. `strict`: in a [walk](Self::walk) nobody overtakes a job that
    /// does not fit.
    pub fn new(
        view: &View<'_>,
        strategy: Strategy,
        strict: bool,
        seats: impl IntoIterator<Item = (JobId, Arc<Seat>)>,
    ) -> Self {
        let mut room = Room::default();
        view.room(&mut room);
        Self {
            plan: Plan::default(),
            strategy,
            strict,
            seats: seats.into_iter().collect(),
            room: RefCell::new(room),
            is_handed_on: Cell::new(false),
            closed: view.closed_nodes(),
            has_unlike_nodes: view.has_unlike_nodes(),
            changed: BTreeSet::new(),
            has_walked: false,
            placement: Placement::default(),
        }
    }

    /// The plan that has come of it.
    pub fn into_plan(self) -> Plan {
        self.plan
    }

    /// Where a job is: whoever decides may have kept it from an earlier decision.
    fn seat(&self, job: Named<'_>) -> Answer<Arc<Seat>> {
        let seat = self.seats.get(&job.id).cloned();
        seat.ok_or_else(|| {
            format!(
                "{} is over: it was kept from an earlier decision",
                job.called()
            )
        })
    }

    /// The same, if nothing has been decided about it yet.
    ///
    /// # Errors
    ///
    /// Something has, or the job is over.
    pub fn untouched(&self, job: Named<'_>) -> Answer<Arc<Seat>> {
        if self.has_walked {
            let what =
                "walk() has decided about all jobs: start, stop, move or train none beside it";
            return Err(what.into());
        }
        let seat = self.seat(job)?;
        if self.changed.contains(&job.id) {
            return Err(format!(
                "{} has been started, stopped or moved in this plan already: once is all",
                job.called()
            ));
        }
        Ok(seat)
    }

    fn waiting(&self, job: Named<'_>) -> Answer<Arc<Seat>> {
        let seat = self.untouched(job)?;
        if seat.running {
            return Err(format!(
                "{} runs already: move(job, nodes) moves it, stop(job) takes its GPUs",
                job.called()
            ));
        }
        Ok(seat)
    }

    fn running(&self, job: Named<'_>) -> Answer<Arc<Seat>> {
        let seat = self.untouched(job)?;
        if !seat.running {
            return Err(format!(
                "{} does not run: ask job.running first",
                job.called()
            ));
        }
        Ok(seat)
    }

    /// Lays a waiting job's gang by the placement; `false`: there is no room for it.
    ///
    /// # Errors
    ///
    /// It does not wait, or something has been decided about it.
    pub fn start(&mut self, job: Named<'_>) -> Answer<bool> {
        let seat = self.waiting(job)?;
        if !self.lay(job.id, seat.gang) {
            return Ok(false);
        }
        self.plan.place(job.id, &self.placement);
        self.changed.insert(job.id);
        Ok(true)
    }

    /// The same on these nodes.
    ///
    /// # Errors
    ///
    /// It does not wait, or these nodes cannot be.
    pub fn start_on(&mut self, job: Named<'_>, nodes: &[OnNode]) -> Answer<bool> {
        let seat = self.waiting(job)?;
        self.put(job, &seat, nodes)
    }

    /// Takes a running job's GPUs.
    ///
    /// # Errors
    ///
    /// It does not run, or something has been decided about it.
    pub fn stop(&mut self, job: Named<'_>) -> Answer<()> {
        let seat = self.running(job)?;
        self.room.get_mut().give(job.id, &seat.parts, seat.needs);
        self.plan.preempt(job.id);
        self.changed.insert(job.id);
        Ok(())
    }

    /// Moves a running job to these nodes.
    ///
    /// # Errors
    ///
    /// It does not run, or these nodes cannot be.
    pub fn move_to(&mut self, job: Named<'_>, nodes: &[OnNode]) -> Answer<bool> {
        let seat = self.running(job)?;
        self.room.get_mut().give(job.id, &seat.parts, seat.needs);
        self.put(job, &seat, nodes)
    }

    /// Puts a gang on these nodes.
    fn put(&mut self, job: Named<'_>, seat: &Seat, nodes: &[OnNode]) -> Answer<bool> {
        if seat.gang.share.is_some() || seat.needs.servers().count > 0 {
            return Err(format!(
                "{} shares a GPU or has parameter servers: start(job) places it",
                job.called()
            ));
        }
        let room = self.room.get_mut();
        let parts = laid(room, job, seat, nodes)?;
        let given = Part::gpus_of(&parts);
        if given != seat.gang.gpus {
            return Err(format!(
                "{} wants {} GPUs, but these nodes have {given} free",
                job.called(),
                seat.gang.gpus
            ));
        }
        if !room.fits(&parts, seat.needs) {
            return Err(format!(
                "{} does not fit on these nodes: too few GPUs, cores or too little memory are free there",
                job.called()
            ));
        }
        room.take(job.id, &parts, seat.needs);
        self.placement.parts = parts;
        self.plan.place(job.id, &self.placement);
        self.changed.insert(job.id);
        Ok(true)
    }

    /// Runs an adaptive job on so many GPUs with a batch; `before`: the one it has. `false`: there is no room.
    ///
    /// # Errors
    ///
    /// Something has been decided about it.
    pub fn train(
        &mut self,
        job: Named<'_>,
        gpus: u32,
        batch: LocalBatch,
        before: LocalBatch,
    ) -> Answer<bool> {
        let seat = self.untouched(job)?;
        if seat.holds() == gpus {
            if batch != before {
                self.plan.tune(job.id, batch);
            }
            self.changed.insert(job.id);
            return Ok(true);
        }
        if seat.running {
            self.room.get_mut().give(job.id, &seat.parts, seat.needs);
        }
        if !self.lay(job.id, Gang { gpus, ..seat.gang }) {
            if seat.running {
                self.room.get_mut().take(job.id, &seat.parts, seat.needs);
            }
            return Ok(false);
        }
        self.plan.train(job.id, &self.placement.parts, batch);
        self.changed.insert(job.id);
        Ok(true)
    }

    /// Who runs follows from an order of all jobs; those who run and are not in it come last.
    ///
    /// # Errors
    ///
    /// Something has been decided already, or a job of the order is over.
    pub fn walk<'a>(&mut self, order: impl IntoIterator<Item = Named<'a>>) -> Answer<Walked> {
        if self.has_walked || !self.changed.is_empty() {
            let what = "walk() decides about all jobs: call it once, and start, stop, move or train none beside it";
            return Err(what.into());
        }
        let mut walk = PriorityWalk::new(self.strategy);
        walk.strict = self.strict;
        let mut seen = BTreeSet::new();
        let mut key = 0u32;
        let mut take = |id: JobId, seat: &Seat| {
            let waiter = Waiter {
                key,
                job: id,
                gpus: if seat.gang.share.is_some() {
                    0
                } else {
                    seat.gang.gpus
                },
                pools: seat.needs.pools(),
            };
            key += 1;
            if seat.running {
                walk.running.push(waiter);
            } else {
                walk.waiting.insert(waiter);
            }
        };
        for job in order {
            if seen.insert(job.id) {
                take(job.id, &*self.seat(job)?);
            }
        }
        for (&id, seat) in self.seats.iter().filter(|(_, seat)| seat.running) {
            if seen.insert(id) {
                take(id, seat);
            }
        }
        let mut plan = std::mem::take(&mut self.plan);
        walk.walk(self, &mut plan);
        self.plan = plan;
        self.has_walked = true;
        let ids = |waiters: &[Waiter<u32>]| waiters.iter().map(|of| of.job).collect();
        Ok(Walked {
            started: ids(&walk.started),
            preempted: ids(&walk.preempted),
        })
    }

    /// Asks for the policy to be asked again at this time, unless the job starts, moves, stops or ends before.
    ///
    /// # Errors
    ///
    /// The job is over.
    pub fn alarm(&mut self, job: Named<'_>, at: Time) -> Answer<()> {
        self.seat(job)?;
        self.plan.alarm(job.id, at);
        Ok(())
    }

    /// Notes that a job has sunk to a queue, 0 the highest.
    ///
    /// # Errors
    ///
    /// The job is over.
    pub fn demote(&mut self, job: Named<'_>, queue: u32) -> Answer<()> {
        self.seat(job)?;
        self.plan.demote(job.id, queue);
        Ok(())
    }

    /// Notes that it has risen to one.
    ///
    /// # Errors
    ///
    /// The job is over.
    pub fn promote(&mut self, job: Named<'_>, queue: u32) -> Answer<()> {
        self.seat(job)?;
        self.plan.promote(job.id, queue);
        Ok(())
    }

    /// GPUs that are free, after what has been decided.
    pub fn free(&self) -> u32 {
        self.room.borrow().total()
    }

    /// Those on a node.
    ///
    /// # Errors
    ///
    /// There is no such node.
    pub fn free_on(&self, node: i64) -> Answer<u32> {
        let room = self.room.borrow();
        let free = u32::try_from(node).ok();
        let free = free.and_then(|node| room.free().per_node().get(node as usize).copied());
        free.ok_or_else(|| no_node(node))
    }

    /// Whether a node takes jobs.
    ///
    /// # Errors
    ///
    /// There is no such node.
    pub fn is_open(&self, node: i64) -> Answer<bool> {
        self.free_on(node)?;
        Ok(self.room.borrow().free().is_open(node as u32))
    }

    /// How many jobs there are.
    #[cfg(feature = "scripts")]
    pub(crate) fn jobs(&self) -> usize {
        self.seats.len()
    }

    /// How many nodes there are to look at.
    #[cfg(feature = "scripts")]
    pub(crate) fn nodes(&self) -> usize {
        self.room.borrow().free().per_node().len()
    }

    /// Lays a gang by the placement, and takes its room.
    fn lay(&mut self, id: JobId, gang: Gang) -> bool {
        let room = self.room.get_mut();
        let laid = room.place(self.strategy, gang, &mut self.placement);
        if laid {
            room.take(id, &self.placement.parts, gang.needs);
        }
        laid
    }
}

fn no_node(node: i64) -> String {
    format!("there is no node {node}: they go from 0 to view.nodes - 1")
}

/// The gang on nodes.
fn laid(room: &Room, job: Named<'_>, seat: &Seat, nodes: &[OnNode]) -> Answer<Vec<Part>> {
    let free = room.free();
    let mut left = seat.gang.gpus;
    let mut parts: Vec<Part> = Vec::new();
    let mut named = BTreeSet::new();
    for &(node, gpus) in nodes {
        let at = u32::try_from(node).map_err(|_| no_node(node))?;
        let here = *free
            .per_node()
            .get(at as usize)
            .ok_or_else(|| no_node(node))?;
        if !free.is_open(at) {
            return Err(format!("node {node} is down or drained"));
        }
        if !seat.needs.allows(room.pool_of(at)) {
            return Err(format!(
                "node {node} has GPUs of a type that {} does not allow",
                job.called()
            ));
        }
        let gpus = gpus.unwrap_or_else(|| here.min(left));
        if !named.insert(at) {
            return Err(format!("node {node} is named twice for {}", job.called()));
        }
        if gpus > here {
            return Err(format!(
                "node {node} has {here} GPUs free, not {gpus} for {}",
                job.called()
            ));
        }
        if gpus > 0 {
            parts.push(Part::new(at, gpus));
            left = left.saturating_sub(gpus);
        }
    }
    Ok(parts)
}

/// Of a job that is not there.
const NOBODY: Gang = Gang {
    gpus: 0,
    share: None,
    skewed: false,
    needs: Needs::NONE,
    profile: None,
    asker: None,
};

impl Floor for Board {
    fn running(&self) -> usize {
        self.seats.values().filter(|seat| seat.running).count()
    }

    fn gpus_in_use(&self) -> u32 {
        self.seats.values().map(|seat| seat.holds()).sum()
    }

    fn free_gpus(&self) -> u32 {
        self.room.borrow().total()
    }

    fn closed_nodes(&self) -> u32 {
        self.closed
    }

    fn has_unlike_nodes(&self) -> bool {
        self.has_unlike_nodes
    }

    fn room(&self, room: &mut Room) {
        if !self.is_handed_on.replace(true) {
            std::mem::swap(room, &mut self.room.borrow_mut());
        }
    }

    fn parts(&self, job: JobId) -> &[Part] {
        self.seats.get(&job).map_or(&[], |seat| &seat.parts)
    }

    fn open_gpus(&self, job: JobId) -> u32 {
        self.room.borrow().free().open_gpus(self.parts(job))
    }

    fn needs(&self, job: JobId) -> Needs {
        self.seats.get(&job).map_or(Needs::NONE, |seat| seat.needs)
    }

    fn gang(&self, job: JobId, _: Strategy, _: f64) -> Gang {
        self.seats.get(&job).map_or(NOBODY, |seat| seat.gang)
    }
}
