//! What a measurement found: correctness first, then times, as text and as JSON.

use super::data::{Dtype, Recipe, Reference};
use crate::engine::Spread;
use anyhow::{Result, ensure};
use jiff::Timestamp;
use serde::Serialize;
use switchyard::goodput::noise::Norms;

/// φ is expressed in batches of one replica.
const M0: u32 = 1;

/// One model on one backend.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) backend: &'static str,
    /// What was measured, by its own name.
    pub(crate) device: String,
    /// Where its kernels come from.
    pub(crate) kernels: String,
    /// Of the measurement, UTC.
    pub(crate) date: String,
    /// Of this program.
    pub(crate) version: &'static str,
    pub(crate) model: &'static str,
    pub(crate) tensors: usize,
    pub(crate) elements: usize,
    pub(crate) replicas: usize,
    pub(crate) dtype: Dtype,
    pub(crate) preconditioned: bool,
    pub(crate) seed: u64,
    /// What memory gives when nothing is computed, in this run; the first is what figures are
    /// compared with.
    pub(crate) ceilings: Vec<Figure>,
    pub(crate) checks: Vec<Check>,
    pub(crate) figures: Vec<Figure>,
    /// What to know when reading the figures.
    pub(crate) remarks: Vec<String>,
}

/// What a kernel returned, beside the reference.
#[derive(Serialize)]
pub(crate) struct Check {
    pub(crate) kernel: &'static str,
    pub(crate) found: Norms,
    /// φ in batches of one replica; none with a single gradient.
    pub(crate) noise_scale: Option<f64>,
    /// The largest relative error of |ḡ|², mean|g_k|², sqr, var and φ against f64 over what is in
    /// memory.
    pub(crate) error: f64,
    /// The same against gradients before they were rounded to bf16.
    pub(crate) error_with_rounding: f64,
}

/// A time.
#[derive(Serialize)]
pub(crate) struct Figure {
    pub(crate) kernel: &'static str,
    pub(crate) seconds: Spread,
    /// Bytes that the computation must move; none where it moves more than it must.
    pub(crate) bytes: Option<u64>,
    pub(crate) bytes_per_second: Option<f64>,
    /// Of the first ceiling's.
    pub(crate) of_ceiling: Option<f64>,
}

impl Figure {
    /// A time in which `bytes` moved.
    pub(crate) fn moving(kernel: &'static str, bytes: usize, seconds: Spread) -> Self {
        Self {
            kernel,
            seconds,
            bytes: Some(bytes as u64),
            bytes_per_second: Some(bytes as f64 / seconds.median),
            of_ceiling: None,
        }
    }

    /// A time alone.
    pub(crate) fn taking(kernel: &'static str, seconds: Spread) -> Self {
        Self {
            kernel,
            seconds,
            bytes: None,
            bytes_per_second: None,
            of_ceiling: None,
        }
    }
}

/// The least, the median and the most of at least one.
pub(crate) fn spread(mut seconds: Vec<f64>) -> Spread {
    seconds.sort_by(f64::total_cmp);
    let at = |index: usize| seconds.get(index).copied().unwrap_or(f64::NAN);
    Spread {
        min: at(0),
        median: at(seconds.len() / 2),
        max: at(seconds.len().saturating_sub(1)),
    }
}

/// Compares what a kernel returned with the reference.
///
/// # Errors
///
/// If it is off by more than 1e-5, or for bf16 by more than 1e-2 of the gradients before rounding:
/// what is wrong is not worth timing.
pub(crate) fn check(
    kernel: &'static str,
    found: Norms,
    stored: Norms,
    unrounded: Norms,
    dtype: Dtype,
) -> Result<Check> {
    let (error, error_with_rounding) = (error(found, stored), error(found, unrounded));
    ensure!(
        error <= TOLERANCE,
        "{kernel} is off by {error:.2e}, more than {TOLERANCE:.0e}: {found:?} instead of {stored:?}"
    );
    ensure!(
        dtype == Dtype::F32 || error_with_rounding <= 1e-2,
        "{kernel} is off by {error_with_rounding:.2e} of the gradients before rounding: {found:?} \
         instead of {unrounded:?}"
    );
    let stats = found.stats(f64::from(found.count));
    Ok(Check {
        kernel,
        found,
        noise_scale: stats.map(|stats| stats.noise_scale(M0)),
        error,
        error_with_rounding,
    })
}

/// What kernels may be off by. Values are taken as they are stored, so bf16 costs no accuracy
/// beyond its own rounding.
const TOLERANCE: f64 = 1e-5;

/// The largest relative error of the norms and of the estimates from them.
fn error(found: Norms, exact: Norms) -> f64 {
    let relative = |found: f64, exact: f64| ((found - exact) / exact).abs();
    let norms = [
        relative(found.mean_of_squares, exact.mean_of_squares),
        relative(found.square_of_mean, exact.square_of_mean),
    ];
    let estimates = found.stats(1.0).zip(exact.stats(1.0)).map(|(a, b)| {
        [
            relative(a.sqr, b.sqr),
            relative(a.var, b.var),
            relative(a.noise_scale(M0), b.noise_scale(M0)),
        ]
    });
    let all = norms.into_iter().chain(estimates.into_iter().flatten());
    // Not f64::max, which passes over a NaN.
    all.fold(0.0, |worst, e| if e <= worst { worst } else { e })
}

impl Report {
    pub(crate) fn new(
        backend: &'static str,
        device: String,
        kernels: String,
        model: &'static str,
        recipe: &Recipe<'_>,
    ) -> Self {
        Self {
            backend,
            device,
            kernels,
            date: format!("{:.0}", Timestamp::now()),
            version: env!("CARGO_PKG_VERSION"),
            model,
            tensors: recipe.layout.tensors.len(),
            elements: recipe.layout.elements,
            replicas: recipe.replicas,
            dtype: recipe.dtype,
            preconditioned: recipe.preconditioned,
            seed: recipe.seed,
            ceilings: Vec::new(),
            checks: Vec::new(),
            figures: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Checks a fused kernel.
    pub(crate) fn check_fused(
        &mut self,
        kernel: &'static str,
        found: Norms,
        reference: &Reference,
    ) -> Result<()> {
        let (stored, unrounded) = (reference.stored, reference.unrounded);
        let check = check(kernel, found, stored, unrounded, self.dtype)?;
        self.checks.push(check);
        Ok(())
    }

    /// Checks a kernel of the differenced form.
    pub(crate) fn check_differenced(
        &mut self,
        kernel: &'static str,
        found: Norms,
        reference: &Reference,
    ) -> Result<()> {
        let pair = reference.pair;
        let check = check(kernel, found, pair, pair, self.dtype)?;
        self.checks.push(check);
        Ok(())
    }

    /// Relates all figures to the first ceiling.
    pub(crate) fn relate(&mut self) {
        let ceiling = self
            .ceilings
            .first()
            .and_then(|first| first.bytes_per_second);
        for figure in &mut self.figures {
            figure.of_ceiling = figure.bytes_per_second.zip(ceiling).map(|(a, b)| a / b);
        }
    }

    fn figure(&self, kernel: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.kernel == kernel)
    }

    /// How many times as long as the fused kernel the baseline takes.
    pub(crate) fn speedup(&self) -> Option<f64> {
        let (fused, baseline) = (
            self.figure("fused")?,
            self.figure("per-parameter baseline")?,
        );
        Some(baseline.seconds.median / fused.seconds.median)
    }

    pub(crate) fn print(&self) {
        println!(
            "{} on {} ({}), {}",
            self.backend, self.device, self.kernels, self.date
        );
        println!(
            "{}: {} tensors, {} parameters, {} replicas, {}{}",
            self.model,
            self.tensors,
            self.elements,
            self.replicas,
            self.dtype.name(),
            if self.preconditioned {
                ", preconditioned"
            } else {
                ""
            },
        );
        println!("  against f64:");
        for check in &self.checks {
            let scale = check
                .noise_scale
                .map_or("–".to_owned(), |phi| format!("{phi:.5}"));
            println!(
                "    {:24} φ {scale:>9} batches, relative error {:.1e}",
                check.kernel, check.error
            );
        }
        println!(
            "  {:26} {:>10} {:>10} {:>10} {:>8} {:>8}",
            "times", "median ms", "min", "max", "GB/s", "of first"
        );
        for figure in self.ceilings.iter().chain(&self.figures) {
            let Spread { min, median, max } = figure.seconds;
            let speed = figure
                .bytes_per_second
                .map_or("–".to_owned(), |speed| format!("{:.1}", speed / 1e9));
            let share = figure
                .of_ceiling
                .map_or("–".to_owned(), |share| format!("{:.1} %", 100.0 * share));
            println!(
                "    {:24} {:>10.4} {:>10.4} {:>10.4} {speed:>8} {share:>8}",
                figure.kernel,
                1e3 * median,
                1e3 * min,
                1e3 * max,
            );
        }
        if let Some(speedup) = self.speedup() {
            println!("  the baseline takes {speedup:.1} times as long as the fused kernel");
        }
        for remark in &self.remarks {
            println!("  note: {remark}");
        }
        println!();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_not_accepted() {
        let exact = Norms {
            count: 4,
            mean_of_squares: 5.0,
            square_of_mean: 2.0,
        };
        let accept = |found, dtype| check("x", found, exact, exact, dtype).is_ok();
        assert!(accept(exact, Dtype::F32));
        for factor in [1.0 + 1e-4, 0.5, f64::NAN, f64::INFINITY, 0.0] {
            let square_of_mean = exact.square_of_mean * factor;
            let found = Norms {
                square_of_mean,
                ..exact
            };
            assert!(
                !accept(found, Dtype::F32) && !accept(found, Dtype::Bf16),
                "{factor}"
            );
            let mean_of_squares = exact.mean_of_squares * factor;
            let found = Norms {
                mean_of_squares,
                ..exact
            };
            assert!(!accept(found, Dtype::F32), "{factor}");
        }
    }
}
