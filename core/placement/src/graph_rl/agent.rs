//! One agent for each partition, with the same weights: who is asked first, what is forwarded, and where
//! part after part of a gang goes. In: a site and the links on it. Out: the gang's parts, or that it waits.
//!
//! The job goes first to the partition of the highest value among those that can hold all of it. That one
//! points at a group for the first part, forwards the job to one that was not asked yet, or leaves it
//! waiting; unless nobody runs, so that nothing would ever change. Then part follows part, workers first,
//! each seeing the last. A gang that no partition holds now is nobody's: where it goes, and whether it waits, is said by
//! [the rule](crate::least_interference_waiting), which lays gangs across partitions. The rule also decides where an agent
//! would leave a gang waiting [without need](waits_without_need).

use super::network::{Encoded, Network, Without};
use super::placements::{VARIANTS, Variant};
use super::scene::{Layout, Observation, Scene};
use crate::Time;
use crate::cluster::Part;
use crate::gang::{Asker, Gang};
use crate::job::JobId;
use crate::least_interference_waiting::LeastInterferenceWaiting;
use crate::locality::Locality;
use crate::network_state::{Learned, NetworkState, Site};
use crate::on_links::LinkPlacement;
use crate::placement::Placement as _;
use crate::queue::Queue;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use switchyard_explain::{ByRule, Choice, Placing, PlacingStep, Prospect, Role};

/// The network with which a run's placements are made, and who watches.
#[derive(Clone)]
pub struct Placer {
    network: Arc<Network>,
    chooser: Option<Arc<Mutex<Box<dyn Chooser + Send>>>>,
    watched: Arc<Mutex<Watched>>,
}

/// A job whose decisions are noted, and the last of them.
#[derive(Debug, Default)]
struct Watched {
    job: Option<JobId>,
    placing: Option<(Time, Placing)>,
    /// Who was left waiting at the last moment, since who is like them is not asked any more.
    refused: (Time, Vec<(Gang, Placing)>),
    /// How many there were about all jobs.
    decisions: u64,
}

impl Watched {
    fn note(&mut self, gang: Gang, asker: Asker, placing: Placing, laid: bool) {
        if self.refused.0 != asker.now {
            self.refused = (asker.now, Vec::new());
        }
        if self.job == Some(asker.job) {
            self.placing = Some((asker.now, placing));
        } else if !laid {
            self.refused.1.push((gang, placing));
        }
    }
}

/// Something to be decided.
pub struct Decision<'a> {
    /// What is seen.
    pub seen: &'a Observation,
    /// What is to be placed.
    pub role: Role,
    /// The partition that is asked; `None`: which is to be asked first.
    pub partition: Option<u32>,
    /// What can be done, never nothing.
    pub choices: &'a [Choice],
    /// The network's score of each.
    pub scores: &'a [f32],
    /// The gang, and who asks.
    pub gang: Gang,
    /// Where it can be laid.
    pub site: &'a Site<'a>,
}

/// Who decides by the network's scores: in use whatever has the highest; in training by chance, taking
/// notes.
pub trait Chooser {
    /// Which of the choices, from 0.
    fn choose(&mut self, decision: &Decision<'_>) -> usize;
}

/// One that somebody else looks at meanwhile.
impl<C: Chooser> Chooser for Arc<Mutex<C>> {
    fn choose(&mut self, decision: &Decision<'_>) -> usize {
        let mut chooser = self.lock().unwrap_or_else(PoisonError::into_inner);
        chooser.choose(decision)
    }
}

/// The choice of the highest score; of several the first.
pub struct Argmax;

impl Chooser for Argmax {
    fn choose(&mut self, decision: &Decision<'_>) -> usize {
        let scores = decision.scores.iter().enumerate();
        let best = scores.fold((0, f32::NEG_INFINITY), |best, (at, &score)| {
            if score > best.1 { (at, score) } else { best }
        });
        best.0
    }
}

impl Placer {
    /// By this network, which does what it scores highest.
    pub fn new(network: Arc<Network>) -> Self {
        Self {
            network,
            chooser: None,
            watched: Arc::default(),
        }
    }

    /// The same, where somebody else chooses.
    #[must_use]
    pub fn chosen_by(self, chooser: impl Chooser + Send + 'static) -> Self {
        Self {
            chooser: Some(Arc::new(Mutex::new(Box::new(chooser)))),
            ..self
        }
    }

    fn watched(&self) -> std::sync::MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Learned for Placer {
    fn lay(
        &self,
        placement: &str,
        site: &Site<'_>,
        network_state: &NetworkState,
        gang: Gang,
        parts: &mut Vec<Part>,
    ) -> bool {
        let of = VARIANTS.iter().find(|of| of.name == placement);
        let Some(&Variant {
            one_agent, without, ..
        }) = of
        else {
            return Locality::lay(site.free, site.node_size, gang, parts);
        };
        let layout = Arc::new(Layout::of(network_state.topology(), one_agent));
        let scene = Scene::new(site, network_state, &layout, gang);
        let mut agents = Agents {
            network: &self.network,
            without,
            scene,
            site,
            network_state,
            gang,
            noted: None,
            is_by_rule: false,
            decisions: 0,
        };
        if self.watched().job.is_some() {
            agents.noted = Some(Placing::default());
        }
        let laid = match &self.chooser {
            None => {
                let laid = agents.lay(&mut Argmax, parts);
                let overrules = !laid && !agents.is_by_rule && waits_without_need(&gang, site);
                agents.is_by_rule |= overrules;
                laid || overrules && agents.by_rule(parts)
            }
            Some(chooser) => {
                // Whoever chooses may stop the run there, and another thread go on with it: no lock is held meanwhile.
                let cell = || chooser.lock().unwrap_or_else(PoisonError::into_inner);
                let mut own = std::mem::replace(&mut *cell(), Box::new(Argmax));
                let laid = agents.lay(&mut *own, parts);
                *cell() = own;
                laid
            }
        };
        if let Some(noted) = &mut agents.noted {
            noted.by_rule = Some(ByRule {
                decides: agents.is_by_rule,
                ..by_rule(site, network_state, gang, laid.then_some(&**parts))
            });
        }
        let mut watched = self.watched();
        watched.decisions += agents.decisions;
        if let (Some(noted), Some(asker)) = (agents.noted, gang.asker) {
            watched.note(gang, asker, noted, laid);
        }
        laid
    }

    fn watch(&self, job: JobId) {
        let mut watched = self.watched();
        *watched = Watched {
            job: Some(job),
            decisions: watched.decisions,
            ..Watched::default()
        };
    }

    fn decisions(&self) -> u64 {
        self.watched().decisions
    }

    fn placing_of(&self, job: JobId, waits: Option<Gang>) -> Option<Placing> {
        let watched = self.watched();
        if watched.job != Some(job) {
            return None;
        }
        let (now, refused) = &watched.refused;
        let own = watched.placing.as_ref();
        let like = waits.filter(|_| own.is_none_or(|(at, _)| at < now));
        let like = like.and_then(|gang| refused.iter().find(|(of, _)| of.is_like(&gang)));
        let placing = like.map(|(_, placing)| placing);
        placing.or(own.map(|(_, placing)| placing)).cloned()
    }
}

impl fmt::Debug for Placer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Placer").finish_non_exhaustive()
    }
}

/// Whether a gang that an agent leaves waiting may be laid as by the rule. Where gangs of more GPUs than a server of training
/// has are about, agents wait too often: they have seen few of these. To wait for a crowd of narrower ones is right.
fn waits_without_need(gang: &Gang, site: &Site<'_>) -> bool {
    let Some(asker) = &gang.asker else {
        return false;
    };
    let wide = gang.gpus as usize > Queue::WIDTHS || asker.queue.has_wider_than_told();
    wide && !asker.queue.is_crowd(gang.gpus, site.free.total())
}

/// Lays a gang as the rule does; `false`: it waits.
fn lay_by_rule(
    site: &Site<'_>,
    network_state: &NetworkState,
    gang: Gang,
    parts: &mut Vec<Part>,
) -> bool {
    <LeastInterferenceWaiting as LinkPlacement>::lay(site, network_state, gang, parts)
}

/// What the rule would do with a gang, beside the parts that it was given.
fn by_rule(
    site: &Site<'_>,
    network_state: &NetworkState,
    gang: Gang,
    own: Option<&[Part]>,
) -> ByRule {
    let prospect = |parts: &[Part]| Prospect {
        nodes: parts.iter().map(|part| (part.node, part.gpus)).collect(),
        slower: libm::expm1(network_state.prospect(&gang, parts).log_slowdown()),
    };
    let mut parts = Vec::new();
    let laid = lay_by_rule(site, network_state, gang, &mut parts);
    ByRule {
        decides: false,
        own: own.map(prospect),
        rule: laid.then(|| prospect(&parts)),
    }
}

/// The agents, about one gang.
struct Agents<'a> {
    network: &'a Network,
    without: Without,
    scene: Scene<'a>,
    site: &'a Site<'a>,
    network_state: &'a NetworkState,
    gang: Gang,
    /// What was decided, where somebody watches.
    noted: Option<Placing>,
    /// Whether the rule decides.
    is_by_rule: bool,
    decisions: u64,
}

impl Agents<'_> {
    fn lay(&mut self, chooser: &mut (impl Chooser + ?Sized), parts: &mut Vec<Part>) -> bool {
        let Some(role) = self.scene.role() else {
            return false;
        };
        let mut open = self.scene.partitions();
        if open.is_empty() {
            self.is_by_rule = true;
            return self.by_rule(parts);
        }
        let is_idle = self.network_state.is_idle();
        let mut encoded = self.network.encode(self.scene.seen(), self.without);
        let values = self.network.values(self.scene.seen(), &encoded);
        let first = open.iter().map(|&partition| Choice::Forward { partition });
        let first: Vec<Choice> = first.collect();
        let scores: Vec<f32> = open.iter().map(|&of| values[of as usize]).collect();
        let chosen = self.choose(chooser, (role, None), &first, &scores);
        let mut asked = open.remove(chosen);
        while let Some(role) = self.scene.role() {
            let mut choices = self.groups(asked);
            if self.scene.is_untouched() {
                let others = open.iter().map(|&partition| Choice::Forward { partition });
                choices.extend(others);
                choices.extend((!is_idle).then_some(Choice::Wait));
            } else {
                encoded = self.network.encode(self.scene.seen(), self.without);
            }
            let scores = self
                .network
                .scores(self.scene.seen(), &encoded, asked, &choices);
            if choices.is_empty() {
                debug_assert!(
                    false,
                    "a partition that holds all has a place for each part"
                );
                return false;
            }
            self.decisions += 1;
            let chosen = choices[self.choose(chooser, (role, Some(asked)), &choices, &scores)];
            self.note(
                &encoded,
                &values,
                (role, asked),
                (&choices, &scores),
                chosen,
            );
            match chosen {
                Choice::Group { node, group } => self.scene.place(node, group),
                Choice::Forward { partition } => {
                    open.retain(|&other| other != partition);
                    asked = partition;
                }
                Choice::Wait => return false,
            }
        }
        parts.extend(self.scene.parts());
        true
    }

    /// The groups of a partition where the next part fits.
    fn groups(&self, partition: u32) -> Vec<Choice> {
        let layout = &self.scene.seen().layout;
        let mut groups = Vec::new();
        for node in 0..layout.racks.len() as u32 {
            if layout.partition_of(node as usize) == partition {
                let count = layout.groups_of(node as usize).len() as u32;
                let fits = (0..count).filter(|&group| self.scene.fits_group(node, group));
                groups.extend(fits.map(|group| Choice::Group { node, group }));
            }
        }
        groups
    }

    fn choose(
        &self,
        chooser: &mut (impl Chooser + ?Sized),
        (role, partition): (Role, Option<u32>),
        choices: &[Choice],
        scores: &[f32],
    ) -> usize {
        let chosen = chooser.choose(&Decision {
            seen: self.scene.seen(),
            role,
            partition,
            choices,
            scores,
            gang: self.gang,
            site: self.site,
        });
        chosen.min(choices.len() - 1)
    }

    fn note(
        &mut self,
        encoded: &Encoded,
        values: &[f32],
        (role, partition): (Role, u32),
        (choices, scores): (&[Choice], &[f32]),
        chosen: Choice,
    ) {
        let Some(noted) = &mut self.noted else {
            return;
        };
        let chances = chances(scores);
        noted.steps.push(PlacingStep {
            role,
            partition,
            values: values.to_vec(),
            told: encoded.told.iter().map(|told| told.to_vec()).collect(),
            choices: choices.iter().copied().zip(chances).collect(),
            chosen,
        });
    }

    fn by_rule(&self, parts: &mut Vec<Part>) -> bool {
        lay_by_rule(self.site, self.network_state, self.gang, parts)
    }
}

/// The probability of each choice, as training draws them: softmax.
pub fn chances(scores: &[f32]) -> Vec<f32> {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights = scores
        .iter()
        .map(|score| libm::exp(f64::from(score - most)));
    let weights: Vec<f64> = weights.collect();
    let all: f64 = weights.iter().sum();
    weights
        .into_iter()
        .map(|weight| (weight / all) as f32)
        .collect()
}
