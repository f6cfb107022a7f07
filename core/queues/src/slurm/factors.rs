//! The factors of a job's priority, each 0 to 1 unless a flag says otherwise.
//!
//! Source: <https://slurm.schedmd.com/priority_multifactor.html>; `priority_multifactor.c` (`set_priority_factors`,
//! `_get_tres_factors`).

use serde::{Deserialize, Serialize};

/// How long a job has waited since it could run, over `PriorityMaxAge`; 1 from there on. Seconds, whole ones count.
pub fn age(waited: f64, max_age: f64) -> f64 {
    let waited = waited.max(0.0).floor();
    if waited < max_age {
        waited / max_age
    } else {
        1.0
    }
}

/// The priority of an association, a partition or a QOS over the highest of all such. Nothing has any: 0.
pub fn normal(priority: u32, highest: u32) -> f64 {
    if highest > 0 {
        f64::from(priority) / f64::from(highest)
    } else {
        0.0
    }
}

/// How much of a trackable resource a job asks for, of what its partition has.
pub fn tres(asked: f64, of_partition: f64) -> f64 {
    if asked > 0.0 && of_partition > 0.0 {
        asked / of_partition
    } else {
        0.0
    }
}

/// What a job asks for, as far as its size counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSize {
    /// The least number of nodes.
    pub nodes: u32,
    /// CPUs; 0 where it does not say.
    pub cpus: u32,
    /// Its time limit in minutes; none: no limit is known.
    pub minutes: Option<u32>,
}

/// The cluster that a job's size is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Nodes that are up.
    pub nodes: u32,
    /// CPUs of all nodes.
    pub cpus: u32,
}

/// How a job's size counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SizeRule {
    /// `PriorityFavorSmall`.
    pub favors_small: bool,
    /// `SMALL_RELATIVE_TO_TIME`: CPUs by time limit.
    pub relative_to_time: bool,
}

/// A job's size against the machine's: the mean of nodes and CPUs, else CPUs over minutes. 1 minus it if small jobs are
/// favored.
pub fn job_size(asked: JobSize, machine: Machine, rule: SizeRule) -> f64 {
    if machine.nodes == 0 || machine.cpus == 0 {
        return 0.0;
    }
    let (nodes, cpus) = (f64::from(machine.nodes), f64::from(machine.cpus));
    let (own_nodes, own_cpus) = (f64::from(asked.nodes), f64::from(asked.cpus));
    let size = if rule.relative_to_time {
        let of_nodes = own_nodes * cpus / nodes;
        let minutes = f64::from(asked.minutes.unwrap_or(1).max(1));
        let size = own_cpus.max(of_nodes) / minutes / cpus;
        if rule.favors_small { 1.0 - size } else { size }
    } else if rule.favors_small {
        let of_nodes = (nodes - own_nodes).max(0.0) / nodes;
        match asked.cpus {
            0 => of_nodes,
            _ => (of_nodes + (cpus - own_cpus) / cpus) / 2.0,
        }
    } else {
        let of_nodes = own_nodes / nodes;
        match asked.cpus {
            0 => of_nodes,
            _ => (of_nodes + own_cpus / cpus) / 2.0,
        }
    };
    size.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_grows_to_one() {
        let week = 7.0 * 86_400.0;
        assert_eq!(age(0.0, week), 0.0);
        assert_eq!(age(week / 2.0, week), 0.5);
        assert_eq!(age(2.0 * week, week), 1.0);
        assert_eq!(age(-5.0, week), 0.0);
        assert_eq!(age(5.0, 0.0), 1.0);
    }

    #[test]
    fn the_whole_machine_has_one_and_a_single_node_nearly_none() {
        let machine = Machine {
            nodes: 100,
            cpus: 10_000,
        };
        let asked = |nodes, cpus| JobSize {
            nodes,
            cpus,
            minutes: Some(60),
        };
        let large = SizeRule::default();
        assert_eq!(job_size(asked(100, 10_000), machine, large), 1.0);
        assert_eq!(job_size(asked(10, 0), machine, large), 0.1);
        assert_eq!(job_size(asked(10, 3_000), machine, large), 0.2);
        let small = SizeRule {
            favors_small: true,
            ..large
        };
        assert_eq!(job_size(asked(100, 10_000), machine, small), 0.0);
        assert_eq!(job_size(asked(1, 100), machine, small), 0.99);
    }

    #[test]
    fn by_time_a_full_machine_for_a_minute_has_one() {
        let machine = Machine {
            nodes: 10,
            cpus: 100,
        };
        let by_time = SizeRule {
            favors_small: false,
            relative_to_time: true,
        };
        let asked = |nodes, cpus, minutes| JobSize {
            nodes,
            cpus,
            minutes,
        };
        assert_eq!(job_size(asked(10, 100, Some(1)), machine, by_time), 1.0);
        assert_eq!(job_size(asked(1, 50, Some(10)), machine, by_time), 0.05);
        // A node counts with the CPUs that a node has on average.
        assert_eq!(job_size(asked(2, 1, Some(10)), machine, by_time), 0.02);
        assert_eq!(job_size(asked(2, 1, None), machine, by_time), 0.2);
        let small = SizeRule {
            favors_small: true,
            ..by_time
        };
        assert_eq!(job_size(asked(1, 50, Some(10)), machine, small), 0.95);
    }

    #[test]
    fn priorities_are_measured_by_the_highest() {
        assert_eq!(normal(50, 200), 0.25);
        assert_eq!(normal(50, 0), 0.0);
        assert_eq!(tres(4.0, 16.0), 0.25);
        assert_eq!(tres(4.0, 0.0), 0.0);
    }
}
