//! What the placer that learned sees: features of the part to be placed, of every group of GPUs, server,
//! rack and partition. In: what is free, and who sends how much where. Out: [`Observation`], by way of a
//! [`Scene`], which knows what of the job is laid already and where the next part fits.
//!
//! A socket, its PCIe switch and its GPUs are a chain, so that one *group* stands for the three, with the
//! loads of its edges. All features are about 0 to 1, and clipped to [0, 4].

use crate::cluster::{Part, Topology};
use crate::{Gang, NetworkState, Queue, Site};
use std::ops::Range;
use std::sync::Arc;
use switchyard_explain::Role;

/// Features of the part to be placed: is it a worker, or a parameter server; its job's gradients ÷ 0.5 GB,
/// computing ÷ 0.5 s a step, cores ÷ 8 and GPU memory ÷ 16 GB of a worker; workers ÷ 8, servers ÷ 8, and
/// those left ÷ 8; other jobs that wait ÷ 64, at most 1; 1 if none of its parts is placed yet; GPUs that the others
/// want ÷ those of the cluster; of how many GPUs they are, of 1, of 2, … of 8 or more: how many of each ÷ 4, at
/// most 1; and how much more gangs of fewer GPUs want than this one would leave free ÷ what makes them a
/// [crowd](Queue::is_crowd), at most 2.
/// Counts end there because larger clusters have more who wait than any that was trained on.
pub const JOB: usize = 14 + Queue::WIDTHS;

/// Features of a group: free GPUs ÷ 4, GPUs ÷ 4, loads of its PCIe and of its socket's edge, workers of
/// the same job there ÷ 4, what others there are slowed by (mean of 1 − factor), what these want of the
/// NIC ÷ what it carries, and 1 if the part fits there.
pub const GROUP: usize = 8;

/// Features of a server: load of its NIC, free GPUs ÷ 8, free cores ÷ 56, cores wanted ÷ cores − 1,
/// workers ÷ 8 and servers ÷ 8 of the same job, what others there are slowed by, 1 if it takes jobs.
pub const SERVER: usize = 8;

/// Features of a rack: load of its uplink, part of its GPUs that are free, parts of the same job ÷ 8, what
/// others there are slowed by, and what part of the workers left would find room on as few of its servers as could
/// hold them if these were idle. Means over its servers do not tell a few that are idle from many that are half full.
pub const RACK: usize = 5;

/// The same of a partition.
pub const PARTITION: usize = 5;

/// Which groups, servers, racks and partitions there are, and what hangs on what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Of each server the number of its first group, and behind the last server how many there are.
    pub groups: Vec<u32>,
    /// Of each server its rack.
    pub racks: Vec<u32>,
    /// Of each rack its partition.
    pub partitions: Vec<u32>,
}

/// What is seen when a part is to be placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// What there is.
    pub layout: Arc<Layout>,
    /// See [`JOB`].
    pub job: [f32; JOB],
    /// See [`GROUP`]; server by server.
    pub groups: Vec<[f32; GROUP]>,
    /// See [`SERVER`].
    pub servers: Vec<[f32; SERVER]>,
    /// See [`RACK`].
    pub racks: Vec<[f32; RACK]>,
    /// See [`PARTITION`].
    pub partitions: Vec<[f32; PARTITION]>,
}

impl Layout {
    /// Of a cluster's tree; all in one partition, if one agent is to decide for all.
    pub fn of(tree: &Topology, one_agent: bool) -> Self {
        let mut groups = vec![0];
        for node in 0..tree.nodes() {
            groups.push(groups[node as usize] + tree.sockets(node));
        }
        let partition = |rack| match one_agent {
            true => 0,
            false => tree.partition_of(rack),
        };
        Self {
            groups,
            racks: (0..tree.nodes()).map(|node| tree.rack_of(node)).collect(),
            partitions: (0..tree.racks()).map(partition).collect(),
        }
    }

    /// The groups of a server.
    pub fn groups_of(&self, server: usize) -> Range<usize> {
        self.groups[server] as usize..self.groups[server + 1] as usize
    }

    /// How many partitions.
    pub fn count(&self) -> u32 {
        let last = self.partitions.iter().max();
        last.map_or(0, |last| last + 1)
    }

    /// The partition of a server.
    pub fn partition_of(&self, server: usize) -> u32 {
        self.partitions[self.racks[server] as usize]
    }
}

/// What it has on a server.
#[derive(Clone, Copy, Default, PartialEq)]
struct Own {
    workers: u32,
    servers: u32,
    /// Of its workers, the lowest free ones of their groups.
    gpus: u64,
}

/// What there is in a rack or partition.
#[derive(Clone, Default)]
struct Room {
    /// GPUs that the gang can use, by server.
    free: Vec<u32>,
    /// All GPUs, and those of the widest server.
    gpus: u32,
    widest: u32,
    /// Its parts.
    own: u32,
}

impl Room {
    fn add(&mut self, rack: &Self) {
        self.free.extend(&rack.free);
        self.gpus += rack.gpus;
        self.widest = self.widest.max(rack.widest);
        self.own += rack.own;
    }

    /// Fills in what a gang with so many workers left sees of it: see [`RACK`].
    fn tell(&mut self, workers: u32, seen: &mut [f32]) {
        let free: u32 = self.free.iter().sum();
        seen[1] = scaled(f64::from(free), f64::from(self.gpus.max(1)));
        seen[2] = scaled(f64::from(self.own), 8.0);
        seen[4] = self.together(workers);
    }

    /// Which part of so many workers its emptiest servers take, as few of them as could hold all if they were idle.
    fn together(&mut self, workers: u32) -> f32 {
        self.free.sort_unstable_by(|a, b| b.cmp(a));
        let fewest = workers.div_ceil(self.widest.max(1));
        let taken: u32 = self.free.iter().take(fewest as usize).sum();
        scaled(f64::from(taken.min(workers)), f64::from(workers.max(1)))
    }
}

/// A gang that is being laid: what is free for it, and what of it is laid.
pub struct Scene<'a> {
    site: &'a Site<'a>,
    gang: Gang,
    seen: Observation,
    /// GPUs of each group that are free for it, and of each server how many it can still use.
    free: Vec<u64>,
    usable: Vec<u32>,
    /// What it has on each server.
    own: Vec<Own>,
    /// Still to be placed.
    workers: u32,
    servers: u32,
}

impl<'a> Scene<'a> {
    /// Nothing of it is laid.
    pub fn new(
        site: &'a Site<'a>,
        network_state: &NetworkState,
        layout: &Arc<Layout>,
        gang: Gang,
    ) -> Self {
        let tree = network_state.topology();
        let servers = gang.needs.servers().count;
        let mut scene = Self {
            seen: Observation {
                layout: Arc::clone(layout),
                job: [0.0; JOB],
                groups: Vec::new(),
                servers: Vec::new(),
                racks: vec![[0.0; RACK]; tree.racks() as usize],
                partitions: vec![[0.0; PARTITION]; layout.count() as usize],
            },
            free: Vec::new(),
            usable: site.free.per_node().to_vec(),
            own: vec![Own::default(); site.free.per_node().len()],
            workers: gang.gpus,
            servers,
            site,
            gang,
        };
        scene.seen.job[2..6].copy_from_slice(&match gang.profile {
            Some(of) => [
                scaled(of.gradients, 0.5),
                scaled(of.compute, 0.5),
                scaled(of.cores, 8.0),
                scaled(of.memory, 16.0),
            ],
            None => [0.0; 4],
        });
        scene.seen.job[6] = scaled(f64::from(gang.gpus), 8.0);
        scene.seen.job[7] = scaled(f64::from(servers), 8.0);
        if let Some(asker) = &gang.asker {
            scene.queue(&asker.queue);
        }
        scene.look(network_state);
        scene.count();
        scene
    }

    /// Fills in who waits besides the gang.
    fn queue(&mut self, queue: &Queue) {
        let gpus = self.gang.gpus;
        let crowd = queue.beside(gpus, self.site.free.total());
        let job = &mut self.seen.job;
        job[10] = scaled(f64::from(queue.jobs()), 64.0).min(1.0);
        let all: u32 = self.site.free.node_sizes().iter().sum();
        job[12] = scaled(queue.gpus() as f64, f64::from(all.max(1)));
        let is_crowd = Queue::CROWD as f64 * f64::from(gpus.max(1));
        job[JOB - 1] = scaled(crowd as f64, is_crowd).min(2.0);
        for (seen, &count) in job[13..].iter_mut().zip(queue.by_gpus()) {
            *seen = scaled(f64::from(count), 4.0).min(1.0);
        }
    }

    /// Fills in what does not depend on what of the gang is laid.
    fn look(&mut self, network_state: &NetworkState) {
        let (tree, layout) = (network_state.topology(), Arc::clone(&self.seen.layout));
        // What residents are slowed by, in all, and how many they are.
        let mut in_rack = vec![(0.0, 0u32); tree.racks() as usize];
        for node in 0..tree.nodes() {
            let at = node as usize;
            let open = self.site.free.is_open(node);
            let nic = tree.node_edge(node);
            let residents = network_state.residents(node).iter().map(|&(job, mask)| {
                let wanted = network_state.wanted(job);
                let wanted = wanted.iter().find(|(edge, _)| *edge == nic);
                let wanted = wanted.map_or(0.0, |(_, wanted)| wanted / tree.capacity(nic));
                (mask, 1.0 - network_state.factor(job), wanted)
            });
            let residents: Vec<(u64, f64, f64)> = residents.collect();
            let there = if open {
                network_state.free_mask(node)
            } else {
                0
            };
            self.usable[at] = self.usable[at].min(there.count_ones());
            for group in 0..tree.sockets(node) {
                let mask = tree.socket_mask(node, group);
                let here = residents.iter().filter(|of| of.0 & mask != 0);
                let (slow, wanted, count) = here.fold((0.0, 0.0, 0u32), |sums, of| {
                    (sums.0 + of.1, sums.1 + of.2, sums.2 + 1)
                });
                self.free.push(there & mask);
                self.seen.groups.push([
                    0.0,
                    scaled(f64::from(mask.count_ones()), 4.0),
                    scaled(network_state.load(tree.pcie_edge(node, group)), 1.0),
                    scaled(network_state.load(tree.socket_edge(node, group)), 1.0),
                    0.0,
                    scaled(slow / f64::from(count.max(1)), 1.0),
                    scaled(wanted, 1.0),
                    0.0,
                ]);
            }
            let (cores, wanted) = network_state.cores(node);
            let (cores, wanted) = (cores as f64 / 1000.0, wanted as f64 / 1000.0);
            let (left, over) = match cores > 0.0 {
                true => (cores - wanted, wanted / cores - 1.0),
                false => (56.0, 0.0),
            };
            let slow = residents.iter().fold(0.0, |sum, of| sum + of.1);
            self.seen.servers.push([
                scaled(network_state.load(nic), 1.0),
                0.0,
                scaled(left, 56.0),
                scaled(over, 1.0),
                0.0,
                0.0,
                scaled(slow / residents.len().max(1) as f64, 1.0),
                if open { 1.0 } else { 0.0 },
            ]);
            let rack = &mut in_rack[layout.racks[at] as usize];
            *rack = (rack.0 + slow, rack.1 + residents.len() as u32);
        }
        let mut in_partition = vec![(0.0, 0u32); self.seen.partitions.len()];
        let mut loads = vec![0.0f64; self.seen.partitions.len()];
        for (rack, &(slow, count)) in (0u32..).zip(&in_rack) {
            let seen = &mut self.seen.racks[rack as usize];
            seen[0] = scaled(network_state.load(tree.rack_edge(rack)), 1.0);
            seen[3] = scaled(slow / f64::from(count.max(1)), 1.0);
            let partition = layout.partitions[rack as usize] as usize;
            let all = &mut in_partition[partition];
            *all = (all.0 + slow, all.1 + count);
            // Of one agent for all, the fullest.
            let load = network_state.load(tree.partition_edge(tree.partition_of(rack)));
            loads[partition] = loads[partition].max(load);
        }
        for (at, &(slow, count)) in in_partition.iter().enumerate() {
            let seen = &mut self.seen.partitions[at];
            seen[0] = scaled(loads[at], 1.0);
            seen[3] = scaled(slow / f64::from(count.max(1)), 1.0);
        }
    }

    /// Fills in what does.
    fn count(&mut self) {
        let layout = Arc::clone(&self.seen.layout);
        let (role, is_untouched) = (self.role(), self.is_untouched());
        let job = &mut self.seen.job;
        job[0] = one_if(role == Some(Role::Worker));
        job[1] = one_if(role == Some(Role::ParameterServer));
        job[8] = scaled(f64::from(self.workers), 8.0);
        job[9] = scaled(f64::from(self.servers), 8.0);
        job[11] = one_if(is_untouched);
        let mut racks = vec![Room::default(); self.seen.racks.len()];
        for node in 0..self.usable.len() as u32 {
            let at = node as usize;
            let fits = self.fits(node);
            let mut free = 0;
            for group in layout.groups_of(at) {
                let seen = &mut self.seen.groups[group];
                // As many of them as the gang can use.
                let usable = self.free[group].count_ones().min(self.usable[at]);
                seen[0] = scaled(f64::from(usable), 4.0);
                seen[7] = one_if(fits && (role != Some(Role::Worker) || usable > 0));
                free += usable;
            }
            let Own {
                workers, servers, ..
            } = self.own[at];
            let seen = &mut self.seen.servers[at];
            seen[1] = scaled(f64::from(free.min(self.usable[at])), 8.0);
            seen[4] = scaled(f64::from(workers), 8.0);
            seen[5] = scaled(f64::from(servers), 8.0);
            let rack = &mut racks[layout.racks[at] as usize];
            rack.free.push(self.usable[at]);
            rack.gpus += self.site.free.node_sizes()[at];
            rack.widest = rack.widest.max(self.site.free.node_sizes()[at]);
            rack.own += workers + servers;
        }
        let mut partitions = vec![Room::default(); self.seen.partitions.len()];
        for (at, rack) in racks.iter_mut().enumerate() {
            rack.tell(self.workers, &mut self.seen.racks[at]);
            partitions[layout.partitions[at] as usize].add(rack);
        }
        for (partition, seen) in partitions.iter_mut().zip(&mut self.seen.partitions) {
            partition.tell(self.workers, seen);
        }
    }

    /// What is to be placed next; `None`: all is laid.
    pub fn role(&self) -> Option<Role> {
        match (self.workers, self.servers) {
            (1.., _) => Some(Role::Worker),
            (0, 1..) => Some(Role::ParameterServer),
            (0, 0) => None,
        }
    }

    /// Whether nothing of it is laid.
    pub fn is_untouched(&self) -> bool {
        self.workers == self.gang.gpus && self.servers == self.gang.needs.servers().count
    }

    /// What is seen now.
    pub fn seen(&self) -> &Observation {
        &self.seen
    }

    /// Whether the next part fits on a server.
    fn fits(&self, node: u32) -> bool {
        match self.role() {
            Some(Role::Worker) => self.usable[node as usize] > 0,
            Some(Role::ParameterServer) => {
                let Own {
                    workers, servers, ..
                } = self.own[node as usize];
                servers < self.site.most_servers(node, workers, self.gang.needs)
            }
            None => false,
        }
    }

    /// Whether the next part fits into a group of a server.
    pub fn fits_group(&self, node: u32, group: u32) -> bool {
        let at = self.seen.layout.groups[node as usize] + group;
        let has_room = self.role() == Some(Role::ParameterServer) || self.free[at as usize] != 0;
        has_room && self.fits(node)
    }

    /// The partitions that hold the whole gang now. Room for servers is counted beside as many workers as could be
    /// there, so that wherever these go, all of those find some.
    pub fn partitions(&self) -> Vec<u32> {
        let layout = &self.seen.layout;
        let mut has = vec![[0u64; 2]; layout.count() as usize];
        let wanted = self.gang.needs.servers().count;
        for node in 0..self.usable.len() {
            let usable = self.usable[node].min(self.gang.gpus);
            let room = match wanted {
                0 => 0,
                _ => self.site.most_servers(node as u32, usable, self.gang.needs),
            };
            let all = &mut has[layout.partition_of(node) as usize];
            let here = [self.usable[node], room.min(wanted)];
            for (sum, here) in all.iter_mut().zip(here) {
                *sum += u64::from(here);
            }
        }
        let all = [self.gang.gpus, wanted].map(u64::from);
        let holds = (0..)
            .zip(has)
            .filter(|(_, has)| has.iter().zip(all).all(|(has, all)| *has >= all));
        holds.map(|(partition, _)| partition).collect()
    }

    /// Places the next part there.
    pub fn place(&mut self, node: u32, group: u32) {
        let own = &mut self.own[node as usize];
        match self.workers {
            0 => {
                own.servers += 1;
                self.servers -= 1;
            }
            _ => {
                own.workers += 1;
                self.workers -= 1;
                self.usable[node as usize] -= 1;
                let at = self.seen.layout.groups[node as usize] + group;
                let free = &mut self.free[at as usize];
                let gpu = *free & free.wrapping_neg();
                *free &= !gpu;
                own.gpus |= gpu;
                let seen = &mut self.seen.groups[at as usize][4];
                *seen = if *seen < 3.75 { *seen + 0.25 } else { 4.0 };
            }
        }
        self.count();
    }

    /// What is laid.
    pub fn parts(&self) -> impl Iterator<Item = Part> {
        let own = (0u32..).zip(&self.own);
        own.filter(|(_, own)| **own != Own::default())
            .map(|(node, own)| Part {
                servers: own.servers,
                wished: own.gpus,
                ..Part::new(node, own.workers)
            })
    }
}

/// As a feature: clipped to [0, 4].
fn scaled(value: f64, unit: f64) -> f32 {
    (value / unit).clamp(0.0, 4.0) as f32
}

fn one_if(is: bool) -> f32 {
    if is { 1.0 } else { 0.0 }
}
