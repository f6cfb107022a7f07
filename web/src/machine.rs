//! What this machine holds, as far as browsers tell: how many workers compute at once, how many there
//! may be, and how long the logs of runs may become.

use switchyard::engine::LogBudget;
use wasm_bindgen::JsValue;

/// Gigabytes of a machine that does not tell.
const USUAL_GIGABYTES: f64 = 4.0;

const GIBIBYTE: f64 = (1u64 << 30) as f64;

/// What a machine has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Machine {
    /// Processor cores.
    pub(crate) cores: usize,
    /// Memory, gigabytes; browsers tell no more than 8.
    pub(crate) gigabytes: f64,
}

/// So many pages of 64 KiB a program may take, of the 65,536 that wasm has: near the end it has none left to say so.
const MOST_PAGES: usize = 59_000;

/// Whether this program's memory is nearly all taken.
pub(crate) fn is_full() -> bool {
    #[cfg(target_arch = "wasm32")]
    let pages = core::arch::wasm32::memory_size(0);
    #[cfg(not(target_arch = "wasm32"))]
    let pages = 0;
    pages > MOST_PAGES
}

impl Machine {
    /// The one that the page runs on.
    pub(crate) fn here() -> Self {
        let tells = |name: &str| {
            let navigator = web_sys::window()?.navigator();
            let told = js_sys::Reflect::get(&navigator, &JsValue::from_str(name)).ok()?;
            told.as_f64().filter(|number| *number > 0.0)
        };
        Self {
            cores: tells("hardwareConcurrency").map_or(2, |cores| cores as usize),
            gigabytes: tells("deviceMemory").unwrap_or(USUAL_GIGABYTES),
        }
    }

    /// How many runs are under way at once. Two at least: the first picture compares two.
    pub(crate) fn runs_at_once(&self) -> usize {
        self.cores.clamp(2, self.workers())
    }

    /// How many runs may have a worker: those under way, and those that can be asked.
    pub(crate) fn workers(&self) -> usize {
        ((2.0 * self.gigabytes) as usize).clamp(2, 16)
    }

    /// How long the logs of all runs may become together ([`log_room`](crate::log_room)). The page holds
    /// them all, in the 4 GiB that wasm can address at most, and every run's worker has its own once more.
    pub(crate) fn log_pool(&self) -> LogBudget {
        let shared = (self.gigabytes / 4.0).clamp(0.25, 2.0) * GIBIBYTE;
        LogBudget::of_memory(shared as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_machines_still_compare_two() {
        let small = Machine {
            cores: 1,
            gigabytes: 0.25,
        };
        assert_eq!((small.runs_at_once(), small.workers()), (2, 2));
        let usual = Machine {
            cores: 64,
            gigabytes: 8.0,
        };
        assert_eq!((usual.runs_at_once(), usual.workers()), (16, 16));
    }

    #[test]
    fn all_logs_together_fit_into_the_page() {
        let machine = Machine {
            cores: 8,
            gigabytes: 8.0,
        };
        assert_eq!(machine.log_pool().bytes, 512 << 20);
    }
}
