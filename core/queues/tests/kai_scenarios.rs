//! The originals' own scenarios of KAI's actions, as data. Those that cannot be played stand in a file beside them, with the reason.

use serde_json::Value;
use switchyard_queues::kai::cycle::actions::{ALL, run};
use switchyard_queues::kai::cycle::cluster::{Cluster, Job, Node, Settings, State, Task, TaskId};
use switchyard_queues::kai::cycle::facts::{Action, NoPlace, NoRoom, What};
use switchyard_queues::kai::cycle::gang::{Gang, Member, Tasks};
use switchyard_queues::kai::reclaim::Refusal;
use switchyard_queues::tree::{Kind, Queue, QueueId, QueueTree, Quota, Resource};

const KINDS: [(Kind, &str); 3] = [
    (Kind::Cores, "CPU"),
    (Kind::Memory, "Memory"),
    (Kind::Gpus, "GPU"),
];

fn file(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn list(of: &Value) -> &[Value] {
    of.as_array().map_or(&[], |list| list)
}

fn text(of: &Value) -> &str {
    of.as_str().expect("a text")
}

fn number(of: &Value) -> f64 {
    of.as_f64().expect("a number")
}

fn state(of: &Value) -> State {
    match text(of) {
        "Pending" => State::Pending,
        "Gated" => State::Gated,
        "Binding" => State::Binding,
        "Running" | "Bound" => State::Running,
        "Pipelined" => State::Pipelined,
        "Releasing" => State::Releasing,
        "StuckInReleasing" => State::Stuck,
        "Succeeded" => State::Done,
        "Failed" => State::Failed,
        other => panic!("no state {other}"),
    }
}

/// The queues of a case. A limit of a top queue needs a queue above it.
fn tree(case: &Value) -> QueueTree {
    let queues = list(&case["queues"]);
    let is_top = |queue: &&Value| text(&queue["parent"]).is_empty();
    let has_limit = |queue: &Value| {
        KINDS
            .iter()
            .any(|(_, kind)| number(&queue["max"][kind]) >= 0.0)
    };
    let needs_root = queues.iter().filter(is_top).any(has_limit);
    let parent = |name: &str| -> Option<QueueId> {
        if name.is_empty() {
            return needs_root.then_some(QueueId(queues.len() as u32));
        }
        let at = queues.iter().position(|queue| text(&queue["name"]) == name);
        Some(QueueId(at.expect("a parent") as u32))
    };
    let amount = |of: &Value| Some(number(of)).filter(|&amount| amount >= 0.0);
    let mut made: Vec<Queue> = queues
        .iter()
        .map(|queue| {
            let quota = |(_, kind): &(Kind, &str)| {
                let nominal = amount(&queue["deserved"][kind]).unwrap_or(f64::INFINITY);
                // What is deserved above a limit cannot be had: the limit is what is deserved.
                let limit = amount(&queue["max"][kind]);
                Quota {
                    nominal: limit.map_or(nominal, |limit| limit.min(nominal)),
                    borrowing_limit: limit.map(|limit| (limit - nominal).max(0.0)),
                    lending_limit: None,
                    weight: number(&queue["weight"][kind]).max(0.0),
                }
            };
            Queue {
                quotas: KINDS.iter().map(quota).collect(),
                priority: queue["priority"].as_i64().expect("a priority"),
                reclaim_min_runtime: queue["reclaim_min_runtime"].as_f64().unwrap_or(0.0),
                ..Queue::new(text(&queue["name"]), parent(text(&queue["parent"])))
            }
        })
        .collect();
    if needs_root {
        let all = Quota {
            nominal: f64::INFINITY,
            ..Quota::default()
        };
        made.push(Queue {
            quotas: vec![all; KINDS.len()],
            ..Queue::new("cluster", None)
        });
    }
    let resource = |(kind, _): (Kind, &str)| Resource { kind, flavor: None };
    QueueTree::new(KINDS.map(resource).to_vec(), made).expect("a tree")
}

/// A case as it stands: names of nodes and jobs, in the order of their names.
struct Scenario {
    nodes: Vec<Node>,
    node_names: Vec<String>,
    jobs: Vec<Job>,
    job_names: Vec<String>,
    deleted: Vec<bool>,
}

fn scenario(case: &Value, tree: &QueueTree) -> Scenario {
    let by_name = case["nodes"].as_object().expect("nodes");
    let mut node_names: Vec<String> = by_name.keys().cloned().collect();
    node_names.sort();
    let of_node = |name: &String| {
        let node = &by_name[name];
        Node {
            total: ["cpu", "memory", "gpus"]
                .map(|field| number(&node[field]))
                .to_vec(),
        }
    };
    let nodes = node_names.iter().map(of_node).collect();
    let place = |name: &Value| node_names.iter().position(|node| node == text(name));
    // Jobs come one after the other, those of higher priority first, unless an age is given.
    let mut listed: Vec<&Value> = list(&case["jobs"]).iter().collect();
    listed.sort_by_key(|job| std::cmp::Reverse(job["priority"].as_i64()));
    let count = listed.len() as f64;
    let mut jobs: Vec<(String, Job, bool)> = Vec::new();
    for (at, job) in listed.into_iter().enumerate() {
        let tasks: Vec<Task> = list(&job["tasks"])
            .iter()
            .map(|task| {
                // A node that is not there is one that nobody can run on.
                let allowed = list(&task["nodes"]).iter();
                let nodes = allowed.map(|node| place(node).unwrap_or(usize::MAX));
                Task {
                    request: vec![
                        number(&job["cpu"]),
                        number(&job["memory"]),
                        task["gpus"].as_f64().unwrap_or(number(&job["gpus"])),
                    ],
                    state: state(&task["state"]),
                    node: task.get("node").and_then(place),
                    nodes: nodes.collect(),
                    order: task["order"].as_i64(),
                }
            })
            .collect();
        let Some(queue) = tree.find(text(&job["queue"])) else {
            continue;
        };
        let created = job["age"].as_f64().map_or(at as f64 - count, |age| -age);
        let made = Job {
            queue,
            priority: job["priority"].as_i64().expect("a priority"),
            preemptible: job["preemptible"] == true,
            created,
            ran: 60.0,
            gang: match job.get("gang") {
                Some(root) => gang(root),
                None => {
                    let minimum = job["minimum"].as_u64();
                    Gang::of(
                        minimum.map_or(tasks.len(), |minimum| minimum as usize),
                        tasks.len(),
                    )
                }
            },
            may_evict: job["delay"]
                .as_f64()
                .is_none_or(|delay| delay <= -60.0 * created),
            grace: job["grace"].as_f64(),
            stale: job["stale"].as_f64().unwrap_or(0.0),
            tasks,
        };
        jobs.push((text(&job["name"]).to_owned(), made, job["deleted"] == true));
    }
    jobs.sort_by(|left, right| left.0.cmp(&right.0));
    let deleted = jobs.iter().map(|job| job.2).collect();
    let (job_names, jobs) = jobs.into_iter().map(|(name, job, _)| (name, job)).unzip();
    Scenario {
        nodes,
        node_names,
        jobs,
        job_names,
        deleted,
    }
}

fn gang(of: &Value) -> Gang {
    let count = |field: &str| of[field].as_u64().map(|count| count as usize);
    let member = |of: &Value| {
        if of.get("members").is_some() {
            return Member::Gang(gang(of));
        }
        let tasks = list(&of["tasks"]).iter();
        Member::Tasks(Tasks {
            name: text(&of["name"]).to_owned(),
            minimum: of["minimum"].as_u64().expect("a minimum") as usize,
            tasks: tasks
                .map(|task| task.as_u64().expect("a task") as usize)
                .collect(),
        })
    };
    Gang {
        name: text(&of["name"]).to_owned(),
        minimum: count("minimum"),
        members: list(&of["members"]).iter().map(member).collect(),
    }
}

/// What differs from what should be, if anything.
fn differs(
    case: &Value,
    scenario: &Scenario,
    at: &dyn Fn(TaskId) -> (State, Option<usize>),
) -> Option<String> {
    let expect = &case["expect"];
    let check = |id: TaskId, wanted: &Value| -> Option<String> {
        let (got, node) = at(id);
        let of_job = &scenario.job_names[id.job];
        let wanted_state = text(&wanted["state"]);
        if got != state(&wanted["state"]) {
            return Some(format!(
                "{of_job}-{} is {got:?}, not {wanted_state}",
                id.task
            ));
        }
        // One that waits keeps the name of the node that it was given.
        let node = node.or(scenario.jobs[id.job].tasks[id.task].node);
        let name = node
            .map(|node| scenario.node_names[node].as_str())
            .unwrap_or("");
        let is_there = wanted.get("node").is_none_or(|node| text(node) == name);
        (!is_there).then(|| format!("{of_job}-{} is on {name}, not {}", id.task, wanted["node"]))
    };
    for (name, wanted) in expect["jobs"].as_object().expect("jobs") {
        let Some(job) = scenario.job_names.iter().position(|job| job == name) else {
            continue;
        };
        for task in 0..scenario.jobs[job].tasks.len() {
            if let Some(why) = check(TaskId { job, task }, wanted) {
                return Some(why);
            }
        }
    }
    for (name, wanted) in expect["tasks"].as_object().into_iter().flatten() {
        // The originals look tasks up by their names, and pass over names that no task has.
        let Some((of_job, task)) = name.rsplit_once('-') else {
            continue;
        };
        let Some(job) = scenario.job_names.iter().position(|job| job == of_job) else {
            continue;
        };
        let task = task.parse().expect("a number");
        if let Some(why) = check(TaskId { job, task }, wanted) {
            return Some(why);
        }
    }
    None
}

fn actions(case: &Value) -> Vec<Action> {
    let listed = list(&case["actions"]).iter();
    let named = listed.map(|action| match text(action) {
        "allocate" => Action::Allocate,
        "consolidation" => Action::Consolidate,
        "reclaim" => Action::Reclaim,
        "preempt" => Action::Preempt,
        "stalegangeviction" => Action::EvictStale,
        other => panic!("no action {other}"),
    });
    named.collect()
}

/// Plays a case, and says what differs.
fn play(case: &Value) -> Option<String> {
    let tree = tree(case);
    let mut scenario = scenario(case, &tree);
    let settings = Settings {
        grace: case["grace"].as_f64().unwrap_or(0.0),
        ..Settings::default()
    };
    if case["integrated"] != true {
        let mut cluster = Cluster::new(&tree, &scenario.nodes, &scenario.jobs, None, settings);
        for action in actions(case) {
            run(&mut cluster, action);
        }
        let nodes = case["expect"]["nodes"].as_object();
        for (name, wanted) in nodes.into_iter().flatten() {
            let node = scenario
                .node_names
                .iter()
                .position(|node| node == name)
                .expect("a node");
            let (idle, releasing) = cluster.gpus_of(node);
            if idle != number(&wanted["idle"]) || releasing != number(&wanted["releasing"]) {
                return Some(format!(
                    "{name} has {idle} idle and {releasing} releasing GPUs"
                ));
            }
        }
        return differs(case, &scenario, &|id| {
            let place = cluster.place(id);
            (place.state, place.node)
        });
    }
    let rounds = |which: &str, default| case["rounds"][which].as_u64().unwrap_or(default);
    let until = rounds("until", 2);
    for round in 0..until + rounds("after", 5) {
        let mut places = Vec::new();
        {
            let mut cluster = Cluster::new(&tree, &scenario.nodes, &scenario.jobs, None, settings);
            for action in ALL {
                run(&mut cluster, action);
            }
            for (job, of) in scenario.jobs.iter().enumerate() {
                let tasks = 0..of.tasks.len();
                let place = |task| cluster.place(TaskId { job, task });
                places.push(tasks.map(place).collect::<Vec<_>>());
            }
        }
        if round >= until {
            let differing = differs(case, &scenario, &|id| {
                let place = places[id.job][id.task];
                (place.state, place.node)
            });
            if let Some(why) = differing {
                return Some(format!("round {round}: {why}"));
            }
        }
        // Between rounds what is released is gone, what was to start waits again, and what starts runs.
        for (job, of) in scenario.jobs.iter_mut().enumerate() {
            for (task, at) in of.tasks.iter_mut().enumerate() {
                let place = places[job][task];
                (at.state, at.node) = match place.state {
                    State::Releasing if !scenario.deleted[job] => (State::Pending, None),
                    State::Pipelined => (State::Pending, None),
                    State::Binding => (State::Running, place.node),
                    state => (state, place.node.or(at.node)),
                };
            }
        }
        if round + 1 == until {
            let jobs = &scenario.jobs;
            let at = |id: TaskId| {
                let task = &jobs[id.job].tasks[id.task];
                (task.state, task.node)
            };
            if let Some(why) = differs(case, &scenario, &at) {
                return Some(format!("after {until} rounds: {why}"));
            }
        }
    }
    None
}

#[test]
fn scenarios_are_equal() {
    let data = file(include_str!("cases/kai-scenarios.json"));
    let not_modelled = file(include_str!("cases/kai-scenarios-not-modelled.json"));
    let (cases, others) = (list(&data["cases"]), list(&not_modelled["cases"]));
    let mut differing = Vec::new();
    for case in cases {
        if let Some(why) = play(case) {
            differing.push(format!(
                "{} {}: {} – {why}",
                text(&case["file"]),
                case["number"],
                text(&case["name"])
            ));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    let is_named = |case: &Value| case["name"].is_string() && case["why"].is_string();
    assert!(others.iter().all(is_named));
    // Of all that ask for whole GPUs.
    let all = cases.len() + others.len();
    assert!(cases.len() * 100 >= all * 80, "{} of {all}", cases.len());
}

/// Two queues with two GPUs each, of which the first one has all four, and a job of the second one.
fn borrowing(asks: f64, multiplier: f64, minimum_runtime: f64) -> Vec<(Action, What)> {
    let queue = |name| Queue {
        quotas: vec![Quota {
            nominal: 2.0,
            ..Quota::default()
        }],
        ..Queue::new(name, None)
    };
    let gpus = Resource {
        kind: Kind::Gpus,
        flavor: None,
    };
    let tree = QueueTree::new(vec![gpus], vec![queue("a"), queue("b")]).expect("a tree");
    let nodes = [Node { total: vec![4.0] }];
    let job = |queue, request, state, node| Job {
        queue: QueueId(queue),
        priority: 50,
        preemptible: true,
        created: 0.0,
        ran: 60.0,
        gang: Gang::of(1, 1),
        may_evict: true,
        grace: None,
        stale: 0.0,
        tasks: vec![Task {
            request: vec![request],
            state,
            node,
            nodes: vec![],
            order: None,
        }],
    };
    let running = || job(0, 2.0, State::Running, Some(0));
    let jobs = [running(), running(), job(1, asks, State::Pending, None)];
    let settings = Settings {
        multiplier,
        reclaim_min_runtime: minimum_runtime,
        ..Settings::default()
    };
    let mut cluster = Cluster::new(&tree, &nodes, &jobs, None, settings);
    let facts = ALL.into_iter().flat_map(|action| run(&mut cluster, action));
    facts.map(|fact| (fact.action, fact.what)).collect()
}

#[test]
fn an_eviction_tells_who_goes_and_who_comes() {
    let facts = borrowing(2.0, 1.0, 0.0);
    let (victim, winner) = (TaskId { job: 1, task: 0 }, TaskId { job: 2, task: 0 });
    let none = NoPlace::NoNode { task: winner };
    assert_eq!(facts[0], (Action::Allocate, What::NoPlace(none)));
    let (asked, free) = (2.0, 0.0);
    let not_free = What::NotFree { asked, free };
    assert_eq!(facts[1], (Action::Consolidate, not_free));
    let (node, task) = (0, victim);
    assert_eq!(facts[2], (Action::Reclaim, What::Evicts { task, node }));
    let task = winner;
    assert_eq!(facts[3], (Action::Reclaim, What::Waits { task, node }));
    assert_eq!(facts.len(), 4);
}

#[test]
fn a_refusal_tells_its_numbers() {
    let facts = borrowing(3.0, 1.0, 0.0);
    let over = Refusal::OverFairShare {
        queue: QueueId(1),
        resource: 0,
        would_have: 3.0,
        fair: 2.0,
    };
    assert!(
        facts.contains(&(Action::Reclaim, What::MayNotReclaim(over))),
        "{facts:?}"
    );
    let young = borrowing(2.0, 1.0, 61.0);
    let none = NoRoom {
        candidates: 0,
        scenarios: 0,
        last: None,
    };
    assert!(
        young.contains(&(Action::Reclaim, What::NoRoom(none))),
        "{young:?}"
    );
}

#[test]
fn a_free_node_comes_before_a_fuller_one_that_will_be() {
    let gpus = Resource {
        kind: Kind::Gpus,
        flavor: None,
    };
    let all = Quota {
        nominal: 8.0,
        ..Quota::default()
    };
    let queue = Queue {
        quotas: vec![all],
        ..Queue::new("a", None)
    };
    let tree = QueueTree::new(vec![gpus], vec![queue]).expect("a tree");
    let nodes = [Node { total: vec![1.0] }, Node { total: vec![4.0] }];
    let job = |state, node| Job {
        queue: QueueId(0),
        priority: 50,
        preemptible: true,
        created: 0.0,
        ran: 0.0,
        gang: Gang::of(1, 1),
        may_evict: true,
        grace: None,
        stale: 0.0,
        tasks: vec![Task {
            request: vec![1.0],
            state,
            node,
            nodes: vec![],
            order: None,
        }],
    };
    let jobs = [job(State::Releasing, Some(0)), job(State::Pending, None)];
    let mut cluster = Cluster::new(&tree, &nodes, &jobs, None, Settings::default());
    let facts = run(&mut cluster, Action::Allocate);
    let (task, node) = (TaskId { job: 1, task: 0 }, 1);
    assert_eq!(facts[0].what, What::Starts { task, node });
}
