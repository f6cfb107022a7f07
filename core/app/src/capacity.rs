//! How large a cluster has to be: the fewest nodes with which a metric of a run keeps within a [`Bound`].
//!
//! In: the bound, a range of counts of nodes, and what came of runs. Out: the counts to run next, several at once, and in the
//! end the [`Answer`] with every point that was tried. Whoever asks runs them, on however many cores; what is tried
//! depends on results alone, since all of a batch come in before the next one.
//!
//! Half of the range is left out at a time, and each batch has both next halves with the present one: quarters. A metric
//! need not become better with every node, since another cluster means other gangs beside one another. So the answer is the
//! smallest count that was found such that it and all larger ones that were tried keep within the bound. The count right
//! below it does not, and the one right above it does: both are tried. Smaller counts that do, below one that does
//! not, are told as well.

use crate::format;
use crate::resized::fewest_nodes;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use switchyard::cluster::ClusterSpec;
use switchyard::meant::{meant, remark};
use switchyard::report::{METRICS, Metric, MetricUnit, Summary};
use switchyard::seconds_of;

/// On which side of the bound values keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// At most it.
    AtMost,
    /// At least it.
    AtLeast,
}

/// What a metric has to keep within.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Bound {
    /// The metric.
    #[serde(serialize_with = "id")]
    pub metric: &'static Metric,
    /// On which side.
    pub side: Side,
    /// The bound, in the metric's unit.
    pub bound: f64,
}

/// Why there is no such bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoundError {
    /// No metric has this name.
    #[error("there is no metric '{name}'{}: use one of {valid}", alike(.name))]
    Metric {
        /// The name.
        name: String,
        /// Those that there are.
        valid: String,
    },
    /// A bound that the metric does not have.
    #[error("{metric} cannot be bounded by '{given}': give {takes}")]
    Value {
        /// The metric, within a sentence.
        metric: String,
        /// What was given.
        given: String,
        /// What would be a bound.
        takes: &'static str,
    },
}

/// What came of one count of nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// How many nodes.
    pub nodes: u32,
    /// The metric, over the jobs that finished; NaN where it cannot be known.
    pub value: f64,
    /// Whether all jobs finished, and the metric keeps within the bound.
    pub holds: bool,
    /// How many jobs did not finish.
    pub left_behind: u32,
    /// Why nothing came of it, if nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// How many nodes it takes.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// What for.
    #[serde(flatten)]
    pub bound: Bound,
    /// The smallest count found such that it and all larger ones that were tried keep within the bound; none: the
    /// largest does not.
    pub nodes: Option<u32>,
    /// Smaller counts that keep within the bound, too, although a larger one does not.
    pub also: Vec<u32>,
    /// The fewest nodes that might have been tried.
    pub least: u32,
    /// All that were tried, by their nodes.
    pub points: Vec<Point>,
}

/// A search for the fewest nodes.
#[derive(Clone, Debug)]
pub struct Search {
    bound: Bound,
    least: u32,
    most: u32,
    /// What came of each count; nothing yet of those under way.
    tried: BTreeMap<u32, Option<Point>>,
}

impl Bound {
    /// From a metric's name and a bound as people write it: a time such as `90min` where the metric is one, `60%` where it is
    /// a share.
    ///
    /// # Errors
    ///
    /// There is no such metric, or that is no bound of it.
    pub fn read(metric: &str, side: Side, bound: &str) -> Result<Self, BoundError> {
        let metric = metric_named(metric)?;
        let text = bound.trim();
        let number = || text.parse().ok().filter(|of: &f64| of.is_finite());
        let (read, takes) = match metric.unit {
            MetricUnit::Seconds => (seconds_of(text), "a time: seconds, or 90min, 11h, 2d3h"),
            MetricUnit::Share => {
                let percent = text.strip_suffix('%').and_then(|of| of.trim().parse().ok());
                let share = percent.map(|of: f64| of / 100.0).or_else(number);
                let share = share.filter(|of| (0.0..=1.0).contains(of));
                (share, "a share: 0 to 1, or 60%")
            }
            _ => (number(), "a number"),
        };
        let bound = read.ok_or_else(|| BoundError::Value {
            metric: metric.words(),
            given: bound.to_owned(),
            takes,
        })?;
        Ok(Self {
            metric,
            side,
            bound,
        })
    }

    /// Whether a run keeps within it. One that leaves jobs behind does not, since its figures are of fewer jobs; nor
    /// does one of which the metric is unknown.
    pub fn holds(&self, summary: &Summary) -> bool {
        let value = (self.metric.of)(summary);
        let is_within = match self.side {
            Side::AtMost => value <= self.bound,
            Side::AtLeast => value >= self.bound,
        };
        summary.is_whole() && summary.jobs > 0 && is_within
    }

    /// It in words: `p95 queueing delay of at most 60 min`.
    pub fn words(&self) -> String {
        let side = match self.side {
            Side::AtMost => "at most",
            Side::AtLeast => "at least",
        };
        let bound = format::metric(self.metric, self.bound);
        format!("{} of {side} {bound}", self.metric.words())
    }

    /// A value in words; to more places where it would read as the bound does and is not it.
    fn value_words(&self, value: f64) -> String {
        let words = format::metric(self.metric, value);
        // `60.0 min` reads as `60 min`.
        let short = |words: &str| words.replacen(".00 ", " ", 1).replacen(".0 ", " ", 1);
        let bound = format::metric(self.metric, self.bound);
        if value == self.bound || short(&words) != short(&bound) {
            return words;
        }
        match self.metric.unit {
            MetricUnit::Seconds => format::duration_exact(value),
            _ => value.to_string(),
        }
    }
}

fn id<S: Serializer>(metric: &&'static Metric, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(metric.id)
}

fn names() -> impl Iterator<Item = &'static str> {
    METRICS.iter().map(|metric| metric.id)
}

/// A name's two words in the other order.
fn turned(name: &str) -> Option<String> {
    let (one, other) = name.split_once(['-', '_'])?;
    Some(format!("{other}_{one}"))
}

/// A name that was meant, to stand in a message.
fn alike(name: &str) -> String {
    let all = || {
        let aliases = METRICS.iter().flat_map(|metric| metric.aliases);
        names().chain(aliases.copied())
    };
    let other = || meant(&turned(name)?, all());
    remark(meant(name, all()).or_else(other))
}

/// The metric of a name; its two words may stand in either order, `wait-p95` or `p95-wait`.
///
/// # Errors
///
/// There is none.
pub fn metric_named(name: &str) -> Result<&'static Metric, BoundError> {
    let found = Metric::named(name).or_else(|| Metric::named(&turned(name)?));
    found.ok_or_else(|| BoundError::Metric {
        name: name.to_owned(),
        valid: names().collect::<Vec<_>>().join(", "),
    })
}

/// The counts that are tried unless somebody says otherwise: from one node for each group to four times those of the
/// cluster.
pub fn usual_nodes(cluster: &ClusterSpec) -> RangeInclusive<u32> {
    fewest_nodes(cluster)..=cluster.nodes().saturating_mul(4)
}

impl Search {
    /// Of a number of nodes within a range.
    pub fn new(bound: Bound, nodes: RangeInclusive<u32>) -> Self {
        let least = (*nodes.start()).max(1);
        Self {
            bound,
            least,
            most: least.max(*nodes.end()),
            tried: BTreeMap::new(),
        }
    }

    /// The counts to be run next, which count as under way from then on. None: some are, or there is an answer.
    pub fn next_batch(&mut self) -> Vec<u32> {
        let batch = self.wanted();
        self.tried.extend(batch.iter().map(|nodes| (*nodes, None)));
        batch
    }

    /// What came of a count.
    pub fn take(&mut self, nodes: u32, outcome: Result<&Summary, String>) {
        let point = match outcome {
            Ok(summary) => Point {
                nodes,
                value: (self.bound.metric.of)(summary),
                holds: self.bound.holds(summary),
                left_behind: summary.jobs - summary.finished,
                failed: None,
            },
            Err(why) => Point {
                nodes,
                value: f64::NAN,
                holds: false,
                left_behind: 0,
                failed: Some(why),
            },
        };
        self.tried.insert(nodes, Some(point));
    }

    /// The answer, once nothing is left to be tried.
    pub fn answer(&self) -> Option<Answer> {
        if self.is_under_way() || !self.wanted().is_empty() {
            return None;
        }
        let nodes = self.edge().map(|(_, holds)| holds);
        let points: Vec<Point> = self.tried.values().flatten().cloned().collect();
        let smaller = points
            .iter()
            .filter(|of| nodes.is_none_or(|nodes| of.nodes < nodes));
        Some(Answer {
            bound: self.bound,
            nodes,
            also: smaller.filter(|of| of.holds).map(|of| of.nodes).collect(),
            least: self.least,
            points,
        })
    }

    fn is_under_way(&self) -> bool {
        self.tried.values().any(Option::is_none)
    }

    /// The smallest count that holds with all larger ones that were tried, and the largest below it that does not, which may be
    /// the one below the range; nothing where the largest count does not hold.
    fn edge(&self) -> Option<(u32, u32)> {
        let holds = |point: &Option<Point>| point.as_ref().is_some_and(|of| of.holds);
        let mut downwards = self.tried.iter().rev();
        let mut smallest = None;
        for (&nodes, point) in &mut downwards {
            match holds(point) {
                true => smallest = Some(nodes),
                false => return smallest.map(|smallest| (nodes, smallest)),
            }
        }
        smallest.map(|smallest| (self.least - 1, smallest))
    }

    /// What is to be tried once nothing is under way.
    fn wanted(&self) -> Vec<u32> {
        if self.is_under_way() {
            return Vec::new();
        }
        if self.tried.is_empty() {
            let mut first = between(self.least - 1, self.most);
            first.push(self.most);
            return first;
        }
        match self.edge() {
            None => Vec::new(),
            Some((fails, holds)) if holds - fails > 1 => between(fails, holds),
            Some((_, holds)) => {
                let above = holds.saturating_add(1)..=self.most;
                let is_new = |nodes: &u32| !self.tried.contains_key(nodes);
                above.take(1).filter(is_new).collect()
            }
        }
    }
}

/// The quarters between two counts, without these.
fn between(low: u32, high: u32) -> Vec<u32> {
    let quarter = |part: u64| low + (u64::from(high - low) * part / 4) as u32;
    let mut quarters: Vec<u32> = [1, 2, 3].map(quarter).to_vec();
    quarters.dedup();
    quarters.retain(|nodes| *nodes > low);
    quarters
}

impl Point {
    /// The value, or what else came of it.
    fn words(&self, bound: &Bound) -> String {
        match (&self.failed, self.left_behind) {
            (Some(why), _) => format!("the run fails: {why}"),
            (None, 0) => format!("it is {}", bound.value_words(self.value)),
            (None, left) => {
                let jobs = format::counted(left.into(), "job is", "jobs are");
                format!("{jobs} left behind")
            }
        }
    }
}

impl Answer {
    /// What came of a count.
    pub fn point(&self, nodes: u32) -> Option<&Point> {
        self.points.iter().find(|point| point.nodes == nodes)
    }

    /// Why even the largest count does not do, if so.
    pub fn largest_fails(&self) -> Option<&Point> {
        self.points.last().filter(|_| self.nodes.is_none())
    }

    /// The answer as a sentence without its full stop: `11 nodes for p95 queueing delay of at most 60 min: it is 52 min; with 10
    /// it is 80 min`.
    pub fn sentence(&self) -> String {
        let bound = self.bound.words();
        let words = |nodes: u32| self.point(nodes).map(|point| point.words(&self.bound));
        let mut said = match (self.nodes, self.largest_fails()) {
            (Some(nodes), _) => {
                let is = words(nodes).unwrap_or_default();
                let nodes_words = format::counted(nodes.into(), "node", "nodes");
                let mut said = format!("{nodes_words} for {bound}: {is}");
                if let Some(below) = words(nodes - 1) {
                    said.push_str(&format!("; with {} {below}", nodes - 1));
                } else if nodes > 1 {
                    said.push_str("; fewer were not tried");
                }
                said
            }
            (None, Some(point)) => {
                let nodes = format::counted(point.nodes.into(), "node is", "nodes are");
                format!(
                    "even {nodes} not enough for {bound}: {}",
                    point.words(&self.bound)
                )
            }
            (None, None) => format!("nothing was tried for {bound}"),
        };
        if let [.., last] = self.also[..] {
            let also: Vec<String> = self.also.iter().map(u32::to_string).collect();
            let but = (last + 1..).find(|nodes| self.point(*nodes).is_some_and(|of| !of.holds));
            let but = but.map_or_else(String::new, |but| format!(", but not {but}"));
            said.push_str(&format!("; {} would do{but}", also.join(" and ")));
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use switchyard::report::Distribution;

    fn waits(p95: f64) -> Summary {
        Summary {
            jobs: 100,
            finished: 100,
            queueing: Distribution {
                p95,
                ..Distribution::default()
            },
            ..Summary::default()
        }
    }

    fn bound() -> Bound {
        Bound::read("wait-p95", Side::AtMost, "1h").expect("a bound")
    }

    /// Searches among runs that are worked out by this; batches come in backwards.
    fn searched(
        nodes: RangeInclusive<u32>,
        run: impl Fn(u32) -> Result<Summary, String>,
    ) -> Answer {
        let mut search = Search::new(bound(), nodes.clone());
        let mut tried = 0;
        loop {
            let batch = search.next_batch();
            if batch.is_empty() {
                break;
            }
            assert!(search.next_batch().is_empty() && search.answer().is_none());
            assert!(batch.iter().all(|of| nodes.contains(of)), "{batch:?}");
            tried += batch.len();
            for nodes in batch.into_iter().rev() {
                search.take(nodes, run(nodes).as_ref().map_err(Clone::clone));
            }
        }
        let answer = search.answer().expect("nothing is left to be tried");
        assert_eq!(answer.points.len(), tried, "a count was run twice");
        answer
    }

    /// A wait that falls with every node to an hour at `enough`.
    fn falling(enough: u32) -> impl Fn(u32) -> Result<Summary, String> {
        move |nodes| {
            Ok(waits(
                3600.0 + 60.0 * (f64::from(enough) - f64::from(nodes)),
            ))
        }
    }

    #[test]
    fn the_fewest_nodes_are_found_with_their_neighbours_in_few_runs() {
        for most in [1, 2, 3, 7, 64, 1000] {
            for enough in 1..=most {
                let answer = searched(1..=most, falling(enough));
                assert_eq!(answer.nodes, Some(enough), "of {most}");
                let holds = |nodes: u32| answer.point(nodes).map(|of| of.holds);
                assert_eq!(holds(enough - 1), (enough > 1).then_some(false));
                assert_eq!(holds(enough + 1), (enough < most).then_some(true));
                assert!(answer.also.is_empty());
                let rounds = most.ilog2() as usize / 2 + 1;
                assert!(
                    answer.points.len() <= 3 * rounds + 3,
                    "{most}: {}",
                    answer.points.len()
                );
            }
        }
        let said = searched(1..=64, falling(11)).sentence();
        let told =
            "11 nodes for p95 queueing delay of at most 60 min: it is 60 min; with 10 it is 61 min";
        assert_eq!(said, told);
    }

    #[test]
    fn where_the_largest_is_not_enough_it_says_so_at_once() {
        let answer = searched(1..=64, falling(100));
        assert_eq!((answer.nodes, answer.points.len()), (None, 4));
        let told =
            "even 64 nodes are not enough for p95 queueing delay of at most 60 min: it is 96 min";
        assert_eq!(answer.sentence(), told);
        // Not read as the bound itself.
        let almost = searched(1..=2, |nodes| {
            Ok(waits(if nodes > 1 { 3600.0 } else { 3601.0 }))
        });
        assert!(
            almost
                .sentence()
                .ends_with("it is 60 min; with 1 it is 01:00:01")
        );
        let answer = searched(4..=4, falling(2));
        assert_eq!(answer.nodes, Some(4));
        assert!(answer.sentence().ends_with("; fewer were not tried"));
    }

    /// Where a larger count does not hold, no smaller one is the answer, and those that hold are told.
    #[test]
    fn a_metric_that_rises_again_is_answered_from_above() {
        let bad = [12, 40];
        let answer = searched(1..=64, |nodes| {
            Ok(waits(match nodes >= 10 && !bad.contains(&nodes) {
                true => 60.0,
                false => 7200.0,
            }))
        });
        let nodes = answer.nodes.expect("the largest holds");
        let after = answer.points.iter().filter(|of| of.nodes >= nodes);
        assert!(after.clone().all(|of| of.holds) && after.count() > 1);
        assert!(!answer.point(nodes - 1).expect("it was tried").holds);
        // Just above the edge.
        let answer = searched(1..=16, |nodes| {
            Ok(waits(if [6, 8, 12, 13, 14, 15, 16].contains(&nodes) {
                60.0
            } else {
                7200.0
            }))
        });
        assert_eq!((answer.nodes, &answer.also[..]), (Some(12), &[6, 8][..]));
        assert!(
            answer
                .sentence()
                .ends_with("with 11 it is 2 h; 6 and 8 would do, but not 9"),
            "{}",
            answer.sentence()
        );
        // The neighbour above does not hold: the search goes on above it.
        let answer = searched(1..=16, |nodes| {
            Ok(waits(if nodes >= 8 && nodes != 9 {
                60.0
            } else {
                7200.0
            }))
        });
        assert_eq!((answer.nodes, &answer.also[..]), (Some(10), &[8][..]));
    }

    #[test]
    fn what_leaves_jobs_behind_or_fails_or_is_unknown_holds_nowhere() {
        let behind = |finished: u32| Summary {
            finished,
            ..waits(0.0)
        };
        assert!(bound().holds(&waits(3600.0)) && !bound().holds(&waits(3600.1)));
        assert!(!bound().holds(&behind(99)) && !bound().holds(&waits(f64::NAN)));
        assert!(!bound().holds(&Summary::default()));
        let answer = searched(1..=64, |nodes| {
            Ok(behind(if nodes < 20 { 97 } else { 100 }))
        });
        assert_eq!(answer.nodes, Some(20));
        assert!(
            answer
                .sentence()
                .ends_with("with 19 3 jobs are left behind")
        );
        let answer = searched(1..=8, |nodes| match nodes {
            5.. => Ok(waits(0.0)),
            _ => Err("no room".to_owned()),
        });
        assert_eq!(answer.nodes, Some(5));
        assert!(
            answer
                .sentence()
                .ends_with("; with 4 the run fails: no room")
        );
        let json = serde_json::to_value(&answer).expect("JSON");
        assert_eq!(
            (&json["metric"], &json["side"]),
            (&"queueing_p95".into(), &"at_most".into())
        );
        assert!(json["points"][0]["value"].is_null() && json["points"][0]["failed"] == "no room");
    }

    #[test]
    fn bounds_are_read_by_the_units_of_metrics() {
        let read =
            |metric: &str, text: &str| Bound::read(metric, Side::AtMost, text).map(|of| of.bound);
        assert_eq!(read("queueing_p95", "1h30min"), Ok(5400.0));
        assert_eq!(read("wait-p95", "90min"), Ok(5400.0));
        assert_eq!(read("jct-mean", "7"), Ok(7.0));
        assert_eq!(read("gpu-allocation", "60%"), Ok(0.6));
        assert_eq!(read("rho_max", "1.5"), Ok(1.5));
        for (metric, text, why) in [
            (
                "queueing_p95",
                "soon",
                "p95 queueing delay cannot be bounded by 'soon': give a time: seconds, or 90min, 11h, 2d3h",
            ),
            (
                "gpu_allocation",
                "60",
                "GPU allocation cannot be bounded by '60': give a share: 0 to 1, or 60%",
            ),
            (
                "restarts",
                "nan",
                "restarts cannot be bounded by 'nan': give a number",
            ),
            (
                "queueing_p59",
                "1h",
                "there is no metric 'queueing_p59' (did you mean 'queueing_p95'?): use one of jobs, ",
            ),
        ] {
            let said = read(metric, text).expect_err(why).to_string();
            assert!(said.starts_with(why), "{said}");
        }
        let at_least = Bound::read("goodput", Side::AtLeast, "0.9").expect("a bound");
        assert_eq!(at_least.words(), "goodput of at least 90 %");
    }

    proptest! {
        /// However a metric goes up and down, the answer and its neighbours are what they are said to be.
        #[test]
        fn whatever_holds_the_answer_and_its_neighbours_were_tried(
            holds in prop::collection::vec(any::<bool>(), 1..80),
            least in 1..9_u32,
        ) {
            let most = least + holds.len() as u32 - 1;
            let is_within = |nodes: u32| holds[(nodes - least) as usize];
            let answer = searched(least..=most, |nodes| {
                Ok(waits(if is_within(nodes) { 60.0 } else { 7200.0 }))
            });
            let point = |nodes: u32| answer.point(nodes).map(|of| of.holds);
            prop_assert_eq!(point(most), Some(is_within(most)));
            prop_assert_eq!(answer.nodes.is_some(), is_within(most));
            if let Some(nodes) = answer.nodes {
                prop_assert!(answer.points.iter().filter(|of| of.nodes >= nodes).all(|of| of.holds));
                prop_assert_eq!(point(nodes - 1), (nodes > least).then_some(false));
                prop_assert_eq!(point(nodes + 1), (nodes < most).then_some(true));
            }
            for point in &answer.points {
                let is_smaller = answer.nodes.is_none_or(|nodes| point.nodes < nodes);
                prop_assert_eq!(point.holds, is_within(point.nodes));
                prop_assert_eq!(answer.also.contains(&point.nodes), point.holds && is_smaller);
            }
        }
    }
}
