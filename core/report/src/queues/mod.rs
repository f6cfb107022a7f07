//! What a tree of queues did in a run: what each queue used, borrowed, lent and asked for over time, who waited how
//! long, who was preempted by whom, and how two trees differ on the same jobs.

mod apart;
mod figures;
mod moments;
mod preemptions;
mod run_queues;
mod walk;

pub use apart::{QueueDifference, queues_apart};
pub use figures::{QueueFigures, QueueReport, QueuesOverTime, SeriesOfQueue, queues_csv};
pub use moments::{QueueMoments, QueuesAt};
pub use preemptions::{Loop, PreemptionsBetween};
pub use run_queues::RunQueues;
pub use walk::{Loan, QueueMoment};
