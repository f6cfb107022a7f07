//! What the functions of a script write to: numbers, notes and, for one that decides the whole, a
//! [`Board`], so that what is impossible is told at its line.

use super::budget::Budget;
use super::job::Job;
use super::jobs::Jobs;
use super::refusal::refuse;
use super::training::count;
use super::values::{self, Dict, List, number};
use crate::Time;
use crate::board::{Board, OnNode};
use crate::job::JobId;
use crate::notes::{self, Notes};
use crate::trainees;
use rand_xoshiro::rand_core::SeedableRng;
use rhai::{Dynamic, Engine, EvalAltResult, INT};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use switchyard_explain::Fact;
use switchyard_model::draw::{self, Rng};

/// What a function given to scripts answers.
type Answer<T> = Result<T, Box<EvalAltResult>>;

/// Where a script writes.
pub(super) struct Host {
    /// What `key` gave.
    pub(super) keys: Vec<f64>,
    /// The run's generator.
    pub(super) rng: Rng,
    /// `None`: nobody listens.
    pub(super) notes: Option<Notes>,
    /// While the whole is being decided.
    pub(super) board: Option<Board>,
    /// The jobs of that decision.
    pub(super) jobs: BTreeMap<JobId, Job>,
}

impl Default for Host {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            rng: Rng::seed_from_u64(0),
            notes: None,
            board: None,
            jobs: BTreeMap::new(),
        }
    }
}

impl Host {
    fn note(&mut self, job: Option<JobId>, term: &str, value: &Dynamic) {
        let notes = self.notes.as_mut();
        let Some(notes) = notes.filter(|notes| notes.has_room()) else {
            return;
        };
        let value = match value.as_float() {
            Ok(number) => values::number_in_words(number),
            Err(_) => values::in_words(value, notes::LONGEST),
        };
        notes.add(job, term, &value);
    }

    /// What was noted of a job, and of all.
    pub(super) fn told(&self, job: JobId) -> Vec<Fact> {
        let notes = self.notes.as_ref();
        notes.map_or_else(Vec::new, |notes| notes.of(job))
    }

    fn board(&mut self, budget: &Budget) -> Answer<&mut Board> {
        let board = self.board.as_mut();
        let board = board.ok_or_else(|| {
            refuse("a key is a number and no more: define `fn plan(view)` to start and stop jobs")
        })?;
        // Whatever it is asked, it may look at all nodes.
        budget.walk(board.nodes())?;
        Ok(board)
    }
}

/// Runs an adaptive job on so many GPUs.
fn train(board: &mut Board, job: &Job, gpus: INT, batch: Option<INT>) -> Answer<bool> {
    let trainee = job.seat()?.trainee.as_ref();
    trainees::train(board, job.named(), trainee, gpus, batch).map_err(refuse)
}

/// Who starts and who gives way by an order of all jobs; those who run and are not in it come last.
fn walk(host: &mut Host, order: Jobs, budget: &Budget) -> Answer<Dict> {
    let board = host.board(budget)?;
    budget.charge(board.jobs() as u64)?;
    let walked = board.walk(order.0.iter().map(Job::named)).map_err(refuse)?;
    let named = |ids: &[JobId]| -> Jobs {
        let jobs = ids.iter().filter_map(|id| host.jobs.get(id));
        jobs.cloned().collect()
    };
    let done = [
        ("started".into(), Dynamic::from(named(&walked.started))),
        ("preempted".into(), Dynamic::from(named(&walked.preempted))),
    ];
    Dict::new(done.into(), budget)
}

/// What a script means by nodes: `[3, 4]`, as much as is free on each, one after the other; `[[3, 2], [4, 2]]`, so
/// many on each.
fn on_nodes(nodes: &List) -> Answer<Vec<OnNode>> {
    let entry = |entry: &Dynamic| {
        let pair = entry.read_lock::<List>();
        let pair = pair.map(|pair| pair.elements().clone());
        let (node, gpus) = match pair.as_deref() {
            None => (entry.as_int().ok(), None),
            Some([node, gpus]) => (node.as_int().ok(), gpus.as_int().ok()),
            Some(_) => (None, None),
        };
        let node = node.ok_or_else(|| {
            refuse("nodes are numbers, [3, 4], or pairs of node and GPUs, [[3, 2], [4, 2]]")
        })?;
        match (pair.is_some(), gpus) {
            (false, _) => Ok((node, None)),
            (true, Some(gpus)) => Ok((node, Some(count(gpus)?))),
            (true, None) => Err(refuse("a pair is of node and GPUs: [3, 2]")),
        }
    };
    nodes.elements().iter().map(entry).collect()
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
    acts!("start", |board, job: Job| board
        .start(job.named())
        .map_err(refuse));
    acts!("start", |board, job: Job, nodes: List| board
        .start_on(job.named(), &on_nodes(&nodes)?)
        .map_err(refuse));
    acts!("stop", |board, job: Job| board
        .stop(job.named())
        .map_err(refuse));
    acts!("move", |board, job: Job, nodes: List| board
        .move_to(job.named(), &on_nodes(&nodes)?)
        .map_err(refuse));
    acts!("train", |board, job: Job, gpus: INT| train(
        board, &job, gpus, None
    ));
    acts!("train", |board, job: Job, gpus: INT, batch: INT| train(
        board,
        &job,
        gpus,
        Some(batch)
    ));
    let (to, left) = (Rc::clone(host), Rc::clone(budget));
    engine.register_fn("walk", move |order: Jobs| {
        left.walk(order.0.len())?;
        walk(&mut to.borrow_mut(), order, &left)
    });
    let (to, left) = (Rc::clone(host), Rc::clone(budget));
    engine.register_fn("walk", move |order: List| {
        left.walk(order.elements().len())?;
        let jobs = order.into_iter().map(|of| of.try_cast::<Job>());
        let jobs = jobs.collect::<Option<Jobs>>();
        let jobs = jobs.ok_or_else(|| refuse("walk() takes jobs, the first to run first"))?;
        walk(&mut to.borrow_mut(), jobs, &left)
    });
    acts!("free", |board| Answer::Ok(INT::from(board.free())));
    acts!("free_on", |board, node: INT| board
        .free_on(node)
        .map(INT::from)
        .map_err(refuse));
    acts!("is_open", |board, node: INT| board
        .is_open(node)
        .map_err(refuse));
    acts!("alarm", |board, job: Job, at: Dynamic| {
        let at = number(&at).filter(|at| !at.is_nan());
        let at = at.ok_or_else(|| refuse("alarm(job, at) takes a time in seconds"))?;
        board.alarm(job.named(), Time(at)).map_err(refuse)
    });
    acts!("demote", |board, job: Job, to: INT| {
        let to = queue(to)?;
        board.demote(job.named(), to).map_err(refuse)?;
        job.seat()?.kept.queue.set(to);
        Answer::Ok(())
    });
    acts!("promote", |board, job: Job, to: INT| {
        let to = queue(to)?;
        board.promote(job.named(), to).map_err(refuse)?;
        job.seat()?.kept.queue.set(to);
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
