//! Random links and states, for tests: the same numbers from the same seed everywhere.

use super::ColourBy;
use super::link::Link;
use super::view_options::{JOBS_FILTER, OPTIONS, ViewOption, ViewOptions};
use super::{Action, AppState, SelectionAction, Source, Theme, TraceInfo, ViewAction};
use crate::bridge::protocol::{Choice, Facets};
use crate::ui::views::goodput::model::Question;
use std::rc::Rc;
use std::sync::Arc;
use switchyard::Settings;
use switchyard::cluster::{ClusterSpec, NodeGroup};
use switchyard::engine::{LogBudget, SimOptions};
use switchyard::goodput::{Limits, ThroughputParams};
use switchyard::job::JobId;
use switchyard::placement::Strategy;
use switchyard::policies::{ParamKind, PolicySpec, ServiceHistory};
use switchyard::queues::membership::QueueSettings;
use switchyard::queues::rules::By;
use switchyard::queues::text;
use switchyard::trace::{ImportReport, ProfileTable};
use switchyard::workload::{Application, ApplicationSettings, GpuGeneration, SAMPLES};
use switchyard_app::study::Origin;

/// Schedulers worth a link.
const POLICIES: [&str; 11] = [
    "fifo",
    "fifo[backfill=true,placement=spread]",
    "fifo if 0:7..,0:60.5..3600:drain",
    "srtf",
    "tiresias-las[queues=2,thresholds=57600]",
    "tiresias-gittins[history=oracle,knob=1.5]",
    "gittins[history=last year & more (1).csv]",
    "shortest-expected[history=h.csv]",
    "yarn-cs[elastic=false,queues=one]",
    "optimus[round=45]",
    "pollux[generations=3,population=5]",
];

/// Names that an address has trouble with.
const NAMES: [&str; 6] = [
    "a",
    "b, c",
    "50 % & more=#2",
    "Ökonomie+你好",
    "\"x\"[y]",
    "%41%zz",
];

/// xorshift64*.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        bits as usize % end.max(1)
    }

    pub(super) fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    pub(super) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// From 0 to below 1, with all kinds of digits.
    fn share(&mut self) -> f64 {
        self.below(1 << 30) as f64 / (1u64 << 30) as f64
    }

    /// Any settings that a link can carry.
    pub(super) fn link(&mut self) -> Link {
        let file = self.coin();
        let policies: Vec<PolicySpec> = (0..=self.below(4))
            .map(|_| self.of(&POLICIES).parse().expect("a policy"))
            .collect();
        let group = |random: &mut Self| {
            NodeGroup::plain(1 + random.below(9) as u32, 1 + random.below(8) as u32)
        };
        let groups: Vec<NodeGroup> = (0..=self.below(3)).map(|_| group(self)).collect();
        Link {
            source: if file {
                let name = format!("{}.csv", self.of(&NAMES));
                match self.below(3) {
                    0 => Source::Url(format!("https://example.org:8080/a?of={}#b", self.below(9))),
                    1 => Source::Packed(name, "H4sI-_0123".into()),
                    _ => Source::File(name),
                }
            } else {
                Source::Sample(SAMPLES[self.below(SAMPLES.len())].name.to_owned())
            },
            member: (file && self.coin()).then(|| self.of(&NAMES).to_owned()),
            columns: (file && self.coin()).then(|| "submit=When,gpus=\"a, b\",unit=min".into()),
            choice: if file {
                self.choice()
            } else {
                Choice::default()
            },
            cluster: self
                .coin()
                .then(|| ClusterSpec::new(groups).expect("a small cluster")),
            settings: Settings {
                placement: self.of(&Strategy::ALL),
                options: SimOptions {
                    restart_cost: self.share() * 100.0,
                    restart_by_model: self.coin(),
                    equal_types: self.coin(),
                    spread_slowdown: self.coin().then(|| self.of(&GpuGeneration::ALL)),
                    first_start_pays: self.coin(),
                    interference: self.share(),
                    contention: self.coin(),
                    sharing: self.coin(),
                    servers: self.share(),
                    whole_second_epochs: self.coin(),
                    mtbf: self.share() * 1000.0,
                    mttr: self.share(),
                    failure_shape: 0.2 + self.share(),
                    checkpoint_interval: self.share() * 3600.0,
                    checkpoint_cost: self.share() * 60.0,
                    seed: self.below(usize::MAX) as u64,
                    log_budget: match self.below(4_000) as u64 {
                        megabytes @ 1..=2_000 => LogBudget::of_bytes(megabytes * 1_000_000),
                        _ => LogBudget::default(),
                    },
                    replay_failures: false,
                    weights: self
                        .of(&["shipped", "00000000000000ff"])
                        .parse()
                        .expect("sound"),
                },
                outages: if self.coin() {
                    let outages = self.of(&["0:60..3600", "0:0..,1-2:5..7.25:drain"]);
                    outages.parse().expect("sound")
                } else {
                    Default::default()
                },
                queues: self.queues(),
                applications: Arc::new(self.applications()),
            },
            baseline: self.below(policies.len()),
            says_runs: true,
            options: self.options(policies.len()),
            question: self.question(),
            names: policies
                .iter()
                .map(|_| {
                    let named = self.coin();
                    let name = if named { self.of(&NAMES) } else { "" };
                    name.to_owned()
                })
                .collect(),
            hues: {
                // Those of a list from which nothing has gone are in no link.
                let gone = self.below(3) as u32;
                let hues = (gone..).take(policies.len());
                hues.map(|hue| (gone > 0).then_some(hue)).collect()
            },
            policies,
            view: self.of(&["yard", "jobs", "goodput"]).to_string(),
            colour_by: self.of(ColourBy::ALL).0,
            theme: self.of(&[Theme::System, Theme::Light, Theme::Dark]),
            time: Some(self.below(1 << 20) as f64),
            speed: Some(0.5 + self.below(1 << 20) as f64),
            seen: None,
            range: None,
            job: self.coin().then(|| JobId(self.below(9) as u32)),
            followed: self.coin().then(|| JobId(self.below(9) as u32)),
            lit: self.coin().then(|| self.below(9) as u32),
            complaints: Vec::new(),
        }
    }

    /// Any option of any view, with values that it takes.
    fn options(&mut self, runs: usize) -> ViewOptions {
        let mut options = ViewOptions::default();
        for &option in OPTIONS {
            if self.coin() {
                let value = self.value(option, runs);
                options.set(option, &value).expect("it takes that");
            }
        }
        options
    }

    /// A value that an option takes, and not its default.
    pub(super) fn value(&mut self, option: &ViewOption, runs: usize) -> String {
        match option.kind {
            _ if option.is_run => self.below(runs).to_string(),
            ParamKind::OneOf(words) => {
                let others: Vec<&str> = words.to_vec();
                let other = others.iter().find(|word| **word != option.default);
                (*other.expect("there are two")).to_owned()
            }
            ParamKind::Int { min, .. } => (min + self.below(9) as u64).to_string(),
            ParamKind::Text(_) if option.link == "zone" => {
                self.of(&["+05:30", "-0330", "UTC+1"]).to_owned()
            }
            ParamKind::Text(_) => self.of(&["gpus>=8 jct>1h", "a & b=#", "-run0 "]).to_owned(),
            _ => "other".to_owned(),
        }
    }

    fn question(&mut self) -> Question {
        let mut question = Question::default();
        if self.coin() {
            question.application = self.of(&["ncf", "bert"]).to_owned();
            (question.trained, question.gpus) = (self.share(), 1 + self.below(60) as u32);
            question.noise_scale = self.coin().then(|| self.share() * 1e4);
        }
        if self.coin() {
            question.throughput = Some(ThroughputParams {
                alpha_c: self.share(),
                beta_c: self.share() * 1e-3,
                alpha_n: self.share(),
                beta_n: self.share(),
                alpha_r: self.share(),
                beta_r: self.share(),
                gamma: 1.0 + self.share(),
            });
            question.limits = Some(Limits {
                m0: 1 + self.below(99) as u32,
                max_batch: 4096,
                min_local: 1,
                max_local: 64,
            });
        }
        question
    }

    fn choice(&mut self) -> Choice {
        let mut choice = Choice::default();
        if self.coin() {
            choice = choice.with("window", "1h..2.5d");
        }
        for _ in 0..self.below(3) {
            choice = choice.toggled("tenant", self.of(&NAMES));
        }
        if self.coin() {
            choice = choice
                .toggled("status", "failed")
                .with("fractions", "share");
        }
        if self.coin() {
            choice = choice.with("unit", "cores");
        }
        if self.coin() {
            choice = choice.with("oversized", self.of(&["drop", "shrink"]));
            choice = choice.with("on-cores", self.of(&["", "drop"]));
        }
        choice
    }

    fn queues(&mut self) -> QueueSettings {
        let trees = [
            "lab;a,parent=lab,gpus=8,borrow=0.5,weight=2;b~20~26~20c,parent=lab,gpus=0.1,reclaims=any",
            "all;v,parent=all,gpus.v100=all,lend=2;t,parent=all,gpus.t4=4,order=strict-fifo",
        ];
        let tree = text::read(self.of(&trees)).expect("sound");
        QueueSettings {
            tree: self.coin().then(|| Arc::new(tree)),
            by: self.of(&By::ALL).1,
        }
    }

    fn applications(&mut self) -> ApplicationSettings {
        let rules = ["", "2: ncf; bert", "0.25: cifar10 ncf; imagenet"];
        let mine = Application::embedded()[self.below(6)].to_json();
        let mine = Application::compact_json(&mine.expect("a model"));
        ApplicationSettings {
            always: self.coin(),
            rule: self.of(&rules).to_owned(),
            seed: self.below(1 << 20) as u64,
            profiles: Vec::new(),
            definitions: if self.coin() { vec![mine] } else { Vec::new() },
        }
    }

    /// What links do not carry: histories and, sometimes, measured profiles.
    pub(super) fn enrich(&mut self, state: &mut AppState) {
        for name in ["h.csv", "last year & more (1).csv"] {
            let samples = (0..=self.below(4)).map(|_| self.share() * 1e6 + 1e-3);
            state.apply(Action::Learned(Rc::new(ServiceHistory {
                name: name.to_owned(),
                samples: samples.collect(),
            })));
        }
        if self.coin() {
            let table = |name: &str, text: &str| ProfileTable {
                file: format!("ncf/{name}"),
                path: format!("ncf/{name}"),
                text: text.to_owned(),
            };
            state.apply(Action::OpenedProfiles(vec![
                table("placements.csv", "placement,local_bsz,step_time,sync_time\n1,256,0.5,0\n2,256,0.6,0.1\n12,256,0.9,0.3\n"),
                table("validation-256.csv", "progress,grad_sqr,grad_var\n100,1,2\n200.5,0.5,4\n"),
            ]));
        }
    }
}

/// A state in which the trace of a link is open.
pub(crate) fn opened(link: &Link) -> AppState {
    let mut state = AppState::from_link(link);
    state.apply(open(link));
    state.apply(SelectionAction::Select(link.job));
    state.apply(SelectionAction::FollowJob(link.followed));
    state.apply(ViewAction::Light(link.lit));
    let filter = link.options.get(&JOBS_FILTER).to_owned();
    state.apply(ViewAction::SetOption(&JOBS_FILTER, filter));
    state
}

/// What the session says when the trace of a link is open.
pub(super) fn open(link: &Link) -> Action {
    let report = match &link.source {
        Source::Sample(_) => None,
        _ => Some(ImportReport::default()),
    };
    let own: ClusterSpec = "3x4".parse().expect("a cluster");
    Action::Opened {
        info: Rc::new(TraceInfo {
            name: link.source.name().to_owned(),
            source: link.source.clone(),
            file_cluster: (own.clone(), Origin::Trace),
            format: "any".into(),
            title: "Any".into(),
            report,
            charts: Vec::new(),
            facets: Facets::default(),
            choice: link.choice.clone(),
            columns: link.columns.clone(),
            remembered: false,
            stored: None,
            members: Vec::new(),
            member: link.member.clone(),
            adaptive: false,
            tells_runs: false,
            jobs: 9,
            gpu_hours: 1.0,
            span_days: 1.0,
            epoch: None,
        }),
        cluster: link.cluster.clone().unwrap_or(own),
        origin: match link.cluster {
            Some(_) => Origin::Asked,
            None => Origin::Trace,
        },
        profiles: Vec::new(),
        experiment: None,
    }
}
