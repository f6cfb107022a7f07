//! Slurm: jobs in the order of their multifactor priority, with backfill behind those that wait. The queue tree is the
//! tree of associations: accounts and users, whose weights are their shares. The arithmetic of priorities is that of
//! [`switchyard_queues::slurm`].
//!
//! The main scheduler starts jobs in order until one does not fit. The backfill scheduler, every `bf_interval` seconds
//! in which something has changed, goes through the same order: a job that fits now and is over before what is
//! reserved begins starts, and another gets a reservation of whole nodes, when those who run will have come to their
//! limits. Priorities and fair share are computed every `PriorityCalcPeriod`, and when a job comes.
//!
//! Source: Slurm 26.11, `src/slurmctld/job_scheduler.c`, `src/plugins/sched/backfill/backfill.c`, `src/plugins/preempt`,
//! `src/interfaces/preempt.c`; <https://slurm.schedmd.com/sched_config.html>.
//!
//! What differs. All partitions have all nodes. A job that is evicted goes on where it was, as under all policies here,
//! keeps its age, and is not held back for two minutes. Time limits are not rounded to minutes. Backfill looks at
//! running jobs one by one, where Slurm takes those together that end within half a minute, and takes as long as it
//! takes. GPUs are what is billed, and what a job's size counts. A job's limit begins anew whenever it starts, as
//! Slurm's does, though it goes on where it was.

mod facts;
mod horizon;
mod line;
mod merits;
mod preempts;
mod ranks;
mod reservations;
mod scheduler;
mod settings;
mod standing;
mod victims;

use super::entry::BuildContext;
use super::leaves::Leaves;
use super::{Explanation, Policy, PolicyEntry, Rng};
use crate::job::JobId;
use crate::workload::Label;
use merits::{Given, Ranked};
use ranks::Ranks;
use scheduler::Slurm;
use settings::{Backfill, FairShare};
use standing::Rules;
use switchyard_engine::{Cadence, Every, Plan, View};
use switchyard_queues::slurm::config::Algorithm;
use switchyard_queues::slurm::factors::SizeRule;
use switchyard_queues::slurm::priority::Weights;

pub(super) use settings::Parameters;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "slurm",
    title: "Slurm",
    summary: "Multifactor priority (age, fair share of a tree of accounts, size, partition, QOS) with backfill: jobs that do not delay those before them start meanwhile, by the times that jobs ask for (an oracle where the trace tells none: then by the true ones).",
    source: "SchedMD/slurm, 26.11; Jackson, Snell and Clement, JSSPP'01",
    params: Parameters::INFOS,
    takes_whole_gpus: true,
    ..PolicyEntry::PLAIN
};

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let workload = context.workload;
    let ranked = |ranks: &Ranks, label| Ranked::new(ranks, workload, label);
    let tiers = ranked(&params.tiers, Label::Partition);
    let users = ranks::words(workload, Label::User).map(|user| user.map_or(0, |user| user + 1));
    let tres = params.priority_weight_tres;
    let tres = (tres > 0).then(|| ("gres/gpu".to_owned(), f64::from(tres)));
    Box::new(Slurm {
        given: Some(Given {
            weights: Weights {
                age: params.priority_weight_age,
                association: params.priority_weight_assoc,
                fair_share: params.priority_weight_fairshare,
                job_size: params.priority_weight_job_size,
                partition: params.priority_weight_partition,
                qos: params.priority_weight_qos,
                tres: tres.into_iter().collect(),
            },
            max_age: params.priority_max_age,
            size: SizeRule {
                favors_small: params.priority_favor_small,
                relative_to_time: params.small_relative_to_time,
            },
            partitions: ranked(&params.partitions, Label::Partition),
            qos: ranked(&params.qos, Label::Qos),
        }),
        rules: Rules {
            algorithm: match params.fair_share {
                FairShare::FairTree => Algorithm::FairTree,
                FairShare::Classic => Algorithm::Classic,
            },
            damping: f64::from(params.fair_share_dampening_factor),
            half_life: params.priority_decay_half_life,
            period: params.priority_calc_period,
        },
        reserved: params.reservations.of_users(workload),
        preempting: params.qos_preempts.among(workload),
        tiers,
        users: users.collect(),
        leaves: Leaves::new(context),
        strategy: params.placement.or(context.placement),
        params: params.clone(),
        board: None,
    })
}

impl Policy for Slurm {
    fn cadence(&self) -> Cadence {
        let (seconds, parameter) = match self.params.bf_interval {
            0 => (self.params.priority_calc_period, "priority_calc_period"),
            interval => (f64::from(interval), "bf_interval"),
        };
        Cadence {
            on_change: true,
            every: Some(Every {
                seconds,
                parameter,
                while_all_run: false,
            }),
        }
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        let board = self.board.take();
        let Some(mut board) = board.or_else(|| self.begin(view)) else {
            return;
        };
        self.follow(&mut board, view);
        if std::mem::take(&mut board.is_due) {
            self.schedule(&mut board, view, plan);
        }
        self.price(&mut board, view);
        let is_round = view.is_round() || self.params.bf_interval == 0;
        if is_round && self.params.backfill != Backfill::None && board.is_backfill_due {
            board.is_backfill_due = false;
            let fewest = board.line.fewest_gpus();
            let may_evict = board.line.waiters().first().is_some_and(|of| of.rank > 0);
            if may_evict || fewest.is_some_and(|gpus| gpus <= view.free().total()) {
                self.backfill(&mut board, view, plan);
            }
        }
        // They wait until the next change.
        for job in std::mem::take(&mut board.evicted) {
            self.join(&mut board, view, job);
            board.is_due = true;
            board.is_backfill_due = true;
        }
        self.board = Some(board);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        facts::explain(self, view, job)
    }
}
