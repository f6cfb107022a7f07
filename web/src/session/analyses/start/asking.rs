//! A question begins, goes on and ends.

use super::StartUnderWay;
use crate::bridge::client::News;
use crate::bridge::protocol::{StartReply, StartRequest};
use crate::session::Session;
use crate::session::analyses::in_turn::{InTurn, Next};
use crate::state::start::{StartNews, StartOrder};
use crate::state::{AnalysesAction, AppState};
use std::rc::Rc;

impl Session {
    /// Asks what the view asks, at the clock's time, in the place of the question before.
    pub fn ask_start(&self, state: &AppState) {
        let (moment, chosen) = {
            let stage = self.stage().read();
            (stage.clock.now, stage.selected())
        };
        let (starting, orders) = match state.start_question(moment, chosen.or(state.selection.job))
        {
            Ok(both) => both,
            Err(why) => {
                self.0.analyses.end_start();
                return self.dispatch(AnalysesAction::AskedStart(Err(why)));
            }
        };
        self.0.analyses.start.replace(StartUnderWay {
            runs: InTurn::of(orders),
            jobs: self.here(state),
            moment,
            draws: starting.draws,
        });
        self.dispatch(AnalysesAction::AskedStart(Ok(Rc::new(starting))));
        self.start_on();
    }

    /// Ends the question that is under way; what has been said stays.
    pub fn leave_start(&self) {
        self.0.analyses.end_start();
        self.dispatch(AnalysesAction::LeftStart);
    }

    /// Asks schedulers that wait, as many at once as there is room for beside the page's own runs.
    fn start_on(&self) {
        let most = self.room().max(1);
        loop {
            let mut under_way = self.0.analyses.start.borrow_mut();
            let Next::Begin(at, StartOrder { spec, asked }) = under_way.runs.next(most) else {
                return;
            };
            let side = under_way.jobs.clone();
            let (moment, draws) = (under_way.moment, under_way.draws);
            drop(under_way);
            let request = |input| StartRequest {
                input,
                asked,
                moment,
                draws,
            };
            let session = self.clone();
            let on_news = move |news| session.on_start_news(at, news);
            match self.worker_for(spec, side, "ask again", request, on_news) {
                Ok(worker) => self.0.analyses.start.borrow_mut().runs.put(at, worker),
                Err(why) => {
                    let news = StartNews::Told(Box::new(Err(why)));
                    self.dispatch(AnalysesAction::OfStart(at, news));
                }
            }
        }
    }

    fn on_start_news(&self, at: usize, news: News<StartReply>) {
        let news = match news {
            News::Reply(StartReply::Drawn { starts, so_far }) => StartNews::Drawn(starts, so_far),
            News::Reply(StartReply::Helping(helps)) => StartNews::Helping(helps),
            News::Reply(StartReply::Told(told)) => StartNews::Told(told),
            News::Died(why) => {
                let why = format!("Its worker died ({why}): ask again.");
                StartNews::Told(Box::new(Err(why.into())))
            }
            News::Late => return self.report_slow_network(),
        };
        // What is left of a question that was ended says nothing more.
        if !self.0.analyses.start.borrow().runs.has(at) {
            return;
        }
        let is_over = matches!(news, StartNews::Told(_));
        self.dispatch(AnalysesAction::OfStart(at, news));
        if is_over {
            let mut under_way = self.0.analyses.start.borrow_mut();
            under_way.runs.end(at);
            drop(under_way);
            self.start_on();
        }
    }
}
