//! Services of an earlier time, as a file holds them.

use serde::{Deserialize, Serialize};

/// Services of an earlier time, by which `history=NAME` is resolved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServiceHistory {
    /// The name in specs: a file's.
    pub name: String,
    /// Total service of each job, GPU·s.
    pub samples: Vec<f64>,
}

/// Why a text is no history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// A line that is no number.
    #[error("line {line} of the service history is '{text}': expected GPU·s, a number above 0")]
    NotANumber {
        /// Counted from 1.
        line: u32,
        /// What stands there.
        text: String,
    },
    /// No number at all.
    #[error("the service history holds no number: expected one service in GPU·s per line")]
    Empty,
}

impl ServiceHistory {
    /// What `history=` takes besides names: jobs finished so far, or the whole trace.
    pub const OWN: [&str; 2] = ["online", "oracle"];

    /// Reads a file of one number per line under an optional heading, as Tiresias' simulator has
    /// it (`yarn-gput1000.csv`: column `duration`, GPU·s).
    pub fn parse(name: &str, text: &str) -> Result<Self, HistoryError> {
        let mut samples = Vec::new();
        for (line, cell) in (1u32..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let cell = cell.trim();
            if cell.is_empty() {
                continue;
            }
            match cell.parse::<f64>() {
                Ok(sample) if sample.is_finite() && sample > 0.0 => samples.push(sample),
                _ if line == 1 => {}
                _ => {
                    return Err(HistoryError::NotANumber {
                        line,
                        text: cell.chars().take(40).collect(),
                    });
                }
            }
        }
        if samples.is_empty() {
            return Err(HistoryError::Empty);
        }
        Ok(Self {
            name: name.to_string(),
            samples,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_is_one_number_per_line() {
        let history = ServiceHistory::parse("h.csv", "\u{feff}duration\r\n120\r\n\r\n7.5\n");
        assert_eq!(history.map(|h| h.samples), Ok(vec![120.0, 7.5]));
    }

    #[test]
    fn what_is_no_history_is_refused_with_the_line() {
        let error = |text| {
            ServiceHistory::parse("h", text)
                .map(drop)
                .map_err(|error| error.to_string())
        };
        assert_eq!(
            error("duration\n12\n-3\n"),
            Err("line 3 of the service history is '-3': expected GPU·s, a number above 0".into())
        );
        assert_eq!(
            error("duration\n"),
            Err(
                "the service history holds no number: expected one service in GPU·s per line"
                    .into()
            )
        );
    }
}
