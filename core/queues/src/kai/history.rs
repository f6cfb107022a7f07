//! What queues had lately, as a part of what the cluster had.
//!
//! In: samples of what was allocated and of the capacity, a window, a half-life. Out: a part between 0 and 1 per queue.
//! Source: `cache/usagedb` and `docs/time-based-fairshare`: Σ allocated · d / Σ capacity · d, with d = 0.5^(age / half-life).

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Which samples count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Window {
    /// Those of the last seconds.
    Sliding {
        /// How many.
        seconds: f64,
    },
    /// Those since the last of times that lie evenly: all is forgotten there.
    Tumbling {
        /// How many seconds lie between two.
        seconds: f64,
        /// The first of them.
        start: f64,
    },
}

/// How history is kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Which samples count.
    pub window: Window,
    /// After how many seconds a sample counts half; 0: all count the same.
    pub half_life: f64,
}

impl Window {
    /// The time from which samples count; those before it are forgotten.
    pub fn opens(&self, now: f64) -> f64 {
        match *self {
            Self::Sliding { seconds } => now - seconds,
            Self::Tumbling { start, .. } if start > now => now,
            Self::Tumbling { seconds, .. } if seconds <= 0.0 => now,
            Self::Tumbling { seconds, start } => {
                // A time that has just come does not count as past.
                let past = libm::ceil((now - start) / seconds) - 1.0;
                start + past.max(0.0) * seconds
            }
        }
    }
}

/// Between two times, what each queue had and what there was.
#[derive(Clone, Debug, PartialEq)]
struct Sample {
    end: f64,
    seconds: f64,
    /// Queue by queue, resource by resource.
    allocated: Vec<f64>,
    capacity: Vec<f64>,
}

/// What queues had, sample by sample.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    settings: Settings,
    queues: usize,
    resources: usize,
    samples: VecDeque<Sample>,
}

impl History {
    /// A history without samples.
    pub fn new(settings: Settings, queues: usize, resources: usize) -> Self {
        Self {
            settings,
            queues,
            resources,
            samples: VecDeque::new(),
        }
    }

    /// Notes what queues had for `seconds` until `end`, queue by queue, and the capacity. Samples come in order.
    pub fn note(&mut self, end: f64, seconds: f64, allocated: &[f64], capacity: &[f64]) {
        self.samples.push_back(Sample {
            end,
            seconds,
            allocated: allocated.to_vec(),
            capacity: capacity.to_vec(),
        });
        let opens = self.settings.window.opens(end);
        while self
            .samples
            .front()
            .is_some_and(|sample| sample.end <= opens)
        {
            self.samples.pop_front();
        }
    }

    /// What each queue had lately as a part of the capacity, queue by queue.
    pub fn usage(&self, now: f64) -> Vec<f64> {
        let opens = self.settings.window.opens(now);
        let mut used = vec![0.0; self.queues * self.resources];
        let mut capacity = vec![0.0; self.resources];
        for sample in self.samples.iter().filter(|sample| sample.end > opens) {
            let counts = sample.seconds * decay(now - sample.end, self.settings.half_life);
            for (sum, amount) in used.iter_mut().zip(&sample.allocated) {
                *sum += amount * counts;
            }
            for (sum, amount) in capacity.iter_mut().zip(&sample.capacity) {
                *sum += amount * counts;
            }
        }
        for (at, sum) in used.iter_mut().enumerate() {
            let whole = capacity[at % self.resources];
            *sum = if whole > 0.0 { *sum / whole } else { 0.0 };
        }
        used
    }
}

/// What a sample of an age counts for. Ages and half-lives are in the same unit; 0: everything counts the same.
pub fn decay(age: f64, half_life: f64) -> f64 {
    if half_life > 0.0 {
        libm::exp2(-age / half_life)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(window: Window, half_life: f64) -> History {
        let settings = Settings { window, half_life };
        History::new(settings, 2, 1)
    }

    /// The example of KAI's documentation: 24 GPU-hours of 10 GPUs in 10 hours.
    #[test]
    fn usage_is_a_part_of_what_there_was() {
        let mut history = history(Window::Sliding { seconds: 10.0 }, 0.0);
        for hour in 1..=10 {
            let gpus = if hour <= 8 { 3.0 } else { 0.0 };
            history.note(f64::from(hour), 1.0, &[gpus, 10.0], &[10.0]);
        }
        assert_eq!(history.usage(10.0), [0.24, 1.0]);
    }

    #[test]
    fn a_half_life_halves_what_a_sample_counts() {
        let mut history = history(Window::Sliding { seconds: 100.0 }, 4.0);
        history.note(1.0, 1.0, &[4.0, 0.0], &[4.0]);
        history.note(5.0, 1.0, &[0.0, 4.0], &[4.0]);
        // One counts a half of the other: 1 of 3 and 2 of 3.
        assert_eq!(history.usage(5.0), [1.0 / 3.0, 2.0 / 3.0]);
    }

    #[test]
    fn a_sliding_window_forgets_one_sample_after_the_other() {
        let mut history = history(Window::Sliding { seconds: 2.0 }, 0.0);
        history.note(1.0, 1.0, &[1.0, 0.0], &[1.0]);
        history.note(2.0, 1.0, &[0.0, 1.0], &[1.0]);
        assert_eq!(history.usage(2.0), [0.5, 0.5]);
        history.note(3.0, 1.0, &[0.0, 1.0], &[1.0]);
        assert_eq!(history.usage(3.0), [0.0, 1.0]);
        assert_eq!(history.usage(9.0), [0.0, 0.0]);
    }

    #[test]
    fn a_tumbling_window_forgets_all_at_once() {
        let window = Window::Tumbling {
            seconds: 10.0,
            start: 5.0,
        };
        assert_eq!(window.opens(3.0), 3.0);
        assert_eq!(window.opens(5.0), 5.0);
        assert_eq!(window.opens(15.0), 5.0);
        assert_eq!(window.opens(15.5), 15.0);
        let mut history = history(window, 0.0);
        for end in 6..=15 {
            history.note(f64::from(end), 1.0, &[1.0, 0.0], &[1.0]);
        }
        assert_eq!(history.usage(15.0), [1.0, 0.0]);
        history.note(16.0, 1.0, &[0.0, 1.0], &[1.0]);
        assert_eq!(history.usage(16.0), [0.0, 1.0]);
    }
}
