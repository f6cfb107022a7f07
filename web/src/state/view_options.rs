//! How views are set: what a person chooses within one (which jobs, sorted by what, which run), each
//! option described once, so that links carry all of them. A component reads an option with
//! [`AppState::option`](super::AppState::option) and changes it by `ViewAction::SetOption`.

use crate::complaint::Complaint;
use crate::zones;
use switchyard::policies::ParamKind;
use switchyard::report::{By, GROUP_METRIC_IDS, GROUP_METRICS_FORMERLY};

/// One option of a view.
#[derive(Debug, PartialEq)]
pub struct ViewOption {
    /// The view that it is of; "": of what is below all views.
    pub view: &'static str,
    /// What it is, for people who look for it.
    pub name: &'static str,
    /// Its name in links.
    pub link: &'static str,
    /// Its value where nothing was chosen.
    pub default: &'static str,
    /// Which values it takes.
    pub kind: ParamKind,
    /// Former names of values, which are read and not written, with the present ones.
    pub former: &'static [(&'static str, &'static str)],
    /// Whether it names a run: by its id in the page, by its position in links. "" is none.
    pub is_run: bool,
}

const fn option(
    view: &'static str,
    name: &'static str,
    link: &'static str,
    default: &'static str,
    kind: ParamKind,
) -> ViewOption {
    ViewOption {
        view,
        name,
        link,
        default,
        kind,
        former: &[],
        is_run: false,
    }
}

const fn run(view: &'static str, name: &'static str, link: &'static str) -> ViewOption {
    ViewOption {
        is_run: true,
        ..option(
            view,
            name,
            link,
            "",
            ParamKind::Int {
                min: 0,
                max: u32::MAX as u64,
            },
        )
    }
}

/// The yard shown where there is room for one.
pub static YARD_RUN: ViewOption = run("yard", "Scheduler shown in the yard", "yard-run");
/// What a row of the timeline is.
pub static TIMELINE_ROWS: ViewOption = option(
    "timeline",
    "Rows of the timeline",
    "timeline-rows",
    "gpu",
    ParamKind::OneOf(&["gpu", "job"]),
);
/// Over which jobs runs are compared: all of each, or those that finished in all.
pub static COMPARE_OVER: ViewOption = option(
    "compare",
    "Jobs that runs are compared over",
    "compare-over",
    "all",
    ParamKind::OneOf(&["all", "finished-in-all"]),
);
/// By whom runs are told.
pub static COMPARE_BY: ViewOption = option(
    "compare",
    "Groups that runs are compared by",
    "by",
    By::WORDS[0],
    ParamKind::OneOf(&By::WORDS),
);
/// What is told of each group: the id of a metric.
pub static COMPARE_SHOW: ViewOption = ViewOption {
    former: &GROUP_METRICS_FORMERLY,
    ..option(
        "compare",
        "Number told of each group",
        "by-show",
        GROUP_METRIC_IDS[0],
        ParamKind::OneOf(&GROUP_METRIC_IDS),
    )
};
/// By whom it is told what jobs spent their lives on: a word, or `all` of them together.
pub static LIVES_BY: ViewOption = option(
    "compare",
    "Whose time it is told where it went",
    "lives-by",
    "all",
    ParamKind::Text("by whom"),
);
/// The only run whose timeline is shown.
pub static TIMELINE_RUN: ViewOption = run(
    "timeline",
    "Scheduler shown in the timeline",
    "timeline-run",
);
/// Which jobs are listed.
pub static JOBS_FILTER: ViewOption = option(
    "jobs",
    "Filter jobs",
    "jobs-filter",
    "",
    ParamKind::Text("a filter of jobs"),
);
/// The column by which jobs are sorted; `-` before it: the greatest first.
pub static JOBS_SORT: ViewOption = option(
    "jobs",
    "Sort jobs",
    "jobs-sort",
    "submit",
    ParamKind::Text("a column"),
);
/// What is shown of each run beside the jobs.
pub static JOBS_SHOW: ViewOption = option(
    "jobs",
    "Number shown of each job per run",
    "jobs-show",
    "JCT",
    ParamKind::Word("a metric of jobs"),
);
/// The run whose queues are shown.
pub static QUEUES_RUN: ViewOption = run("queues", "Scheduler whose queues are shown", "queues-run");
/// What is shown of one that has queues by attained service and a tree.
pub static QUEUES_AS: ViewOption = option(
    "queues",
    "Queues shown as",
    "queues-as",
    "lanes",
    ParamKind::OneOf(&["lanes", "tree"]),
);
/// The run whose rounds are shown.
pub static GOODPUT_RUN: ViewOption =
    run("goodput", "Scheduler whose round is shown", "goodput-run");
/// How often arrivals of pods are repeated.
pub static ARRIVALS: ViewOption = option(
    "fragmentation",
    "Runs of each placement of shares",
    "arrivals",
    "10",
    ParamKind::Int { min: 1, max: 100 },
);
/// Which machines and pods arrive.
pub static PODS: ViewOption = option(
    "fragmentation",
    "Machines and pods that arrive",
    "pods",
    "open",
    ParamKind::OneOf(&["open", "invented"]),
);

/// How moments of a trace read that tells absolute time.
pub static TIMES: ViewOption = option(
    "",
    "How times are shown",
    "times",
    "dates",
    ParamKind::OneOf(&["dates", "days"]),
);
/// The zone whose dates they are: a name or an offset.
pub static ZONE: ViewOption = option(
    "",
    "Time zone",
    "zone",
    zones::UTC,
    ParamKind::Text("a time zone"),
);

/// What a sweep varies; [`Vary`](super::sweep::Vary) has its names.
pub static SWEEP_WHAT: ViewOption = option(
    "sweep",
    "What a sweep varies",
    "sweep",
    "load",
    ParamKind::Text("what is varied"),
);
/// The values of a sweep; "": those that are suggested.
pub static SWEEP_VALUES: ViewOption = option(
    "sweep",
    "Values of a sweep",
    "sweep-values",
    "",
    ParamKind::Text("values"),
);
/// The metric that has to keep within a bound, where nodes are searched.
pub static SWEEP_METRIC: ViewOption = option(
    "sweep",
    "Metric that a search of nodes bounds",
    "sweep-metric",
    "queueing_p95",
    ParamKind::Word("a metric"),
);
/// The bound.
pub static SWEEP_BOUND: ViewOption = option(
    "sweep",
    "Bound of a search of nodes",
    "sweep-bound",
    "1h",
    ParamKind::Text("a bound"),
);
/// The only run under which a sweep runs.
pub static SWEEP_RUN: ViewOption = run("sweep", "Scheduler that a sweep varies", "sweep-run");

/// Whose start is asked about: of a job that is added, or of the chosen one.
pub static START_JOB: ViewOption = option(
    "start",
    "Job whose start is asked about",
    "start-job",
    "added",
    ParamKind::OneOf(&["added", "chosen"]),
);
/// How many GPUs it wants; "": one, or its own.
pub static START_GPUS: ViewOption = option(
    "start",
    "GPUs of the job whose start is asked about",
    "start-gpus",
    "",
    ParamKind::Int {
        min: 1,
        max: 1_000_000,
    },
);
/// Whose it is.
pub static START_USER: ViewOption = option(
    "start",
    "User of the job whose start is asked about",
    "start-user",
    "",
    ParamKind::Text("a user"),
);
/// Where it is submitted to.
pub static START_QUEUE: ViewOption = option(
    "start",
    "Queue of the job whose start is asked about",
    "start-queue",
    "",
    ParamKind::Text("a queue"),
);
/// How long it asks for.
pub static START_LIMIT: ViewOption = option(
    "start",
    "Time limit of the job whose start is asked about",
    "start-limit",
    "",
    ParamKind::Text("a time"),
);
/// Of how many runs the answer is made.
pub static START_DRAWS: ViewOption = option(
    "start",
    "Runs that its start is told from",
    "start-draws",
    "200",
    ParamKind::Int {
        min: 10,
        max: 10_000,
    },
);
/// The only run that is asked about.
pub static START_RUN: ViewOption = run(
    "start",
    "Scheduler under which a start is asked about",
    "start-run",
);

/// Every option.
pub static OPTIONS: &[&ViewOption] = &[
    &COMPARE_OVER,
    &LIVES_BY,
    &COMPARE_BY,
    &COMPARE_SHOW,
    &YARD_RUN,
    &TIMELINE_ROWS,
    &TIMELINE_RUN,
    &JOBS_FILTER,
    &JOBS_SORT,
    &JOBS_SHOW,
    &QUEUES_RUN,
    &QUEUES_AS,
    &GOODPUT_RUN,
    &ARRIVALS,
    &PODS,
    &TIMES,
    &ZONE,
    &SWEEP_WHAT,
    &SWEEP_VALUES,
    &SWEEP_METRIC,
    &SWEEP_BOUND,
    &SWEEP_RUN,
    &START_JOB,
    &START_GPUS,
    &START_USER,
    &START_QUEUE,
    &START_LIMIT,
    &START_DRAWS,
    &START_RUN,
];

/// The options that are not at their defaults, in the table's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewOptions(Vec<(&'static str, String)>);

impl ViewOptions {
    /// An option's value.
    pub fn get(&self, option: &ViewOption) -> &str {
        let given = self.0.iter().find(|(link, _)| *link == option.link);
        given.map_or(option.default, |(_, value)| value)
    }

    /// Sets an option; what it does not take leaves it as it is, and says what it takes.
    ///
    /// # Errors
    ///
    /// What it takes, as a sentence's second half.
    pub fn set(&mut self, option: &'static ViewOption, value: &str) -> Result<(), Complaint> {
        let former = option.former.iter().find(|(former, _)| *former == value);
        let value = former.map_or(value, |(_, now)| now);
        let is_default = value == option.default;
        let value = match option.kind {
            // Also while it is being typed.
            ParamKind::Text(_) => Some(value.to_owned()),
            _ if is_default => Some(String::new()),
            kind => kind.canonical(value),
        };
        let value = value.ok_or_else(|| Complaint::from(format!("it takes {}", option.kind)))?;
        let mut old = std::mem::take(&mut self.0);
        old.retain(|(link, _)| *link != option.link);
        if !is_default {
            old.push((option.link, value));
        }
        let given = |of: &&ViewOption| old.iter().find(|(link, _)| *link == of.link).cloned();
        self.0 = OPTIONS.iter().filter_map(given).collect();
        Ok(())
    }

    /// What of them stands in a link: names and values.
    pub fn given(&self) -> &[(&'static str, String)] {
        &self.0
    }

    /// The same with runs named otherwise; those that have no other name are gone.
    pub fn with_runs(&self, name: impl Fn(u32) -> Option<u32>) -> Self {
        let is_run = |link: &str| OPTIONS.iter().any(|of| of.link == link && of.is_run);
        let named = |(link, value): &(&'static str, String)| {
            if !is_run(link) {
                return Some((*link, value.clone()));
            }
            let other = name(value.parse().ok()?)?;
            Some((*link, other.to_string()))
        };
        Self(self.0.iter().filter_map(named).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_names_of_values_are_read_and_the_present_ones_written() {
        let mut options = ViewOptions::default();
        for (former, now) in GROUP_METRICS_FORMERLY {
            assert_eq!(options.set(&COMPARE_SHOW, former), Ok(()), "{former}");
            assert_eq!(options.get(&COMPARE_SHOW), now);
        }
        assert_eq!(options.given(), [("by-show", "share".to_owned())]);
        assert!(options.set(&COMPARE_SHOW, "speed").is_err());
    }
}
