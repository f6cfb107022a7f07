//! Everything that makes a run, besides the workload.

use crate::cluster::ClusterSpec;
use crate::outages::{OutageError, Outages};
use crate::weights::Weights;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use switchyard_engine::{Mistake, Policy, Scheduler, SimOptions, Simulation};
use switchyard_placement::Strategy;
use switchyard_placement::graph_rl::Placer;
use switchyard_policies::picking::network::Network;
use switchyard_policies::{self as policies, BuildContext, Picker, PolicySpec, ServiceHistory};
use switchyard_queues::membership::QueueSettings;
use switchyard_queues::tree::{QueueId, QueueTree};
use switchyard_tensors::WeightsChoice;

/// The settings of one run: the same spec and workload give the same log, bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// The scheduler.
    pub policy: PolicySpec,
    /// The cluster.
    pub cluster: ClusterSpec,
    /// How gangs are laid on nodes, unless the policy's spec says otherwise.
    pub placement: Strategy,
    /// Restart cost and seed.
    pub options: SimOptions,
    /// Services of an earlier time, for policies with `history=NAME`.
    #[serde(default)]
    pub history: Option<ServiceHistory>,
    /// Nodes that fail or are drained, besides those that do by chance.
    #[serde(default)]
    pub outages: Outages,
    /// The queues with quotas, for policies that have some.
    #[serde(default)]
    pub queues: QueueSettings,
}

/// Why a run cannot begin.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunSpecError {
    /// A policy asks for a service history that was not given.
    #[error(
        "{policy} asks for the service history '{name}', which has not been opened: open that file, or use history=online or history=oracle"
    )]
    MissingHistory {
        /// The policy's spec.
        policy: String,
        /// The history's name.
        name: String,
    },
    /// A placement or a picker that learned is to go by weights that are not at hand.
    #[error(
        "{policy} goes by weights of {of} that are not at hand ({weights}): give the file of safetensors, which `switchyard-train` writes"
    )]
    MissingWeights {
        /// The policy's spec.
        policy: String,
        /// Whose.
        of: String,
        /// Which weights.
        weights: WeightsChoice,
    },
    /// A script or a plug-in that cannot be run.
    #[error("{policy}: {mistake}")]
    Script {
        /// The policy's spec, without its text.
        policy: String,
        /// What is wrong with it, and where.
        mistake: Mistake,
    },
    /// The trace does not record what a policy repeats.
    #[error(
        "{0} repeats when jobs started, which this trace does not tell: open a log with start times, such as Slurm's, or leave it out"
    )]
    NothingRecorded(String),
    /// An outage of a node that is not there.
    #[error(transparent)]
    Outage(#[from] OutageError),
}

impl RunSpec {
    /// A policy on a cluster, all else by default: without failures, histories and queues.
    pub fn new(policy: PolicySpec, cluster: ClusterSpec) -> Self {
        Self {
            policy,
            cluster,
            placement: Strategy::default(),
            options: SimOptions::default(),
            history: None,
            outages: Outages::default(),
            queues: QueueSettings::default(),
        }
    }

    /// Says whether everything the run asks for is at hand. What is not,
    /// [`start`](Self::start) does without: a policy without its history learns online, a node that
    /// is not there does not fail.
    ///
    /// # Errors
    ///
    /// What is missing, and what to do.
    pub fn check(&self) -> Result<(), RunSpecError> {
        self.all_outages().check(self.cluster.nodes())?;
        let code = self.policy.check_code();
        code.map_err(|mistake| RunSpecError::Script {
            policy: self.policy.label(),
            mistake,
        })?;
        let given = self.history.as_ref().map(|history| history.name.as_str());
        match self.policy.history() {
            Some(name) if given != Some(name) => Err(RunSpecError::MissingHistory {
                policy: self.policy.to_string(),
                name: name.to_string(),
            }),
            _ => Ok(()),
        }
    }

    /// Says whether the jobs' trace records what the policy repeats, if it repeats anything.
    ///
    /// # Errors
    ///
    /// It does not.
    pub fn check_recorded(&self, workload: &Workload) -> Result<(), RunSpecError> {
        if self.policy.replays() && !workload.recorded.tells_runs() {
            return Err(RunSpecError::NothingRecorded(self.policy.to_string()));
        }
        Ok(())
    }

    /// The placement that goes by what was learned, if that is the run's: then it is
    /// [started with](Self::start_with) weights.
    pub fn learned(&self) -> Option<Strategy> {
        let placement = self.policy.placement(self.placement);
        placement.is_learned().then_some(placement)
    }

    /// The picker that learned, if the policy is one.
    pub fn picker(&self) -> Option<Picker> {
        self.policy.picker()
    }

    /// What it goes by of these weights, as a placer and as a picker.
    ///
    /// # Errors
    ///
    /// Those that it asks for are not among them.
    pub fn weigh(
        &self,
        weights: &Weights,
    ) -> Result<(Option<Placer>, Option<Arc<Network>>), RunSpecError> {
        let asked = self.options.weights;
        let missing = |of: String| RunSpecError::MissingWeights {
            policy: self.policy.to_string(),
            of,
            weights: asked,
        };
        let placer = self.learned().map(|placement| {
            let network = weights.placer(placement, asked);
            network.ok_or_else(|| missing(format!("the placement {placement}")))
        });
        let picker = self.picker().map(|picker| {
            let network = weights.picker(picker, asked);
            network.ok_or_else(|| missing(picker.to_string()))
        });
        Ok((placer.transpose()?.map(Placer::new), picker.transpose()?))
    }

    /// The run at its very beginning, by weights where it goes by any.
    ///
    /// # Errors
    ///
    /// Those that it asks for are not among them.
    pub fn start_with(
        &self,
        workload: Arc<Workload>,
        weights: &Weights,
    ) -> Result<Simulation, RunSpecError> {
        self.check_recorded(&workload)?;
        let (placer, picker) = self.weigh(weights)?;
        let scheduler = self.scheduler(&workload, picker.as_deref());
        Ok(self.begin(workload, scheduler, placer))
    }

    /// The same, but what decides is this, which messages call so. It is to do as the spec's policy says of itself: whether
    /// it is an oracle, and whether it adapts jobs.
    ///
    /// # Errors
    ///
    /// The placement is to go by weights that are not among them.
    pub fn start_deciding(
        &self,
        workload: Arc<Workload>,
        weights: &Weights,
        called: &str,
        policy: Box<dyn Policy>,
    ) -> Result<Simulation, RunSpecError> {
        let (placer, _) = self.weigh(weights)?;
        let scheduler = Scheduler {
            spec: called.to_owned(),
            given: Vec::new(),
            policy,
            ..self.scheduler(&workload, None)
        };
        Ok(self.begin(workload, scheduler, placer))
    }

    /// The run at its very beginning. Placements that have learned do as without weights, pickers go by the
    /// shipped ones.
    pub fn start(&self, workload: Arc<Workload>) -> Simulation {
        let scheduler = self.scheduler(&workload, None);
        self.begin(workload, scheduler, None)
    }

    fn scheduler(&self, workload: &Workload, picker: Option<&Network>) -> Scheduler {
        let context = BuildContext {
            placement: self.placement,
            workload,
            history: self.history.as_ref(),
            picker,
            queues: Some(&self.queues),
        };
        policies::build(&self.policy, &context)
    }

    fn begin(
        &self,
        workload: Arc<Workload>,
        scheduler: Scheduler,
        placer: Option<Placer>,
    ) -> Simulation {
        let run = self.simulation(workload, scheduler);
        match placer {
            Some(placer) => run.with_learned(placer),
            None => run,
        }
    }

    fn simulation(&self, workload: Arc<Workload>, scheduler: Scheduler) -> Simulation {
        if self.policy.replays() {
            let workload = Arc::new(workload.as_recorded());
            return Simulation::new(workload, &self.cluster, scheduler, self.as_recorded());
        }
        let options = SimOptions {
            sharing: self.options.sharing && !self.policy.takes_whole_gpus(),
            ..self.options
        };
        Simulation::new(workload, &self.cluster, scheduler, options)
            .with_outages(&self.all_outages())
    }

    /// Its tree of queues, with a leaf for every job: the one that was given, or equal parts.
    pub fn leaves(&self, workload: &Workload) -> (QueueTree, Vec<QueueId>) {
        policies::leaves_of(&self.queues, workload, self.cluster.gpus())
    }

    /// What a run as recorded keeps of the options: what slows jobs is in their durations already.
    fn as_recorded(&self) -> SimOptions {
        SimOptions {
            seed: self.options.seed,
            log_budget: self.options.log_budget,
            equal_types: true,
            sharing: true,
            ..SimOptions::default()
        }
    }

    /// Those of all runs, and those of its own.
    fn all_outages(&self) -> Outages {
        self.outages.and(self.policy.what_if())
    }
}
