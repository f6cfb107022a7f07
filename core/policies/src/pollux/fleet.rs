//! The nodes that Pollux rents, where its cluster is in a cloud: the first so many of those there
//! are, as many as the rule of [`autoscale`](super::autoscale) asks for at each round.
//!
//! The utility of a size is that of the allocation which a search of its own finds for it. Never
//! fewer nodes than plain gangs take, never more than adaptive jobs may use. By default U and L are
//! those of OSDI'21 Fig. 9, and nodes are given back below the lower end of the artifact's band
//! (`simulator/pollux.py`, `_min_util`), for jobs also leave.
//!
//! The baseline, throughput instead of goodput, is the same with every batch taken to be as
//! efficient as M0: for sizes, allocations and batches alike.

use super::autoscale::Autoscaling;
use crate::Time;
use crate::parameters::{Value, Words, param, words};
use crate::{ParamInfo, ParamKind};
use switchyard_engine::Plan;

/// Whether to rent only some of the nodes, and by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Autoscale {
    Off,
    Goodput,
    Throughput,
}

words! {
    Autoscale { Off = "off", Goodput = "goodput", Throughput = "throughput" }
}

pub(super) const AUTOSCALE: ParamInfo = param(
    ParamKind::OneOf(Autoscale::WORDS),
    "off",
    "Whether to rent only as many of the cluster's nodes as the jobs make use of: by their goodput, or (Or et al., MLSys'20) by throughput, for which every batch is tuned too.",
);

/// Speedups over one GPU, per rented GPU, by which nodes are rented and given back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Utility {
    /// 0: none are given back.
    shrink_below: f64,
    target: f64,
    grow_above: f64,
}

impl Value for Utility {
    fn read(text: &str) -> Result<Self, String> {
        let numbers = Vec::<f64>::read(text)?;
        let (shrink_below, target, grow_above) = match numbers[..] {
            [shrink_below, target, grow_above] => (shrink_below, target, grow_above),
            [target, grow_above] => (0.0, target, grow_above),
            _ => {
                let count = numbers.len();
                return Err(format!(
                    "utility takes two or three numbers, not {count}: give back below, come near, rent above"
                ));
            }
        };
        Ok(Self {
            shrink_below,
            target,
            grow_above,
        })
    }

    fn text(&self) -> String {
        let numbers = [self.shrink_below, self.target, self.grow_above];
        let numbers = numbers.into_iter().filter(|&number| number > 0.0);
        numbers.collect::<Vec<f64>>().text()
    }
}

pub(super) const UTILITY: ParamInfo = param(
    ParamKind::Ascending,
    "0.35:0.5:0.667",
    "Speedup over one GPU, per rented GPU: below the first number nodes are given back, above the last more are rented, until it is about the middle one. Two numbers: none are given back that jobs can use.",
)
.for_experts();

pub(super) const MIN_NODES: ParamInfo = param(
    ParamKind::Int {
        min: 1,
        max: 100_000,
    },
    "1",
    "Nodes rented at least, under autoscaling.",
)
.for_experts();

/// The nodes rented.
#[derive(Debug)]
pub(super) struct Fleet {
    band: Utility,
    min_nodes: u32,
    nodes: u32,
    /// From when on how many, (seconds, nodes).
    changes: Vec<(f64, u32)>,
    /// The last round's.
    pub(super) utility: f64,
}

impl Fleet {
    /// None rented yet.
    pub(super) fn new(utility: Utility, min_nodes: u32) -> Self {
        Self {
            band: utility,
            min_nodes,
            nodes: 0,
            changes: Vec::new(),
            utility: 0.0,
        }
    }

    /// How many are rented; 0 before the first.
    pub(super) fn nodes(&self) -> u32 {
        self.nodes
    }

    /// From when on how many, (seconds, nodes).
    pub(super) fn changes(&self) -> &[(f64, u32)] {
        &self.changes
    }

    /// Rents so many from now on.
    pub(super) fn rent(&mut self, now: Time, nodes: u32, plan: &mut Plan) {
        if nodes != self.nodes {
            self.nodes = nodes;
            self.changes.push((now.seconds(), nodes));
            plan.rent(nodes);
        }
    }

    /// How many are rented while there is nothing to do, of nodes of these sizes.
    pub(super) fn least(&self, sizes: &[u32]) -> u32 {
        self.min_nodes.min(sizes.len() as u32)
    }

    /// Nodes that plain gangs of so many GPUs in all may be laid on.
    pub(super) fn open(&self, sizes: &[u32], gpus: u32) -> u32 {
        self.nodes.max(fewest(sizes, gpus))
    }

    /// The rule for a round, where adaptive jobs may use so many of the `free` GPUs per node, and
    /// plain gangs have the rest.
    pub(super) fn rule(&self, sizes: &[u32], free: &[u32], useful: u32) -> Autoscaling {
        let with_gangs = sizes.iter().zip(free).rposition(|(size, free)| free < size);
        let min_nodes = with_gangs.map_or(0, |last| last as u32 + 1);
        Autoscaling {
            grow_above: self.band.grow_above,
            shrink_below: self.band.shrink_below,
            target: self.band.target,
            min_nodes: min_nodes.max(self.least(sizes)),
            max_nodes: fewest(free, useful),
        }
    }
}

/// How many of the nodes, from the first, have so many GPUs; all, if they have not.
fn fewest(nodes: &[u32], gpus: u32) -> u32 {
    let mut held = 0;
    let short = nodes.iter().take_while(|&&node| {
        let short = held < gpus;
        held += node;
        short
    });
    short.count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PolicySpec;

    fn fleet(utility: &str, min_nodes: u32) -> Fleet {
        Fleet::new(Utility::read(utility).expect("a band"), min_nodes)
    }

    #[test]
    fn nodes_that_hold_so_many() {
        assert_eq!(fewest(&[4, 4, 4], 0), 0);
        assert_eq!(fewest(&[4, 4, 4], 4), 1);
        assert_eq!(fewest(&[4, 0, 4], 5), 3);
        assert_eq!(fewest(&[4, 4, 4], 99), 3);
    }

    #[test]
    fn gangs_need_their_nodes_and_jobs_no_more_than_they_can_use() {
        let fleet = fleet(UTILITY.default, 2);
        let sizes = [4, 4, 4, 4, 4];
        let rule = fleet.rule(&sizes, &sizes, 9);
        assert_eq!((rule.min_nodes, rule.max_nodes), (2, 3));
        // A gang of two on the fourth.
        let rule = fleet.rule(&sizes, &[4, 4, 4, 2, 4], 15);
        assert_eq!((rule.min_nodes, rule.max_nodes), (4, 5));
        assert_eq!(
            (rule.shrink_below, rule.target, rule.grow_above),
            (0.35, 0.5, 0.667)
        );
        assert_eq!(fleet.least(&[8]), 1);
        assert_eq!((fleet.open(&sizes, 0), fleet.open(&sizes, 17)), (0, 5));
    }

    #[test]
    fn two_numbers_never_give_back() {
        let fleet = fleet("0.5:0.75", 1);
        let rule = fleet.rule(&[4], &[4], 4);
        assert_eq!(
            (rule.shrink_below, rule.target, rule.grow_above),
            (0.0, 0.5, 0.75)
        );
    }

    #[test]
    fn a_change_is_noted_once() {
        let (mut fleet, mut plan) = (fleet(UTILITY.default, 1), Plan::default());
        for (now, nodes) in [(0.0, 1), (60.0, 1), (120.0, 3)] {
            fleet.rent(Time(now), nodes, &mut plan);
        }
        assert_eq!(fleet.changes(), [(0.0, 1), (120.0, 3)]);
        assert_eq!(fleet.nodes(), 3);
    }

    #[test]
    fn what_does_not_fit_together_is_said() {
        let error = |parameters: &str| {
            let spec: Result<PolicySpec, _> = format!("pollux[{parameters}]").parse();
            spec.expect_err("a conflict").to_string()
        };
        assert!(error("utility=0.5").contains("two or three numbers, not 1"));
        assert!(error("autoscale=goodput,quirks=true").contains("does not autoscale"));
        assert!(error("autoscale=throughput,fit=oracle").contains("fit=agent"));
    }
}
