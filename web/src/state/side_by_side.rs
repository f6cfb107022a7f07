//! Two experiments side by side: the runs of a link, or of a file, beside those of the page, and what
//! differs said in words. The other's runs are those of a [sweep](super::sweep): they leave their numbers
//! and a link each. (They are no cards of the page: all of these share one trace, one cluster and one set of
//! settings, which every view relies on.)

use super::attachments::Attachments;
use super::link::Link;
use super::names::names;
use super::sweep::{Order, Sweep, SweepPoint, Vary};
use super::{AppState, Run, Source, TraceInfo, settings};
use crate::bridge::protocol::Choice;
use crate::complaint::Complaint;
use crate::draw::format;
use std::rc::Rc;
use std::sync::Arc;
use switchyard::cluster::ClusterSpec;
use switchyard::workload::ApplicationSettings;

/// What stands for each side.
const SIDES: [&str; 2] = ["here", "there"];

/// What came with other jobs than the page's.
#[derive(Clone, Debug, Default)]
pub struct Brought {
    /// The trace, for people.
    pub title: String,
    /// How many jobs there are.
    pub jobs: usize,
    /// Whether they are adaptive.
    pub adaptive: bool,
    /// The cluster that came with them, or is suggested.
    pub cluster: Option<ClusterSpec>,
    /// What else came with them.
    pub attachments: Attachments,
}

/// Both sides, ready to run.
pub struct SideBySide {
    /// What is to be shown.
    pub sweep: Sweep,
    /// Its runs.
    pub orders: Vec<Order>,
    /// What adaptive jobs train there.
    pub applications: Option<Arc<ApplicationSettings>>,
}

/// What a person has pasted, as a link.
///
/// # Errors
///
/// What is no link, or is not understood, a sentence.
pub(crate) fn other_link(text: &str) -> Result<Link, Complaint> {
    let fragment = text.split_once('#').map_or("", |(_, fragment)| fragment);
    if !Link::is_one(fragment) {
        return Err("Paste the whole link, as Share copies it, or choose a file.".into());
    }
    let other = Link::parse(fragment);
    match &other.complaints[..] {
        [first, ..] => Err(format!("Not all of that link is understood: {first}").into()),
        [] => Ok(other),
    }
}

/// Whether two links show the same jobs, but for how fast they come.
pub(crate) fn has_jobs_of(one: &Link, other: &Link) -> bool {
    let jobs = |link: &Link| {
        let choice = link.choice.with("load", "");
        (link.source.clone(), link.member.clone(), choice)
    };
    jobs(one) == jobs(other)
}

impl Sweep {
    /// Two sides of which one is still being opened.
    pub fn to_come() -> Self {
        Self {
            vary: Vary::Link,
            title: "where".to_owned(),
            values: SIDES.map(str::to_owned).to_vec(),
            lines: Vec::new(),
            points: Vec::new(),
            differs: Vec::new(),
            answers: Vec::new(),
            sought: None,
            under_way: true,
        }
    }
}

impl AppState {
    /// The page's runs beside those of a link. `brought`: what came with the jobs there, where they are
    /// others than here.
    pub fn side_by_side(&self, shown: &Link, other: &Link, brought: Option<Brought>) -> SideBySide {
        let mut there = self.clone();
        let mut load = other.choice.load() / shown.choice.load();
        let mut own = self
            .opening
            .trace
            .as_ref()
            .map(|trace| trace.file_cluster.0.clone());
        let mut title = None;
        // An experiment that nobody has said more of brings its own settings and schedulers.
        let is_set_up = !other.says_runs
            && brought
                .as_ref()
                .is_some_and(|of| of.attachments.experiment.is_some());
        match brought {
            None => {
                let profiles = self.setup.settings.applications.profiles.clone();
                there.setup.settings = other.settings.clone();
                there.setup.settings.applications_mut().profiles = profiles;
            }
            Some(brought) => {
                // Its jobs come as they were chosen.
                load = 1.0;
                own = brought.cluster.clone();
                title = Some(there.stand_on(other, brought));
            }
        }
        if let Some(cluster) = other.cluster.clone().or(own) {
            there.setup.cluster = cluster;
        }
        let other = match is_set_up {
            false => other.clone(),
            true => Link {
                policies: there.runs.iter().map(|of| of.policy.clone()).collect(),
                names: there.runs.iter().map(|of| of.given.clone()).collect(),
                hues: vec![None; there.runs.list.len()],
                settings: there.setup.settings.clone(),
                cluster: Some(there.setup.cluster.clone()),
                ..other.clone()
            },
        };
        let mut sweep = Sweep::to_come();
        let mut orders = Vec::new();
        let none = String::new();
        let sides = [(self, shown, 1.0), (&there, &other, load)];
        for (value, (state, link, load)) in sides.into_iter().enumerate() {
            let link = Link {
                view: "yard".to_owned(),
                ..link.clone()
            };
            let given = link.names.iter().chain(std::iter::repeat(&none));
            let cards = link.policies.iter().zip(given).map(|(policy, given)| Run {
                given: given.clone(),
                ..Run::new(0, policy.clone())
            });
            let cards: Vec<Rc<Run>> = cards.map(Rc::new).collect();
            for (at, card) in cards.iter().enumerate() {
                let order = Order {
                    spec: state.run_spec(card),
                    load,
                    there: value == 1,
                };
                sweep.points.push(SweepPoint {
                    value,
                    line: sweep.lines.len() + at,
                    row: state.row(&link, &order),
                    outcome: None,
                });
                orders.push(order);
            }
            sweep.lines.extend(names(&cards));
        }
        if let (Some((there, jobs)), Some(trace)) = (title, &self.opening.trace) {
            sweep.differs.push(format!(
                "Jobs: {}, {} here, {there}, {} there.",
                trace.title,
                format::count(trace.jobs as u64),
                format::count(jobs as u64)
            ));
        }
        let settings = differences(self, shown, &there, &other);
        sweep.differs.extend(settings);
        if sweep.differs.is_empty() {
            let nothing = "Nothing differs in their settings.";
            sweep.differs.push(nothing.to_owned());
        }
        SideBySide {
            sweep,
            orders,
            applications: there.applications(),
        }
    }

    /// Takes what came with other jobs. Returns what to call them, and how many they are.
    fn stand_on(&mut self, link: &Link, brought: Brought) -> (String, usize) {
        let Brought {
            title,
            jobs,
            adaptive,
            cluster,
            mut attachments,
        } = brought;
        if link.says_runs {
            attachments = attachments.under_a_link();
        }
        self.setup.histories = attachments.histories.into_iter().map(Rc::new).collect();
        match attachments.experiment {
            Some(own) => self.set_up_as(own),
            None => self.setup.settings = link.settings.clone(),
        }
        if !attachments.profiles.is_empty() {
            self.take_profiles(attachments.profiles);
        }
        if !attachments.outages.is_empty() {
            self.setup.settings.outages = attachments.outages;
        }
        if let Some(trace) = &mut self.opening.trace {
            *trace = Rc::new(TraceInfo {
                adaptive,
                jobs,
                title: title.clone(),
                ..(**trace).clone()
            });
        }
        if let Some(cluster) = cluster {
            self.setup.cluster = cluster;
        }
        (title, jobs)
    }
}

/// A file of a person's as a link: under what the page has, unless it says otherwise itself.
pub(crate) fn link_to_file(name: &str, shown: &Link) -> Link {
    Link {
        source: Source::File(name.to_owned()),
        member: None,
        columns: None,
        choice: Choice::default(),
        cluster: None,
        says_runs: false,
        ..shown.clone()
    }
}

/// What differs, a sentence each.
fn differences(here: &AppState, shown: &Link, there: &AppState, other: &Link) -> Vec<String> {
    let mut said = Vec::new();
    let mut add = |name: &str, unit: &str, here: String, there: String| {
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" {unit}")
        };
        let worded = |value: String| match value.as_str() {
            "" => "none".to_owned(),
            "true" => "yes".to_owned(),
            "false" => "no".to_owned(),
            _ => format!("{value}{unit}"),
        };
        if here != there {
            said.push(format!(
                "{name}: {} here, {} there.",
                worded(here),
                worded(there)
            ));
        }
    };
    let cluster = |state: &AppState| state.setup.cluster.to_string();
    add("Cluster", "", cluster(here), cluster(there));
    let load = |link: &Link| link.choice.load().to_string();
    add("Load", "× as recorded", load(shown), load(other));
    for setting in settings::all() {
        let value = |state: &AppState| (setting.get)(&state.setup.settings);
        add(setting.label, setting.unit, value(here), value(there));
    }
    let definitions = |state: &AppState| state.setup.settings.applications.definitions.clone();
    if definitions(here) != definitions(there) {
        said.push("The applications that jobs train are defined otherwise.".to_owned());
    }
    for (one, two, place) in [(shown, other, "here"), (other, shown, "there")] {
        let only = one
            .policies
            .iter()
            .filter(|policy| !two.policies.contains(policy));
        let only: Vec<String> = only.map(ToString::to_string).collect();
        if !only.is_empty() {
            said.push(format!("Only {place}: {}.", only.join(", ")));
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::super::random::opened;
    use super::*;
    use crate::stage::Stage;
    use switchyard::outages::Outages;
    use switchyard_app::Experiment;

    fn page() -> (AppState, Link) {
        let state = opened(&Link::parse(
            "sample=lab&run=fifo&run=srtf&cluster=16x8&restart=30",
        ));
        let shown = Link::of(&state, &Stage::default());
        (state, shown)
    }

    #[test]
    fn what_differs_is_said_in_words_and_runs_there_are_as_the_link_has_them() {
        let link = "https://a.example/#v=1&sample=lab&run=fifo&run=fewest-gpus&cluster=8x8&load=2";
        let (state, shown) = page();
        let other = other_link(link).unwrap();
        assert!(has_jobs_of(&other, &shown));
        let SideBySide { sweep, orders, .. } = state.side_by_side(&shown, &other, None);
        assert_eq!(
            sweep.differs,
            [
                "Cluster: 16x8 here, 8x8 there.",
                "Load: 1 × as recorded here, 2 × as recorded there.",
                "Restart cost: 30 s here, 0 s there.",
                "Only here: srtf.",
                "Only there: fewest-gpus.",
            ]
        );
        let told: Vec<(String, u32, f64, f64)> = orders
            .iter()
            .map(|of| {
                let spec = &of.spec;
                (
                    spec.policy.to_string(),
                    spec.cluster.nodes(),
                    spec.options.restart_cost,
                    of.load,
                )
            })
            .collect();
        let expected = [
            ("fifo", 16, 30.0, 1.0),
            ("srtf", 16, 30.0, 1.0),
            ("fifo", 8, 0.0, 2.0),
            ("fewest-gpus", 8, 0.0, 2.0),
        ];
        assert_eq!(
            told,
            expected.map(|(name, nodes, cost, load)| (name.to_owned(), nodes, cost, load))
        );
    }

    #[test]
    fn an_experiment_brings_its_jobs_settings_and_schedulers() {
        let (state, shown) = page();
        let other = link_to_file("theirs.csv", &shown);
        assert!(!has_jobs_of(&other, &shown));
        let mut experiment = Experiment {
            policies: vec!["las".to_owned()],
            names: vec!["Theirs".to_owned()],
            ..Experiment::default()
        };
        experiment.settings.options.restart_cost = 60.0;
        let brought = |experiment| Brought {
            title: "Switchyard experiment".to_owned(),
            jobs: 12,
            cluster: Some("2x4".parse().unwrap()),
            attachments: Attachments::new(Vec::new(), Outages::default(), experiment),
            ..Brought::default()
        };
        let both = state.side_by_side(&shown, &other, Some(brought(Some(experiment))));
        let jobs = &both.sweep.differs[0];
        assert!(
            jobs.ends_with("here, Switchyard experiment, 12 there."),
            "{jobs}"
        );
        assert_eq!(both.sweep.differs[1], "Cluster: 16x8 here, 2x4 there.");
        assert!(
            both.sweep
                .differs
                .contains(&"Restart cost: 30 s here, 60 s there.".to_owned())
        );
        assert_eq!(both.sweep.lines[2..], ["Theirs"]);
        let last = both.orders.last().unwrap();
        assert_eq!(last.spec.policy.to_string(), "las");
        assert_eq!(
            (last.there, last.load, last.spec.cluster.nodes()),
            (true, 1.0, 2)
        );
        assert!(
            both.sweep.points[2].row.link.contains("file=theirs.csv"),
            "{}",
            both.sweep.points[2].row.link
        );

        // A trace alone runs as the page has it, on its own cluster.
        let both = state.side_by_side(&shown, &other, Some(brought(None)));
        let there: Vec<_> = both.orders.iter().filter(|of| of.there).collect();
        let told = there.iter().map(|of| of.spec.policy.to_string());
        assert_eq!(told.collect::<Vec<_>>(), ["fifo", "srtf"]);
        assert_eq!(there[0].spec.options.restart_cost, 30.0);
        assert_eq!(there[0].spec.cluster.nodes(), 2);
    }

    #[test]
    fn what_is_no_link_is_refused_in_words() {
        assert!(other_link("fifo").unwrap_err().contains("whole link"));
        let why = other_link("#run=lifo&sample=lab").unwrap_err();
        assert!(why.contains("no policy 'lifo'"), "{why}");
    }
}
