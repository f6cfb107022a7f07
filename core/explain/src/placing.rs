//! How a placer that learned laid a job, decision by decision.

use crate::order;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Its decisions about one job, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Placing {
    /// One after the other; none where no partition holds the gang.
    pub steps: Vec<PlacingStep>,
    /// What the rule would have done with it.
    pub by_rule: Option<ByRule>,
}

/// What `least-interference-waiting` would have done with a gang at that moment, beside what was done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ByRule {
    /// Whether it was the rule that decided: no partition holds the gang, or an agent would have it wait without need.
    pub decides: bool,
    /// Where the gang was put; `None`: it waits.
    pub own: Option<Prospect>,
    /// Where the rule would put it.
    pub rule: Option<Prospect>,
}

/// A place for a gang, and what is expected there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prospect {
    /// Nodes, and GPUs of each.
    pub nodes: Vec<(u32, u32)>,
    /// By which part the gang and the jobs there would slow one another in all: the product of their slowdowns by the
    /// true model of contention, less 1.
    pub slower: f64,
}

impl Prospect {
    /// How many nodes are named in words.
    const NAMED: usize = 4;

    /// In words: "nodes 3 (8 GPUs), 4 (2 GPUs)".
    fn nodes(&self) -> String {
        let named = self.nodes.iter().take(Self::NAMED);
        let named = named.map(|(node, gpus)| match gpus {
            0 => node.to_string(),
            1 => format!("{node} (1 GPU)"),
            _ => format!("{node} ({gpus} GPUs)"),
        });
        let more = self.nodes.len().saturating_sub(Self::NAMED);
        let more = (more > 0).then(|| format!(" and {more} more"));
        let named: Vec<String> = named.collect();
        format!(
            "{} {}{}",
            self.word(),
            named.join(", "),
            more.unwrap_or_default()
        )
    }

    fn word(&self) -> &'static str {
        match self.nodes.len() {
            1 => "node",
            _ => "nodes",
        }
    }

    fn percent(&self) -> String {
        // Not −0.0.
        format!("{:.1} %", 100.0 * self.slower.max(0.0) + 0.0)
    }
}

impl ByRule {
    /// In words, of the rule: what it would have done, and what either is expected to cost.
    pub fn text(&self) -> String {
        const SLOW: &str = "the gang and the jobs there would slow one another by";
        match (&self.own, &self.rule) {
            (None, _) if self.decides => "it decided, and lets the job wait".into(),
            (Some(own), _) if self.decides => format!(
                "it decided, and put the job on {}: {SLOW} {} in all",
                own.nodes(),
                own.percent()
            ),
            (None, None) => "it would let the job wait, too".into(),
            (None, Some(rule)) => format!(
                "it would have put the job on {}: {SLOW} {} in all",
                rule.nodes(),
                rule.percent()
            ),
            (Some(own), None) => format!(
                "it would have let the job wait: {SLOW} {} in all",
                own.percent()
            ),
            (Some(own), Some(rule)) if own.nodes == rule.nodes => {
                let nodes = own.word();
                let (there, here) = (rule.percent(), own.percent());
                if there == here {
                    format!("it would have taken the same {nodes}: {SLOW} {here} in all")
                } else {
                    format!(
                        "it would have taken other GPUs of the same {nodes}: {SLOW} {there} in all there, {here} here"
                    )
                }
            }
            (Some(own), Some(rule)) => format!(
                "it would have put the job on {}: {SLOW} {} in all there, {} here",
                rule.nodes(),
                rule.percent(),
                own.percent()
            ),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_rule_would_have_done_is_told_in_words() {
        let on = |nodes: &[(u32, u32)], slower| {
            Some(Prospect {
                nodes: nodes.to_vec(),
                slower,
            })
        };
        let told = |decides, own, rule| ByRule { decides, own, rule }.text();
        let text = |own, rule| told(false, own, rule);
        let there = "the gang and the jobs there would slow one another by";
        assert_eq!(told(true, None, None), "it decided, and lets the job wait");
        assert_eq!(
            told(true, on(&[(3, 8)], 0.0), on(&[(3, 8)], 0.0)),
            format!("it decided, and put the job on node 3 (8 GPUs): {there} 0.0 % in all")
        );
        assert_eq!(text(None, None), "it would let the job wait, too");
        assert_eq!(
            text(None, on(&[(3, 8), (4, 1)], -1e-17)),
            format!(
                "it would have put the job on nodes 3 (8 GPUs), 4 (1 GPU): {there} 0.0 % in all"
            )
        );
        assert_eq!(
            text(on(&[(3, 8)], 0.2), None),
            format!("it would have let the job wait: {there} 20.0 % in all")
        );
        assert_eq!(
            text(on(&[(3, 8)], 0.01), on(&[(3, 8)], 0.01)),
            format!("it would have taken the same node: {there} 1.0 % in all")
        );
        assert_eq!(
            text(on(&[(3, 8)], 0.01), on(&[(3, 8)], 0.02)),
            format!(
                "it would have taken other GPUs of the same node: {there} 2.0 % in all there, 1.0 % here"
            )
        );
        let wide: Vec<(u32, u32)> = (0..6).map(|node| (node, 8)).collect();
        assert_eq!(
            text(on(&[(3, 48)], 0.01), on(&wide, 0.1)),
            format!(
                "it would have put the job on nodes 0 (8 GPUs), 1 (8 GPUs), 2 (8 GPUs), 3 (8 GPUs) and 2 more: {there} 10.0 % in all there, 1.0 % here"
            )
        );
    }
}
