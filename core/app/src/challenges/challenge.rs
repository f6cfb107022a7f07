//! The table of challenges, in order of difficulty: what each is about, what goes wrong, what helps, and the par.

use super::goal::Goal;
use crate::Permalink;
use serde::Serialize;
use switchyard::meant::hint;
use switchyard::policies::PolicySpec;
use switchyard::workload::{Sample, Workload};
use switchyard::{SETTINGS, Setting, Settings};

/// A kind of workloads, and what is to be made of them.
#[derive(Debug)]
pub struct Challenge {
    /// The sample that opens by this name is one of its workloads.
    pub name: &'static str,
    /// What counts.
    pub goal: Goal,
    /// Settings of its runs, by key, besides those at their defaults.
    settings: &'static [(&'static str, &'static str)],
    /// What goes wrong under FIFO.
    pub goes_wrong: &'static str,
    /// Three, each of which tells more than the one before.
    pub hints: [&'static str; 3],
    /// What is to be reached.
    pub par: Par,
}

/// What the best of the published policies here makes of a challenge: of all that are no oracles, and give a GPU to one job at a time, with their default
/// parameters, over [`Par::WORKLOADS`] workloads drawn from [`Par::DRAW`]. `cargo test --release -p switchyard-app --features
/// scripts --test challenges -- --ignored by_name` works it out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Par {
    /// The policy's spec.
    pub policy: &'static str,
    /// Its score.
    pub score: f64,
}

impl Par {
    /// The number that pars are drawn from.
    pub const DRAW: u64 = 0;
    /// How many workloads they are over.
    pub const WORKLOADS: usize = 20;
}

/// There is no challenge of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no challenge '{0}'{meant}: there are {all}",
    meant = hint(.0, CHALLENGES.iter().map(|of| of.name)),
    all = CHALLENGES.iter().map(|of| of.name).collect::<Vec<_>>().join(", ")
)]
pub struct NoChallenge(pub String);

impl Challenge {
    /// The challenge of this name.
    ///
    /// # Errors
    ///
    /// There is none; which there are.
    pub fn named(name: &str) -> Result<&'static Self, NoChallenge> {
        let found = CHALLENGES.iter().find(|of| of.name == name);
        found.ok_or_else(|| NoChallenge(name.to_owned()))
    }

    /// Its cluster, its open workload and its words.
    pub fn sample(&self) -> &'static Sample {
        Sample::named(self.name).unwrap_or_else(|| unreachable!("each has a sample"))
    }

    /// What its runs are told besides the cluster.
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        for (key, text) in self.settings {
            let setting = Setting::named(key);
            let taken = setting.map(|setting| setting.take(&mut settings, text));
            assert_eq!(taken, Some(Ok(())), "{}: {key}", self.name);
        }
        settings
    }

    /// The workload that everybody knows.
    pub fn open_workload(&self) -> Workload {
        self.with_applications(self.sample().workload())
    }

    /// Another, drawn from this seed.
    pub fn workload_of(&self, seed: u64) -> Workload {
        self.with_applications(self.sample().workload_of(seed))
    }

    fn with_applications(&self, workload: Workload) -> Workload {
        let applications = self.settings().applications;
        match applications.always {
            true => applications
                .bind(workload)
                .unwrap_or_else(|error| unreachable!("those that come with the engine: {error}")),
            false => workload,
        }
    }

    /// A link to its open workload under these schedulers.
    pub fn link<'p>(&self, policies: impl IntoIterator<Item = &'p PolicySpec>) -> Permalink {
        let mut link = Permalink::versioned();
        link.add("sample", self.name);
        link.add_settings(SETTINGS, &self.settings());
        for policy in policies {
            link.add("run", &policy.without_outages().to_string());
        }
        link
    }
}

/// All of them.
pub const CHALLENGES: &[Challenge] = &[
    Challenge {
        name: "convoy",
        goal: Goal::Jct,
        settings: &[],
        goes_wrong: "Long gangs take all 32 GPUs. The short jobs behind them wait for hours, though each would be done in minutes.",
        hints: [
            "Who has had little of the cluster so far is short more often than not.",
            "Let running jobs give way to new ones: rank by `attained`. A step in the key, such as one at an hour's service, keeps jobs from taking turns.",
            "Gangs of 8 and 16 are the long ones here: `job.gpus` tells before anything has run.",
        ],
        par: Par {
            policy: "kai",
            score: 106.9,
        },
    },
    Challenge {
        name: "tides",
        goal: Goal::Jct,
        settings: &[],
        goes_wrong: "Within four hours comes more than the cluster does in a day. One gang of 32 at the head of the line holds up all who are behind it, while half of the GPUs are idle.",
        hints: [
            "By night there is room for all: what is hard is only whom the flood of the day leaves waiting.",
            "A wide gang that starts by day sends many small jobs away. Let it wait until fewer stand in line.",
            "The p95 are the wide gangs. Raise a job by what it has waited, or the last ones are of the next day.",
        ],
        par: Par {
            policy: "las",
            score: 145.0,
        },
    },
    Challenge {
        name: "puzzle",
        goal: Goal::Jct,
        settings: &[],
        goes_wrong: "A gang that does not fit stops the line. Holes of 1 to 3 GPUs stay open on all nodes.",
        hints: [
            "Let who fits overtake who does not: `BACKFILL` for keys, or `start` down the whole line.",
            "A gang of 12 needs holes that nobody leaves open by chance: preempt for it, but not for long.",
            "By attained service the small and short go first. Of equal ones, take the wide gang while there is room for it.",
        ],
        par: Par {
            policy: "tiresias-tuned",
            score: 113.8,
        },
    },
    Challenge {
        name: "failures",
        goal: Goal::Jct,
        settings: &[
            ("mtbf", "20"),
            ("mttr", "1"),
            ("checkpoint_interval", "3600"),
            ("restart_cost", "60"),
        ],
        goes_wrong: "A node fails every two and a half hours. Who lay on it has lost up to an hour, and stands at the head of the line again, so that all others wait once more.",
        hints: [
            "A wide gang lies on many nodes and loses its work most often: it is worth less to start one than it seems.",
            "Who is preempted saves its work first. A minute for that is less than what a failure costs on the mean.",
            "`evicted` names those who have just lost their GPUs. They need not come first: rank them by what they still keep, `attained`.",
        ],
        par: Par {
            policy: "tiresias-gittins",
            score: 107.0,
        },
    },
    Challenge {
        name: "types",
        goal: Goal::Jct,
        settings: &[],
        goes_wrong: "Each job takes the first free GPUs. Who loses most on a K80 sits on one, and runs ten times as long, while others hold V100s that do them little good.",
        hints: [
            "`rate` is how fast a job is where it runs, or ran last, in seconds of the fastest type per second.",
            "Nodes 0 to 3 have V100s, 4 to 7 P100s, 8 to 11 K80s: `start(job, nodes)` and `move(job, nodes)` choose.",
            "New jobs are short more often than not: V100s for them. Move who has sunk to where its `rate` suffers least.",
        ],
        par: Par {
            policy: "sia",
            score: 152.9,
        },
    },
    Challenge {
        name: "neighbours",
        goal: Goal::Jct,
        settings: &[("contention", "true")],
        goes_wrong: "Gangs are laid wherever GPUs are free, over several nodes and racks. All who send over the same links are slow together, hold their GPUs longer, and the line grows.",
        hints: [
            "A gang on one node sends over no link at all.",
            "`free_on(node)` says where a gang fits whole. To wait a little for such a node may be the quicker way.",
            "`rate` tells who suffers. Its node's number tells its rack: four nodes each.",
        ],
        par: Par {
            policy: "sia",
            score: 133.3,
        },
    },
    Challenge {
        name: "flood",
        goal: Goal::Tenants,
        settings: &[],
        goes_wrong: "One tenant's 250 jobs stand before everybody else's. The other three, who ask for little, wait as long as the one who asks for nearly all.",
        hints: [
            "The mean is over tenants: a small tenant's hour counts as much as the flood's.",
            "Add up what the tenants' jobs hold: `job.tenant`, `job.holds`. Whose tenant holds least goes first.",
            "Within a tenant the rule of the convoy helps as before. The flood's own p95 is a third of its figure: do not starve it.",
        ],
        par: Par {
            policy: "kueue",
            score: 110.6,
        },
    },
    Challenge {
        name: "adaptive",
        goal: Goal::Jct,
        settings: &[("applications", "true")],
        goes_wrong: "Each job trains on as many GPUs as its owner guessed. While few are there, GPUs idle; while many are there, gangs wait that would run well on one.",
        hints: [
            "`ADAPTIVE`, and `train(job, n)` in `plan`: one GPU for each that waits is a good beginning.",
            "`speedup(n)` says what n GPUs are worth: give the next free one to whom it adds most.",
            "What is added is worth most to the job that has least left: `epochs` and `epochs_done` are no secret.",
        ],
        par: Par {
            policy: "pollux",
            score: 193.7,
        },
    },
    Challenge {
        name: "swarm",
        goal: Goal::Deadlines,
        settings: &[],
        goes_wrong: "A few long jobs hold the GPUs, and short ones wait for longer than they will run.",
        hints: [
            "Who has run for an hour may wait for half an hour: long enough for many short jobs.",
            "When a job is due is unknown. But each minute on GPUs earns it half a minute of waiting, besides the first two: `job.waited - job.held / 2`.",
            "Who has waited far more than that is late unless it is very long: it can wait for those who are not late yet. (Here only the share counts. Do not do this to people.)",
        ],
        par: Par {
            policy: "las",
            score: 105.0,
        },
    },
    Challenge {
        name: "week",
        goal: Goal::Jct,
        settings: &[],
        goes_wrong: "Half of the jobs take less than four minutes, one in twenty more than fifteen hours. Without a word on which is which, the short ones wait for days behind the long ones.",
        hints: [
            "With durations over five decades, a ranking by steps that double or grow tenfold is enough.",
            "Many come in series of like jobs: what the last one of this size has taken says much of the next.",
            "p95 is the long ones: it suffers from each hour that GPUs idle. Fill all holes.",
        ],
        par: Par {
            policy: "las",
            score: 146.6,
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::workload;

    #[test]
    fn each_has_a_sample_and_settings_that_are_some() {
        let samples: Vec<&str> = workload::CHALLENGES.iter().map(|of| of.name).collect();
        let names: Vec<&str> = CHALLENGES.iter().map(|of| of.name).collect();
        assert_eq!(names, samples);
        for challenge in CHALLENGES {
            challenge.settings();
            let of = challenge.par.policy.parse::<PolicySpec>();
            assert!(of.is_ok_and(|of| !of.is_oracle()), "{}", challenge.name);
        }
    }

    #[test]
    fn who_mistypes_a_name_is_told_the_right_one() {
        let error = Challenge::named("convoi").unwrap_err().to_string();
        assert!(
            error.contains("'convoy'") && error.ends_with("swarm, week"),
            "{error}"
        );
        let failures = Challenge::named("failures").expect("one of them");
        let link = failures
            .link(&["fifo".parse().expect("a policy")])
            .into_string();
        assert_eq!(
            link,
            "v=1&sample=failures&restart=60&mtbf=20&checkpoint=3600&run=fifo"
        );
    }
}
