//! Jobs with parameter servers: all of a gang starts or nothing, servers lie near the workers, go with
//! a node that fails, and what is sent to them slows jobs where links are shared.

mod scripted;

use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, Part, Placement};
use switchyard::engine::{EventKind, PlanErrorKind, RunLog, SimOptions, Simulation};
use switchyard::explain::{Fact, Said};
use switchyard::job::{Demand, Job, JobId, Servers};
use switchyard::report::Outcomes;
use switchyard::workload::Workload;
use switchyard::{RunSpec, Time};

/// Jobs of 100 s, submitted at once: workers, how many servers, thousandths of a core for each.
fn workload(jobs: &[(u32, u32, u32)]) -> Arc<Workload> {
    let job = |&(gpus, count, cores): &(u32, u32, u32)| Job {
        model: Some(0),
        demand: Demand {
            servers: Servers {
                count,
                cores,
                memory: 0,
            },
            ..Demand::default()
        },
        ..Job::plain(0.0, gpus, 100.0)
    };
    Arc::new(Workload {
        jobs: jobs.iter().map(job).collect(),
        models: vec!["vgg16".to_owned()],
        ..Workload::default()
    })
}

fn start(jobs: &Arc<Workload>, cluster: &str, options: SimOptions, outages: &str) -> Simulation {
    let spec = RunSpec {
        options,
        outages: outages.parse().expect("outages"),
        ..RunSpec::new(
            "fifo".parse().expect("a policy"),
            cluster.parse().expect("a cluster"),
        )
    };
    spec.start(Arc::clone(jobs))
}

fn run(jobs: &Arc<Workload>, cluster: &str, options: SimOptions, outages: &str) -> RunLog {
    let mut run = start(jobs, cluster, options, outages);
    run.run().expect("a possible plan");
    run.into_log()
}

#[test]
fn a_gang_waits_until_there_is_room_for_its_servers() {
    let jobs = workload(&[(1, 2, 1000), (1, 1, 1000), (1, 9, 1000)]);
    let log = run(&jobs, "1x4/cores=2", SimOptions::default(), "");
    let kinds: Vec<_> = (0..log.events())
        .map(|i| log.event(i))
        .map(|event| (event.time.seconds(), event.job.0, event.kind))
        .collect();
    assert!(
        kinds.contains(&(0.0, 2, EventKind::Reject)),
        "nine never fit"
    );
    assert!(kinds.contains(&(0.0, 0, EventKind::Start)));
    assert!(kinds.contains(&(100.0, 1, EventKind::Start)), "{kinds:?}");
}

#[test]
fn room_is_set_aside_where_workers_would_take_it() {
    // Workers take a core each, and would leave node 0 none; node 1 has two.
    let mut jobs = Workload::clone(&workload(&[(4, 2, 1000)]));
    jobs.jobs[0].demand.cores = 4000;
    let log = run(&Arc::new(jobs), "2x3/cores=3", SimOptions::default(), "");
    assert_eq!(log.segment(0).gpu_count(), 4);
    assert_eq!(log.servers(0).map(|of| of.1).sum::<u32>(), 2);
}

#[test]
fn servers_go_with_their_node_and_are_told() {
    // No node holds both: the server is on the other.
    let jobs = workload(&[(1, 1, 2000)]);
    let mut jobs = Workload::clone(&jobs);
    jobs.jobs[0].demand.cores = 1000;
    let jobs = Arc::new(jobs);
    let cluster = "2x1/cores=2";
    let mut before = start(&jobs, cluster, SimOptions::default(), "");
    before.run_until(Time::ZERO).expect("a possible plan");
    let facts = before.explain(JobId(0), Time::ZERO).facts;
    let told = facts.iter().find(|fact| fact.term == "parameter servers");
    assert_eq!(told.map(Fact::in_seconds).as_deref(), Some("1 on node 1"));
    assert!(told.is_some_and(|fact| fact.value.contains(&Said::Node(1))));
    let log = run(&jobs, cluster, SimOptions::default(), "1:40..60");
    assert_eq!((log.evictions(), log.eviction(0).node), (1, 1));
    assert_eq!(log.servers(1).collect::<Vec<_>>(), [(1, 1)]);
}

#[test]
fn gangs_get_servers_by_a_setting_and_are_slowed_by_their_links() {
    let jobs = workload(&[(8, 0, 0), (1, 0, 0)]);
    let options = |servers, contention| SimOptions {
        servers,
        contention,
        ..SimOptions::default()
    };
    let count = |servers| {
        let log = run(&jobs, "4x4", options(servers, false), "");
        (0..2)
            .map(|i| log.servers(i).map(|of| of.1).sum())
            .collect::<Vec<u32>>()
    };
    assert_eq!((count(0.0), count(0.3)), (vec![0, 0], vec![3, 0]));
    let jct = |jobs: &Arc<Workload>, cluster: &str| {
        let log = run(jobs, cluster, options(0.0, true), "");
        let cluster: ClusterSpec = cluster.parse().expect("a cluster");
        Outcomes::of(jobs, &cluster, &log).jct
    };
    // Packed and alone a job takes as long as its trace says, whatever servers it has; a server that
    // finds cores on another node only has all of its traffic cross two NICs.
    for servers in [1, 2, 3, 8] {
        for gpus in [1, 3, 4, 8] {
            let jct = jct(&workload(&[(gpus, servers, 0)]), "8x4/racks=2")[0];
            assert!((jct - 100.0).abs() < 1e-9, "{gpus} with {servers}: {jct} s");
        }
    }
    let away = jct(&workload(&[(4, 1, 5000)]), "1x4/cores=4+1x1/cores=8");
    assert!(away[0] > 200.0, "{away:?}");
}

#[test]
fn a_plan_without_a_role_is_refused() {
    use scripted::{Script, Scripted, arrived, plan_error};
    let script: Script = |view, plan| {
        for job in arrived(view) {
            let parts = vec![Part::new(0, 1)];
            plan.place(job, &Placement { parts });
        }
    };
    let cluster: ClusterSpec = "2x2".parse().expect("a cluster");
    let scheduler = Scripted::scheduler(script, |_, _| None);
    let jobs = workload(&[(1, 2, 0)]);
    let mut run = Simulation::new(jobs, &cluster, scheduler, SimOptions::default());
    let error = plan_error(run.run().expect_err("its servers are missing"));
    let expected = PlanErrorKind::ServersBroken {
        wanted: 2,
        there: 0,
    };
    assert_eq!(error.kind, expected);
}
