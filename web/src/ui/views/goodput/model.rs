//! Pollux' goodput model to play with, without a trace: a [`Question`] gives numbers, an
//! [`Answer`] the choice of batch size and its curves. Formulas are [`goodput`](switchyard::goodput)'s.

use crate::complaint::Complaint;
use crate::draw::format::count;
use serde::{Deserialize, Serialize};
use switchyard::explain::{Fact, Mark, Plot, PlotLine};
use switchyard::goodput::batch::{choose, curve};
use switchyard::goodput::{GradientStats, Limits, LimitsError, LocalBatch, ThroughputParams};
use switchyard::workload::Application;
use switchyard::workload::application::Profile;
use thiserror::Error;

/// The name of an application made here.
pub(crate) const MINE: &str = "mine";

/// The most GPUs that curves reach.
const MOST_GPUS: u32 = 64;

/// What is asked of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The embedded application whose numbers stand in for those not given.
    pub application: String,
    /// How far training has come, 0 to 1: decides the application's own φ.
    pub trained: f64,
    /// GPUs, one replica each.
    pub gpus: u32,
    /// GPUs per node; replicas are packed.
    pub gpus_per_node: u32,
    /// The gradient noise scale φ, samples.
    pub noise_scale: Option<f64>,
    /// Step times.
    pub throughput: Option<ThroughputParams>,
    /// What batch sizes are allowed.
    pub limits: Option<Limits>,
}

impl Default for Question {
    /// ResNet18 on CIFAR-10, a quarter trained, on 8 GPUs in nodes of 4.
    fn default() -> Self {
        Self {
            application: "cifar10".to_owned(),
            trained: 0.25,
            gpus: 8,
            gpus_per_node: 4,
            noise_scale: None,
            throughput: None,
            limits: None,
        }
    }
}

/// What the model says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The embedded applications.
    pub applications: Vec<String>,
    /// φ as it was used, samples.
    pub noise_scale: f64,
    /// Step times as they were used.
    pub throughput: ThroughputParams,
    /// Batch sizes as they were used.
    pub limits: Limits,
    /// The application that these numbers describe, named [`MINE`], as JSON.
    pub definition: Option<String>,
    /// The choice, in numbers.
    pub facts: Vec<Fact>,
    /// Goodput over batch size, efficiency over batch size, goodput over GPUs.
    pub plots: Vec<Plot>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum QuestionError {
    /// No embedded application has this name.
    #[error("there is no application '{0}'")]
    UnknownApplication(String),
    /// Batch sizes that contradict one another.
    #[error("{0}")]
    Limits(#[from] LimitsError),
    /// A number out of its range.
    #[error("{what} must be {expected}")]
    Range {
        /// Which.
        what: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// No batch size fits so many GPUs.
    #[error(
        "no batch size fits {gpus} GPUs: each takes at least {least} samples, and all together at most {most}"
    )]
    NoChoice {
        /// GPUs.
        gpus: u32,
        /// Least samples per GPU.
        least: u32,
        /// Most samples in total.
        most: u32,
    },
}

impl Question {
    /// As it stands in links: `cifar10,0.25,8,4`, then what is not the application's own.
    pub fn to_text(&self) -> String {
        let Self {
            application,
            trained,
            gpus,
            gpus_per_node,
            ..
        } = self;
        let mut text = format!("{application},{trained},{gpus},{gpus_per_node}");
        let mut add = |name: &str, numbers: &[f64]| {
            text.push(',');
            text.push_str(name);
            for number in numbers {
                text.push(':');
                text.push_str(&number.to_string());
            }
        };
        if let Some(noise) = self.noise_scale {
            add("noise", &[noise]);
        }
        if let Some(of) = &self.throughput {
            let passes = [of.alpha_c, of.beta_c, of.alpha_n, of.beta_n];
            add("passes", &passes);
            add("local", &[of.alpha_r, of.beta_r, of.gamma]);
        }
        if let Some(of) = &self.limits {
            let sizes = [of.m0, of.max_batch, of.min_local, of.max_local];
            add("batch", &sizes.map(f64::from));
        }
        text
    }

    /// What such a text asks. Whether it can be answered the model says.
    ///
    /// # Errors
    ///
    /// What a question is, as a sentence's second half.
    pub fn from_text(text: &str) -> Result<Self, Complaint> {
        Self::read(text).ok_or_else(|| {
            let example = Self::default().to_text();
            format!("it is an application and numbers, such as {example}").into()
        })
    }

    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(',');
        let mut next = || parts.next();
        let mut question = Self {
            application: next()?.to_owned(),
            trained: number(next()?)?,
            gpus: next()?.parse().ok()?,
            gpus_per_node: next()?.parse().ok()?,
            ..Self::default()
        };
        let mut passes = None;
        for part in parts {
            let (name, numbers) = part.split_once(':')?;
            let numbers: Vec<f64> = numbers.split(':').map(number).collect::<Option<_>>()?;
            match (name, &numbers[..]) {
                ("noise", &[noise]) => question.noise_scale = Some(noise),
                ("passes", &[alpha_c, beta_c, alpha_n, beta_n]) => {
                    passes = Some([alpha_c, beta_c, alpha_n, beta_n]);
                }
                ("local", &[alpha_r, beta_r, gamma]) => {
                    let [alpha_c, beta_c, alpha_n, beta_n] = passes?;
                    question.throughput = Some(ThroughputParams {
                        alpha_c,
                        beta_c,
                        alpha_n,
                        beta_n,
                        alpha_r,
                        beta_r,
                        gamma,
                    });
                }
                ("batch", &[m0, max_batch, min_local, max_local]) => {
                    question.limits = Some(Limits {
                        m0: m0 as u32,
                        max_batch: max_batch as u32,
                        min_local: min_local as u32,
                        max_local: max_local as u32,
                    });
                }
                _ => return None,
            }
        }
        Some(question)
    }

    /// What the model says.
    ///
    /// # Errors
    ///
    /// A [`QuestionError`] that says which number cannot be, or that no batch size fits.
    pub fn answer(&self) -> Result<Answer, QuestionError> {
        let applications = Application::embedded();
        let application = applications.iter().find(|a| *a.name == *self.application);
        let application = application
            .ok_or_else(|| QuestionError::UnknownApplication(self.application.clone()))?;
        let range = |what, expected| QuestionError::Range { what, expected };
        if !(1..=MOST_GPUS).contains(&self.gpus) || self.gpus_per_node == 0 {
            return Err(range("GPUs", "from 1 to 64, on nodes of at least 1"));
        }
        let limits = self.limits.unwrap_or(application.limits).check()?;
        let own = match application.profile() {
            Profile::Fitted(fitted) => fitted.params,
            Profile::Measured(measured) => *measured.model(),
        };
        let params = self.throughput.unwrap_or(own);
        if !params.is_sound() {
            return Err(range(
                "every α and β",
                "0 or more, one of them more, and γ from 1 to 10",
            ));
        }
        let epochs = f64::from(application.epochs());
        let epoch = libm::floor(self.trained.clamp(0.0, 1.0) * epochs) as u32;
        let epoch = epoch.min(application.epochs().saturating_sub(1));
        let m0 = f64::from(application.limits.m0);
        let own = application.stats(m0, epoch);
        let noise_scale = self
            .noise_scale
            .unwrap_or_else(|| own.noise_scale(application.limits.m0));
        if noise_scale.is_nan() || noise_scale < 0.0 {
            return Err(range("the noise scale φ", "0 or more samples"));
        }
        let model = Model {
            params,
            limits,
            stats: GradientStats::of_noise_scale(noise_scale, limits.m0),
            per_node: self.gpus_per_node,
        };
        let names = applications.iter().map(|a| a.name.to_string());
        Ok(Answer {
            definition: application.varied(MINE, params, limits, self.noise_scale),
            facts: model.facts(self.gpus, application, epoch)?,
            plots: model.plots(self.gpus),
            applications: names.collect(),
            noise_scale,
            throughput: params,
            limits,
        })
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

struct Model {
    params: ThroughputParams,
    limits: Limits,
    stats: GradientStats,
    per_node: u32,
}

impl Model {
    fn nodes(&self, gpus: u32) -> u32 {
        gpus.div_ceil(self.per_node)
    }

    /// The best total batch on so many GPUs, and its goodput.
    fn best(&self, gpus: u32) -> Option<(f64, f64)> {
        let nodes = self.nodes(gpus);
        let best = choose(&self.params, &self.stats, &self.limits, nodes, gpus)?;
        Some((best.batch.total(gpus), best.goodput))
    }

    fn facts(
        &self,
        gpus: u32,
        application: &Application,
        epoch: u32,
    ) -> Result<Vec<Fact>, QuestionError> {
        let nodes = self.nodes(gpus);
        let best = choose(&self.params, &self.stats, &self.limits, nodes, gpus);
        let best = best.ok_or(QuestionError::NoChoice {
            gpus,
            least: self.limits.min_local,
            most: self.limits.max_batch,
        })?;
        let batch = best.batch.total(gpus);
        let scale = self.limits.scale(batch);
        let throughput = self.params.throughput(nodes, gpus, best.batch);
        let factor = application
            .rule
            .factor(&self.stats, scale, f64::from(epoch));
        let mut facts = vec![
            Fact::new("batch size M", format!("{} samples", count(batch as u64))),
            Fact::new(
                "per GPU",
                match best.batch {
                    LocalBatch { m, s: 0 } => format!("m = {m}"),
                    LocalBatch { m, s } => format!("m = {m}, accumulated {} times", s + 1),
                },
            ),
            Fact::new(
                "throughput",
                format!("{} samples/s", count(throughput.round() as u64)),
            ),
            Fact::new(
                "statistical efficiency",
                format!("{:.0} %", 100.0 * self.stats.efficiency(scale)),
            ),
            Fact::new(
                "goodput",
                format!("{} samples/s", count(best.goodput.round() as u64)),
            ),
            Fact::new("learning rate", format!("× {factor:.2}")),
        ];
        if let Some((_, one)) = self.best(1)
            && one > 0.0
        {
            let speedup = best.goodput / one;
            facts.push(Fact::new("speedup over 1 GPU", format!("× {speedup:.2}")));
        }
        Ok(facts)
    }

    fn plots(&self, gpus: u32) -> Vec<Plot> {
        let nodes = self.nodes(gpus);
        let points = curve(&self.limits, gpus, |batch, _| {
            (self.params.iter_time(nodes, gpus, batch), self.stats)
        });
        let line = |name: &str, points: Vec<(f64, f64)>| PlotLine {
            name: name.to_owned(),
            points,
            dots: false,
        };
        let by_batch = |of: fn(f64, f64) -> f64| {
            let points = points.iter();
            points
                .map(|p| (p.batch, of(p.throughput, p.efficiency)))
                .collect::<Vec<_>>()
        };
        let job_at = self.best(gpus).map(|(batch, _)| batch);
        let m0 = || {
            vec![Mark {
                x: f64::from(self.limits.m0),
                label: "M0".to_owned(),
            }]
        };
        let x = || "total batch size M, samples".to_owned();
        let reachable = 1..=MOST_GPUS.min(self.limits.max_replicas());
        let over_gpus = reachable.filter_map(|gpus| Some((f64::from(gpus), self.best(gpus)?.1)));
        vec![
            Plot {
                title: format!("Goodput on {gpus} GPUs"),
                x: x(),
                y: "samples per second".to_owned(),
                lines: vec![
                    line("goodput", by_batch(|throughput, e| throughput * e)),
                    line("throughput", by_batch(|throughput, _| throughput)),
                ],
                marks: m0(),
                job_at,
            },
            Plot {
                title: "Statistical efficiency".to_owned(),
                x: x(),
                y: "progress per sample, relative to M0".to_owned(),
                lines: vec![line("", by_batch(|_, efficiency| efficiency))],
                marks: m0(),
                job_at,
            },
            Plot {
                title: "Goodput of the best batch size".to_owned(),
                x: "GPUs, packed on nodes".to_owned(),
                y: "samples per second".to_owned(),
                lines: vec![line("", over_gpus.collect())],
                marks: Vec::new(),
                job_at: Some(f64::from(gpus)),
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of m/100 s without synchronisation: throughput is 100 samples/s per GPU.
    fn plain() -> Question {
        Question {
            noise_scale: Some(300.0),
            throughput: Some(ThroughputParams {
                alpha_c: 0.0,
                beta_c: 0.01,
                alpha_n: 0.0,
                beta_n: 0.0,
                alpha_r: 0.0,
                beta_r: 0.0,
                gamma: 1.0,
            }),
            limits: Some(Limits {
                m0: 100,
                max_batch: 1600,
                min_local: 10,
                max_local: 400,
            }),
            gpus: 4,
            ..Question::default()
        }
    }

    #[test]
    fn by_hand() {
        let answer = plain().answer().expect("sound numbers");
        let text = answer.definition.as_deref().expect("a definition");
        let mine = Application::from_json(text).expect("a sound one");
        assert_eq!((&*mine.name, mine.limits), (MINE, answer.limits));
        // Larger batches gain no throughput, so M0 is best, at 400 samples/s and efficiency 1.
        let facts: Vec<_> = answer.facts.iter().map(|f| f.in_seconds()).collect();
        assert_eq!(
            facts,
            [
                "100 samples",
                "m = 25",
                "400 samples/s",
                "100 %",
                "400 samples/s",
                "× 1.00",
                "× 4.00"
            ]
        );
        let [goodput, efficiency, gpus] = &answer.plots[..] else {
            panic!("three plots");
        };
        assert_eq!(goodput.job_at, Some(100.0));
        // EFF(1600) = (300 + 100)/(300 + 1600)
        let last = efficiency.lines[0].points.last().expect("points");
        assert_eq!(last.0, 1600.0);
        assert!((last.1 - 400.0 / 1900.0).abs() < 1e-12);
        assert_eq!(gpus.lines[0].points.len(), 64);
    }

    #[test]
    fn every_application_has_an_answer_at_any_time() {
        let first = Question::default().answer().expect("the default");
        assert_eq!(first.applications.len(), 6);
        for application in first.applications {
            for trained in [0.0, 0.5, 1.0] {
                let question = Question {
                    application: application.clone(),
                    trained,
                    gpus: 4,
                    ..Question::default()
                };
                let answer = question.answer().expect("an embedded application");
                for plot in &answer.plots {
                    for line in &plot.lines {
                        assert!(line.points.is_sorted_by(|a, b| a.0 < b.0));
                        assert!(line.points.iter().all(|p| p.1.is_finite() && p.1 > 0.0));
                    }
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_is_said() {
        let why = |question: Question| question.answer().unwrap_err().to_string();
        let mut question = plain();
        question.gpus = 0;
        assert_eq!(
            why(question),
            "GPUs must be from 1 to 64, on nodes of at least 1"
        );
        let mut question = plain();
        question.noise_scale = Some(f64::NAN);
        assert_eq!(why(question), "the noise scale φ must be 0 or more samples");
        let mut question = plain();
        question.application = "gpt".to_owned();
        assert_eq!(why(question), "there is no application 'gpt'");
        let mut question = plain();
        question.limits.as_mut().expect("given").min_local = 401;
        assert_eq!(why(question), "min_local = 401 exceeds max_local = 400");
        let mut question = plain();
        question.limits.as_mut().expect("given").max_batch = 100;
        question.gpus = 20;
        assert_eq!(
            why(question),
            "no batch size fits 20 GPUs: each takes at least 10 samples, and all together at most 100"
        );
    }
}
