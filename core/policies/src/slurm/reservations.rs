//! Nodes that are kept for somebody for some time, as `scontrol create reservation` does: `ana:4:86400:172800` keeps
//! four nodes for Ana, a user or an account, from the first to the second moment, seconds from the begin of the trace.
//!
//! The last nodes of the cluster are kept, and of those that overlap in time each has its own. All jobs of whom they
//! are kept for may use them, and others, too; in Slurm a job names its reservation.

use super::super::parameters::Value;
use crate::workload::{Label, Workload};
use switchyard_queues::tree::{QueueId, QueueTree};

/// Reservations as a spec has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reservations(Vec<Reservation>);

/// One of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reservation {
    /// A user, or a queue of the tree.
    pub(super) who: String,
    nodes: u32,
    /// Seconds.
    pub(super) from: f64,
    pub(super) to: f64,
}

/// Which reservations a job may use: a bit each.
pub(super) type Party = u64;

/// A node that is to be away, for all or for some.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) node: u32,
    pub(super) from: f64,
    pub(super) to: f64,
    /// Of whom it is not away: it is kept for them.
    pub(super) party: Party,
}

/// So many have a bit.
const MOST: usize = 64;

impl Reservations {
    /// In the order of the bits of a [`Party`].
    pub(super) fn all(&self) -> &[Reservation] {
        &self.0
    }

    /// By the users of a workload, which are for them.
    pub(super) fn of_users(&self, workload: &Workload) -> Vec<Party> {
        let users = workload.recorded.labels.names(Label::User);
        users.iter().map(|user| self.of(&[user.as_str()])).collect()
    }

    /// By queue of a tree, which are for it or for one above it.
    pub(super) fn of_queues(&self, tree: &QueueTree) -> Vec<Party> {
        let queues = (0..tree.queues().len() as u32).map(QueueId);
        let path = |id| -> Vec<&str> {
            let path = tree.path(id);
            path.map(|id| tree.queue(id).name.as_str()).collect()
        };
        queues.map(|id| self.of(&path(id))).collect()
    }

    fn of(&self, names: &[&str]) -> Party {
        let all = (0..).zip(&self.0);
        let ours = all.filter(|(_, of)| names.contains(&of.who.as_str()));
        ours.fold(0, |party, (bit, _)| party | 1 << bit)
    }

    /// Which nodes are kept when, of so many.
    pub(super) fn windows(&self, nodes: u32) -> Vec<Window> {
        let mut windows: Vec<Window> = Vec::new();
        for (bit, of) in self.0.iter().enumerate() {
            let meets = |other: &Window| other.from < of.to && of.from < other.to;
            let is_taken =
                |node: u32| (windows.iter()).any(|other| other.node == node && meets(other));
            let left = (0..nodes).rev().filter(|&node| !is_taken(node));
            let kept: Vec<u32> = left.take(of.nodes as usize).collect();
            windows.extend(kept.into_iter().map(|node| Window {
                node,
                from: of.from,
                to: of.to,
                party: 1 << bit,
            }));
        }
        windows
    }
}

impl Value for Reservations {
    fn read(text: &str) -> Result<Self, String> {
        let one = |part: &str| {
            let mut from_behind = part.rsplitn(4, ':').map(str::trim);
            let mut next = || from_behind.next().filter(|cell| !cell.is_empty());
            let (to, from, nodes, who) = (next(), next(), next(), next());
            let seconds = |cell: Option<&str>| cell?.parse().ok().filter(|it: &f64| it.is_finite());
            let read = || {
                let of = Reservation {
                    who: who?.to_owned(),
                    nodes: nodes?.parse().ok()?,
                    from: seconds(from)?,
                    to: seconds(to)?,
                };
                (of.nodes > 0 && 0.0 <= of.from && of.from < of.to).then_some(of)
            };
            read().ok_or_else(|| {
                format!(
                    "'{part}' is no reservation: write WHO:NODES:FROM:TO, such as ana:4:86400:172800 for four nodes on the second day"
                )
            })
        };
        let parts = text.split('+').map(str::trim);
        let parts = parts.filter(|part| !part.is_empty());
        let all = parts.map(one).collect::<Result<Vec<_>, _>>()?;
        match all.len() <= MOST {
            true => Ok(Self(all)),
            false => Err(format!(
                "{} reservations: at most {MOST} are possible",
                all.len()
            )),
        }
    }

    fn text(&self) -> String {
        let part = |of: &Reservation| format!("{}:{}:{}:{}", of.who, of.nodes, of.from, of.to);
        self.0.iter().map(part).collect::<Vec<_>>().join("+")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_are_read_and_come_back() {
        let text = "ana:4:86400:172800+lab:a:2:0:3600.5";
        let of = Reservations::read(text).expect("two reservations");
        assert_eq!(
            (of.all()[1].who.as_str(), of.all()[1].to),
            ("lab:a", 3600.5)
        );
        assert_eq!(of.text(), text);
        for wrong in [
            "ana",
            "ana:0:0:1",
            "ana:1:5:5",
            ":1:0:1",
            "ana:1:x:9",
            "ana:1:0:NaN",
        ] {
            assert!(Reservations::read(wrong).is_err(), "{wrong}");
        }
        let many = vec!["a:1:0:1"; MOST + 1].join("+");
        assert!(Reservations::read(&many).is_err());
    }

    #[test]
    fn those_that_overlap_have_nodes_of_their_own() {
        let of = Reservations::read("a:2:0:10+b:1:5:15+c:9:10:20").expect("three");
        let windows = of.windows(4);
        let nodes = |bit: u32| -> Vec<u32> {
            let ours = windows.iter().filter(|window| window.party == 1 << bit);
            ours.map(|window| window.node).collect()
        };
        assert_eq!(
            [nodes(0), nodes(1), nodes(2)],
            [vec![3, 2], vec![1], vec![3, 2, 0]]
        );
    }
}
