//! What the inspector shows of a job in one run.

use crate::ui::life::Stretch;
use switchyard::engine::Event;
/// A job in one run.
#[derive(Clone, PartialEq)]
pub(super) struct InRun {
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) hue: usize,
    pub(super) rejected: bool,
    /// How it ended otherwise than by being done, in words.
    pub(super) ended: Option<String>,
    pub(super) events: Vec<Event>,
    pub(super) life: Vec<Stretch>,
    /// Nodes of each start among the events.
    pub(super) nodes: Vec<String>,
    /// JCT, waiting, restarts, ρ; `NaN` where not known yet.
    pub(super) numbers: [f64; 4],
}
