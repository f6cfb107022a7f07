use super::super::random::{self, Random, opened};
use super::*;
use crate::bridge::protocol::{Choice, Facets};
use crate::complaint::Complaint;
use crate::stage::Stage;
use crate::state::{
    NoticesAction, OpeningAction, PanelsAction, Phase, RunsAction, TraceInfo, ViewAction,
    default_cluster,
};
use std::sync::Arc;
use switchyard::engine::SimOptions;
use switchyard::placement::Strategy;
use switchyard::policies::Explanation;
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::workload::{GpuGeneration, Sample, Workload};
use switchyard::{Settings, Time};

fn state() -> AppState {
    AppState::from_link(&Link::parse(""))
}

#[test]
fn removing_the_baseline_chooses_another() {
    let mut state = state();
    let (first, second) = (state.runs.list[0].id, state.runs.list[1].id);
    state.apply(RunsAction::Baseline(first));
    state.apply(Action::Remove(first));
    assert_eq!(state.runs.baseline, second);
}

#[test]
fn ids_are_never_used_twice() {
    let mut state = state();
    let last = state.runs.list.last().unwrap().id;
    state.apply(Action::Remove(last));
    state.apply(RunsAction::Add(Box::new("fifo".parse().unwrap())));
    assert!(state.runs.list.last().unwrap().id > last);
}

#[test]
fn a_refused_trace_leaves_the_open_one() {
    let mut state = state();
    let Action::Opened { info, .. } = sample("lab") else {
        unreachable!("it opens")
    };
    state.apply(Action::Opened {
        info: info.clone(),
        cluster: default_cluster(),
        origin: Origin::Trace,
        profiles: Vec::new(),
        experiment: None,
    });
    state.apply(OpeningAction::Begun("bad.csv".into(), 5));
    state.apply(OpeningAction::Reading(5, 2));
    assert_eq!(
        state.opening.progress.as_ref().map(|opening| opening.rows),
        Some(2)
    );
    state.apply(Action::Refused(Refused::file("no".into())));
    assert_eq!(state.opening.trace, Some(info));
    assert_eq!(state.opening.source, Source::Sample("lab".into()));
    assert_eq!(state.opening.refused, Some(Refused::file("no".into())));
    assert_eq!(state.opening.progress, None);
}

#[test]
fn a_refusal_goes_when_a_link_is_followed() {
    let mut state = state();
    state.panels.drawer = true;
    state.apply(Action::Refused(Refused::file("no".into())));
    assert!(state.opening.refused.is_some() && !state.panels.drawer);
    state.apply(Action::Follow(Box::new(Link::parse("v=1&sample=fleet"))));
    assert_eq!(state.opening.refused, None);
}

#[test]
fn what_comes_and_goes_beside_a_scheduler_leaves_its_hue() {
    let hues = |state: &AppState| state.runs.iter().map(Run::hue).collect::<Vec<_>>();
    let mut state = AppState::from_link(&Link::parse("v=1&run=fifo&run=las&run=srtf"));
    assert_eq!(hues(&state), [0, 1, 2]);
    let outage = "0:60..3600".parse::<Outages>().unwrap();
    let outage = *outage.iter().next().unwrap();
    state.apply(RunsAction::Break(state.runs.list[0].id, outage));
    assert_eq!(hues(&state), [0, 3, 1, 2]);
    state.apply(Action::Remove(state.runs.list[0].id));
    assert_eq!(hues(&state), [3, 1, 2]);
    let link = Link::of(&state, &Stage::default());
    let again = AppState::from_link(&Link::parse(&link.fragment()));
    assert_eq!(hues(&again), hues(&state));
    state.apply(RunsAction::Add(Box::new("fifo".parse().unwrap())));
    assert_eq!(hues(&state), [3, 1, 2, 0]);
    // Whoever goes back gets the colours that were there.
    state.apply(Action::Follow(Box::new(Link::parse(
        "v=1&run=las&run=srtf",
    ))));
    assert_eq!(hues(&state), [0, 1]);
}

#[test]
fn weights_of_ones_own_are_gone_by_until_they_are_let_go_of() {
    let mut state = state();
    let choice: WeightsChoice = "00000000000000ff".parse().expect("sound");
    let first = state.runs.list[0].id;
    state.apply(RunsAction::CannotBegin(first, "without weights".into()));
    let opened =
        |name: &str, policy: &str| Action::OpenedWeights(choice, name.into(), policy.parse().ok());
    let cards = state.runs.list.len();
    state.apply(opened("a.safetensors", "rl-picker[weights=gpu]"));
    assert_eq!(state.setup.settings.options.weights, choice);
    assert_eq!(state.runs.list[0].phase, Phase::Waiting);
    let notice = state.notices.notice.clone().unwrap_or_default();
    assert_eq!(notice, "rl-picker[weights=gpu] now goes by a.safetensors.");
    // Nobody went by them, and now somebody does.
    assert_eq!(state.runs.list.len(), cards + 1);
    // The same file again is no second one.
    state.apply(opened("b.safetensors", "rl-picker[weights=gpu]"));
    assert_eq!(
        state.opening.weights,
        [(choice, "b.safetensors".to_owned())]
    );
    assert_eq!(state.runs.list.len(), cards + 1);
    // Another picker's.
    state.apply(opened("b.safetensors", "rl-picker"));
    assert_eq!(state.runs.list.len(), cards + 2);
    state.apply(Action::ForgotWeights(choice));
    assert!(state.opening.weights.is_empty());
    let shipped = WeightsChoice::Shipped;
    assert_eq!(state.setup.settings.options.weights, shipped);
}

#[test]
fn outages_of_a_file_take_the_place_of_others_and_must_fit() {
    let mut state = state();
    let of = |text: &str| Action::OpenedOutages(text.parse().expect("sound"));
    state.apply(of("0:1..2"));
    assert!(
        state
            .notices
            .notice
            .as_ref()
            .is_some_and(|of| !of.contains("place"))
    );
    state.apply(of("1:1..2,1:3.."));
    assert!(
        state
            .notices
            .notice
            .as_ref()
            .is_some_and(|of| of.contains("of 1 before"))
    );
    assert_eq!(state.setup.settings.outages.len(), 2);
    state.apply(of("99:1..2"));
    assert!(
        state
            .notices
            .notice
            .is_some_and(|of| of.contains("there is no node 99"))
    );
}

#[test]
fn an_experiment_brings_all_its_settings() {
    let mut state = state();
    let options = &mut state.setup.settings.options;
    options.restart_by_model = true;
    options.spread_slowdown = GpuGeneration::named("k80");
    options.seed = 3;
    let Action::Opened { info, .. } = sample("mine") else {
        unreachable!("it opens")
    };
    let policies = ["srtf", "no-such", "fifo[backfill=true]"];
    let expected = Settings {
        placement: Strategy::SPREAD,
        options: SimOptions {
            restart_cost: 30.0,
            spread_slowdown: GpuGeneration::named("v100"),
            ..SimOptions::default()
        },
        ..Settings::default()
    };
    state.apply(Action::Opened {
        info,
        cluster: default_cluster(),
        origin: Origin::Trace,
        profiles: Vec::new(),
        experiment: Some(Box::new(Experiment {
            policies: policies.map(String::from).to_vec(),
            settings: expected.clone(),
            ..Experiment::default()
        })),
    });
    let policies: Vec<String> = state.runs.iter().map(|c| c.policy.to_string()).collect();
    assert_eq!(policies, ["srtf", "fifo[backfill=true]"]);
    assert_eq!(state.runs.baseline, state.runs.list[0].id);
    assert_eq!(state.setup.settings, expected);
    let notice = state.notices.notice.unwrap();
    assert!(notice.contains("no-such: "), "{notice}");
}

fn sample(name: &str) -> Action {
    Action::Opened {
        info: Rc::new(TraceInfo {
            name: name.into(),
            source: Source::Sample(name.into()),
            file_cluster: (default_cluster(), Origin::Trace),
            format: "sample".into(),
            title: name.into(),
            report: None,
            charts: Vec::new(),
            facets: Facets::default(),
            choice: Choice::default(),
            columns: None,
            remembered: false,
            stored: None,
            members: Vec::new(),
            member: None,
            adaptive: false,
            tells_runs: false,
            jobs: 1,
            gpu_hours: 1.0,
            span_days: 1.0,
            epoch: None,
        }),
        cluster: default_cluster(),
        origin: Origin::Trace,
        profiles: Vec::new(),
        experiment: None,
    }
}

/// A state's experiment with some jobs, written to a file and opened by another page.
#[test]
fn any_state_reopens_from_its_file() {
    let mut jobs = Sample::named("lab").expect("it is there").workload();
    jobs.jobs.truncate(6);
    let hashes = |state: &AppState, workload: &Workload| {
        let workload = match state.applications() {
            Some(settings) => settings
                .bind(workload.clone())
                .map_err(|why| why.to_string())?,
            None => workload.clone(),
        };
        let workload = Arc::new(workload);
        let hash = |run: &Run| {
            let mut run = state.run_spec(run).start(workload.clone());
            run.run().map_err(|why| why.to_string())?;
            Ok(run.log().hash())
        };
        state
            .runs
            .iter()
            .map(hash)
            .collect::<Result<Vec<_>, Complaint>>()
    };
    let mut ran = 0;
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut state = opened(&random.link());
        random.enrich(&mut state);
        let mut text = String::new();
        let own = state.experiment();
        own.write(&jobs, &mut text).expect("in memory");
        let file = SourceFile {
            name: "again.csv",
            bytes: text.as_bytes(),
        };
        let Ok(Opened::Trace(mut trace)) = open(&[file], &OpenOptions::default()) else {
            panic!("{text}");
        };
        let experiment = Experiment::of(&trace).expect("sound settings");
        let mut again = AppState::from_link(&random.link());
        // No file says how large a log may become where it is opened.
        again.setup.settings.options.log_budget = state.setup.settings.options.log_budget;
        again.apply(Action::Opened {
            info: state.opening.trace.clone().expect("it is open"),
            cluster: trace.cluster.clone().expect("the file names it"),
            origin: Origin::Trace,
            profiles: Vec::new(),
            experiment: experiment.map(Box::new),
        });
        assert_eq!(again.setup, state.setup, "{seed}");
        assert_eq!(again.experiment(), state.experiment(), "{seed}");
        let workload = trace.take_workload();
        let expected = hashes(&state, &jobs);
        assert_eq!(hashes(&again, &workload), expected, "{seed}");
        ran += u32::from(expected.is_ok());
    }
    assert!(ran > 20, "{ran} of 40 run");
}

#[test]
fn another_trace_begins_with_all_of_its_jobs() {
    let of = |source: &str| Link::parse(&format!("v=1&file={source}&jobs-filter=tenant=a"));
    let mut state = opened(&of("a.csv"));
    let filter = |state: &AppState| state.option(&JOBS_FILTER).to_owned();
    assert_eq!(filter(&state), "tenant=a");
    state.apply(random::open(&of("a.csv")));
    assert_eq!(filter(&state), "tenant=a", "read anew");
    state.apply(random::open(&of("b.csv")));
    assert_eq!(filter(&state), "");
}

#[test]
fn a_link_is_followed_in_an_open_page() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut state = opened(&random.link());
        random.enrich(&mut state);
        state.apply(NoticesAction::Complain("any".into()));
        let (histories, before) = (state.setup.histories.clone(), state.clone());
        let link = random.link();
        state.apply(Action::Follow(Box::new(link.clone())));
        assert_eq!(
            state.opening.trace, before.opening.trace,
            "what is open stays"
        );
        assert!(state.notices.complaints.is_empty());
        state.apply(random::open(&link));
        state.apply(SelectionAction::Select(link.job));
        state.apply(SelectionAction::FollowJob(link.followed));
        state.apply(ViewAction::Light(link.lit));
        let filter = link.options.get(&JOBS_FILTER).to_owned();
        state.apply(ViewAction::SetOption(&JOBS_FILTER, filter));
        let shown = Link::of(&state, &Stage::default());
        let (time, speed) = (shown.time, shown.speed);
        assert_eq!(
            shown,
            Link {
                time,
                speed,
                ..link
            }
        );
        assert_eq!(state.setup.histories, histories);
    }
}

#[test]
fn runs_that_a_link_has_too_stay_as_they_are() {
    let done = Phase::Failed("any".into());
    let link = Link::parse("sample=lab&run=fifo&run=srtf");
    let mut state = opened(&link);
    for id in [0, 1] {
        state.apply(RunsAction::CannotBegin(id, "any".into()));
    }
    // Another view, another order, and a scheduler more.
    let other = Link::parse("sample=lab&run=srtf&run=sjf&run=fifo&view=jobs&job=2");
    state.apply(Action::Follow(Box::new(other)));
    let cards: Vec<(u32, bool)> = state
        .runs
        .iter()
        .map(|of| (of.id, of.phase == done))
        .collect();
    assert_eq!(cards, [(1, true), (2, false), (0, true)]);
    assert_eq!(
        (state.view.name.as_str(), state.selection.job),
        ("jobs", Some(JobId(2)))
    );
    // Other settings are other runs.
    let other = Link::parse("sample=lab&run=srtf&seed=4");
    state.apply(Action::Follow(Box::new(other)));
    assert_eq!(
        (state.runs.list[0].id, &state.runs.list[0].phase),
        (1, &Phase::Waiting)
    );
    // And so is the trace's own cluster in the place of a chosen one.
    let chosen = Link::parse("sample=lab&run=srtf&seed=4&cluster=1x8");
    state.apply(Action::Follow(Box::new(chosen)));
    state.apply(RunsAction::CannotBegin(1, "any".into()));
    state.apply(Action::Follow(Box::new(Link::parse(
        "sample=lab&run=srtf&seed=4",
    ))));
    assert_eq!(
        (
            state.setup.cluster.nodes(),
            state.opening.cluster_origin.clone()
        ),
        (3, Origin::Trace)
    );
    assert_eq!(state.runs.list[0].phase, Phase::Waiting);
}

#[test]
fn complaints_stay_until_they_are_read() {
    let link = Link::parse("#v=99&run=lifo&run=fifo");
    let mut state = opened(&link);
    assert_eq!(state.notices.complaints.len(), 2);
    state.apply(NoticesAction::Notice(None));
    state.apply(NoticesAction::Complain("t=9: too late.".into()));
    assert_eq!(state.notices.complaints.len(), 3);
    state.apply(NoticesAction::ReadComplaints);
    assert!(state.notices.complaints.is_empty());
}

#[test]
fn the_guide_closes_with_its_sample() {
    let mut state = state();
    let before: Vec<u32> = state.runs.iter().map(|run| run.id).collect();
    state.apply(PanelsAction::Guide(Some(0)));
    state.apply(sample(GUIDED));
    assert_eq!(state.panels.guide, Some(0));
    let policies: Vec<String> = state.runs.iter().map(|c| c.policy.to_string()).collect();
    assert_eq!(policies, GUIDED_SCHEDULERS);
    assert!(state.runs.iter().all(|run| !before.contains(&run.id)));
    assert_eq!(state.runs.baseline, state.runs.list[0].id);
    state.apply(sample("lab"));
    assert_eq!(state.panels.guide, None);
}

#[test]
fn a_link_to_the_guided_sample_keeps_its_schedulers() {
    let mut state = AppState::from_link(&Link::parse("#v=1&sample=three-jobs&run=fifo"));
    state.apply(sample(GUIDED));
    assert_eq!(state.runs.list.len(), 1);
    assert_eq!(state.runs.list[0].policy.to_string(), "fifo");
}

#[test]
fn a_run_of_settings_before_those_of_now_is_heard_no_more() {
    let mut state = opened(&Link::parse("sample=lab&run=fifo"));
    let at = |done: u32| switchyard::engine::SimulationProgress {
        now: Time::ZERO,
        done,
        jobs: 240,
    };
    state.apply(RunsAction::Began(0, 240));
    state.apply(RunsAction::Progress(0, at(100)));
    assert_eq!(state.runs.list[0].phase, Phase::Running(at(100)));
    let another = Link::parse("sample=lab&run=fifo&cluster=4x4");
    state.apply(Action::Follow(Box::new(another)));
    assert_eq!(state.runs.list[0].phase, Phase::Waiting);
    // Its worker does not know yet.
    state.apply(RunsAction::Progress(0, at(200)));
    assert_eq!(state.runs.list[0].phase, Phase::Waiting);
    state.apply(RunsAction::BrokeOff(0, "any".into()));
    assert_eq!(state.runs.list[0].phase, Phase::Waiting);
}

#[test]
fn jobs_adapt_under_all_schedulers_or_none() {
    let mut state = Rc::new(state());
    let first = state.runs.list[0].id;
    let done = Phase::Failed("any".into());
    state = state.reduce(RunsAction::CannotBegin(first, "any".into()).into());
    state = state.reduce(RunsAction::Add(Box::new("srtf".parse().unwrap())).into());
    assert_eq!(state.runs.list[0].phase, done);
    assert!(state.applications().is_none());
    state = state.reduce(RunsAction::Add(Box::new("pollux".parse().unwrap())).into());
    assert_eq!(state.runs.list[0].phase, Phase::Waiting);
    assert!(state.applications().is_some());
    state = state.reduce(RunsAction::CannotBegin(first, "any".into()).into());
    state = state.reduce(RunsAction::Add(Box::new("optimus".parse().unwrap())).into());
    assert_eq!(state.runs.list[0].phase, done);
}

#[test]
fn a_stale_explanation_is_dropped() {
    let mut state = state();
    state.apply(SelectionAction::Select(Some(JobId(3))));
    let explanation = Explanation::new(switchyard::policies::Verdict::Runs, Vec::new());
    state.apply(SelectionAction::Explained(
        0,
        JobId(2),
        Time::ZERO,
        Box::new(explanation),
    ));
    assert!(state.selection.explanations.is_empty());
}

#[test]
fn a_scheduler_is_the_reason_why_jobs_train_only_where_nothing_else_is() {
    let page = |policy: &str| opened(&Link::parse(&format!("sample=lab&run=fifo&run={policy}")));
    let plain = page("srtf");
    assert!(!plain.adapts() && plain.why_trained().is_none());
    let mut adapted = page("pollux");
    assert!(adapted.adapts());
    assert!(
        adapted
            .why_trained()
            .is_some_and(|why| why.contains("Pollux"))
    );
    // The settings say so, whatever stands in the list.
    adapted.setup.settings.applications_mut().always = true;
    assert!(adapted.adapts() && adapted.why_trained().is_none());
}
