//! Tests of links.

use super::*;
use crate::stage::Stage;
use crate::state::random::{Random, opened};
use crate::state::samples::SCENES;
use crate::state::{Action, AppState};
use std::sync::Arc;
use switchyard::engine::{LogBudget, SimOptions};
use switchyard::placement::Strategy;
use switchyard::queues::membership::QueueSettings;
use switchyard::queues::rules::By;
use switchyard::queues::text;
use switchyard::workload::{ApplicationSettings, GpuGeneration};

#[test]
fn the_data_centre_comes_with_what_it_shows() {
    let link = Link::parse("sample=data-centre");
    assert!(link.settings.options.contention);
    let names: Vec<String> = link.policies.iter().map(ToString::to_string).collect();
    assert_eq!(names, Scene::of("data-centre").unwrap().schedulers);
    for &scene in SCENES {
        let link = Link::parse(&format!("sample={}", scene.sample));
        assert_eq!(link.complaints, Vec::<String>::new(), "{}", scene.sample);
        assert_eq!(link.policies.len(), scene.schedulers.len());
        let settings = link.settings != Default::default();
        assert_eq!(settings, !scene.settings.is_empty());
    }
    let other = Link::parse("sample=data-centre&run=fifo");
    assert!(!other.settings.options.contention);
    assert_eq!(other.policies.len(), 1);
}

#[test]
fn a_link_reads_back_what_it_wrote() {
    let link = Link {
        source: Source::File("my trace & more (1).csv".into()),
        cluster: Some("8x8+4x4".parse().unwrap()),
        member: Some("day 2/jobs.csv".into()),
        columns: Some("submit=When,gpus=\"a, b\",unit=min".into()),
        choice: Choice(vec![
            ("window".into(), "60..3600".into()),
            ("tenant".into(), "a & b".into()),
            ("tenant".into(), "c".into()),
            ("unit".into(), "cores".into()),
            ("oversized".into(), "shrink".into()),
        ]),
        settings: Settings {
            placement: Strategy::SPREAD,
            options: SimOptions {
                restart_cost: 30.0,
                seed: 9,
                restart_by_model: true,
                equal_types: true,
                spread_slowdown: Some(GpuGeneration::V100),
                interference: 0.25,
                contention: true,
                sharing: true,
                servers: 0.5,
                first_start_pays: true,
                whole_second_epochs: true,
                mtbf: 1000.0,
                mttr: 4.5,
                failure_shape: 0.75,
                checkpoint_interval: 600.0,
                checkpoint_cost: 20.0,
                log_budget: LogBudget::of_bytes(250_000_000),
                replay_failures: false,
                weights: "0123456789abcdef".parse().unwrap(),
            },
            outages: "7:3600..7200,2:86400..:drain".parse().unwrap(),
            queues: QueueSettings {
                tree: Some(Arc::new(
                    text::read("lab;a~20~26~20b,parent=lab,gpus=8,borrow=4,weight=2").unwrap(),
                )),
                by: By::Account,
            },
            applications: Arc::new(ApplicationSettings {
                always: true,
                rule: "2: ncf; bert".into(),
                seed: 7,
                profiles: Vec::new(),
                definitions: Application::embedded()[1]
                    .to_json()
                    .map(|text| Application::compact_json(&text))
                    .into_iter()
                    .collect(),
            }),
        },
        policies: vec![
            "tiresias-las[queues=2,thresholds=57600]".parse().unwrap(),
            "srtf if 7:3600..7200".parse().unwrap(),
        ],
        names: vec!["Ours & 2 more".into(), String::new()],
        hues: vec![Some(2), Some(0)],
        says_runs: true,
        baseline: 1,
        view: "compare".into(),
        options: ViewOptions::default(),
        question: Question::default(),
        colour_by: ColourBy::Queue,
        theme: Theme::Dark,
        time: Some(86_400.0),
        speed: Some(600.0),
        seen: Some(Span::new(3600.25, 7200.0)),
        range: Some(Span::new(4000.0, 5000.5)),
        job: Some(JobId(17)),
        followed: Some(JobId(12)),
        lit: Some(3),
        complaints: Vec::new(),
    };
    assert_eq!(Link::parse(&format!("#{}", link.fragment())), link);
}

#[test]
fn policies_stay_readable() {
    let link = Link {
        policies: vec!["tiresias-las[queues=2,thresholds=57600]".parse().unwrap()],
        says_runs: true,
        ..Link::default()
    };
    assert_eq!(
        link.fragment(),
        "v=1&sample=lab&run=tiresias-las[queues=2,thresholds=57600]"
    );
}

#[test]
fn every_wrong_part_is_named_and_the_rest_is_kept() {
    let link = Link::parse(
        "#v=99&view=&seed=4&run=lifo&run=fifo[speed=3]&run=srtf&cluster=1000000000x8&sample=house&t=-1&baseline=5&log-budget=5000&binding=soon:x&whatever=1",
    );
    assert_eq!(
        (link.view.as_str(), link.settings.options.seed),
        ("yard", 4)
    );
    assert_eq!((link.policies.len(), link.baseline), (1, 0));
    assert_eq!((link.cluster, link.time), (None, None));
    assert_eq!(link.source, Link::default().source);
    // Not the names that there are: they become more.
    let begin = |text: &String| {
        let text = text.split(" use one of").next().unwrap_or_default();
        text.chars().take(70).collect::<String>()
    };
    let complaints: Vec<String> = link.complaints.iter().map(begin).collect();
    assert_eq!(
        complaints,
        [
            "v=99: a newer Switchyard made this link, and this one knows version 1:",
            "view=: nothing is named.",
            "run=lifo: there is no policy 'lifo':",
            "run=fifo[speed=3]: fifo has no parameter 'speed': it takes backfill, p",
            "cluster=1000000000x8: 8000000000 GPUs: a cluster has at most 1000000.",
            "sample=house:",
            "t=-1: it is a number from 0 to 1e12.",
            "log-budget=5000: it takes a whole number from 1 to 4000 (MB).",
            "binding=soon:x: 'soon:x' is no class of jobs: write rules such as '1: ",
            "whatever=1: there is no such setting.",
            "baseline=5: the schedulers are numbered from 0 to 0.",
        ]
    );
}

/// A clock at 10³⁰⁸ s would be wider than the page.
#[test]
fn times_are_bounded() {
    for key in ["t", "speed", "zoom", "range"] {
        for time in ["1e308", "1e13", "1.1e12", "inf", "nan"] {
            let value = match key {
                "zoom" | "range" => format!("0..{time}"),
                _ => time.to_owned(),
            };
            let link = Link::parse(&format!("#{key}={value}"));
            assert_eq!((link.time, link.speed), (None, None), "{key}={value}");
            assert_eq!((link.seen, link.range), (None, None), "{key}={value}");
            let [complaint] = &link.complaints[..] else {
                panic!("{key}={value}: {:?}", link.complaints);
            };
            assert!(
                complaint.starts_with(&format!("{key}={value}: ")),
                "{complaint}"
            );
        }
    }
    let link = Link::parse("#t=1e12&range=0..1e12");
    assert!(
        link.complaints.is_empty() && link.time == Some(1e12),
        "{link:?}"
    );
}

#[test]
fn a_link_is_bounded_in_runs_nodes_levels_and_complaints() {
    let runs =
        "&run=fifo".repeat(MOST_RUNS - 1) + "&run=srtf&name=last&run=las&name=beyond&run=gittins";
    let link = Link::parse(&format!("v=1{runs}&seed=4"));
    assert_eq!(
        (link.policies.len(), link.settings.options.seed),
        (MOST_RUNS, 4)
    );
    assert_eq!(link.names[MOST_RUNS - 1], "last");
    assert_eq!(
        link.complaints,
        ["run: a link has at most 256 schedulers, so 2 more are left out."]
    );

    let link = Link::parse("v=1&cluster=65537x1");
    assert_eq!(link.cluster, None);
    assert_eq!(
        link.complaints,
        [
            "cluster=65537x1: 65537 nodes: a cluster in a link has at most 65536. Choose it on the page."
        ]
    );
    assert!(Link::parse("v=1&cluster=65536x1").complaints.is_empty());

    // Eight thousand switches, each on the next.
    let switch = |at: u32| format!(r#"{{"name":"s{at}","parent":"s{}"}}"#, at + 1);
    let switches: Vec<String> = (1..8_000).map(switch).collect();
    let nested = format!(
        r#"{{"nodes":"2x4","switches":[{{"name":"s0","parent":"s1","nodes":"0-1"}},{},{{"name":"s8000"}}]}}"#,
        switches.join(",")
    );
    let link = Link::parse(&format!("v=1&cluster={nested}"));
    let [why] = &link.complaints[..] else {
        panic!("{:?}", link.complaints)
    };
    assert!(why.contains("a tree has at most 64 levels"), "{why}");

    let link = Link::parse(&"&whatever=1".repeat(100_000));
    assert_eq!(link.complaints.len(), MOST_COMPLAINTS + 1);
    assert_eq!(
        link.complaints[MOST_COMPLAINTS],
        "99980 more parts of the link are not understood."
    );
}

#[test]
fn any_state_is_what_its_link_says() {
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let link = random.link();
        assert_eq!(Link::parse(&link.fragment()), link, "{seed}");
        let state = opened(&link);
        let fragment = Link::of(&state, &Stage::default()).fragment();
        let again = opened(&Link::parse(&fragment));
        assert_eq!(again, state, "{seed}: {fragment}");
    }
}

/// Every setting and every option of a view, one after the other, with a value that is not its default:
/// it is in the link, and the page that the link opens has it.
#[test]
fn every_setting_and_option_survives_a_link() {
    let mut random = Random::new(1);
    let base = || Link::parse("v=1&sample=lab&run=fifo&run=srtf");
    let survives = |link: &Link| {
        let state = opened(link);
        let text = Link::of(&state, &Stage::default()).fragment();
        let again = opened(&Link::parse(&text));
        assert_eq!(again, state, "{text}");
        text
    };
    for setting in settings::all() {
        let other = other_value(setting);
        let mut link = base();
        setting
            .take(&mut link.settings, &other)
            .expect("it takes that");
        assert!(
            setting.given(&link.settings).is_some(),
            "{}: {other}",
            setting.key
        );
        assert!(survives(&link).contains(&format!("&{}=", setting.link)));
    }
    for &option in OPTIONS {
        let mut link = base();
        let value = random.value(option, 2);
        link.options.set(option, &value).expect("it takes that");
        assert_ne!(link.options.get(option), option.default, "{}", option.link);
        assert!(survives(&link).contains(&format!("&{}=", option.link)));
    }
    let others: [fn(&mut Link); 10] = [
        |link| link.view = "jobs".into(),
        |link| link.colour_by = ColourBy::Queue,
        |link| link.theme = Theme::Dark,
        |link| link.lit = Some(2),
        |link| link.job = Some(JobId(3)),
        |link| link.followed = Some(JobId(3)),
        |link| link.baseline = 1,
        |link| link.policies.clear(),
        |link| link.question.gpus = 3,
        |link| link.cluster = "5x2".parse().ok(),
    ];
    for change in others {
        let mut link = base();
        change(&mut link);
        assert_ne!(survives(&link), survives(&base()));
    }
}

/// A value of a setting that is not its default.
fn other_value(setting: &switchyard::Setting) -> String {
    use switchyard::policies::ParamKind;
    let first = |words: &[&str]| {
        let other = words.iter().find(|word| **word != setting.default());
        (*other.expect("there are two")).to_owned()
    };
    match setting.kind {
        ParamKind::Bool => first(&["true", "false"]),
        ParamKind::OneOf(words) => first(words),
        ParamKind::Placement => first(&Strategy::ALL.map(|of| of.name())),
        ParamKind::Share => "0.25".to_owned(),
        ParamKind::Int { min, .. } => (min + 7).to_string(),
        ParamKind::Float { min, .. } => (min + 7.5).to_string(),
        _ => match setting.key {
            "outages" => "0:60..3600".to_owned(),
            "queues" => "lab;a,parent=lab,gpus=8".to_owned(),
            "weights" => "00000000000000ff".to_owned(),
            key if key.contains("rule") || key.contains("binding") => "2: ncf; bert".to_owned(),
            key => panic!("no value is known for {key}"),
        },
    }
}

#[test]
fn a_link_is_of_a_file_an_address_or_holds_its_jobs() {
    let source = |text: &str| Link::parse(text).source;
    let address = "https://example.org/a%20b.csv?x=1&y=2";
    let link = Link {
        source: Source::Url(address.to_owned()),
        ..Link::default()
    };
    assert_eq!(source(&link.fragment()), link.source);
    // As a person writes it.
    assert_eq!(
        source("url=https://example.org/a.csv"),
        Source::Url("https://example.org/a.csv".into())
    );
    assert!(!Link::parse("url=https://example.org/a.csv").says_runs);
    let no = Link::parse("url=ftp://example.org/a.csv");
    assert!(no.complaints[0].contains("https://"), "{:?}", no.complaints);
    let packed = Source::Packed("mine.csv".into(), "q1-_".into());
    assert_eq!(source("file=mine.csv&experiment=q1-_"), packed);
    assert_eq!(source("experiment=q1-_&file=mine.csv"), packed);
    let none = Link::parse("run=");
    assert!(none.policies.is_empty() && none.complaints.is_empty());
}

#[test]
fn what_moves_by_itself_is_no_change() {
    let link = Link::default();
    let later = Link {
        time: Some(9.0),
        speed: Some(2.0),
        ..link.clone()
    };
    assert!(link.is_but_for_the_clock(&later));
    let other = Link {
        view: "jobs".into(),
        ..later
    };
    assert!(!link.is_but_for_the_clock(&other));
}

/// What a link never does, whatever it is: panic, or say what it does not read itself.
fn survives(fragment: &str) {
    let link = Link::parse(fragment);
    for complaint in &link.complaints {
        assert!(complaint.chars().count() < 2_000, "{complaint}");
    }
    let state = opened(&link);
    assert!(state.run(state.runs.baseline).is_some() || state.runs.list.is_empty());
    let mut other = AppState::from_link(&Link::default());
    other.apply(Action::Follow(Box::new(link.clone())));
    assert_eq!(other.runs.list.len(), link.policies.len());
    let mut again = Link::parse(&link.fragment());
    let time = again.time;
    // Where nothing was said, the schedulers of the first picture are.
    again.says_runs = link.says_runs;
    let complaints = link.complaints.clone();
    assert!(again.complaints.is_empty(), "{fragment}: {again:?}");
    assert_eq!(
        Link {
            complaints,
            ..again
        },
        Link { time, ..link }
    );
}

/// Links of people and of others: as they are written, mutilated, and made up.
fn hostile(random: &mut Random) -> String {
    const KEYS: [&str; 37] = [
        "on-cores",
        "v",
        "sample",
        "file",
        "member",
        "columns",
        "window",
        "tenant",
        "status",
        "unit",
        "fractions",
        "oversized",
        "cluster",
        "placement",
        "restart",
        "spread",
        "restart-by-model",
        "first-start-pays",
        "whole-second-epochs",
        "interference",
        "contention",
        "sharing",
        "seed",
        "log-budget",
        "applications",
        "binding",
        "binding-seed",
        "application",
        "run",
        "baseline",
        "view",
        "colour",
        "t",
        "speed",
        "zoom",
        "range",
        "job",
    ];
    const VALUES: [&str; 32] = [
        "",
        "0",
        "-0",
        "-1",
        "1e308",
        "1e309",
        "-inf",
        "NaN",
        "nan",
        "99999999999999999999",
        "4294967296",
        "1000000000x8",
        "4000000000x64",
        "0x0",
        "1x1+1x1+1x1",
        "x",
        "true",
        "%",
        "%0",
        "%00%ff%fe",
        "%F0%9F%92%A9",
        "fifo[",
        "fifo[]",
        "pollux[p=1e-308]",
        "gavel[round=1e-300]",
        "las[quantum=nan]",
        "gittins[history=../../etc/passwd]",
        "1: ; 2: x",
        "{\"classes\":[]}",
        "{\"classes\":[[[[",
        "submit=,gpus==",
        "9..1",
    ];
    let mut text = match random.below(3) {
        0 => random.link().fragment(),
        _ => String::from("v=1"),
    };
    for _ in 0..random.below(8) {
        let (key, value) = (random.of(&KEYS), random.of(&VALUES));
        text.push_str(&format!("&{key}={value}"));
    }
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..random.below(6) {
        let at = random.below(chars.len());
        match random.below(4) {
            0 => drop(chars.splice(at..at, "&=%#[]{},:\u{0}\u{202e}é".chars())),
            1 => drop(chars.drain(at..(at + random.below(40)).min(chars.len()))),
            2 => chars.extend_from_within(..at),
            _ => chars[at] = char::from_u32(random.below(0xD7FF) as u32).expect("no surrogate"),
        }
        if chars.is_empty() {
            chars.push('&');
        }
    }
    chars.into_iter().collect()
}

#[test]
fn links_of_any_kind_are_survived() {
    (0..500).for_each(|seed| survives(&hostile(&mut Random::new(seed))));
    survives(&"&run=fifo".repeat(10_000));
    survives(&format!("application={}", "[".repeat(100_000)));
}

#[test]
#[ignore = "10^4 links: by name"]
fn ten_thousand_links_of_any_kind_are_survived_by_name() {
    (0..10_000).for_each(|seed| survives(&hostile(&mut Random::new(seed))));
}
