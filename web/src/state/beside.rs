//! Two links side by side: the runs of another beside those of the page, and what differs in their
//! settings said in words. The other's runs are those of a [sweep](super::sweep): they leave their numbers
//! and a link each. (They are no cards of the page: all of these share one cluster and one set of settings,
//! which every view relies on.)

use super::link::Link;
use super::names::names;
use super::sweep::{Order, Point, Sweep, Vary};
use super::{AppState, Card, settings};

/// What stands for each side.
const SIDES: [&str; 2] = ["here", "there"];

impl AppState {
    /// The page's runs beside those of a link that somebody has pasted.
    ///
    /// # Errors
    ///
    /// Why they cannot be compared, a sentence.
    pub(super) fn beside(&self, shown: &Link, text: &str) -> Result<(Sweep, Vec<Order>), String> {
        let fragment = text.split_once('#').map_or("", |(_, fragment)| fragment);
        if !Link::is_one(fragment) {
            return Err("Paste the whole link, as Share copies it.".to_owned());
        }
        let other = Link::parse(fragment);
        if let [first, ..] = &other.complaints[..] {
            return Err(format!("Not all of that link is understood: {first}"));
        }
        let jobs = |link: &Link| {
            (
                link.source.clone(),
                link.member.clone(),
                link.choice.with("load", ""),
            )
        };
        if jobs(&other) != jobs(shown) {
            let (there, here) = (other.source.name(), shown.source.name());
            return Err(format!(
                "That link shows jobs of {there}, this page those of {here}, or others of them: only runs of the same jobs can be compared."
            ));
        }
        let mut there = self.clone();
        let profiles = self.setup.settings.applications.profiles.clone();
        there.setup.settings = other.settings.clone();
        there.setup.settings.applications_mut().profiles = profiles;
        let own = self.trace.as_ref().map(|trace| trace.own_cluster.0.clone());
        if let Some(cluster) = other.cluster.clone().or(own) {
            there.setup.cluster = cluster;
        }
        let (mut points, mut orders, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        let none = String::new();
        let sides = [
            (self, shown, 1.0),
            (&there, &other, other.choice.load() / shown.choice.load()),
        ];
        for (value, (state, link, load)) in sides.into_iter().enumerate() {
            let link = Link {
                view: "yard".to_owned(),
                ..link.clone()
            };
            let given = link.names.iter().chain(std::iter::repeat(&none));
            let cards = link.policies.iter().zip(given).map(|(policy, given)| Card {
                given: given.clone(),
                ..Card::new(0, policy.clone())
            });
            let cards: Vec<Card> = cards.collect();
            for (at, card) in cards.iter().enumerate() {
                orders.push((state.run_spec(card), load));
                points.push(Point {
                    value,
                    line: lines.len() + at,
                    link: link.fragment(),
                    policy: card.policy.clone(),
                    outcome: None,
                });
            }
            lines.extend(names(&cards));
        }
        let sweep = Sweep {
            vary: Vary::Link,
            title: "where".to_owned(),
            values: SIDES.map(str::to_owned).to_vec(),
            lines,
            points,
            differs: differences(self, shown, &there, &other),
            under_way: true,
        };
        Ok((sweep, orders))
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
    if said.is_empty() {
        said.push("Nothing differs in their settings.".to_owned());
    }
    said
}

#[cfg(test)]
mod tests {
    use super::super::Action;
    use super::super::random::opened;
    use super::super::view_options::{SWEEP_VALUES, SWEEP_WHAT};
    use super::*;
    use crate::stage::Stage;

    fn beside(link: &str) -> Result<(Sweep, Vec<Order>), String> {
        let mut state = opened(&Link::parse(
            "sample=lab&run=fifo&run=srtf&cluster=16x8&restart=30",
        ));
        state.apply(Action::SetOption(&SWEEP_WHAT, "link".to_owned()));
        state.apply(Action::SetOption(&SWEEP_VALUES, link.to_owned()));
        state.sweep(&Link::of(&state, &Stage::default()))
    }

    #[test]
    fn what_differs_is_said_in_words_and_runs_there_are_as_the_link_has_them() {
        let link = "https://a.example/#v=1&sample=lab&run=fifo&run=sjf&cluster=8x8&load=2";
        let (sweep, orders) = beside(link).unwrap();
        assert_eq!(
            sweep.differs,
            [
                "Cluster: 16x8 here, 8x8 there.",
                "Load: 1 × as recorded here, 2 × as recorded there.",
                "Restart cost: 30 s here, 0 s there.",
                "Only here: srtf.",
                "Only there: sjf.",
            ]
        );
        let told: Vec<(String, u32, f64, f64)> = orders
            .iter()
            .map(|(spec, load)| {
                (
                    spec.policy.to_string(),
                    spec.cluster.nodes(),
                    spec.options.restart_cost,
                    *load,
                )
            })
            .collect();
        let expected = [
            ("fifo", 16, 30.0, 1.0),
            ("srtf", 16, 30.0, 1.0),
            ("fifo", 8, 0.0, 2.0),
            ("sjf", 8, 0.0, 2.0),
        ];
        assert_eq!(
            told,
            expected.map(|(name, nodes, cost, load)| (name.to_owned(), nodes, cost, load))
        );
    }

    #[test]
    fn other_jobs_are_not_compared() {
        let why = beside("x#v=1&sample=cluster&run=fifo").unwrap_err();
        assert!(why.contains("only runs of the same jobs"), "{why}");
        assert!(beside("fifo").unwrap_err().contains("whole link"));
        assert!(
            beside("#run=lifo&sample=lab")
                .unwrap_err()
                .contains("no policy 'lifo'")
        );
    }
}
