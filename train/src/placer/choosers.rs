//! Who decides while it is learned: by chance, with the network's probabilities; or as a teacher would,
//! another placement that lays the whole job at once. Both take notes.

use super::decision::Decision;
use super::teacher::Teacher;
use rand_xoshiro::rand_core::SeedableRng;
use std::sync::{Arc, Mutex};
use switchyard::cluster::Part;
use switchyard::draw::{Rng, unit};
use switchyard::explain::Choice;
use switchyard::placement::graph_rl::{Argmax, Chooser, Decision as Asked, chances};

/// What was decided, by who has lent it to a run.
pub type Notes = Arc<Mutex<Noted>>;

/// Some of a run's decisions, drawn by chance: where many jobs wait there are far more than are learned
/// from.
pub struct Noted {
    /// By time.
    pub decisions: Vec<Decision>,
    keep: f64,
    rng: Rng,
}

impl Noted {
    /// Nothing yet; each decision is kept with this probability.
    pub fn new(keep: f64, seed: u64) -> Self {
        Self {
            decisions: Vec::new(),
            keep,
            rng: Rng::seed_from_u64(seed),
        }
    }
}

/// Which partition was asked first, of which.
struct First {
    open: Vec<bool>,
    asked: usize,
    log_probability: f32,
}

impl First {
    fn of(decision: &Asked<'_>, chosen: usize, log_probability: f32) -> Self {
        let mut open = vec![false; decision.seen.partitions.len()];
        for choice in decision.choices {
            if let Choice::Forward { partition } = choice {
                open[*partition as usize] = true;
            }
        }
        Self {
            open,
            asked: partition_of(decision.choices[chosen]),
            log_probability,
        }
    }
}

fn partition_of(choice: Choice) -> usize {
    match choice {
        Choice::Forward { partition } => partition as usize,
        _ => 0,
    }
}

/// Notes a decision for which there was a choice.
fn note(
    notes: &Notes,
    decision: &Asked<'_>,
    first: Option<First>,
    (chosen, log_probability): (usize, f32),
) {
    let had_choice = decision.choices.len() > 1
        || first
            .as_ref()
            .is_some_and(|first| first.open.iter().filter(|open| **open).count() > 1);
    let asker = decision.gang.asker;
    let (Some(asked), Some(asker)) = (decision.partition.filter(|_| had_choice), asker) else {
        return;
    };
    let Ok(mut notes) = notes.lock() else {
        return;
    };
    if unit(&mut notes.rng) >= notes.keep {
        return;
    }
    let (open, first, before) = match first {
        Some(first) => (first.open, first.asked, first.log_probability),
        None => (Vec::new(), 0, 0.0),
    };
    notes.decisions.push(Decision {
        seen: decision.seen.clone(),
        asked: asked as usize,
        open,
        first,
        choices: decision.choices.to_vec(),
        chosen,
        now: asker.now.seconds(),
        log_probability: before + log_probability,
    });
}

/// By chance.
pub struct ByChance {
    rng: Rng,
    notes: Notes,
    first: Option<First>,
}

impl ByChance {
    pub fn new(rng: Rng, notes: Notes) -> Self {
        Self {
            rng,
            notes,
            first: None,
        }
    }
}

impl Chooser for ByChance {
    fn choose(&mut self, decision: &Asked<'_>) -> usize {
        let chances = chances(decision.scores);
        let mut left = unit(&mut self.rng) as f32;
        let mut chosen = 0;
        for (at, &chance) in chances.iter().enumerate() {
            if chance > 0.0 {
                chosen = at;
            }
            left -= chance;
            if left < 0.0 {
                break;
            }
        }
        let log_probability = chances[chosen].ln();
        match decision.partition {
            None => self.first = Some(First::of(decision, chosen, log_probability)),
            Some(_) => {
                let first = self.first.take();
                let chosen = (chosen, log_probability);
                note(&self.notes, decision, first, chosen);
            }
        }
        chosen
    }
}

/// As a teacher would. Some jobs are laid as the network has it, so that what comes of that is seen too;
/// what the teacher would have done is noted as long as it is known.
pub struct Taught {
    teacher: Teacher,
    /// How many jobs the network lays.
    own: f64,
    rng: Rng,
    notes: Notes,
    plan: Plan,
    first: Option<First>,
    is_own: bool,
}

/// What the teacher does with the job at hand.
enum Plan {
    /// Its parts go there, in a partition.
    Lay(usize, Vec<Choice>),
    Wait,
    /// Nobody knows any more, or it is nothing that agents can do.
    Unknown,
}

impl Taught {
    pub fn new(teacher: Teacher, own: f64, rng: Rng, notes: Notes) -> Self {
        Self {
            teacher,
            own,
            rng,
            notes,
            plan: Plan::Unknown,
            first: None,
            is_own: false,
        }
    }

    /// What the teacher does with the job.
    fn plan(&self, decision: &Asked<'_>) -> Plan {
        let Some(network_state) = decision.site.network_state else {
            return Plan::Unknown;
        };
        let Some(parts) = self
            .teacher
            .lay(decision.site, network_state, decision.gang)
        else {
            return Plan::Wait;
        };
        let topology = network_state.topology();
        let layout = &decision.seen.layout;
        let partition = |part: &Part| layout.partition_of(part.node as usize);
        let Some(first) = parts.first().map(partition) else {
            return Plan::Unknown;
        };
        if parts.iter().any(|part| partition(part) != first) {
            return Plan::Unknown;
        }
        let mut choices = Vec::new();
        for part in &parts {
            for group in 0..topology.sockets(part.node) {
                let mask = topology.socket_mask(part.node, group);
                let here = (part.wished & mask).count_ones();
                let node = part.node;
                choices.extend((0..here).map(|_| Choice::Group { node, group }));
            }
        }
        for part in &parts {
            let (node, group) = (part.node, 0);
            choices.extend((0..part.servers).map(|_| Choice::Group { node, group }));
        }
        Plan::Lay(first as usize, choices)
    }
}

impl Chooser for Taught {
    fn choose(&mut self, decision: &Asked<'_>) -> usize {
        let own = Argmax.choose(decision);
        let stands = |choice: Choice| decision.choices.iter().position(|&of| of == choice);
        let Some(asked) = decision.partition else {
            self.is_own = unit(&mut self.rng) < self.own;
            self.plan = self.plan(decision);
            let taught = match &self.plan {
                Plan::Lay(partition, _) => {
                    let partition = *partition as u32;
                    let place = stands(Choice::Forward { partition });
                    if place.is_none() {
                        self.plan = Plan::Unknown;
                    }
                    place
                }
                // Whom it asks in order to wait does not matter.
                _ => None,
            };
            self.first = taught.map(|taught| First::of(decision, taught, 0.0));
            return if self.is_own {
                own
            } else {
                taught.unwrap_or(own)
            };
        };
        let taught = match &mut self.plan {
            Plan::Unknown => None,
            Plan::Wait => stands(Choice::Wait),
            Plan::Lay(partition, _) if *partition != asked as usize => {
                let partition = *partition as u32;
                stands(Choice::Forward { partition })
            }
            Plan::Lay(_, rest) => rest.first().and_then(|&next| stands(next)),
        };
        let first = self.first.take();
        let Some(taught) = taught else {
            self.plan = Plan::Unknown;
            return own;
        };
        note(&self.notes, decision, first, (taught, 0.0));
        let chosen = if self.is_own { own } else { taught };
        if let Plan::Lay(partition, rest) = &mut self.plan {
            match decision.choices[chosen] {
                choice @ Choice::Group { .. } if *partition == asked as usize => {
                    match rest.iter().position(|&of| of == choice) {
                        Some(at) => drop(rest.remove(at)),
                        None => self.plan = Plan::Unknown,
                    }
                }
                Choice::Forward { .. } => {}
                _ => self.plan = Plan::Unknown,
            }
        }
        chosen
    }
}
