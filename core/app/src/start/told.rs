//! The answer as whoever asks is told it: when the job starts, who goes before it, by what its duration is judged, the
//! plain way beside it, and what would help.

use super::answer::Answer;
use super::asked::{Asked, Wish};
use super::inquiry::{Basis, Draw, Inquiry};
use super::refused::Refused;
use crate::Deciding;
use crate::format::duration;
use serde::{Deserialize, Serialize};
use switchyard::RunSpec;
use switchyard::job::JobId;
use switchyard::weights::Weights;
use switchyard::workload::Workload;

/// So many other queues are tried.
const QUEUES: usize = 3;

/// What is asked, of one policy.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The policy and its settings.
    pub spec: &'a RunSpec,
    /// Who decides, if that is not the policy.
    pub deciding: Option<&'a Deciding>,
    /// All jobs.
    pub workload: &'a Workload,
    /// What has learned.
    pub weights: &'a Weights,
    /// Seconds since the first submission.
    pub moment: f64,
    /// How many runs.
    pub draws: u32,
}

/// Makes so many draws of an inquiry, in the order of their numbers, on as many threads as there are; `None`: somebody has
/// ended it.
pub type Drawing<'a> = dyn FnMut(&Inquiry, u32) -> Option<Result<Vec<Draw>, Refused>> + 'a;

/// Under one policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// The policy as a spec.
    pub policy: String,
    /// The same for people.
    #[serde(skip)]
    pub label: String,
    /// Seconds since the first submission.
    pub moment: f64,
    /// The job that is asked about.
    pub job: AskedJob,
    /// How many runs there were.
    pub draws: usize,
    /// When it starts.
    pub when: When,
    /// Those that waited at the moment and start before it in half of the draws or more.
    pub before: Vec<Before>,
    /// How many on average come later and start before it.
    pub later: f64,
    /// By what the job's own duration is judged.
    pub basis: Option<Basis>,
    /// All run to their limits, and nobody comes later; `None`: jobs ask for no time, and none has ended to learn one from.
    pub plain: Option<Plain>,
    /// What would help.
    pub help: Vec<Help>,
}

/// When it starts, seconds since the first submission; null: it may never.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct When {
    /// When it started, if it has by the moment.
    pub started: Option<f64>,
    /// The chance that it starts at the moment.
    pub at_once: f64,
    /// The chance that it never starts.
    pub never: f64,
    /// Before this with a chance of one in twenty.
    pub p05: f64,
    /// One in two.
    pub p50: f64,
    /// Nine in ten.
    pub p90: f64,
    /// Nineteen in twenty.
    pub p95: f64,
}

/// The job that is asked about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedJob {
    /// Its name.
    pub name: String,
    /// Its gang.
    pub gpus: u32,
    /// Seconds that it asks for.
    pub limit: Option<f64>,
}

/// A job that starts before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Before {
    /// Which.
    pub job: JobId,
    /// Its name.
    pub name: String,
    /// Its gang.
    pub gpus: u32,
    /// In this share of the draws.
    pub share: f64,
}

/// The start if all run to their limits, and nobody comes later.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plain {
    /// Seconds since the first submission.
    pub start: f64,
    /// What stands for a limit where jobs ask for no time, seconds.
    pub usual_limit: f64,
    /// How many ask for none.
    pub without_limit: usize,
}

/// The same question of a job that wishes for something else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Help {
    /// For what.
    pub what: String,
    /// When it starts then.
    pub when: Option<When>,
    /// By so much earlier is the median, seconds; below 0: later.
    pub earlier: Option<f64>,
    /// Why nothing is said of it.
    pub refused: Option<String>,
}

impl Question<'_> {
    /// The answer, with what would help if `helps`; `None`: `drawing` was ended.
    ///
    /// # Errors
    ///
    /// Nobody can say.
    pub fn told(
        &self,
        asked: &Asked,
        helps: bool,
        drawing: &mut Drawing<'_>,
    ) -> Result<Option<Told>, Refused> {
        let inquiry = self.inquiry(asked)?;
        let Some(answer) = self.answer(&inquiry, drawing) else {
            return Ok(None);
        };
        let answer = answer?;
        let (usual_limit, without_limit) = (inquiry.usual_limit(), inquiry.without_limit());
        let plain = match usual_limit > 0.0 || without_limit == 0 {
            true => Some(Plain {
                start: inquiry.plain()?.start.seconds(),
                usual_limit,
                without_limit,
            }),
            false => None,
        };
        let when = When::of(&inquiry, &answer);
        let workload = inquiry.workload();
        let job = &workload.jobs[inquiry.job().index()];
        let mut before: Vec<Before> = (answer.before.iter())
            .filter(|(_, share)| *share >= 0.5)
            .map(|&(id, share)| Before {
                job: id,
                name: workload.jobs[id.index()].name.to_string(),
                gpus: workload.jobs[id.index()].gpus,
                share,
            })
            .collect();
        before.sort_by(|a, b| switchyard::order::by_value(&b.share, &a.share));
        let help = match helps && when.started.is_none() {
            true => self.helps(asked, &inquiry, when, drawing),
            false => Some(Vec::new()),
        };
        let Some(help) = help else {
            return Ok(None);
        };
        Ok(Some(Told {
            policy: self.spec.policy.to_string(),
            label: self.spec.policy.label(),
            moment: self.moment,
            job: AskedJob {
                name: job.name.to_string(),
                gpus: job.gpus,
                limit: job.demand.time,
            },
            draws: answer.draws(),
            when,
            before,
            later: answer.later,
            basis: inquiry.basis(),
            plain,
            help,
        }))
    }

    /// When it starts as far as these draws of an inquiry tell, one or more.
    pub fn so_far(inquiry: &Inquiry, drawn: &[Draw]) -> When {
        When::of(inquiry, &Answer::of(inquiry.moment(), drawn))
    }

    fn inquiry(&self, asked: &Asked) -> Result<Inquiry, Refused> {
        Inquiry::deciding(
            self.spec,
            self.deciding,
            self.workload,
            self.weights,
            asked,
            self.moment,
        )
    }

    fn answer(
        &self,
        inquiry: &Inquiry,
        drawing: &mut Drawing<'_>,
    ) -> Option<Result<Answer, Refused>> {
        let draws = match inquiry.started() {
            Some(_) => 1,
            None => self.draws,
        };
        let drawn = drawing(inquiry, draws)?;
        Some(drawn.map(|drawn| Answer::of(inquiry.moment(), &drawn)))
    }

    /// The same question, if the job wished for something else.
    fn helps(
        &self,
        asked: &Asked,
        inquiry: &Inquiry,
        before: When,
        drawing: &mut Drawing<'_>,
    ) -> Option<Vec<Help>> {
        let others = other_wishes(asked, inquiry).into_iter();
        let others = others.map(|(what, asked)| {
            let told = match self.inquiry(&asked) {
                Ok(inquiry) => {
                    let answer = self.answer(&inquiry, drawing)?;
                    answer.map(|answer| When::of(&inquiry, &answer))
                }
                Err(refused) => Err(refused),
            };
            let earlier = told.as_ref().ok().map(|when| before.p50 - when.p50);
            Some(Help {
                what,
                earlier: earlier.filter(|of| of.is_finite()),
                refused: told.as_ref().err().map(ToString::to_string),
                when: told.ok(),
            })
        });
        others.collect()
    }
}

/// Fewer GPUs, other queues, half the limit: in words, and as questions.
fn other_wishes(asked: &Asked, inquiry: &Inquiry) -> Vec<(String, Asked)> {
    let job = &inquiry.workload().jobs[inquiry.job().index()];
    let wish = |change: &dyn Fn(&mut Wish)| {
        let mut asked = asked.clone();
        change(&mut asked.wish);
        asked
    };
    let mut others = Vec::new();
    let mut fewer = vec![job.gpus / 2, 1];
    fewer.dedup();
    for gpus in fewer.into_iter().filter(|&of| of > 0 && of < job.gpus) {
        let what = match gpus {
            1 => "with 1 GPU".to_owned(),
            _ => format!("with {gpus} GPUs"),
        };
        others.push((what, wish(&|of| of.gpus = Some(gpus))));
    }
    for queue in inquiry.other_queues().into_iter().take(QUEUES) {
        let what = format!("in the queue {queue}");
        others.push((what, wish(&|of| of.queue = Some(queue.clone()))));
    }
    if let Some(limit) = job.demand.time.map(|limit| limit / 2.0) {
        let what = format!("with a limit of {}", duration(limit));
        others.push((what, wish(&|of| of.limit = Some(limit))));
    }
    others
}

impl When {
    fn of(inquiry: &Inquiry, answer: &Answer) -> Self {
        Self {
            started: inquiry.started().map(|start| start.seconds()),
            at_once: answer.at_once(),
            never: answer.never(),
            p05: answer.quantile(0.05),
            p50: answer.quantile(0.5),
            p90: answer.quantile(0.9),
            p95: answer.quantile(0.95),
        }
    }
}
