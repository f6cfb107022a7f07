//! What a script that decides the whole sees at one moment.

use super::jobs::Jobs;
use crate::moment::Moment;
use rhai::{Engine, INT};
use std::rc::Rc;

/// What a script sees at one moment.
#[derive(Clone)]
pub(super) struct Seen(pub(super) Rc<Facts>);

/// What is known then.
pub(super) struct Facts {
    pub(super) moment: Moment,
    pub(super) jobs: Jobs,
    pub(super) waiting: Jobs,
    pub(super) running: Jobs,
    pub(super) arrived: Jobs,
    pub(super) evicted: Jobs,
    pub(super) alarms: Jobs,
}

/// Has an engine know views.
pub(super) fn register(engine: &mut Engine) {
    engine.register_type_with_name::<Seen>("view");
    engine.register_get("now", |view: &mut Seen| view.0.moment.now);
    engine.register_get("round", |view: &mut Seen| view.0.moment.round);
    engine.register_get("jobs", |view: &mut Seen| view.0.jobs.clone());
    engine.register_get("waiting", |view: &mut Seen| view.0.waiting.clone());
    engine.register_get("running", |view: &mut Seen| view.0.running.clone());
    engine.register_get("arrived", |view: &mut Seen| view.0.arrived.clone());
    engine.register_get("evicted", |view: &mut Seen| view.0.evicted.clone());
    engine.register_get("alarms", |view: &mut Seen| view.0.alarms.clone());
    engine.register_get("free", |view: &mut Seen| INT::from(view.0.moment.free));
    engine.register_get("gpus", |view: &mut Seen| INT::from(view.0.moment.gpus));
    engine.register_get("nodes", |view: &mut Seen| INT::from(view.0.moment.nodes));
    engine.register_get("node_size", |view: &mut Seen| {
        INT::from(view.0.moment.node_size)
    });
}
