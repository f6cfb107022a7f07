//! The sweep that the view asks for: its values, and a run for each under each scheduler.

use super::link::Link;
use super::spec_edit::with_param;
use super::sweep::{Order, Sweep, SweepPoint, Vary};
use super::view_options::{SWEEP_RUN, SWEEP_VALUES, SWEEP_WHAT};
use super::{AppState, Run, settings};
use crate::bridge::protocol::Choice;
use crate::complaint::Complaint;
use crate::draw::format::significant;
use std::fmt::Display;
use switchyard::Setting;
use switchyard::policies::{ParamKind, PolicySpec};
use switchyard::queues::{change, text};
use switchyard::report::sweep::SweepRow;
use switchyard_app::capacity::usual_nodes;
use switchyard_app::resized::{fewest_nodes, with_nodes};

/// A sweep has at most so many runs.
const MOST_RUNS: usize = 200;

/// A range has at most so many values.
const MOST_VALUES: usize = 64;

impl Vary {
    /// What it is now, to begin with.
    fn now(&self, state: &AppState) -> String {
        match self {
            Self::Load => state.choice_of_jobs().load().to_string(),
            Self::Nodes => state.setup.cluster.nodes().to_string(),
            Self::Capacity | Self::Link => String::new(),
            Self::Setting(key) => {
                Setting::named(key).map_or_else(String::new, |of| (of.get)(&state.setup.settings))
            }
            Self::Param(name) => {
                let given = state.runs.iter().find_map(|card| card.policy.value(name));
                given.unwrap_or_default()
            }
            Self::Queue { field, queue } => {
                let tree = state.setup.settings.queues.tree.as_deref();
                let said = tree.and_then(|tree| change::value(tree, queue, field));
                said.unwrap_or_else(|| match field.rsplit('/').next() {
                    Some("weight" | "over") => "1".to_owned(),
                    _ => "0".to_owned(),
                })
            }
        }
    }

    /// The words that it takes, if it takes some of a few.
    fn words(&self, state: &AppState) -> Option<Vec<&'static str>> {
        let kind = match self {
            Self::Setting(key) => Setting::named(key)?.kind,
            Self::Param(name) => state.runs.iter().find_map(|card| {
                let params = card.policy.entry().params.iter();
                let mut named = params.filter(|param| param.name == name);
                Some(named.next()?.kind)
            })?,
            Self::Queue { field, .. } => {
                return Some(match field.as_str() {
                    "order" => vec!["best-effort-fifo", "strict-fifo"],
                    "within" => vec!["never", "lower-priority", "lower-or-newer-equal-priority"],
                    "reclaims" => vec!["never", "lower-priority", "any"],
                    "while-borrowing" => vec!["never", "lower-priority"],
                    _ => return None,
                });
            }
            Self::Load | Self::Nodes | Self::Capacity | Self::Link => return None,
        };
        match kind {
            ParamKind::OneOf(words) => Some(words.to_vec()),
            _ => None,
        }
    }

    /// Values that one may begin with: around what it is now.
    pub fn suggested(&self, state: &AppState) -> String {
        if let Some(words) = self.words(state) {
            return words.join(" ");
        }
        let now = self.now(state);
        match (self, now.parse::<f64>()) {
            (Self::Load, _) => "0.6..1.3/8".to_owned(),
            (Self::Link, _) => String::new(),
            (Self::Capacity, _) => {
                let usual = usual_nodes(&state.setup.cluster);
                format!("{}..{}", usual.start(), usual.end())
            }
            (Self::Nodes, Ok(nodes)) => {
                let fewest = f64::from(fewest_nodes(&state.setup.cluster));
                let [from, to] = [0.5, 1.5].map(|by| (nodes * by).round().max(fewest));
                format!("{from}..{to}/{}", (to - from + 1.0).min(8.0))
            }
            (Self::Queue { field, .. }, _) if field == "priority" => "0 10 100".to_owned(),
            (Self::Queue { field, .. }, number) if !matches!(&number, Ok(of) if *of > 0.0) => {
                match field.ends_with("min-runtime") {
                    true => "0 600 3600".to_owned(),
                    // No quota or limit yet, or all there is: parts of the cluster.
                    false => {
                        let gpus = f64::from(state.setup.cluster.gpus());
                        let parts =
                            [0.0, 0.25, 0.5, 1.0].map(|part| (gpus * part).round().to_string());
                        parts.join(" ")
                    }
                }
            }
            (Self::Setting("seed"), Ok(seed)) => format!("{seed}..{}/8", seed + 7.0),
            (_, Ok(number)) if number > 0.0 => {
                let values = [0.25, 0.5, 1.0, 2.0, 4.0].map(|by| significant(number * by));
                values.join(" ").replace(',', "")
            }
            (_, Ok(_)) => "0 10 30 60 120".to_owned(),
            _ if now == "true" || now == "false" => "false true".to_owned(),
            _ => now,
        }
    }
}

/// The values that a text lists: `1 2 4`, or `1..8/8` for eight from 1 to 8.
///
/// # Errors
///
/// What is wrong with it, a sentence.
pub fn values(text: &str) -> Result<Vec<String>, Complaint> {
    let mut values: Vec<String> = Vec::new();
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        match word.split_once("..") {
            None => values.push(word.to_owned()),
            Some((from, rest)) => values.extend(range(from, rest).ok_or_else(|| {
                Complaint::from(format!("'{word}' is no range: write 1..8/8 for eight values from 1 to 8, at most {MOST_VALUES}."))
            })?),
        }
    }
    match values.len() {
        0 => Err("Write the values, such as 1 2 4, or 1..8/8.".into()),
        some if some > MOST_VALUES => Err(format!("At most {MOST_VALUES} values.").into()),
        _ => Ok(values),
    }
}

fn range(from: &str, rest: &str) -> Option<Vec<String>> {
    let (to, steps) = rest.split_once('/')?;
    let [from, to]: [f64; 2] = [from.parse().ok()?, to.parse().ok()?];
    let steps: usize = steps.parse().ok()?;
    let is_sound = from.is_finite() && to.is_finite() && (2..=MOST_VALUES).contains(&steps);
    let whole = from.fract() == 0.0 && to.fract() == 0.0 && (to - from).abs() >= steps as f64 - 1.0;
    let value = |step: usize| {
        let value = from + (to - from) * step as f64 / (steps - 1) as f64;
        // Six decimals: enough for people, and no 0.30000000000000004.
        let unit = if whole { 1.0 } else { 1e6 };
        ((value * unit).round() / unit).to_string()
    };
    is_sound.then(|| (0..steps).map(value).collect())
}

impl AppState {
    /// Which jobs of the trace are taken.
    pub fn choice_of_jobs(&self) -> Choice {
        let choice = self
            .opening
            .trace
            .as_ref()
            .map(|trace| trace.choice.clone());
        choice.unwrap_or_default()
    }

    /// What the view asks to be varied.
    pub fn varied(&self) -> Vary {
        Vary::named(self.option(&SWEEP_WHAT)).unwrap_or(Vary::Load)
    }

    /// The values that the view asks for, as they were written or are suggested.
    pub fn sweep_values(&self) -> String {
        match self.option(&SWEEP_VALUES) {
            "" => self.varied().suggested(self),
            text => text.to_owned(),
        }
    }

    /// The schedulers that a sweep runs under.
    pub fn swept_cards(&self) -> Vec<&Run> {
        let only = self.option_run(&SWEEP_RUN);
        let vary = self.varied();
        let takes = |card: &&Run| match &vary {
            Vary::Param(name) => card.policy.value(name).is_some(),
            _ => true,
        };
        let cards = self.runs.iter().filter(takes);
        cards
            .filter(|card| only.is_none_or(|id| id == card.id))
            .collect()
    }

    /// A run as a row of a table, of which nothing is known yet.
    pub(super) fn row(&self, link: &Link, order: &Order) -> SweepRow {
        let spec = &order.spec;
        SweepRow {
            trace: self
                .opening
                .trace
                .as_ref()
                .map_or_else(String::new, |of| of.name.clone()),
            cluster: spec.cluster.to_string(),
            scheduler: spec.policy.name().to_owned(),
            policy: spec.policy.to_string(),
            load: link.choice.load(),
            seed: spec.options.seed,
            link: link.fragment(),
            ..SweepRow::default()
        }
    }

    /// The run of a scheduler with this value of what is varied, and its row.
    ///
    /// # Errors
    ///
    /// There is no such value, a sentence.
    pub(super) fn varied_run(
        &self,
        shown: &Link,
        vary: &Vary,
        value: &str,
        policy: &PolicySpec,
    ) -> Result<(Order, SweepRow), Complaint> {
        let refuse = |why: &dyn Display| {
            Complaint::from(format!("{} cannot be {value}: {why}.", vary.title()))
        };
        let mut link = Link {
            view: "yard".to_owned(),
            time: Some(0.0),
            job: None,
            ..shown.clone()
        };
        let (mut other, mut policy, mut load) = (self.clone(), policy.clone(), 1.0);
        match vary {
            Vary::Link | Vary::Capacity => {}
            Vary::Load => {
                let wanted = Choice::load_of(value).map_err(|why| refuse(&why))?;
                load = wanted / link.choice.load();
                link.choice = link.choice.with_load(wanted);
            }
            Vary::Nodes => {
                let nodes = value.parse().ok().filter(|nodes| *nodes >= 1.0);
                let nodes: f64 = nodes.ok_or_else(|| refuse(&"it is a number, 1 or more"))?;
                let cluster = with_nodes(&self.setup.cluster, nodes.round() as u32);
                other.setup.cluster = cluster.map_err(|why| refuse(&why))?;
                link.cluster = Some(other.setup.cluster.clone());
            }
            Vary::Setting(key) => {
                let setting = settings::all().find(|of| of.key == *key);
                let setting = setting.ok_or("There is no such setting.")?;
                setting
                    .take(&mut other.setup.settings, value)
                    .map_err(|why| refuse(&why))?;
                let taken = setting.take(&mut link.settings, value);
                taken.map_err(|why| refuse(&why))?;
            }
            Vary::Queue { field, queue } => {
                let none = || refuse(&"there is no tree of queues: give one among the settings");
                let tree = self
                    .setup
                    .settings
                    .queues
                    .tree
                    .as_deref()
                    .ok_or_else(none)?;
                let tree = change::changed(tree, queue, field, value);
                let tree = text::line(&tree.map_err(|why| refuse(&why))?);
                let setting = Setting::named("queues").ok_or("There is no such setting.")?;
                for settings in [&mut other.setup.settings, &mut link.settings] {
                    setting.take(settings, &tree).map_err(|why| refuse(&why))?;
                }
            }
            Vary::Param(name) => {
                let changed = with_param(&policy, name, value);
                policy = changed.map_err(|why| refuse(&why))?;
                if !link.policies.contains(&policy) {
                    link.policies.push(policy.clone());
                }
            }
        }
        let settings = match vary {
            Vary::Setting(key) if *key != "seed" => format!("{key}={value}"),
            // As grids say it.
            Vary::Queue { field, queue } => format!("queues.{queue}.{field}={value}"),
            _ => String::new(),
        };
        let order = Order {
            spec: other.run_spec(&Run::new(0, policy)),
            load,
            there: false,
        };
        let row = SweepRow {
            settings,
            ..self.row(&link, &order)
        };
        Ok((order, row))
    }

    /// The sweep that the view asks for, with its runs; `shown` is what the page shows, as a link.
    ///
    /// # Errors
    ///
    /// What cannot be run, a sentence.
    pub fn sweep(&self, shown: &Link) -> Result<(Sweep, Vec<Order>), Complaint> {
        let vary = self.varied();
        let values = values(&self.sweep_values())?;
        let cards = self.swept_cards();
        if cards.is_empty() {
            return Err("No scheduler in the list has this parameter: add one.".into());
        }
        if cards.len() * values.len() > MOST_RUNS {
            let why = format!("A sweep has at most {MOST_RUNS} runs: take fewer values.");
            return Err(why.into());
        }
        let (mut points, mut orders) = (Vec::new(), Vec::new());
        for (at, value) in values.iter().enumerate() {
            for (line, card) in cards.iter().enumerate() {
                let (order, row) = self.varied_run(shown, &vary, value, &card.policy)?;
                points.push(SweepPoint {
                    value: at,
                    line,
                    row: SweepRow {
                        point: points.len() as u32,
                        ..row
                    },
                    outcome: None,
                });
                orders.push(order);
            }
        }
        let sweep = Sweep {
            title: vary.title(),
            lines: cards.iter().map(|card| card.name().to_owned()).collect(),
            differs: Vec::new(),
            answers: Vec::new(),
            sought: None,
            under_way: true,
            vary,
            values,
            points,
        };
        Ok((sweep, orders))
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::opened;
    use super::*;
    use crate::state::ViewAction;
    use crate::state::view_options::ViewOption;
    use std::rc::Rc;
    use switchyard::report::Summary;
    use switchyard::report::sweep::csv_head;

    fn state(options: &[(&'static ViewOption, &str)]) -> AppState {
        let mut state = opened(&Link::parse(
            "sample=lab&run=fifo&run=tiresias-las&cluster=4x4",
        ));
        for (option, value) in options {
            state.apply(ViewAction::SetOption(option, (*value).to_owned()));
        }
        state
    }

    fn swept(options: &[(&'static ViewOption, &str)]) -> Result<(Sweep, Vec<Order>), Complaint> {
        let state = state(options);
        let shown = Link::of(&state, &crate::stage::Stage::default());
        state.sweep(&shown)
    }

    #[test]
    fn values_are_listed_or_a_range() {
        assert_eq!(values("1, 2 4").unwrap(), ["1", "2", "4"]);
        assert_eq!(values("1..8/8").unwrap().len(), 8);
        assert_eq!(values("0.5..1/3").unwrap(), ["0.5", "0.75", "1"]);
        assert_eq!(values("2..9/3").unwrap(), ["2", "6", "9"]);
        for wrong in ["", "1..2", "1..2/1", "a..b/3", "1..2/65"] {
            assert!(values(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_value_is_run_under_every_scheduler_and_has_its_link() {
        let (sweep, orders) = swept(&[(&SWEEP_WHAT, "nodes"), (&SWEEP_VALUES, "2 8")]).unwrap();
        let nodes: Vec<u32> = orders.iter().map(|of| of.spec.cluster.nodes()).collect();
        assert_eq!(nodes, [2, 2, 8, 8]);
        for (point, Order { spec, .. }) in sweep.points.iter().zip(&orders) {
            let link = Link::parse(&point.row.link);
            assert_eq!(link.cluster.as_ref(), Some(&spec.cluster));
            assert!(link.policies.contains(&spec.policy) && link.complaints.is_empty());
        }
        let (sweep, orders) =
            swept(&[(&SWEEP_WHAT, "set:seed"), (&SWEEP_VALUES, "1..3/3")]).unwrap();
        assert_eq!(
            orders
                .iter()
                .map(|of| of.spec.options.seed)
                .collect::<Vec<_>>(),
            [1, 1, 2, 2, 3, 3]
        );
        assert_eq!(
            Link::parse(&sweep.points[2].row.link).settings.options.seed,
            2
        );
        let (sweep, orders) = swept(&[(&SWEEP_VALUES, "0.5 2")]).unwrap();
        assert_eq!(
            orders.iter().map(|of| of.load).collect::<Vec<_>>(),
            [0.5, 0.5, 2.0, 2.0]
        );
        assert_eq!(Link::parse(&sweep.points[3].row.link).choice.load(), 2.0);
    }

    #[test]
    fn runs_that_are_over_are_rows_of_the_table_that_all_sweeps_have() {
        let vary = [(&SWEEP_WHAT, "set:restart_cost"), (&SWEEP_VALUES, "0 30")];
        let (sweep, _) = swept(&vary).unwrap();
        let mut sweep = Rc::new(sweep);
        let summary = Summary {
            jobs: 7,
            makespan: 1.5,
            ..Summary::default()
        };
        Sweep::note(&mut sweep, 1, Ok(summary));
        Sweep::note(&mut sweep, 2, Err("no \"room\", at all".into()));
        let csv = sweep.csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], csv_head());
        assert_eq!(lines.len(), 3, "one is not over: {csv}");
        assert!(lines[1].starts_with("1,lab,,4x4,tiresias-las,"), "{csv}");
        assert!(lines[1].contains(",restart_cost=0,,,,,"), "{csv}");
        let figure = |name| {
            let at = csv_head().split(',').position(|column| column == name);
            lines[1].split(',').nth(at.unwrap()).unwrap().parse::<f64>()
        };
        assert_eq!((figure("jobs"), figure("makespan")), (Ok(7.0), Ok(1.5)));
        assert!(
            lines[2].contains(",run,\"no \"\"room\"\", at all\",,"),
            "{csv}"
        );
    }

    #[test]
    fn a_parameter_is_varied_where_there_is_one() {
        let vary = [(&SWEEP_WHAT, "param:queues"), (&SWEEP_VALUES, "2 3 5")];
        let (sweep, orders) = swept(&vary).unwrap();
        assert_eq!((sweep.lines.len(), orders.len()), (1, 3));
        // The thresholds follow.
        assert_eq!(
            orders[2].spec.policy.to_string(),
            "tiresias-las[queues=5,thresholds=3250:7200:14400:28800]"
        );
        assert!(
            Link::parse(&sweep.points[2].row.link)
                .policies
                .contains(&orders[2].spec.policy)
        );
        let wrong = swept(&[(&SWEEP_WHAT, "param:queues"), (&SWEEP_VALUES, "many")]).unwrap_err();
        assert!(wrong.starts_with("queues cannot be many: "), "{wrong}");
        assert!(swept(&[(&SWEEP_WHAT, "param:nosuch")]).is_err());
    }

    const TREE: &str = "lab;vision,parent=lab,gpus=8,borrow=4,weight=2;a~20~3ab,parent=lab,gpus=8";

    fn with_tree(options: &[(&'static ViewOption, &str)]) -> (AppState, Link) {
        let mut link = Link::parse("sample=lab&run=kueue&cluster=4x4");
        let queues = Setting::named("queues").unwrap();
        queues.take(&mut link.settings, TREE).unwrap();
        let mut state = opened(&link);
        for (option, value) in options {
            state.apply(ViewAction::SetOption(option, (*value).to_owned()));
        }
        let shown = Link::of(&state, &crate::stage::Stage::default());
        (state, shown)
    }

    #[test]
    fn every_number_of_a_queue_is_varied_and_its_link_has_the_tree() {
        let vary = Vary::of_queue("gpus", "a :b");
        assert_eq!(Vary::named(&vary.name()), Some(vary.clone()));
        for (what, values, told) in [
            (
                vary,
                "4 12",
                ["a~20~3ab,parent=lab,gpus=4", "a~20~3ab,parent=lab,gpus=12"],
            ),
            (
                Vary::of_queue("gpus/borrow", "vision"),
                "0 8",
                ["gpus=8,borrow=0", "gpus=8,borrow=8"],
            ),
            (
                Vary::of_queue("gpus/lend", "vision"),
                "2 3",
                ["lend=2", "lend=3"],
            ),
            (
                Vary::of_queue("gpus/over", "vision"),
                "2 3",
                ["over=2", "over=3"],
            ),
            (
                Vary::of_queue("weight", "vision"),
                "0.5 3",
                ["weight=0.5", "weight=3"],
            ),
            (
                Vary::of_queue("priority", "vision"),
                "5 -5",
                ["priority=5", "priority=-5"],
            ),
            (
                Vary::of_queue("reclaim-min-runtime", "lab"),
                "60 90",
                ["lab,reclaim-min-runtime=60", "=90"],
            ),
            (
                Vary::of_queue("reclaims", "vision"),
                "any lower-priority",
                ["reclaims=any", "reclaims=lower-priority"],
            ),
        ] {
            let name = what.name();
            let (state, shown) = with_tree(&[(&SWEEP_WHAT, &name), (&SWEEP_VALUES, values)]);
            // The view's choice comes back from its link.
            let again = opened(&Link::parse(&shown.fragment()));
            assert_eq!(again.varied(), what, "{name}");
            let (sweep, orders) = state.sweep(&shown).unwrap();
            for ((order, point), told) in orders.iter().zip(&sweep.points).zip(told) {
                let tree = order.spec.queues.tree.as_deref().unwrap();
                assert!(
                    text::line(tree).contains(told),
                    "{name}: {}",
                    text::line(tree)
                );
                let link = Link::parse(&point.row.link);
                assert_eq!(link.settings.queues, order.spec.queues, "{name}");
                let (Vary::Queue { field, queue }, value) = (&what, &sweep.values[point.value])
                else {
                    panic!("{name}");
                };
                assert_eq!(
                    point.row.settings,
                    format!("queues.{queue}.{field}={value}")
                );
            }
            assert_eq!(orders.len(), 2);
        }
    }

    #[test]
    fn what_a_tree_refuses_is_said() {
        let why = |what: &str, values: &str| {
            let (state, shown) = with_tree(&[(&SWEEP_WHAT, what), (&SWEEP_VALUES, values)]);
            state.sweep(&shown).unwrap_err().to_string()
        };
        assert_eq!(
            why("queue:gpus:vision", "8 -1"),
            "gpus of vision cannot be -1: queue 'vision': gpus is '-1'; give a number from 0 to 1e12, or 'all'."
        );
        assert!(why("queue:gpus:speech", "8").contains("there is none; there are lab, vision, "));
        // A root has nobody to borrow from.
        assert!(why("queue:gpus/borrow:lab", "8").contains("no queue above it"));
        let none = swept(&[(&SWEEP_WHAT, "queue:gpus:vision"), (&SWEEP_VALUES, "8")]).unwrap_err();
        assert!(none.contains("there is no tree of queues"), "{none}");
    }

    #[test]
    fn values_are_suggested_that_can_be_run() {
        let mut all: Vec<String> = vec!["param:preemption".into(), "param:fair_sharing".into()];
        let (state, _) = with_tree(&[]);
        let tree = state.setup.settings.queues.tree.clone().unwrap();
        all.extend(
            change::fields(&tree)
                .iter()
                .map(|field| Vary::of_queue(field, "vision").name()),
        );
        for what in &all {
            let (state, shown) = with_tree(&[(&SWEEP_WHAT, what)]);
            let (sweep, orders) = state
                .sweep(&shown)
                .unwrap_or_else(|why| panic!("{what}: {why}"));
            assert!(sweep.values.len() > 1, "{what}: {:?}", sweep.values);
            let specs = || orders.iter().map(|of| (&of.spec.queues, &of.spec.policy));
            let differs = specs().any(|spec| Some(spec) != specs().next());
            assert!(differs, "{what}");
        }
        let (state, _) = with_tree(&[(&SWEEP_WHAT, "param:preemption")]);
        assert_eq!(state.sweep_values(), "queues none");
        let (state, _) = with_tree(&[(&SWEEP_WHAT, "queue:gpus:vision")]);
        assert_eq!(state.sweep_values(), "2 4 8 16 32");
        let (state, _) = with_tree(&[(&SWEEP_WHAT, "queue:gpus/lend:vision")]);
        assert_eq!(state.sweep_values(), "0 4 8 16");
    }
}
