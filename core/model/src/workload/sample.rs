//! Small synthetic workloads, made on the spot from a seed: what the page shows before a trace
//! is opened. Shapes follow published traces: Poisson arrivals with a daily rhythm, log-normal
//! durations, most gangs small, most GPU time in few large ones (Philly, ATC'19; Helios, SC'21).
//!
//! `three-jobs` is Tiresias' toy (NSDI'19 §3.2), of which public text gives the average completion
//! times and not the jobs: SRSF 9.3, Gittins 10, LAS 11.7 on one cluster. The set here is
//! reconstructed: services of 4, 8 and 12 GPU·s on 2 GPUs make 9.3 under SRSF, 10 with two queues
//! that meet at 4 GPU·s, and 11.7 under LAS in slices of one second.
//!
//! Challenges are made in the same way: ten kinds of workloads, each hard by something else, its [theme](super::theme).

use super::theme::{MODELS, TENANTS, Theme};
use super::varied::HELIOS;
use super::{DataCentre, Split, Workload};
use crate::cluster::{ClusterPreset, ClusterSpec};
use crate::draw::{Rng, below, normal, unit};
use crate::job::Job;
use crate::order;
use rand_xoshiro::rand_core::SeedableRng;

/// A workload that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Short name, for links.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// What it shows, in one sentence.
    pub summary: &'static str,
    /// The cluster it is meant for: its text, or the name of one.
    cluster: &'static str,
    /// The moment to look at first, seconds: when there is something to see.
    pub opens_at: f64,
    jobs: Jobs,
}

/// Where a sample's jobs come from.
#[derive(Clone, Copy, Debug)]
enum Jobs {
    /// Drawn from distributions.
    Drawn {
        count: usize,
        /// Mean load: GPU·s submitted per GPU·s there is.
        load: f64,
        /// Jobs already there when the day begins.
        backlog: usize,
        seed: u64,
    },
    /// Of the graph placer's data centre, so many and at this load.
    OfDataCentre { count: u32, load: f64 },
    /// With the statistics of Helios, likewise.
    LikeHelios { count: u32, load: f64 },
    /// Name, GPUs and seconds; all there at the start.
    Listed(&'static [(&'static str, u32, f64)]),
    /// Of tenants. In order of submission.
    OfTenants(&'static [WholeJob]),
    /// Of models. In order of submission.
    OfModels(&'static [Training]),
    /// Of a challenge.
    Of { theme: Theme, count: u32, seed: u64 },
}

/// A job that is told whole.
#[derive(Clone, Copy, Debug)]
struct WholeJob {
    name: &'static str,
    tenant: &'static str,
    /// Hours.
    submit: f64,
    gpus: u32,
    /// Hours.
    runs: f64,
}

/// A job that trains a model.
#[derive(Clone, Copy, Debug)]
struct Training {
    model: &'static str,
    /// Hours.
    submit: f64,
    gpus: u32,
    /// Hours.
    runs: f64,
}

/// The samples, the first one shown on opening the page.
pub const SAMPLES: &[Sample] = &[
    Sample {
        name: "lab",
        title: "A lab's day",
        summary: "240 jobs on 8 nodes × 4 GPUs, a little more than they can take: short jobs stuck behind long ones.",
        cluster: "8x4",
        opens_at: 6.0 * 3600.0,
        jobs: Jobs::Drawn {
            count: 240,
            load: 1.15,
            backlog: 24,
            seed: 7,
        },
    },
    Sample {
        name: "cluster",
        title: "A cluster's four days",
        summary: "6,000 jobs within four days on 32 nodes × 8 GPUs, with days, nights and gangs over several nodes.",
        cluster: "32x8",
        opens_at: 86_400.0,
        jobs: Jobs::Drawn {
            count: 6_000,
            load: 0.95,
            backlog: 60,
            seed: 11,
        },
    },
    Sample {
        name: "fleet",
        title: "A fleet's week",
        summary: "40,000 jobs within a week on 144 nodes × 8 GPUs: the size of one published production cluster.",
        cluster: "144x8",
        opens_at: 30.0 * 3600.0,
        jobs: Jobs::Drawn {
            count: 40_000,
            load: 0.9,
            backlog: 200,
            seed: 23,
        },
    },
    Sample {
        name: "data-centre",
        title: "A data centre's hours",
        summary: "768 jobs of one to eight workers, half of the larger ones with parameter servers, on 32 nodes × 8 GPUs in 2 partitions of 2 racks. With contention on, neighbours slow one another: jobs laid as near as they fit (locality) pile up, while jobs that wait for a quieter place, by a rule or as learned (graph-rl), finish sooner.",
        cluster: "32x8/cores=56/partitions=2/racks=4",
        opens_at: 3.0 * 3600.0,
        jobs: Jobs::OfDataCentre {
            count: 768,
            load: 0.95,
        },
    },
    Sample {
        name: "like-helios",
        title: "Days like Helios'",
        summary: "4,000 jobs with the statistics of a production cluster, Helios' Venus (SC'21): half have one GPU, one in eleven more than eight, and durations go from seconds to two days. On 32 nodes × 8 GPUs, with contention on.",
        cluster: "32x8/cores=56/partitions=2/racks=8",
        opens_at: 45.0 * 3600.0,
        jobs: Jobs::LikeHelios {
            count: 4_000,
            load: 0.95,
        },
    },
    Sample {
        name: "three-jobs",
        title: "Three jobs",
        summary: "Tiresias' toy example (NSDI'19): J1 wants 2 GPUs for 2 s, J2 1 GPU for 8 s, J3 2 GPUs for 6 s, and there are 2. The jobs are reconstructed from the average completion times that the paper gives: SRSF 9.3, Gittins 10, LAS 11.7.",
        cluster: "1x2",
        opens_at: 0.0,
        jobs: Jobs::Listed(&[("J1", 2, 2.0), ("J2", 1, 8.0), ("J3", 2, 6.0)]),
    },
    Sample {
        name: "two-teams",
        title: "Two teams",
        summary: "Two teams share 2 nodes × 8 GPUs, and each has a quota of 8. Vision borrows what speech leaves idle, and is evicted when speech comes back. Ana waits: her team has used its quota up.",
        cluster: "2x8",
        opens_at: 3.5 * 3600.0,
        jobs: Jobs::OfTenants(&[
            whole_job("vision-train", "vision", 0.0, 8, 6.0),
            whole_job("vision-sweep", "vision", 0.5, 8, 7.0),
            whole_job("speech-train", "speech", 2.0, 4, 3.0),
            whole_job("vision-eval", "vision", 2.25, 4, 2.0),
            whole_job("speech-tune", "speech", 2.75, 4, 5.0),
            whole_job("ana", "speech", 3.0, 4, 1.0),
            whole_job("vision-tune", "vision", 4.0, 2, 1.5),
            whole_job("speech-eval", "speech", 7.0, 2, 1.0),
        ]),
    },
    Sample {
        name: "in-turns",
        title: "Jobs that take turns",
        summary: "12 jobs on 2 nodes × 4 GPUs: some wait for data most of the time, some compute, some exchange gradients. Muri lets up to four take turns on the same GPUs. Choose a running job to see how their phases interlock.",
        cluster: "2x4",
        opens_at: 0.75 * 3600.0,
        jobs: Jobs::OfModels(&[
            training("dqn", 0.0, 4, 3.0),
            training("gpt2", 0.0, 4, 3.0),
            training("vgg16", 0.0, 4, 3.0),
            training("a2c", 0.1, 4, 3.0),
            training("vgg19", 0.1, 4, 2.5),
            training("resnet18", 0.2, 4, 3.5),
            training("gpt2", 0.2, 4, 3.5),
            training("shufflenet_v2_x1_0", 0.3, 4, 3.0),
            training("dqn", 0.3, 4, 2.5),
            training("vgg16", 0.4, 4, 2.5),
            training("a2c", 0.5, 4, 3.5),
            training("resnet18", 0.5, 4, 3.0),
        ]),
    },
    Sample {
        name: "batches",
        title: "Batch sizes that grow",
        summary: "16 jobs on 2 nodes × 4 GPUs, most of which train with larger batches as they go on, and so are done sooner than their first epochs say. Shockwave foresees that, and plans to be both fair and soon done: OSSP has the shorter makespan, MST the shorter JCT, and in both some job waits far longer.",
        cluster: "2x4",
        opens_at: 3600.0,
        jobs: Jobs::OfModels(&[
            training("ResNet-18 (batch size 32), accordion", 0.0, 2, 2.5),
            training("LM (batch size 10), gns", 0.0, 1, 2.0),
            training("Recommendation (batch size 1024), gns", 0.0, 1, 3.0),
            training("ResNet-50 (batch size 64), accordion", 0.0, 4, 1.5),
            training("LM (batch size 20), accordion", 0.1, 1, 2.5),
            training("ResNet-18 (batch size 64), gns", 0.1, 1, 1.0),
            training("Recommendation (batch size 2048), accordion", 0.2, 1, 2.0),
            training("ResNet-50 (batch size 32), gns", 0.2, 2, 2.0),
            training("LM (batch size 10), accordion", 0.3, 4, 1.0),
            training("ResNet-18 (batch size 128)", 0.4, 1, 1.5),
            training("Recommendation (batch size 512), gns", 0.5, 1, 2.5),
            training("ResNet-50 (batch size 64), gns", 0.6, 1, 3.0),
            training("LM (batch size 40), gns", 0.7, 2, 1.0),
            training("ResNet-18 (batch size 32), gns", 0.9, 1, 2.0),
            training("Recommendation (batch size 1024), accordion", 1.0, 1, 1.0),
            training("ResNet-50 (batch size 128)", 1.2, 1, 0.5),
        ]),
    },
    Sample {
        name: "three-types",
        title: "Three types of GPUs",
        summary: "240 jobs on 24 T4, 16 A100 and 24 RTX 2080 Ti, the cluster of Sia's figures. Sia and Pollux give each job as many GPUs as are worth it, but only Sia tells types apart. The view Goodput shows what each job could have had in the last round.",
        cluster: "6x4:t4+2x8:a100+3x8:rtx2080ti",
        opens_at: 2.0 * 3600.0,
        jobs: Jobs::Drawn {
            count: 240,
            load: 4.0,
            backlog: 24,
            seed: 29,
        },
    },
];

const fn training(model: &'static str, submit: f64, gpus: u32, runs: f64) -> Training {
    Training {
        model,
        submit,
        gpus,
        runs,
    }
}

const fn whole_job(
    name: &'static str,
    tenant: &'static str,
    submit: f64,
    gpus: u32,
    runs: f64,
) -> WholeJob {
    WholeJob {
        name,
        tenant,
        submit,
        gpus,
        runs,
    }
}

/// Workloads to try a scheduler of one's own on, in order of difficulty: its score is over others of the same kinds,
/// drawn anew. They are no samples to look around in, but open by their names as those do.
pub const CHALLENGES: &[Sample] = &[
    challenge(
        "convoy",
        "Convoy",
        "160 jobs on 4 nodes × 8 GPUs: long gangs take the cluster before the short jobs come.",
        "4x8",
        (Theme::Convoy, 160),
    ),
    challenge(
        "tides",
        "Tides",
        "400 jobs in three days on 8 nodes × 8 GPUs: too much by day, very little by night, some gangs of half the cluster.",
        "8x8",
        (Theme::Tides, 400),
    ),
    challenge(
        "puzzle",
        "Gangs",
        "180 gangs of 1 to 12 GPUs on 6 nodes × 8 GPUs, whose sizes leave holes.",
        "6x8",
        (Theme::Puzzle, 180),
    ),
    challenge(
        "failures",
        "Failures",
        "200 jobs on 8 nodes × 8 GPUs, each of which fails every 20 hours on the mean. Who fails goes on from its last checkpoint: one an hour, and one whenever it is preempted, which costs a minute.",
        "8x8",
        (Theme::Failures, 200),
    ),
    challenge(
        "types",
        "Unlike GPUs",
        "240 jobs on 16 V100, 16 P100 and 16 K80: what a slower GPU costs depends on the model, as Gavel's authors measured.",
        "4x4:v100+4x4:p100+4x4:k80",
        (Theme::Types, 240),
    ),
    challenge(
        "neighbours",
        "Neighbours",
        "300 jobs of one to eight workers on 16 nodes × 8 GPUs in 4 racks: those that send over the same links slow one another.",
        "16x8/cores=56/racks=4",
        (Theme::Neighbours, 300),
    ),
    challenge(
        "flood",
        "Quotas",
        "300 jobs on 8 nodes × 4 GPUs: one tenant floods the cluster, three others come with little, and each has a quarter.",
        "8x4",
        (Theme::Flood, 300),
    ),
    challenge(
        "adaptive",
        "Adaptive jobs",
        "80 jobs that train on 4 nodes × 4 GPUs, and could use more GPUs or fewer, and larger batches, than they ask for.",
        "4x4",
        (Theme::Adaptive, 80),
    ),
    challenge(
        "swarm",
        "Deadlines",
        "600 jobs of one or two GPUs on 4 nodes × 4 GPUs, of which a few hold most of the time. Each is due two minutes after one and a half times its duration.",
        "4x4",
        (Theme::Swarm, 600),
    ),
    Sample {
        opens_at: 86_400.0,
        ..challenge(
            "week",
            "A real week",
            "1,500 jobs in about a week on 8 nodes × 8 GPUs, drawn with the statistics of a production cluster, Helios' Venus (SC'21).",
            "8x8",
            (Theme::Week, 1_500),
        )
    },
];

const fn challenge(
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    cluster: &'static str,
    (theme, count): (Theme, u32),
) -> Sample {
    Sample {
        name,
        title,
        summary,
        cluster,
        opens_at: 3600.0,
        jobs: Jobs::Of {
            theme,
            count,
            seed: 16,
        },
    }
}

/// The hour of day at which samples begin.
const FIRST_HOUR: f64 = 11.0;

impl Sample {
    /// The sample of this name, or the challenge.
    pub fn named(name: &str) -> Option<&'static Sample> {
        let mut all = SAMPLES.iter().chain(CHALLENGES);
        all.find(|sample| sample.name == name)
    }

    /// The cluster it is meant for.
    pub fn cluster_spec(&self) -> ClusterSpec {
        let named = ClusterPreset::named(self.cluster);
        let text = named.map_or(self.cluster, |preset| preset.text);
        text.parse()
            .unwrap_or_else(|_| unreachable!("samples have small clusters"))
    }

    /// Makes its jobs: always the same ones.
    pub fn workload(&self) -> Workload {
        let seed = match self.jobs {
            Jobs::Drawn { seed, .. } | Jobs::Of { seed, .. } => seed,
            Jobs::OfDataCentre { .. }
            | Jobs::LikeHelios { .. }
            | Jobs::Listed(_)
            | Jobs::OfTenants(_)
            | Jobs::OfModels(_) => 0,
        };
        self.workload_of(seed)
    }

    /// Other jobs of the same kind, drawn from this seed. Those of a list stay.
    pub fn workload_of(&self, seed: u64) -> Workload {
        match self.jobs {
            Jobs::Drawn {
                count,
                load,
                backlog,
                ..
            } => self.drawn(count, load, backlog, seed),
            Jobs::OfDataCentre { count, load } => self.data_centre(count, load, seed).workload(),
            Jobs::LikeHelios { count, load } => self.data_centre(count, load, seed).like(HELIOS),
            Jobs::Listed(list) => listed(list),
            Jobs::OfTenants(list) => of_tenants(list),
            Jobs::OfModels(list) => of_models(list),
            Jobs::Of { theme, count, .. } => {
                theme.workload(count, self.cluster_spec().gpus(), seed)
            }
        }
    }

    fn data_centre(&self, jobs: u32, load: f64, seed: u64) -> DataCentre {
        DataCentre {
            jobs,
            gpus: self.cluster_spec().gpus(),
            load,
            split: Split::HeldOut(seed as u32),
        }
    }

    fn drawn(&self, count: usize, load: f64, backlog: usize, seed: u64) -> Workload {
        let mut rng = Rng::seed_from_u64(seed);
        let cluster = self.cluster_spec();
        let gpus = cluster.gpus();
        // A gang is on nodes of one group, which are of one type.
        let groups = cluster.groups().iter().map(|of| of.nodes * of.gpus);
        let most = groups.min().unwrap_or(gpus).min(gpus / 2);
        let mut shapes: Vec<(u32, f64)> = (0..count).map(|_| shape(&mut rng, most)).collect();
        let gpu_seconds: f64 = shapes
            .iter()
            .map(|&(gpus, duration)| f64::from(gpus) * duration)
            .sum();
        let span = gpu_seconds / (load * f64::from(gpus));
        let mut submits: Vec<f64> = (0..count).map(|_| arrival(&mut rng, span)).collect();
        submits[..backlog].fill(0.0);
        submits.sort_unstable_by(order::by_value);

        let jobs = (0usize..)
            .zip(submits)
            .zip(shapes.drain(..))
            .map(|((i, submit), (gpus, duration))| Job {
                name: format!(
                    "{}-{i:0width$}",
                    self.name,
                    width = count.ilog10() as usize + 1
                )
                .into(),
                tenant: Some(below(&mut rng, TENANTS.len() as u32)),
                model: Some(below(&mut rng, MODELS.len() as u32)),
                ..Job::plain(submit, gpus, duration)
            })
            .collect();
        Workload {
            jobs,
            tenants: TENANTS.map(String::from).to_vec(),
            models: MODELS.map(String::from).to_vec(),
            gpu_types: Vec::new(),
            applications: Vec::new(),
            recorded: Default::default(),
            epoch: None,
            unit: Default::default(),
        }
    }
}

fn listed(list: &[(&str, u32, f64)]) -> Workload {
    let jobs = list
        .iter()
        .map(|&(name, gpus, duration)| Job {
            name: name.into(),
            ..Job::plain(0.0, gpus, duration)
        })
        .collect();
    Workload {
        jobs,
        tenants: Vec::new(),
        models: Vec::new(),
        gpu_types: Vec::new(),
        applications: Vec::new(),
        recorded: Default::default(),
        epoch: None,
        unit: Default::default(),
    }
}

/// Jobs are called by their models, with a number for the second and further ones.
fn of_models(list: &[Training]) -> Workload {
    let mut models: Vec<String> = Vec::new();
    let mut jobs: Vec<Job> = Vec::new();
    for of in list {
        let known = models.iter().position(|model| model == of.model);
        let model = known.unwrap_or(models.len()) as u32;
        let before = jobs.iter().filter(|job| job.model == Some(model)).count();
        let name = match before {
            0 => of.model.to_owned(),
            _ => format!("{}-{}", of.model, before + 1),
        };
        if known.is_none() {
            models.push(of.model.to_owned());
        }
        jobs.push(Job {
            name: name.into(),
            model: Some(model),
            ..Job::plain(of.submit * 3600.0, of.gpus, of.runs * 3600.0)
        });
    }
    Workload {
        jobs,
        models,
        ..Workload::default()
    }
}

fn of_tenants(list: &[WholeJob]) -> Workload {
    let mut tenants: Vec<String> = Vec::new();
    let jobs = list.iter().map(|told| {
        let known = tenants.iter().position(|name| name == told.tenant);
        let tenant = known.unwrap_or_else(|| {
            tenants.push(told.tenant.to_owned());
            tenants.len() - 1
        });
        Job {
            name: told.name.into(),
            tenant: Some(tenant as u32),
            ..Job::plain(told.submit * 3600.0, told.gpus, told.runs * 3600.0)
        }
    });
    Workload {
        jobs: jobs.collect(),
        tenants,
        models: Vec::new(),
        gpu_types: Vec::new(),
        applications: Vec::new(),
        recorded: Default::default(),
        epoch: None,
        unit: Default::default(),
    }
}

/// A gang and its duration in whole seconds; larger gangs run longer.
fn shape(rng: &mut Rng, most_gpus: u32) -> (u32, f64) {
    let gpus = match below(rng, 100) {
        0..58 => 1,
        58..70 => 2,
        70..84 => 4,
        84..95 => 8,
        95..99 => 16,
        _ => 32,
    }
    .min(most_gpus);
    let median = 600.0 * libm::sqrt(f64::from(gpus));
    let duration = median * libm::exp(1.4 * normal(rng));
    (gpus, libm::round(duration.clamp(30.0, 3.0 * 86_400.0)))
}

/// A moment in `0..span`, busy by day and quiet by night, in whole seconds.
fn arrival(rng: &mut Rng, span: f64) -> f64 {
    loop {
        let at = unit(rng) * span;
        let hour = (at / 3600.0 + FIRST_HOUR) % 24.0;
        let busy = 1.0 + 0.6 * libm::sin((hour - 8.0) / 24.0 * std::f64::consts::TAU);
        if unit(rng) * 1.6 < busy {
            return libm::floor(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Time;

    #[test]
    fn titles_promise_the_time_that_the_jobs_take_to_come() {
        let promised = [
            ("lab", "day", 1),
            ("cluster", "four days", 4),
            ("fleet", "week", 7),
        ];
        for (name, words, days) in promised {
            let sample = Sample::named(name).unwrap();
            assert!(sample.title.ends_with(words), "{}", sample.title);
            let last = sample.workload().jobs.last().unwrap().submit.seconds();
            assert_eq!((last / 86_400.0).ceil() as u32, days, "{}", sample.title);
        }
    }

    #[test]
    fn samples_are_sorted_runnable_and_repeatable() {
        for sample in SAMPLES.iter().chain(CHALLENGES) {
            let workload = sample.workload();
            let count = match sample.jobs {
                Jobs::Drawn { count, .. } => count,
                Jobs::OfDataCentre { count, .. } | Jobs::LikeHelios { count, .. } => count as usize,
                Jobs::Listed(list) => list.len(),
                Jobs::OfTenants(list) => list.len(),
                Jobs::OfModels(list) => list.len(),
                Jobs::Of { count, .. } => count as usize,
            };
            assert_eq!(workload.jobs.len(), count);
            assert_eq!(workload.jobs, sample.workload().jobs);
            assert_eq!(workload.jobs[0].submit, Time::ZERO);
            assert!(
                workload
                    .jobs
                    .windows(2)
                    .all(|pair| pair[0].submit <= pair[1].submit)
            );
            assert!(
                workload
                    .jobs
                    .iter()
                    .all(|job| job.gpus <= sample.cluster_spec().gpus())
            );
        }
    }
}
