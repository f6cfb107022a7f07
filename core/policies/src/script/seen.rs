//! What a script that decides the whole sees at one moment.

use super::jobs::Jobs;
use rhai::{Engine, INT};
use std::rc::Rc;

/// What a script sees at one moment.
#[derive(Clone)]
pub(super) struct Seen(pub(super) Rc<Facts>);

/// What is known then.
pub(super) struct Facts {
    pub(super) now: f64,
    pub(super) round: bool,
    pub(super) jobs: Jobs,
    pub(super) waiting: Jobs,
    pub(super) running: Jobs,
    pub(super) arrived: Jobs,
    pub(super) evicted: Jobs,
    pub(super) alarms: Jobs,
    pub(super) free: u32,
    pub(super) gpus: u32,
    pub(super) nodes: u32,
    pub(super) node_size: u32,
}

/// Has an engine know views.
pub(super) fn register(engine: &mut Engine) {
    engine.register_type_with_name::<Seen>("view");
    engine.register_get("now", |view: &mut Seen| view.0.now);
    engine.register_get("round", |view: &mut Seen| view.0.round);
    engine.register_get("jobs", |view: &mut Seen| view.0.jobs.clone());
    engine.register_get("waiting", |view: &mut Seen| view.0.waiting.clone());
    engine.register_get("running", |view: &mut Seen| view.0.running.clone());
    engine.register_get("arrived", |view: &mut Seen| view.0.arrived.clone());
    engine.register_get("evicted", |view: &mut Seen| view.0.evicted.clone());
    engine.register_get("alarms", |view: &mut Seen| view.0.alarms.clone());
    engine.register_get("free", |view: &mut Seen| INT::from(view.0.free));
    engine.register_get("gpus", |view: &mut Seen| INT::from(view.0.gpus));
    engine.register_get("nodes", |view: &mut Seen| INT::from(view.0.nodes));
    engine.register_get("node_size", |view: &mut Seen| INT::from(view.0.node_size));
}
