//! The rounds. In: what has happened, and what is free. Out: who has which GPUs with which batch.

use super::explaining::{self, Decided, Grounds};
use super::kinds::Kinds;
use super::layout::{Nodes, Wanted, lay};
use super::members::Member;
use crate::cluster::{Part, Placement};
use crate::goodput::{Fits, LocalBatch};
use crate::job::JobId;
use crate::workload::DEFAULT_PACKLIMIT;
use crate::{Cadence, ChoiceRow, Every, Explanation, Policy, Rng, RoundReport, RoundRow, rigid};
use switchyard_engine::{Mistake, News, Phase, Plan, View};
use switchyard_placement::Strategy;
use switchyard_sia::configurations::Configuration;
use switchyard_sia::program::{Effort, Program, solve};
use switchyard_sia::rows::{NOTHING, Objective};

/// A cost that nobody chooses.
const NEVER: i64 = 1 << 30;

/// How it decides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// p.
    pub(super) power: f64,
    /// λ_n.
    pub(super) without: f64,
    /// Seconds of a round.
    pub(super) interval: f64,
    /// Seconds that a restart is expected to cost.
    pub(super) restart: f64,
    /// Seconds on new GPUs after which a job looks at what it has seen.
    pub(super) report: f64,
    /// The most branches that a search keeps.
    pub(super) branches: usize,
}

/// The policy, as it stands between rounds.
pub(super) struct Sia {
    settings: Settings,
    /// How gangs are laid; none: as jobs that adapt.
    placement: Option<Strategy>,
    kinds: Kinds,
    /// Those whom the program decides over, in order of submission.
    members: Vec<Member>,
    /// Gangs that go first, in order of submission: no kind of node has enough GPUs for them, or they need more than
    /// GPUs, which the program does not count.
    first: Vec<JobId>,
    fits: Fits,
    /// The columns of jobs that adapt, at the last round.
    adaptive: Vec<Configuration>,
    last: Option<Decided>,
}

impl Sia {
    pub(super) fn new(settings: Settings, placement: Option<Strategy>) -> Self {
        Self {
            settings,
            placement,
            kinds: Kinds::default(),
            members: Vec::new(),
            first: Vec::new(),
            fits: Fits::default(),
            adaptive: Vec::new(),
            last: None,
        }
    }

    fn follow(&mut self, view: &View<'_>) {
        for &news in view.news() {
            match news {
                News::Arrived(job) => {
                    let needs = view.needs(job);
                    let is_gang = view.training(job).is_none();
                    let most = self.kinds.most(|pool| needs.allows(pool));
                    if is_gang && (view.gpus(job) > most || explaining::needs_more_than_gpus(needs))
                    {
                        self.first.push(job);
                    } else {
                        self.members.push(Member::new(job, view.pools()));
                    }
                }
                News::Finished(job) => {
                    self.members.retain(|member| member.job != job);
                    self.first.retain(|&other| other != job);
                }
                _ => {}
            }
        }
    }

    /// The member of a job.
    fn member(&self, job: JobId) -> Option<usize> {
        let found = self.members.binary_search_by_key(&job, |member| member.job);
        found.ok()
    }

    /// Gives new jobs that adapt a free GPU each, until the next round.
    fn start_newcomers(&self, view: &View<'_>, plan: &mut Plan) {
        let mut free = view.free().per_node().to_vec();
        for member in &self.members {
            let job = member.job;
            let is_new = view.ledger().starts(job) == 0;
            let Some(training) = view.training(job).filter(|_| is_new) else {
                continue;
            };
            // Where fewest are free: whole nodes stay whole.
            let open = (0u32..).zip(&free).filter(|(_, gpus)| **gpus > 0);
            let Some((node, _)) = open.min_by_key(|&(node, &gpus)| (gpus, node)) else {
                return;
            };
            let parts = [Part::new(node, 1)];
            plan.train(
                job,
                &parts,
                member.batch(&training, view.pool_of(node), 1, 1),
            );
            plan.alarm(job, view.now() + self.settings.report);
            rigid::take(&mut free, &parts);
        }
    }

    /// Jobs that have been on new GPUs for a while look at what they have seen.
    fn report(&mut self, view: &View<'_>, plan: &mut Plan) {
        for &news in view.news() {
            let News::Alarm(job) = news else { continue };
            let Some(batch) = self.tune(view, job) else {
                continue;
            };
            plan.tune(job, batch);
            // One that still starts has seen nothing.
            if !view.has_moved(job) {
                plan.alarm(job, view.now() + self.settings.report);
            }
        }
    }

    /// Starts those who go first, as far as there is room, and takes all that they hold from what is free.
    fn start_first(&self, view: &View<'_>, free: &mut [u32], plan: &mut Plan) {
        let ledger = view.ledger();
        let mut room = view.idle_room();
        room.set_free(free);
        // Who is on a node that takes nobody keeps its cores and memory, too, on all of its nodes.
        for job in ledger.running().filter(|&job| view.is_on_closed_node(job)) {
            room.take_beside(job, ledger.parts(job), view.needs(job));
        }
        let runs = |job: &JobId| view.phase(*job) == Phase::Running;
        for &job in self.first.iter().filter(|job| runs(job)) {
            if !view.is_on_closed_node(job) {
                room.take(job, ledger.parts(job), view.needs(job));
            }
        }
        for &job in self.first.iter().filter(|job| !runs(job)) {
            let mut placement = Placement::default();
            let strategy = self.placement.unwrap_or_default();
            let gang = view.gang(job, strategy, DEFAULT_PACKLIMIT);
            if !room.place(strategy, gang, &mut placement) {
                break;
            }
            room.take(job, &placement.parts, view.needs(job));
            plan.place(job, &placement);
        }
        free.copy_from_slice(room.free().per_node());
    }

    /// A round.
    fn decide(&mut self, view: &View<'_>, plan: &mut Plan) {
        let ledger = view.ledger();
        for member in &mut self.members {
            member.observe(view, &mut self.fits);
        }
        // Who is on a node that takes nobody stays where it is.
        let mut free = view.free().node_sizes().to_vec();
        let pinned = ledger.running().filter(|&job| view.is_on_closed_node(job));
        for job in pinned {
            rigid::take(&mut free, ledger.parts(job));
        }
        self.start_first(view, &mut free, plan);

        let asked: Vec<usize> = (0..self.members.len())
            .filter(|&at| !view.is_on_closed_node(self.members[at].job))
            .collect();
        let adaptive = self.kinds.columns();
        if adaptive != self.adaptive {
            self.members.iter_mut().for_each(Member::forget_row);
            self.adaptive = adaptive;
        }
        let mut columns = self.adaptive.clone();
        for &at in &asked {
            let job = self.members[at].job;
            if view.training(job).is_none() {
                (self.kinds).add_columns_of_gang(&mut columns, view.gpus(job));
            }
        }
        let (program, rows) = self.program(view, columns, &asked, &free);
        let effort = Effort {
            branches: self.settings.branches,
            zero: libm::rint(self.settings.without * 100.0) as i64 * asked.len() as i64,
            ..Effort::default()
        };
        let solution = match solve(&program, &effort) {
            Ok(solution) => solution,
            Err(error) => return plan.fail(Mistake::nowhere(error.to_string())),
        };
        let parts = self.lay(view, &program, &asked, &solution.chosen, &free);
        let mut decided = Decided {
            report: RoundReport {
                at: view.now(),
                plots: Vec::new(),
                rows: Vec::with_capacity(asked.len()),
                choices: None,
            },
            grounds: Vec::with_capacity(asked.len()),
            distance: (solution.cost - solution.bound) as f64 / 100.0,
        };
        let mut choices = self.kinds.choices(&program.columns);
        for (row, ((&at, parts), (worth, grounds))) in asked.iter().zip(parts).zip(rows).enumerate()
        {
            let job = self.members[at].job;
            self.give(view, plan, at, &parts);
            let (former, chosen) = (program.former[row], solution.chosen[row]);
            let of = |column: Option<usize>| {
                let worth = column.and_then(|column| worth.get(column));
                f64::from(worth.copied().unwrap_or(0.0))
            };
            decided.report.rows.push(RoundRow {
                job,
                before: ledger.parts(job).to_vec(),
                after: parts,
                speedup_before: of(former),
                speedup: of(chosen),
            });
            let worth = worth
                .iter()
                .map(|&worth| (worth > NOTHING).then_some(worth));
            choices.rows.push(ChoiceRow {
                worth: worth.collect(),
                moving: grounds.moving.factor,
                former: former.map(|column| column as u32),
                chosen: chosen.map(|column| column as u32),
            });
            decided.grounds.push(grounds);
        }
        decided.report.choices = Some(choices);
        self.last = Some(decided);
    }

    /// What a round asks of the program; and of each job what columns are worth, and what that and a move hang on.
    fn program(
        &mut self,
        view: &View<'_>,
        columns: Vec<Configuration>,
        asked: &[usize],
        free: &[u32],
    ) -> (Program, Vec<(Vec<f32>, Grounds)>) {
        let objective = Objective {
            power: self.settings.power,
            without: if self.settings.power < 0.0 {
                self.settings.without
            } else {
                -self.settings.without
            },
        };
        let mut program = Program {
            columns,
            gpus: self.kinds.capacities(free),
            costs: Vec::with_capacity(asked.len()),
            kept: Vec::with_capacity(asked.len()),
            former: Vec::with_capacity(asked.len()),
        };
        let mut rows = Vec::with_capacity(asked.len());
        let mut kept = vec![0u32; program.gpus.len()];
        for &at in asked {
            let member = &mut self.members[at];
            let parts = view.ledger().parts(member.job);
            let kind = self.kinds.of(parts);
            let gpus = Part::gpus_of(parts);
            let is_former =
                |column: &Configuration| Some(column.kind) == kind && column.gpus == gpus;
            let former = program.columns.iter().position(is_former);
            let (goodputs, basis) =
                member.goodputs(view, &self.kinds, &self.adaptive, &program.columns);
            let moving = member.moving(view, self.settings.restart);
            let mut costs = objective.costs(&goodputs, former, moving.factor);
            for (cost, goodput) in costs.iter_mut().zip(&goodputs) {
                if *goodput <= NOTHING {
                    *cost = NEVER;
                }
            }
            // Who still restarts keeps what it has.
            let keeps = former.filter(|_| !view.has_moved(member.job));
            if let Some(kind) = kind.filter(|_| keeps.is_some()) {
                kept[kind] += gpus;
            }
            program.costs.push(costs);
            program.kept.push(keeps);
            program.former.push(former);
            rows.push((goodputs, Grounds { basis, moving }));
        }
        // Those who went first may have taken what others keep.
        if kept
            .iter()
            .zip(&program.gpus)
            .any(|(kept, gpus)| kept > gpus)
        {
            program.kept.fill(None);
        }
        (program, rows)
    }

    /// The GPUs of each job asked for, by what was chosen; none for those who wait.
    fn lay(
        &self,
        view: &View<'_>,
        program: &Program,
        asked: &[usize],
        chosen: &[Option<usize>],
        free: &[u32],
    ) -> Vec<Vec<Part>> {
        let ledger = view.ledger();
        let mut parts = vec![Vec::new(); asked.len()];
        for (kind, of) in self.kinds.types().iter().enumerate() {
            let mut rows: Vec<usize> = Vec::new();
            let mut wanted: Vec<Wanted<'_>> = Vec::new();
            for (row, column) in chosen.iter().enumerate() {
                let Some(column) = column.filter(|&at| program.columns[at].kind == kind) else {
                    continue;
                };
                let stays = program.former[row] == Some(column);
                let has = ledger.parts(self.members[asked[row]].job);
                rows.push(row);
                wanted.push(Wanted {
                    gpus: program.columns[column].gpus,
                    has: stays.then_some(has),
                });
            }
            // Where nodes of its type, but no others, have what is left.
            let as_told = |at: usize, left: &[u32]| {
                let strategy = self.placement?;
                let job = self.members[asked[rows[at]]].job;
                if view.training(job).is_some() {
                    return None;
                }
                let mut gang = view.gang(job, strategy, DEFAULT_PACKLIMIT);
                gang.needs = gang.needs.within(self.kinds.pool(kind));
                let mut room = view.idle_room();
                room.set_free(&self.kinds.only(kind, left));
                let mut placement = Placement::default();
                let fits = room.place(strategy, gang, &mut placement);
                fits.then_some(placement.parts)
            };
            let nodes = Nodes {
                open: self.kinds.open(kind),
                size: of.gpus_per_node,
            };
            let laid = lay(&wanted, &nodes, free, as_told);
            for (row, laid) in rows.into_iter().zip(laid) {
                parts[row] = laid;
            }
        }
        parts
    }

    /// Gives a job these GPUs, or takes those that it has.
    fn give(&self, view: &View<'_>, plan: &mut Plan, at: usize, parts: &[Part]) {
        let member = &self.members[at];
        let job = member.job;
        let before = view.ledger().parts(job);
        let Some(first) = parts.first() else {
            if !before.is_empty() {
                plan.preempt(job);
            }
            return;
        };
        match view.training(job) {
            Some(training) => {
                let pool = view.pool_of(first.node);
                let gpus = Part::gpus_of(parts);
                let batch = member.batch(&training, pool, parts.len() as u32, gpus);
                if parts != before {
                    plan.train(job, parts, batch);
                    plan.alarm(job, view.now() + self.settings.report);
                } else if batch != training.configuration() {
                    plan.tune(job, batch);
                }
            }
            None if parts != before => {
                let parts = parts.to_vec();
                plan.place(job, &Placement { parts });
            }
            None => {}
        }
    }
}

impl Policy for Sia {
    fn cadence(&self) -> Cadence {
        Cadence {
            on_change: true,
            every: Some(Every {
                seconds: self.settings.interval,
                parameter: "interval",
                while_all_run: true,
            }),
        }
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        self.kinds.see(view);
        self.follow(view);
        if view.is_round() {
            self.decide(view, plan);
        } else {
            self.report(view, plan);
            if (view.news().iter()).any(|news| matches!(news, News::Arrived(_))) {
                self.start_newcomers(view, plan);
            }
        }
    }

    fn tune(&mut self, view: &View<'_>, job: JobId) -> Option<LocalBatch> {
        let at = self.member(job)?;
        let training = view.training(job)?;
        let member = self.members.get_mut(at)?;
        member.observe(view, &mut self.fits);
        let parts = view.ledger().parts(job);
        let pool = view.pool_of(parts.first()?.node);
        let gpus = Part::gpus_of(parts);
        Some(member.batch(&training, pool, parts.len() as u32, gpus))
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let member = self.member(job).map(|at| &self.members[at]);
        explaining::explain(self.last.as_ref(), view, job, member)
    }

    fn round(&self) -> Option<RoundReport> {
        Some(self.last.as_ref()?.report.clone())
    }
}
