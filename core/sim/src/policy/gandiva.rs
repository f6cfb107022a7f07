//! Gandiva's time slicing (Xiao et al., OSDI'18 §3), as the released Tiresias simulator reads it:
//! jobs of one gang size form a class, each class gets GPUs in proportion to what its jobs ask
//! for, and within a class all jobs take turns, one quantum each.
//!
//! With `packing` it is Gandiva as Gavel's evaluation has it ([`PackingByTrial`]): two jobs on one GPU.
//! Not here: Gandiva's migration and grow-shrink.

use super::entry::{BuildContext, PLACEMENT, Registered};
use super::gavel::{ByType, PackingByTrial, RESET};
use super::rounds::{self, Rounds};
use super::{Cadence, Explanation, Fact, ParamInfo, ParamKind, Params, Policy, PolicyEntry, Rng};
use crate::job::JobId;
use crate::sim::{Phase, Plan, View};

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "gandiva",
        title: "Gandiva (time slicing)",
        summary: "Round-robin: jobs of one gang size take turns of a quantum on their class's share of the GPUs. No job waits long, and none runs long.",
        source: "Xiao et al., OSDI'18 §3; Tiresias' simulator",
        params: &[
            rounds::round("quantum", "60"),
            ParamInfo {
                name: "packing",
                aliases: &[],
                kind: ParamKind::Bool,
                default: "false",
                help: "As Gavel's evaluation has Gandiva: where more GPUs are asked for than there are, jobs of one GPU each are put two by two on GPUs by chance, and stay together unless that does not fit or gets less done. Known of models that Gavel measured.",
                expert: false,
            },
            PLACEMENT,
        ],
        packs: |params| params.bool("packing"),
        ..PolicyEntry::PLAIN
    },
    build: |params, context| {
        if !params.bool("packing") {
            return Box::new(Gandiva::new(params, context));
        }
        let strategy = params.placement("placement", context.placement);
        let round = (params.float("quantum"), "quantum");
        let allocator = Box::new(PackingByTrial::default());
        Box::new(ByType::new(allocator, round, RESET, strategy))
    },
};

/// Jobs of one gang size.
struct Class {
    gpus: u32,
    /// The next to run first.
    ring: Vec<JobId>,
    /// How many of them may run.
    slots: usize,
}

struct Gandiva {
    rounds: Rounds,
    active: Vec<JobId>,
    /// By ascending gang size.
    classes: Vec<Class>,
}

impl Gandiva {
    fn new(params: &Params<'_>, context: &BuildContext<'_>) -> Self {
        let strategy = params.placement("placement", context.placement);
        Self {
            rounds: Rounds::new(params, "quantum", strategy),
            active: Vec::new(),
            classes: Vec::new(),
        }
    }

    /// Rings of the active jobs: those that have just had their quantum go to the tail.
    fn form_classes(&mut self, view: &View<'_>) {
        for class in &mut self.classes {
            class.ring.clear();
        }
        for had_its_turn in [false, true] {
            for &job in &self.active {
                if (view.phase(job) == Phase::Running) == had_its_turn {
                    let gpus = view.gpus(job);
                    let at = self.classes.partition_point(|class| class.gpus < gpus);
                    if self.classes.get(at).is_none_or(|class| class.gpus != gpus) {
                        let class = Class {
                            gpus,
                            ring: Vec::new(),
                            slots: 0,
                        };
                        self.classes.insert(at, class);
                    }
                    self.classes[at].ring.push(job);
                }
            }
        }
    }

    /// Shares the cluster's GPUs among classes by demand, in whole gangs.
    fn share_out(&mut self, gpus: u32) {
        let demand = |class: &Class| class.ring.len() as f64 * f64::from(class.gpus);
        let total: f64 = self.classes.iter().map(demand).sum();
        for class in &mut self.classes {
            let share = demand(class) / total * f64::from(gpus);
            let slots = libm::floor(share / f64::from(class.gpus)) as usize;
            class.slots = slots.min(class.ring.len());
        }
    }
}

impl Policy for Gandiva {
    fn cadence(&self) -> Cadence {
        self.rounds.cadence()
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        if !self.rounds.begins(&mut self.active, view, plan) {
            return;
        }
        self.form_classes(view);
        let all = view.free().node_sizes().iter().sum();
        self.share_out(all);
        // First each class's share, then whoever else fits.
        self.active.clear();
        for class in &self.classes {
            self.active.extend(&class.ring[..class.slots]);
        }
        for class in &self.classes {
            self.active.extend(&class.ring[class.slots..]);
        }
        self.rounds.give_out(&self.active, view, plan);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let gpus = view.gpus(job);
        let mut facts = vec![Fact::new("class", format!("{gpus}-GPU jobs"))];
        if let Some(class) = self.classes.iter().find(|class| class.gpus == gpus) {
            let (jobs, slots) = (class.ring.len(), class.slots);
            facts.push(Fact::new(
                "class at the last round",
                format!("{jobs} jobs on {slots} slots"),
            ));
        }
        Explanation::new(self.rounds.verdict(view, job), facts)
    }
}
