//! What scripts can ask of [jobs](super::job), and lists of jobs.

use super::budget::Budget;
use super::job::Job;
use super::readings::Readings;
use super::refusal::refuse;
use super::values::{self, List};
use crate::job::JobId;
use crate::job_properties::{PROPERTIES, Property, Value};
use rhai::{Dynamic, Engine, EvalAltResult, FnPtr, INT, ImmutableString, NativeCallContext};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a function given to scripts answers.
type Answer<T> = Result<T, Box<EvalAltResult>>;

/// Bytes of a word that a script may keep with a job.
const LONGEST_MEMO: usize = 64;

/// Has an engine know jobs.
pub(super) fn register(engine: &mut Engine, budget: &Rc<Budget>, readings: &Rc<Readings>) {
    engine.register_type_with_name::<Job>("job");
    engine.register_get("name", |job: &mut Job| job.0.name.clone());
    engine.register_get("tenant_name", |job: &mut Job| job.0.tenant_name.clone());
    for (at, Property { name, .. }) in PROPERTIES.iter().enumerate() {
        let to = Rc::clone(readings);
        engine.register_get(*name, move |job: &mut Job| {
            to.read(job.0.id);
            match job.0.values[at] {
                // Not by `Dynamic::from`, which would wrap it as a type of its own.
                Some(value) => Ok::<Dynamic, _>(value.into()),
                None => Err(refuse(format!(
                    "job.{name} is the truth, which no real scheduler knows: say `const ORACLE = true;` at the top to see it, or go by job.attained"
                ))),
            }
        });
    }
    engine.register_get("holds", |job: &mut Job| {
        job.seat().map(|seat| INT::from(seat.at.holds()))
    });
    let to = Rc::clone(budget);
    engine.register_get("nodes", move |job: &mut Job| {
        let parts = job.seat()?.at.parts.iter();
        List::new(parts.map(|part| INT::from(part.node).into()).collect(), &to)
    });
    engine.register_get("queue", |job: &mut Job| {
        job.seat().map(|seat| INT::from(seat.kept.queue.get()))
    });
    let to = Rc::clone(readings);
    let read = move |job: &mut Job| {
        to.read(job.0.id);
        memo(job)
    };
    engine.register_get_set("memo", read, remember);
    engine.register_fn("==", |a: Job, b: Job| a.0.id == b.0.id);
    engine.register_fn("!=", |a: Job, b: Job| a.0.id != b.0.id);
    engine.register_fn("to_string", |job: &mut Job| format!("job {}", job.0.id.0));
    lists(engine, budget);
}

impl From<Value> for Dynamic {
    fn from(value: Value) -> Self {
        match value {
            Value::Int(number) => number.into(),
            Value::Float(number) => number.into(),
            Value::Bool(is) => is.into(),
            Value::Unit => Self::UNIT,
        }
    }
}

fn memo(job: &mut Job) -> Result<Dynamic, Box<EvalAltResult>> {
    job.seat().map(|seat| seat.kept.memo.borrow().clone())
}

fn remember(job: &mut Job, value: Dynamic) -> Result<(), Box<EvalAltResult>> {
    let short =
        |text: Result<ImmutableString, _>| text.is_ok_and(|text| text.len() <= LONGEST_MEMO);
    let plain = value.is_int() || value.is_float() || value.is_bool() || value.is_unit();
    if !plain && !short(value.clone().into_immutable_string()) {
        return Err(refuse(
            "job.memo holds a number, a short word, true or false: keep lists in `this`",
        ));
    }
    *job.seat()?.kept.memo.borrow_mut() = value;
    Ok(())
}

/// Several jobs in an order.
#[derive(Clone)]
pub(super) struct Jobs(pub(super) Rc<Vec<Job>>);

impl FromIterator<Job> for Jobs {
    fn from_iter<T: IntoIterator<Item = Job>>(jobs: T) -> Self {
        Self(Rc::new(jobs.into_iter().collect()))
    }
}

impl IntoIterator for Jobs {
    type Item = Job;
    type IntoIter = Iter;

    fn into_iter(self) -> Iter {
        Iter { jobs: self, at: 0 }
    }
}

/// One after the other.
pub(super) struct Iter {
    jobs: Jobs,
    at: usize,
}

impl Iterator for Iter {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        let job = self.jobs.0.get(self.at)?;
        self.at += 1;
        Some(job.clone())
    }
}

/// Lists of jobs: as long as they may be, copied for nothing.
fn lists(engine: &mut Engine, budget: &Rc<Budget>) {
    engine.register_type_with_name::<Jobs>("jobs");
    engine.register_iterator::<Jobs>();
    engine.register_get("len", |jobs: &mut Jobs| jobs.0.len() as INT);
    engine.register_fn("len", |jobs: &mut Jobs| jobs.0.len() as INT);
    engine.register_get("is_empty", |jobs: &mut Jobs| jobs.0.is_empty());
    engine.register_fn("is_empty", |jobs: &mut Jobs| jobs.0.is_empty());
    let to = Rc::clone(budget);
    engine.register_get("gpus", move |jobs: &mut Jobs| {
        to.walk(jobs.0.len())?;
        Answer::Ok(jobs.0.iter().map(|job| INT::from(job.0.gpus)).sum::<INT>())
    });
    let to = Rc::clone(budget);
    engine.register_fn("contains", move |jobs: &mut Jobs, job: Job| {
        to.walk(jobs.0.len())?;
        Answer::Ok(jobs.0.iter().any(|other| other.0.id == job.0.id))
    });
    // A list that is made takes an operation for each of its jobs: a list may be as long as it likes.
    let to = Rc::clone(budget);
    engine.register_fn("+", move |a: Jobs, b: Jobs| {
        to.charge((a.0.len() + b.0.len()) as u64)?;
        Answer::<Jobs>::Ok(a.0.iter().chain(b.0.iter()).cloned().collect())
    });
    let to = Rc::clone(budget);
    engine.register_fn("-", move |a: Jobs, b: Jobs| {
        to.charge((a.0.len() + b.0.len()) as u64)?;
        let gone: BTreeSet<JobId> = b.0.iter().map(|job| job.0.id).collect();
        let left = a.0.iter().filter(|job| !gone.contains(&job.0.id));
        Answer::<Jobs>::Ok(left.cloned().collect())
    });
    let to = Rc::clone(budget);
    engine.register_fn("reversed", move |jobs: &mut Jobs| {
        to.charge(jobs.0.len() as u64)?;
        Answer::<Jobs>::Ok(jobs.0.iter().rev().cloned().collect())
    });
    engine.register_indexer_get(|jobs: &mut Jobs, at: INT| {
        let job = usize::try_from(at).ok().and_then(|at| jobs.0.get(at));
        let many = jobs.0.len();
        job.cloned()
            .ok_or_else(|| refuse(format!("there is no job {at} in a list of {many}, from 0")))
    });
    engine.register_fn("filter", filter);
    let to = Rc::clone(budget);
    engine.register_fn(
        "sorted",
        move |context: NativeCallContext<'_>, jobs: &mut Jobs, by: FnPtr| {
            sorted(&context, jobs, &by, &to)
        },
    );
}

fn filter(
    context: NativeCallContext<'_>,
    jobs: &mut Jobs,
    by: FnPtr,
) -> Result<Jobs, Box<EvalAltResult>> {
    let mut kept = Vec::new();
    for job in jobs.0.iter() {
        if by.call_within_context::<bool>(&context, (job.clone(),))? {
            kept.push(job.clone());
        }
    }
    Ok(Jobs(Rc::new(kept)))
}

/// By a number, by several of which the first that differ decide, or by a text; equal ones as they were.
fn sorted(
    context: &NativeCallContext<'_>,
    jobs: &Jobs,
    by: &FnPtr,
    budget: &Budget,
) -> Answer<Jobs> {
    let keyed = jobs.0.iter().map(|job| {
        let key = by.call_within_context::<Dynamic>(context, (job.clone(),))?;
        Answer::Ok((values::key(&key)?, job.clone()))
    });
    let mut keyed = keyed.collect::<Answer<Vec<_>>>()?;
    values::sort(&mut keyed, budget)?;
    Ok(keyed.into_iter().map(|(_, job)| job).collect())
}
