use super::*;
use crate::state::{AppState, Run};
use serde::Serialize;
use std::collections::BTreeSet;

const EMBED: &str = include_str!("../../../../static/embed.js");
const HANDLE: &str = include_str!("../../bin/app/page.rs");
/// The scripts that have the handle.
const SCRIPTS: [(&str, &str); 7] = [
    ("embed", EMBED),
    ("snippets", include_str!("../../../../static/snippets.js")),
    ("author", include_str!("../../../../static/author.js")),
    ("sweeps", include_str!("../../../../static/sweeps.js")),
    ("editor", include_str!("../../../editor/src/page.js")),
    ("panel", include_str!("../../../editor/src/panel.js")),
    ("explorer", include_str!("../../../explorer/src/page.js")),
];

fn names(answer: &impl Serialize) -> BTreeSet<String> {
    let answer = serde_json::to_value(answer).expect("numbers and texts");
    let object = answer.as_object().expect("it has names");
    object.keys().cloned().collect()
}

/// The names that `static/embed.js` has for the parts of an answer.
fn said(of: &str) -> BTreeSet<String> {
    let head = format!("@typedef {{object}} {of}\n");
    let (_, below) = EMBED.split_once(&head).expect("it is described");
    let (about, _) = below.split_once("*/").expect("a comment ends");
    let property = |line: &str| {
        let (_, rest) = line.split_once("@property {")?;
        let (_, named) = rest.split_once("} ")?;
        named.split_whitespace().next().map(str::to_owned)
    };
    about.lines().filter_map(property).collect()
}

fn is_of_a_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The methods of the handle that a script calls.
fn called(script: &str) -> BTreeSet<&str> {
    let calls = script.split("page.").skip(1).filter_map(|rest| {
        let end = rest.find(|letter| !is_of_a_name(letter))?;
        rest[end..].starts_with('(').then_some(&rest[..end])
    });
    calls.collect()
}

/// The methods of the handle, as scripts call them.
fn methods() -> BTreeSet<&'static str> {
    let (_, handle) = HANDLE.split_once("impl PageHandle {").expect("a handle");
    let mut renamed = None;
    let mut methods = BTreeSet::new();
    for line in handle.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("#[wasm_bindgen(js_name = ") {
            renamed = rest.strip_suffix(")]");
        } else if let Some(rest) = line.strip_prefix("pub fn ") {
            let own = rest.split('(').next();
            methods.extend(renamed.take().or(own));
        }
    }
    methods
}

#[test]
fn answers_have_the_names_that_scripts_know() {
    let state = AppState::from_link(&Link::parse(""));
    let look = PageState::at(&state, &Stage::default(), false);
    assert_eq!(names(&look), said("PageState"));
    let facts = RunFacts {
        name: String::new(),
        policy: String::new(),
        waiting: 0,
        running: 0,
        finished: 0,
        place: JobPhase::Nowhere,
    };
    assert_eq!(names(&facts), said("RunFacts"));
    let card = ListedRun::of(&Run::new(0, "fifo".parse().expect("a policy")));
    assert_eq!(names(&card), said("ListedRun"));
    let changed = ChangedJobs::of(&[5.0, 7.0, 9.0, 1.0], &[5.0, 2.0, f64::NAN, 7.0], |at| {
        at.to_string()
    });
    assert_eq!((changed.sooner, changed.later, changed.compared), (1, 1, 3));
    let order: Vec<&str> = changed.jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(order, ["3", "1"], "the largest first");
    assert_eq!(names(&changed), said("ChangedJobs"));
    assert_eq!(names(&changed.jobs[0]), said("ChangedJob"));
    let sought = Sought {
        metric: "queueing_p95",
        bound: 3600.0,
        found: Vec::new(),
    };
    assert_eq!(names(&sought), said("Sought"));
}

/// An article and its figures share no code: both part the schedulers of an attribute, and have to do so alike.
#[test]
fn articles_and_figures_part_schedulers_alike() {
    let view = include_str!("../../../../static/view.js");
    let [in_article, in_figure] = [view, EMBED].map(|script| {
        let (_, behind) = script.split_once(".split(/(?<!").expect("it parts them");
        let (pattern, _) = behind.split_once("/)").expect("the pattern ends");
        pattern
    });
    assert_eq!(in_article, in_figure);
}

#[test]
fn changes_and_places_have_the_names_that_scripts_know() {
    let (_, list) = EMBED
        .split_once("@typedef {\"")
        .expect("changes are described");
    let (list, _) = list.split_once("\"} Changed").expect("the list ends");
    let all = [
        Changed::Opening,
        Changed::Setup,
        Changed::Runs,
        Changed::View,
        Changed::Selection,
        Changed::Analyses,
        Changed::Notices,
        Changed::Time,
    ];
    let all = serde_json::to_value(all).expect("names");
    let said: Vec<&str> = list.split("\" | \"").collect();
    assert_eq!(all, serde_json::json!(said));
    let places = [
        JobPhase::Nowhere,
        JobPhase::Coming,
        JobPhase::Waiting,
        JobPhase::Running,
        JobPhase::Finished,
    ];
    for place in serde_json::to_value(places)
        .expect("names")
        .as_array()
        .expect("a list")
    {
        let (_, line) = EMBED.split_once("@property {\"\"").expect("places");
        let (line, _) = line.split_once("} place").expect("of a job");
        assert!(place == "" || line.contains(&place.to_string()), "{place}");
    }
}

#[test]
fn scripts_call_what_the_handle_has_and_all_of_it() {
    let methods = methods();
    let mut all = BTreeSet::new();
    // The panel has a module that is called like the handle.
    for (name, script) in SCRIPTS.iter().filter(|(name, _)| *name != "panel") {
        let called = called(script);
        let unknown: Vec<_> = called.difference(&methods).collect();
        assert!(unknown.is_empty(), "{name} calls {unknown:?}");
        all.extend(called);
    }
    assert_eq!(all, methods);
}

#[test]
fn scripts_hear_of_changes_and_do_not_look_again_and_again() {
    for (name, script) in SCRIPTS {
        assert!(!script.contains("setInterval"), "{name}");
    }
    assert!(!EMBED.contains("setTimeout"));
}

#[test]
fn something_that_is_under_way_is_neither_open_nor_done() {
    let state = crate::state::random::opened(&Link::parse("sample=lab&run=fifo"));
    let mut stage = Stage::default();
    let look = |stage: &Stage, is_under_way| PageState::at(&state, stage, is_under_way);
    assert!(look(&stage, false).open && !look(&stage, false).done);
    assert!(!look(&stage, true).open);
    // Before any run has come to the time shown there is nothing to see.
    assert!(!look(&stage, false).ready);
    (stage.clock.now, stage.clock.end) = (5.0, 4.0);
    assert!(!look(&stage, false).ready);
    stage.clock.end = 5.0;
    assert!(look(&stage, false).ready);
}
