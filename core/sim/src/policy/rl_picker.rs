//! Picking by a network that was trained to (RLScheduler, Zhang et al., SC'20): its architecture and what
//! it sees are theirs, the weights our own (`train/`). What made them stands in their file.

use super::entry::{PLACEMENT, Registered};
use super::picking::network::{Learned, Network};
use super::picking::{BACKFILL, Queue};
use super::{ParamInfo, ParamKind, PolicyEntry};

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "rl-picker",
        title: "RL picker (learned)",
        summary: "A network of 961 parameters scores each of 128 waiting jobs, the greatest score is next; never preempted. Trained on jobs drawn from Lublin's model, for bounded slowdown with backfilling. Oracle: the time asked for is the true one.",
        source: "After RLScheduler (Zhang et al., SC'20), with weights of our own",
        oracle: |_| true,
        takes_whole_gpus: true,
        params: &[BACKFILL, LONGEST, PLACEMENT],
        ..PolicyEntry::PLAIN
    },
    build: |params, context| {
        let seconds = context.workload.jobs.iter().map(|job| job.work.seconds());
        let longest = match params.float(LONGEST.name) {
            0.0 => seconds.fold(0.0, f64::max),
            longest => longest,
        };
        let network = Network::of_safetensors(WEIGHTS).unwrap_or_default();
        Box::new(Queue::of(Learned::new(network, longest), params, context))
    },
};

/// The trained parameters.
const WEIGHTS: &[u8] = include_bytes!("picking/rl_picker.safetensors");

/// What times asked for are measured by.
const LONGEST: ParamInfo = ParamInfo {
    name: "longest",
    aliases: &[],
    kind: ParamKind::Float {
        min: 0.0,
        max: 1e15,
    },
    default: "0",
    help: "By what it sees times asked for, seconds: the trace's largest run time; 0: the largest of these jobs.",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_a_network() {
        let network = Network::of_safetensors(WEIGHTS).unwrap();
        // Who asks for less is next.
        let score = |seconds| network.score(&[0.1, seconds, 0.1, 1.0, 1.0, 1.0, 1.0, 1e-5]);
        assert!(score(0.01) > score(0.1));
        // A file that ends early is none.
        assert!(Network::of_safetensors(&WEIGHTS[..WEIGHTS.len() - 4]).is_none());
        assert!(Network::of_safetensors(&[]).is_none());
    }
}
