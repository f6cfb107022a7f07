//! How many nodes: a sweep over nodes that goes on by what its runs come to, until each scheduler has its answer.
//! [`Search`] says which counts are run; here they become runs, and what came of them goes back.

use super::link::Link;
use super::sweep::{Found, More, Order, Sought, Sweep, SweepPoint, Vary};
use super::view_options::{SWEEP_BOUND, SWEEP_METRIC};
use super::{AppState, Run};
use crate::complaint::Complaint;
use crate::draw::format::units;
use std::ops::RangeInclusive;
use switchyard::report::sweep::SweepRow;
use switchyard::report::{Better, Metric, Summary};
use switchyard_app::capacity::{Bound, Search, Side};

/// A search under way, with all that its runs are made of.
#[derive(Debug)]
pub struct Searching {
    state: AppState,
    shown: Link,
    /// The schedulers, and the search of each.
    lines: Vec<(Run, Search)>,
    /// The counts that were tried, as they came.
    values: Vec<u32>,
    /// Of each run, its line, how many nodes it has, and its link.
    runs: Vec<(usize, u32, String)>,
}

/// The counts of nodes that a text names: `1..64`.
///
/// # Errors
///
/// How it is written.
pub fn nodes_of(text: &str) -> Result<RangeInclusive<u32>, Complaint> {
    let range = text.split_once("..").and_then(|(from, to)| {
        let [from, to]: [u32; 2] = [from.trim().parse().ok()?, to.trim().parse().ok()?];
        (0 < from && from <= to).then_some(from..=to)
    });
    let why = || format!("'{text}' is no range of nodes: write 1..64 for 1 to 64.");
    range.ok_or_else(|| why().into())
}

/// On which side of a bound a metric should be.
pub fn side_of(metric: &Metric) -> Side {
    match metric.better {
        Better::Higher => Side::AtLeast,
        Better::Lower | Better::Neither => Side::AtMost,
    }
}

impl AppState {
    /// The metric that has to keep within a bound.
    pub fn bounded(&self) -> Option<&'static Metric> {
        Metric::named(self.option(&SWEEP_METRIC))
    }

    /// What a text bounds that metric to.
    ///
    /// # Errors
    ///
    /// There is no such metric, or the text is no bound of it.
    pub fn bound(&self, text: &str) -> Result<Bound, Complaint> {
        let side = self.bounded().map_or(Side::AtMost, side_of);
        let bound = Bound::read(self.option(&SWEEP_METRIC), side, text);
        bound.map_err(|why| format!("{why}.").into())
    }

    /// The search that the view asks for, and its sweep without a run; `shown` is what the page shows, as a link.
    ///
    /// # Errors
    ///
    /// What cannot be searched, a sentence.
    pub fn searching(&self, shown: &Link) -> Result<(Sweep, Searching), Complaint> {
        let nodes = nodes_of(&self.sweep_values())?;
        let bound = self.bound(self.option(&SWEEP_BOUND))?;
        let cards = self.swept_cards();
        if cards.is_empty() {
            return Err("There is no scheduler: add one.".into());
        }
        let lines: Vec<(Run, Search)> = cards
            .into_iter()
            .map(|card| (card.clone(), Search::new(bound, nodes.clone())))
            .collect();
        let sweep = Sweep {
            title: Vary::Capacity.title(),
            lines: lines
                .iter()
                .map(|(card, _)| card.name().to_owned())
                .collect(),
            differs: Vec::new(),
            answers: Vec::new(),
            sought: Some(Sought {
                metric: bound.metric.id,
                bound: bound.bound,
                found: Vec::new(),
            }),
            under_way: true,
            vary: Vary::Capacity,
            values: Vec::new(),
            points: Vec::new(),
        };
        let searching = Searching {
            state: self.clone(),
            shown: shown.clone(),
            lines,
            values: Vec::new(),
            runs: Vec::new(),
        };
        Ok((sweep, searching))
    }
}

impl Searching {
    /// What came of a run, by its place among all.
    pub fn take(&mut self, at: usize, outcome: &Result<Summary, Complaint>) {
        if let Some(&(line, nodes, _)) = self.runs.get(at) {
            let outcome = outcome.as_ref().map_err(part);
            self.lines[line].1.take(nodes, outcome);
        }
    }

    /// What is run next, each run with its place; nothing where results have to come in first, or all is known.
    pub fn more(&mut self) -> (More, Vec<(usize, Order)>) {
        let (mut more, mut orders) = (More::default(), Vec::new());
        for line in 0..self.lines.len() {
            // Where no run of a batch can begin, the next one is due.
            loop {
                let batch = self.lines[line].1.next_batch();
                if batch.is_empty() {
                    break;
                }
                for nodes in batch {
                    self.add(line, nodes, &mut more, &mut orders);
                }
            }
        }
        for (line, (card, search)) in self.lines.iter().enumerate() {
            let Some(answer) = search.answer() else {
                continue;
            };
            let said = format!("{}: {}.", card.name(), answer.sentence());
            more.answers.push(units(&said).into_owned());
            let is_it = |of: &&(usize, u32, String)| of.0 == line && Some(of.1) == answer.nodes;
            let run = self.runs.iter().find(is_it);
            more.found.extend(run.map(|(_, nodes, link)| Found {
                nodes: *nodes,
                link: link.clone(),
            }));
        }
        (more, orders)
    }

    fn add(&mut self, line: usize, nodes: u32, more: &mut More, orders: &mut Vec<(usize, Order)>) {
        let (card, search) = &mut self.lines[line];
        let (policy, text) = (&card.policy, nodes.to_string());
        let run = (self.state).varied_run(&self.shown, &Vary::Nodes, &text, policy);
        let (order, row) = match run {
            Ok(run) => run,
            // No cluster has so many nodes: there is nothing to run.
            Err(why) => return search.take(nodes, Err(part(&why))),
        };
        let known = self.values.iter().position(|of| *of == nodes);
        let value = known.unwrap_or_else(|| {
            self.values.push(nodes);
            more.values.push(text);
            self.values.len() - 1
        });
        let at = self.runs.len();
        self.runs.push((line, nodes, row.link.clone()));
        orders.push((at, order));
        more.points.push(SweepPoint {
            value,
            line,
            row: SweepRow {
                point: at as u32,
                ..row
            },
            outcome: None,
        });
    }
}

/// A sentence that becomes part of one.
fn part(why: &Complaint) -> String {
    why.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::random::opened;
    use super::*;
    use crate::stage::Stage;
    use crate::state::view_options::{SWEEP_VALUES, SWEEP_WHAT, ViewOption};
    use crate::state::{AnalysesAction, ViewAction};
    use std::rc::Rc;
    use switchyard::report::Distribution;

    fn state(link: &str, options: &[(&'static ViewOption, &str)]) -> (AppState, Link) {
        let mut state = opened(&Link::parse(link));
        for (option, value) in [(&SWEEP_WHAT, "capacity")].iter().chain(options) {
            state.apply(ViewAction::SetOption(option, (*value).to_owned()));
        }
        let shown = Link::of(&state, &Stage::default());
        (state, shown)
    }

    const LAB: &str = "sample=lab&run=fifo&run=srtf&cluster=4x4";

    /// Waits that fall with every node, to an hour at `enough`.
    fn summary(nodes: u32, enough: u32) -> Summary {
        Summary {
            jobs: 9,
            finished: 9,
            queueing: Distribution {
                p95: 3600.0 * f64::from(enough) / f64::from(nodes),
                ..Distribution::default()
            },
            ..Summary::default()
        }
    }

    /// Carries a search to its end in the page's state.
    fn searched(state: &mut AppState, shown: &Link, enough: [u32; 2]) -> Rc<Sweep> {
        let (sweep, mut searching) = state.searching(shown).expect("it can be searched");
        state.apply(AnalysesAction::Swept(Ok(Rc::new(sweep))));
        let (mut more, mut waiting) = searching.more();
        loop {
            state.apply(AnalysesAction::SweptMore(more));
            let Some((at, order)) = waiting.pop() else {
                break;
            };
            let line = usize::from(order.spec.policy.name() == "srtf");
            let outcome = Ok(summary(order.spec.cluster.nodes(), enough[line]));
            searching.take(at, &outcome);
            state.apply(AnalysesAction::SweptRun(at, outcome));
            let further;
            (more, further) = searching.more();
            waiting.extend(further);
        }
        let sweep = state.analyses.sweep.clone();
        sweep.expect("there is one").expect("it went well")
    }

    #[test]
    fn each_scheduler_has_its_answer_and_each_run_its_link() {
        let (mut state, shown) = state(LAB, &[]);
        assert_eq!(state.sweep_values(), "1..16");
        let sweep = searched(&mut state, &shown, [11, 5]);
        let told = |at: usize| sweep.answers[at].as_str();
        let fifo = "FIFO: 11 nodes for p95 queueing delay of at most 60 min: it is 60 min; with 10 it is 66 min.";
        assert_eq!(told(0), fifo);
        assert!(
            told(1).contains(": 5 nodes for p95 queueing delay "),
            "{}",
            told(1)
        );
        assert_eq!(sweep.done(), sweep.points.len());
        for (at, point) in sweep.points.iter().enumerate() {
            let nodes: u32 = sweep.values[point.value].parse().unwrap();
            let link = Link::parse(&point.row.link);
            assert_eq!(link.cluster.map(|of| of.nodes()), Some(nodes));
            assert_eq!(point.row.point as usize, at);
            let name = if point.line == 0 { "fifo" } else { "srtf" };
            assert_eq!(point.row.scheduler, name);
        }
        assert_eq!(sweep.csv().lines().count(), 1 + sweep.points.len());
        // The chart marks them.
        let sought = sweep.sought.as_ref().expect("it is a search");
        assert_eq!((sought.metric, sought.bound), ("queueing_p95", 3600.0));
        let of_link = |link: &str| Link::parse(link).cluster.map(|of| of.nodes());
        let found = sought.found.iter().map(|of| (of.nodes, of_link(&of.link)));
        assert_eq!(found.collect::<Vec<_>>(), [(11, Some(11)), (5, Some(5))]);
    }

    #[test]
    fn what_cannot_be_a_cluster_counts_as_not_enough() {
        let (mut state, shown) = state(
            "sample=lab&run=fifo&cluster=4x4/racks=4",
            &[(&SWEEP_VALUES, "1..16")],
        );
        let sweep = searched(&mut state, &shown, [2, 2]);
        assert!(
            sweep.answers[0].starts_with("FIFO: 4 nodes for "),
            "{:?}",
            sweep.answers
        );
        assert!(
            sweep.answers[0].contains("; with 3 the run fails: "),
            "{:?}",
            sweep.answers
        );
        // What is no cluster is no run.
        let nodes = sweep.values.iter().map(|of| of.parse::<u32>().unwrap());
        assert_eq!(nodes.min(), Some(4));
        assert_eq!(sweep.done(), sweep.points.len());
        let (mut state, shown) = self::state(
            "sample=lab&run=fifo&cluster=4x4/racks=4",
            &[(&SWEEP_VALUES, "1..3")],
        );
        let sweep = searched(&mut state, &shown, [2, 2]);
        assert!(sweep.points.is_empty());
        assert!(
            sweep.answers[0].starts_with("FIFO: even 3 nodes are not enough "),
            "{:?}",
            sweep.answers
        );
        assert_eq!(sweep.sought.as_ref().map(|of| of.found.len()), Some(0));
    }

    #[test]
    fn the_question_is_in_the_link() {
        let options = [
            (&SWEEP_VALUES, "2..9"),
            (&SWEEP_METRIC, "goodput"),
            (&SWEEP_BOUND, "60%"),
        ];
        let (asked, shown) = state(LAB, &options);
        let again = opened(&Link::parse(&shown.fragment()));
        assert_eq!(
            (again.varied(), again.sweep_values()),
            (Vary::Capacity, "2..9".to_owned())
        );
        let bound = |state: &AppState| state.bound(state.option(&SWEEP_BOUND)).map(|of| of.words());
        assert_eq!(bound(&again), Ok("goodput of at least 60 %".to_owned()));
        assert_eq!(bound(&asked), bound(&again));
    }

    #[test]
    fn what_cannot_be_searched_is_said() {
        let why = |options: &[(&'static ViewOption, &str)]| {
            let (state, shown) = state(LAB, options);
            state.searching(&shown).expect_err("it cannot").to_string()
        };
        for range in ["8", "0..8", "9..8", "a..b", "1..2.5"] {
            let said = why(&[(&SWEEP_VALUES, range)]);
            assert_eq!(
                said,
                format!("'{range}' is no range of nodes: write 1..64 for 1 to 64.")
            );
        }
        assert!(why(&[(&SWEEP_BOUND, "soon")]).contains("cannot be bounded by 'soon'"));
        assert!(why(&[(&SWEEP_METRIC, "speed")]).starts_with("there is no metric 'speed'"));
    }
}
