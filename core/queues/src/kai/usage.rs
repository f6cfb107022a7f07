//! What queues had lately, kept up to date change by change.
//!
//! In: when a queue's amount changes. Out: the same part of the capacity as [`History`](super::history::History) tells of
//! ever shorter samples, at the cost of the changes alone: an integral up to now, less what of it is older than the window.

use super::history::{Settings, decay};
use std::collections::VecDeque;

/// An amount and the weighted sum of what it was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sum {
    at: f64,
    amount: f64,
    /// Amount × seconds until then, each second by what it counts.
    sum: f64,
}

impl Sum {
    fn go_on(&mut self, to: f64, half_life: f64) {
        let seconds = to - self.at;
        if seconds <= 0.0 {
            return;
        }
        let (kept, counts) = if half_life > 0.0 {
            let kept = decay(seconds, half_life);
            (kept, (1.0 - kept) * half_life / std::f64::consts::LN_2)
        } else {
            (1.0, seconds)
        };
        self.sum = self.sum * kept + self.amount * counts;
        self.at = to;
    }
}

/// One amount over time.
#[derive(Clone, Debug, Default, PartialEq)]
struct Series {
    now: Sum,
    /// As it was when the window opens.
    then: Sum,
    /// What it became, and when, since that.
    changes: VecDeque<(f64, f64)>,
}

impl Series {
    fn set(&mut self, at: f64, amount: f64, settings: &Settings) {
        self.now.go_on(at, settings.half_life);
        self.now.amount = amount;
        self.changes.push_back((at, amount));
        self.forget(settings.window.opens(at), settings);
    }

    /// What lies before the window counts no more.
    fn forget(&mut self, opens: f64, settings: &Settings) {
        while let Some(&(at, amount)) = self.changes.front().filter(|&&(at, _)| at <= opens) {
            self.then.go_on(at, settings.half_life);
            self.then.amount = amount;
            self.changes.pop_front();
        }
        self.then.go_on(opens, settings.half_life);
    }

    fn lately(&self, now: f64, settings: &Settings) -> f64 {
        let opens = settings.window.opens(now);
        let (mut all, mut then) = (self.now, self.then);
        for &(at, amount) in self.changes.iter().take_while(|&&(at, _)| at <= opens) {
            then.go_on(at, settings.half_life);
            then.amount = amount;
        }
        then.go_on(opens, settings.half_life);
        all.go_on(now, settings.half_life);
        (all.sum - decay(now - then.at, settings.half_life) * then.sum).max(0.0)
    }
}

/// What all queues had lately.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    settings: Settings,
    /// Queue by queue, resource by resource.
    queues: Vec<Series>,
    capacity: Vec<Series>,
}

impl Usage {
    /// Of queues that had nothing until then.
    pub fn new(settings: Settings, start: f64, queues: usize, resources: usize) -> Self {
        let at = |at| Sum {
            at,
            ..Sum::default()
        };
        let series = Series {
            now: at(start),
            then: at(start),
            changes: VecDeque::new(),
        };
        Self {
            settings,
            queues: vec![series.clone(); queues * resources],
            capacity: vec![series; resources],
        }
    }

    /// From now on a queue, by its place, has so much of each resource.
    pub fn set(&mut self, now: f64, queue: usize, amounts: impl IntoIterator<Item = f64>) {
        let start = queue * self.capacity.len();
        for (series, amount) in self.queues[start..].iter_mut().zip(amounts) {
            series.set(now, amount, &self.settings);
        }
    }

    /// From now on there is so much of each resource.
    pub fn set_capacity(&mut self, now: f64, amounts: &[f64]) {
        for (series, &amount) in self.capacity.iter_mut().zip(amounts) {
            series.set(now, amount, &self.settings);
        }
    }

    /// What a queue had lately of a resource, as a part of what there was.
    pub fn of(&self, now: f64, queue: usize, resource: usize) -> f64 {
        let series = &self.queues[queue * self.capacity.len() + resource];
        let whole = self.capacity[resource].lately(now, &self.settings);
        if whole > 0.0 {
            series.lately(now, &self.settings) / whole
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::history::{History, Window};
    use super::*;
    use proptest::prelude::*;

    /// Amounts of two queues, each for some seconds.
    fn check(settings: Settings, stays: &[(u8, [f64; 2])], after: f64) {
        let mut usage = Usage::new(settings, 0.0, 2, 1);
        usage.set_capacity(0.0, &[10.0]);
        let mut history = History::new(settings, 2, 1);
        let mut now = 0.0;
        let mut samples = 0;
        let mut note = |seconds: f64, amounts: [f64; 2], now: &mut f64| {
            // Samples of a hundredth of a second. Summed up, they would miss the moment at which a window opens.
            for _ in 0..(seconds * 100.0) as usize {
                samples += 1;
                *now = f64::from(samples) / 100.0;
                history.note(*now, 0.01, &amounts, &[10.0]);
            }
        };
        for &(seconds, amounts) in stays {
            for (queue, amount) in amounts.into_iter().enumerate() {
                usage.set(now, queue, [amount]);
            }
            note(f64::from(seconds), amounts, &mut now);
        }
        for queue in 0..2 {
            usage.set(now, queue, [0.0]);
        }
        note(after, [0.0; 2], &mut now);
        let expected = history.usage(now);
        for (queue, expected) in expected.into_iter().enumerate() {
            let got = usage.of(now, queue, 0);
            assert!((got - expected).abs() < 0.01, "{got} of {expected}");
        }
    }

    proptest! {
        #[test]
        fn it_is_what_samples_tell(
            stays in prop::collection::vec((1_u8..6, [0.0..5.0, 0.0..5.0]), 1..8),
            after in 0_u8..6,
            half_life in prop_oneof![Just(0.0), 1.0..20.0],
            seconds in 5_u8..30,
            tumbles in any::<bool>(),
        ) {
            let seconds = f64::from(seconds);
            let window = match tumbles {
                true => Window::Tumbling { seconds, start: 0.0 },
                false => Window::Sliding { seconds },
            };
            check(Settings { window, half_life }, &stays, f64::from(after));
        }
    }

    #[test]
    fn what_is_older_than_the_window_leaves_nothing_behind() {
        let settings = Settings {
            window: Window::Sliding { seconds: 10.0 },
            half_life: 0.0,
        };
        let mut usage = Usage::new(settings, 0.0, 1, 1);
        usage.set_capacity(0.0, &[4.0]);
        usage.set(0.0, 0, [4.0]);
        usage.set(5.0, 0, [0.0]);
        assert_eq!(usage.of(5.0, 0, 0), 1.0);
        assert_eq!(usage.of(10.0, 0, 0), 0.5);
        assert_eq!(usage.of(15.0, 0, 0), 0.0);
        assert_eq!(usage.of(1e9, 0, 0), 0.0);
    }
}
