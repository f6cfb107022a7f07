//! Volcano's queues: what each deserves, whose turn it is, what limits it, and whom it may evict.
//!
//! Two plugins say what a queue deserves. `proportion` divides the cluster by weight among the queues that ask
//! ([`division`]), and a queue may use what it deserves. With `capacity` each queue says what it deserves, at every level of
//! a tree, and may use more, up to its capability. [`queues`] has the rules of both.
//!
//! Source: <https://github.com/volcano-sh/volcano>, `pkg/scheduler/plugins/{proportion,capacity,overcommit}`, in September
//! 2026. Left out: claims of devices (DRA), reclaim by ancestors (`ancestorReclaimLevel`), scheduling gates.

pub mod amounts;
pub mod division;
pub mod queues;
