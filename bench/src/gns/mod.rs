//! The gradient noise scale, which Pollux needs at every step, in one pass over the gradients: fused
//! GPU kernels beside a CPU path, both checked against the f64 estimator of
//! [`switchyard::goodput::noise`].
//!
//! ```text
//! models ──layout──▶ data ──gradients, f64 reference──▶ cpu | cuda (nvrtc, kernels) | wgpu ──▶ report ──▶ plot
//! ```
//!
//! `command` is what people type. The kernels lie in `bench/kernels/`, the models' tables in
//! `bench/models/`, a PyTorch baseline in `bench/python/`, results in `bench/results/`.

mod command;
mod cpu;
mod cuda;
mod data;
#[cfg(test)]
mod emulator;
mod kernels;
mod models;
mod nvrtc;
mod plot;
mod report;
mod wgpu;

pub(crate) use command::{Arguments, gns};
