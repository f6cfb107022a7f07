use super::*;
use crate::profiles::NamedText;
use std::collections::BTreeMap;
use switchyard_sia::configurations::NodeType;

/// Two types, of which the second is thrice as fast, and one application.
fn world() -> World {
    let types = [NodeType::new("slow", 2, 4), NodeType::new("fast", 1, 4)];
    let mut files = BTreeMap::new();
    let mut add = |file: String, text: String| {
        files.insert(file.clone(), NamedText { file, text });
    };
    for (kind, speed) in [("slow", 1.0), ("fast", 3.0)] {
        let mut placements = String::from("placement,local_bsz,step_time,sync_time\n");
        let placed = [("1", 0.0), ("2", 0.1), ("4", 0.2), ("13", 0.3), ("44", 0.5)];
        for (placement, sync) in placed {
            for m in [10, 40] {
                let step = f64::from(m) / 10.0 / speed + sync;
                placements += &format!("{placement},{m},{step},{sync}\n");
            }
        }
        add(format!("placements-{kind}.csv"), placements);
        let header = "num_nodes,num_replicas,local_bsz,step_time,sync_time\n";
        let rows = "3,3,10,3,1\n3,3,40,9,1\n16,64,10,4,2\n16,64,40,9,2\n1,1,10,1,0\n1,1,40,4,0\n";
        add(format!("scalability-{kind}.csv"), format!("{header}{rows}"));
    }
    for batch in [20, 640] {
        let text = "progress,iteration,grad_sqr,grad_var\n200,100,1,9\n400,200,1,99\n";
        add(format!("validation-{batch}.csv"), text.to_owned());
    }
    let tables = BTreeMap::from([("toy".to_owned(), files)]);
    World::new(&types, &tables).expect("sound")
}

fn submissions(count: u32) -> Vec<Submission> {
    let job = |at: u32| Submission {
        name: format!("toy-{at}"),
        time: f64::from(at * 25),
        application: "toy".to_owned(),
        gpus: 2,
        batch: 80,
    };
    (0..count).map(job).collect()
}

#[test]
fn all_jobs_end_and_the_same_run_is_the_same() {
    let world = world();
    let jobs = submissions(20);
    for scheduler in [
        Scheduler::sia(),
        Scheduler::sia_as_released(),
        Scheduler::Pollux(7),
        Scheduler::Gavel,
    ] {
        let mut shares = Vec::new();
        let run = replay(&world, &jobs, &scheduler, |share| shares.push(share)).expect("it ends");
        assert_eq!(run.outcomes.len(), 20);
        assert!(
            run.outcomes
                .iter()
                .all(|job| job.jct() > 0.0 && job.gpu_seconds > 0.0)
        );
        assert!(shares.is_sorted() && shares.last() == Some(&1.0));
        assert_eq!(
            replay(&world, &jobs, &scheduler, |_| ()).expect("it ends"),
            run
        );
    }
}

#[test]
fn a_job_alone_by_hand() {
    // Under Gavel on the fast type: 80 samples on two GPUs are 40 each, a step takes 40/10/3 + 0.1 s. Statistics
    // at batch 80 lie between those of 20 and 640, which are the same: gains of 10/(9/4 + 1) and 100/(99/4 + 1).
    let world = world();
    let run = replay(&world, &submissions(1), &Scheduler::Gavel, |_| ()).expect("it ends");
    let step = 40.0 / 30.0 + 0.1;
    let first = 200.0 * step * 3.25 / 10.0;
    let second = 200.0 * step * 25.75 / 100.0;
    // It starts at 360 s and takes 30 s to start.
    let end = 390.0 + libm::rint(first) + libm::rint(second);
    assert_eq!(run.outcomes[0].completed, end);
    // It holds its GPUs for whole rounds.
    assert_eq!(
        run.outcomes[0].gpu_seconds,
        2.0 * 360.0 * libm::ceil(end / 360.0 - 1.0)
    );
    assert_eq!(run.outcomes[0].restarts, 0);
    assert!(run.contention.iter().rev().skip(1).all(|&jobs| jobs == 1));
}

#[test]
fn what_cannot_run_is_refused() {
    let world = world();
    let mut jobs = submissions(1);
    jobs[0].gpus = 9;
    let error = replay(&world, &jobs, &Scheduler::Gavel, |_| ()).expect_err("too wide");
    assert_eq!(
        error.to_string(),
        "job toy-0 asks for 9 GPUs, but no type has more than 8: it would wait forever"
    );
    jobs[0].application = "other".to_owned();
    let error = replay(&world, &jobs, &Scheduler::sia(), |_| ()).expect_err("unknown");
    assert!(error.to_string().contains("other, which has no profile"));
}
