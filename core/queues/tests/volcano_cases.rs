//! Volcano's own tests of its plugins `proportion` and `capacity`, as data.
//!
//! A session is played on nodes and pods with the rules of `switchyard_queues::volcano`: enqueue, allocate and reclaim, as
//! the originals' actions go through queues, jobs and nodes.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use switchyard_queues::tree::QueueId;
use switchyard_queues::volcano::amounts::is_within;
use switchyard_queues::volcano::queues::{Plugin, Queues, Spec};

/// Volcano's overcommit is in none of these tests.
struct Session {
    kinds: Vec<String>,
    on: BTreeSet<String>,
    queues: Queues,
    open: Vec<bool>,
    is_leaf: Vec<bool>,
    nodes: Vec<Node>,
    groups: Vec<Group>,
    pods: Vec<Pod>,
}

struct Node {
    name: String,
    idle: Vec<f64>,
    labels: Map<String, Value>,
}

struct Group {
    name: String,
    queue: QueueId,
    min: u64,
    is_pending: bool,
    /// What it says it needs.
    asks: Option<Vec<f64>>,
}

struct Pod {
    name: String,
    asks: Vec<f64>,
    group: usize,
    node: Option<usize>,
    is_bound: bool,
    was_running: bool,
    is_evicted: bool,
    stays: bool,
    selector: Map<String, Value>,
}

fn list(of: &Value) -> &[Value] {
    of.as_array().expect("a list")
}

fn text(of: &Value, field: &str) -> String {
    of[field].as_str().expect("a text").to_owned()
}

fn words(of: &Value, field: &str) -> Map<String, Value> {
    of[field].as_object().expect("an object").clone()
}

/// The amounts of an object, by kind.
fn amounts(kinds: &[String], of: &Value, without: f64) -> Vec<f64> {
    let amount = |kind: &String| of.get(kind).and_then(Value::as_f64).unwrap_or(without);
    kinds.iter().map(amount).collect()
}

/// All kinds that are named anywhere in a case.
fn kinds(case: &Value) -> Vec<String> {
    let mut kinds = BTreeSet::new();
    let of = [("nodes", "has"), ("pods", "asks"), ("queues", "deserved")];
    for (all, field) in of {
        for one in list(&case[all]) {
            kinds.extend(words(one, field).keys().cloned());
        }
    }
    kinds.into_iter().collect()
}

fn spec(kinds: &[String], names: &BTreeMap<String, QueueId>, queue: &Value) -> Spec {
    // In Volcano, no cores and no memory stand for no limit.
    let mut capability = amounts(kinds, &queue["capability"], f64::INFINITY);
    for (kind, amount) in kinds.iter().zip(&mut capability) {
        if ["cpu", "memory"].contains(&kind.as_str()) && *amount <= 0.0 {
            *amount = f64::INFINITY;
        }
    }
    Spec {
        parent: queue["parent"].as_str().map(|name| names[name]),
        weight: queue["weight"].as_f64().expect("a weight"),
        priority: queue["priority"].as_i64().expect("a priority"),
        deserved: amounts(kinds, &queue["deserved"], 0.0),
        capability,
        guarantee: amounts(kinds, &queue["guarantee"], 0.0),
    }
}

impl Session {
    fn of(case: &Value) -> Self {
        let kinds = kinds(case);
        let names: BTreeMap<String, QueueId> = (0u32..)
            .zip(list(&case["queues"]))
            .map(|(at, queue)| (text(queue, "name"), QueueId(at)))
            .collect();
        let specs: Vec<Spec> = list(&case["queues"])
            .iter()
            .map(|queue| spec(&kinds, &names, queue))
            .collect();
        let is_leaf = (0u32..specs.len() as u32)
            .map(|at| specs.iter().all(|spec| spec.parent != Some(QueueId(at))))
            .collect();
        let nodes: Vec<Node> = list(&case["nodes"])
            .iter()
            .map(|node| Node {
                name: text(node, "name"),
                idle: amounts(&kinds, &node["has"], 0.0),
                labels: words(node, "labels"),
            })
            .collect();
        let totals = (0..kinds.len()).map(|at| nodes.iter().map(|node| node.idle[at]).sum());
        let totals: Vec<f64> = totals.collect();
        let plugin = match text(case, "plugin").as_str() {
            "proportion" => Plugin::Proportion,
            _ => Plugin::Capacity,
        };
        let groups: Vec<Group> = list(&case["groups"])
            .iter()
            .map(|group| Group {
                name: text(group, "name"),
                queue: names[group["queue"].as_str().expect("a queue")],
                min: group["min"].as_u64().expect("a number"),
                is_pending: text(group, "phase") == "PodGroupPending",
                asks: group.get("asks").map(|asks| amounts(&kinds, asks, 0.0)),
            })
            .collect();
        let on = list(&case["on"]).iter();
        let mut session = Self {
            on: on
                .map(|word| word.as_str().expect("a word").to_owned())
                .collect(),
            queues: Queues::new(plugin, specs, &totals),
            open: list(&case["queues"])
                .iter()
                .map(|queue| {
                    queue
                        .get("state")
                        .is_none_or(|state| state == "QueueStateOpen")
                })
                .collect(),
            is_leaf,
            nodes,
            groups,
            pods: Vec::new(),
            kinds,
        };
        for pod in list(&case["pods"]) {
            session.add(pod);
        }
        session.queues.open();
        session
    }

    fn add(&mut self, pod: &Value) {
        let group = text(pod, "group");
        let group = self.groups.iter().position(|of| of.name == group);
        let group = group.expect("its group");
        let asks = amounts(&self.kinds, &pod["asks"], 0.0);
        let node = text(pod, "node");
        let node = self.nodes.iter().position(|of| of.name == node);
        let queue = self.groups[group].queue;
        // What is pending asks, too, whether its group has been let in or not.
        self.queues.enqueue(queue, &asks);
        if let Some(at) = node {
            self.queues.take(queue, &asks);
            change(&mut self.nodes[at].idle, &asks, -1.0);
        }
        self.pods.push(Pod {
            name: text(pod, "name"),
            asks,
            group,
            node,
            is_bound: false,
            was_running: node.is_some(),
            is_evicted: false,
            stays: pod.get("stays").is_some(),
            selector: words(pod, "selector"),
        });
    }

    fn is_on(&self, word: &str) -> bool {
        self.on.contains(word)
    }

    /// The leaf that is next, of some.
    fn next(&self, of: &BTreeSet<QueueId>) -> Option<QueueId> {
        let of = of.iter().copied();
        match self.is_on("order") {
            true => of.min_by(|a, b| self.queues.compare(*a, *b)),
            false => of.min(),
        }
    }

    fn enqueue(&mut self) {
        let queues = self.groups.iter().map(|group| group.queue);
        let mut queues: BTreeSet<QueueId> = queues.collect();
        let mut seen = BTreeSet::new();
        while let Some(queue) = self.next(&queues) {
            let mut waiting = 0..self.groups.len();
            let group = waiting.find(|&at| {
                let group = &self.groups[at];
                group.queue == queue && group.is_pending && !seen.contains(&at)
            });
            let Some(at) = group else {
                queues.remove(&queue);
                continue;
            };
            seen.insert(at);
            let may = match (&self.groups[at].asks, self.is_on("enqueue")) {
                (Some(asks), true) => {
                    self.open[queue.index()]
                        && self.is_leaf[queue.index()]
                        && self.limit_to_enqueue(queue, asks).is_none()
                }
                _ => true,
            };
            if may {
                self.groups[at].is_pending = false;
                if self.pods.iter().all(|pod| pod.group != at)
                    && let Some(asks) = self.groups[at].asks.clone()
                {
                    self.queues.enqueue(queue, &asks);
                }
            }
        }
    }

    /// Pods of groups that have not been let in are no part of what is let in.
    fn limit_to_enqueue(&self, queue: QueueId, asks: &[f64]) -> Option<QueueId> {
        let mut queues = self.queues.clone();
        for pod in self.pods.iter().filter(|pod| pod.node.is_none()) {
            let group = &self.groups[pod.group];
            if group.is_pending {
                queues.take(group.queue, &pod.asks);
                queues.give(group.queue, &pod.asks);
            }
        }
        queues
            .limit_to_enqueue(queue, asks)
            .map(|limit| limit.queue)
    }

    /// Groups of a queue that wait, in order.
    fn waiting(&self, queue: QueueId) -> Vec<usize> {
        let all = 0..self.groups.len();
        let waits = |&at: &usize| {
            let group = &self.groups[at];
            let mut pods = self.pods.iter();
            let has_waiting =
                pods.any(|pod| pod.group == at && pod.node.is_none() && !pod.is_evicted);
            group.queue == queue && !group.is_pending && has_waiting
        };
        all.filter(waits).collect()
    }

    fn allocate(&mut self) {
        let queues = self.groups.iter().map(|group| group.queue);
        let mut queues: BTreeSet<QueueId> = queues.collect();
        let mut seen = BTreeSet::new();
        while let Some(queue) = self.next(&queues) {
            let overused = self.is_on("overused") && self.queues.is_overused(queue);
            let waiting = self.waiting(queue);
            let next = waiting.into_iter().find(|at| !seen.contains(at));
            let (Some(group), false) = (next, overused) else {
                queues.remove(&queue);
                continue;
            };
            seen.insert(group);
            self.allocate_group(group);
        }
    }

    fn allocate_group(&mut self, group: usize) {
        let queue = self.groups[group].queue;
        let mut given = Vec::new();
        for at in 0..self.pods.len() {
            let pod = &self.pods[at];
            if pod.group != group || pod.node.is_some() {
                continue;
            }
            let may = !self.is_on("allocatable")
                || self.open[queue.index()]
                    && self.is_leaf[queue.index()]
                    && self.queues.limit(queue, &pod.asks).is_none();
            let fits = |node: &Node| is_on_node(node, pod) && is_within(&pod.asks, &node.idle);
            let node = self.nodes.iter().position(fits);
            if let (true, Some(node)) = (may, node) {
                self.place(at, node);
                given.push(at);
            }
        }
        let running = self.pods.iter().filter(|pod| pod.group == group);
        let running = running.filter(|pod| pod.node.is_some()).count() as u64;
        for at in given {
            match running >= self.groups[group].min {
                true => self.pods[at].is_bound = true,
                false => self.remove(at),
            }
        }
    }

    fn place(&mut self, at: usize, node: usize) {
        let pod = &mut self.pods[at];
        pod.node = Some(node);
        change(&mut self.nodes[node].idle, &pod.asks, -1.0);
        self.queues.take(self.groups[pod.group].queue, &pod.asks);
    }

    fn remove(&mut self, at: usize) {
        let pod = &mut self.pods[at];
        if let Some(node) = pod.node.take() {
            change(&mut self.nodes[node].idle, &pod.asks, 1.0);
            let queue = self.groups[pod.group].queue;
            self.queues.give(queue, &pod.asks);
            if !pod.is_evicted {
                self.queues.enqueue(queue, &pod.asks);
            }
        }
    }

    /// The groups that would have what they need from others, each with its nodes.
    fn reclaim(&mut self) -> BTreeMap<String, Vec<String>> {
        let mut pipelined = BTreeMap::new();
        let queues = self.groups.iter().map(|group| group.queue);
        let mut queues: BTreeSet<QueueId> = queues.collect();
        let mut seen = BTreeSet::new();
        while let Some(queue) = self.next(&queues) {
            let overused = self.is_on("overused") && self.queues.is_overused(queue);
            let waiting = self.waiting(queue);
            let next = waiting.into_iter().find(|at| !seen.contains(at));
            let (Some(group), false) = (next, overused) else {
                queues.remove(&queue);
                continue;
            };
            seen.insert(group);
            let pods = (0..self.pods.len()).filter(|&at| self.pods[at].group == group);
            for pod in pods.collect::<Vec<usize>>() {
                if let Some(node) = self.reclaim_for(pod, queue) {
                    let nodes: &mut Vec<String> = pipelined
                        .entry(self.groups[group].name.clone())
                        .or_default();
                    nodes.push(self.nodes[node].name.clone());
                }
            }
        }
        pipelined
    }

    fn reclaim_for(&mut self, at: usize, queue: QueueId) -> Option<usize> {
        let asks = self.pods[at].asks.clone();
        let is_starving = self.pods[at].node.is_none();
        if !is_starving || !self.is_on("preemptive") || !self.queues.may_reclaim(queue, &asks) {
            return None;
        }
        for node in 0..self.nodes.len() {
            if !is_on_node(&self.nodes[node], &self.pods[at]) {
                continue;
            }
            let mut candidates: Vec<usize> = (0..self.pods.len())
                .filter(|&other| {
                    let pod = &self.pods[other];
                    let is_there = pod.node == Some(node) && pod.was_running && !pod.stays;
                    is_there && self.groups[pod.group].queue != queue
                })
                .collect();
            candidates.sort_by_key(|&other| {
                let other = self.groups[self.pods[other].group].queue;
                std::cmp::Reverse(self.queues.common_level(other, queue))
            });
            let mut lost: BTreeMap<QueueId, Vec<f64>> = BTreeMap::new();
            let mut victims = Vec::new();
            for other in candidates {
                let pod = &self.pods[other];
                let of = self.groups[pod.group].queue;
                let lost = lost.entry(of).or_insert_with(|| vec![0.0; asks.len()]);
                if (self.queues.may_lose(of, lost, &pod.asks, &asks)).is_some() {
                    change(lost, &pod.asks, 1.0);
                    victims.push(other);
                }
            }
            let mut idle = self.nodes[node].idle.clone();
            let mut evicted = Vec::new();
            for victim in victims {
                if is_within(&asks, &idle) {
                    break;
                }
                change(&mut idle, &self.pods[victim].asks, 1.0);
                evicted.push(victim);
            }
            if is_within(&asks, &idle) && !evicted.is_empty() {
                for victim in evicted {
                    self.pods[victim].is_evicted = true;
                    self.remove(victim);
                }
                self.place(at, node);
                return Some(node);
            }
        }
        None
    }
}

fn change(amounts: &mut [f64], by: &[f64], sign: f64) {
    for (amount, by) in amounts.iter_mut().zip(by) {
        *amount += sign * by;
    }
}

fn is_on_node(node: &Node, pod: &Pod) -> bool {
    let mut wanted = pod.selector.iter();
    wanted.all(|(key, word)| node.labels.get(key) == Some(word))
}

fn check(case: &Value) -> Result<(), String> {
    let mut session = Session::of(case);
    let mut pipelined = BTreeMap::new();
    let actions = list(&case["actions"]).iter();
    let actions: Vec<&str> = actions.map(|word| word.as_str().expect("a word")).collect();
    if !actions.contains(&"enqueue") {
        for group in &mut session.groups {
            group.is_pending = false;
        }
    }
    for action in actions {
        match action {
            "enqueue" => session.enqueue(),
            "allocate" => session.allocate(),
            "reclaim" => pipelined = session.reclaim(),
            other => panic!("{other} is not played"),
        }
    }
    let expect = &case["expect"];
    let pods = || session.pods.iter();
    let bound: BTreeMap<&str, &str> = pods()
        .filter(|pod| pod.is_bound)
        .filter_map(|pod| Some((pod.name.as_str(), session.nodes[pod.node?].name.as_str())))
        .collect();
    let equal = |what: &str, got: Value, expected: &Value| match got == *expected {
        true => Ok(()),
        false => Err(format!("{what} {got} instead of {expected}")),
    };
    if let Some(expected) = expect.get("binds") {
        equal("binds", serde_json::json!(bound), expected)?;
    }
    if let Some(expected) = expect.get("bound") {
        equal("bound", serde_json::json!(bound.len()), expected)?;
    }
    if let Some(expected) = expect.get("evicted") {
        let evicted = pods().filter(|pod| pod.is_evicted).map(|pod| &pod.name);
        let evicted: Vec<&String> = evicted.collect();
        equal("evicted", serde_json::json!(evicted), expected)?;
    }
    if let Some(expected) = expect.get("pipelined") {
        equal("pipelined", serde_json::json!(pipelined), expected)?;
    }
    if let Some(expected) = expect.get("phases") {
        let phase = |group: &Group| match group.is_pending {
            true => "PodGroupPending",
            false => "PodGroupInqueue",
        };
        let phases = session.groups.iter();
        let phases = phases.map(|group| (group.name.clone(), phase(group).into()));
        let phases: Map<String, Value> = phases.collect();
        equal("phases", Value::Object(phases), expected)?;
    }
    Ok(())
}

fn file() -> Value {
    let file: Value = serde_json::from_str(include_str!("cases/volcano.json")).expect("JSON");
    assert!(file["source"]["repository"].is_string(), "no source");
    file
}

#[test]
fn sessions_are_equal() {
    let file = file();
    let cases = list(&file["cases"]);
    assert_eq!(cases.len(), 34);
    let failed: Vec<String> = cases
        .iter()
        .filter_map(|case| Some(format!("{}: {}", case["name"], check(case).err()?)))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn shares_are_equal() {
    let file = file();
    let kinds = ["cpu", "memory"].map(str::to_owned);
    let cases = list(&file["shares"]);
    assert_eq!(cases.len(), 17);
    for case in cases {
        let spec = Spec {
            parent: None,
            weight: 1.0,
            priority: 0,
            deserved: amounts(&kinds, &case["deserved"], 0.0),
            capability: vec![f64::INFINITY; 2],
            guarantee: vec![0.0; 2],
        };
        let mut queues = Queues::new(Plugin::Capacity, vec![spec], &[1000.0, 1000.0]);
        let allocated = amounts(&kinds, &case["allocated"], 0.0);
        queues.enqueue(QueueId(0), &allocated);
        queues.take(QueueId(0), &allocated);
        assert_eq!(
            Some(queues.share(QueueId(0))),
            case["share"].as_f64(),
            "{}",
            case["name"]
        );
    }
}
