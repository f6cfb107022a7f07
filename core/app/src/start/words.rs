//! An answer in sentences, the same for whoever shows it. A moment reads as the caller has it.

use super::inquiry::Basis;
use super::told::{Help, Plain, Told, When};
use crate::format::{duration, percent};

/// An answer in sentences.
pub struct Words<'a> {
    told: &'a Told,
    moment: &'a dyn Fn(f64) -> String,
}

impl Told {
    /// In sentences, with moments as `moment` tells them.
    pub fn words<'a>(&'a self, moment: &'a dyn Fn(f64) -> String) -> Words<'a> {
        Words { told: self, moment }
    }
}

impl When {
    /// When the job starts, asked at a moment: one sentence or more.
    pub fn sentences(&self, asked: f64, moment: &dyn Fn(f64) -> String) -> Vec<String> {
        let Self {
            started,
            at_once,
            never,
            p05,
            p50,
            p90,
            p95,
        } = *self;
        if let Some(started) = started {
            return vec![match started == asked {
                true => "starts at once".to_owned(),
                false => format!("started at {}", moment(started)),
            }];
        }
        let then = |at: f64| then(at, asked, moment);
        let mut sentences = vec![
            format!(
                "half of the time before {}, nine of ten before {}",
                then(p50),
                then(p90)
            ),
            format!("from {} to {} in nine of ten", then(p05), then(p95)),
        ];
        if at_once > 0.0 {
            sentences.push(format!("at once in {} of the runs", percent(at_once)));
        }
        if never > 0.0 {
            sentences.push(format!("never in {} of the runs", percent(never)));
        }
        sentences
    }
}

/// A moment, and how long after another one it is.
fn then(at: f64, asked: f64, moment: &dyn Fn(f64) -> String) -> String {
    match at.is_finite() {
        true => format!("{} (in {})", moment(at), duration(at - asked)),
        false => "never".to_owned(),
    }
}

impl Words<'_> {
    /// The job that is asked about: what it wants.
    pub fn job(&self) -> String {
        let job = &self.told.job;
        let limit = job.limit.map(duration);
        let limit = limit.map_or_else(String::new, |limit| format!(" for {limit}"));
        let gpus = match job.gpus {
            1 => "1 GPU".to_owned(),
            gpus => format!("{gpus} GPUs"),
        };
        format!("{gpus}{limit}")
    }

    /// When it starts.
    pub fn when(&self) -> Vec<String> {
        self.told.when.sentences(self.told.moment, self.moment)
    }

    /// How many that wait go before it; their names are [`Told::before`].
    pub fn before(&self) -> String {
        let before = &self.told.before;
        let gpus: u32 = before.iter().map(|of| of.gpus).sum();
        match before.len() {
            0 => "before it: nobody who waits".to_owned(),
            1 => format!("before it: 1 that waits, {gpus} GPUs"),
            all => format!("before it: {all} that wait, {gpus} GPUs"),
        }
    }

    /// How many that come later go before it, if any do.
    pub fn later(&self) -> Option<String> {
        let later = self.told.later;
        (later > 0.0)
            .then(|| format!("of those that come later {later:.1} start before it on average"))
    }

    /// The plain way, if there is one.
    pub fn plain(&self) -> Option<String> {
        let Plain {
            start,
            usual_limit,
            without_limit,
        } = self.told.plain?;
        let usual = match without_limit {
            0 => String::new(),
            _ => format!(" ({} where they ask for no time)", duration(usual_limit)),
        };
        let then = then(start, self.told.moment, self.moment);
        Some(format!("if all run to their limits{usual}: at {then}"))
    }

    /// By what its own duration is judged.
    pub fn basis(&self) -> String {
        match &self.told.basis {
            Some(Basis {
                group,
                jobs,
                median,
            }) => format!(
                "its own duration by {group}: {jobs} of them, half no longer than {}",
                duration(*median)
            ),
            None => "no job has ended before: nothing is known of durations, and times are guesses"
                .to_owned(),
        }
    }

    /// What comes of another wish.
    pub fn help(&self, help: &Help) -> String {
        let Some(when) = &help.when else {
            return help.refused.clone().unwrap_or_default();
        };
        let by = match help.earlier {
            Some(earlier) if earlier > 0.0 => format!(", {} earlier", duration(earlier)),
            Some(earlier) if earlier < 0.0 => format!(", {} later", duration(-earlier)),
            Some(_) => ", which is no difference".to_owned(),
            None => String::new(),
        };
        match when.p50.is_finite() {
            true => format!("half of the time before {}{by}", (self.moment)(when.p50)),
            false => "half of the time never".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_NOON: f64 = 43_200.0;

    fn moment(at: f64) -> String {
        format!("{at} s")
    }

    fn when() -> When {
        When {
            started: None,
            at_once: 0.0,
            never: 0.25,
            p05: AT_NOON,
            p50: AT_NOON + 600.0,
            p90: f64::INFINITY,
            p95: f64::INFINITY,
        }
    }

    #[test]
    fn a_start_that_may_never_come_is_told_so() {
        let said = when().sentences(AT_NOON, &moment);
        assert_eq!(
            said[0],
            "half of the time before 43800 s (in 10 min), nine of ten before never"
        );
        assert_eq!(said[2..], ["never in 25 % of the runs"]);
    }

    #[test]
    fn what_has_started_has_no_chances() {
        let started = |at| When {
            started: Some(at),
            ..when()
        };
        let at_once = started(AT_NOON).sentences(AT_NOON, &moment);
        assert_eq!(at_once, ["starts at once"]);
        let before = started(7.0).sentences(AT_NOON, &moment);
        assert_eq!(before, ["started at 7 s"]);
    }
}
