//! A question begins, goes on and ends.

use super::StartUnderWay;
use crate::bridge::client::{News, WorkerHandle};
use crate::bridge::protocol::{Program, RunInput, StartReply, StartRequest};
use crate::complaint::Complaint;
use crate::session::Session;
use crate::session::runs::ResolvedWeights;
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
            waiting: orders.into_iter().enumerate().collect(),
            workers: Vec::new(),
            jobs: self.0.opening.jobs(),
            applications: state.applications(),
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

    fn start_on(&self) {
        let most = self.room().max(1);
        loop {
            let mut under_way = self.0.analyses.start.borrow_mut();
            if under_way.workers.len() >= most {
                return;
            }
            let Some((at, order)) = under_way.waiting.pop_front() else {
                return;
            };
            let (jobs, applications) = (under_way.jobs.clone(), under_way.applications.clone());
            let (moment, draws) = (under_way.moment, under_way.draws);
            drop(under_way);
            let refuse = |why: Complaint| {
                self.dispatch(AnalysesAction::OfStart(
                    at,
                    StartNews::Told(Box::new(Err(why))),
                ));
            };
            let StartOrder { spec, asked } = order;
            let weights = match self.resolve_weights(&spec) {
                ResolvedWeights::Ready(weights) => weights,
                ResolvedWeights::Missing(why) => {
                    refuse(why.into());
                    continue;
                }
                ResolvedWeights::Loading => {
                    refuse("Its weights are on their way: ask again.".into());
                    continue;
                }
            };
            let session = self.clone();
            let worker = WorkerHandle::start_in(Program::of(&spec.policy), move |news| {
                session.on_start_news(at, news);
            });
            let request = StartRequest {
                input: RunInput {
                    spec: Rc::new(spec),
                    applications,
                    has_user_weights: weights.user_file.is_some(),
                },
                asked,
                moment,
                draws,
            };
            let with = std::iter::once(jobs.into()).chain(weights.files());
            match worker.send(&request, with) {
                Ok(()) => {
                    let mut under_way = self.0.analyses.start.borrow_mut();
                    under_way.workers.push((at, worker));
                }
                Err(why) => refuse(Complaint::of(why)),
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
        let asked = &self.0.analyses.start;
        if !asked.borrow().workers.iter().any(|(of, _)| *of == at) {
            return;
        }
        let is_over = matches!(news, StartNews::Told(_));
        self.dispatch(AnalysesAction::OfStart(at, news));
        if is_over {
            let mut under_way = self.0.analyses.start.borrow_mut();
            under_way.workers.retain(|(of, _)| *of != at);
            drop(under_way);
            self.start_on();
        }
    }
}
