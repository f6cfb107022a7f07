//! AntMan's rules as Muri's simulator has them: how fast a job runs beside others, and which GPUs it takes.
//!
//! In: what iterations need, how loaded GPUs are. Out: the time of an iteration, GPUs. Source: AntMan (OSDI'20) by
//! `antman_calc_iter_time`, `find_gpu_util` and `min_load_nodes` of the simulator of Muri (SIGCOMM'22).

use crate::grouping::Kind;

/// Below how much load a GPU takes an opportunistic job.
pub const LOAD_LIMIT: f64 = 0.8;

/// What a guaranteed job adds to the load of each of its GPUs.
pub const GUARANTEED_LOAD: f64 = 0.1;

/// What of that it adds only once it has all of its GPUs.
pub const LAST_LOAD: f64 = 0.01;

/// What an opportunistic job adds to the load of each of its GPUs.
pub const OPPORTUNISTIC_LOAD: f64 = 0.9;

/// How much slower two opportunistic jobs on a GPU are.
pub const SHARED: f64 = 2.0;

/// How long an iteration of an opportunistic job takes beside another job, seconds. `guaranteed`: that one, if it is
/// guaranteed its GPUs; it is opportunistic otherwise.
pub fn iteration_beside(job: Kind, guaranteed: Option<Kind>) -> f64 {
    guaranteed.map_or(job.iteration_time * SHARED, |other| beside(job, other))
}

/// How long an iteration of an opportunistic job takes beside a guaranteed one, seconds: it lasts for whole iterations
/// of the other.
pub fn beside(job: Kind, guaranteed: Kind) -> f64 {
    iterations_of(job, guaranteed) * guaranteed.iteration_time
}

/// How many iterations of a guaranteed job one of an opportunistic job lasts for: it fits its phases into what they
/// leave idle.
pub fn iterations_of(job: Kind, guaranteed: Kind) -> f64 {
    let (mut gpu, mut network) = (job.times.gpu, job.times.network);
    let other = guaranteed.times;
    let fit = |time: f64, room: f64| match room > 0.0 {
        true => ((time / room).floor(), time % room),
        false => (0.0, 0.0),
    };
    // Storage and CPUs are idle while the other has GPU or network.
    let (mut iterations, extra) = fit(job.times.storage_and_cpu, other.gpu + other.network);
    if extra > 0.0 {
        iterations += 1.0;
        gpu -= gpu
            .min(other.network)
            .min(other.gpu + other.network - extra);
    }
    let (whole, extra) = fit(gpu, other.storage_and_cpu + other.network);
    iterations += whole;
    if extra > 0.0 {
        iterations += 1.0;
        if extra < other.storage_and_cpu {
            network -= network.min(other.storage_and_cpu + other.gpu - extra);
        }
    }
    let (whole, extra) = fit(network, other.storage_and_cpu + other.gpu);
    iterations += whole;
    if extra > other.storage_and_cpu {
        iterations += 1.0;
    }
    iterations
}

/// The GPUs that an opportunistic gang takes: the least loaded below a limit, of equal ones the first. `None` where
/// there are too few.
pub fn least_loaded(loads: &[f64], limit: f64, gpus: usize) -> Option<Vec<usize>> {
    let mut free: Vec<usize> = (0..loads.len()).filter(|&gpu| loads[gpu] < limit).collect();
    if free.len() < gpus {
        return None;
    }
    let by_load = |&a: &usize, &b: &usize| loads[a].partial_cmp(&loads[b]);
    free.sort_by(|a, b| by_load(a, b).unwrap_or(std::cmp::Ordering::Equal));
    free.truncate(gpus);
    Some(free)
}
