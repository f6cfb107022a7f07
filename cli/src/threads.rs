//! Pieces of work on all cores, whose results come in order.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many pieces are done at once.
pub(crate) fn at_once() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Does so many pieces; the results are in their order.
pub(crate) fn each<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(count));
    thread::scope(|scope| {
        for _ in 0..at_once().min(count) {
            scope.spawn(|| {
                loop {
                    let piece = next.fetch_add(1, Ordering::Relaxed);
                    if piece >= count {
                        break;
                    }
                    let result = work(piece);
                    let Ok(mut done) = done.lock() else { break };
                    done.push((piece, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(piece, _)| *piece);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_order() {
        let squares = super::each(100, |at| at * at);
        assert!(squares.iter().enumerate().all(|(at, of)| *of == at * at) && squares.len() == 100);
        assert!(super::each(0, |at| at).is_empty());
    }
}
