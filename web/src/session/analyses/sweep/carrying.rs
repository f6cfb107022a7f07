//! A sweep begins, goes on and ends.

use super::SweepUnderWay;
use crate::bridge::client::News;
use crate::bridge::protocol::{SummaryReply, SummaryRequest};
use crate::complaint::Complaint;
use crate::session::Session;
use crate::session::analyses::in_turn::{InTurn, Next, Side};
use crate::state::link::Link;
use crate::state::sweep::{Order, Sweep, Vary};
use crate::state::{AnalysesAction, AppState};
use std::rc::Rc;
use switchyard::report::Summary;

impl Session {
    /// Begins the sweep that its view asks for, in the place of the one before.
    pub fn sweep(&self, state: &AppState) {
        let shown = Link::of(state, &self.0.stage.read());
        if state.varied() == Vary::Link {
            return self.compare_with_link(state, &shown);
        }
        if state.varied() == Vary::Capacity {
            return self.search(state, &shown);
        }
        let (sweep, orders) = match state.sweep(&shown) {
            Ok(both) => both,
            Err(why) => return self.dispatch(AnalysesAction::Swept(Err(why))),
        };
        let here = self.here(state);
        self.begin_sweep(sweep, orders, [here.clone(), here]);
    }

    /// Begins the search that its view asks for.
    fn search(&self, state: &AppState, shown: &Link) {
        let (sweep, searching) = match state.searching(shown) {
            Ok(both) => both,
            Err(why) => return self.dispatch(AnalysesAction::Swept(Err(why))),
        };
        let here = self.here(state);
        self.0.analyses.sweep.replace(SweepUnderWay {
            search: Some(searching),
            sides: [here.clone(), here],
            ..SweepUnderWay::default()
        });
        self.dispatch(AnalysesAction::Swept(Ok(Rc::new(sweep))));
        self.search_on();
        self.sweep_on();
    }

    /// Has what a search wants to know next wait for workers.
    fn search_on(&self) {
        let mut sweeping = self.0.analyses.sweep.borrow_mut();
        let Some(search) = &mut sweeping.search else {
            return;
        };
        let (more, orders) = search.more();
        sweeping.runs.add(orders);
        drop(sweeping);
        self.dispatch(AnalysesAction::SweptMore(more));
    }

    /// Puts down what came of a run.
    fn swept_run(&self, at: usize, outcome: Result<Summary, Complaint>) {
        if let Some(search) = &mut self.0.analyses.sweep.borrow_mut().search {
            search.take(at, &outcome);
        }
        self.dispatch(AnalysesAction::SweptRun(at, outcome));
        self.search_on();
    }

    /// The page's own jobs.
    pub(in crate::session::analyses) fn here(&self, state: &AppState) -> Side {
        Side {
            jobs: self.0.opening.jobs(),
            applications: state.applications(),
        }
    }

    /// Begins a sweep that has been worked out.
    pub(in crate::session::analyses) fn begin_sweep(
        &self,
        sweep: Sweep,
        orders: Vec<Order>,
        sides: [Side; 2],
    ) {
        self.0.analyses.sweep.replace(SweepUnderWay {
            runs: InTurn::of(orders),
            sides,
            ..SweepUnderWay::default()
        });
        self.dispatch(AnalysesAction::Swept(Ok(Rc::new(sweep))));
        self.sweep_on();
    }

    /// Ends the sweep that is under way; what is done stays.
    pub fn leave_sweep(&self) {
        self.0.analyses.sweep.take();
        self.dispatch(AnalysesAction::LeftSweep);
    }

    /// Gives runs that wait to workers, as many as there is room for beside the page's own runs.
    fn sweep_on(&self) {
        let most = self.room().max(1);
        loop {
            let mut sweeping = self.0.analyses.sweep.borrow_mut();
            let (at, order) = match sweeping.runs.next(most) {
                Next::Begin(at, order) => (at, order),
                Next::Wait => return,
                Next::Over => {
                    drop(sweeping);
                    return self.dispatch(AnalysesAction::LeftSweep);
                }
            };
            let Order { spec, load, there } = order;
            let side = sweeping.sides[usize::from(there)].clone();
            drop(sweeping);
            let request = |input| SummaryRequest { input, load };
            let session = self.clone();
            let on_news = move |news| session.on_sweep_news(at, news);
            match self.worker_for(spec, side, "start the sweep again", request, on_news) {
                Ok(worker) => self.0.analyses.sweep.borrow_mut().runs.put(at, worker),
                Err(why) => self.swept_run(at, Err(why)),
            }
        }
    }

    fn on_sweep_news(&self, at: usize, news: News<SummaryReply>) {
        let outcome: Result<Summary, Complaint> = match news {
            News::Reply(SummaryReply(outcome)) => *outcome,
            News::Died(why) => Err(format!("Its worker died: {why}.").into()),
            News::Late => return self.report_slow_network(),
        };
        let mut sweeping = self.0.analyses.sweep.borrow_mut();
        // What is left of a sweep that was ended says nothing more.
        let is_known = sweeping.runs.has(at);
        sweeping.runs.end(at);
        drop(sweeping);
        if is_known {
            self.swept_run(at, outcome);
            self.sweep_on();
        }
    }
}
