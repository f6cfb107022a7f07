//! The moment at which a function decides the whole: what there is to see, and to do.

use js_sys::{Array, Error, Uint32Array};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use switchyard::Time;
use switchyard::draw::{self, Rng};
use switchyard::job::JobId;
use switchyard::policies::board::{Answer, Board, Named, Seat};
use switchyard::policies::moment::Moment as Seen;
use switchyard::workload::Workload;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// What there is to see and to do at a moment. Jobs go by their rows, in order of submission.
#[wasm_bindgen]
pub struct Moment {
    pub(super) seen: Seen,
    pub(super) ids: Vec<JobId>,
    pub(super) seats: Vec<Arc<Seat>>,
    pub(super) jobs: Arc<Workload>,
    pub(super) making: Rc<RefCell<Option<Making>>>,
}

/// The plan in the making, and the run's generator meanwhile.
pub(super) struct Making {
    pub(super) board: Board,
    pub(super) rng: Rng,
}

impl Moment {
    fn make<R>(&self, make: impl FnOnce(&mut Making) -> Answer<R>) -> Result<R, JsValue> {
        let mut making = self.making.borrow_mut();
        let making = making
            .as_mut()
            .ok_or_else(|| "the decision is over".to_owned());
        making.and_then(make).map_err(|why| Error::new(&why).into())
    }

    fn named(&self, row: u32) -> Named<'_> {
        let id = self.ids[row as usize];
        let name = &self.jobs.jobs[id.index()].name;
        Named { id, name }
    }

    fn rows(&self, ids: &[JobId]) -> Vec<u32> {
        let row = |id| self.ids.binary_search(id).ok();
        let rows = ids.iter().filter_map(row);
        rows.map(|row| row as u32).collect()
    }
}

#[wasm_bindgen]
impl Moment {
    /// When it is, s.
    #[wasm_bindgen(getter)]
    pub fn now(&self) -> f64 {
        self.seen.now
    }

    /// Whether a round is due.
    #[wasm_bindgen(getter)]
    pub fn round(&self) -> bool {
        self.seen.round
    }

    /// GPUs that are free, before anything is decided.
    #[wasm_bindgen(getter)]
    pub fn free_gpus(&self) -> u32 {
        self.seen.free
    }

    /// GPUs in all.
    #[wasm_bindgen(getter)]
    pub fn gpus(&self) -> u32 {
        self.seen.gpus
    }

    /// Nodes in all.
    #[wasm_bindgen(getter)]
    pub fn nodes(&self) -> u32 {
        self.seen.nodes
    }

    /// GPUs of the largest node.
    #[wasm_bindgen(getter)]
    pub fn node_size(&self) -> u32 {
        self.seen.node_size
    }

    /// The jobs that wait.
    pub fn waiting(&self) -> Vec<u32> {
        let rows = (0..).zip(&self.seats).filter(|(_, seat)| !seat.running);
        rows.map(|(row, _)| row).collect()
    }

    /// Those that run, in order of start.
    pub fn running(&self) -> Vec<u32> {
        self.rows(&self.seen.running)
    }

    /// Those that have come.
    pub fn arrived(&self) -> Vec<u32> {
        self.rows(&self.seen.arrived)
    }

    /// Those that have lost their GPUs to a failure.
    pub fn evicted(&self) -> Vec<u32> {
        self.rows(&self.seen.evicted)
    }

    /// Those whose alarm is due.
    pub fn alarms(&self) -> Vec<u32> {
        self.rows(&self.seen.alarms)
    }

    /// The numbers of the jobs that are over.
    pub fn finished(&self) -> Vec<u32> {
        self.seen.finished.iter().map(|job| job.0).collect()
    }

    /// GPUs that a job holds.
    pub fn holds(&self, row: u32) -> u32 {
        self.seats[row as usize].holds()
    }

    /// The numbers of the nodes of those.
    pub fn nodes_of(&self, row: u32) -> Vec<u32> {
        let parts = self.seats[row as usize].parts.iter();
        parts.map(|part| part.node).collect()
    }

    /// Starts a job by the placement; `false`: there is no room for it.
    pub fn start(&self, row: u32) -> Result<bool, JsValue> {
        self.make(|making| making.board.start(self.named(row)))
    }

    /// The same on these nodes: two numbers for each, which, and how many GPUs there; -1: as many as are free.
    pub fn start_on(&self, row: u32, nodes: &[f64]) -> Result<bool, JsValue> {
        self.make(|making| making.board.start_on(self.named(row), &on_nodes(nodes)))
    }

    /// Moves a running job.
    pub fn move_to(&self, row: u32, nodes: &[f64]) -> Result<bool, JsValue> {
        self.make(|making| making.board.move_to(self.named(row), &on_nodes(nodes)))
    }

    /// Takes a running job's GPUs.
    pub fn stop(&self, row: u32) -> Result<(), JsValue> {
        self.make(|making| making.board.stop(self.named(row)))
    }

    /// Who starts and who is preempted by this order.
    pub fn walk(&self, order: &[u32]) -> Result<Array, JsValue> {
        let order = order.iter().map(|&row| self.named(row));
        let walked = self.make(|making| making.board.walk(order))?;
        let rows = |ids| Uint32Array::from(&self.rows(ids)[..]);
        Ok(Array::of2(&rows(&walked.started), &rows(&walked.preempted)))
    }

    /// Asks again at this time.
    pub fn alarm(&self, row: u32, at: f64) -> Result<(), JsValue> {
        self.make(|making| making.board.alarm(self.named(row), Time(at)))
    }

    /// Notes that a job has sunk to a queue.
    pub fn demote(&self, row: u32, queue: u32) -> Result<(), JsValue> {
        self.make(|making| making.board.demote(self.named(row), queue))
    }

    /// Notes that it has risen to one.
    pub fn promote(&self, row: u32, queue: u32) -> Result<(), JsValue> {
        self.make(|making| making.board.promote(self.named(row), queue))
    }

    /// GPUs that are free after what has been decided.
    pub fn free_now(&self) -> Result<u32, JsValue> {
        self.make(|making| Ok(making.board.free()))
    }

    /// Those on a node.
    pub fn free_on(&self, node: f64) -> Result<u32, JsValue> {
        self.make(|making| making.board.free_on(node as i64))
    }

    /// Whether a node takes jobs.
    pub fn is_open(&self, node: f64) -> Result<bool, JsValue> {
        self.make(|making| making.board.is_open(node as i64))
    }

    /// A number of the run's generator, from 0 to below 1.
    pub fn random(&self) -> Result<f64, JsValue> {
        self.make(|making| Ok(draw::unit(&mut making.rng)))
    }
}

fn on_nodes(nodes: &[f64]) -> Vec<(i64, Option<u32>)> {
    let pairs = nodes.chunks_exact(2);
    let on = pairs.map(|of| (of[0] as i64, (of[1] >= 0.0).then_some(of[1] as u32)));
    on.collect()
}
