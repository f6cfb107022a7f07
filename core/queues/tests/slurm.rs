//! Slurm's fair share and priorities against Slurm's own tests, its documentation, and public lines of `sprio`.

use proptest::prelude::*;
use serde::Deserialize;
use std::collections::HashMap;
use switchyard_queues::files::slurm_config;
use switchyard_queues::slurm::associations::{Associations, Membership, Shares};
use switchyard_queues::slurm::fair_tree::{self, Ties};
use switchyard_queues::slurm::priority::{Factors, Part, Rounding, Weights};
use switchyard_queues::slurm::usage::{Billed, Billing, Usage};
use switchyard_queues::slurm::{classic, priority};
use switchyard_queues::tree::{Queue, QueueId, QueueTree};

#[derive(Deserialize)]
struct Own {
    cases: Vec<OwnCase>,
}

#[derive(Deserialize)]
struct OwnCase {
    name: String,
    algorithm: String,
    associations: Vec<OwnAssociation>,
    sshare: Vec<HashMap<String, String>>,
}

#[derive(Deserialize)]
struct OwnAssociation {
    id: u32,
    parent: Option<u32>,
    account: String,
    user: Option<String>,
    shares: serde_json::Value,
    usage: f64,
}

impl OwnCase {
    fn associations(&self) -> (Associations, Usage) {
        let place = |id: u32| {
            let at = self.associations.iter().position(|other| other.id == id);
            QueueId(at.expect("a parent") as u32)
        };
        let queues = self.associations.iter().enumerate();
        let queues = queues.map(|(at, own)| Queue {
            weight: own.shares.as_f64().unwrap_or(0.0),
            ..Queue::new(at.to_string(), own.parent.map(place))
        });
        let tree = QueueTree::new(vec![], queues.collect()).expect("a tree");
        let associations = Associations::new(&tree, |id| {
            let own = &self.associations[id.index()];
            Membership {
                is_user: own.user.is_some(),
                shares: match own.shares.as_str() {
                    Some("parent") => Shares::Parent,
                    _ => Shares::Own,
                },
            }
        });
        let mut usage = Usage::new(&associations);
        for (at, own) in self.associations.iter().enumerate() {
            usage.add(&associations, QueueId(at as u32), own.usage);
        }
        (associations, usage)
    }

    fn place(&self, line: &HashMap<String, String>) -> QueueId {
        let found = self.associations.iter().position(|own| {
            own.account == line["account"] && own.user.as_ref() == line.get("user")
        });
        QueueId(found.expect("an association") as u32)
    }
}

/// A figure as `sshare` prints it.
fn printed(value: f64) -> String {
    format!("{value:.6}")
}

#[test]
fn slurms_own_tests_have_the_same_figures() {
    let own: Own =
        serde_json::from_str(include_str!("cases/slurm-fair-share.json")).expect("the cases");
    let mut figures = HashMap::new();
    for case in &own.cases {
        let (associations, usage) = case.associations();
        let classic = classic::fair_shares(&associations, &usage, 1.0);
        for ties in [Ties::Merged, Ties::InTurn] {
            let tree = fair_tree::fair_shares(&associations, &usage, ties);
            for line in &case.sshare {
                let id = case.place(line);
                let (of_classic, of_tree) = (classic[id.index()], tree[id.index()]);
                let is_tree = case.algorithm == "fair-tree";
                if Some(id) == associations.root() {
                    // Nothing stands beside the root: its share and its usage are not computed.
                    assert_eq!(
                        printed(usage.raw(id)),
                        format!("{}.000000", line["raw_usage"])
                    );
                    continue;
                }
                let (shares, used, factor) = if is_tree {
                    (of_tree.shares, of_tree.usage, of_tree.factor)
                } else {
                    (
                        of_classic.shares,
                        of_classic.effective_usage,
                        of_classic.factor,
                    )
                };
                let got = [
                    ("norm_shares", printed(shares)),
                    ("raw_usage", usage.raw(id).to_string()),
                    ("norm_usage", printed(of_classic.usage)),
                    ("effective_usage", printed(used)),
                    ("fair_share", printed(factor)),
                    ("level", of_tree.level.map_or(String::new(), printed)),
                ];
                for (column, got) in got {
                    let Some(expected) = line.get(column) else {
                        continue;
                    };
                    assert_eq!(&got, expected, "{}: {line:?}, {column}", case.name);
                    *figures.entry((case.name.clone(), column)).or_insert(0) += 1;
                }
            }
        }
    }
    let all: usize = figures.values().sum();
    // Six lines, twelve and thirty-four, each with both rules for ties.
    assert_eq!(all, 2 * (5 * 5 + 12 * 5 + 34 * 4 + 21 + 31), "{figures:?}");
}

#[test]
fn the_order_of_a_tree_names_what_decided() {
    let own: Own =
        serde_json::from_str(include_str!("cases/slurm-fair-share.json")).expect("the cases");
    let case = own.cases.iter().find(|case| case.algorithm == "fair-tree");
    let case = case.expect("there is one");
    let (associations, usage) = case.associations();
    let tree = fair_tree::fair_shares(&associations, &usage, Ties::Merged);
    let of = |account: &str, user: &str| {
        let line = [("account", account), ("user", user)];
        case.place(
            &line
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into(),
        )
    };
    let name = |id: QueueId| case.associations[id.index()].account.clone();
    let decided = fair_tree::comparison(&associations, &tree, of("aAB", "uAB2"), of("aBA", "uBA1"));
    let decided = decided.expect("they lie apart");
    assert_eq!(decided.below, None);
    assert_eq!(
        (name(decided.one.0), name(decided.other.0)),
        ("aA".into(), "aB".into())
    );
    assert!(decided.one.1 < decided.other.1);
    let of_one_account =
        fair_tree::comparison(&associations, &tree, of("aAA", "uAA1"), of("aAB", "uAB1"));
    assert_eq!(
        of_one_account.expect("they lie apart").below.map(name),
        Some("aA".into())
    );
    let itself = of("aAA", "uAA1");
    assert_eq!(
        fair_tree::comparison(&associations, &tree, itself, itself),
        None
    );
}

#[test]
fn tied_accounts_are_walked_as_one_or_in_turn() {
    // Two accounts with equal shares and usage, whose users differ.
    let queue = |name: &str, parent, weight| Queue {
        weight,
        ..Queue::new(name, parent)
    };
    let queues = vec![
        queue("root", None, 1.0),
        queue("a", Some(QueueId(0)), 1.0),
        queue("b", Some(QueueId(0)), 1.0),
        queue("a-heavy", Some(QueueId(1)), 1.0),
        queue("a-light", Some(QueueId(1)), 1.0),
        queue("b-heavy", Some(QueueId(2)), 1.0),
        queue("b-light", Some(QueueId(2)), 1.0),
    ];
    let tree = QueueTree::new(vec![], queues).expect("a tree");
    let associations = Associations::of_tree(&tree);
    let mut usage = Usage::new(&associations);
    for (at, used) in [(3, 90.0), (4, 10.0), (5, 60.0), (6, 40.0)] {
        usage.add(&associations, QueueId(at), used);
    }
    let ranks = |ties| {
        let all = fair_tree::fair_shares(&associations, &usage, ties);
        [3, 4, 5, 6].map(|at: usize| all[at].rank.expect("a user"))
    };
    assert_eq!(ranks(Ties::Merged), [1, 4, 2, 3]);
    // The first user of the second account has the rank of the last of the first.
    assert_eq!(ranks(Ties::InTurn), [3, 4, 1, 3]);
}

#[derive(Deserialize)]
struct Pages {
    classic: ClassicExample,
    shares_with_four: WithFour,
    billing: BillingExample,
    highest: Highest,
}

#[derive(Deserialize)]
struct ClassicExample {
    associations: Vec<Named>,
    shares: HashMap<String, f64>,
    effective_usage: HashMap<String, f64>,
    factor: HashMap<String, f64>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    parent: Option<String>,
    shares: f64,
    usage: f64,
}

#[derive(Deserialize)]
struct WithFour {
    user: String,
    shares: f64,
    share: f64,
}

#[derive(Deserialize)]
struct BillingExample {
    weights: HashMap<String, f64>,
    jobs: Vec<BilledJob>,
}

#[derive(Deserialize)]
struct BilledJob {
    rule: Billing,
    cpu: f64,
    memory: f64,
    billed: f64,
}

#[derive(Deserialize)]
struct Highest {
    weights: Weights,
    priority: u32,
}

fn pages() -> Pages {
    serde_json::from_str(include_str!("cases/slurm-pages.json")).expect("the cases")
}

fn named(given: &[Named], damping: f64) -> (QueueTree, Vec<classic::FairShare>) {
    let place = |name: &String| {
        let at = given.iter().position(|other| &other.name == name);
        QueueId(at.expect("a parent") as u32)
    };
    let queues = given.iter().map(|own| Queue {
        weight: own.shares,
        ..Queue::new(own.name.as_str(), own.parent.as_ref().map(place))
    });
    let tree = QueueTree::new(vec![], queues.collect()).expect("a tree");
    let associations = Associations::of_tree(&tree);
    let mut usage = Usage::new(&associations);
    for (at, own) in given.iter().enumerate() {
        usage.add(&associations, QueueId(at as u32), own.usage);
    }
    let fair_shares = classic::fair_shares(&associations, &usage, damping);
    (tree, fair_shares)
}

#[test]
fn the_example_of_classic_fair_share_has_the_same_figures() {
    let mut example = pages().classic;
    let (tree, got) = named(&example.associations, 1.0);
    let of = |name: &String| got[tree.find(name).expect("a queue").index()];
    for (name, &shares) in &example.shares {
        assert!((of(name).shares - shares).abs() < 1e-12, "{name}");
    }
    for (name, &usage) in &example.effective_usage {
        assert_eq!(
            format!("{:.4}", of(name).effective_usage),
            format!("{usage:.4}"),
            "{name}"
        );
    }
    for (name, &factor) in &example.factor {
        assert_eq!(printed(of(name).factor), printed(factor), "{name}");
    }
    let changed = pages().shares_with_four;
    let user = example
        .associations
        .iter_mut()
        .find(|own| own.name == changed.user);
    user.expect("the user").shares = changed.shares;
    let (tree, got) = named(&example.associations, 1.0);
    let own = got[tree.find(&changed.user).expect("a queue").index()].shares;
    assert!((own - changed.share).abs() < 1e-12, "{own}");
}

#[test]
fn damping_softens_the_factor() {
    let example = pages().classic;
    let (tree, once) = named(&example.associations, 1.0);
    let (_, damped) = named(&example.associations, 2.0);
    let id = tree.find("User 2").expect("a queue").index();
    let expected = libm::sqrt(once[id].factor);
    assert!((damped[id].factor - expected).abs() < 1e-12);
}

#[test]
fn bills_are_those_of_the_page() {
    let example = pages().billing;
    for job in example.jobs {
        let billed = |amount, of: &str| Billed {
            amount,
            weight: example.weights[of],
            is_global: false,
        };
        let resources = [billed(job.cpu, "cpu"), billed(job.memory, "memory")];
        assert_eq!(job.rule.of(&resources), job.billed);
    }
}

#[test]
fn factors_of_one_add_up_to_the_weights() {
    let example = pages().highest;
    let ones = Factors {
        age: 1.0,
        fair_share: 1.0,
        job_size: 1.0,
        ..Factors::default()
    };
    assert_eq!(
        example.weights.priority(&ones, Rounding::Sum),
        example.priority
    );
}

#[derive(Deserialize)]
struct Sprio {
    rounding: HashMap<String, Rounding>,
    lines: Vec<SprioLine>,
}

#[derive(Deserialize)]
struct SprioLine {
    source: String,
    job: u64,
    priority: u32,
    terms: HashMap<String, i64>,
    weights: Option<Weights>,
    factors: Option<Factors>,
}

impl SprioLine {
    fn term(&self, name: &str) -> f64 {
        self.terms.get(name).copied().unwrap_or(0) as f64
    }

    /// Factors whose terms are those printed, each moved by a part of one.
    fn factors(&self, weights: &Weights, by: f64) -> Factors {
        let factor = |name: &str, weight: u32| match (self.term(name), weight) {
            (0.0, _) | (_, 0) => 0.0,
            (term, weight) => (term + by) / f64::from(weight),
        };
        Factors {
            age: factor("age", weights.age),
            association: factor("association", weights.association),
            fair_share: factor("fair_share", weights.fair_share),
            job_size: factor("job_size", weights.job_size),
            partition: factor("partition", weights.partition),
            qos: factor("qos", weights.qos),
            tres: vec![],
            site: self.term("site") as i64,
            nice: self.term("nice") as i64,
        }
    }
}

/// A public line is equal if terms that print as it does can add up to its priority. Where the factors stand there too,
/// each term and the priority are equal to the digit.
#[test]
fn public_lines_of_sprio_add_up() {
    let sprio: Sprio =
        serde_json::from_str(include_str!("cases/slurm-sprio.json")).expect("the cases");
    let ones = Weights {
        age: 1_000_000,
        association: 1_000_000,
        fair_share: 1_000_000,
        job_size: 1_000_000,
        partition: 1_000_000,
        qos: 1_000_000,
        tres: vec![],
    };
    let mut exact = 0;
    for line in &sprio.lines {
        let of = format!("{} of {}", line.job, line.source);
        let rounding = sprio
            .rounding
            .get(&line.source)
            .copied()
            .unwrap_or_default();
        let weights = line.weights.as_ref().unwrap_or(&ones);
        let (low, high) = match rounding {
            Rounding::Sum => (-0.5, 0.5),
            Rounding::Terms => (0.0, 0.0),
        };
        let priority = |by| weights.priority(&line.factors(weights, by), rounding);
        assert!(
            (priority(low)..=priority(high)).contains(&line.priority),
            "{of}"
        );
        if let Some(factors) = &line.factors {
            assert_eq!(weights.priority(factors, rounding), line.priority, "{of}");
            for term in weights.terms(factors) {
                let name = match term.part {
                    Part::Age => "age",
                    Part::FairShare => "fair_share",
                    Part::JobSize => "job_size",
                    Part::Partition => "partition",
                    _ => continue,
                };
                assert_eq!(term.product() as i64, line.terms[name], "{of}, {name}");
                exact += 1;
            }
        }
    }
    assert_eq!((sprio.lines.len(), exact), (20, 12));
    assert_eq!(priority::Rounding::default(), Rounding::Sum);
}

#[derive(Deserialize)]
struct FactorCases {
    cases: Vec<FactorCase>,
}

#[derive(Deserialize)]
struct FactorCase {
    name: String,
    flags: String,
    weights: HashMap<String, u32>,
    cpus_of_partition: f64,
    jobs: Vec<FactorJob>,
}

#[derive(Deserialize)]
struct FactorJob {
    partition: u32,
    association: u32,
    qos: u32,
    cpus: f64,
    highest: HashMap<String, u32>,
    terms: HashMap<String, i64>,
}

#[test]
fn priorities_of_slurms_own_tests_are_normalized_or_not() {
    let all: FactorCases =
        serde_json::from_str(include_str!("cases/slurm-factors.json")).expect("the cases");
    let mut terms = 0;
    for case in &all.cases {
        let settings = format!("PriorityFlags = {}\n", case.flags);
        let config = slurm_config::read(&settings, "test")
            .expect("settings")
            .config;
        let weights = Weights {
            association: case.weights["association"],
            partition: case.weights["partition"],
            qos: case.weights["qos"],
            tres: vec![("cpu".to_owned(), f64::from(case.weights["cpu"]))],
            ..Weights::default()
        };
        for job in &case.jobs {
            let factors = Factors {
                association: config.association_factor(job.association, job.highest["association"]),
                partition: config.partition_factor(job.partition, job.highest["partition"]),
                qos: config.qos_factor(job.qos, job.highest["qos"]),
                tres: vec![config.tres_factor(job.cpus, case.cpus_of_partition)],
                ..Factors::default()
            };
            for term in weights.terms(&factors) {
                let name = match term.part {
                    Part::Association => "association",
                    Part::Partition => "partition",
                    Part::Qos => "qos",
                    Part::Tres(_) => "cpu",
                    _ => continue,
                };
                assert_eq!(term.shown(), job.terms[name], "{}, {name}", case.name);
                terms += 1;
            }
        }
    }
    assert_eq!(terms, 32);
}

/// A tree of up to 40 queues, each below an earlier one, with small whole shares and usage, so that there are ties.
fn random_trees() -> impl Strategy<Value = (Associations, Usage)> {
    let queue = (
        any::<prop::sample::Index>(),
        0_u8..4,
        0_u8..4,
        prop::bool::weighted(0.1),
    );
    prop::collection::vec(queue, 2..40).prop_map(|given| {
        let queues = given
            .iter()
            .enumerate()
            .map(|(at, (above, shares, _, _))| Queue {
                weight: f64::from(*shares),
                ..Queue::new(
                    at.to_string(),
                    (at > 0).then(|| QueueId(above.index(at.max(1)) as u32)),
                )
            });
        let tree = QueueTree::new(vec![], queues.collect()).expect("a tree");
        let associations = Associations::new(&tree, |id| Membership {
            is_user: tree.is_leaf(id),
            shares: if given[id.index()].3 {
                Shares::Parent
            } else {
                Shares::Own
            },
        });
        let mut usage = Usage::new(&associations);
        for (at, (_, _, used, _)) in given.iter().enumerate() {
            let id = QueueId(at as u32);
            if tree.is_leaf(id) {
                usage.add(&associations, id, f64::from(*used));
            }
        }
        (associations, usage)
    })
}

proptest! {
    /// Whoever lies below the better branch comes first; every user has a rank, and the best has the highest.
    #[test]
    fn a_better_branch_comes_first((associations, usage) in random_trees()) {
        let all = fair_tree::fair_shares(&associations, &usage, Ties::Merged);
        let users = (0..associations.len() as u32).map(QueueId);
        let users: Vec<QueueId> = users.filter(|&id| associations.member(id).is_user).collect();
        let rank = |id: QueueId| all[id.index()].rank.expect("users have ranks");
        prop_assert_eq!(users.iter().map(|&id| rank(id)).max(), Some(associations.users()));
        for (&one, &other) in users.iter().zip(users.iter().skip(1)) {
            let decided = fair_tree::comparison(&associations, &all, one, other).expect("leaves lie apart");
            let (of_one, of_other) = (decided.one.1, decided.other.1);
            if let (Some(of_one), Some(of_other)) = (of_one, of_other)
                && of_one != of_other
            {
                prop_assert_eq!(of_one > of_other, rank(one) > rank(other), "{:?}", decided);
            }
        }
    }

    /// Factors and effective usage are parts of a whole.
    #[test]
    fn factors_lie_between_zero_and_one((associations, usage) in random_trees(), damping in 1.0_f64..5.0) {
        for of in classic::fair_shares(&associations, &usage, damping) {
            prop_assert!((0.0..=1.0).contains(&of.factor), "{:?}", of);
            prop_assert!((0.0..=1.0).contains(&of.effective_usage), "{:?}", of);
        }
        for ties in [Ties::Merged, Ties::InTurn] {
            for of in fair_tree::fair_shares(&associations, &usage, ties) {
                prop_assert!((0.0..=1.0).contains(&of.factor), "{:?}", of);
            }
        }
    }
}
