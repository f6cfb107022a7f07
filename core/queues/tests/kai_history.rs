//! KAI's stories of time-based fair shares: two queues whose jobs each take all GPUs.
//!
//! Source: `docs/developer/designs/time-based-fairshare`, stories 1 and 2, and the case "oscillation" of
//! `pkg/env-tests/time_aware_fairness_test.go`: 16 GPUs, jobs of 16, a window of 256, a half-life of 128.

use switchyard_queues::kai::cycle::actions::{ALL, run};
use switchyard_queues::kai::cycle::cluster::{Cluster, Job, Node, Settings, State, Task, TaskId};
use switchyard_queues::kai::cycle::gang::Gang;
use switchyard_queues::kai::history::{History, Settings as Window, Window as Span};
use switchyard_queues::tree::{Kind, Queue, QueueId, QueueTree, Quota, Resource};

const GPUS: f64 = 16.0;

/// Which queue ran in each round, and its history and that of the other one when it changed.
struct Story {
    ran: Vec<usize>,
    changes: Vec<(f64, f64)>,
}

fn tell(k: f64, rounds: usize) -> Story {
    let queue = |name| Queue {
        quotas: vec![Quota::default()],
        ..Queue::new(name, None)
    };
    let gpus = Resource {
        kind: Kind::Gpus,
        flavor: None,
    };
    let tree = QueueTree::new(vec![gpus], vec![queue("a"), queue("b")]).expect("a tree");
    let nodes = [Node { total: vec![GPUS] }];
    let job = |queue| Job {
        queue: QueueId(queue),
        priority: 50,
        preemptible: true,
        created: 0.0,
        ran: 0.0,
        gang: Gang::of(1, 1),
        may_evict: true,
        grace: None,
        stale: 0.0,
        tasks: vec![Task {
            request: vec![GPUS],
            state: State::Pending,
            node: None,
            nodes: vec![],
            order: None,
        }],
    };
    let mut jobs = [job(0), job(1)];
    let window = Window {
        window: Span::Sliding { seconds: 256.0 },
        half_life: 128.0,
    };
    let mut history = History::new(window, 2, 1);
    let mut story = Story {
        ran: Vec::new(),
        changes: Vec::new(),
    };
    for round in 0..rounds {
        let usage = history.usage(round as f64);
        let settings = Settings {
            k,
            ..Settings::default()
        };
        let mut cluster = Cluster::new(&tree, &nodes, &jobs, Some(&usage), settings);
        for action in ALL {
            run(&mut cluster, action);
        }
        let after = [0, 1].map(|job| cluster.place(TaskId { job, task: 0 }));
        for (job, place) in jobs.iter_mut().zip(after) {
            let runs = place.state.is_active();
            job.tasks[0].state = if runs { State::Running } else { State::Pending };
            job.tasks[0].node = place.node.filter(|_| runs);
        }
        let runs = jobs
            .iter()
            .position(|job| job.tasks[0].state == State::Running);
        let runs = runs.expect("one runs");
        if story.ran.last().is_some_and(|&before| before != runs) {
            story.changes.push((usage[1 - runs], usage[runs]));
        }
        story.ran.push(runs);
        let mut allocated = [0.0; 2];
        allocated[runs] = GPUS;
        history.note((round + 1) as f64, 1.0, &allocated, &[GPUS]);
    }
    story
}

#[test]
fn without_history_the_older_queue_keeps_all() {
    let story = tell(0.0, 200);
    assert!(story.ran.iter().all(|&queue| queue == 0));
}

#[test]
fn with_history_queues_take_turns() {
    let story = tell(1.0, 2048);
    let later = &story.ran[512..];
    let of_first = later.iter().filter(|&&queue| queue == 0).count();
    let part = of_first as f64 / later.len() as f64;
    assert!((0.4..=0.6).contains(&part), "{part}");
    assert!(story.changes.len() > 2, "{} changes", story.changes.len());
    // The one that waits gets all 16 GPUs only when less than half a GPU is the other one's.
    for &(had, had_not) in &story.changes {
        let weight = |usage: f64| (0.5 + (0.5 - usage)).max(0.0);
        let part = weight(had) / (weight(had) + weight(had_not));
        assert!(part <= 1.0 / 32.0, "changed at {had} and {had_not}");
    }
}
