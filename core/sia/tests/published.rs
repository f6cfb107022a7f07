//! The replay beside what the authors published: the paper's table 3 and the README of its simulator. In: their
//! workloads and profiles, in `sia` of the folder that SWITCHYARD_TRACES names, `../shared/traces` if it names none.
//!
//! Gavel is held to the README's digits. Sia is held to the digits of table 3, of which there is one: costs are
//! rounded to hundredths, many plans are equally good, and solvers choose among them differently.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use switchyard_sia::profiles::NamedText;
use switchyard_sia::replay::{Figures, Run, Scheduler, Submission, World, replay};

/// Where the inputs are, if they are there.
fn folder() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces");
    let traces = env::var_os("SWITCHYARD_TRACES").map_or_else(|| beside.into(), PathBuf::from);
    let folder = traces.join("sia");
    let is_there = folder.join("workloads").is_dir();
    if !is_there {
        println!(
            "skipped: {} is no folder of Sia's artifact",
            folder.display()
        );
    }
    is_there.then_some(folder)
}

fn world(folder: &Path) -> World {
    let mut tables = BTreeMap::new();
    for application in fs::read_dir(folder.join("profiles")).expect("profiles") {
        let application = application.expect("an entry");
        let mut files = BTreeMap::new();
        for file in fs::read_dir(application.path()).expect("a folder") {
            let file = file.expect("an entry");
            let text = fs::read_to_string(file.path()).expect("a text");
            let name = file.file_name().into_string().expect("a name");
            let file = file.path().display().to_string();
            files.insert(name, NamedText { file, text });
        }
        let name = application.file_name().into_string().expect("a name");
        tables.insert(name, files);
    }
    World::new(&World::paper_types(), &tables).expect("sound profiles")
}

fn run(folder: &Path, world: &World, workload: &str, scheduler: &Scheduler) -> Run {
    let path = folder.join(format!("workloads/{workload}.csv"));
    let text = fs::read_to_string(&path).expect("a workload");
    let jobs = Submission::read(workload, &text).expect("sound");
    replay(world, &jobs, scheduler, |_| ()).expect("it ends")
}

/// Runs of all workloads of a sort, with a line of each; none where the inputs are not there.
fn runs(of: &str, count: u32, scheduler: &Scheduler) -> Option<Vec<Run>> {
    let folder = folder()?;
    if !folder.join("workloads").join(of).is_dir() {
        println!("skipped: {} has no workloads/{of}", folder.display());
        return None;
    }
    let world = world(&folder);
    let runs = (1..=count).map(|at| {
        let run = run(&folder, &world, &format!("{of}/workload-{at}"), scheduler);
        println!("{of} {at}: {:.4} s", mean_jct(&run));
        run
    });
    let runs: Vec<Run> = runs.collect();
    println!("{of}: {:?}", Figures::of(&runs));
    Some(runs)
}

/// Seconds.
fn mean_jct(run: &Run) -> f64 {
    Figures::of(std::slice::from_ref(run)).mean_jct_hours * 3600.0
}

fn close(ours: f64, theirs: f64) {
    assert!((ours / theirs - 1.0).abs() < 1e-9, "{ours}, not {theirs}");
}

#[test]
fn gavel_has_the_mean_of_the_simulator_on_a_workload() {
    let Some(folder) = folder() else { return };
    let run = run(
        &folder,
        &world(&folder),
        "saturn/workload-1",
        &Scheduler::Gavel,
    );
    close(mean_jct(&run), 6474.2125);
}

#[test]
fn sia_gives_jobs_gpus_on_the_first_rounds_of_a_workload() {
    // The first of the workload's jobs alone: it runs to its end on more than the GPU it begins with.
    let Some(folder) = folder() else { return };
    let path = folder.join("workloads/saturn/workload-1.csv");
    let text = fs::read_to_string(&path).expect("a workload");
    let first: String = text
        .lines()
        .take(4)
        .map(|line| line.to_owned() + "\n")
        .collect();
    let jobs = Submission::read("saturn 1", &first).expect("sound");
    let run = replay(&world(&folder), &jobs, &Scheduler::sia(), |_| ()).expect("it ends");
    assert_eq!(run.outcomes.len(), 3);
    assert_eq!(run.proven[0], run.proven[1]);
    let grew = run
        .outcomes
        .iter()
        .all(|job| job.gpu_seconds > job.jct() && job.restarts > 0);
    assert!(grew, "{:?}", run.outcomes);
}

#[test]
#[ignore = "ten workloads; seconds in release builds, minutes in debug builds"]
fn gavel_on_saturn() {
    let Some(runs) = runs("saturn", 10, &Scheduler::Gavel) else {
        return;
    };
    // The simulator run again, with ECOS.
    for (run, theirs) in runs
        .iter()
        .zip([6474.2125, 6182.00625, 9347.31875, 9205.48125])
    {
        close(mean_jct(run), theirs);
    }
    // The README.
    let figures = Figures::of(&runs);
    close(figures.mean_jct_hours, 2.548_240_277_777_778);
    close(figures.deviation_hours, 0.945_659_720_530_865_5);
    close(figures.p99_of_all_hours, 46.333_888_888_888_886);
    close(figures.makespan_hours, 43.251_527_777_777_78);
    close(figures.gpu_hours, 12.0055);
    close(figures.contention, 9.245_206_956_348_978);
    assert_eq!(figures.most_contention, 48);
    assert!((figures.restarts - 7.408).abs() < 1e-3);
}

/// Table 3 has one digit of the mean, and so many Gavel's means must be of Sia's.
fn of_table_3(of: &str, count: u32, hours: std::ops::RangeInclusive<f64>) {
    let Some(sia) = runs(of, count, &Scheduler::sia()) else {
        return;
    };
    assert!(sia.iter().all(|run| run.proven[0] == run.proven[1]));
    let Some(gavel) = runs(of, count, &Scheduler::Gavel) else {
        return;
    };
    let sia = Figures::of(&sia).mean_jct_hours;
    let gavel = Figures::of(&gavel).mean_jct_hours;
    println!("{of}: Sia ÷ Gavel {}", sia / gavel);
    assert!(hours.contains(&sia), "{sia} h");
    let ratio = sia / gavel;
    assert!((0.25..=0.33).contains(&ratio), "{ratio}");
}

#[test]
#[ignore = "ten workloads; seconds in release builds, minutes in debug builds"]
fn sia_on_saturn() {
    of_table_3("saturn", 10, 0.65..=0.75);
}

#[test]
#[ignore = "eight workloads; seconds in release builds, minutes in debug builds"]
fn sia_on_philly() {
    of_table_3("philly", 8, 0.55..=0.65);
}

#[test]
#[ignore = "ten workloads of 960 jobs; needs workloads/newtrace"]
fn newtrace_probe() {
    for s in [
        Scheduler::sia(),
        Scheduler::sia_as_released(),
        Scheduler::Gavel,
    ] {
        runs("newtrace", 10, &s);
    }
}
