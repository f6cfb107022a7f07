//! The moment at which a function decides the whole: what there is to see, and to do.

use js_sys::{Array, Error, Uint32Array};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, MutexGuard};
use switchyard::Time;
use switchyard::job::JobId;
use switchyard::policies::board::{Answer, Board, Named, Seat};
use switchyard::policies::moment::Moment as Seen;
use switchyard::policies::trainees::{self, Shared, Trainee};
use switchyard::workload::Workload;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// What there is to see and to do at a moment. Jobs go by their rows, in order of submission.
#[wasm_bindgen]
pub struct Moment {
    pub(super) seen: Seen,
    pub(super) ids: Vec<JobId>,
    pub(super) seats: Vec<Arc<Seat>>,
    pub(super) trainees: Vec<Option<Shared>>,
    pub(super) jobs: Arc<Workload>,
    /// The plan in the making. `None`: the decision is over.
    pub(super) board: Rc<RefCell<Option<Board>>>,
}

impl Moment {
    fn make<R>(&self, make: impl FnOnce(&mut Board) -> Answer<R>) -> Result<R, JsValue> {
        let mut board = self.board.borrow_mut();
        let board = board
            .as_mut()
            .ok_or_else(|| "the decision is over".to_owned());
        thrown(board.and_then(make))
    }

    /// What is known of a job that has to be adaptive.
    fn trains(&self, row: u32) -> Result<MutexGuard<'_, Trainee>, JsValue> {
        let trainee = self.trainees[row as usize].as_ref();
        thrown(trainees::of(trainee, self.named(row)))
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
        self.make(|board| board.start(self.named(row)))
    }

    /// The same on these nodes: two numbers for each, which, and how many GPUs there; -1: as many as are free.
    pub fn start_on(&self, row: u32, nodes: &[f64]) -> Result<bool, JsValue> {
        self.make(|board| board.start_on(self.named(row), &on_nodes(nodes)))
    }

    /// Moves a running job.
    pub fn move_to(&self, row: u32, nodes: &[f64]) -> Result<bool, JsValue> {
        self.make(|board| board.move_to(self.named(row), &on_nodes(nodes)))
    }

    /// Takes a running job's GPUs.
    pub fn stop(&self, row: u32) -> Result<(), JsValue> {
        self.make(|board| board.stop(self.named(row)))
    }

    /// Who starts and who is preempted by this order.
    pub fn walk(&self, order: &[u32]) -> Result<Array, JsValue> {
        let order = order.iter().map(|&row| self.named(row));
        let walked = self.make(|board| board.walk(order))?;
        let rows = |ids| Uint32Array::from(&self.rows(ids)[..]);
        Ok(Array::of2(&rows(&walked.started), &rows(&walked.preempted)))
    }

    /// Asks again at this time.
    pub fn alarm(&self, row: u32, at: f64) -> Result<(), JsValue> {
        self.make(|board| board.alarm(self.named(row), Time(at)))
    }

    /// Notes that a job has sunk to a queue.
    pub fn demote(&self, row: u32, queue: u32) -> Result<(), JsValue> {
        self.make(|board| board.demote(self.named(row), queue))
    }

    /// Notes that it has risen to one.
    pub fn promote(&self, row: u32, queue: u32) -> Result<(), JsValue> {
        self.make(|board| board.promote(self.named(row), queue))
    }

    /// GPUs that are free after what has been decided.
    pub fn free_now(&self) -> Result<u32, JsValue> {
        self.make(|board| Ok(board.free()))
    }

    /// Those on a node.
    pub fn free_on(&self, node: f64) -> Result<u32, JsValue> {
        self.make(|board| board.free_on(node as i64))
    }

    /// Whether a node takes jobs.
    pub fn is_open(&self, node: f64) -> Result<bool, JsValue> {
        self.make(|board| board.is_open(node as i64))
    }

    /// Runs an adaptive job on so many GPUs, with the best batch or this one.
    pub fn train(&self, row: u32, gpus: f64, batch: Option<f64>) -> Result<bool, JsValue> {
        let trainee = self.trainees[row as usize].as_ref();
        let (gpus, batch) = (gpus as i64, batch.map(|batch| batch as i64));
        self.make(|board| trainees::train(board, self.named(row), trainee, gpus, batch))
    }

    /// Whether a job is adaptive: it trains on more or fewer GPUs.
    pub fn adaptive(&self, row: u32) -> bool {
        self.trainees[row as usize].is_some()
    }

    /// Of one that is adaptive: what it trains.
    pub fn application(&self, row: u32) -> Result<String, JsValue> {
        Ok(self.trains(row)?.application().to_owned())
    }

    /// The total batch its owner asks for, samples.
    pub fn batch(&self, row: u32) -> Result<u32, JsValue> {
        Ok(self.trains(row)?.asked())
    }

    /// Epochs in all.
    pub fn epochs(&self, row: u32) -> Result<u32, JsValue> {
        Ok(self.trains(row)?.epochs())
    }

    /// Epochs that are complete.
    pub fn epochs_done(&self, row: u32) -> Result<f64, JsValue> {
        Ok(self.trains(row)?.epochs_done())
    }

    /// The most GPUs to try: twice what it has run on.
    pub fn max_gpus(&self, row: u32) -> Result<u32, JsValue> {
        Ok(self.trains(row)?.max_gpus())
    }

    /// Its goodput on so many GPUs over that on one, as its agent expects it.
    pub fn speedup(&self, row: u32, gpus: f64) -> Result<f64, JsValue> {
        let gpus = thrown(trainees::count(gpus as i64))?;
        Ok(self.trains(row)?.speedup(gpus))
    }

    /// Its goodput on so many GPUs, samples of use per second.
    pub fn goodput(&self, row: u32, gpus: f64) -> Result<f64, JsValue> {
        let gpus = thrown(trainees::count(gpus as i64))?;
        Ok(self.trains(row)?.goodput(gpus))
    }

    /// The best total batch on so many GPUs, samples.
    pub fn best_batch(&self, row: u32, gpus: f64) -> Result<f64, JsValue> {
        let gpus = thrown(trainees::count(gpus as i64))?;
        Ok(self.trains(row)?.best_batch(gpus))
    }
}

/// What cannot be, as an error.
fn thrown<T>(answer: Answer<T>) -> Result<T, JsValue> {
    answer.map_err(|why| Error::new(&why).into())
}

fn on_nodes(nodes: &[f64]) -> Vec<(i64, Option<u32>)> {
    let pairs = nodes.chunks_exact(2);
    let on = pairs.map(|of| (of[0] as i64, (of[1] >= 0.0).then_some(of[1] as u32)));
    on.collect()
}
