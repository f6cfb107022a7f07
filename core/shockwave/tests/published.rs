//! The published figures of Shockwave's comparison, and per job what its artifact has.
use std::path::PathBuf;
use switchyard_shockwave::replay::{Scheduler, Throughputs, files, replay};

#[test]
fn probe() {
    let Some(folder) = std::env::var_os("SWITCHYARD_TRACES") else {
        return;
    };
    let folder = PathBuf::from(folder).join("shockwave");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let jobs = files::jobs(&read("120_0.2_5_100_40_25_multigpu_dynamic.trace")).unwrap();
    let throughputs = Throughputs::read(&read("tacc_throughputs.json")).unwrap();
    let expected: serde_json::Value =
        serde_json::from_str(&read("expected_tacc_32gpus.json")).unwrap();
    eprintln!(
        "{:?}",
        expected.as_object().unwrap().keys().collect::<Vec<_>>()
    );
    for scheduler in Scheduler::all(32) {
        let t = std::time::Instant::now();
        let o = replay(&jobs, &throughputs, 32, scheduler, |_| ()).unwrap();
        eprintln!(
            "{:13} {:.4} {:.4} util {:.6} rho {:.5} unfair {:.2} rounds {} ext {} {:?}",
            scheduler.name(),
            o.makespan,
            o.mean_jct(),
            o.utilisation,
            o.worst_rho(),
            o.unfair(),
            o.rounds,
            o.lease_extensions,
            t.elapsed()
        );
    }
}
