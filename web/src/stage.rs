//! What the canvases read: the runs' logs, the shared clock, and the page's state as it was shown last.
//!
//! The stage lives outside the virtual DOM, in one `Rc<RefCell<Stage>>`. Workers' messages and
//! pointer events write to it; one animation loop reads it and paints ([`crate::draw`]).

use crate::absent_nodes::AbsentNodes;
use crate::bands::Bands;
use crate::draw::moments::Moments;
use crate::draw::ranks::Ranks;
use crate::followed::{Followed, pace};
use crate::links::Links;
use crate::log_room::Part;
use crate::named::{Name, Named};
use crate::quotas::Quotas;
use crate::selected_jobs::JobSelection;
use crate::state::link::Link;
use crate::state::{AppState, Phase, Run};
use crate::time_axis::{AxisRequest, TimeAxis, Window};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::cell::{OnceCell, Ref, RefCell, RefMut};
use std::ops::Deref;
use std::rc::Rc;
use switchyard::Time;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::{Attained, Held, Measure, Moment, RunLog, TimeIndex};
use switchyard::explain::PlacingStep;
use switchyard::job::JobId;
use switchyard::workload::Workload;

/// For so many jobs at most a log has room from its beginning.
const MOST_RESERVED: usize = 2_000_000;

/// A job's segments. Most jobs have one or two, which lie in the list itself: of a million jobs that saves as many
/// pieces of memory.
pub type Stays = SmallVec<[u32; 2]>;

/// The stage as everyone holds it; equal if it is the same stage.
#[derive(Clone, Default)]
pub struct SharedStage(Rc<RefCell<Stage>>);

impl SharedStage {
    /// Looks at the stage.
    pub fn read(&self) -> Ref<'_, Stage> {
        self.0.borrow()
    }

    /// Changes the stage. Hold it briefly: nobody may look meanwhile.
    pub fn write(&self) -> RefMut<'_, Stage> {
        self.0.borrow_mut()
    }
}

impl PartialEq for SharedStage {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// Everything the canvases show.
pub struct Stage {
    /// The jobs of the opened trace.
    pub workload: Rc<Workload>,
    /// Which models and tenants have hues of their own.
    pub ranks: Ranks,
    /// The cluster of the runs on stage.
    pub cluster: ClusterSpec,
    /// One per scheduler, in the order of the page's list.
    pub runs: Vec<StageRun>,
    /// Where all runs are looked at.
    pub clock: Clock,
    /// Which part of time all views over time show.
    pub axis: TimeAxis,
    /// The page's state: what is chosen, followed and coloured is read there.
    pub state: Rc<AppState>,
    /// The jobs that are selected.
    pub selection: JobSelection,
    /// The node that was looked for last.
    pub node: Option<u32>,
    /// The job that the embedding article points at.
    pub highlighted: Option<JobId>,
    /// The job under the pointer in any view.
    pub hovered: Option<JobId>,
    /// What else is pointed at by its name, and by job whether it belongs to it if that is a queue of a tree.
    pub(crate) named: Option<(Named, Vec<bool>)>,
    /// Whether a drag over time selects a range, as with Shift: for people without a Shift key.
    pub ranging: bool,
    /// Whether colours are for a dark page.
    pub dark: bool,
    /// Whether the person asked for less motion.
    pub reduced_motion: bool,
    /// Counts changes: a canvas that has painted this revision need not paint again.
    pub revision: u64,
    /// Whether the next frame paints all that has changed, however long that takes: somebody makes a picture of it.
    pub paints_all: bool,
}

/// The log of a run as far as it has come, and where the clock stands in it. What else there is to know of the run
/// is its one record.
pub struct StageRun {
    /// The run, as the state had it last.
    pub record: Rc<Run>,
    /// What has been received of its log.
    pub log: RunLog,
    /// The log by time.
    pub index: TimeIndex,
    /// What runs and waits at the clock's time.
    pub moment: Moment,
    /// Which nodes are not there at the clock's time.
    pub absent_nodes: AbsentNodes,
    /// What happens to the job that is followed.
    pub followed: Followed,
    /// The load of links at the clock's time, where jobs contend for them.
    pub links: Option<Links>,
    /// Where on shared GPUs their jobs are shown.
    pub bands: Bands,
    /// What a placer that learned decided of the chosen job, and for which time.
    pub placing: Option<(Time, PlacingStep)>,
    /// Each job's segments, in order of start.
    pub segments_of: Vec<Stays>,
    /// What turns segments into attained service.
    attained: Attained,
    /// The most jobs that wait at once.
    pub most_waiting: u32,
    /// Who has which part of its tree of queues, once somebody has asked.
    quotas: OnceCell<Quotas>,
}

impl Deref for StageRun {
    type Target = Run;

    fn deref(&self) -> &Run {
        &self.record
    }
}

/// The time shown, and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// The time shown, seconds since the trace's start.
    pub now: f64,
    /// The last moment any run has reached.
    pub end: f64,
    /// Whether time moves by itself.
    pub playing: bool,
    /// Simulated seconds per real second.
    pub speed: f64,
}

impl Default for Stage {
    fn default() -> Self {
        Self {
            workload: Rc::new(Workload::default()),
            ranks: Ranks::default(),
            cluster: ClusterSpec::uniform(1, 1)
                .unwrap_or_else(|_| unreachable!("1x1 is a cluster")),
            runs: Vec::new(),
            clock: Clock {
                now: 0.0,
                end: 0.0,
                playing: false,
                speed: 3600.0,
            },
            axis: TimeAxis::default(),
            state: Rc::new(AppState::from_link(&Link::default())),
            selection: JobSelection::default(),
            node: None,
            highlighted: None,
            hovered: None,
            named: None,
            ranging: false,
            dark: false,
            reduced_motion: false,
            revision: 0,
            paints_all: false,
        }
    }
}

impl Stage {
    /// Says that something to be seen has changed.
    pub fn touch(&mut self) {
        self.revision += 1;
    }

    /// How much time there is to see: a run still under way will get at least as far as the last
    /// submission.
    pub fn whole(&self) -> f64 {
        let last = self.workload.jobs.last();
        let last = last.map_or(0.0, |job| job.submit.seconds());
        self.clock.end.max(last).max(1.0)
    }

    /// The window onto time that all views over time show.
    pub fn window(&self) -> Window {
        self.axis.window(self.whole())
    }

    /// Has all views show another part of time, or select one.
    pub fn look(&mut self, look: AxisRequest) {
        self.axis.look(look, self.whole());
        self.touch();
    }

    /// The most jobs that wait at once in any run: what all scales of the queue go up to.
    pub fn most_waiting(&self) -> f64 {
        let most = self.runs.iter().map(|run| run.most_waiting).max();
        f64::from(most.unwrap_or(0)).max(1.0)
    }

    /// Shows this state. A run that waits again is not shown: its log is of settings that are not its own.
    pub fn show(&mut self, state: &Rc<AppState>) {
        if Rc::ptr_eq(&self.state, state) {
            return;
        }
        let before = std::mem::replace(&mut self.state, state.clone());
        let runs = self.runs.len();
        self.runs.retain(|run| {
            let record = state.run(run.id);
            record.is_some_and(|record| record.phase != Phase::Waiting)
        });
        let mut is_new = self.runs.len() != runs
            || before.view != state.view
            || before.selection != state.selection;
        for run in &mut self.runs {
            let record = state.runs.list.iter().find(|of| of.id == run.id);
            if let Some(record) = record.filter(|record| !Rc::ptr_eq(record, &run.record)) {
                run.record = record.clone();
                is_new = true;
            }
        }
        if is_new {
            self.touch();
        }
    }

    /// The chosen job.
    pub fn selected(&self) -> Option<JobId> {
        self.state.selection.job
    }

    /// The job that is followed through time.
    pub fn followed(&self) -> Option<JobId> {
        self.state.selection.followed
    }

    /// How moments read.
    pub fn moments(&self) -> &Moments {
        &self.state.view.moments
    }

    /// The job that all others stand back from: the one that is followed, else the one that is pointed
    /// at, else the chosen one.
    pub fn marked(&self) -> Option<JobId> {
        self.followed().or(self.highlighted).or(self.selected())
    }

    /// Simulated seconds per real second at the clock's time: its speed, or what lets one follow a job.
    pub(crate) fn pace(&self) -> f64 {
        let Clock { now, speed, .. } = self.clock;
        if self.followed().is_none() {
            return speed;
        }
        let (mut since, mut until) = (None::<f64>, None::<f64>);
        for event in self.runs.iter().flat_map(|run| run.followed.events()) {
            let apart = event.time.seconds() - now;
            let nearest = if apart > 0.0 { &mut until } else { &mut since };
            *nearest = Some(nearest.map_or(apart.abs(), |best| best.min(apart.abs())));
        }
        pace(speed, since, until)
    }

    /// What a name stands for, and by job whether it belongs to that queue; empty where it is no queue of a tree.
    pub(crate) fn find_named(&self, name: &Name) -> Option<(Named, Vec<bool>)> {
        let plain = |named| Some((named, Vec::new()));
        match *name {
            Name::Nodes(first, last) => plain(Named::Nodes(first, last)),
            Name::Tenant(tenant) => plain(Named::Tenant(tenant)),
            Name::Level(_, level) => plain(Named::Level(level)),
            Name::Queue(run, ref name) => {
                let spec = self.state.run_spec(self.run(run)?);
                let (tree, leaf_of) = spec.leaves(&self.workload);
                let queue = tree.find(name)?;
                let is_in = leaf_of
                    .iter()
                    .map(|&leaf| tree.path(leaf).any(|of| of == queue));
                Some((Named::Queue(run, queue), is_in.collect()))
            }
        }
    }

    /// What is pointed at by its name.
    pub(crate) fn named(&self) -> Option<Named> {
        self.named.as_ref().map(|(named, _)| *named)
    }

    /// Whether a node is pointed at by its name.
    pub(crate) fn names_node(&self, node: u32) -> bool {
        matches!(self.named(), Some(Named::Nodes(first, last)) if (first..=last).contains(&node))
    }

    /// Whether a job belongs to what is pointed at by its name; `None` where jobs do not belong to that.
    pub(crate) fn is_named(&self, job: JobId, run: &StageRun) -> Option<bool> {
        let (named, is_in) = self.named.as_ref()?;
        match *named {
            Named::Nodes(..) => None,
            Named::Tenant(tenant) => {
                let job = self.workload.jobs.get(job.index());
                Some(job.and_then(|job| job.tenant) == Some(tenant))
            }
            Named::Level(level) => Some(run.moment.level(job) == level),
            Named::Queue(..) => Some(is_in.get(job.index()) == Some(&true)),
        }
    }

    /// A job's name; its number where there is no such job.
    pub fn job_name(&self, job: JobId) -> Cow<'_, str> {
        let known = self.workload.jobs.get(job.index());
        known.map_or_else(|| job.0.to_string().into(), |job| (&*job.name).into())
    }

    /// The run with this id.
    pub fn run(&self, id: u32) -> Option<&StageRun> {
        self.runs.iter().find(|run| run.id == id)
    }

    /// Who has which part of a run's tree of queues, once the run is over.
    pub fn quotas<'a>(&self, run: &'a StageRun) -> Option<&'a Quotas> {
        let made = || Quotas::of(&self.state.run_spec(run), &self.workload, &run.log);
        (!run.is_under_way()).then(|| run.quotas.get_or_init(made))
    }

    /// The run with this id, to be changed.
    pub fn run_mut(&mut self, id: u32) -> Option<&mut StageRun> {
        self.runs.iter_mut().find(|run| run.id == id)
    }

    /// What a log takes if each of the jobs runs once, bytes: samples are a third of what it takes at least.
    pub(crate) fn log_once(&self) -> u64 {
        RunLog::least_bytes(self.workload.jobs.len() as u64) / 3 * 4
    }

    /// Takes in a piece of a run's log, which `append` adds to it.
    ///
    /// # Errors
    ///
    /// The piece cannot be read. The log is then of no use.
    pub fn receive<E>(
        &mut self,
        id: u32,
        append: impl FnOnce(&mut RunLog) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(run) = self.run_mut(id) {
            run.receive(append)?;
            self.clock.end = self.runs.iter().map(StageRun::reached).fold(0.0, f64::max);
            self.touch();
        }
        Ok(())
    }

    /// Moves every run's [`Moment`] to the clock's time.
    pub fn seek(&mut self) {
        let (now, followed) = (Time(self.clock.now), self.followed());
        for run in &mut self.runs {
            run.moment.seek(&run.log, &run.index, now);
            run.absent_nodes.seek(&run.log, now);
            run.followed.seek(followed, &run.log, &self.workload.jobs);
            if let Some(links) = &mut run.links {
                links.seek(&run.log, &run.moment, &self.workload);
            }
        }
    }

    /// The times of the events next to the clock's, before and after, over all runs.
    pub fn neighbouring_events(&self) -> (Option<f64>, Option<f64>) {
        let now = self.clock.now;
        let mut before: Option<f64> = None;
        let mut after: Option<f64> = None;
        for times in self.runs.iter().map(|run| run.log.event_times()) {
            let first_at = times.partition_point(|&at| at < now);
            if let Some(&at) = first_at.checked_sub(1).and_then(|i| times.get(i)) {
                before = Some(before.map_or(at, |best| best.max(at)));
            }
            let first_after = times.partition_point(|&at| at <= now);
            if let Some(&at) = times.get(first_after) {
                after = Some(after.map_or(at, |best| best.min(at)));
            }
        }
        (before, after)
    }
}

impl StageRun {
    /// A run of which nothing is known yet.
    pub fn new(record: Rc<Run>, jobs: usize) -> Self {
        Self {
            record,
            log: RunLog::default(),
            index: TimeIndex::default(),
            moment: Moment::default(),
            absent_nodes: AbsentNodes::default(),
            followed: Followed::default(),
            links: None,
            bands: Bands::default(),
            placing: None,
            segments_of: vec![Stays::new(); jobs],
            attained: Attained::default(),
            most_waiting: 0,
            quotas: OnceCell::new(),
        }
    }

    /// Where a waiting job stands: the highest queue first, the longest wait first in each.
    pub(crate) fn place_in_line(&self, job: JobId) -> f64 {
        /// Larger than any time of a trace.
        const A_QUEUE: f64 = 1e12;
        f64::from(self.moment.level(job)) * A_QUEUE + self.moment.since(job).seconds()
    }

    /// The nodes of whose cores a segment without GPUs has some.
    pub(crate) fn nodes_of_cores(&self, segment: u32) -> Vec<u32> {
        let parts = self.log.cores(segment as usize);
        parts.map(|part| part.node).collect()
    }

    /// The first waiting job.
    pub(crate) fn first_in_line(&self) -> Option<JobId> {
        let waiting = self.moment.waiting().iter().copied();
        let place = |&job: &JobId| self.place_in_line(job);
        waiting.min_by(|a, b| place(a).total_cmp(&place(b)).then(a.cmp(b)))
    }

    /// Starts after a job's first one, until the clock's time.
    pub(crate) fn restarts(&self, now: f64) -> usize {
        let begun = |at: usize| self.log.segment(at).start.seconds() <= now;
        let (mut low, mut high) = (0, self.log.segments());
        while low < high {
            let middle = (low + high) / 2;
            if begun(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let has_run = |job: &&JobId| {
            self.segments(**job)
                .first()
                .is_some_and(|&i| begun(i as usize))
        };
        let waiting = self.moment.waiting().iter().filter(has_run).count();
        let started = self.moment.finished() as usize + self.moment.running().len() + waiting;
        low.saturating_sub(started)
    }

    /// Its part of the memory that there is for logs.
    pub(crate) fn part(&self) -> Part {
        Part {
            bytes: self.log.bytes(),
            is_under_way: self.is_under_way(),
        }
    }

    /// Whether more of the log may come.
    pub fn is_under_way(&self) -> bool {
        !self.phase.is_over()
    }

    /// The last moment the log knows.
    pub fn reached(&self) -> f64 {
        self.log.event_times().last().copied().unwrap_or(0.0)
    }

    /// A job's segments, in order of start.
    pub fn segments(&self, job: JobId) -> &[u32] {
        self.segments_of.get(job.index()).map_or(&[], |of| of)
    }

    /// A job's stays on GPUs until `now`.
    pub fn held(&self, job: JobId, now: f64) -> Held {
        self.attained.held(&self.log, self.segments(job), Time(now))
    }

    /// What counts for a job's place in the policy's queues: attained since it was last promoted.
    pub fn attained_in_queue(&self, job: JobId, now: f64, measure: Measure) -> f64 {
        self.attained
            .since_promotion(&self.log, self.segments(job), Time(now), measure)
    }

    /// Takes in a piece of the log, which `append` adds to it.
    fn receive<E>(&mut self, append: impl FnOnce(&mut RunLog) -> Result<(), E>) -> Result<(), E> {
        let known = self.log.segments();
        let samples = self.log.sample_waiting().len();
        if self.log.events() == 0 {
            self.log.reserve(self.segments_of.len().min(MOST_RESERVED));
        }
        append(&mut self.log)?;
        let new = &self.log.sample_waiting()[samples..];
        self.most_waiting = new.iter().copied().fold(self.most_waiting, u32::max);
        for segment in known..self.log.segments() {
            let job = self.log.segment(segment).job;
            self.bands.add(&self.log, segment);
            let segments = &mut self.segments_of[job.index()];
            self.attained
                .add_segment(&self.log, segments.last().copied());
            segments.push(segment as u32);
        }
        self.attained.note_promotions(&self.log, &self.segments_of);
        self.index.extend(&self.log);
        Ok(())
    }
}

#[cfg(test)]
impl StageRun {
    /// Takes in what a log has beyond the run's own.
    pub(crate) fn follow(&mut self, log: &RunLog) {
        let append = |own: &mut RunLog| {
            own.append(&log.since(own.rows()));
            Ok::<(), std::convert::Infallible>(())
        };
        let Ok(()) = self.receive(append);
    }

    /// A run of this policy in this phase, of which nothing is known yet.
    pub(crate) fn of(policy: &str, phase: Phase, jobs: usize) -> Self {
        let mut record = Run::new(0, policy.parse().expect("a policy"));
        record.phase = phase;
        Self::new(record.into(), jobs)
    }

    /// A run of a sample's jobs on its cluster under a policy.
    pub(crate) fn spec_of(
        sample: &switchyard::workload::Sample,
        policy: &str,
    ) -> switchyard::RunSpec {
        switchyard::RunSpec::new(policy.parse().expect("a policy"), sample.cluster_spec())
    }

    /// A sample's jobs on its cluster under a policy, to their end.
    pub(crate) fn finished_of(sample: &switchyard::workload::Sample, policy: &str) -> Self {
        use crate::state::Finished;
        use switchyard::report::{Outcomes, Summary};

        let workload = std::sync::Arc::new(sample.workload());
        let spec = Self::spec_of(sample, policy);
        let mut simulation = spec.start(workload.clone());
        simulation.run().expect("plans are right");
        let log = simulation.log();
        let finished = Finished {
            outcomes: Outcomes::of(&workload, &spec.cluster, log),
            summary: Summary::of(&workload, &spec.cluster, log),
            log_hash: log.hash(),
            wall_ms: None,
            is_native: false,
            decisions: None,
        };
        let phase = Phase::Finished(finished.into());
        let mut run = Self::of(policy, phase, workload.jobs.len());
        run.follow(log);
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::RunSpec;
    use switchyard::engine::{EventKind, SimOptions};
    use switchyard::job::Job;

    /// A job of 2 GPUs that sinks at 40 GPU·s, waits for later ones, and is promoted. `pieces`: the
    /// log arrives event by event, not all at once.
    fn run_in(pieces: bool) -> StageRun {
        let job = |submit: f64, duration: f64| Job::plain(submit, 2, duration);
        let jobs = vec![
            job(0.0, 100.0),
            job(20.0, 18.0),
            job(38.0, 18.0),
            job(56.0, 18.0),
        ];
        let spec = RunSpec {
            options: SimOptions {
                restart_cost: 5.0,
                ..SimOptions::default()
            },
            ..RunSpec::new(
                "tiresias-las[thresholds=40,knob=1]"
                    .parse()
                    .expect("a policy"),
                ClusterSpec::uniform(1, 2).expect("a cluster"),
            )
        };
        let workload = Workload {
            jobs,
            ..Workload::default()
        };
        let mut run = StageRun::of("fifo", Phase::Waiting, workload.jobs.len());
        let mut simulation = spec.start(workload.into());
        loop {
            let more = simulation.step().expect("plans are right");
            if pieces || !more {
                run.follow(simulation.log());
            }
            if !more {
                return run;
            }
        }
    }

    fn run() -> StageRun {
        run_in(true)
    }

    #[test]
    fn it_does_not_matter_in_which_pieces_the_log_comes() {
        let (pieces, whole) = (run_in(true), run_in(false));
        let end = pieces.reached();
        for job in (0..4).map(JobId) {
            for now in (0..60).map(|i| end * f64::from(i) / 59.0) {
                let (a, b) = (
                    pieces.attained_in_queue(job, now, Measure::Service),
                    whole.attained_in_queue(job, now, Measure::Service),
                );
                assert_eq!(a, b, "{job:?} at {now}");
                assert!(a >= 0.0 && a <= pieces.held(job, now).service());
            }
        }
    }

    #[test]
    fn service_is_gpus_times_time_held_and_counts_anew_after_a_promotion() {
        let run = run();
        let promoted = (0..run.log.events())
            .map(|i| run.log.event(i))
            .find(|event| event.kind == EventKind::Promote)
            .expect("it waits for longer than it has run");
        assert_eq!(promoted.job, JobId(0));
        let at = promoted.time.seconds();
        assert_eq!(run.held(JobId(0), 10.0).service(), 20.0);
        assert_eq!(run.held(JobId(0), 20.0).service(), 40.0);
        assert_eq!(run.held(JobId(0), 30.0).service(), 40.0);
        assert_eq!(
            run.attained_in_queue(JobId(0), at - 1.0, Measure::Service),
            40.0
        );
        assert_eq!(run.attained_in_queue(JobId(0), at, Measure::Service), 0.0);
        // Everything it held in the end, 5 s of restarting each time included.
        let end = run.reached();
        let held: f64 = run.segments_of[0]
            .iter()
            .map(|&i| run.log.segment(i as usize))
            .map(|segment| 2.0 * (segment.end.seconds() - segment.start.seconds()))
            .sum();
        assert_eq!(run.held(JobId(0), end).service(), held);
        assert!(held > 200.0);
        let seconds = run.held(JobId(0), end).seconds();
        assert_eq!(2.0 * seconds, held);
        let since = run.attained_in_queue(JobId(0), end, Measure::Time);
        assert_eq!(since, seconds - run.held(JobId(0), at).seconds());
        assert_eq!(
            run.attained_in_queue(JobId(0), end, Measure::Service),
            held - run.held(JobId(0), at).service()
        );
    }

    #[test]
    fn before_it_is_submitted_a_job_has_nothing() {
        assert_eq!(
            run().attained_in_queue(JobId(3), 10.0, Measure::Service),
            0.0
        );
        assert_eq!(run().held(JobId(77), 10.0).service(), 0.0);
    }
}
