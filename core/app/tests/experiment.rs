//! An experiment file reopens as the same experiment: random jobs and random settings, written and
//! read again, have logs with the same fingerprints under every policy.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, NodeGroup};
use switchyard::engine::SimOptions;
use switchyard::job::{Demand, JobId, Servers, Status, TypeSet};
use switchyard::placement::Strategy as Placing;
use switchyard::policies::{POLICIES, PolicySpec, ServiceHistory};
use switchyard::queues::membership::QueueSettings;
use switchyard::queues::rules::By;
use switchyard::trace::{
    Choices, Fractions, OnCores, OpenOptions, Opened, Oversized, ProfileTable, Record, SourceFile,
    Trace, Window, open,
};
use switchyard::workload::{
    Application, ApplicationSettings, BindingRule, GpuGeneration, GpuTimeClass, Label, Labels,
};
use switchyard::{Finite, Settings};
use switchyard_app::Experiment;

/// What runs besides every policy's defaults. Searches are short.
const VARIANTS: [&str; 9] = [
    "fifo[backfill=true,placement=spread]",
    "tiresias-las[thresholds=300:1000,knob=2]",
    "tiresias-gittins[history=last \"year\",knob=2]",
    "gittins[history=h.csv]",
    "shortest-expected[history=oracle]",
    "yarn-cs[elastic=false]",
    "optimus[quirks=true]",
    "pollux[population=5,generations=3]",
    "pollux[population=5,generations=3,quirks=true,interval=90]",
];

/// Names that try a table's rules.
const NAMES: [&str; 8] = [
    "a",
    "b, c",
    "say \"hi\"",
    "#4",
    "résumé",
    "=1+2",
    "  wide  open",
    "resnet50",
];

/// Jobs as they were read, and all that makes their runs.
#[derive(Clone, Debug)]
struct Scene {
    trace: Trace,
    choices: Choices,
    experiment: Experiment,
}

impl Scene {
    fn cluster(&self) -> &ClusterSpec {
        self.experiment.cluster.as_ref().expect("given")
    }

    /// What becomes of it under all its policies: fingerprints, or why there is none.
    fn outcomes(&self) -> Vec<Result<u64, String>> {
        let policies: Result<Vec<PolicySpec>, _> =
            self.experiment.policies.iter().map(|p| p.parse()).collect();
        let policies = policies.expect("policies of the registry");
        let workload = self.trace.workload();
        let bound = match self.experiment.bind(workload, &policies) {
            Ok(bound) => Arc::new(bound),
            Err(why) => return vec![Err(why.to_string())],
        };
        let outcome = |policy| {
            let spec = self.experiment.run(policy, self.cluster());
            spec.check().map_err(|why| why.to_string())?;
            let mut run = spec.start(Arc::clone(&bound));
            run.run().map_err(|why| why.to_string())?;
            Ok(run.log().hash())
        };
        policies.iter().map(outcome).collect()
    }

    /// The same, written and read again.
    fn reopened(&self) -> Self {
        let mut text = String::new();
        let workload = self.trace.workload();
        self.experiment
            .write(&workload, &mut text)
            .expect("memory does not fail");
        let file = SourceFile {
            name: "again.csv",
            bytes: text.as_bytes(),
        };
        match open(&[file], &OpenOptions::default()) {
            Ok(Opened::Trace(trace)) => {
                assert_eq!(trace.report.dropped, [], "{text}");
                let experiment = Experiment::of(&trace).expect("sound settings");
                let experiment = experiment.expect("it is one");
                Self {
                    trace,
                    choices: Choices::default(),
                    experiment,
                }
            }
            other => panic!("{other:?}\n{text}"),
        }
    }
}

/// What is kept of each job besides what it asks for: its labels, when it ran and on which types, its priority
/// and its nodes.
fn kept(trace: &Trace) -> Vec<String> {
    let workload = trace.workload();
    let recorded = &workload.recorded;
    let of = |id| {
        let labels = Label::ALL.map(|label| recorded.label(id, label));
        let ran = recorded.run(id).map(|run| {
            let types = run.types.named();
            let types: Vec<&str> = types.map(|at| &*workload.gpu_types[at as usize]).collect();
            (run.start.seconds(), run.seconds, types.join("|"))
        });
        format!(
            "{labels:?} {ran:?} {:?} {:?}",
            recorded.priority(id),
            recorded.nodes(id)
        )
    };
    (0..workload.jobs.len() as u32)
        .map(|at| of(JobId(at)))
        .collect()
}

fn records(adaptive: bool) -> impl Strategy<Value = Vec<Record>> {
    let record = (
        select(&NAMES[..]),
        0.0..5000.0f64,
        1.0..4000.0f64,
        1..12u32,
        proptest::option::of(0..4u32),
        proptest::option::of(any::<Index>()),
        any::<Index>(),
        prop_oneof![Just(1.0f32), 0.1f32..1.0],
        (0..8u32, 0..3u32, 0..100_000u32, 0..3u32),
    );
    let record = record.prop_map(
        move |(name, submit, duration, gpus, tenant, model, batch, share, demand)| {
            let applications = Application::embedded();
            let application = batch.get(&applications);
            let limits = application.limits;
            let at = applications.iter().position(|of| of == application);
            let plain = model.map(|model| model.index(NAMES.len()) as u32);
            Record {
                name: name.into(),
                share,
                tenant,
                model: if adaptive {
                    at.map(|at| (NAMES.len() + at) as u32)
                } else {
                    plain
                },
                demand: Demand {
                    types: (0..3)
                        .filter(|at| demand.0 >> at & 1 == 1)
                        .fold(TypeSet::ANY, TypeSet::with),
                    gpu_memory: demand.1 * 1024,
                    cores: demand.2,
                    memory: demand.3 * 333,
                    share: None,
                    servers: Servers {
                        count: demand.1 % 5,
                        cores: demand.2 / 2,
                        memory: demand.3 * 77,
                    },
                    time: (demand.2 % 4 > 0).then(|| duration * f64::from(demand.2 % 7 + 1) / 3.0),
                },
                status: if gpus % 2 == 0 {
                    Status::Completed
                } else {
                    Status::NodeFailed
                },
                start: (demand.0 % 2 > 0)
                    .then(|| submit + duration / 3.0)
                    .and_then(Finite::new),
                ran_on: match demand.0 % 2 {
                    0 => TypeSet::ANY,
                    _ => TypeSet::ANY.with(demand.1),
                },
                labels: (demand.0 % 3)
                    .checked_sub(1)
                    .and_then(switchyard::Index::new),
                nodes: demand.1.checked_sub(1).and_then(switchyard::Index::new),
                priority: (demand.0 % 4 > 1)
                    .then_some(duration / 7.0)
                    .and_then(Finite::new),
                ..Record::plain(1, submit, gpus, duration)
            }
            .with_batch(adaptive.then_some(limits.m0))
            .with_attempts(match gpus % 3 {
                0 => vec![duration / 4.0, duration / 2.0],
                _ => Vec::new(),
            })
        },
    );
    proptest::collection::vec(record, 1..9)
}

fn trace() -> impl Strategy<Value = Trace> {
    let records = any::<bool>().prop_flat_map(records);
    records.prop_map(|records| {
        let applications = Application::embedded();
        let names = applications.iter().map(|of| of.name.to_string());
        Trace {
            format: "random".to_owned(),
            title: "Random".to_owned(),
            records,
            tenants: NAMES[..4].iter().map(ToString::to_string).collect(),
            models: NAMES.iter().map(ToString::to_string).chain(names).collect(),
            gpu_types: ["v100", "t4", "a10"].map(String::from).to_vec(),
            labels: Labels {
                names: Label::ALL.map(|label| match label {
                    Label::Reservation => Vec::new(),
                    _ => NAMES[..4].iter().map(ToString::to_string).collect(),
                }),
                sets: vec![
                    [Some(0), Some(3), None, Some(1), None],
                    [None, None, Some(2), None, None],
                ],
            },
            node_names: vec!["gpu[01-04]".to_owned(), "n1,n2".to_owned()],
            ..Trace::default()
        }
    })
}

fn choices() -> impl Strategy<Value = Choices> {
    let fractions = select(vec![Fractions::RoundUp, Fractions::Share, Fractions::Drop]);
    let oversized = select(vec![Oversized::Keep, Oversized::Drop, Oversized::Shrink]);
    let window = proptest::option::of(0.0..2000.0f64);
    (window, fractions, oversized, any::<bool>()).prop_map(|(from, fractions, oversized, one)| {
        Choices {
            window: from.map(|from| Window {
                from,
                to: f64::INFINITY,
            }),
            tenants: if one {
                vec![NAMES[1].to_owned()]
            } else {
                Vec::new()
            },
            statuses: Vec::new(),
            labels: Vec::new(),
            fractions,
            oversized,
            on_cores: OnCores::Keep,
        }
    })
}

fn options() -> impl Strategy<Value = SimOptions> {
    let generation = proptest::option::of(select(&GpuGeneration::ALL[..]));
    let flags = any::<[bool; 4]>();
    let failing = (
        prop_oneof![2 => Just(0.0), 1 => 100.0..1000.0],
        0.0..2.0,
        0.5..2.0,
    );
    let saving = (prop_oneof![Just(0.0), 60.0..600.0], 0.0..20.0);
    (
        0.0..60.0f64,
        flags,
        generation,
        0.0..1.0f64,
        any::<u64>(),
        (failing, saving),
    )
        .prop_map(
            |(restart_cost, flags, spread_slowdown, interference, seed, (failing, saving))| {
                SimOptions {
                    mtbf: failing.0,
                    mttr: failing.1,
                    failure_shape: failing.2,
                    checkpoint_interval: saving.0,
                    checkpoint_cost: saving.1,
                    restart_cost,
                    restart_by_model: flags[0],
                    spread_slowdown,
                    first_start_pays: flags[1],
                    interference,
                    whole_second_epochs: flags[2],
                    seed,
                    ..SimOptions::default()
                }
            },
        )
}

/// A small application by measured tables.
fn tables() -> Vec<ProfileTable> {
    let table = |name: &str, text: &str| ProfileTable {
        file: format!("some.zip: toy/{name}"),
        path: format!("toy/{name}"),
        text: text.to_owned(),
    };
    let placements = "placement,local_bsz,step_time,sync_time\r\n1,10,1.0,0.0\r\n1,20,2.0,0.0\r\n1,40,6.0,0.0\r\n2,10,1.5,0.5\r\n2,40,4.5,0.5\r\n12,10,2.0,0.8\r\n12,40,8.0,1.2\r\n";
    let small = "progress,iteration,metric,grad_sqr,grad_var\n100.0,100,0.1,1.0,2.0\n200.5,200,0.2,0.0,4.0\n";
    let large = "progress,iteration,metric,grad_sqr,grad_var\n\n101.0,30,0.1,3.0,6.0\n 200.0,60,0.2,1.0,8.0";
    vec![
        table("placements.csv", placements),
        table("validation-20.csv", small),
        table("validation-80.csv", large),
    ]
}

/// What jobs train: as it comes, by another rule, what the page's sliders describe, or tables.
fn applications() -> impl Strategy<Value = ApplicationSettings> {
    let defined = Application::embedded()[2].to_json().expect("a model");
    let mine = defined.replacen("deepspeech2", "mine; too, \\\"all\\\"", 1);
    let one = |name: &str, gpus_per_node| {
        let rule = BindingRule {
            classes: vec![GpuTimeClass {
                below_gpu_hours: None,
                applications: vec![name.to_owned()],
            }],
            gpus_per_node,
            seed: 0,
        };
        rule.to_string()
    };
    let plain = ApplicationSettings::default();
    let choices = vec![
        plain.clone(),
        ApplicationSettings {
            rule: "0.5: ncf cifar10; 2.25: bert; deepspeech2".to_owned(),
            ..plain.clone()
        },
        ApplicationSettings {
            rule: one("mine; too, \"all\"", 2),
            definitions: vec![mine],
            ..plain.clone()
        },
        ApplicationSettings {
            rule: one("toy", 4),
            profiles: tables(),
            ..plain
        },
    ];
    (select(choices), any::<u64>(), any::<bool>()).prop_map(|(settings, seed, always)| {
        ApplicationSettings {
            always,
            seed,
            ..settings
        }
    })
}

fn experiment() -> impl Strategy<Value = Experiment> {
    let policies = POLICIES.iter().filter(|entry| !entry.replays);
    let policies = policies
        .map(|entry| entry.name)
        .filter(|name| *name != "pollux")
        .chain(VARIANTS);
    let policies: Vec<&str> = policies.collect();
    let policies = proptest::sample::subsequence(policies, 1..5);
    let group = (1..5u32, 1..9u32).prop_map(|(nodes, gpus)| NodeGroup::plain(nodes, gpus));
    let cluster = proptest::collection::vec(group, 1..4);
    let placement = select(&Placing::ALL[..]);
    let samples = proptest::collection::vec(0.001..1e9f64, 1..5);
    (
        policies,
        cluster,
        placement,
        options(),
        applications(),
        samples,
    )
        .prop_map(
            |(policies, cluster, placement, options, applications, samples)| {
                let history = |name: &str, samples| ServiceHistory {
                    name: name.to_owned(),
                    samples,
                };
                let twice = samples.iter().map(|sample| sample * 2.0).collect();
                Experiment {
                    title: "Any \"state\"".to_owned(),
                    choice: Vec::new(),
                    cluster: Some(ClusterSpec::new(cluster).expect("small")),
                    names: policies.iter().map(|of| format!("my \"{of}\"")).collect(),
                    policies: policies.into_iter().map(str::to_owned).collect(),
                    settings: Settings {
                        placement,
                        options,
                        outages: "0:60..3600,0:7000.5..9000:drain".parse().expect("sound"),
                        queues: queues(),
                        applications: Arc::new(applications),
                    },
                    histories: vec![history("h.csv", samples), history("last \"year\"", twice)],
                }
            },
        )
}

/// Two queues below one, by user.
fn queues() -> QueueSettings {
    let text = "lab;a,parent=lab,gpus=8,borrow=0.5,weight=2;b,parent=lab,gpus=0.1,reclaims=any";
    QueueSettings {
        tree: Some(Arc::new(
            switchyard::queues::text::read(text).expect("sound"),
        )),
        by: By::User,
    }
}

fn scene() -> impl Strategy<Value = Scene> {
    (trace(), choices(), experiment()).prop_map(|(trace, choices, experiment)| {
        let mut scene = Scene {
            trace,
            choices,
            experiment,
        };
        let cluster = scene.cluster().clone();
        // Where the choice leaves no job, all stay.
        let _ = scene.trace.choose(&scene.choices, Some(&cluster));
        scene.experiment.choice = scene.choices.in_words();
        scene
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_file_reopens_as_the_same_experiment(scene in scene()) {
        let again = scene.reopened();
        prop_assert_eq!(again.outcomes(), scene.outcomes());
        prop_assert_eq!(kept(&again.trace), kept(&scene.trace));
        // All of it is there, and what is written once is written the same again.
        prop_assert_eq!(again.reopened().experiment, again.experiment.clone());
        let mut expected = scene.experiment.clone();
        let applications = expected.settings.applications_mut();
        // A profile's place is its path, its blank lines are gone.
        applications.profiles.clone_from(&again.experiment.settings.applications.profiles);
        let definitions = applications.definitions.iter_mut();
        definitions.for_each(|text| *text = Application::compact_json(text));
        prop_assert_eq!(again.experiment, expected);
    }
}
