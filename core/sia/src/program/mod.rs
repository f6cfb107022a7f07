//! The integer program of a round (SOSP'23, equation 3): at most one column per job, GPUs of every type as there are,
//! at the least cost. In: costs, columns, capacities, the former choices. Out: a choice per job, its cost, and a
//! lower bound of all costs.
//!
//! It is a multiple-choice knapsack with a capacity per type, solved in three steps, of which each may prove that
//! it need not go on:
//!
//! 1. `dual`: a price per GPU of each type. Given prices jobs choose by themselves, so the dual's value is a sum,
//!    and equals that of the linear relaxation.
//! 2. `incumbent`: the former plan and the jobs' own choices under the prices, each made to fit and then improved.
//! 3. `search`: a branch and bound over the jobs whose choice the prices leave open, breadth first. Branches that
//!    use the same GPUs are one, so jobs that are alike cost nothing; a branch is cut where the dual bound says
//!    that it cannot beat the incumbent.
//!
//! Costs are whole numbers: the original rounds to hundredths, so that bounds may be rounded up to what a cost can
//! be. The search keeps a bounded number of branches, never of seconds. If it had to drop some, the bound says how
//! far the plan may be from the best.

mod dual;
mod free;
mod incumbent;
mod problem;
mod search;

pub use problem::{Effort, Program, ProgramError, Solution};

use crate::configurations::Configuration;
use free::{Free, round_up, step};

/// Solves a round.
///
/// # Errors
///
/// A [`ProgramError`] for lists of the wrong length, columns that are not there, and jobs that cannot keep what
/// they must.
pub fn solve(program: &Program, effort: &Effort) -> Result<Solution, ProgramError> {
    let left = problem::left(program)?;
    let mut free = Free {
        columns: &program.columns,
        gpus: left,
        options: Vec::new(),
    };
    let (mut jobs, mut former) = (Vec::new(), Vec::new());
    let mut kept_cost = 0;
    for (job, costs) in program.costs.iter().enumerate() {
        if let Some(column) = program.kept[job] {
            kept_cost += costs[column];
            continue;
        }
        let fits = |column: &Configuration| column.gpus <= free.gpus[column.kind];
        let useful = costs.iter().enumerate().zip(&program.columns);
        let useful = useful.filter(|((_, cost), column)| **cost < 0 && fits(column));
        let options = useful.map(|((column, cost), _)| (column, *cost)).collect();
        free.options.push(options);
        jobs.push(job);
        former.push(program.former[job]);
    }
    let prices = dual::prices(&free);
    let step = step(&free);
    let mut best = incumbent::best(&free, &prices, &former);
    let mut bound = round_up(prices.value, step);
    let allowed = |cost: i64| {
        let whole = (effort.zero + kept_cost + cost).unsigned_abs() as f64;
        (whole * effort.gap) as i64
    };
    // The least costs first: most rounds have a plan close to the bound, and the fewer branches are within reach, the
    // sooner it is found.
    let mut aim = bound;
    let mut is_last = false;
    while best.cost - bound > allowed(best.cost) && aim < best.cost {
        let found = search::search(&free, &prices, aim, step, effort.branches)?;
        bound = bound.max(found.bound);
        if let Some(plan) = found.plan {
            best = plan;
            break;
        }
        if found.is_whole {
            aim += step;
        } else if is_last {
            break;
        } else {
            // Branches were dropped: one more look, at all that is better than the incumbent.
            is_last = true;
            aim = best.cost - step;
        }
    }
    bound = bound.min(best.cost);
    let mut chosen = program.kept.clone();
    for (job, column) in jobs.into_iter().zip(best.chosen) {
        chosen[job] = column;
    }
    Ok(Solution {
        chosen,
        cost: kept_cost + best.cost,
        bound: kept_cost + bound.min(best.cost),
    })
}

#[cfg(test)]
mod tests;
