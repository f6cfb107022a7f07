//! A sweep: one thing is varied (a parameter, a setting, a number of a queue, the load, the number of nodes), and every value is
//! run under every scheduler. What comes of a run is its summary; every run has a link of its own.

use crate::complaint::Complaint;
use serde::Serialize;
use std::rc::Rc;
use switchyard::report::Summary;
use switchyard::report::sweep::{SweepRow, csv_head, csv_line, figures};
use switchyard::{RunSpec, Setting};

/// What is varied.
#[derive(Clone, Debug, PartialEq)]
pub enum Vary {
    /// How fast jobs come, as a factor.
    Load,
    /// How many nodes there are.
    Nodes,
    /// The same, searched for the fewest with which a metric keeps within a bound.
    Capacity,
    /// A setting of all runs, by its key.
    Setting(&'static str),
    /// A parameter of the schedulers that have it.
    Param(String),
    /// A field of a queue of the tree.
    Queue {
        /// The field, as [`change`](switchyard::queues::change) names it.
        field: String,
        /// The queue's name.
        queue: String,
    },
    /// Everything: the page beside another link.
    Link,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepPoint {
    /// Which value.
    pub value: usize,
    /// Which scheduler.
    pub line: usize,
    /// Its row in the table, without its numbers; the link shows it.
    pub row: SweepRow,
    /// What came of it, or why nothing did.
    pub outcome: Option<Result<Summary, Complaint>>,
}

/// What a search for nodes bounds, and the runs that are its answers so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sought {
    /// The metric's id.
    pub metric: &'static str,
    /// The bound, in its unit.
    pub bound: f64,
    /// The answers.
    pub found: Vec<Found>,
}

/// A run that is an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// How many nodes it has.
    pub nodes: u32,
    /// Its link, as its row has it.
    pub link: String,
}

/// What was asked, and what has come of it so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// What is varied.
    pub vary: Vary,
    /// The same in words, with the unit.
    pub title: String,
    /// The values, as they are written.
    pub values: Vec<String>,
    /// The schedulers' names.
    pub lines: Vec<String>,
    /// Its runs, by value and then by scheduler.
    pub points: Vec<SweepPoint>,
    /// What differs between two links, a sentence each.
    pub differs: Vec<String>,
    /// How many nodes it takes, a sentence for each scheduler that has its answer.
    pub answers: Vec<String>,
    /// Where nodes are searched: for which bound.
    pub sought: Option<Sought>,
    /// Whether runs are under way.
    pub under_way: bool,
}

/// What a search has its sweep run next, and what it knows by now.
#[derive(Debug, Default)]
pub struct More {
    /// Further values.
    pub values: Vec<String>,
    /// Further runs.
    pub points: Vec<SweepPoint>,
    /// All answers so far.
    pub answers: Vec<String>,
    /// Their runs.
    pub found: Vec<Found>,
}

/// A run to be started.
#[derive(Clone, Debug)]
pub struct Order {
    /// Its settings.
    pub spec: RunSpec,
    /// The load of its jobs, beside that with which they were chosen.
    pub load: f64,
    /// Whether its jobs are those of the other side.
    pub there: bool,
}

impl Vary {
    /// What an option of the view names.
    pub fn named(text: &str) -> Option<Self> {
        match text {
            "load" => Some(Self::Load),
            "nodes" => Some(Self::Nodes),
            "capacity" => Some(Self::Capacity),
            "link" => Some(Self::Link),
            _ => match text.split_once(':')? {
                ("param", name) => Some(Self::Param(name.to_owned())),
                ("set", key) => Setting::named(key).map(|of| Self::Setting(of.key)),
                ("queue", of) => {
                    let (field, queue) = of.split_once(':')?;
                    Some(Self::of_queue(field, queue))
                }
                _ => None,
            },
        }
    }

    /// A field of a queue.
    pub fn of_queue(field: &str, queue: &str) -> Self {
        Self::Queue {
            field: field.to_owned(),
            queue: queue.to_owned(),
        }
    }

    /// Its name in links and in the view's list.
    pub fn name(&self) -> String {
        match self {
            Self::Load => "load".to_owned(),
            Self::Nodes => "nodes".to_owned(),
            Self::Capacity => "capacity".to_owned(),
            Self::Link => "link".to_owned(),
            Self::Setting(key) => format!("set:{key}"),
            Self::Param(name) => format!("param:{name}"),
            // Fields have no colon; queues may.
            Self::Queue { field, queue } => format!("queue:{field}:{queue}"),
        }
    }

    /// Its name for people, with the unit.
    pub fn title(&self) -> String {
        match self {
            Self::Load => "load, × as recorded".to_owned(),
            Self::Nodes | Self::Capacity => "nodes".to_owned(),
            Self::Link => "link".to_owned(),
            Self::Param(name) => name.clone(),
            Self::Queue { field, queue } => format!("{field} of {queue}"),
            Self::Setting(key) => {
                Setting::named(key).map_or_else(String::new, |of| match of.unit {
                    "" => of.label.to_owned(),
                    unit => format!("{}, {unit}", of.label),
                })
            }
        }
    }
}

impl Sweep {
    /// How many runs are over.
    pub fn done(&self) -> usize {
        self.points
            .iter()
            .filter(|point| point.outcome.is_some())
            .count()
    }

    /// Where a value stands on the axis: itself, or its place in the list if it is no number.
    pub fn place(&self, value: usize) -> f64 {
        let number = |text: &String| text.parse::<f64>().ok();
        match self.values.iter().map(number).collect::<Option<Vec<f64>>>() {
            Some(numbers) => numbers[value],
            None => value as f64 + 1.0,
        }
    }

    /// The table of the runs that are over, as `docs/sweeps.md` describes it. The page has no fingerprints.
    pub fn csv(&self) -> String {
        let over = self.points.iter().filter_map(|point| {
            let mut row = point.row.clone();
            match point.outcome.as_ref()? {
                Ok(summary) => row.figures = figures(summary),
                Err(why) => (row.failure, row.error) = ("run".to_owned(), why.to_string()),
            }
            Some(csv_line(&row))
        });
        let lines: Vec<String> = std::iter::once(csv_head()).chain(over).collect();
        lines.join("\n") + "\n"
    }

    /// Puts down what a search goes on with.
    pub fn go_on(sweep: &mut Rc<Self>, more: More) {
        let sweep = Rc::make_mut(sweep);
        sweep.values.extend(more.values);
        sweep.points.extend(more.points);
        sweep.answers = more.answers;
        if let Some(sought) = &mut sweep.sought {
            sought.found = more.found;
        }
    }

    /// Puts down what came of a run.
    pub fn note(sweep: &mut Rc<Self>, at: usize, outcome: Result<Summary, Complaint>) {
        if let Some(point) = Rc::make_mut(sweep).points.get_mut(at) {
            point.outcome = Some(outcome);
        }
    }
}
