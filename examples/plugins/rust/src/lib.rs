//! 2D-LAS, continuous (Tiresias, NSDI'19 §4.2): least attained service first, preemptive. Run it with
//! `quantum=60` and it does what the built-in `las` does, to the bit.
//!
//! `docs/plugins.md` says what the three functions are given and give. This file is the policy; to make
//! another of it, change [`key`].

#![no_std]

extern crate alloc;

pub mod table;

use alloc::vec::Vec;
use table::{Actions, RUNS, Table, Terms};

/// What jobs are sorted by, least first.
fn key(table: &Table, row: usize) -> f64 {
    table.attained(row)
}

/// What is kept from one call to the next.
struct State {
    table: Table,
    actions: Actions,
    terms: Terms,
    order: Vec<(f64, usize)>,
}

static STATE: table::Only<State> = table::Only::new(State {
    table: Table::EMPTY,
    actions: Actions::EMPTY,
    terms: Terms::EMPTY,
    order: Vec::new(),
});

/// Makes room for a table of so many jobs and nodes, and says where.
#[unsafe(no_mangle)]
extern "C" fn table(jobs: usize, nodes: usize) -> *const u8 {
    STATE.with(|state| state.table.reserve(jobs, nodes))
}

/// Walks the jobs from the least key up, and gives each its gang as long as GPUs last: who waits starts,
/// who runs and gets none stops.
#[unsafe(no_mangle)]
extern "C" fn plan(_now: f64, jobs: usize, nodes: usize) -> *const u8 {
    STATE.with(|state| {
        let State {
            table,
            actions,
            order,
            ..
        } = state;
        actions.clear();
        order.clear();
        order.extend((0..jobs).map(|row| (key(table, row), row)));
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        // What is free, and what those who run would set free.
        let mut left: u32 = (0..nodes).map(|node| table.free(node)).sum();
        left += (0..jobs).map(|row| table.frees(row)).sum::<u32>();
        for &(_, row) in order.iter() {
            let runs = table.state(row) == RUNS;
            let gpus = if runs {
                table.frees(row)
            } else {
                table.gpus(row)
            };
            let fits = gpus <= left;
            match (fits, runs) {
                (true, false) => actions.start(row),
                (false, true) => actions.stop(row),
                (true, true) | (false, false) => {}
            }
            if fits {
                left -= gpus;
            }
        }
        actions.list()
    })
}

/// The numbers behind the decision about a job.
#[unsafe(no_mangle)]
extern "C" fn explain(row: usize) -> *const u8 {
    STATE.with(|state| {
        state.terms.clear();
        state
            .terms
            .add("attained service, GPU·s", key(&state.table, row));
        state.terms.list()
    })
}
