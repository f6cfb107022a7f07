//! Metrics over a run's log: what happened to each job ([`Outcomes`]), and the run in numbers
//! ([`Summary`]); and both as files ([`Results`], [`jobs_csv`], [`paper_table`], [`chrome_trace()`]);
//! and the row that a run is in a [`sweep`].

#![forbid(unsafe_code)]

mod arithmetic;
mod bill;
mod bounded_slowdown;
mod by;
mod by_type;
mod calibration;
mod chrome_trace;
mod distribution;
mod export;
mod failures;
mod life;
mod lives;
mod metrics;
mod outcomes;
mod paper_table;
mod queues;
mod servers;
mod summary;
pub mod sweep;

pub use arithmetic::{Arithmetic, Operand, Over};
pub use bounded_slowdown::{bounded_slowdown, bounded_slowdown_of};
pub use by::{
    By, GROUP_METRIC_IDS, GROUP_METRICS, GROUP_METRICS_FORMERLY, GroupFigures, GroupMetric, Groups,
    OverTime, UnknownBy, groups_csv,
};
pub use by_type::{TypeFigures, by_gpu_type};
pub use calibration::Calibration;
pub use chrome_trace::chrome_trace;
pub use distribution::Distribution;
pub use export::{
    ClusterFacts, JobFigures, QueuesApart, Results, RunResult, TraceFacts, ended, jct_by_name,
    jobs_csv,
};
pub use failures::Failures;
pub use life::{LifePart, life_parts};
pub use lives::{GroupLives, GroupPart, Lives, lives_csv};
pub use metrics::{
    Better, COLUMNS, DescribedMetric, HEADLINE, METRICS, Metric, MetricGroup, MetricUnit,
    Unfinished, described_metrics,
};
pub use outcomes::Outcomes;
pub use paper_table::{TableForm, paper_table};
pub use queues::{
    Loan, Loop, PreemptionsBetween, QueueDifference, QueueFigures, QueueMoment, QueueMoments,
    QueueReport, QueuesAt, QueuesOverTime, RunQueues, SeriesOfQueue, queues_apart, queues_csv,
};
pub use servers::ServerFigures;
pub use summary::{Fairness, Summary, finished_in_all};

use switchyard_engine as sim;
pub use switchyard_model::percentile;
use switchyard_model::{Resource, application, cluster, job, meant, order, spreadsheet, workload};
use switchyard_run::RunSpec;
