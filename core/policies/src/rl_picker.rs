//! Picking by a network that was trained to (RLScheduler, Zhang et al., SC'20): its architecture is theirs,
//! the weights our own (`train/`), of which there are two: one for batch queues, which sees what theirs
//! does, and one for GPU traces, which preempts ([`by_service`]). What made them stands in their files.

use super::entry::{BuildContext, Properties};
use super::parameters::{Given, PLACEMENT, PlacementChoice, Words, param, parameters};
use super::picking::by_service::by_service;
use super::picking::network::Learned;
use super::picking::{BACKFILL, Backfill, Picker, QUIRKS, Queue};
use super::{ParamInfo, ParamKind, Policy, PolicyEntry};

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "rl-picker",
    title: "RL picker (learned)",
    summary: "A network of 961 parameters scores jobs, the greatest is next. With weights=lublin 128 waiting ones, never preempted, trained for bounded slowdown with backfilling (an oracle where the trace tells no times asked for: then it is the true one). With weights=gpu also those that run, preempting, by the service they have had, trained for mean JCT on the first half of a GPU trace; no oracle.",
    source: "After RLScheduler (Zhang et al., SC'20), with weights of our own",
    params: Parameters::INFOS,
    takes_whole_gpus: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        weights: Picker = param(
            ParamKind::OneOf(Picker::WORDS),
            "lublin",
            "What it was trained on: lublin (a batch queue that knows the times asked for) or gpu (a GPU trace that tells none: it preempts). A file of weights of one's own takes the place of those that it says it is like.",
        ),
        backfill: Given<bool> = BACKFILL,
        longest: Given<f64> = param(
            ParamKind::Seconds {
                min: 0.0,
                max: 1e15,
            },
            "0",
            "Of weights=lublin: by what it sees times asked for, seconds: the trace's largest run time; 0: the largest of these jobs.",
        )
        .for_experts(),
        quirks: Given<bool> = QUIRKS,
        quantum: Given<f64> = ParamInfo {
            default: "300",
            help: "Of weights=gpu: seconds after which running jobs are compared anew with waiting ones, besides every event.",
            ..super::continuous::QUANTUM
        },
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {
    fn check(&self) -> Result<(), String> {
        let others = [
            ("backfill", self.backfill.is_given),
            ("longest", self.longest.is_given),
            ("quirks", self.quirks.is_given),
        ];
        let (others, own): (&[_], _) = match self.weights {
            Picker::Gpu => (
                &others,
                "weights=gpu preempts, and knows no times asked for: leave it out, or take weights=lublin",
            ),
            Picker::Lublin => (
                &[("quantum", self.quantum.is_given)],
                "weights=lublin never preempts: leave it out, or take weights=gpu",
            ),
        };
        match others.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(format!("'{name}' does not go with it, as {own}")),
            None => Ok(()),
        }
    }

    fn is_oracle(&self) -> bool {
        self.weights == Picker::Lublin
    }

    fn goes_by_times_asked(&self) -> bool {
        true
    }

    fn picker(&self) -> Option<Picker> {
        Some(self.weights)
    }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let given = context.picker.cloned();
    let network = given.unwrap_or_else(|| params.weights.shipped());
    let strategy = params.placement.or(context.placement);
    if params.weights == Picker::Gpu {
        return by_service(network, *params.quantum, strategy);
    }
    let seconds = context.workload.gangs().map(|job| job.work.seconds());
    let longest = match *params.longest {
        0.0 => seconds.fold(0.0, f64::max),
        longest => longest,
    };
    let backfill = Backfill::of(*params.backfill, *params.quirks);
    Box::new(Queue::new(
        Learned::new(network, longest),
        backfill,
        strategy,
    ))
}

#[cfg(test)]
mod tests {
    use crate::PolicySpec;
    use crate::picking::network::Network;
    use crate::picking::{GPU, LUBLIN};

    #[test]
    fn the_weights_are_networks() {
        for file in [LUBLIN, GPU] {
            assert!(Network::of_safetensors(file).is_ok());
            // A file that ends early is none.
            assert!(Network::of_safetensors(&file[..file.len() - 4]).is_err());
        }
        assert!(Network::of_safetensors(&[]).is_err());
        // Who asks for less is next.
        let network = Network::of_safetensors(LUBLIN).unwrap();
        let score = |seconds| network.score(&[0.1, seconds, 0.1, 1.0, 1.0, 1.0, 1.0, 1e-5]);
        assert!(score(0.01) > score(0.1));
        // Who has had less is next, and who runs goes on rather than give way to one alike.
        let network = Network::of_safetensors(GPU).unwrap();
        let score =
            |had: f32, runs| network.score(&[had, 0.1, 0.1 * had, runs, 0.4, 0.6, 0.4, 0.5]);
        for runs in [0.0, 1.0] {
            assert!(score(0.2, runs) > score(0.4, runs) && score(0.4, runs) > score(0.7, runs));
        }
        assert!(score(0.4, 1.0) > score(0.4, 0.0));
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        let refused = |spec: &str| {
            spec.parse::<PolicySpec>()
                .map(drop)
                .map_err(|error| error.to_string())
        };
        assert_eq!(refused("rl-picker[weights=gpu,quantum=60]"), Ok(()));
        assert_eq!(refused("rl-picker[backfill=true,longest=60]"), Ok(()));
        let error = refused("rl-picker[weights=gpu,backfill=true]").unwrap_err();
        assert!(
            error.contains("'backfill' does not go with it, as weights=gpu"),
            "{error}"
        );
        let error = refused("rl-picker[quantum=60]").unwrap_err();
        assert!(
            error.contains("'quantum' does not go with it, as weights=lublin"),
            "{error}"
        );
    }
}
