//! The page and its workers.
//!
//! [`session`] does what the page does besides showing, [`stored_traces`] and [`remembered`] are what it finds
//! again in the browser, `first_minute` is what comes with it, [`rescue`] is what is left when the program fails,
//! `bridge/` carries messages between page and workers, [`workers`] is what runs there, `state/` is the page's one reducer,
//! [`stage`] holds what the canvases show, [`comparison`] the same for charts, [`time_axis`] which part of time they show, [`selected_jobs`] which jobs are selected, [`queues`] says where a job stands in a
//! policy's queues, [`quotas`] who has which part of a tree of queues, [`followed`] what happens to the job that is followed, `draw/` paints, `ui/` are the components.

pub mod absent_nodes;
pub mod bands;
pub mod bridge;
pub mod comparison;
pub mod complaint;
pub mod draw;
pub mod first_minute;
pub mod followed;
pub mod links;
mod log_room;
mod machine;
mod named;
mod order;
pub mod queues;
pub mod quotas;
pub mod remembered;
pub mod rescue;
pub mod selected_jobs;
pub mod session;
pub mod stage;
pub mod state;
pub mod stored_traces;
pub mod time_axis;
pub mod totals;
pub mod ui;
mod words;
pub mod workers;
mod zones;
