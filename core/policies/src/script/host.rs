//! What the functions of a script write to: numbers, notes and, for one that decides the whole, a plan.
//! Each of its changes is tried on what is free at once, so that what is impossible is told at its line.

use super::budget::Budget;
use super::job::{Facts, Job, Seat};
use super::jobs::Jobs;
use super::refusal::refuse;
use super::training::count;
use super::values::{self, Dict, List, number};
use crate::Time;
use crate::cluster::{Needs, Part, Placement};
use crate::job::JobId;
use crate::priority_walk::{Floor, PriorityWalk};
use crate::waiting_room::Waiter;
use rand_xoshiro::rand_core::SeedableRng;
use rhai::{Dynamic, Engine, EvalAltResult, INT};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use switchyard_engine::{Plan, View};
use switchyard_explain::Fact;
use switchyard_model::draw::{self, Rng};
use switchyard_placement::{Gang, Room, Strategy};

/// What a function given to scripts answers.
type Answer<T> = Result<T, Box<EvalAltResult>>;

/// Where a script writes.
pub(super) struct Host {
    /// What `key` gave.
    pub(super) keys: Vec<f64>,
    /// The run's generator.
    pub(super) rng: Rng,
    /// `None`: nobody listens.
    pub(super) notes: Option<Vec<Note>>,
    /// While the whole is being decided.
    pub(super) board: Option<Board>,
}

/// What a script says of a job, or of all.
pub(super) struct Note {
    job: Option<JobId>,
    term: String,
    value: String,
}

/// So many notes are kept of a decision, of so many bytes each.
const MOST_NOTES: usize = 1_000;
const LONGEST_NOTE: usize = 200;

/// Nodes and jobs, as a plan in the making leaves them.
pub(super) struct Board {
    pub(super) plan: Plan,
    strategy: Strategy,
    strict: bool,
    jobs: BTreeMap<JobId, Job>,
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

impl Default for Host {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            rng: Rng::seed_from_u64(0),
            notes: None,
            board: None,
        }
    }
}

impl Host {
    fn note(&mut self, job: Option<JobId>, term: &str, value: &Dynamic) {
        let notes = self.notes.as_mut();
        let Some(notes) = notes.filter(|notes| notes.len() < MOST_NOTES) else {
            return;
        };
        let short = |mut text: String| {
            let cut = (0..=LONGEST_NOTE)
                .rev()
                .find(|&at| text.is_char_boundary(at));
            text.truncate(cut.unwrap_or(0));
            text
        };
        let value = match value.as_float() {
            Ok(number) => in_words(number),
            Err(_) => values::in_words(value, LONGEST_NOTE),
        };
        notes.push(Note {
            job,
            term: short(term.to_owned()),
            value: short(value),
        });
    }

    /// What was noted of a job, and of all.
    pub(super) fn told(&self, job: JobId) -> Vec<Fact> {
        let notes = self.notes.iter().flatten();
        let about = notes.filter(|note| note.job.is_none_or(|of| of == job));
        about
            .map(|note| Fact::new(&note.term, &note.value))
            .collect()
    }

    fn board(&mut self, budget: &Budget) -> Answer<&mut Board> {
        let board = self.board.as_mut();
        let board = board.ok_or_else(|| {
            refuse("a key is a number and no more: define `fn plan(view)` to start and stop jobs")
        })?;
        // Whatever it is asked, it may look at all nodes.
        budget.walk(board.room.get_mut().free().per_node().len())?;
        Ok(board)
    }
}

impl Board {
    /// What a view shows, before anything is changed.
    pub(super) fn new(view: &View<'_>, strategy: Strategy, strict: bool, jobs: &[Job]) -> Self {
        let mut room = Room::default();
        view.room(&mut room);
        Self {
            plan: Plan::default(),
            strategy,
            strict,
            jobs: jobs.iter().map(|job| (job.0.id, job.clone())).collect(),
            room: RefCell::new(room),
            is_handed_on: Cell::new(false),
            closed: view.closed_nodes(),
            has_unlike_nodes: view.has_unlike_nodes(),
            changed: BTreeSet::new(),
            has_walked: false,
            placement: Placement::default(),
        }
    }

    /// The job as it stands now: a script may have kept it from an earlier decision.
    fn now(&self, job: &Job) -> Answer<Job> {
        let now = self.jobs.get(&job.0.id).cloned();
        now.ok_or_else(|| {
            refuse(format!(
                "{} is over: it was kept from an earlier decision",
                job.called()
            ))
        })
    }

    /// The same, if nothing has been decided about it yet.
    fn untouched(&self, job: &Job) -> Answer<Job> {
        if self.has_walked {
            let what =
                "walk() has decided about all jobs: start, stop, move or train none beside it";
            return Err(refuse(what));
        }
        let now = self.now(job)?;
        if self.changed.contains(&now.0.id) {
            let what = format!(
                "{} has been started, stopped or moved in this plan already: once is all",
                now.called()
            );
            return Err(refuse(what));
        }
        Ok(now)
    }

    fn waiting(&self, job: &Job) -> Answer<Job> {
        let now = self.untouched(job)?;
        if now.0.running {
            let what = format!(
                "{} runs already: move(job, nodes) moves it, stop(job) takes its GPUs",
                now.called()
            );
            return Err(refuse(what));
        }
        Ok(now)
    }

    fn running(&self, job: &Job) -> Answer<Job> {
        let now = self.untouched(job)?;
        if !now.0.running {
            return Err(refuse(format!(
                "{} does not run: ask job.running first",
                now.called()
            )));
        }
        Ok(now)
    }

    fn start(&mut self, job: &Job) -> Answer<bool> {
        let job = self.waiting(job)?;
        let seat = job.seat()?;
        let room = self.room.get_mut();
        if !room.place(self.strategy, seat.gang, &mut self.placement) {
            return Ok(false);
        }
        room.take(job.0.id, &self.placement.parts, seat.needs);
        self.plan.place(job.0.id, &self.placement);
        self.changed.insert(job.0.id);
        Ok(true)
    }

    fn start_on(&mut self, job: &Job, nodes: &List) -> Answer<bool> {
        let job = self.waiting(job)?;
        self.put(&job, nodes)
    }

    fn stop(&mut self, job: &Job) -> Answer<()> {
        let job = self.running(job)?;
        let seat = job.seat()?;
        self.room.get_mut().give(job.0.id, &seat.parts, seat.needs);
        self.plan.preempt(job.0.id);
        self.changed.insert(job.0.id);
        Ok(())
    }

    fn move_to(&mut self, job: &Job, nodes: &List) -> Answer<bool> {
        let job = self.running(job)?;
        let seat = job.seat()?;
        self.room.get_mut().give(job.0.id, &seat.parts, seat.needs);
        self.put(&job, nodes)
    }

    /// Puts a gang on these nodes.
    fn put(&mut self, job: &Job, nodes: &List) -> Answer<bool> {
        let (Facts { id, .. }, seat) = (&*job.0, job.seat()?);
        if seat.gang.share.is_some() || seat.needs.servers().count > 0 {
            let what = format!(
                "{} shares a GPU or has parameter servers: start(job) places it",
                job.called()
            );
            return Err(refuse(what));
        }
        let room = self.room.get_mut();
        let parts = laid(room, job, nodes)?;
        let given = Part::gpus_of(&parts);
        if given != seat.gang.gpus {
            let what = format!(
                "{} wants {} GPUs, but these nodes have {given} free",
                job.called(),
                seat.gang.gpus
            );
            return Err(refuse(what));
        }
        if !room.fits(&parts, seat.needs) {
            let what = format!(
                "{} does not fit on these nodes: too few GPUs, cores or too little memory are free there",
                job.called()
            );
            return Err(refuse(what));
        }
        room.take(*id, &parts, seat.needs);
        self.placement.parts = parts;
        self.plan.place(*id, &self.placement);
        self.changed.insert(*id);
        Ok(true)
    }

    fn train(&mut self, job: &Job, gpus: INT, batch: Option<INT>) -> Answer<bool> {
        let job = self.untouched(job)?;
        let (id, seat, gpus) = (job.0.id, job.seat()?, count(gpus)?);
        let Some(trainee) = seat.trainee.as_ref().filter(|_| seat.gang.share.is_none()) else {
            let what = format!(
                "{} is a gang with a fixed duration: start(job) starts it, ask job.adaptive first",
                job.called()
            );
            return Err(refuse(what));
        };
        let trainee = trainee.borrow();
        let limits = trainee.agent.limits();
        let most = limits.max_replicas().max(seat.gang.gpus);
        if gpus > most {
            return Err(refuse(format!(
                "{} can use {most} GPUs, not {gpus}",
                job.called()
            )));
        }
        let split = match batch {
            None => trainee.agent.configure(trainee.nodes(gpus), gpus),
            Some(batch) => {
                let total = u32::try_from(batch).unwrap_or(0).max(1);
                limits.split(total, gpus)
            }
        };
        if !(1..=limits.max_local).contains(&split.m)
            || split.total(gpus) > f64::from(limits.max_batch)
        {
            let what = format!(
                "{} cannot train a batch of {} samples on {gpus} GPUs: it takes {} per GPU at most, and {} in all",
                job.called(),
                split.total(gpus),
                limits.max_local,
                limits.max_batch
            );
            return Err(refuse(what));
        }
        let room = self.room.get_mut();
        if seat.holds() == gpus {
            if split != trainee.batch {
                self.plan.tune(id, split);
            }
            self.changed.insert(id);
            return Ok(true);
        }
        if job.0.running {
            room.give(id, &seat.parts, seat.needs);
        }
        let gang = Gang { gpus, ..seat.gang };
        if !room.place(self.strategy, gang, &mut self.placement) {
            if job.0.running {
                room.take(id, &seat.parts, seat.needs);
            }
            return Ok(false);
        }
        room.take(id, &self.placement.parts, seat.needs);
        self.plan.train(id, &self.placement.parts, split);
        self.changed.insert(id);
        Ok(true)
    }

    /// Who runs follows from an order of all jobs; those who run and are not in it come last.
    fn walk(&mut self, order: impl Iterator<Item = Job>, budget: &Budget) -> Answer<Dict> {
        if self.has_walked || !self.changed.is_empty() {
            let what = "walk() decides about all jobs: call it once, and start, stop, move or train none beside it";
            return Err(refuse(what));
        }
        budget.charge(self.jobs.len() as u64)?;
        let mut walk = PriorityWalk::new(self.strategy);
        walk.strict = self.strict;
        let mut seen = BTreeSet::new();
        let mut key = 0u32;
        let named: Vec<Job> = order.collect();
        let all = named
            .iter()
            .chain(self.jobs.values().filter(|job| job.0.running));
        for job in all {
            if !seen.insert(job.0.id) {
                continue;
            }
            let job = self.now(job)?;
            let seat = job.seat()?;
            let waiter = Waiter {
                key,
                job: job.0.id,
                gpus: if seat.gang.share.is_some() {
                    0
                } else {
                    seat.gang.gpus
                },
                pools: seat.needs.pools(),
            };
            key += 1;
            if job.0.running {
                walk.running.push(waiter);
            } else {
                walk.waiting.insert(waiter);
            }
        }
        let mut plan = std::mem::take(&mut self.plan);
        walk.walk(self, &mut plan);
        self.plan = plan;
        self.has_walked = true;
        let named = |waiters: &[Waiter<u32>]| -> Jobs {
            let jobs = waiters.iter().filter_map(|of| self.jobs.get(&of.job));
            jobs.cloned().collect()
        };
        let done = [
            ("started".into(), Dynamic::from(named(&walk.started))),
            ("preempted".into(), Dynamic::from(named(&walk.preempted))),
        ];
        Dict::new(done.into(), budget)
    }

    fn free_on(&mut self, node: INT) -> Answer<INT> {
        let free = u32::try_from(node).ok();
        let free = free.and_then(|node| self.room.get_mut().free().per_node().get(node as usize));
        free.map(|&free| INT::from(free))
            .ok_or_else(|| no_node(node))
    }
}

fn no_node(node: INT) -> Box<EvalAltResult> {
    refuse(format!(
        "there is no node {node}: they go from 0 to view.nodes - 1"
    ))
}

/// The gang on nodes: `[3, 4]`, as much as is free on each, one after the other; `[[3, 2], [4, 2]]`, so
/// many on each.
fn laid(room: &Room, job: &Job, nodes: &List) -> Answer<Vec<Part>> {
    let (seat, free) = (job.seat()?, room.free());
    let mut left = seat.gang.gpus;
    let mut parts: Vec<Part> = Vec::new();
    let mut named = BTreeSet::new();
    for entry in nodes.elements() {
        let pair = entry.read_lock::<List>();
        let pair = pair.map(|pair| pair.elements().clone());
        let (node, gpus) = match pair.as_deref() {
            None => (entry.as_int().ok(), None),
            Some([node, gpus]) => (node.as_int().ok(), gpus.as_int().ok()),
            Some(_) => (None, None),
        };
        let Some(node) = node else {
            return Err(refuse(
                "nodes are numbers, [3, 4], or pairs of node and GPUs, [[3, 2], [4, 2]]",
            ));
        };
        let at = u32::try_from(node).map_err(|_| no_node(node))?;
        let here = *free
            .per_node()
            .get(at as usize)
            .ok_or_else(|| no_node(node))?;
        if !free.is_open(at) {
            return Err(refuse(format!("node {node} is down or drained")));
        }
        if !seat.needs.allows(room.pool_of(at)) {
            return Err(refuse(format!(
                "node {node} has GPUs of a type that {} does not allow",
                job.called()
            )));
        }
        let gpus = match (pair.is_some(), gpus) {
            (false, _) => here.min(left),
            (true, Some(gpus)) => count(gpus)?,
            (true, None) => return Err(refuse("a pair is of node and GPUs: [3, 2]")),
        };
        if !named.insert(at) {
            let what = format!("node {node} is named twice for {}", job.called());
            return Err(refuse(what));
        }
        if gpus > here {
            return Err(refuse(format!(
                "node {node} has {here} GPUs free, not {gpus} for {}",
                job.called()
            )));
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
        self.jobs.values().filter(|job| job.0.running).count()
    }

    fn gpus_in_use(&self) -> u32 {
        let seats = self.jobs.values().filter_map(|job| job.0.seat.as_ref());
        seats.map(Seat::holds).sum()
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
        let job = self.jobs.get(&job).and_then(|job| job.0.seat.as_ref());
        job.map_or(&[], |seat| &seat.parts)
    }

    fn open_gpus(&self, job: JobId) -> u32 {
        self.room.borrow().free().open_gpus(self.parts(job))
    }

    fn needs(&self, job: JobId) -> Needs {
        let job = self.jobs.get(&job).and_then(|job| job.0.seat.as_ref());
        job.map_or(Needs::NONE, |seat| seat.needs)
    }

    fn gang(&self, job: JobId, _: Strategy, _: f64) -> Gang {
        let job = self.jobs.get(&job).and_then(|job| job.0.seat.as_ref());
        job.map_or(NOBODY, |seat| seat.gang)
    }
}

/// A number as a person reads it.
pub(super) fn in_words(value: f64) -> String {
    if value == libm::trunc(value) && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    match value.abs() {
        ..1e-3 | 1e9.. => format!("{value:e}"),
        _ => format!("{value:.3}"),
    }
}

/// Which queue a script means.
fn queue(queue: INT) -> Answer<u32> {
    u32::try_from(queue).map_err(|_| refuse(format!("{queue} is no queue: 0 is the highest")))
}

/// Has an engine know what a script can do.
pub(super) fn register(engine: &mut Engine, host: &Rc<RefCell<Host>>, budget: &Rc<Budget>) {
    /// Registers a function that changes the board.
    macro_rules! acts {
        ($name:literal, |$board:ident $(, $arg:ident: $of:ty)*| $body:expr) => {
            let (to, budget) = (Rc::clone(host), Rc::clone(budget));
            engine.register_fn($name, move |$($arg: $of),*| {
                let mut host = to.borrow_mut();
                let $board = host.board(&budget)?;
                $body
            });
        };
    }
    acts!("start", |board, job: Job| board.start(&job));
    acts!("start", |board, job: Job, nodes: List| board
        .start_on(&job, &nodes));
    acts!("stop", |board, job: Job| board.stop(&job));
    acts!("move", |board, job: Job, nodes: List| board
        .move_to(&job, &nodes));
    acts!("train", |board, job: Job, gpus: INT| board
        .train(&job, gpus, None));
    acts!("train", |board, job: Job, gpus: INT, batch: INT| board
        .train(&job, gpus, Some(batch)));
    let (to, left) = (Rc::clone(host), Rc::clone(budget));
    engine.register_fn("walk", move |order: Jobs| {
        left.walk(order.0.len())?;
        to.borrow_mut().board(&left)?.walk(order.into_iter(), &left)
    });
    let (to, left) = (Rc::clone(host), Rc::clone(budget));
    engine.register_fn("walk", move |order: List| {
        left.walk(order.elements().len())?;
        let jobs = order.into_iter().map(|of| of.try_cast::<Job>());
        let jobs = jobs.collect::<Option<Vec<Job>>>();
        let jobs = jobs.ok_or_else(|| refuse("walk() takes jobs, the first to run first"))?;
        to.borrow_mut().board(&left)?.walk(jobs.into_iter(), &left)
    });
    acts!("free", |board| Answer::Ok(INT::from(
        board.room.get_mut().total()
    )));
    acts!("free_on", |board, node: INT| board.free_on(node));
    acts!("is_open", |board, node: INT| {
        board.free_on(node)?;
        Answer::Ok(board.room.get_mut().free().is_open(node as u32))
    });
    acts!("alarm", |board, job: Job, at: Dynamic| {
        let at = number(&at).filter(|at| !at.is_nan());
        let at = at.ok_or_else(|| refuse("alarm(job, at) takes a time in seconds"))?;
        let job = board.now(&job)?;
        board.plan.alarm(job.0.id, Time(at));
        Answer::Ok(())
    });
    acts!("demote", |board, job: Job, to: INT| {
        let (job, to) = (board.now(&job)?, queue(to)?);
        job.seat()?.kept.queue.set(to);
        board.plan.demote(job.0.id, to);
        Answer::Ok(())
    });
    acts!("promote", |board, job: Job, to: INT| {
        let (job, to) = (board.now(&job)?, queue(to)?);
        job.seat()?.kept.queue.set(to);
        board.plan.promote(job.0.id, to);
        Answer::Ok(())
    });
    let to = Rc::clone(host);
    engine.register_fn("note", move |term: &str, value: Dynamic| {
        to.borrow_mut().note(None, term, &value);
    });
    let to = Rc::clone(host);
    engine.register_fn("note", move |job: Job, term: &str, value: Dynamic| {
        to.borrow_mut().note(Some(job.0.id), term, &value);
    });
    let to = Rc::clone(host);
    engine.register_fn("random", move || draw::unit(&mut to.borrow_mut().rng));
}
