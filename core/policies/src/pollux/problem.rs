//! One scheduling round, ready to be searched: nodes, jobs in service order, speedups tabulated.
//!
//! A job's goodput at its best batch size is asked for once per (nodes, replicas) and round; inside
//! the search a row's worth is one look-up. The speedup is goodput(N, K) over that of the fair
//! share (OSDI'21 §4.2): fair K = ⌈GPUs / jobs⌉, fair N the fewest nodes that hold it.

use super::genome::{self, ANY, Changes, Layout};
use super::mean::PowerMean;
use crate::cluster::Part;
use crate::order;
use std::hint::select_unpredictable;

/// A node of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Who it is, from round to round.
    pub key: u32,
    /// How many GPUs it has, at most 64.
    pub gpus: u32,
}

/// A job as the scheduler sees it in one round.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Who it is, from round to round.
    pub key: u32,
    /// What it holds now, nodes by index, each once.
    pub current: Vec<Part>,
    /// Fewer GPUs than these are none.
    pub min_replicas: u32,
    /// The most GPUs it may have: its batch size's limit, and how far it may explore.
    pub max_replicas: u32,
    /// Whether what it holds may be changed; if not, and it holds any, it is pinned.
    pub preemptible: bool,
    /// Whether it has held GPUs before: its first start costs no progress.
    pub started: bool,
    /// Whether its goodput is known; if not, its speedup is taken to be its share (K / fair K).
    pub profiled: bool,
    /// GPU·s received.
    pub attained: f64,
    /// Seconds since it was submitted.
    pub age: f64,
    /// How often it has been restarted.
    pub restarts: u32,
    /// Its rank by submit time.
    pub submit_order: u32,
}

/// The search's settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchParameters {
    /// Exponent of the power mean: the smaller, the fairer. Used within ±40.
    pub p: f64,
    /// Seconds without progress that a restart is charged with (δ).
    pub delta: f64,
    /// At most one job that spans nodes on each node.
    pub avoidance: bool,
    /// The most nodes a job may span.
    pub max_nodes: u32,
    /// Node counts that goodput tells apart: 1, 2, … and this or more. The fitted model knows two
    /// (one node, or several); a measured profile knows each.
    pub node_classes: u32,
    /// Individuals.
    pub population: usize,
    /// Generations, the first population included.
    pub generations: u32,
    /// Stop after so many generations in which neither the best individual nor the front got
    /// better, unless that leaves jobs without GPUs that need not be; 0: never. See
    /// `switchyard-bench pollux` for what that leaves of F0; another seed changes more.
    pub patience: u32,
    /// Stop when nothing can be better than the best: every job has all it could use.
    pub stop_at_bound: bool,
    /// Keep what the artifact does differently from its paper (preset `reference-osdi21`): the
    /// fair share is always on one node, a first start is charged as a restart, the last front's
    /// rows go to other jobs when the service order changes, and avoidance clears a node of every
    /// job behind its second distributed one. The current allocation is then tried only in the
    /// first round.
    pub reference: bool,
}

impl Default for SearchParameters {
    /// The paper's.
    fn default() -> Self {
        Self {
            p: -1.0,
            delta: 30.0,
            avoidance: true,
            max_nodes: 16,
            node_classes: 2,
            population: 100,
            generations: 100,
            patience: 10,
            stop_at_bound: true,
            reference: false,
        }
    }
}

/// Why a round cannot be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProblemError {
    /// A node with more GPUs than a byte of the genome is meant for.
    #[error("node {0} has more than 64 GPUs")]
    NodeTooLarge(u32),
    /// A job that holds GPUs which are not there, or a node twice.
    #[error("job {0} holds GPUs that are not there")]
    NoSuchGpus(u32),
}

/// GPUs per node of every job, jobs in the order in which they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    nodes: usize,
    gpus: Vec<u8>,
}

impl Allocation {
    pub(super) fn new(jobs: usize, nodes: usize) -> Self {
        Self {
            nodes,
            gpus: vec![0; jobs * nodes],
        }
    }

    /// GPUs on each node.
    pub fn row(&self, job: usize) -> &[u8] {
        &self.gpus[job * self.nodes..][..self.nodes]
    }

    pub(super) fn row_mut(&mut self, job: usize) -> &mut [u8] {
        &mut self.gpus[job * self.nodes..][..self.nodes]
    }

    /// The nodes that give it GPUs, and how many.
    pub fn parts(&self, job: usize) -> impl Iterator<Item = Part> + '_ {
        self.row(job)
            .iter()
            .enumerate()
            .filter(|&(_, &gpus)| gpus > 0)
            .map(|(node, &gpus)| Part::new(node as u32, u32::from(gpus)))
    }

    /// How many GPUs it has.
    pub fn replicas(&self, job: usize) -> u32 {
        self.row(job).iter().map(|&gpus| u32::from(gpus)).sum()
    }
}

/// A job in service order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Its place among the candidates.
    candidate: usize,
    key: u32,
    min_replicas: u32,
    pub(super) max_replicas: u32,
    /// Its first cell.
    cells: usize,
    /// All bits, unless it is pinned.
    pub(super) may_move: u64,
}

/// What a job's row is looked up by.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) member: &'a Member,
    /// Its current row, complete.
    current: &'a [u64],
}

impl Member {
    /// Cells of each node class.
    fn stride(self) -> usize {
        self.max_replicas as usize + 1
    }
}

/// One scheduling round.
#[derive(Clone, Debug)]
pub struct Problem {
    pub(super) layout: Layout,
    pub(super) parameters: SearchParameters,
    nodes: Vec<Node>,
    members: Vec<Member>,
    /// How many jobs at the head of the order are pinned.
    pub(super) pinned: usize,
    /// Whether some job's least is more than one.
    pub(super) has_least: bool,
    /// The current allocation, complete records.
    pub(super) current: Vec<u64>,
    /// By job: whether its current row is more, or less, than it may have now.
    pub(super) outgrown: Vec<bool>,
    /// GPUs of each node, in lanes.
    pub(super) capacity: Vec<u64>,
    /// GPUs of every node, if all have the same.
    uniform: Option<u32>,
    classes: usize,
    /// Term of F0, and speedup: by job; current row or not; node class; replicas.
    pub(super) cells: Vec<[f64; 2]>,
    pub(super) mean: PowerMean,
    pub(super) total_gpus: u32,
    fair: (u32, u32),
}

impl Problem {
    /// `goodput(job, nodes, replicas)` is the goodput at the best batch size, for the candidate of
    /// that index; any unit, and 0 where it cannot run. It is asked once per node class and number
    /// of replicas.
    ///
    /// # Errors
    ///
    /// When a node has more than 64 GPUs, or a job holds GPUs that are not there.
    pub fn new(
        nodes: &[Node],
        candidates: &[Candidate],
        parameters: SearchParameters,
        mut goodput: impl FnMut(usize, u32, u32) -> f64,
    ) -> Result<Self, ProblemError> {
        if let Some(node) = nodes.iter().find(|node| node.gpus > 64) {
            return Err(ProblemError::NodeTooLarge(node.key));
        }
        let most_gpus = nodes.iter().map(|node| node.gpus).max().unwrap_or(0);
        let layout = Layout::new(candidates.len(), nodes.len(), most_gpus);
        let mut capacity = vec![0; layout.words];
        for (n, node) in nodes.iter().enumerate() {
            layout.set(&mut capacity, n, node.gpus);
        }
        let total_gpus = nodes.iter().map(|node| node.gpus).sum();
        let mut problem = Self {
            layout,
            parameters,
            members: Vec::with_capacity(candidates.len()),
            pinned: 0,
            has_least: candidates.iter().any(|job| job.min_replicas > 1),
            current: vec![0; layout.genome()],
            outgrown: Vec::with_capacity(candidates.len()),
            capacity,
            uniform: nodes
                .first()
                .map(|first| first.gpus)
                .filter(|&gpus| nodes.iter().all(|node| node.gpus == gpus)),
            classes: (parameters.node_classes as usize)
                .max(2)
                .min(nodes.len().max(1)),
            cells: Vec::new(),
            mean: PowerMean::new(parameters.p.clamp(-40.0, 40.0)),
            total_gpus,
            fair: fair_share(nodes, candidates.len(), parameters.reference),
            nodes: nodes.to_vec(),
        };
        problem.order(candidates);
        problem.tabulate(candidates, &mut goodput);
        problem.lay_current(candidates)?;
        Ok(problem)
    }

    /// Pinned jobs first; then those that have received least; then first come first served.
    fn order(&mut self, candidates: &[Candidate]) {
        let is_pinned = |job: &Candidate| !job.preemptible && !job.current.is_empty();
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order::sort_by(&mut order, |&a, &b| {
            let (a, b) = (&candidates[a], &candidates[b]);
            is_pinned(b)
                .cmp(&is_pinned(a))
                .then(order::by_value(&a.attained, &b.attained))
                .then(a.submit_order.cmp(&b.submit_order))
        });
        self.pinned = candidates.iter().filter(|job| is_pinned(job)).count();
        let mut cells = 0;
        for candidate in order {
            let job = &candidates[candidate];
            let held = Part::gpus_of(&job.current);
            let member = Member {
                candidate,
                key: job.key,
                min_replicas: job.min_replicas,
                max_replicas: if is_pinned(job) {
                    held
                } else {
                    job.max_replicas.min(self.total_gpus)
                },
                cells,
                may_move: u64::from(!is_pinned(job)).wrapping_neg(),
            };
            cells += 2 * self.classes * member.stride();
            self.members.push(member);
        }
    }

    /// Fills in what every row would be worth.
    fn tabulate(
        &mut self,
        candidates: &[Candidate],
        goodput: &mut impl FnMut(usize, u32, u32) -> f64,
    ) {
        let nodes = self.layout.nodes as f64;
        let scale = nodes / f64::from(self.total_gpus.max(1));
        let nothing = self.mean.term(0.0);
        let SearchParameters { delta, .. } = self.parameters;
        for member in &self.members {
            let job = &candidates[member.candidate];
            let base = self.base(member.candidate, job, goodput);
            let progress = job.age - f64::from(job.restarts) * delta;
            let realloc = if !job.started && !self.parameters.reference {
                1.0
            } else if progress > 0.0 {
                progress / (job.age + delta)
            } else {
                0.0
            };
            self.cells.resize(
                member.cells + 2 * self.classes * member.stride(),
                [nothing, 0.0],
            );
            let (kept, moved) =
                self.cells[member.cells..].split_at_mut(self.classes * member.stride());
            for class in 0..self.classes {
                let most = if class == 0 {
                    self.nodes.iter().map(|node| node.gpus).max().unwrap_or(0)
                } else {
                    member.max_replicas
                };
                for replicas in
                    (class as u32 + 1).max(member.min_replicas)..=most.min(member.max_replicas)
                {
                    let speedup = match base {
                        Some(base) => {
                            let goodput = goodput(member.candidate, class as u32 + 1, replicas);
                            if goodput > 0.0 { goodput / base } else { 0.0 }
                        }
                        None => f64::from(replicas) / f64::from(self.fair.1.max(1)),
                    };
                    let speedup = if speedup.is_finite() { speedup } else { 0.0 };
                    let cell = class * member.stride() + replicas as usize;
                    let scaled = speedup * scale;
                    kept[cell] = [self.mean.term(scaled), speedup];
                    moved[cell] = [self.mean.term(scaled * realloc), speedup];
                }
            }
        }
    }

    /// Goodput of the fair share; where the job cannot run on so many GPUs, of the most it can run
    /// on. None: not known.
    fn base(
        &self,
        candidate: usize,
        job: &Candidate,
        goodput: &mut impl FnMut(usize, u32, u32) -> f64,
    ) -> Option<f64> {
        if !job.profiled {
            return None;
        }
        let (nodes, replicas) = self.fair;
        (1..=replicas)
            .rev()
            .map(|k| goodput(candidate, nodes.min(k), k))
            .find(|&goodput| goodput > 0.0)
    }

    fn lay_current(&mut self, candidates: &[Candidate]) -> Result<(), ProblemError> {
        let layout = self.layout;
        let mut left: Vec<u32> = self.nodes.iter().map(|node| node.gpus).collect();
        let mut current = std::mem::take(&mut self.current);
        let mut changes = Changes::new(layout.jobs);
        for (job, member) in self.members.iter().enumerate() {
            let record = &mut current[job * layout.record()..][..layout.record()];
            for &Part { node, gpus, .. } in &candidates[member.candidate].current {
                let left = left
                    .get_mut(node as usize)
                    .filter(|left| **left >= gpus && layout.get(record, node as usize) == 0)
                    .ok_or(ProblemError::NoSuchGpus(member.key))?;
                *left -= gpus;
                layout.set(record, node as usize, gpus);
            }
            layout.refresh_masks(record);
            let replicas = layout.sum(&record[..layout.words]);
            let nodes = genome::count(&record[layout.words..layout.end_of_masks()]);
            self.outgrown.push(
                job >= self.pinned
                    && (replicas > member.max_replicas
                        || replicas < member.min_replicas
                        || nodes > self.parameters.max_nodes),
            );
            changes.mark(job);
        }
        // A row's cell depends on whether it is the current one.
        self.current.clone_from(&current);
        self.refresh(&mut current, &mut changes);
        self.current = current;
        Ok(())
    }

    /// Brings hash and cell of a genome's changed rows up to date.
    pub(super) fn refresh(&self, genome: &mut [u64], changes: &mut Changes) {
        let record = self.layout.record();
        changes.for_each(|job| {
            self.refresh_row::<ANY>(job, &mut genome[job * record..][..record]);
        });
        changes.clear();
    }

    /// Brings a record's hash and cell up to date, if it has them.
    #[inline]
    pub(super) fn refresh_row<const W: usize>(&self, job: usize, record: &mut [u64]) {
        let layout = self.layout.with_words::<W>();
        if layout.is_short() {
            return;
        }
        let (words, rest) = record.split_at_mut(layout.words);
        rest[layout.masks] = genome::hash(words, job);
        rest[layout.masks + 1] =
            self.cell::<W>(self.row::<W>(job), words, &rest[..layout.masks]) as u64;
    }

    /// The cell of a record that is up to date.
    fn cell_of(&self, job: usize, record: &[u64]) -> usize {
        let (words, rest) = record.split_at(self.layout.words);
        self.cell::<ANY>(self.row::<ANY>(job), words, &rest[..self.layout.masks])
    }

    /// The row's cell; a row must hold no more than the job's most.
    #[inline]
    pub(super) fn cell<const W: usize>(&self, row: Row<'_>, words: &[u64], masks: &[u64]) -> usize {
        let member = row.member;
        // A current row may hold more than the job may have now; repair sees to all others.
        let replicas = self
            .layout
            .with_words::<W>()
            .sum(words)
            .min(member.max_replicas);
        // (Not `==`: rows are too short for a call.)
        let differing = words.iter().zip(row.current);
        let differing = differing.fold(0, |all, (a, b)| all | (a ^ b));
        let side = select_unpredictable(differing == 0, 0, self.classes);
        // (To count takes long, and most often it is one or several.)
        let class = if self.classes == 2 {
            usize::from(genome::is_distributed(masks))
        } else {
            (genome::count(masks) as usize).clamp(1, self.classes) - 1
        };
        member.cells + (side + class) * member.stride() + replicas as usize
    }

    /// The jobs, in service order.
    #[inline]
    pub(super) fn members(&self) -> &[Member] {
        &self.members
    }

    /// What the job's row is looked up by.
    #[inline]
    pub(super) fn row<const W: usize>(&self, job: usize) -> Row<'_> {
        Row {
            member: &self.members[job],
            current: self.current_row::<W>(job),
        }
    }

    /// What the jobs' rows are looked up by, in service order.
    #[inline]
    pub(super) fn rows<const W: usize>(&self) -> impl Iterator<Item = Row<'_>> {
        let record = self.layout.with_words::<W>().record();
        let current = self.current.chunks_exact(record);
        let rows = self.members.iter().zip(current);
        rows.map(|(member, current)| Row { member, current })
    }

    pub(super) fn current_row<const W: usize>(&self, job: usize) -> &[u64] {
        let record = self.layout.with_words::<W>().record();
        &self.current[job * record..][..record]
    }

    /// All bits, unless the job is pinned.
    #[inline]
    pub(super) fn may_move(&self, job: usize) -> u64 {
        self.members[job].may_move
    }

    pub(super) fn min_replicas(&self, job: usize) -> u32 {
        self.members[job].min_replicas
    }

    pub(super) fn max_replicas(&self, job: usize) -> u32 {
        self.members[job].max_replicas
    }

    /// GPUs of the nodes in a mask.
    #[inline]
    pub(super) fn gpus_of(&self, mask: usize, mut nodes: u64) -> u32 {
        if let Some(gpus) = self.uniform {
            return nodes.count_ones() * gpus;
        }
        let mut sum = 0;
        while nodes != 0 {
            let node = self.layout.node_of(mask, nodes.trailing_zeros());
            sum += self.layout.get(&self.capacity, node);
            nodes &= nodes - 1;
        }
        sum
    }

    /// No allocation has a better sum of terms: each job's best, had it the cluster for itself.
    pub(super) fn bound(&self) -> f64 {
        let mut sum = 0.0;
        for (job, member) in self.members.iter().enumerate() {
            let kept = self.cell_of(job, self.current_row::<ANY>(job));
            let side = self.classes * member.stride();
            let moved = &self.cells[member.cells + side..][..side];
            let mut best = self.cells[kept][0];
            for &[term, _] in moved.iter().filter(|_| job >= self.pinned) {
                if (term < best) == self.mean.falls() && term != best {
                    best = term;
                }
            }
            sum += best;
        }
        self.mean.of(sum, self.layout.jobs)
    }

    /// The nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The jobs' keys, in service order: pinned first, then the least served.
    pub fn service_order(&self) -> impl Iterator<Item = u32> + '_ {
        self.members.iter().map(|member| member.key)
    }

    /// The fair share: nodes, and GPUs.
    pub fn fair_share(&self) -> (u32, u32) {
        self.fair
    }

    /// What the jobs hold now, in the order in which they were given.
    pub fn current(&self) -> Allocation {
        self.allocation(&self.current)
    }

    pub(super) fn allocation(&self, genome: &[u64]) -> Allocation {
        let mut allocation = Allocation::new(self.layout.jobs, self.layout.nodes);
        let records = genome.chunks_exact(self.layout.record());
        for (member, record) in self.members.iter().zip(records) {
            let row = allocation.row_mut(member.candidate);
            for (node, gpus) in row.iter_mut().enumerate() {
                *gpus = self.layout.get(record, node) as u8;
            }
        }
        allocation
    }

    /// Speedup over the fair share of every job, in the order in which they were given; without
    /// the price of a restart.
    pub fn speedups(&self, allocation: &Allocation) -> Vec<f64> {
        let mut speedups = vec![0.0; self.layout.jobs];
        let genome = self.genome(allocation);
        let records = genome.chunks_exact(self.layout.record());
        for (job, (member, record)) in self.members.iter().zip(records).enumerate() {
            speedups[member.candidate] = self.cells[self.cell_of(job, record)][1];
        }
        speedups
    }

    /// An allocation of this round as a genome.
    pub(super) fn genome(&self, allocation: &Allocation) -> Vec<u64> {
        let layout = self.layout;
        let mut genome = vec![0; layout.genome()];
        let mut changes = Changes::new(layout.jobs);
        for (job, record) in genome.chunks_exact_mut(layout.record()).enumerate() {
            for Part { node, gpus, .. } in allocation.parts(self.members[job].candidate) {
                layout.set(record, node as usize, gpus);
            }
            layout.refresh_masks(record);
            changes.mark(job);
        }
        self.refresh(&mut genome, &mut changes);
        genome
    }
}

/// Nodes and GPUs of the fair share.
fn fair_share(nodes: &[Node], jobs: usize, reference: bool) -> (u32, u32) {
    let total: u32 = nodes.iter().map(|node| node.gpus).sum();
    let replicas = total.div_ceil((jobs as u32).max(1));
    if reference {
        return (1, replicas);
    }
    let mut sizes: Vec<u32> = nodes.iter().map(|node| node.gpus).collect();
    sizes.sort_unstable();
    sizes.reverse();
    let mut held = 0;
    let fewest = sizes.iter().take_while(|&&size| {
        let short = held < replicas;
        held += size;
        short
    });
    ((fewest.count() as u32).max(1), replicas)
}
