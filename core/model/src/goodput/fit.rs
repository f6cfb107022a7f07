//! Fitting the throughput model to observed step times: Pollux (OSDI'21) section 4.1, with start,
//! bounds, loss and priors of its artifact.
//!
//! - Loss: `RMSE(ln T_grad) + RMSE(ln T_iter) + 1e-3·(γ − 1)² + 1e-2·((β_n/α_n)² + (β_r/α_r)²)`.
//!   T_grad's datum is the step's time less its synchronisation.
//! - Start: α = 0.1, β = 0.01, γ = 1.001. Bounds: α, β ≥ 1e-8; γ in 1..=10.
//! - Priors fix at its lower bound what was never seen: α_n, β_n without several nodes; α_r, β_r
//!   without several replicas on one; β_n, β_r without more than two replicas. One batch per GPU
//!   seen: α_c is half the mean T_grad. Without several nodes, α_n ≥ 1.1·α_r and β_n ≥ 1.1·β_r
//!   afterwards. So the model is optimistic where nothing is known, and the job explores.
//!
//! The minimiser works on the logarithms of α and β. They span seven orders of magnitude, and so
//! scaled, the loss is nearly a sum of log-sum-exps; minimum, start and bounds are the same.
//! Observations that agree in what the model can tell apart are one cell with a weight.

use super::ThroughputParams;
use super::lbfgsb::{Minimum, Stop, minimise};
use super::throughput::softplus;
use crate::order;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One configuration that ran, and how long its steps took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Nodes; ≥ 1.
    pub nodes: u32,
    /// Replicas; ≥ nodes.
    pub replicas: u32,
    /// Samples per GPU and pass; ≥ 1.
    pub m: u32,
    /// Seconds of a pass with synchronisation; > 0.
    pub step: f64,
    /// Seconds of it that synchronisation added; in 0..step.
    pub sync: f64,
}

/// Why observations cannot be fitted.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FitError {
    /// There is none.
    #[error("there are no step times to fit a throughput model to")]
    Empty,
    /// Counts or times that no run can have.
    #[error(
        "observation {index} is impossible: {replicas} replicas on {nodes} nodes, {m} samples, step {step} s of which {sync} s synchronisation"
    )]
    Impossible {
        /// Which one, from 0.
        index: usize,
        /// Its nodes.
        nodes: u32,
        /// Its replicas.
        replicas: u32,
        /// Its samples per GPU.
        m: u32,
        /// Its step time, s.
        step: f64,
        /// Its synchronisation, s.
        sync: f64,
    },
}

/// A fitted model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// The parameters, priors included.
    pub params: ThroughputParams,
    /// The loss at its minimum.
    pub loss: f64,
    /// How often the loss was evaluated.
    pub evaluations: u32,
}

const VARIABLES: usize = 7;
const ALPHA_C: usize = 0;
const BETA_C: usize = 1;
const ALPHA_N: usize = 2;
const BETA_N: usize = 3;
const ALPHA_R: usize = 4;
const BETA_R: usize = 5;
const GAMMA: usize = 6;

/// The lower bound of α and β.
const LEAST: f64 = 1e-8;

/// Where a fit starts.
const START: ThroughputParams = ThroughputParams {
    alpha_c: 0.1,
    beta_c: 0.01,
    alpha_n: 0.1,
    beta_n: 0.01,
    alpha_r: 0.1,
    beta_r: 0.01,
    gamma: 1.001,
};

/// Fits the model to observations, of which there may be as few as one.
///
/// # Errors
///
/// [`FitError`] for no observations, or impossible ones.
pub fn fit(observations: &[Observation]) -> Result<Fit, FitError> {
    fit_from(observations, &START)
}

/// The loss of parameters on observations, in nepers and the penalties' units.
///
/// # Errors
///
/// As [`fit`].
pub fn loss(params: &ThroughputParams, observations: &[Observation]) -> Result<f64, FitError> {
    let cells = Cells::of(observations)?;
    Ok(cells.loss(&to_logarithms(values(params)), &mut [0.0; VARIABLES]))
}

/// The parameters in the minimiser's order.
fn values(params: &ThroughputParams) -> [f64; VARIABLES] {
    [
        params.alpha_c,
        params.beta_c,
        params.alpha_n,
        params.beta_n,
        params.alpha_r,
        params.beta_r,
        params.gamma,
    ]
}

/// The same from another start: to look for other minima.
///
/// # Errors
///
/// As [`fit`].
pub fn fit_from(observations: &[Observation], start: &ThroughputParams) -> Result<Fit, FitError> {
    let cells = Cells::of(observations)?;
    let mut start = values(start);
    let mut lower = [LEAST, LEAST, LEAST, LEAST, LEAST, LEAST, 1.0];
    let mut upper = [f64::INFINITY; VARIABLES];
    upper[GAMMA] = 10.0;
    let mut fix = |variable: usize, value: f64| {
        start[variable] = value;
        lower[variable] = value;
        upper[variable] = value;
    };
    let across = observations.iter().any(|o| o.nodes > 1);
    let within = observations.iter().any(|o| o.nodes == 1 && o.replicas > 1);
    let beyond_two = observations.iter().any(|o| o.replicas > 2);
    if cells.passes.len() == 1 {
        let total: f64 = observations.iter().map(|o| o.step - o.sync).sum();
        fix(ALPHA_C, total / observations.len() as f64 / 2.0);
    }
    if !across {
        fix(ALPHA_N, LEAST);
    }
    if !within {
        fix(ALPHA_R, LEAST);
    }
    if !across || !beyond_two {
        fix(BETA_N, LEAST);
    }
    if !within || !beyond_two {
        fix(BETA_R, LEAST);
    }
    let stop = Stop {
        gradient: 1e-5,
        gain: 2.2e-9,
        evaluations: 500,
    };
    let Minimum { x, f, evaluations } = minimise(
        to_logarithms(start),
        &to_logarithms(lower),
        &to_logarithms(upper),
        stop,
        |x, gradient| cells.loss(x, gradient),
    );
    let value = |variable: usize| {
        // Through the logarithm and back, a fixed value would come out a digit off.
        if lower[variable] == upper[variable] {
            lower[variable]
        } else {
            libm::exp(x[variable])
        }
    };
    let mut params = ThroughputParams {
        alpha_c: value(ALPHA_C),
        beta_c: value(BETA_C),
        alpha_n: value(ALPHA_N),
        beta_n: value(BETA_N),
        alpha_r: value(ALPHA_R),
        beta_r: value(BETA_R),
        gamma: x[GAMMA],
    };
    if !across {
        let at_least = |value: f64, least: f64| if value < least { least } else { value };
        params.alpha_n = at_least(params.alpha_n, 1.1 * params.alpha_r);
        params.beta_n = at_least(params.beta_n, 1.1 * params.beta_r);
    }
    Ok(Fit {
        params,
        loss: f,
        evaluations,
    })
}

/// α and β to their logarithms; γ stays.
fn to_logarithms(mut values: [f64; VARIABLES]) -> [f64; VARIABLES] {
    for value in values.iter_mut().take(GAMMA) {
        *value = libm::log(*value);
    }
    values
}

/// Observations of one `m`: T_grad's data.
struct Pass {
    m: f64,
    grad: Data,
}

/// Where T_sync is the same.
struct Sync {
    across: bool,
    /// K − 2.
    beyond_two: f64,
}

/// Observations that the model gives one T_iter: their `m`, their T_sync if there is any.
struct Cell {
    pass: usize,
    sync: Option<usize>,
    step: Data,
}

/// Logarithms of measured times.
#[derive(Clone, Copy, Default)]
struct Data {
    count: f64,
    mean: f64,
    /// Sum of squared deviations from the mean.
    spread: f64,
}

impl Data {
    fn add(&mut self, seconds: f64) {
        let value = libm::log(seconds);
        self.count += 1.0;
        let off = value - self.mean;
        self.mean += off / self.count;
        self.spread += off * (value - self.mean);
    }

    /// Sum of squared errors of a prediction of the logarithm, and its derivative.
    fn errors(&self, predicted: f64) -> (f64, f64) {
        let off = predicted - self.mean;
        (self.count * off * off + self.spread, 2.0 * self.count * off)
    }
}

struct Cells {
    passes: Vec<Pass>,
    syncs: Vec<Sync>,
    cells: Vec<Cell>,
    count: f64,
}

impl Cells {
    fn of(observations: &[Observation]) -> Result<Self, FitError> {
        if observations.is_empty() {
            return Err(FitError::Empty);
        }
        let mut cells = Self {
            passes: Vec::new(),
            syncs: Vec::new(),
            cells: Vec::new(),
            count: observations.len() as f64,
        };
        let mut keys: Vec<(u32, bool, u32)> = Vec::new();
        for (index, o) in observations.iter().enumerate() {
            let counts = o.nodes >= 1 && o.replicas >= o.nodes && o.m >= 1;
            let times = o.step.is_finite() && o.sync >= 0.0 && o.step > o.sync;
            if !(counts && times) {
                return Err(FitError::Impossible {
                    index,
                    nodes: o.nodes,
                    replicas: o.replicas,
                    m: o.m,
                    step: o.step,
                    sync: o.sync,
                });
            }
            keys.push((o.m, o.nodes > 1, o.replicas));
        }
        let mut order: Vec<usize> = (0..observations.len()).collect();
        order::sort_by_key(&mut order, |&i| keys[i]);
        let mut last = None;
        for i in order {
            let (o, key) = (&observations[i], keys[i]);
            let (m, across, replicas) = key;
            if cells
                .passes
                .last()
                .is_none_or(|pass| pass.m != f64::from(m))
            {
                cells.passes.push(Pass {
                    m: f64::from(m),
                    grad: Data::default(),
                });
            }
            if last != Some(key) {
                last = Some(key);
                let sync = (replicas > 1).then(|| cells.sync(across, f64::from(replicas) - 2.0));
                cells.cells.push(Cell {
                    pass: cells.passes.len() - 1,
                    sync,
                    step: Data::default(),
                });
            }
            if let (Some(pass), Some(cell)) = (cells.passes.last_mut(), cells.cells.last_mut()) {
                pass.grad.add(o.step - o.sync);
                cell.step.add(o.step);
            }
        }
        Ok(cells)
    }

    fn sync(&mut self, across: bool, beyond_two: f64) -> usize {
        let same = |s: &Sync| s.across == across && s.beyond_two == beyond_two;
        self.syncs.iter().position(same).unwrap_or_else(|| {
            self.syncs.push(Sync { across, beyond_two });
            self.syncs.len() - 1
        })
    }

    /// The loss, and its gradient by the logarithms of α and β and by γ.
    fn loss(&self, x: &[f64; VARIABLES], gradient: &mut [f64; VARIABLES]) -> f64 {
        let p: [f64; VARIABLES] =
            std::array::from_fn(|i| if i == GAMMA { x[i] } else { libm::exp(x[i]) });
        let gamma = p[GAMMA];
        let per_gamma = 1.0 / gamma;
        // ln T_grad by pass, ln T_sync by sync, and how much of each is its β part.
        let split = |constant: f64, growing: f64| {
            let time = constant + growing;
            (libm::log(time), growing / time)
        };
        let grads: Vec<(f64, f64)> = self
            .passes
            .iter()
            .map(|pass| split(p[ALPHA_C], p[BETA_C] * pass.m))
            .collect();
        let syncs: Vec<(f64, f64)> = self
            .syncs
            .iter()
            .map(|sync| {
                let (alpha, beta) = if sync.across {
                    (p[ALPHA_N], p[BETA_N])
                } else {
                    (p[ALPHA_R], p[BETA_R])
                };
                split(alpha, beta * sync.beyond_two)
            })
            .collect();

        let mut grad_errors = 0.0;
        let mut by_grad = [0.0; 2];
        for (pass, &(log, beta)) in self.passes.iter().zip(&grads) {
            let (errors, slope) = pass.grad.errors(log);
            grad_errors += errors;
            by_grad[0] += slope * (1.0 - beta);
            by_grad[1] += slope * beta;
        }

        let mut step_errors = 0.0;
        let mut by_step = [0.0; VARIABLES];
        for cell in &self.cells {
            let (grad, grad_beta) = grads[cell.pass];
            let mut predicted = grad;
            // The share of T_sync^γ in the sum.
            let mut share = 0.0;
            let mut by_gamma = 0.0;
            if let Some(sync) = cell.sync {
                let ahead = syncs[sync].0 - grad;
                let (softplus, sigmoid) = softplus(gamma * ahead);
                let more = softplus * per_gamma;
                predicted += more;
                share = sigmoid;
                by_gamma = (sigmoid * ahead - more) * per_gamma;
            }
            let (errors, slope) = cell.step.errors(predicted);
            step_errors += errors;
            by_step[ALPHA_C] += slope * (1.0 - share) * (1.0 - grad_beta);
            by_step[BETA_C] += slope * (1.0 - share) * grad_beta;
            by_step[GAMMA] += slope * by_gamma;
            if let Some(sync) = cell.sync {
                let beta = syncs[sync].1;
                let (a, b) = if self.syncs[sync].across {
                    (ALPHA_N, BETA_N)
                } else {
                    (ALPHA_R, BETA_R)
                };
                by_step[a] += slope * share * (1.0 - beta);
                by_step[b] += slope * share * beta;
            }
        }

        // d√(e/n) = de/(2·√(e/n)·n); at the kink, 0.
        let grad_rmse = libm::sqrt(grad_errors / self.count);
        let step_rmse = libm::sqrt(step_errors / self.count);
        let factor = |rmse: f64| {
            if rmse > 0.0 {
                1.0 / (2.0 * rmse * self.count)
            } else {
                0.0
            }
        };
        for (slot, slope) in gradient.iter_mut().zip(by_step) {
            *slot = slope * factor(step_rmse);
        }
        gradient[ALPHA_C] += by_grad[0] * factor(grad_rmse);
        gradient[BETA_C] += by_grad[1] * factor(grad_rmse);

        let mut penalty = 1e-3 * (gamma - 1.0) * (gamma - 1.0);
        gradient[GAMMA] += 2e-3 * (gamma - 1.0);
        for (a, b) in [(ALPHA_N, BETA_N), (ALPHA_R, BETA_R)] {
            let ratio = p[b] / p[a];
            let term = 1e-2 * ratio * ratio;
            penalty += term;
            gradient[a] -= 2.0 * term;
            gradient[b] += 2.0 * term;
        }
        grad_rmse + step_rmse + penalty
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Cifar10's parameters in the paper's artifact, rounded.
    const TRUE: ThroughputParams = ThroughputParams {
        alpha_c: 0.0187,
        beta_c: 6.8e-4,
        alpha_n: 0.0915,
        beta_n: 0.0025,
        alpha_r: 0.0154,
        beta_r: 2e-4,
        gamma: 1.28,
    };

    fn observe(params: &ThroughputParams, configurations: &[(u32, u32, u32)]) -> Vec<Observation> {
        let observed = configurations.iter().map(|&(nodes, replicas, m)| {
            let step = params.step_time(nodes, replicas, m);
            Observation {
                nodes,
                replicas,
                m,
                step,
                sync: step - params.grad_time(m),
            }
        });
        observed.collect()
    }

    fn grid() -> Vec<(u32, u32, u32)> {
        let places = [
            (1, 1),
            (1, 2),
            (1, 3),
            (1, 4),
            (2, 2),
            (2, 5),
            (3, 8),
            (4, 16),
            (8, 32),
        ];
        let batches = [32, 64, 128, 256, 512, 1024];
        places
            .iter()
            .flat_map(|&(n, k)| batches.iter().map(move |&m| (n, k, m)))
            .collect()
    }

    #[test]
    fn the_loss_by_hand() {
        // Off by a factor e² in both times of one observation: RMSE 2 + 2; γ = 3: 1e-3·4;
        // β/α = 2 across and 3 within: 1e-2·(4 + 9).
        let params = ThroughputParams {
            alpha_c: 0.1,
            beta_c: 0.1,
            alpha_n: 0.1,
            beta_n: 0.2,
            alpha_r: 0.1,
            beta_r: 0.3,
            gamma: 3.0,
        };
        let e2 = libm::exp(2.0);
        let observation = Observation {
            nodes: 1,
            replicas: 1,
            m: 9,
            step: e2,
            sync: 0.0,
        };
        let value = loss(&params, &[observation]).expect("sound");
        assert!((value - 4.134).abs() < 1e-12, "{value}");
    }

    #[test]
    fn the_gradient_is_the_loss_s() {
        let mut observations = observe(&TRUE, &grid());
        for (i, o) in observations.iter_mut().enumerate() {
            o.step *= 1.0 + 0.3 * ((i % 5) as f64 - 1.0) / 5.0 + 0.2;
        }
        let cells = Cells::of(&observations).expect("sound");
        let x = to_logarithms([0.03, 4e-4, 0.2, 0.03, 0.01, 0.003, 2.2]);
        let mut gradient = [0.0; VARIABLES];
        cells.loss(&x, &mut gradient);
        for i in 0..VARIABLES {
            let (mut up, mut down) = (x, x);
            up[i] += 1e-6;
            down[i] -= 1e-6;
            let mut unused = [0.0; VARIABLES];
            let numeric = (cells.loss(&up, &mut unused) - cells.loss(&down, &mut unused)) / 2e-6;
            assert!(
                (numeric - gradient[i]).abs() < 1e-7,
                "{i}: {numeric} {}",
                gradient[i]
            );
        }
    }

    #[test]
    fn known_parameters_are_recovered() {
        let fitted = fit(&observe(&TRUE, &grid())).expect("sound");
        let p = fitted.params;
        // The penalties pull a little, so not exactly.
        for (found, is, tolerance) in [
            (p.alpha_c, TRUE.alpha_c, 0.01),
            (p.beta_c, TRUE.beta_c, 0.01),
            (p.alpha_n, TRUE.alpha_n, 0.02),
            (p.beta_n, TRUE.beta_n, 0.05),
            (p.alpha_r, TRUE.alpha_r, 0.05),
            (p.gamma, TRUE.gamma, 0.05),
        ] {
            assert!((found / is - 1.0).abs() < tolerance, "{found} {is}: {p:?}");
        }
        for (n, k, m) in grid() {
            let (a, b) = (p.step_time(n, k, m), TRUE.step_time(n, k, m));
            assert!((a / b - 1.0).abs() < 0.01, "{n} {k} {m}: {a} {b}");
        }
    }

    #[test]
    fn priors_keep_the_model_optimistic() {
        // One configuration on one GPU: α_c is half the pass, β_c the other half.
        let one = fit(&observe(&TRUE, &[(1, 1, 128)])).expect("sound");
        let grad = TRUE.grad_time(128);
        assert_eq!(one.params.alpha_c, grad / 2.0);
        assert!((one.params.beta_c * 128.0 / (grad / 2.0) - 1.0).abs() < 1e-3);
        assert_eq!(one.params.alpha_r, 1e-8);
        assert_eq!(one.params.beta_r, 1e-8);
        assert_eq!(one.params.alpha_n, 1.1 * 1e-8);
        assert_eq!(one.params.beta_n, 1.1 * 1e-8);
        // Two on a node: α_r is known, and bounds α_n from below.
        let two = fit(&observe(&TRUE, &[(1, 1, 128), (1, 2, 64)])).expect("sound");
        assert!(two.params.alpha_r > 1e-3);
        assert_eq!(two.params.beta_r, 1e-8);
        assert_eq!(two.params.alpha_n, 1.1 * two.params.alpha_r);
        // Across nodes at once: T_sync on one node stays free.
        let across = fit(&observe(&TRUE, &[(1, 1, 128), (2, 2, 64)])).expect("sound");
        assert!(across.params.alpha_n > 1e-2);
        assert_eq!((across.params.alpha_r, across.params.beta_r), (1e-8, 1e-8));
        assert_eq!(across.params.beta_n, 1e-8);
    }

    #[test]
    fn impossible_observations_are_refused() {
        assert_eq!(fit(&[]), Err(FitError::Empty));
        let sound = Observation {
            nodes: 1,
            replicas: 2,
            m: 8,
            step: 1.0,
            sync: 0.25,
        };
        for bad in [
            Observation { nodes: 0, ..sound },
            Observation { nodes: 3, ..sound },
            Observation { m: 0, ..sound },
            Observation {
                step: f64::NAN,
                ..sound
            },
            Observation {
                step: f64::INFINITY,
                ..sound
            },
            Observation { sync: 1.0, ..sound },
            Observation {
                sync: -0.1,
                ..sound
            },
        ] {
            assert!(matches!(
                fit(&[sound, bad]),
                Err(FitError::Impossible { index: 1, .. })
            ));
        }
    }

    proptest! {
        #[test]
        fn any_profile_fits_soundly(
            rows in proptest::collection::vec(
                (1u32..8, 0u32..16, 1u32..2000, 1e-4..1e3f64, 0.0..0.99f64), 1..30)
        ) {
            let observations: Vec<Observation> = rows
                .into_iter()
                .map(|(nodes, more, m, step, share)| Observation {
                    nodes,
                    replicas: nodes + more,
                    m,
                    step,
                    sync: step * share,
                })
                .collect();
            let fitted = fit(&observations).expect("sound");
            prop_assert!(fitted.params.is_sound(), "{:?}", fitted);
            prop_assert!(fitted.loss.is_finite());
        }

        #[test]
        fn order_and_repetition_change_nothing(seed in 0usize..100) {
            let mut observations = observe(&TRUE, &grid());
            let before = loss(&TRUE, &observations).expect("sound");
            let half = seed % observations.len();
            observations.rotate_left(half);
            observations.extend(observations.clone());
            let after = loss(&TRUE, &observations).expect("sound");
            prop_assert!((before - after).abs() < 1e-9);
        }
    }
}
