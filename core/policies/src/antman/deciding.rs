//! Who starts where. In: the jobs that wait, in their order, and who runs. Out: those that start, and what is kept for
//! whom.

use super::board::{Board, Hold, gpus};
use super::explaining::{self, Grounds, Why};
use super::keeping::keeps;
use crate::cluster::{Gpus, Part, Placement};
use crate::job::JobId;
use crate::muri::kind;
use crate::workload::DEFAULT_PACKLIMIT;
use crate::{Explanation, Policy, Rng};
use std::collections::BTreeMap;
use switchyard_engine::{News, Plan, Standing, View};
use switchyard_interleaving::antman::least_loaded;
use switchyard_model::draw::unit;
use switchyard_placement::{Gang, Room, Strategy};

pub(crate) struct AntMan {
    /// From which priority on jobs are guaranteed their GPUs.
    guaranteed: f64,
    limit: f64,
    /// By job.
    priorities: Vec<Option<f64>>,
    strategy: Strategy,
    /// Of those that have come.
    standings: BTreeMap<JobId, Standing>,
    /// Guaranteed ones first, in order of submission.
    waiting: Vec<JobId>,
    kept: BTreeMap<JobId, Vec<Gpus>>,
    room: Room,
    /// GPUs that guaranteed jobs, and opportunistic ones, could have had at last.
    left: [u32; 2],
}

/// The free GPUs of a moment, and what is done with them.
struct Table<'a, 'v> {
    view: &'a View<'v>,
    plan: &'a mut Plan,
    strategy: Strategy,
    room: &'a mut Room,
    board: Board,
}

impl Table<'_, '_> {
    /// How a job would have its GPUs.
    fn hold(&self, job: JobId, standing: Standing) -> Hold {
        match kind(self.view, job) {
            Some(_) if self.view.may_be_co_located(job) => Hold::With(standing),
            _ => Hold::Alone,
        }
    }

    /// Starts a job where the placement lays it, if there is room for it: on GPUs that it has kept, where those will do.
    fn lay(&mut self, job: JobId, hold: Hold, kept: &[Gpus]) -> bool {
        let gang = self.view.gang(job, self.strategy, DEFAULT_PACKLIMIT);
        let counts: Vec<u32> = self.board.counts(hold).collect();
        let placement = self.placed(gang, hold, kept, &counts);
        placement.is_some_and(|placement| self.start(job, hold, &placement))
    }

    /// Starts a job on the GPUs that it keeps, if they are all that it needs, or if the placement finds room for what
    /// whole nodes lack.
    fn complete(&mut self, job: JobId, hold: Hold, keeps: &[Gpus]) -> bool {
        let mut gang = self.view.gang(job, self.strategy, DEFAULT_PACKLIMIT);
        let part = |of: &Gpus| Part {
            wished: of.mask,
            ..Part::new(of.node, of.count())
        };
        let mut placement = Placement {
            parts: keeps.iter().map(part).collect(),
        };
        gang.gpus -= Part::gpus_of(&placement.parts);
        if gang.gpus > 0 {
            let Some(first) = keeps.first() else {
                return false;
            };
            if self.view.node_sizes()[first.node as usize] >= self.view.gpus(job) {
                return false;
            }
            gang.needs = gang.needs.within(self.view.pool_of(first.node));
            let mut counts: Vec<u32> = self.board.counts(hold).collect();
            keeps.iter().for_each(|of| counts[of.node as usize] = 0);
            let Some(rest) = self.placed(gang, hold, &[], &counts) else {
                return false;
            };
            placement.parts.extend(rest.parts);
        }
        self.start(job, hold, &placement)
    }

    /// Where the placement lays a gang on nodes with so many GPUs for it.
    fn placed(
        &mut self,
        gang: Gang,
        hold: Hold,
        kept: &[Gpus],
        counts: &[u32],
    ) -> Option<Placement> {
        if counts.iter().sum::<u32>() < gang.gpus {
            return None;
        }
        self.room.set_free(counts);
        let mut placement = Placement::default();
        let fits = self.room.place(self.strategy, gang, &mut placement);
        self.board.name(&mut placement, hold, kept);
        fits.then_some(placement)
    }

    /// Starts an opportunistic job on the least loaded GPUs of a pool, if enough are below the limit.
    fn visit(&mut self, job: JobId, limit: f64) -> bool {
        let (view, needs) = (self.view, self.view.needs(job));
        let hold = Hold::With(Standing::Opportunistic);
        for pool in (0..view.pools()).filter(|&pool| needs.allows(pool)) {
            let there = self.board.loads();
            let there: Vec<(u32, u32, f64)> = there
                .filter(|&(node, ..)| view.pool_of(node) == pool)
                .collect();
            let loads: Vec<f64> = there.iter().map(|of| of.2).collect();
            let Some(found) = least_loaded(&loads, limit, view.gpus(job) as usize) else {
                continue;
            };
            let mut masks: BTreeMap<u32, u64> = BTreeMap::new();
            for at in found {
                let (node, gpu, _) = there[at];
                *masks.entry(node).or_default() |= 1 << gpu;
            }
            let part = |(node, wished): (u32, u64)| Part {
                wished,
                ..Part::new(node, wished.count_ones())
            };
            let placement = Placement {
                parts: masks.into_iter().map(part).collect(),
            };
            if self.start(job, hold, &placement) {
                return true;
            }
        }
        false
    }

    /// Starts a job there, if the nodes have cores and memory for it.
    fn start(&mut self, job: JobId, hold: Hold, placement: &Placement) -> bool {
        let (parts, needs) = (&placement.parts, self.view.needs(job));
        if !self.room.has_spare(parts, needs) {
            return false;
        }
        self.room.take_beside(job, parts, needs);
        self.board.take(&gpus(parts), hold);
        match hold {
            Hold::With(standing) => self.plan.place_as(job, standing, placement),
            Hold::Alone => self.plan.place(job, placement),
        }
        true
    }
}

impl AntMan {
    /// `bounds`: from which priority on jobs are guaranteed their GPUs, and below which load a GPU takes others.
    pub(super) fn new(
        bounds: (f64, f64),
        priorities: Vec<Option<f64>>,
        strategy: Strategy,
    ) -> Self {
        Self {
            guaranteed: bounds.0,
            limit: bounds.1,
            priorities,
            strategy,
            standings: BTreeMap::new(),
            waiting: Vec::new(),
            kept: BTreeMap::new(),
            room: Room::default(),
            left: [0, 0],
        }
    }

    /// As what a job has its GPUs, or would have them if it shared any.
    fn standing(&self, job: JobId) -> Standing {
        let standing = self.standings.get(&job).copied();
        standing.unwrap_or(Standing::Opportunistic)
    }

    fn why(&self, job: JobId) -> Why {
        let priority = self.priorities.get(job.index()).copied().flatten();
        priority.map_or(Why::Chance, Why::Priority)
    }

    fn follow(&mut self, view: &View<'_>, rng: &mut Rng) {
        for &news in view.news() {
            match news {
                News::Arrived(job) => {
                    let is_guaranteed = match self.why(job) {
                        Why::Priority(priority) => priority >= self.guaranteed,
                        Why::Chance => unit(rng) < 0.5,
                    };
                    let standing = match is_guaranteed {
                        true => Standing::Guaranteed,
                        false => Standing::Opportunistic,
                    };
                    self.standings.insert(job, standing);
                    self.wait(job);
                }
                News::Evicted(job) => self.wait(job),
                _ => {}
            }
        }
    }

    fn wait(&mut self, job: JobId) {
        let key = |job: JobId| (self.standing(job) == Standing::Opportunistic, job);
        let at = (self.waiting).partition_point(|&other| key(other) < key(job));
        self.waiting.insert(at, job);
    }

    /// What is kept on nodes that take nobody is kept no more.
    fn forget_closed(&mut self, view: &View<'_>) {
        if view.closed_nodes() > 0 {
            let is_open = |of: &Gpus| view.free().is_open(of.node);
            (self.kept).retain(|_, gpus| gpus.iter().all(is_open));
        }
    }

    /// The guaranteed jobs' turn. Those that wait and have what they need start, the others keep what they can use.
    fn guarantee(&mut self, table: &mut Table<'_, '_>) -> Vec<JobId> {
        for (&job, gpus) in &self.kept {
            let hold = table.hold(job, Standing::Guaranteed);
            table.board.keep(gpus, hold);
        }
        let mut started = Vec::new();
        for &job in &self.waiting {
            if self.standing(job) == Standing::Opportunistic {
                break;
            }
            let hold = table.hold(job, Standing::Guaranteed);
            let kept = self.kept.remove(&job).unwrap_or_default();
            if kept.is_empty() && table.board.counts(hold).all(|there| there == 0) {
                continue;
            }
            table.board.give_back(&kept);
            // Who has begun to keep GPUs goes on there, if the placement has gangs wait.
            let goes_on = !kept.is_empty() && table.strategy.may_wait();
            if !goes_on && table.lay(job, hold, &kept) {
                started.push(job);
                continue;
            }
            let keeps = keeps(table.view, &table.board, job, hold, &kept);
            if goes_on && table.complete(job, hold, &keeps) {
                started.push(job);
                continue;
            }
            table.board.keep(&keeps, hold);
            if !keeps.is_empty() {
                self.kept.insert(job, keeps);
            }
        }
        started
    }

    /// The opportunistic jobs' turn.
    fn visit(&self, table: &mut Table<'_, '_>) -> Vec<JobId> {
        let first = self
            .waiting
            .partition_point(|&job| self.standing(job) == Standing::Guaranteed);
        let mut started = Vec::new();
        let mut most = self.could_visit(&table.board);
        for &job in &self.waiting[first..] {
            if table.view.gpus(job) > most {
                continue;
            }
            let hold = table.hold(job, Standing::Opportunistic);
            let starts = match hold {
                Hold::Alone => table.lay(job, hold, &[]),
                Hold::With(_) => table.visit(job, self.limit),
            };
            if starts {
                started.push(job);
                most = self.could_visit(&table.board);
            }
        }
        started
    }

    /// How many GPUs there are for opportunistic jobs.
    fn could_visit(&self, board: &Board) -> u32 {
        let there = board.loads().filter(|of| of.2 < self.limit);
        there.count() as u32
    }
}

impl Policy for AntMan {
    fn plan(&mut self, view: &View<'_>, rng: &mut Rng, plan: &mut Plan) {
        self.follow(view, rng);
        if self.waiting.is_empty() {
            return;
        }
        self.forget_closed(view);
        let mut room = std::mem::take(&mut self.room);
        view.room(&mut room);
        let mut table = Table {
            view,
            plan,
            strategy: self.strategy,
            room: &mut room,
            board: Board::of(view),
        };
        let mut started = self.guarantee(&mut table);
        let is_guaranteed = |&job: &JobId| self.standing(job) == Standing::Guaranteed;
        if started.is_empty()
            && !self.kept.is_empty()
            && !view.ledger().running().any(|job| is_guaranteed(&job))
        {
            // They may wait for one another.
            self.kept.clear();
            table.board = Board::of(view);
            started = self.guarantee(&mut table);
        }
        started.extend(self.visit(&mut table));
        self.left = [
            table.board.counts(Hold::With(Standing::Guaranteed)).sum(),
            self.could_visit(&table.board),
        ];
        self.waiting.retain(|job| !started.contains(job));
        self.room = room;
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let standing = self.standing(job);
        let grounds = Grounds {
            standing,
            why: self.why(job),
            waiting: &self.waiting,
            kept: self.kept.get(&job).map_or(&[], Vec::as_slice),
            left: self.left[usize::from(standing == Standing::Opportunistic)],
        };
        explaining::explain(&grounds, view, job)
    }
}
