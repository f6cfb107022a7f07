//! The policy `slurm` as a cluster's settings have it: what `scontrol show config` prints becomes its parameters.

use switchyard::policies::PolicySpec;
use switchyard::queues::files::slurm_config;
use switchyard::queues::slurm::config::{Algorithm, AsGiven, Reset};

/// The policy, and a sentence for each setting that it does not know.
///
/// # Errors
///
/// The text has no such settings, or a value that is none: with its line, and what to write.
pub fn slurm_policy(text: &str, file: &str) -> Result<(PolicySpec, Vec<String>), String> {
    let read = slurm_config::read(text, file).map_err(|why| why.to_string())?;
    let config = read.config;
    let mut notes: Vec<String> = (read.notes.into_iter())
        .map(|note| match note.line {
            Some(line) => format!("line {line}: {}", note.what),
            None => note.what,
        })
        .collect();
    let weights = &config.weights;
    let of_gpus = |(name, weight): &(String, f64)| (name == "gres/gpu").then_some(*weight);
    let tres = weights.tres.iter().find_map(of_gpus).unwrap_or(0.0);
    let others = weights.tres.iter().filter(|(name, _)| name != "gres/gpu");
    notes.extend(others.map(|(name, _)| {
        format!("PriorityWeightTRES: {name} is left out: GPUs alone are counted")
    }));
    let unknown = [
        (config.as_given != AsGiven::default(), "NO_NORMAL_…"),
        (config.accrues_always, "ACCRUE_ALWAYS"),
        (config.only_rises, "INCR_ONLY"),
        (config.reset != Reset::None, "PriorityUsageResetPeriod"),
    ];
    let unknown = unknown.iter().filter(|(is_set, _)| *is_set);
    notes.extend(unknown.map(|(_, name)| format!("{name} is left out")));
    let weigh = |weight: u32| if config.has_factors { weight } else { 0 };
    let fair_share = match config.algorithm {
        Algorithm::FairTree => "fair-tree",
        Algorithm::Classic => "classic",
    };
    let parameters = [
        ("priority_weight_age", weigh(weights.age).to_string()),
        (
            "priority_weight_fairshare",
            weigh(weights.fair_share).to_string(),
        ),
        (
            "priority_weight_job_size",
            weigh(weights.job_size).to_string(),
        ),
        (
            "priority_weight_partition",
            weigh(weights.partition).to_string(),
        ),
        ("priority_weight_qos", weigh(weights.qos).to_string()),
        (
            "priority_weight_assoc",
            weigh(weights.association).to_string(),
        ),
        ("priority_weight_tres", weigh(tres as u32).to_string()),
        ("priority_max_age", config.max_age.to_string()),
        ("priority_decay_half_life", config.half_life.to_string()),
        ("priority_calc_period", config.calc_period.to_string()),
        ("fair_share", fair_share.to_owned()),
        ("fair_share_dampening_factor", config.damping.to_string()),
        ("priority_favor_small", config.size.favors_small.to_string()),
        (
            "small_relative_to_time",
            config.size.relative_to_time.to_string(),
        ),
    ];
    let parameters = parameters.into_iter().chain(read.scheduling);
    let given: Vec<String> = parameters
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let spec = format!("slurm[{}]", given.join(","));
    let spec = spec.parse().map_err(|why| format!("{file}: {why}"))?;
    Ok((spec, notes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "\
        OverTimeLimit           = 5 min\n\
        PreemptExemptTime       = 00:10:00\n\
        PreemptType             = preempt/qos\n\
        PriorityDecayHalfLife   = 14-00:00:00\n\
        PriorityFlags           = NO_FAIR_TREE,ACCRUE_ALWAYS\n\
        PriorityType            = priority/multifactor\n\
        PriorityWeightAge       = 2000\n\
        PriorityWeightTRES      = cpu=10,gres/gpu=3000\n\
        SchedulerParameters     = bf_window=2880,bf_max_job_user=20,defer,bf_job_part_count_reserve=1\n\
        SchedulerType           = sched/backfill\n";

    #[test]
    fn settings_become_parameters() {
        let (spec, notes) = slurm_policy(CONFIG, "config").expect("settings");
        assert_eq!(
            spec.to_string(),
            "slurm[priority_weight_age=2000,priority_weight_fairshare=0,priority_weight_job_size=0,\
             priority_weight_partition=0,priority_weight_qos=0,priority_weight_tres=3000,\
             priority_decay_half_life=1209600,fair_share=classic,backfill=easy,bf_window=172800,\
             bf_max_job_user=20,over_time_limit=360,preempt=qos,preempt_exempt_time=600]"
        );
        assert_eq!(
            notes,
            [
                "PriorityWeightTRES: cpu is left out: GPUs alone are counted",
                "ACCRUE_ALWAYS is left out"
            ]
        );
        let plain = CONFIG.replace("priority/multifactor", "priority/basic");
        let (spec, _) = slurm_policy(&plain, "config").expect("settings");
        assert!(spec.to_string().contains("priority_weight_age=0"), "{spec}");
        let unlimited = CONFIG.replace("5 min", "UNLIMITED");
        let (spec, _) = slurm_policy(&unlimited, "config").expect("settings");
        assert!(
            spec.to_string().contains("over_time_limit=1000000000"),
            "{spec}"
        );
    }

    #[test]
    fn what_is_no_setting_is_told_with_its_line() {
        let wrong = CONFIG.replace("bf_window=2880", "bf_window=long");
        let why = slurm_policy(&wrong, "config").expect_err("a wrong value");
        assert!(
            why.starts_with("config, line 9, SchedulerParameters"),
            "{why}"
        );
        assert!(slurm_policy("ClusterName=x", "config").is_err());
    }
}
