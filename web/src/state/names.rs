//! What tells runs apart. Their names: as people have given them, else their policy's title, with as much
//! of what was changed as tells them from one another. Their hues: each keeps its own for as long as it is
//! in the list. In: the schedulers of the list. Out: a name and a hue each, no two alike.

use super::run::Run;
use crate::draw::format::{cut, duration};
use std::collections::BTreeSet;
use std::rc::Rc;
use switchyard::outages::{Outage, OutageKind};

/// Between a run's name and what is different besides.
const ASIDE: &str = " · ";

/// Characters of changed parameters that a name shows.
const ROOM: usize = 30;

/// A name may have as many characters.
const LONGEST: usize = 60;

/// A name as a person gave it, fit for one line.
pub(super) fn plain(given: &str) -> String {
    let plain = given.replace(char::is_control, " ");
    plain.trim().chars().take(LONGEST).collect()
}

/// The name and the hue that tell each run from the others.
pub(super) fn distinctions(runs: &[Rc<Run>]) -> Vec<(String, u32)> {
    let hues = hues(runs.iter().map(|run| run.hue));
    names(runs).into_iter().zip(hues).collect()
}

/// A hue for each: its own, if it has one that none before it has, else the lowest that nobody has.
fn hues(own: impl Iterator<Item = Option<u32>>) -> Vec<u32> {
    let mut taken = BTreeSet::new();
    let own: Vec<Option<u32>> = own
        .map(|hue| hue.filter(|hue| taken.insert(*hue)))
        .collect();
    let mut free = (0..).filter(|hue| !taken.contains(hue));
    let hues = own.into_iter().map(|hue| hue.or_else(|| free.next()));
    hues.flatten().collect()
}

/// The hues as links say them: none where they follow from the order.
pub(super) fn hues_in_links(cards: &[Rc<Run>]) -> Vec<Option<u32>> {
    let in_order = (0..)
        .zip(cards)
        .all(|(at, card): (u32, _)| card.hue == Some(at));
    let said = cards.iter().map(|card| card.hue.filter(|_| !in_order));
    said.collect()
}

/// A name for each of them, in order.
pub(super) fn names(cards: &[Rc<Run>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(cards.len());
    for card in cards {
        let name = match card.given.as_str() {
            "" => of_policy(card, cards),
            given => given.to_owned(),
        };
        names.push(name);
    }
    for i in (0..names.len()).rev() {
        let earlier = names[..i].iter().filter(|name| **name == names[i]).count();
        if earlier > 0 {
            names[i].push_str(&format!(" #{}", earlier + 1));
        }
    }
    names
}

/// The policy's title, what was changed, and what is different besides.
fn of_policy(card: &Run, cards: &[Rc<Run>]) -> String {
    let policy = &card.policy;
    let entry = policy.entry();
    let alike = |other: &&Rc<Run>| other.policy.name() == policy.name() && other.given.is_empty();
    let mut changed = String::new();
    // What a script is changed in tells nobody anything.
    for (info, value) in policy.given().filter(|_| !entry.scripted) {
        let others = cards.iter().filter(alike);
        let differs = |other: &Rc<Run>| other.policy.value(info.name).as_ref() != Some(&value);
        let is_alone = cards.iter().filter(alike).count() == 1;
        if is_alone || others.into_iter().any(differs) {
            let comma = if changed.is_empty() { "" } else { ", " };
            changed += comma;
            match value.as_str() {
                "true" => changed += info.name,
                value => changed += &format!("{}={value}", info.name),
            }
        }
    }
    let called = policy.user_code().map(|of| of.name);
    let called = called.filter(|name| !name.is_empty());
    let mut name = called.unwrap_or(entry.title).to_owned();
    if !changed.is_empty() {
        name += &format!(" ({})", cut(&changed, ROOM));
    }
    for outage in policy.what_if().iter() {
        name += &aside(outage);
    }
    name
}

/// Which node dies where it is asked what would be then: ` · node 7 down for 60 min`.
fn aside(outage: &Outage) -> String {
    let span = match outage.to.seconds() - outage.from.seconds() {
        seconds if seconds.is_finite() => format!("for {}", duration(seconds)),
        _ => "for good".to_owned(),
    };
    let state = match outage.kind {
        OutageKind::Failure => "down",
        OutageKind::Drain => "drained",
    };
    format!("{ASIDE}node {} {state} {span}", outage.node)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_of(specs: &[(&str, &str)]) -> Vec<String> {
        let card = |(spec, given): &(&str, &str)| {
            let mut card = Run::new(0, spec.parse().expect("a policy"));
            card.given = plain(given);
            Rc::new(card)
        };
        names(&specs.iter().map(card).collect::<Vec<_>>())
    }

    #[test]
    fn runs_go_by_their_titles_and_by_what_tells_them_apart() {
        let shown = names_of(&[("fifo", ""), ("tiresias-las[queues=2]", "")]);
        assert_eq!(shown, ["FIFO", "Tiresias 2D-LAS (queues=2)"]);
        let shown = names_of(&[("fifo", ""), ("fifo[backfill=true]", "")]);
        assert_eq!(shown, ["FIFO", "FIFO (backfill)"]);
        // What they share does not tell them apart.
        let shown = names_of(&[
            ("tiresias-las[queues=2,knob=2]", ""),
            ("tiresias-las[queues=2,knob=4]", ""),
        ]);
        assert_eq!(
            shown,
            ["Tiresias 2D-LAS (knob=2)", "Tiresias 2D-LAS (knob=4)"]
        );
        assert_eq!(
            names_of(&[("srtf", ""), ("srtf", "")])[1],
            "SRTF (oracle) #2"
        );
    }

    #[test]
    fn a_hue_stays_and_a_new_one_is_the_lowest_that_is_free() {
        let of = |own: &[Option<u32>]| hues(own.iter().copied());
        assert_eq!(of(&[None, None, None]), [0, 1, 2]);
        assert_eq!(of(&[Some(0), Some(2), None]), [0, 2, 1]);
        assert_eq!(of(&[Some(0), None, Some(1), Some(2)]), [0, 3, 1, 2]);
        assert_eq!(of(&[Some(5), Some(5)]), [5, 0]);
    }

    #[test]
    fn what_people_call_them_goes_before() {
        let shown = names_of(&[
            ("fifo", " Ours\nv2 "),
            ("fifo", ""),
            ("fifo if 7:0..3600", ""),
        ]);
        assert_eq!(shown, ["Ours v2", "FIFO", "FIFO · node 7 down for 60 min"]);
    }
}
