//! How a placer that learned laid a job, decision by decision.

use crate::order;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Its decisions about one job, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Placing {
    /// One after the other.
    pub steps: Vec<PlacingStep>,
}

/// One decision of one partition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacingStep {
    /// What is to be placed.
    pub role: Role,
    /// The partition that is asked.
    pub partition: u32,
    /// How good each partition would be for the job, as the network sees it.
    pub values: Vec<f32>,
    /// What each partition told the others.
    pub told: Vec<Vec<f32>>,
    /// Its choices, each with its probability.
    pub choices: Vec<(Choice, f32)>,
    /// What it chose.
    pub chosen: Choice,
}

impl PlacingStep {
    /// How many choices are named in words, besides what was chosen.
    const NAMED: usize = 3;

    /// In words: "worker, partition 2 asked: node 37, socket 1 (0.62); else wait (0.21), ...". Partitions
    /// count from 1, as links' names do; nodes and sockets from 0.
    pub fn text(&self) -> String {
        let chance = |choice: &Choice| {
            let found = self.choices.iter().find(|(of, _)| of == choice);
            found.map_or(0.0, |(_, chance)| *chance)
        };
        let named = |choice: &Choice| format!("{choice} ({:.2})", chance(choice));
        let (role, partition) = (self.role, self.partition + 1);
        let value = self.values.get(self.partition as usize);
        let value = value.map_or_else(String::new, |value| format!(" (value {value:.2})"));
        let mut text = format!(
            "{role}, partition {partition}{value} asked: {}",
            named(&self.chosen)
        );
        let others = self.choices.iter().filter(|(of, _)| *of != self.chosen);
        let mut others: Vec<&(Choice, f32)> = others.collect();
        order::sort_by(&mut others, |a, b| {
            order::by_value(&b.1.into(), &a.1.into())
        });
        let best: Vec<String> = others
            .iter()
            .take(Self::NAMED)
            .map(|of| named(&of.0))
            .collect();
        if !best.is_empty() {
            text.push_str(&format!("; else {}", best.join(", ")));
        }
        if let Some(more) = others
            .len()
            .checked_sub(Self::NAMED)
            .filter(|more| *more > 0)
        {
            text.push_str(&format!(", {more} more"));
        }
        text
    }
}

/// What a part of a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// On a GPU.
    Worker,
    /// On cores.
    ParameterServer,
}

/// What can be done with a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Choice {
    /// It goes there.
    Group {
        /// The server.
        node: u32,
        /// Which of its sockets, from 0.
        group: u32,
    },
    /// Another partition is asked.
    Forward {
        /// Which.
        partition: u32,
    },
    /// The job waits.
    Wait,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Worker => "worker",
            Self::ParameterServer => "parameter server",
        })
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Group { node, group } => write!(f, "node {node}, socket {group}"),
            Self::Forward { partition } => write!(f, "forward to partition {}", partition + 1),
            Self::Wait => f.write_str("wait"),
        }
    }
}
