//! A job as scripts see it: what a [`View`] knows of it at the moment, looked up once.

use super::refusal::refuse;
use crate::board::{self, Named};
use crate::job::JobId;
use crate::job_properties::{PROPERTIES, Value};
use crate::trainees::Shared;
use rhai::{Dynamic, EvalAltResult, ImmutableString};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use switchyard_engine::{Phase, View};
use switchyard_placement::Strategy;

/// A job at one moment.
#[derive(Clone)]
pub(super) struct Job(pub(super) Rc<Facts>);

/// What is known of it.
pub(super) struct Facts {
    pub(super) id: JobId,
    pub(super) gpus: u32,
    pub(super) running: bool,
    /// Of a script that gives keys only if it reads it, as its tenant's.
    pub(super) name: ImmutableString,
    pub(super) tenant_name: ImmutableString,
    /// Of each of [`PROPERTIES`].
    pub(super) values: [Option<Value>; PROPERTIES.len()],
    /// Of a script that decides the whole.
    pub(super) seat: Option<Seat>,
}

/// Where a job is, what it needs, and what is kept of it from one decision to the next.
pub(super) struct Seat {
    pub(super) at: Arc<board::Seat>,
    pub(super) kept: Rc<ActiveJob>,
    pub(super) trainee: Option<Shared>,
}

/// What is kept of a job as long as it is active.
#[derive(Debug)]
pub(super) struct ActiveJob {
    name: ImmutableString,
    tenant_name: ImmutableString,
    pub(super) queue: Cell<u32>,
    /// A number, a word, true or false; at first none.
    pub(super) memo: RefCell<Dynamic>,
}

impl Job {
    /// A job as it stands, of which a key is asked; `named`: with its name and its tenant's, which are copied.
    pub(super) fn asked(view: &View<'_>, id: JobId, named: bool) -> Self {
        let names = match named {
            true => [view.name(id), view.tenant_name(id)],
            false => [""; 2],
        };
        Self::new(view, id, names.map(ImmutableString::from), None)
    }

    /// The same of one in its seat.
    pub(super) fn seated(view: &View<'_>, id: JobId, seat: Seat) -> Self {
        let names = [&seat.kept.name, &seat.kept.tenant_name].map(Clone::clone);
        Self::new(view, id, names, Some(seat))
    }

    fn new(
        view: &View<'_>,
        id: JobId,
        [name, tenant_name]: [ImmutableString; 2],
        seat: Option<Seat>,
    ) -> Self {
        Self(Rc::new(Facts {
            id,
            gpus: view.gpus(id),
            running: view.phase(id) == Phase::Running,
            name,
            tenant_name,
            values: PROPERTIES
                .each_ref()
                .map(|property| property.value(view, id)),
            seat,
        }))
    }

    /// Which it is, for messages of a script that decides the whole.
    pub(super) fn named(&self) -> Named<'_> {
        Named {
            id: self.0.id,
            name: &self.0.name,
        }
    }

    /// The same in words.
    pub(super) fn called(&self) -> String {
        self.named().called()
    }

    pub(super) fn seat(&self) -> Result<&Seat, Box<EvalAltResult>> {
        let seat = self.0.seat.as_ref();
        seat.ok_or_else(|| refuse("a key is a number and no more: define `fn plan(view)` for this"))
    }
}

impl ActiveJob {
    /// Of a job that has come.
    pub(super) fn of(view: &View<'_>, id: JobId) -> Self {
        Self {
            name: view.name(id).into(),
            tenant_name: view.tenant_name(id).into(),
            queue: Cell::default(),
            memo: RefCell::default(),
        }
    }
}

impl Seat {
    /// Where a job is now; its gang is to be laid so.
    pub(super) fn of(
        view: &View<'_>,
        id: JobId,
        strategy: Strategy,
        kept: &Rc<ActiveJob>,
        trainee: Option<Shared>,
    ) -> Self {
        Self {
            at: Arc::new(board::Seat::of(view, id, strategy)),
            kept: Rc::clone(kept),
            trainee,
        }
    }
}
