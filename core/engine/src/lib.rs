//! The simulation: the clock and event queue ([`Simulation`]), what a scheduler may know
//! ([`View`]), what it wants ([`Plan`]) and what came of it ([`RunLog`]).
//!
//! Event-driven: the cost grows with events, not with simulated seconds. All events of one
//! moment are applied before the policy is asked once; events at the same time are ordered by
//! sequence number. Progress is exact: a job's work is executed seconds at its requested GPUs,
//! which start to count `restart_cost` seconds after a resume or a move. Adaptive jobs progress
//! through their applications' epochs, at a speed that changes with GPUs, batch and epoch. Nodes
//! fail, are drained and come back; a job that loses its GPUs so goes on from what it had saved. A run
//! that gets nowhere, or writes more than its [`LogBudget`], is ended ([`Halt`]).

#![forbid(unsafe_code)]

mod attained;
mod attempts;
mod carry_out;
mod change_nodes;
mod checkpoints;
mod engine;
mod events;
mod groups;
mod halt;
mod index;
mod jobs;
mod ledger;
mod log;
mod look_ahead;
mod news;
mod node_state;
mod nodes;
mod on_cores;
mod outages;
mod plan;
mod progress;
mod scheduler;
mod setting;
mod speed;
mod standing;
mod start_on_cores;
mod training;
mod training_plots;
mod types;
mod view;
mod watch;
mod world;

pub use attained::{Attained, Held, Measure};
pub use engine::{Simulation, SimulationProgress};
pub use halt::{Halt, HaltReason, LogBudget, Remedy, RunError};
pub use index::{Moment, TimeIndex};
pub use jobs::Phase;
pub use ledger::Ledger;
pub use log::{
    Absence, BadCells, Checkpointing, Event, EventKind, Eviction, LogPiece, LogRows, NodeChange,
    Preemption, Rental, Round, RunLog, Segment, Stop, StopCause, Tuning,
};
pub use news::News;
pub use node_state::NodeState;
pub use plan::{Mistake, Plan, PlanError, PlanErrorKind, ProgramError};
pub use scheduler::{Cadence, Every, Policy, Scheduler};
pub use setting::SimOptions;
pub use standing::Standing;
pub use training::TrainingView;
pub use view::View;

use switchyard_model::{
    Resource, Time, application, cluster, contention, draw, goodput, job, order, throughputs,
    workload,
};
