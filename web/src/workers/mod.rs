//! What runs in workers: [`opener`] turns files into jobs, [`runner`] carries one run. Each is a
//! program of its own, so that a page loads the other's code only once.

pub mod opener;
pub mod runner;
