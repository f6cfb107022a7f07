//! Which jobs belong to a leaf, where its name alone does not say: those of a user within an account, those whose
//! names begin so, large ones.
//!
//! A rule is a pattern, `vision-*`, for the word by which jobs are told apart (see [`By`]), or pairs of a column and
//! a pattern, all of which a job must have: `user:ana:account:physics`, `gpus:8..`. In a pattern `*` is any letters.

use crate::names;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The word of a job that names its leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Its tenant, or virtual cluster.
    #[default]
    Tenant,
    /// Who submitted it.
    User,
    /// Who is charged for it.
    Account,
    /// The partition or queue that it was submitted to.
    Partition,
    /// Its quality of service.
    Qos,
}

impl By {
    /// All of them, each with its word in files, links and flags.
    pub const ALL: [(&str, Self); 5] = [
        ("tenant", Self::Tenant),
        ("user", Self::User),
        ("account", Self::Account),
        ("partition", Self::Partition),
        ("qos", Self::Qos),
    ];

    /// The words.
    pub const WORDS: &[&str] = &["tenant", "user", "account", "partition", "qos"];
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Self::ALL.iter().find(|(_, by)| by == self);
        f.write_str(found.map_or("tenant", |(word, _)| word))
    }
}

impl FromStr for By {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(word, _)| *word == text);
        found
            .map(|&(_, by)| by)
            .ok_or_else(|| format!("'{text}' is none of {}", Self::WORDS.join(", ")))
    }
}

/// What holds of a job that belongs to a leaf: all of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule(Vec<Condition>);

/// One thing that holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Condition {
    /// Of the word by which jobs are told apart.
    Word(Pattern),
    /// Of another word.
    Of(By, Pattern),
    /// Of its name.
    Name(Pattern),
    /// It asks for so many GPUs, from and to.
    Gpus(u32, u32),
}

/// Letters, with any letters between two parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Pattern(Vec<String>);

/// What rules ask about a job.
pub trait RuledJob {
    /// Its word, or the one by which jobs are told apart.
    fn word(&self, by: Option<By>) -> Option<&str>;
    /// Its name.
    fn name(&self) -> &str;
    /// GPUs that it asks for.
    fn gpus(&self) -> u32;
}

impl Rule {
    /// For jobs with this word, whichever jobs are told apart by.
    pub fn of_word(word: &str) -> Self {
        Self(vec![Condition::Word(Pattern::plain(word))])
    }

    /// For jobs with all of these words.
    pub fn of_words(words: &[(By, &str)]) -> Self {
        let all = words.iter();
        let all = all.map(|&(by, word)| Condition::Of(by, Pattern::plain(word)));
        Self(all.collect())
    }

    /// Whether it holds of a job.
    pub fn holds(&self, of: &impl RuledJob) -> bool {
        self.0.iter().all(|condition| match condition {
            Condition::Word(pattern) => of.word(None).is_some_and(|word| pattern.is(word)),
            Condition::Of(by, pattern) => of.word(Some(*by)).is_some_and(|word| pattern.is(word)),
            Condition::Name(pattern) => pattern.is(of.name()),
            Condition::Gpus(from, to) => (*from..=*to).contains(&of.gpus()),
        })
    }

    /// How much it says.
    pub(crate) fn conditions(&self) -> usize {
        self.0.len()
    }

    /// Whether it asks for a job's name, which hardly two jobs share.
    pub fn asks_for_names(&self) -> bool {
        let mut all = self.0.iter();
        all.any(|condition| matches!(condition, Condition::Name(_)))
    }

    /// As it is written, with characters beyond ASCII in names as they are, or not.
    pub(crate) fn text(&self, name: impl Fn(&str) -> String) -> String {
        let parts = self.0.iter().map(|condition| match condition {
            Condition::Word(pattern) => pattern.text(&name),
            Condition::Of(by, pattern) => format!("{by}:{}", pattern.text(&name)),
            Condition::Name(pattern) => format!("name:{}", pattern.text(&name)),
            Condition::Gpus(from, to) if from == to => format!("gpus:{from}"),
            Condition::Gpus(from, u32::MAX) => format!("gpus:{from}.."),
            Condition::Gpus(from, to) => format!("gpus:{from}..{to}"),
        });
        parts.collect::<Vec<_>>().join(":")
    }

    /// Reads one.
    ///
    /// # Errors
    /// What is wrong, and what to write.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(':').collect();
        if let [pattern] = parts[..] {
            return Ok(Self(vec![Condition::Word(Pattern::read(pattern)?)]));
        }
        let pairs = parts.chunks(2).map(|pair| match *pair {
            ["name", pattern] => Ok(Condition::Name(Pattern::read(pattern)?)),
            ["gpus", range] => gpus(range),
            [by, pattern] => {
                let by = by.parse().map_err(|_| {
                    let words = By::WORDS.join(", ");
                    format!("jobs is '{text}': '{by}' is no column; use {words}, name or gpus")
                })?;
                Ok(Condition::Of(by, Pattern::read(pattern)?))
            }
            _ => Err(format!(
                "jobs is '{text}'; write a word such as vision-*, or pairs such as user:ana:account:physics"
            )),
        });
        Ok(Self(pairs.collect::<Result<_, String>>()?))
    }
}

fn gpus(range: &str) -> Result<Condition, String> {
    let number = |text: &str, none: u32| match text {
        "" => Some(none),
        text => text.parse().ok(),
    };
    let ends = match range.split_once("..") {
        Some((from, to)) => number(from, 0).zip(number(to, u32::MAX)),
        None => range.parse().ok().map(|gpus: u32| (gpus, gpus)),
    };
    let ends = ends.filter(|(from, to)| from <= to);
    let (from, to) = ends.ok_or_else(|| {
        format!("gpus is '{range}'; write a number, or 8.. for 8 and more, or 1..4")
    })?;
    Ok(Condition::Gpus(from, to))
}

impl Pattern {
    fn plain(word: &str) -> Self {
        Self(vec![word.to_owned()])
    }

    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("a rule of jobs wants a word, such as ana or vision-*".to_owned());
        }
        let parts = text.split('*');
        Ok(Self(parts.map(names::read).collect::<Result<_, _>>()?))
    }

    fn text(&self, name: impl Fn(&str) -> String) -> String {
        let part = |part: &String| match part.as_str() {
            "" if self.0.len() > 1 => String::new(),
            part => name(part),
        };
        self.0.iter().map(part).collect::<Vec<_>>().join("*")
    }

    fn is(&self, word: &str) -> bool {
        let [first, between @ .., last] = self.0.as_slice() else {
            return self.0.first().is_some_and(|only| only == word);
        };
        let Some(mut rest) = word.strip_prefix(first.as_str()) else {
            return false;
        };
        for part in between {
            let Some(at) = rest.find(part.as_str()) else {
                return false;
            };
            rest = &rest[at + part.len()..];
        }
        rest.ends_with(last.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Job(&'static str, &'static str, u32);

    impl RuledJob for Job {
        fn word(&self, by: Option<By>) -> Option<&str> {
            match by {
                Some(By::User) => Some(self.0),
                None | Some(By::Account) => Some(self.1),
                _ => None,
            }
        }
        fn name(&self) -> &str {
            "train-7"
        }
        fn gpus(&self) -> u32 {
            self.2
        }
    }

    fn read(text: &str) -> Rule {
        Rule::read(text).expect("a rule")
    }

    fn escaped(name: &str) -> String {
        names::written(name, true)
    }

    #[test]
    fn a_rule_holds_where_all_of_it_does() {
        let job = Job("ana", "physics-gpu", 8);
        for (text, holds) in [
            ("physics*", true),
            ("*gpu", true),
            ("*ics*g*", true),
            ("physics", false),
            ("*", true),
            ("physics-gpu*gpu", false),
            ("user:ana", true),
            ("user:ana:account:physics-*", true),
            ("user:ana:account:chemistry", false),
            ("partition:*", false),
            ("name:train-*:gpus:8..", true),
            ("gpus:..4", false),
            ("gpus:8", true),
            ("gpus:2..7", false),
        ] {
            assert_eq!(read(text).holds(&job), holds, "{text}");
        }
    }

    #[test]
    fn rules_come_back_as_they_were_written() {
        for text in [
            "vision-*",
            "user:ana:account:physics",
            "gpus:8..",
            "gpus:1..4:name:*-eval",
            "user:an~3aa",
        ] {
            assert_eq!(read(text).text(escaped), text);
        }
        assert_eq!(Rule::of_word("a*b").text(escaped), "a~2ab");
        assert!(!read("a~2ab").holds(&Job("", "axb", 1)));
        assert!(read("name:a").asks_for_names() && !read("a").asks_for_names());
    }

    #[test]
    fn what_is_no_rule_is_told() {
        for (text, told) in [
            ("", "wants a word"),
            ("colour:red", "'colour' is no column"),
            ("user:ana:account", "write a word"),
            ("gpus:many", "8 and more"),
            ("gpus:8..4", "8 and more"),
            ("user:", "wants a word"),
        ] {
            let why = Rule::read(text).expect_err(told);
            assert!(why.contains(told), "{text}: {why}");
        }
    }

    #[test]
    fn words_are_read_as_they_are_written() {
        for (word, by) in By::ALL {
            assert_eq!((word.parse(), by.to_string()), (Ok(by), word.to_owned()));
        }
        assert!("colour".parse::<By>().is_err());
    }
}
