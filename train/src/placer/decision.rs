//! What an agent saw when it decided, what it could do, and what it did.

use switchyard::explain::Choice;
use switchyard::placement::graph_rl::scene::Observation;

/// How many of each there are in each of what is above, the same everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tree {
    /// Partitions.
    pub partitions: usize,
    /// Racks of a partition.
    pub racks: usize,
    /// Servers of a rack.
    pub servers: usize,
    /// Groups of a server.
    pub groups: usize,
}

impl Tree {
    /// Of what is seen; `None` where it is not the same everywhere.
    pub fn of(seen: &Observation) -> Option<Self> {
        let even = |all: usize, of: usize| (of > 0 && all.is_multiple_of(of)).then(|| all / of);
        let layout = &seen.layout;
        let tree = Self {
            partitions: seen.partitions.len(),
            racks: even(seen.racks.len(), seen.partitions.len())?,
            servers: even(seen.servers.len(), seen.racks.len())?,
            groups: even(seen.groups.len(), seen.servers.len())?,
        };
        let mut racks = (0..).zip(&layout.racks);
        let mut partitions = (0..).zip(&layout.partitions);
        let mut groups = (0..).zip(&layout.groups);
        let is_even = racks.all(|(at, &rack)| rack as usize == at / tree.servers)
            && partitions.all(|(at, &of)| of as usize == at / tree.racks)
            && groups.all(|(at, &first)| first as usize == at * tree.groups);
        is_even.then_some(tree)
    }

    /// Servers of a partition.
    pub fn own_servers(&self) -> usize {
        self.racks * self.servers
    }

    /// What may be chosen: the asked partition's groups (by their place in the server, then by server),
    /// whom to forward to, and to wait.
    pub fn options(&self) -> usize {
        self.own_servers() * self.groups + self.partitions + 1
    }

    /// Where a choice of the asked partition stands among these.
    pub fn option(&self, asked: usize, choice: Choice) -> usize {
        let groups = self.own_servers() * self.groups;
        match choice {
            Choice::Group { node, group } => {
                let own = node as usize - asked * self.own_servers();
                group as usize * self.own_servers() + own
            }
            Choice::Forward { partition } => groups + partition as usize,
            Choice::Wait => groups + self.partitions,
        }
    }
}

/// One decision.
#[derive(Clone, Debug)]
pub struct Decision {
    /// What was seen.
    pub seen: Observation,
    /// Who was asked.
    pub asked: usize,
    /// Which partitions might have been asked first; empty where that was not the question.
    pub open: Vec<bool>,
    /// Which of them was.
    pub first: usize,
    /// What could be chosen.
    pub choices: Vec<Choice>,
    /// Which of it was.
    pub chosen: usize,
    /// When, seconds.
    pub now: f64,
    /// The logarithm of the probability of what was chosen, and of whom was asked.
    pub log_probability: f32,
}
