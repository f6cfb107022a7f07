//! Who is imitated: as `least-interference-waiting` it knows the true contention, and waits where a gang
//! and those who are there would slow one another too much; but it looks at groups of GPUs too, keeps
//! within a partition, as agents do, and thinks of those who wait: a place of which a part will stay empty costs
//! more where other gangs would fill it. And where many narrower gangs wait, it lets the wider one wait: in the time that
//! this would hold its GPUs, many of those would be done.

use std::cmp::Reverse;
use switchyard::cluster::Part;
use switchyard::placement::{Asker, Gang, NetworkState, Site};

/// How it decides.
#[derive(Clone, Copy, Debug)]
pub struct Teacher {
    /// By how much the sum of log-slowdowns, and what is counted like them, may be more than on an idle cluster;
    /// beyond that a gang waits.
    pub most: f64,
}

/// What a GPU costs that nobody who waits will fill, but would if another gang were laid there. This and what
/// follows is tuned on training workloads.
const WASTED: f64 = 0.18;
/// What a GPU costs that nobody who waits will fill, when places are compared.
const EMPTY: f64 = 0.02;
/// What a GPU costs then that stays free in a group of which some are taken.
const BROKEN: f64 = 0.022;

/// A place for a gang.
struct Place {
    parts: Vec<Part>,
    /// Whether it is worth to wait.
    cost: f64,
    /// Which place is best.
    score: f64,
}

/// Places compared.
struct Look<'a> {
    site: &'a Site<'a>,
    network_state: &'a NetworkState,
    gang: Gang,
    sums: Sums,
    best: Option<Place>,
}

/// How many GPUs some of those who wait have together: bit `n` for `n` of them.
#[derive(Clone, Copy)]
struct Sums(u32);

impl Sums {
    /// Of all who wait besides the gang, but for those that let a crowd pass: for them no room is left.
    fn of(gang: &Gang, free: u32) -> Self {
        let mut sums = 1u32;
        if let Some(asker) = &gang.asker {
            let widths = (1u32..).zip(asker.queue.by_gpus());
            for (width, &count) in widths.filter(|(width, _)| !asker.queue.is_crowd(*width, free)) {
                (0..count.min(4)).for_each(|_| sums |= sums << width);
            }
        }
        Self(sums)
    }

    /// How many of so many free GPUs none of them would fill.
    fn left_of(self, free: u32) -> u32 {
        let up_to = self.0 & (u32::MAX >> (31 - free.min(31)));
        free - up_to.checked_ilog2().unwrap_or(0)
    }
}

impl Look<'_> {
    fn try_on(&mut self, mut parts: Vec<Part>) {
        if !self.site.put_servers(&mut parts, self.gang.needs) {
            return;
        }
        let slower = self
            .network_state
            .prospect(&self.gang, &parts)
            .log_slowdown();
        let (mut left, mut broken, mut empty, mut wasted) = (0, 0, 0, 0);
        for part in parts.iter().filter(|part| part.has_workers()) {
            let free = self.network_state.free_mask(part.node).count_ones();
            left += free - part.gpus;
            let groups = self.groups(part.node).filter(|of| of & part.wished != 0);
            broken += groups
                .map(|of| (of & !part.wished).count_ones())
                .sum::<u32>();
            let here = self.sums.left_of(free - part.gpus);
            empty += here;
            wasted += here.saturating_sub(self.sums.left_of(free));
        }
        let cost = slower + WASTED * f64::from(wasted);
        // Of alike places the tightest.
        let tight = EMPTY * f64::from(empty) + BROKEN * f64::from(broken) + 1e-6 * f64::from(left);
        let score = cost + tight;
        if self.best.as_ref().is_none_or(|best| score < best.score) {
            self.best = Some(Place { parts, cost, score });
        }
    }

    /// What is free in each group of a node.
    fn groups(&self, node: u32) -> impl Iterator<Item = u64> + use<'_> {
        let topology = self.network_state.topology();
        let free = self.network_state.free_mask(node);
        (0..topology.sockets(node)).map(move |group| free & topology.socket_mask(node, group))
    }

    /// So many of a node's free GPUs: of each group that has enough, or of the emptiest groups.
    fn choices(&self, node: u32, gpus: u32) -> Vec<u64> {
        let mut groups: Vec<u64> = self.groups(node).collect();
        let enough = groups.iter().filter(|of| of.count_ones() >= gpus);
        let enough: Vec<u64> = enough.map(|&of| lowest(of, gpus)).collect();
        if !enough.is_empty() {
            return enough;
        }
        groups.sort_by_key(|of| Reverse(of.count_ones()));
        let of_emptiest = groups.into_iter().fold(0u64, |taken, group| {
            taken | lowest(group, gpus.saturating_sub(taken.count_ones()))
        });
        vec![of_emptiest]
    }

    fn on(&self, node: u32, gpus: u32) -> Part {
        let wished = self.choices(node, gpus).first().copied().unwrap_or(0);
        Part {
            wished,
            ..Part::new(node, gpus)
        }
    }

    /// On one node, or else within a rack or a partition on few.
    fn look(&mut self) {
        let free = self.site.free;
        let gpus = self.gang.gpus;
        // Idle nodes are as good as one another.
        let mut idle = false;
        for (node, (&here, &size)) in (0u32..).zip(free.per_node().iter().zip(free.node_sizes())) {
            if here < gpus {
                continue;
            }
            let is_idle = here == size && self.network_state.residents(node).is_empty();
            if is_idle && std::mem::replace(&mut idle, true) {
                continue;
            }
            for wished in self.choices(node, gpus) {
                let part = Part::new(node, gpus);
                self.try_on(vec![Part { wished, ..part }]);
            }
        }
        if self.best.is_some() {
            return;
        }
        let topology = self.network_state.topology();
        let within = |look: &mut Self, is_in: &dyn Fn(u32) -> bool| {
            let mut nodes: Vec<(u32, u32)> = (0u32..)
                .zip(free.per_node())
                .filter(|&(node, &here)| here > 0 && is_in(node))
                .map(|(node, &here)| (here, node))
                .collect();
            nodes.sort_by_key(|&(here, node)| (Reverse(here), node));
            let (mut left, mut parts) = (gpus, Vec::new());
            for (at, &(here, node)) in nodes.iter().enumerate() {
                let holding = nodes[at..].iter().filter(|(here, _)| *here >= left);
                if let Some(&(_, last)) = holding.min_by_key(|(here, _)| *here) {
                    parts.push(look.on(last, left));
                    left = 0;
                    break;
                }
                parts.push(look.on(node, here));
                left -= here;
            }
            if left == 0 {
                look.try_on(parts);
            }
        };
        for rack in 0..topology.racks() {
            within(self, &|node| topology.rack_of(node) == rack);
        }
        for partition in 0..topology.partitions() {
            within(self, &|node| {
                topology.partition_of(topology.rack_of(node)) == partition
            });
        }
    }
}

impl Teacher {
    /// Where a gang's parts go; `None`: it waits.
    pub fn lay(
        self,
        site: &Site<'_>,
        network_state: &NetworkState,
        gang: Gang,
    ) -> Option<Vec<Part>> {
        let free = site.free.total();
        let lets_pass = |asker: Asker| asker.queue.is_crowd(gang.gpus, free);
        if !network_state.is_idle() && gang.asker.is_some_and(lets_pass) {
            return None;
        }
        let best = best(site, network_state, gang)?;
        let alone = || {
            network_state.alone(site, gang, |site, network_state, gang| {
                self::best(site, network_state, gang).map_or(0.0, |best| best.cost)
            })
        };
        let waits =
            best.cost > self.most && !network_state.is_idle() && best.cost > self.most + alone();
        (!waits).then_some(best.parts)
    }
}

fn best(site: &Site<'_>, network_state: &NetworkState, gang: Gang) -> Option<Place> {
    let mut look = Look {
        site,
        network_state,
        gang,
        sums: Sums::of(&gang, site.free.total()),
        best: None,
    };
    look.look();
    look.best
}

/// The lowest so many of these GPUs, or all.
fn lowest(mut of: u64, count: u32) -> u64 {
    let mut taken = 0;
    for _ in 0..count {
        let gpu = of & of.wrapping_neg();
        (taken, of) = (taken | gpu, of & !gpu);
    }
    taken
}
