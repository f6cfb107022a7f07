//! The originals' own tables of KAI's shares and reclaims, as data.

use serde_json::Value;
use switchyard_queues::kai::cases;
use switchyard_queues::kai::division::{Claim, Share, divide, divide_over_quota};
use switchyard_queues::kai::levels::{Demands, divide_tree};
use switchyard_queues::kai::order::{Contender, compare};
use switchyard_queues::kai::reclaim::{Reclaimer, Victims, can_lose, may_reclaim, may_try, parts};
use switchyard_queues::kai::standing::{Standing, Standings};
use switchyard_queues::tree::{Kind, Queue, QueueId, QueueTree, Quota, Resource};

const KINDS: [(Kind, &str); 3] = [
    (Kind::Cores, "CPU"),
    (Kind::Memory, "Memory"),
    (Kind::Gpus, "GPU"),
];

fn read(text: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(text).expect("JSON");
    assert!(file["source"]["repository"].is_string(), "no source");
    file["cases"].as_array().expect("a list").clone()
}

fn number(of: &Value, field: &str) -> f64 {
    of[field]
        .as_f64()
        .unwrap_or_else(|| panic!("no {field} in {of}"))
}

fn limit(of: &Value, field: &str) -> f64 {
    let limit = number(of, field);
    if limit < 0.0 { f64::INFINITY } else { limit }
}

fn list(of: &Value) -> &[Value] {
    of.as_array().expect("a list")
}

fn name(of: &Value, field: &str) -> String {
    of[field].as_str().expect("a name").to_owned()
}

/// Runs a check of every case, and names all that fail.
fn all(cases: &[Value], count: usize, check: impl Fn(&Value) -> Result<(), String>) {
    assert_eq!(cases.len(), count);
    let failed: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            check(case)
                .err()
                .map(|why| format!("{}: {why}", case["name"]))
        })
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn handed_cases_are_equal() {
    let text = include_str!("cases/kai-division-cases.json");
    let file: Value = serde_json::from_str(text).expect("JSON");
    let got = cases::run(&file).expect("cases");
    let got = list(&got["cases"]).to_vec();
    let cases = read(text);
    all(&cases, 12, |case| {
        let mut names = got.iter().filter(|got| got["name"] == case["name"]);
        let got = &names.next().expect("a result")["got"];
        let equal = got == &case["expect"];
        equal
            .then_some(())
            .ok_or(format!("{got} is not {}", case["expect"]))
    });
}

#[test]
fn divisions_are_equal() {
    all(&read(include_str!("cases/kai-division.json")), 90, |case| {
        let mut queues = list(&case["queues"]).to_vec();
        queues.sort_by_key(|queue| name(queue, "id"));
        let claims: Vec<Claim> = queues.iter().map(claim).collect();
        let (total, k) = (number(case, "total"), number(case, "k"));
        let (shares, remaining) = if case["phase"] == "all" {
            let division = divide(total, k, &claims);
            (division.shares, division.remaining)
        } else {
            let share = |queue: &Value| Share {
                total: queue["share"].as_f64().unwrap_or(0.0),
                ..Share::default()
            };
            let mut shares: Vec<Share> = queues.iter().map(share).collect();
            let remaining = divide_over_quota(total, k, &claims, &mut shares, |_| {});
            (shares, remaining)
        };
        for (queue, wanted) in case["expect"].as_object().expect("shares") {
            let at = queues.iter().position(|one| one["id"] == queue.as_str());
            let got = shares[at.expect("the queue")].total;
            if Some(got) != wanted.as_f64() {
                return Err(format!("{queue} got {got}, not {wanted}"));
            }
        }
        match case.get("remaining").and_then(Value::as_f64) {
            Some(wanted) if wanted != remaining => Err(format!("{remaining} left, not {wanted}")),
            _ => Ok(()),
        }
    });
}

fn claim(queue: &Value) -> Claim {
    Claim {
        deserved: limit(queue, "deserved"),
        limit: limit(queue, "max"),
        weight: number(queue, "weight"),
        request: number(queue, "request"),
        usage: 0.0,
        priority: queue["priority"].as_i64().expect("a priority"),
        created: number(queue, "created"),
    }
}

/// Queues as a tree, whose quotas `quotas` makes.
fn tree(queues: &[Value], resources: &[Kind], quotas: impl Fn(&Value) -> Vec<Quota>) -> QueueTree {
    let place = |id: &Value| {
        let at = queues.iter().position(|queue| &queue["id"] == id);
        QueueId(at.expect("a queue above") as u32)
    };
    let made = queues.iter().map(|queue| Queue {
        quotas: quotas(queue),
        priority: queue["priority"].as_i64().unwrap_or(0),
        ..Queue::new(name(queue, "id"), queue.get("parent").map(&place))
    });
    let resource = |&kind: &Kind| Resource { kind, flavor: None };
    let resources = resources.iter().map(resource).collect();
    QueueTree::new(resources, made.collect()).expect("a tree")
}

#[test]
fn levels_are_equal() {
    all(&read(include_str!("cases/kai-levels.json")), 9, |case| {
        let queues = list(&case["queues"]);
        let tree = tree(queues, &[Kind::Gpus], |queue| {
            vec![Quota {
                nominal: limit(queue, "deserved"),
                weight: number(queue, "weight"),
                ..Quota::default()
            }]
        });
        let requests: Vec<f64> = queues
            .iter()
            .map(|queue| number(queue, "request"))
            .collect();
        let asked = Demands {
            totals: &[number(case, "total")],
            k: number(case, "k"),
            requests: &requests,
            usage: None,
            created: None,
        };
        let shares = divide_tree(&tree, &asked, |_, _, _| {});
        for (queue, wanted) in case["expect"].as_object().expect("shares") {
            let got = shares.of(tree.find(queue).expect("the queue"))[0].total;
            if Some(got) != wanted.as_f64() {
                return Err(format!("{queue} got {got}, not {wanted}"));
            }
        }
        Ok(())
    });
}

fn read_standing(of: &Value) -> Standing {
    Standing {
        deserved: limit(of, "deserved"),
        fair: limit(of, "fair"),
        limit: limit(of, "max"),
        allocated: number(of, "allocated"),
        fixed: number(of, "fixed"),
    }
}

fn amounts(of: &Value) -> Vec<f64> {
    KINDS.iter().map(|(_, kind)| number(of, kind)).collect()
}

/// A case's tree, how its queues stand, and the queue and request of the job that reclaims.
fn situation(case: &Value) -> (QueueTree, Standings, QueueId, Vec<f64>) {
    let queues = list(&case["queues"]);
    let tree = tree(queues, &KINDS.map(|(kind, _)| kind), |queue| {
        let quota = |(_, kind): &(Kind, &str)| Quota {
            nominal: limit(&queue[kind], "deserved"),
            ..Quota::default()
        };
        KINDS.iter().map(quota).collect()
    });
    let mut standings = Standings::empty(&tree);
    for (at, queue) in queues.iter().enumerate() {
        let of = standings.of_mut(QueueId(at as u32));
        for (standing, (_, kind)) in of.iter_mut().zip(KINDS) {
            *standing = read_standing(&queue[kind]);
        }
    }
    let reclaimer = &case["reclaimer"];
    let queue = tree.find(&name(reclaimer, "queue")).expect("its queue");
    (tree, standings, queue, amounts(&reclaimer["request"]))
}

fn says(case: &Value, got: bool, why: impl std::fmt::Debug) -> Result<(), String> {
    let wanted = case["expect"] == true;
    (got == wanted)
        .then_some(())
        .ok_or(format!("it says {got}: {why:?}"))
}

fn preemptible(case: &Value) -> bool {
    case["reclaimer"]["preemptible"] == true
}

#[test]
fn who_may_try_to_reclaim_is_equal() {
    all(&read(include_str!("cases/kai-may-try.json")), 15, |case| {
        let (_, standings, queue, request) = situation(case);
        let reclaimer = Reclaimer {
            queue,
            request: &request,
            preemptible: preemptible(case),
        };
        let got = may_try(&standings, &reclaimer);
        says(case, got.is_ok(), got)
    });
}

#[test]
fn what_may_be_reclaimed_is_equal() {
    let text = include_str!("cases/kai-reclaimable.json");
    all(&read(text), 19, |case| {
        let (tree, standings, queue, request) = situation(case);
        let reclaimer = Reclaimer {
            queue,
            request: &request,
            preemptible: preemptible(case),
        };
        let by_queue = case["victims"].as_object().expect("victims");
        let victims: Vec<Victims> = by_queue
            .iter()
            .map(|(queue, jobs)| Victims {
                queue: tree.find(queue).expect("the victim's queue"),
                amounts: list(jobs).iter().map(amounts).collect(),
            })
            .collect();
        let multiplier = number(case, "multiplier");
        let got = may_reclaim(&tree, &standings, &reclaimer, &victims, multiplier);
        says(case, got.is_ok(), got)
    });
}

#[test]
fn who_can_lose_is_equal() {
    all(&read(include_str!("cases/kai-can-lose.json")), 5, |case| {
        let (tree, standings, queue, request) = situation(case);
        let reclaimer = Reclaimer {
            queue,
            request: &request,
            preemptible: preemptible(case),
        };
        let victim = tree
            .find(&name(case, "victim"))
            .expect("the victim's queue");
        let got = can_lose(&tree, &standings, &reclaimer, victim);
        says(case, got, ())
    });
}

#[test]
fn victims_give_back_in_equal_parts() {
    all(&read(include_str!("cases/kai-victims.json")), 4, |case| {
        let tasks = number(case, "tasks") as usize;
        let got = parts(&vec![&[1.0][..]; tasks], number(case, "minimum") as usize);
        let wanted = number(case, "groups") as usize;
        let sum: f64 = got.iter().flatten().sum();
        let is_whole = sum == tasks as f64;
        (got.len() == wanted && is_whole)
            .then_some(())
            .ok_or(format!("{got:?}"))
    });
}

#[test]
fn orders_of_queues_are_equal() {
    all(&read(include_str!("cases/kai-order.json")), 6, |case| {
        let standings = |side: &Value| -> Vec<Standing> {
            KINDS
                .iter()
                .map(|(_, kind)| read_standing(&side[kind]))
                .collect()
        };
        let totals = amounts(&case["totals"]);
        let (left, right) = (&case["left"], &case["right"]);
        let (of_left, of_right) = (standings(left), standings(right));
        let heads = [left, right].map(|side| [0.0, 0.0, number(side, "head")]);
        let contender = |side: &Value, standings, head| Contender {
            standings,
            priority: side["priority"].as_i64().expect("a priority"),
            created: 0.0,
            head,
            victims: &[],
        };
        let left = contender(left, &of_left, &heads[0]);
        let right = contender(right, &of_right, &heads[1]);
        let got = compare(&left, &right, &totals);
        // Where nothing differs, the original takes the right one.
        let sign = if got.order.is_lt() { -1 } else { 1 };
        let is_equal = case["expect"] == sign;
        is_equal.then_some(()).ok_or(format!("{got:?}"))
    });
}
