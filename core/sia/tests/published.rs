//! The replay beside what the authors' simulator printed. It needs their workloads and profiles, in `sia` of the
//! folder that SWITCHYARD_TRACES names.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use switchyard_sia::profiles::NamedText;
use switchyard_sia::replay::{Figures, Run, Scheduler, Submission, World, replay};

fn folder() -> Option<PathBuf> {
    let folder = env::var_os("SWITCHYARD_TRACES").map(|traces| Path::new(&traces).join("sia"));
    let folder = folder.filter(|folder| folder.is_dir());
    if folder.is_none() {
        println!("skipped: SWITCHYARD_TRACES names no folder with sia in it");
    }
    folder
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
        tables.insert(
            application.file_name().into_string().expect("a name"),
            files,
        );
    }
    World::new(&World::paper_types(), &tables).expect("sound profiles")
}

fn run(folder: &Path, world: &World, workload: &str, scheduler: &Scheduler) -> Run {
    let path = folder.join(format!("workloads/{workload}.csv"));
    let text = fs::read_to_string(&path).expect("a workload");
    let jobs = Submission::read(workload, &text).expect("sound");
    replay(world, &jobs, scheduler, |_| ()).expect("it ends")
}

/// Runs, with a line of each.
fn runs(folder: &Path, world: &World, of: &str, count: u32, scheduler: &Scheduler) -> Figures {
    let mut runs = Vec::new();
    for at in 1..=count {
        let begin = std::time::Instant::now();
        let run = run(folder, world, &format!("{of}/workload-{at}"), scheduler);
        let figures = Figures::of(std::slice::from_ref(&run));
        let (took, proven) = (begin.elapsed(), run.proven);
        println!(
            "{of} {at}: {:.4} s, {figures:?}, proven {proven:?}, {took:?}",
            figures.mean_jct_hours * 3600.0
        );
        runs.push(run);
    }
    let figures = Figures::of(&runs);
    println!("{of}: {figures:?}");
    figures
}

#[test]
#[ignore = "a minute in release builds"]
fn gavel_on_saturn() {
    let Some(folder) = folder() else { return };
    let world = world(&folder);
    runs(&folder, &world, "saturn", 10, &Scheduler::Gavel);
}

#[test]
#[ignore = "a minute in release builds"]
fn sia_on_saturn() {
    let Some(folder) = folder() else { return };
    let world = world(&folder);
    runs(&folder, &world, "saturn", 10, &Scheduler::sia());
}

#[test]
#[ignore = "a minute in release builds"]
fn sia_on_philly() {
    let Some(folder) = folder() else { return };
    let world = world(&folder);
    runs(&folder, &world, "philly", 8, &Scheduler::sia());
}
