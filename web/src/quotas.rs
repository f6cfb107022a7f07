//! Who has which part of a run's tree of queues, at any moment and over time: what the view Queues paints, and what it
//! says.

use crate::draw::format::{duration, figures, units};
use crate::draw::moments::Moments;
use std::cell::RefCell;
use switchyard::RunSpec;
use switchyard::engine::RunLog;
use switchyard::queues::tree::{QueueId, QueueTree};
use switchyard::report::{QueueMoment, QueueMoments, QueuesAt, QueuesOverTime, RunQueues};
use switchyard::workload::Workload;

/// Into so many parts a run's time is cut.
const PARTS: usize = 240;

/// So many queues are named from which one borrows, or to which it lends; the rest is counted.
const NAMED: usize = 4;

/// Less of a GPU is nothing: amounts are whole thousandths.
pub const LEAST: f64 = 5e-4;

/// The queues of a run that is over.
pub struct Quotas {
    /// The tree.
    pub tree: QueueTree,
    /// Each queue below the one above it, and how many are above.
    pub order: Vec<(QueueId, u32)>,
    /// The means of each part of its time, in that order.
    pub over_time: QueuesOverTime,
    /// By queue: its quota with those below.
    pub quota: Vec<f64>,
    moments: RefCell<QueueMoments>,
}

impl Quotas {
    /// Of a run.
    pub fn of(run: &RunSpec, workload: &Workload, log: &RunLog) -> Self {
        let queues = RunQueues::of(run, workload);
        let until = log.event_times().last().copied().unwrap_or(0.0);
        let over_time = queues.over_time(workload, log, until, PARTS);
        let (tree, order) = (queues.tree.clone(), queues.in_order());
        let mut moments = QueueMoments::of(queues, workload, log);
        let first = &moments.at(workload, log, f64::NEG_INFINITY).queues;
        Self {
            quota: first.iter().map(|of| of.quota).collect(),
            tree,
            order,
            over_time,
            moments: RefCell::new(moments),
        }
    }

    /// The queues at a moment, by the run's own jobs and log.
    pub fn at(&self, workload: &Workload, log: &RunLog, moment: f64) -> QueuesAt {
        self.moments.borrow_mut().at(workload, log, moment).clone()
    }

    /// The most that a leaf uses at once.
    pub fn most_used(&self, leaf: QueueId) -> f64 {
        self.moments.borrow().most_used(leaf)
    }

    /// The most that is used beyond all quotas at once.
    pub fn most_beyond(&self) -> f64 {
        self.moments.borrow().most_beyond_quotas()
    }

    /// What of a queue's quota none of those below it has.
    pub fn own(&self, id: QueueId) -> f64 {
        let below = self.tree.children(id).iter();
        self.quota[id.index()] - below.map(|id| self.quota[id.index()]).sum::<f64>()
    }

    fn name(&self, id: Option<QueueId>) -> &str {
        id.map_or("no quota", |id| &self.tree.queue(id).name)
    }

    /// Whether a queue is another, or below it.
    pub fn is_within(&self, id: QueueId, above: QueueId) -> bool {
        self.tree.path(id).any(|of| of == above)
    }

    /// A queue in sentences.
    pub fn sentences(&self, id: QueueId, at: &QueuesAt) -> Vec<String> {
        let of = at.queues[id.index()];
        let used = gpus(of.used);
        let mut said = vec![format!(
            "{}: uses {used} of a quota of {}",
            self.name(Some(id)),
            figures(of.quota)
        )];
        // Those outside of it, each once.
        let within = |other: Option<QueueId>| other.is_some_and(|of| self.is_within(of, id));
        let others = |borrows: bool| {
            let mut others: Vec<(Option<QueueId>, f64)> = Vec::new();
            for &(to, from, gpus) in &at.loans {
                let (own, other) = if borrows {
                    (Some(to), from)
                } else {
                    (from, Some(to))
                };
                if !within(own) || within(other) {
                    continue;
                }
                match others.iter_mut().find(|of| of.0 == other) {
                    Some(known) => known.1 += gpus,
                    None => others.push((other, gpus)),
                }
            }
            others.sort_by(|a, b| b.1.total_cmp(&a.1));
            others
        };
        if of.borrowed >= LEAST {
            let from = self.listed("of", &others(true));
            said.push(format!("borrows {}: {from}", gpus(of.borrowed)));
        }
        if of.lent >= LEAST {
            let to = self.listed("to", &others(false));
            said.push(format!("lends {}: {to}", gpus(of.lent)));
        }
        if of.asked - of.used >= LEAST {
            said.push(format!(
                "waiting jobs ask for {} more",
                gpus(of.asked - of.used)
            ));
        }
        said
    }

    fn listed(&self, word: &str, others: &[(Option<QueueId>, f64)]) -> String {
        let named = others.iter().take(NAMED);
        let named = named.map(|(id, gpus)| format!("{} {word} {}", figures(*gpus), self.name(*id)));
        let mut named: Vec<String> = named.collect();
        let rest = others.iter().skip(NAMED);
        let (many, gpus) = rest.fold((0, 0.0), |(many, all), (_, gpus)| (many + 1, all + gpus));
        if many > 0 {
            named.push(format!("{} {word} {many} more queues", figures(gpus)));
        }
        named.join(", ")
    }

    /// A loan in a sentence.
    pub fn loan(&self, (to, from, amount): (QueueId, Option<QueueId>, f64)) -> String {
        let to = self.name(Some(to));
        match from {
            Some(_) => format!("{to} borrows {} of {}", gpus(amount), self.name(from)),
            None => format!("{to} uses {} beyond all quotas", gpus(amount)),
        }
    }

    /// The same around a moment, in sentences.
    pub fn mean_sentences(&self, id: QueueId, moment: f64, moments: &Moments) -> Vec<String> {
        let name = self.name(Some(id));
        let mut said = vec![format!("{name}, {}", moments.time(moment))];
        let Some(of) = self.mean(id, moment) else {
            said.push("the run is over".to_owned());
            return said;
        };
        let span = duration(self.over_time.width);
        said.push(format!(
            "mean of {span}: uses {} of a quota of {}",
            gpus(of.used),
            figures(of.quota)
        ));
        for (amount, what) in [(of.borrowed, "borrows"), (of.lent, "lends")] {
            if amount >= LEAST {
                said.push(format!("{what} {}", gpus(amount)));
            }
        }
        if of.asked - of.used >= LEAST {
            said.push(format!(
                "waiting jobs ask for {} more",
                gpus(of.asked - of.used)
            ));
        }
        said
    }

    /// A queue on the mean of the part of time that a moment lies in; nothing beyond the run.
    fn mean(&self, id: QueueId, moment: f64) -> Option<QueueMoment> {
        let QueuesOverTime {
            begin,
            width,
            queues,
        } = &self.over_time;
        let at = self.order.iter().position(|of| of.0 == id)?;
        let (series, part) = (&queues[at], (moment - begin) / width);
        let part = (part >= 0.0).then_some(part as usize)?;
        Some(QueueMoment {
            quota: self.quota[id.index()],
            used: *series.used.get(part)?,
            borrowed: *series.borrowed.get(part)?,
            lent: *series.lent.get(part)?,
            asked: *series.asked.get(part)?,
        })
    }
}

/// So many GPUs.
pub fn gpus(number: f64) -> String {
    let word = if number == 1.0 { "GPU" } else { "GPUs" };
    format!("{} {}", figures(number), units(word))
}

#[cfg(test)]
impl Quotas {
    /// The sample of two teams under Kueue, and the queues of a run of it at a moment.
    pub(crate) fn of_two_teams(moment: f64) -> (Self, QueuesAt) {
        use crate::state::link::Link;
        use crate::state::random::opened;
        use std::sync::Arc;

        let state = opened(&Link::parse("sample=two-teams&cluster=2x8"));
        let sample = switchyard::workload::Sample::named("two-teams").expect("there is one");
        let workload = Arc::new(sample.workload());
        let spec = state.run_spec(&state.runs.list[0]);
        let mut simulation = spec.start(workload.clone());
        simulation.run().expect("plans are right");
        let quotas = Self::of(&spec, &workload, simulation.log());
        let at = quotas.at(&workload, simulation.log(), moment);
        (quotas, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: f64 = 3600.0;

    fn said(name: &str, hours: f64) -> Vec<String> {
        let (quotas, at) = Quotas::of_two_teams(hours * HOUR);
        let id = quotas.tree.find(name).expect("there is one");
        quotas.sentences(id, &at)
    }

    #[test]
    fn a_queue_tells_what_it_has_and_whose_that_is() {
        assert_eq!(
            said("vision", 1.0),
            [
                "vision: uses 16 GPUs of a quota of 8",
                "borrows 8 GPUs: 8 of speech"
            ]
        );
        assert_eq!(
            said("speech", 1.0),
            [
                "speech: uses 0 GPUs of a quota of 8",
                "lends 8 GPUs: 8 to vision"
            ]
        );
        // What is borrowed within it is nothing to the queue above.
        assert_eq!(said("lab", 1.0), ["lab: uses 16 GPUs of a quota of 16"]);
        let at_three = said("speech", 3.5);
        assert_eq!(
            at_three[..],
            [
                "speech: uses 8 GPUs of a quota of 8",
                "waiting jobs ask for 4 GPUs more"
            ]
        );
    }

    #[test]
    fn a_loan_is_told_and_means_are_found() {
        let (quotas, at) = Quotas::of_two_teams(HOUR);
        let [loan] = at.loans[..] else {
            panic!("one lends to one: {:?}", at.loans);
        };
        assert_eq!(quotas.loan(loan), "vision borrows 8 GPUs of speech");
        let (to, _, gpus) = loan;
        assert_eq!(
            quotas.loan((to, None, gpus)),
            "vision uses 8 GPUs beyond all quotas"
        );
        let mean = quotas.mean(to, HOUR).expect("it is within the run");
        assert!(
            (mean.used, mean.borrowed, mean.quota) == (16.0, 8.0, 8.0),
            "{mean:?}"
        );
        assert_eq!(quotas.mean(to, -1.0), None);
        assert_eq!(quotas.mean(to, 1e9), None);
    }

    #[test]
    fn only_some_lenders_are_named() {
        let (quotas, _) = Quotas::of_two_teams(0.0);
        let others: Vec<_> = (1..=6).map(|gpus| (None, f64::from(gpus))).collect();
        assert_eq!(
            quotas.listed("of", &others),
            "1 of no quota, 2 of no quota, 3 of no quota, 4 of no quota, 11 of 2 more queues"
        );
    }
}
