//! Slurm's settings of priorities, backfill and preemption, as `scontrol show config` prints them or `slurm.conf` has them.
//!
//! Source: <https://slurm.schedmd.com/slurm.conf.html>; `src/api/config_info.c` of <https://github.com/SchedMD/slurm>.

use super::error::FileError;
use super::read::Note;
use crate::slurm::config::{Algorithm, Config, Reset};
use serde::Serialize;

/// Settings that were read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadConfig {
    /// What they are; those of which the file says nothing are Slurm's defaults.
    pub config: Config,
    /// What it says of backfill, preemption and time limits: parameters of the policy `slurm`, with their values.
    pub scheduling: Vec<(&'static str, String)>,
    /// What was left out.
    pub notes: Vec<Note>,
}

/// What settings of priorities begin with.
const KEYS: [&str; 7] = [
    "PriorityType",
    "PriorityWeight",
    "PriorityDecayHalfLife",
    "PriorityMaxAge",
    "PriorityFlags",
    "PriorityFavorSmall",
    "PriorityCalcPeriod",
];

/// Whether a text has some.
pub fn is_one(text: &str) -> bool {
    let mut keys = settings(text).map(|(_, key, _)| key);
    keys.any(|key| KEYS.iter().any(|known| key.starts_with(known)) && !key.contains(' '))
}

/// Reads them.
///
/// # Errors
/// No setting of priorities at all, or a value that is none.
pub fn read(text: &str, file: &str) -> Result<ReadConfig, FileError> {
    if !is_one(text) {
        let what = "there is no setting of priorities in it; make one by 'scontrol show config'";
        return Err(FileError::new(file, what));
    }
    let mut config = Config::default();
    let (mut scheduling, mut notes) = (Vec::new(), Vec::new());
    for (line, key, value) in settings(text) {
        let told = schedules(key, value, &mut scheduling);
        let note = told
            .and_then(|()| set(&mut config, key, value))
            .map_err(|wanted| {
                let what = format!("it is '{value}'; give {wanted}");
                FileError::new(file, what).at(line).of(key)
            })?;
        notes.extend(note.map(|what| Note {
            line: Some(line),
            what,
        }));
    }
    Ok(ReadConfig {
        config,
        scheduling,
        notes,
    })
}

/// Lines, keys and values.
fn settings(text: &str) -> impl Iterator<Item = (u32, &str, &str)> {
    let lines = (1..).zip(text.lines());
    lines.filter_map(|(number, line)| {
        let line = line.split('#').next().unwrap_or(line);
        let (key, value) = line.split_once('=')?;
        let value = match value.trim() {
            "(null)" | "N/A" => "",
            value => value,
        };
        Some((number, key.trim(), value))
    })
}

/// Takes in a setting: a note where that is not all of it, an error with what it wants.
fn set(config: &mut Config, key: &str, value: &str) -> Result<Option<String>, &'static str> {
    let weights = &mut config.weights;
    match key {
        "PriorityType" => config.has_factors = value == "priority/multifactor",
        "PriorityDecayHalfLife" => config.half_life = duration(value)?,
        "PriorityCalcPeriod" => config.calc_period = duration(value)?,
        "PriorityMaxAge" => config.max_age = duration(value)?,
        "PriorityFavorSmall" => config.size.favors_small = yes(value)?,
        "PriorityUsageResetPeriod" => config.reset = reset(value)?,
        "FairShareDampeningFactor" => config.damping = f64::from(whole(value)?.max(1)),
        "PriorityWeightAge" => weights.age = whole(value)?,
        "PriorityWeightAssoc" => weights.association = whole(value)?,
        "PriorityWeightFairShare" | "PriorityWeightFairshare" => weights.fair_share = whole(value)?,
        "PriorityWeightJobSize" => weights.job_size = whole(value)?,
        "PriorityWeightPartition" => weights.partition = whole(value)?,
        "PriorityWeightQOS" => weights.qos = whole(value)?,
        "PriorityWeightTRES" => weights.tres = tres(value)?,
        "PriorityFlags" => return Ok(flags(config, value)),
        "PriorityParameters" | "PrioritySiteFactorParameters" | "PrioritySiteFactorPlugin"
            if !value.is_empty() =>
        {
            return Ok(Some(format!(
                "{key} is left out: what a site adds to priorities is not known"
            )));
        }
        _ => {}
    }
    Ok(None)
}

/// Takes in what a setting says of backfill, preemption and time limits.
fn schedules(
    key: &str,
    value: &str,
    told: &mut Vec<(&'static str, String)>,
) -> Result<(), &'static str> {
    let mut tell = |name: &'static str, value: String| {
        told.retain(|(known, _)| *known != name);
        told.push((name, value));
    };
    match key {
        "SchedulerType" if value == "sched/builtin" => tell("backfill", "none".to_owned()),
        "SchedulerParameters" => {
            for (name, value) in value.split(',').filter_map(|part| part.split_once('=')) {
                match name.trim() {
                    "bf_window" => {
                        let minutes = f64::from(whole(value)?);
                        tell("bf_window", (minutes * 60.0).to_string());
                    }
                    "bf_resolution" => tell("bf_resolution", whole(value)?.to_string()),
                    "bf_interval" => tell("bf_interval", whole(value)?.to_string()),
                    "bf_max_job_test" => tell("bf_max_job_test", whole(value)?.to_string()),
                    "bf_max_job_user" => tell("bf_max_job_user", whole(value)?.to_string()),
                    "bf_job_part_count_reserve" if whole(value)? == 1 => {
                        tell("backfill", "easy".to_owned());
                    }
                    _ => {}
                }
            }
        }
        "PreemptType" => match value {
            "preempt/qos" => tell("preempt", "qos".to_owned()),
            "preempt/partition_prio" => tell("preempt", "partition".to_owned()),
            _ => {}
        },
        "PreemptExemptTime" if !value.is_empty() && !value.starts_with('-') => {
            tell("preempt_exempt_time", duration(value)?.to_string());
        }
        "OverTimeLimit" => tell(
            "over_time_limit",
            match value.split(' ').next() {
                Some("UNLIMITED") => FOR_EVER.to_owned(),
                Some(minutes) => (f64::from(whole(minutes)?) * 60.0 + A_LOOK).to_string(),
                None => return Ok(()),
            },
        ),
        _ => {}
    }
    Ok(())
}

/// Seconds that no job runs.
const FOR_EVER: &str = "1000000000";

/// Slurm looks for jobs over their limit every half minute, and gives them half a minute to end.
const A_LOOK: f64 = 60.0;

/// Flags; a note of those that are left out.
fn flags(config: &mut Config, value: &str) -> Option<String> {
    let mut left_out = Vec::new();
    for flag in value
        .split(',')
        .map(str::trim)
        .filter(|flag| !flag.is_empty())
    {
        let as_given = &mut config.as_given;
        match flag {
            "NO_FAIR_TREE" => config.algorithm = Algorithm::Classic,
            "FAIR_TREE" => config.algorithm = Algorithm::FairTree,
            "SMALL_RELATIVE_TO_TIME" => config.size.relative_to_time = true,
            "ACCRUE_ALWAYS" => config.accrues_always = true,
            "INCR_ONLY" => config.only_rises = true,
            "NO_NORMAL_ALL" => {
                as_given.association = true;
                as_given.partition = true;
                as_given.qos = true;
                as_given.tres = true;
            }
            "NO_NORMAL_ASSOC" => as_given.association = true,
            "NO_NORMAL_PART" => as_given.partition = true,
            "NO_NORMAL_QOS" => as_given.qos = true,
            "NO_NORMAL_TRES" => as_given.tres = true,
            // Priorities of running jobs decide nothing here.
            "CALCULATE_RUNNING" => {}
            flag => {
                // It comes with classic fair share.
                if flag == "DEPTH_OBLIVIOUS" {
                    config.algorithm = Algorithm::Classic;
                }
                left_out.push(flag);
            }
        }
    }
    let is_some = !left_out.is_empty();
    is_some.then(|| format!("PriorityFlags: {} left out", left_out.join(", ")))
}

fn whole(value: &str) -> Result<u32, &'static str> {
    value.parse().map_err(|_| "a whole number from 0")
}

fn yes(value: &str) -> Result<bool, &'static str> {
    match value.to_ascii_lowercase().as_str() {
        "yes" | "1" | "true" => Ok(true),
        "no" | "0" | "false" | "" => Ok(false),
        _ => Err("Yes or No"),
    }
}

fn reset(value: &str) -> Result<Reset, &'static str> {
    match value.to_ascii_uppercase().as_str() {
        "NONE" | "" => Ok(Reset::None),
        "NOW" => Ok(Reset::Now),
        "DAILY" => Ok(Reset::Daily),
        "WEEKLY" => Ok(Reset::Weekly),
        "MONTHLY" => Ok(Reset::Monthly),
        "QUARTERLY" => Ok(Reset::Quarterly),
        "YEARLY" => Ok(Reset::Yearly),
        _ => Err("NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY or YEARLY"),
    }
}

/// `cpu=1000,gres/gpu=3000`.
fn tres(value: &str) -> Result<Vec<(String, f64)>, &'static str> {
    let wanted = "names with weights, such as cpu=1000,gres/gpu=3000";
    let parts = value
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let parts = parts.map(|part| {
        let (name, weight) = part.split_once('=').ok_or(wanted)?;
        let weight: f64 = weight.parse().map_err(|_| wanted)?;
        let name = name.trim().to_ascii_lowercase();
        if weight.is_finite() {
            Ok((name, weight))
        } else {
            Err(wanted)
        }
    });
    parts.collect()
}

/// Slurm's times in seconds: minutes, minutes:seconds, hours:minutes:seconds, each with days- before it.
fn duration(value: &str) -> Result<f64, &'static str> {
    let wanted = "a time such as 7-00:00:00 (days-hours:minutes:seconds) or a number of minutes";
    let (days, time) = match value.split_once('-') {
        Some((days, time)) => (days.parse::<u32>().map_err(|_| wanted)?, time),
        None => (0, value),
    };
    let parts: Result<Vec<u32>, _> = time.split(':').map(str::parse).collect();
    let parts = parts.map_err(|_| wanted)?;
    let has_days = value.contains('-');
    let [hours, minutes, seconds] = match (parts.as_slice(), has_days) {
        (&[minutes], false) => [0, minutes, 0],
        (&[minutes, seconds], false) => [0, minutes, seconds],
        (&[hours], true) => [hours, 0, 0],
        (&[hours, minutes], true) => [hours, minutes, 0],
        (&[hours, minutes, seconds], _) => [hours, minutes, seconds],
        _ => return Err(wanted),
    };
    let [days, hours, minutes, seconds] = [days, hours, minutes, seconds].map(f64::from);
    Ok(((days * 24.0 + hours) * 60.0 + minutes) * 60.0 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_slurms() {
        let all = ["7-00:00:00", "00:05:00", "5", "14-0", "1-6", "90:30", "0"].map(duration);
        let expected = [604_800.0, 300.0, 300.0, 1_209_600.0, 108_000.0, 5430.0, 0.0];
        assert_eq!(all, expected.map(Ok));
        for none in ["", "week", "1-", "1:2:3:4", "-5"] {
            assert!(duration(none).is_err(), "{none}");
        }
    }
}
