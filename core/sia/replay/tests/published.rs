//! The replay beside what the authors published: the paper's table 3 and the README of its simulator. In: their
//! workloads and profiles, which are not in this repository: `SWITCHYARD_TRACES` names the folder in which they lie as
//! `sia/workloads` and `sia/profiles`. Many workloads at once are slow, and run by name.
//!
//! Gavel is held to the README's digits. Sia is held to the digit of table 3, and as it was released to what that
//! simulator gave when we ran it: costs are rounded to hundredths, many plans are equally good, and solvers choose
//! among them differently, so that a workload's mean differs by a few percent.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use switchyard_sia_replay::profiles::NamedText;
use switchyard_sia_replay::{Figures, Run, Scheduler, Submission, World, replay};

/// Where the inputs are.
fn folder() -> PathBuf {
    let folder = env::var_os("SWITCHYARD_TRACES");
    Path::new(&folder.expect("SWITCHYARD_TRACES names the folder of traces")).join("sia")
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

/// Runs of all workloads of a sort, with a line of each.
fn runs(of: &str, count: u32, scheduler: &Scheduler) -> Vec<Run> {
    let folder = folder();
    let world = world(&folder);
    let runs = (1..=count).map(|at| {
        let run = run(&folder, &world, &format!("{of}/workload-{at}"), scheduler);
        println!("{of} {at}: {:.4} s", mean_jct(&run));
        run
    });
    let runs: Vec<Run> = runs.collect();
    println!("{of}: {:?}", Figures::of(&runs));
    runs
}

/// Seconds.
fn mean_jct(run: &Run) -> f64 {
    Figures::of(std::slice::from_ref(run)).mean_jct_hours * 3600.0
}

fn close(ours: f64, theirs: f64) {
    assert!((ours / theirs - 1.0).abs() < 1e-9, "{ours}, not {theirs}");
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn gavel_has_the_mean_of_the_simulator_on_a_workload() {
    let folder = folder();
    let run = run(
        &folder,
        &world(&folder),
        "saturn/workload-1",
        &Scheduler::Gavel,
    );
    close(mean_jct(&run), 6474.2125);
}

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn sia_scales_the_first_jobs_of_a_workload() {
    // The first of the workload's jobs alone: it runs to its end on more than the GPU it begins with.
    let folder = folder();
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
#[ignore = "needs SWITCHYARD_TRACES"]
fn gavel_on_saturn() {
    let runs = runs("saturn", 10, &Scheduler::Gavel);
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

/// Hours of the mean JCT, Sia's, Pollux' and Gavel's; all rounds are proven.
fn means(of: &str, count: u32) -> [f64; 3] {
    let sia = runs(of, count, &Scheduler::sia());
    assert!(sia.iter().all(|run| run.proven[0] == run.proven[1]));
    let gavel = runs(of, count, &Scheduler::Gavel);
    let pollux = runs(of, count, &Scheduler::Pollux(0));
    [sia, pollux, gavel].map(|runs| Figures::of(&runs).mean_jct_hours)
}

#[test]
#[ignore = "slow, and needs SWITCHYARD_TRACES"]
fn sia_on_saturn_by_name() {
    let [sia, pollux, gavel] = means("saturn", 10);
    assert!((0.65..=0.75).contains(&sia), "{sia} h");
    assert!(sia / pollux <= 0.7, "{sia} of {pollux} h");
    assert!((0.25..=0.33).contains(&(sia / gavel)), "{sia} of {gavel} h");
}

#[test]
#[ignore = "slow, and needs SWITCHYARD_TRACES"]
fn sia_on_philly_by_name() {
    // Sia ÷ Gavel is 0.341 here, 0.6 ÷ 1.9 in the table: above the 0.33 that Saturn is held to.
    let [sia, pollux, gavel] = means("philly", 8);
    assert!((0.55..=0.65).contains(&sia), "{sia} h");
    assert!(sia / pollux <= 0.7, "{sia} of {pollux} h");
    assert!((0.95..=1.05).contains(&pollux), "{pollux} h");
    assert!((gavel / 1.9 - 1.0).abs() <= 0.02, "{gavel} h");
}

#[test]
#[ignore = "slow, and needs SWITCHYARD_TRACES"]
fn gavel_on_newtrace_by_name() {
    // Sia's mean here is 0.807 h, the table's 0.7: it is not reproduced (docs/figures.md).
    let runs = runs("newtrace", 10, &Scheduler::Gavel);
    let figures = Figures::of(&runs);
    for (ours, theirs) in [
        (figures.mean_jct_hours, 11.3),
        (figures.p99_hours, 98.1),
        (figures.makespan_hours, 110.0),
        (figures.gpu_hours, 6.4),
    ] {
        assert!((ours / theirs - 1.0).abs() <= 0.02, "{ours}, {theirs}");
    }
}

/// Seconds of the mean JCT that the released simulator gave when we ran it, with CBC in one thread.
const RERUN: [(&str, f64); 5] = [
    ("philly/workload-1", 1994.7125),
    ("philly/workload-2", 2620.825),
    ("philly/workload-3", 2049.45625),
    ("saturn/workload-1", 2091.0375),
    ("saturn/workload-7", 2115.1125),
];

#[test]
#[ignore = "slow, and needs SWITCHYARD_TRACES"]
fn sia_as_released_is_close_to_the_released_simulator_by_name() {
    let folder = folder();
    let world = world(&folder);
    let mut sums = [0.0, 0.0];
    for (workload, theirs) in RERUN {
        let ours = mean_jct(&run(
            &folder,
            &world,
            workload,
            &Scheduler::sia_as_released(),
        ));
        println!("{workload}: {ours} s, {theirs} s");
        assert!((ours / theirs - 1.0).abs() <= 0.05, "{ours}, {theirs}");
        sums = [sums[0] + ours, sums[1] + theirs];
    }
    assert!((sums[0] / sums[1] - 1.0).abs() <= 0.02, "{sums:?}");
}
