//! The courses of active jobs: how far each is, with which batch size it trains, how fast. In: the view. Out: what
//! decisions ask for, and facts.

use super::super::Fact;
use crate::job::JobId;
use switchyard_engine::View;
use switchyard_explain::Unit;
use switchyard_shockwave::allocations;
use switchyard_shockwave::batches::Mode;
use switchyard_shockwave::course::Course;

/// A job and its course.
struct Entry {
    job: JobId,
    course: Course,
    /// Its batch size when it was last asked for.
    batch: Option<u32>,
}

/// By job.
#[derive(Default)]
pub(crate) struct Courses(Vec<Entry>);

/// Seconds of its execution that a job has behind it.
fn run(view: &View<'_>, job: JobId) -> f64 {
    let (all, left) = (view.duration(job), view.remaining(job));
    all.unwrap_or(0.0) - left.unwrap_or(0.0)
}

impl Courses {
    /// A job has come.
    pub(crate) fn come(&mut self, view: &View<'_>, job: JobId) {
        if let Err(at) = self.at(job) {
            let seconds = view.duration(job).unwrap_or(1.0);
            let course = Course::of(view.model_name(job), view.gpus(job), seconds);
            let batch = course.batch(0.0);
            self.0.insert(at, Entry { job, course, batch });
        }
    }

    /// A job has gone.
    pub(crate) fn go(&mut self, job: JobId) {
        if let Ok(at) = self.at(job) {
            self.0.remove(at);
        }
    }

    fn at(&self, job: JobId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&job, |entry| entry.job)
    }

    pub(crate) fn of(&self, job: JobId) -> Option<&Course> {
        self.at(job).ok().map(|at| &self.0[at].course)
    }

    /// Knows these jobs and no others; they are in order.
    pub(super) fn follow(&mut self, view: &View<'_>, active: &[JobId]) {
        self.0
            .retain(|entry| active.binary_search(&entry.job).is_ok());
        for &job in active {
            self.come(view, job);
        }
        for entry in &mut self.0 {
            entry.batch = entry.course.batch(run(view, entry.job));
        }
    }

    /// Whether somebody trains with another batch size since then.
    pub(super) fn has_changed(&self, view: &View<'_>) -> bool {
        let changes = |entry: &Entry| entry.course.batch(run(view, entry.job)) != entry.batch;
        self.0.iter().any(changes)
    }

    /// A job as decisions on shares see it: with the throughput that it has now.
    pub(super) fn job(&self, view: &View<'_>, job: JobId) -> allocations::Job {
        let run = run(view, job);
        let course = self.of(job);
        allocations::Job {
            id: job.index(),
            gang: view.gpus(job),
            throughput: course.map_or(1.0, |course| course.steps_per_second(run)),
            remaining: course.map_or(1.0, |course| course.steps_left(run)),
            age: view.now() - view.submit(job),
        }
    }

    /// Epochs that a job has behind it.
    pub(crate) fn epochs_done(&self, view: &View<'_>, job: JobId) -> usize {
        let course = self.of(job);
        course.map_or(0, |course| course.epochs_done(run(view, job)))
    }

    /// Samples per second that a job trains now, where nothing slows it.
    pub(crate) fn samples_per_second(&self, view: &View<'_>, job: JobId) -> f64 {
        let course = self.of(job);
        course.map_or(0.0, |course| course.samples_per_second(run(view, job)))
    }

    /// The batch size of a job, and how it changes.
    pub(crate) fn facts(&self, view: &View<'_>, job: JobId) -> Vec<Fact> {
        let Some(course) = self.of(job) else {
            return Vec::new();
        };
        let (Some(training), Some(batch)) = (course.training, course.batch(run(view, job))) else {
            let why = "not known: nothing was measured of its model";
            return vec![Fact::new("batch size", why)];
        };
        let changes = match training.mode {
            Mode::Static => ", never another",
            Mode::Accordion => " now; Accordion changes it",
            Mode::Gns => " now; it grows with the gradient noise scale",
        };
        vec![Fact::count("batch size", batch, Unit::Samples).then(changes)]
    }
}
