//! What carries one run on behalf of the page, without a browser: the same in a worker of the page and in the program
//! that serves the page (`switchyard open`), so that both come to the same log.
//!
//! [`protocol`] is what is said, [`loaded`] a run that can begin, [`runner`] what answers. Whoever has it run is its
//! [`Link`](link::Link): how replies travel, what was attached to a request, and a clock. [`bytes`] is that of
//! programs which have no browser, as far as it does not depend on how bytes travel.

#![forbid(unsafe_code)]

pub mod bytes;
pub mod link;
pub mod loaded;
pub mod protocol;
pub mod runner;
