//! What a cluster costs while its size changes.

use crate::sim::RunLog;

/// Node-seconds paid for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bill {
    node_seconds: f64,
}

impl Bill {
    /// Of a run from `begin` to `end`, seconds, on a cluster of so many nodes: all are there until
    /// its policy rents fewer.
    pub(super) fn of(log: &RunLog, nodes: u32, begin: f64, end: f64) -> Self {
        let mut bill = Self::default();
        let (mut from, mut nodes) = (begin, nodes);
        for rental in (0..log.rentals()).map(|i| log.rental(i)) {
            let until = rental.time.seconds();
            bill.add(nodes, until - from);
            (from, nodes) = (until, rental.nodes);
        }
        bill.add(nodes, end - from);
        bill
    }

    /// So many nodes for so many seconds.
    fn add(&mut self, nodes: u32, seconds: f64) {
        self.node_seconds += f64::from(nodes) * seconds;
    }

    /// Nodes × hours.
    pub(super) fn node_hours(&self) -> f64 {
        self.node_seconds / 3600.0
    }

    /// Nodes paid for on the mean of so many seconds.
    pub(super) fn mean_nodes(&self, seconds: f64) -> f64 {
        if seconds > 0.0 {
            self.node_seconds / seconds
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bill_adds_up() {
        let mut bill = Bill::default();
        bill.add(4, 1800.0);
        bill.add(16, 900.0);
        assert_eq!(bill.node_hours(), 6.0);
        assert_eq!(bill.mean_nodes(2700.0), 8.0);
        assert_eq!(Bill::default().mean_nodes(0.0), 0.0);
    }
}
