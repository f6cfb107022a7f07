//! Which nodes are absent at the clock's time.

use std::collections::BTreeMap;
use switchyard::Time;
use switchyard::engine::{NodeState, RunLog};

/// Nodes that are down or being drained. A cursor: steps forward cost what happened between.
#[derive(Clone, Debug, Default)]
pub struct AbsentNodes {
    next: usize,
    nodes: BTreeMap<u32, (NodeState, Time)>,
}

impl AbsentNodes {
    /// Moves to `time`.
    pub(crate) fn seek(&mut self, log: &RunLog, time: Time) {
        let before = |at: usize| at < log.node_changes() && log.node_change(at).time <= time;
        if self.next > 0 && !before(self.next - 1) {
            *self = Self::default();
        }
        while before(self.next) {
            let change = log.node_change(self.next);
            self.next += 1;
            if change.state == NodeState::Up {
                self.nodes.remove(&change.node);
            } else {
                self.nodes.insert(change.node, (change.state, change.until));
            }
        }
    }

    /// The nodes, what each is, and when it is expected back.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, NodeState, Time)> {
        self.nodes
            .iter()
            .map(|(&node, &(state, until))| (node, state, until))
    }

    /// What a node is, if it is not there, and when it is expected back.
    pub(crate) fn of(&self, node: u32) -> Option<(NodeState, Time)> {
        self.nodes.get(&node).copied()
    }
}
