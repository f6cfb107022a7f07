//! The board: who made what of the challenges, in `challenges/scores.json` of the repository. An [entry](Entry) is a script's
//! text and what its author claims of it; it comes by pull request. A test runs each anew and refuses what does not
//! hold, so that the board needs no server and nobody's word.
//!
//! The workloads of an entry are drawn from its text: nobody can choose them, and whoever changes the text to suit them has
//! others.

use super::challenge::{Challenge, NoChallenge};
use super::estimate::Estimate;
use super::run::{Carry, ScoreError};
use super::score::{Contest, MOST_DRAW, score_watched};
use serde::{Deserialize, Serialize};
use switchyard::engine::Mistake;
use switchyard::policies::script::Script;
use xxhash_rust::xxh3::xxh3_64;

/// How many workloads of each challenge a claim is over.
pub const WORKLOADS: usize = 20;

/// The board's file, as this program was built with it. It is linked into the crate: a package holds its own files alone.
const BOARD: &str = include_str!("../../scores.json");

/// A scheduler, and what is claimed of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The scheduler's name.
    pub name: String,
    /// Whose it is.
    pub by: String,
    /// The script.
    pub text: String,
    /// What it makes of challenges: of one, some or all.
    pub claims: Vec<Claim>,
}

/// What is claimed of one challenge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The challenge.
    pub challenge: String,
    /// The score, to one decimal.
    pub score: f64,
    /// Its interval's lower end.
    pub low: f64,
    /// Its interval's upper end.
    pub high: f64,
}

/// Why an entry does not go onto the board.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It claims something of what is not there.
    #[error("{0}: {1}")]
    Challenge(String, NoChallenge),
    /// Its text cannot be run.
    #[error("{name}: line {}, column {}: {}", mistake.line, mistake.column, mistake.what)]
    Text {
        /// The entry.
        name: String,
        /// What is wrong with it.
        mistake: Mistake,
    },
    /// It has no score.
    #[error("{0}: {1}")]
    Score(String, Box<ScoreError>),
    /// It has another score than it claims.
    #[error(
        "{name} claims {} (95 %: {} to {}) on {}, but has {} ({} to {}). Write what `switchyard score FILE --entry \"{name}\"` prints",
        claim.score, claim.low, claim.high, claim.challenge, is.score, is.low, is.high
    )]
    False {
        /// The entry.
        name: String,
        /// What it claims.
        claim: Claim,
        /// What it has.
        is: Box<Estimate>,
    },
    /// Two entries are one text, or claim a challenge twice.
    #[error("{0} is on the board already")]
    Twice(String),
    /// It says nothing.
    #[error("{0} claims nothing: name a challenge, and its score there")]
    Nothing(String),
    /// The file is no board.
    #[error("challenges/scores.json: {0}")]
    File(#[from] serde_json::Error),
}

/// The entries of a board's file.
///
/// # Errors
///
/// It is none.
pub fn read(file: &str) -> Result<Vec<Entry>, Refused> {
    Ok(serde_json::from_str(file)?)
}

/// The board that this program was built with.
pub fn board() -> Vec<Entry> {
    read(BOARD).unwrap_or_default()
}

/// The text of a board's file.
pub fn text(entries: &[Entry]) -> String {
    // Names with texts and numbers always make JSON.
    let json = serde_json::to_string_pretty(entries);
    format!("{}\n", json.unwrap_or_default())
}

/// The number that an entry's workloads are drawn from.
pub fn draw_of(text: &str) -> u64 {
    xxh3_64(text.as_bytes()) % (MOST_DRAW + 1)
}

impl Entry {
    /// What a text has on these challenges, under a name and an author.
    ///
    /// # Errors
    ///
    /// It cannot be run, or has no score.
    pub fn of(
        (name, by): (&str, &str),
        text: &str,
        challenges: Vec<&'static Challenge>,
        carry: &mut Carry<'_>,
    ) -> Result<Self, Refused> {
        let policy = Script::spec(text, name).map_err(|mistake| Refused::Text {
            name: name.to_owned(),
            mistake,
        })?;
        let contest = Contest {
            draw: draw_of(text),
            workloads: WORKLOADS,
            challenges,
        };
        let score = score_watched((&policy).into(), &contest, carry);
        let score = score.map_err(|error| Refused::Score(name.to_owned(), Box::new(error)))?;
        let claims = score.challenges.iter().map(|of| Claim {
            challenge: of.name.to_owned(),
            score: of.of_all.score,
            low: of.of_all.low,
            high: of.of_all.high,
        });
        Ok(Self {
            name: name.to_owned(),
            by: by.to_owned(),
            text: text.to_owned(),
            claims: claims.collect(),
        })
    }

    /// The same entry, worked out anew.
    ///
    /// # Errors
    ///
    /// It claims something of what is not there, cannot be run, or has no score.
    pub fn anew(&self, carry: &mut Carry<'_>) -> Result<Self, Refused> {
        if self.claims.is_empty() {
            return Err(Refused::Nothing(self.name.clone()));
        }
        let named = self.claims.iter().map(|of| Challenge::named(&of.challenge));
        let challenges: Result<Vec<_>, _> = named.collect();
        let challenges =
            challenges.map_err(|error| Refused::Challenge(self.name.clone(), error))?;
        Self::of((&self.name, &self.by), &self.text, challenges, carry)
    }

    /// Runs it anew.
    ///
    /// # Errors
    ///
    /// It does not hold what it claims.
    pub fn check(&self, carry: &mut Carry<'_>) -> Result<(), Refused> {
        let anew = self.anew(carry)?;
        let mut claims = self.claims.iter().zip(anew.claims);
        match claims.find(|(claim, is)| *claim != is) {
            None => Ok(()),
            Some((claim, is)) => Err(Refused::False {
                name: self.name.clone(),
                claim: claim.clone(),
                is: Box::new(Estimate {
                    score: is.score,
                    low: is.low,
                    high: is.high,
                }),
            }),
        }
    }
}

/// Runs every entry of a board anew.
///
/// # Errors
///
/// The first that does not hold.
pub fn check(entries: &[Entry], carry: &mut Carry<'_>) -> Result<(), Refused> {
    for (at, entry) in entries.iter().enumerate() {
        let others = &entries[..at];
        if others
            .iter()
            .any(|of| of.text == entry.text || of.name == entry.name)
        {
            return Err(Refused::Twice(entry.name.clone()));
        }
        let claims = entry.claims.iter().enumerate();
        let mut again = claims.filter(|(at, of)| {
            let before = &entry.claims[..*at];
            before.iter().any(|before| before.challenge == of.challenge)
        });
        if again.next().is_some() {
            return Err(Refused::Twice(entry.name.clone()));
        }
        entry.check(carry)?;
    }
    Ok(())
}
