//! `docs/field.md`, one page of the field: every policy stands there once, its figures are those of `docs/figures.md`, and
//! its links are understood, and show something. (The last page of the lessons is made of it: `lessons.rs`.)

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;
use switchyard::policies::{POLICIES, PolicySpec, entry};
use switchyard::workload::Sample;
use switchyard::{SETTINGS, Setting, Settings};
use switchyard_app::Permalink;
use switchyard_app::driver::Budget;
use switchyard_app::study::{Request, Study, cluster_of};

/// Where the page is served.
const SERVED: &str = "http://127.0.0.1:8080/#";

fn document(name: &str) -> String {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    std::fs::read_to_string(docs.join(name)).unwrap()
}

/// The rows of the table of schedulers, without its head.
fn rows<'d>(document: &'d str) -> Vec<Vec<&'d str>> {
    let (_, section) = document.split_once("\n## The schedulers\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let lines = section.lines().filter(|line| line.starts_with("| "));
    let cells = |line: &'d str| line.trim_matches('|').split('|').map(str::trim).collect();
    lines.skip(1).map(cells).collect()
}

/// The links of a text to the page: their words, and what stands behind `#`.
fn links(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for (at, mark) in text.match_indices(&format!("]({SERVED}")) {
        let words = text[..at].rsplit('[').next().unwrap();
        let link = text[at + mark.len()..].split(')').next().unwrap();
        found.push((words, link));
    }
    found
}

/// What a link says.
#[derive(Default)]
struct Scene {
    sample: Option<&'static Sample>,
    cluster: Option<String>,
    policies: Vec<String>,
    settings: Vec<(&'static Setting, String)>,
}

/// Reads a link, of which each part has to be known.
fn read(link: &str) -> Scene {
    let mut scene = Scene::default();
    let mut again = Permalink::default();
    for (key, value) in Permalink::read(link) {
        again.add(key, &value);
        match key {
            "v" => assert_eq!(value, Permalink::VERSION.to_string()),
            "sample" => scene.sample = Some(Sample::named(&value).expect(link)),
            "cluster" => {
                cluster_of(&value).expect(link);
                scene.cluster = Some(value.into_owned());
            }
            "run" => scene.policies.push(value.into_owned()),
            // A few jobs within the link, and what the page shows.
            "file" | "experiment" | "view" | "colour" => {}
            "t" => assert!(value.parse::<u32>().is_ok(), "{link}"),
            _ => {
                let setting = SETTINGS.iter().find(|setting| setting.link == key);
                let setting = setting.unwrap_or_else(|| panic!("no setting {key}: {link}"));
                setting.take(&mut Settings::default(), &value).expect(link);
                scene.settings.push((setting, value.into_owned()));
            }
        }
    }
    assert_eq!(again.as_str(), link, "it is written as links are");
    assert!(scene.sample.is_some() || link.contains("&experiment="));
    scene
}

/// What a policy is called that a link runs.
fn name_of(spec: &str) -> &'static str {
    let name = spec.split('[').next().unwrap();
    let of = entry(name).unwrap_or_else(|| panic!("no policy {name}"));
    // Those who bring code of their own can be read where that can be run.
    if !of.scripted {
        spec.parse::<PolicySpec>().expect(spec);
    }
    of.name
}

#[test]
fn every_policy_has_one_link_which_runs_it_beside_fifo() {
    let document = document("field.md");
    let mut named = Vec::new();
    for row in rows(&document) {
        assert_eq!(row.len(), 6, "{row:?}");
        let in_row = links(row[1]);
        assert!(!in_row.is_empty(), "{row:?}");
        for (words, link) in in_row {
            let name = words.trim_matches('`');
            let policies = read(link).policies;
            assert_eq!(policies.len(), 2, "{link}");
            assert_eq!(name_of(&policies[0]), "fifo", "{link}");
            assert_eq!(name_of(&policies[1]), name, "{link}");
            named.push(name);
        }
    }
    named.sort_unstable();
    let mut all: Vec<&str> = POLICIES.iter().map(|policy| policy.name).collect();
    all.sort_unstable();
    assert_eq!(named, all, "docs/field.md names each policy once");
    for (_, link) in links(&document) {
        read(link);
    }
}

#[test]
fn rows_are_in_order_of_years() {
    let document = document("field.md");
    let rows = rows(&document);
    let years = rows.iter().filter_map(|row| row[0].parse::<u32>().ok());
    assert!(years.is_sorted());
    for row in &rows {
        assert!(row[0] == "–" || row[0].parse::<u32>().is_ok(), "{row:?}");
    }
}

/// Numbers, without those within words.
fn numbers(text: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '.' || c == '-';
    let words = text.split(|c: char| !is_part(c));
    let words = words.map(|word| word.trim_matches(['.', '-']));
    words
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .collect()
}

#[test]
fn figures_are_those_of_the_page_of_figures() {
    let document = document("field.md");
    let measured = self::document("figures.md");
    let measured = numbers(&measured);
    for row in rows(&document) {
        for number in numbers(row[5]) {
            let is_there = measured.contains(number);
            assert!(
                is_there,
                "{number} is no figure of docs/figures.md: {}",
                row[5]
            );
        }
    }
}

/// On a link's jobs its scheduler ends all of them, and does not do what FIFO does.
#[test]
fn every_link_shows_something() {
    let document = document("field.md");
    for row in rows(&document) {
        for (name, link) in links(row[1]) {
            let scene = read(link);
            let (Some(sample), false) = (
                scene.sample,
                scene
                    .policies
                    .iter()
                    .any(|spec| entry(name_of(spec)).unwrap().scripted),
            ) else {
                continue;
            };
            let cluster = scene
                .cluster
                .as_deref()
                .map(|text| cluster_of(text).unwrap());
            let mut request = Request::default();
            request.policies(&scene.policies).unwrap();
            for (setting, value) in scene.settings {
                request.set(setting, value).unwrap();
            }
            let study = Study::of_jobs(sample, sample.workload(), cluster);
            let prepared = study.ask(request).unwrap().prepare().unwrap();
            let logs: Vec<String> = prepared
                .runs
                .iter()
                .map(|spec| {
                    let mut run = prepared.start(spec).unwrap();
                    run.step_for(Budget::unlimited()).unwrap();
                    let ended = prepared.ended(spec, run, 0.0).result;
                    assert!(ended.summary.is_whole(), "{name}: {}", ended.policy);
                    ended.log_hash
                })
                .collect();
            assert_ne!(logs[0], logs[1], "{name} does what FIFO does");
        }
    }
}
