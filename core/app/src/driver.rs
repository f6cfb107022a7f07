//! How a run is driven: [`Driver`] takes the steps of a run that a [`Budget`] allows, says how far the run is
//! ([`RunProgress`]), hands on its log piece by piece, and stops when somebody [cancels](Cancel) the run. All front
//! ends use it. The log depends on the run alone, never on the budgets.
//!
//! Nothing here knows a clock: whoever has one says when time is up. Runs that would never end are ended by the
//! engine, with an error; the log stays whole up to there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use switchyard::engine::{LogBudget, LogPiece, LogRows, RunError, RunLog, Simulation};
use switchyard::explain::{Life, Slowness};
use switchyard::job::JobId;
use switchyard::report::{GroupLives, Lives};
use switchyard::weights::Weights;
use switchyard::workload::Workload;
use switchyard::{RunSpec, RunSpecError, Time};

/// Steps between two looks at the clock, which cost more than a short step.
const STEPS_PER_LOOK: u64 = 64;

/// A run, taken on bit by bit.
pub struct Driver {
    simulation: Simulation,
    workload: Arc<Workload>,
    steps: u64,
    /// What of the log has been handed on.
    handed_on: LogRows,
    cancel: Cancel,
    is_over: bool,
    /// The job whose speed is noted after each step.
    noted: Option<(JobId, Slowness)>,
    /// The job whose life is noted after each step.
    followed: Option<(JobId, Life)>,
    /// What all jobs spend their lives on, where that is noted.
    lives: Option<Lives>,
}

/// How far a run goes before whoever drives it does something else.
pub struct Budget<'a> {
    steps: u64,
    until: Time,
    is_time_up: Option<Box<dyn FnMut() -> bool + 'a>>,
}

/// What has come of a budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// The budget is spent, and there is more to do.
    Progress(RunProgress),
    /// The run is over, or has reached the moment that was asked for.
    Done(RunProgress),
    /// Somebody has cancelled the run.
    Cancelled,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunProgress {
    /// The moment that it has reached.
    pub now: Time,
    /// Jobs that have been submitted by then.
    pub submitted: u32,
    /// Jobs that are finished or rejected.
    pub done: u32,
    /// All jobs.
    pub jobs: u32,
    /// Steps of the engine.
    pub steps: u64,
    /// What the log takes in memory.
    pub log_bytes: u64,
}

/// Ends a run from elsewhere. Its copies are one and the same.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Ends all runs that listen to it, before their next step.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has ended them.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl<'a> Budget<'a> {
    /// To the end of the run.
    pub fn unlimited() -> Self {
        Self {
            steps: u64::MAX,
            until: Time::NEVER,
            is_time_up: None,
        }
    }

    /// So many steps.
    pub fn of_steps(steps: u64) -> Self {
        Self {
            steps,
            ..Self::unlimited()
        }
    }

    /// Up to and including a moment of the run.
    pub fn until(until: Time) -> Self {
        Self {
            until,
            ..Self::unlimited()
        }
    }

    /// And no longer than until this says that time is up. It is asked every few steps, the first time after some,
    /// so that every budget gets a run a little further.
    pub fn or_time_is_up(self, is_time_up: impl FnMut() -> bool + 'a) -> Self {
        Self {
            is_time_up: Some(Box::new(is_time_up)),
            ..self
        }
    }
}

impl RunProgress {
    /// How much of the run is done, from 0 to 1: jobs that have come, and jobs that have ended.
    pub fn share(&self) -> f64 {
        let ended = f64::from(self.submitted) + f64::from(self.done);
        ended / (2.0 * f64::from(self.jobs).max(1.0))
    }
}

impl Driver {
    /// Of a run of these jobs that has not begun.
    pub fn new(simulation: Simulation, workload: Arc<Workload>) -> Self {
        Self {
            simulation,
            workload,
            steps: 0,
            handed_on: LogRows::default(),
            cancel: Cancel::default(),
            is_over: false,
            noted: None,
            followed: None,
            lives: None,
        }
    }

    /// Of the run that these settings make of these jobs, by weights where it goes by any.
    ///
    /// # Errors
    ///
    /// Something that it asks for is not at hand.
    pub fn start(
        spec: &RunSpec,
        workload: &Arc<Workload>,
        weights: &Weights,
    ) -> Result<Self, RunSpecError> {
        let simulation = spec.start_with(Arc::clone(workload), weights)?;
        Ok(Self::new(simulation, Arc::clone(workload)))
    }

    /// The same, ended by this.
    pub fn cancelled_by(self, cancel: Cancel) -> Self {
        Self { cancel, ..self }
    }

    /// The same, noting how fast a job runs; with the job it is over.
    pub fn noting_speed_of(self, job: JobId) -> Self {
        Self {
            noted: Some((job, Slowness::default())),
            ..self
        }
    }

    /// The same, noting what a job's life is spent on, and how fast it runs; with the job it is over.
    pub fn noting_life_of(self, job: JobId) -> Self {
        Self {
            followed: Some((job, Life::default())),
            ..self.noting_speed_of(job)
        }
    }

    /// The same, noting what all jobs spend their lives on.
    pub fn noting_lives(self, lives: Lives) -> Self {
        Self {
            lives: Some(lives),
            ..self
        }
    }

    /// Whether there is nothing more to do.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Takes the run on for as long as the budget says.
    ///
    /// # Errors
    ///
    /// The engine refuses a plan, or the run gets nowhere or writes more than it may. The run is over then.
    pub fn step_for(&mut self, mut budget: Budget<'_>) -> Result<Step, RunError> {
        // Decisions of a network take long enough each.
        let steps_per_look = match self.simulation.decisions() {
            Some(_) => 1,
            None => STEPS_PER_LOOK,
        };
        for taken in 1..=budget.steps {
            if self.cancel.is_cancelled() {
                return Ok(Step::Cancelled);
            }
            let is_reached =
                budget.until < Time::NEVER && self.simulation.next_time() > budget.until;
            if is_reached || self.is_over || !self.step()? {
                return Ok(Step::Done(self.progress()));
            }
            if taken.is_multiple_of(steps_per_look)
                && let Some(is_time_up) = &mut budget.is_time_up
                && is_time_up()
            {
                break;
            }
        }
        Ok(Step::Progress(self.progress()))
    }

    /// Takes one step. `false`: there was nothing left to do.
    fn step(&mut self) -> Result<bool, RunError> {
        let stepped = self.simulation.step();
        let goes_on = matches!(stepped, Ok(true));
        self.steps += u64::from(goes_on);
        self.is_over = !goes_on;
        if let Some((job, slowness)) = &mut self.noted {
            match goes_on {
                true => self.is_over = !self.simulation.note_speed(*job, slowness),
                false => slowness.close(self.simulation.progress().now),
            }
        }
        if let Some((job, life)) = &mut self.followed {
            match goes_on {
                true => self.is_over |= !self.simulation.note_life(*job, life),
                false => life.close(self.simulation.progress().now),
            }
        }
        if let Some(lives) = self.lives.as_mut().filter(|_| goes_on) {
            lives.note(&self.simulation, &self.workload);
        }
        stepped.map(|_| !self.is_over)
    }

    /// How far the run is.
    pub fn progress(&self) -> RunProgress {
        let reached = self.simulation.progress();
        let jobs = &self.workload.jobs;
        RunProgress {
            now: reached.now,
            submitted: jobs.partition_point(|job| job.submit <= reached.now) as u32,
            done: reached.done,
            jobs: reached.jobs,
            steps: self.steps,
            log_bytes: self.log().bytes(),
        }
    }

    /// What has happened so far.
    pub fn log(&self) -> &RunLog {
        self.simulation.log()
    }

    /// What has been written into the log since it was last handed on.
    pub fn take_log_piece(&mut self) -> LogPiece<'_> {
        let log = self.simulation.log();
        let before = std::mem::replace(&mut self.handed_on, log.rows());
        log.since(before)
    }

    /// Makes room for the log that its jobs come to at least.
    pub fn reserve_log(&mut self) {
        self.simulation.reserve_log();
    }

    /// Lets the log become longer or less long from now on.
    pub fn set_log_budget(&mut self, budget: LogBudget) {
        self.simulation.set_log_budget(budget);
    }

    /// The run where it is, to be looked at.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The log so far, by value.
    pub fn into_log(self) -> RunLog {
        self.simulation.into_log()
    }

    /// What was noted of a job's speed so far; nothing where nobody asked for that.
    pub fn take_slowness(&mut self) -> Slowness {
        let noted = self.noted.as_mut();
        noted.map_or_else(Slowness::default, |(_, slowness)| std::mem::take(slowness))
    }

    /// What was noted of a job's life so far; nothing where nobody asked for that.
    pub fn take_life(&mut self) -> Life {
        let followed = self.followed.as_mut();
        followed.map_or_else(Life::default, |(_, life)| std::mem::take(life))
    }

    /// What all jobs spent their lives on; nothing where nobody asked for that. No more is noted.
    pub fn take_lives(&mut self) -> Vec<GroupLives> {
        let (now, log) = (self.simulation.progress().now, self.simulation.log());
        let lives = self.lives.take();
        lives.map_or_else(Vec::new, |lives| lives.close(&self.workload, log, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use switchyard::workload::Sample;

    fn spec(policy: &str) -> (RunSpec, Arc<Workload>) {
        let sample = Sample::named("lab").expect("a sample");
        let spec = RunSpec::new(policy.parse().expect("a policy"), sample.cluster_spec());
        (spec, Arc::new(sample.workload()))
    }

    fn driver(policy: &str) -> Driver {
        let (spec, workload) = spec(policy);
        Driver::start(&spec, &workload, &Weights::default()).expect("all is at hand")
    }

    /// Drives to the end; all that was said of progress.
    fn drive<'a>(driver: &mut Driver, budget: impl Fn() -> Budget<'a>) -> Vec<RunProgress> {
        let mut said = vec![driver.progress()];
        loop {
            match driver.step_for(budget()).expect("it runs") {
                Step::Progress(progress) => said.push(progress),
                Step::Done(progress) => {
                    said.push(progress);
                    return said;
                }
                Step::Cancelled => panic!("nobody has cancelled it"),
            }
        }
    }

    #[test]
    fn the_log_is_the_same_whatever_the_budget() {
        for policy in ["fifo", "tiresias-las", "gandiva"] {
            let (spec, workload) = spec(policy);
            let mut at_once = spec.start(workload);
            at_once.run().expect("it runs");
            let hash = at_once.log().hash();
            let budgets: [&dyn Fn() -> Budget<'static>; 5] = [
                &Budget::unlimited,
                &|| Budget::of_steps(1),
                &|| Budget::of_steps(7),
                &|| Budget::unlimited().or_time_is_up(|| true),
                &|| Budget::of_steps(1000).or_time_is_up(|| false),
            ];
            for budget in budgets {
                let mut driver = driver(policy);
                drive(&mut driver, budget);
                assert!(driver.is_over);
                assert_eq!(driver.into_log().hash(), hash, "{policy}");
            }
        }
    }

    #[test]
    fn progress_never_goes_back_and_ends_at_all_jobs() {
        let mut driver = driver("tiresias-las");
        let said = drive(&mut driver, || Budget::of_steps(3));
        let of = |progress: &RunProgress| {
            let RunProgress {
                now,
                submitted,
                done,
                steps,
                log_bytes,
                ..
            } = *progress;
            [
                now.seconds().max(0.0),
                submitted.into(),
                done.into(),
                steps as f64,
                log_bytes as f64,
                progress.share(),
            ]
        };
        for pair in said.windows(2) {
            let (before, after) = (of(&pair[0]), of(&pair[1]));
            let goes_on = before
                .iter()
                .zip(after)
                .all(|(before, after)| *before <= after);
            assert!(goes_on, "{:?} {:?}", pair[0], pair[1]);
        }
        let last = said.last().expect("it ran");
        assert_eq!((last.done, last.submitted), (last.jobs, last.jobs));
        assert_eq!(last.share(), 1.0);
        let steps: Vec<u64> = said[..said.len() - 1].iter().map(|of| of.steps).collect();
        let every_third = (0..steps.len() as u64).map(|at| 3 * at);
        assert!(steps.iter().copied().eq(every_third), "{steps:?}");
    }

    #[test]
    fn a_moment_is_reached_and_the_run_goes_on_from_there() {
        let (spec, workload) = spec("fifo");
        let mut whole = spec.start(Arc::clone(&workload));
        whole.run().expect("it runs");
        let mut halfway = spec.start(workload);
        let at = Time(whole.progress().now.seconds() / 2.0);
        halfway.run_until(at).expect("it runs");
        let mut driver = driver("fifo");
        let step = driver.step_for(Budget::until(at)).expect("it runs");
        assert_eq!(step, Step::Done(driver.progress()));
        assert!(!driver.is_over && driver.simulation().next_time() > at);
        assert_eq!(driver.log().hash(), halfway.log().hash());
        drive(&mut driver, Budget::unlimited);
        assert_eq!(driver.into_log().hash(), whole.log().hash());
    }

    #[test]
    fn a_cancelled_run_takes_no_further_step() {
        let cancel = Cancel::default();
        let mut driver = driver("fifo").cancelled_by(cancel.clone());
        let mut looks = 0;
        let budget = Budget::unlimited().or_time_is_up(|| {
            looks += 1;
            if looks == 3 {
                cancel.cancel();
            }
            false
        });
        assert_eq!(driver.step_for(budget), Ok(Step::Cancelled));
        let reached = driver.progress();
        assert_eq!(reached.steps, 3 * STEPS_PER_LOOK);
        let again = driver.step_for(Budget::unlimited());
        assert_eq!(again, Ok(Step::Cancelled));
        assert_eq!(driver.progress(), reached);
        assert!(!driver.is_over);
    }

    #[test]
    fn a_halt_ends_a_run_and_leaves_its_log_whole() {
        let mut driver = driver("fifo");
        let events = |driver: &Driver| driver.log().events();
        driver.step_for(Budget::of_steps(5)).expect("there is room");
        driver.set_log_budget(LogBudget {
            events: events(&driver) as u64,
            bytes: u64::MAX,
        });
        let halt = driver.step_for(Budget::unlimited());
        assert!(
            matches!(&halt, Err(RunError::Halt(halt)) if halt.lacks_room()),
            "{halt:?}"
        );
        assert!(driver.is_over);
        let written = events(&driver);
        let after = driver.step_for(Budget::unlimited());
        assert_eq!(after, Ok(Step::Done(driver.progress())));
        assert_eq!(events(&driver), written);
    }

    #[test]
    fn pieces_of_the_log_make_up_the_log() {
        let mut driver = driver("tiresias-las");
        let mut log = RunLog::default();
        while let Step::Progress(_) = driver.step_for(Budget::of_steps(11)).expect("it runs") {
            log.append(&driver.take_log_piece());
        }
        log.append(&driver.take_log_piece());
        assert_eq!(log.hash(), driver.into_log().hash());
    }

    #[test]
    fn a_speed_is_noted_until_the_job_is_over() {
        let (spec, workload) = spec("fifo");
        let job = JobId(0);
        let mut run = spec.start(workload);
        let mut slowness = Slowness::default();
        while run.step().expect("it runs") && run.note_speed(job, &mut slowness) {}
        let mut noting = driver("fifo").noting_speed_of(job);
        let said = drive(&mut noting, || Budget::of_steps(2));
        assert!(said.last().is_some_and(|last| last.done < last.jobs));
        assert_eq!(noting.take_slowness(), slowness);
        assert!(!slowness.speeds.is_empty());
    }
}
