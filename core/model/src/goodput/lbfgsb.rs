//! Minimising a smooth function of a few variables within bounds: L-BFGS-B.
//!
//! Byrd, Lu, Nocedal and Zhu (1995): a quasi-Newton model, its generalised Cauchy point along the
//! projected gradient, the model's minimum over the variables that are still free there, and a
//! line search in between. Two things are made for this engine. The Hessian is kept as a matrix:
//! with N = 7 variables, a limited memory of ten pairs would be the larger of the two. And the line
//! search is the bisection for the weak Wolfe conditions (Lewis and Overton, 2013), which copes
//! with the kink that a root-mean-square error has at zero.
//!
//! Why our own: of the crates at hand, `lbfgsb` and `rustimization` wrap C and Fortran, and the
//! pure-Rust ones (`lbfgsb-rs-pure` 0.1, `rcompat-lbfgsb` 0.3) are young, allocate in every
//! iteration and can panic. This has no heap, no panics and no function beyond `sqrt`, so it is the
//! same bit for bit everywhere.

/// Where a minimisation ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Minimum<const N: usize> {
    pub(super) x: [f64; N],
    pub(super) f: f64,
    /// How often the function was evaluated.
    pub(super) evaluations: u32,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    /// The projected gradient's largest entry is below this.
    pub(super) gradient: f64,
    /// A step gains less than this, relative to max(|f|, 1).
    pub(super) gain: f64,
    pub(super) evaluations: u32,
}

type Matrix<const N: usize> = [[f64; N]; N];

/// Minimises `f`, which returns its value and writes its gradient, from `start` within
/// `lower..=upper`; equal bounds fix a variable. Where `f` is not finite it is taken as too large.
pub(super) fn minimise<const N: usize>(
    start: [f64; N],
    lower: &[f64; N],
    upper: &[f64; N],
    stop: Stop,
    mut f: impl FnMut(&[f64; N], &mut [f64; N]) -> f64,
) -> Minimum<N> {
    let mut x = start;
    for i in 0..N {
        x[i] = clamp(x[i], lower[i], upper[i]);
    }
    let mut gradient = [0.0; N];
    let mut value = f(&x, &mut gradient);
    let mut evaluations = 1;
    let mut hessian = identity(1.0);
    let mut fresh = true;
    while evaluations < stop.evaluations {
        let steepest = (0..N)
            .map(|i| (clamp(x[i] - gradient[i], lower[i], upper[i]) - x[i]).abs())
            .fold(0.0, |a, b| if b > a { b } else { a });
        if steepest <= stop.gradient {
            break;
        }
        let target = model_minimum(&x, &gradient, &hessian, lower, upper);
        let direction: [f64; N] = std::array::from_fn(|i| target[i] - x[i]);
        let slope = dot(&gradient, &direction);
        if slope >= 0.0 || !slope.is_finite() {
            if fresh {
                break;
            }
            hessian = identity(1.0);
            fresh = true;
            continue;
        }
        // How far the line may go before it leaves the bounds.
        let mut longest = f64::INFINITY;
        for i in 0..N {
            let d = direction[i];
            let room = if d > 0.0 {
                (upper[i] - x[i]) / d
            } else if d < 0.0 {
                (lower[i] - x[i]) / d
            } else {
                f64::INFINITY
            };
            if room < longest {
                longest = room;
            }
        }
        let longest = if longest < 1.0 { 1.0 } else { longest };
        // Without curvature the model's length means nothing: begin with a step of length 1.
        let mut step = 1.0;
        if fresh {
            let length = libm::sqrt(dot(&direction, &direction));
            if length > 1.0 {
                step = 1.0 / length;
            }
        }
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut found: Option<([f64; N], [f64; N], f64)> = None;
        for _ in 0..30 {
            let trial: [f64; N] =
                std::array::from_fn(|i| clamp(x[i] + step * direction[i], lower[i], upper[i]));
            let mut there = [0.0; N];
            let v = f(&trial, &mut there);
            evaluations += 1;
            let decreases = v.is_finite() && v <= value + 1e-4 * step * slope;
            if decreases {
                found = Some((trial, there, v));
                if dot(&there, &direction) >= 0.9 * slope || step >= longest {
                    break;
                }
                low = step;
            } else {
                high = step;
            }
            step = if high.is_finite() {
                0.5 * (low + high)
            } else {
                2.0 * low
            };
            if step > longest {
                step = longest;
            }
            if evaluations >= stop.evaluations {
                break;
            }
        }
        let Some((next, there, v)) = found else {
            if fresh {
                break;
            }
            hessian = identity(1.0);
            fresh = true;
            continue;
        };
        let s: [f64; N] = std::array::from_fn(|i| next[i] - x[i]);
        let y: [f64; N] = std::array::from_fn(|i| there[i] - gradient[i]);
        update(&mut hessian, &s, &y, fresh);
        fresh = false;
        let gain = value - v;
        let size = if v.abs() > 1.0 { v.abs() } else { 1.0 };
        (x, gradient, value) = (next, there, v);
        if gain <= stop.gain * size {
            break;
        }
    }
    Minimum {
        x,
        f: value,
        evaluations,
    }
}

/// The minimum of the quadratic model: the generalised Cauchy point, then the free variables'.
fn model_minimum<const N: usize>(
    x: &[f64; N],
    gradient: &[f64; N],
    hessian: &Matrix<N>,
    lower: &[f64; N],
    upper: &[f64; N],
) -> [f64; N] {
    // When each variable meets its bound on the way along the projected gradient.
    let breaks: [f64; N] = std::array::from_fn(|i| {
        let g = gradient[i];
        if g < 0.0 {
            (x[i] - upper[i]) / g
        } else if g > 0.0 {
            (x[i] - lower[i]) / g
        } else {
            f64::INFINITY
        }
    });
    let mut free: [bool; N] = std::array::from_fn(|i| breaks[i] > 0.0);
    let mut direction: [f64; N] = std::array::from_fn(|i| if free[i] { -gradient[i] } else { 0.0 });
    let mut moved = [0.0; N];
    let mut now = 0.0;
    loop {
        let curved = multiply(hessian, &direction);
        let slope = dot(gradient, &direction) + dot(&curved, &moved);
        let curvature = dot(&curved, &direction);
        if slope >= 0.0 {
            break;
        }
        let ideal = if curvature > 0.0 {
            -slope / curvature
        } else {
            f64::INFINITY
        };
        let mut next = f64::INFINITY;
        for i in 0..N {
            if free[i] && breaks[i] < next {
                next = breaks[i];
            }
        }
        let span = next - now;
        if ideal < span || !span.is_finite() {
            if ideal.is_finite() {
                for i in 0..N {
                    moved[i] += ideal * direction[i];
                }
            }
            break;
        }
        for i in 0..N {
            moved[i] += span * direction[i];
            if free[i] && breaks[i] <= next {
                let bound = if gradient[i] < 0.0 {
                    upper[i]
                } else {
                    lower[i]
                };
                moved[i] = bound - x[i];
                free[i] = false;
                direction[i] = 0.0;
            }
        }
        now = next;
    }
    let cauchy: [f64; N] = std::array::from_fn(|i| x[i] + moved[i]);
    for i in 0..N {
        free[i] = cauchy[i] > lower[i] && cauchy[i] < upper[i];
    }
    let curved = multiply(hessian, &moved);
    let residual: [f64; N] = std::array::from_fn(|i| {
        if free[i] {
            -(gradient[i] + curved[i])
        } else {
            0.0
        }
    });
    let Some(newton) = solve(hessian, &free, &residual) else {
        return cauchy;
    };
    // Shorten the step until it is within the bounds.
    let mut share = 1.0;
    for i in 0..N {
        let d = newton[i];
        let room = if !free[i] || d == 0.0 {
            continue;
        } else if d > 0.0 {
            (upper[i] - cauchy[i]) / d
        } else {
            (lower[i] - cauchy[i]) / d
        };
        if room < share {
            share = room;
        }
    }
    std::array::from_fn(|i| clamp(cauchy[i] + share * newton[i], lower[i], upper[i]))
}

/// The BFGS update, where the curvature along the step is positive.
fn update<const N: usize>(hessian: &mut Matrix<N>, s: &[f64; N], y: &[f64; N], fresh: bool) {
    let (sy, yy) = (dot(s, y), dot(y, y));
    if sy <= 2.2e-16 * yy || sy <= 0.0 {
        return;
    }
    if fresh {
        *hessian = identity(yy / sy);
    }
    let hs = multiply(hessian, s);
    let shs = dot(s, &hs);
    if shs <= 0.0 {
        return;
    }
    for i in 0..N {
        for j in 0..N {
            hessian[i][j] += y[i] * y[j] / sy - hs[i] * hs[j] / shs;
        }
    }
}

/// Solves the free variables' part of `a·x = b` by Cholesky; 0 for the others. `None` where the
/// matrix is not positive definite.
fn solve<const N: usize>(a: &Matrix<N>, free: &[bool; N], b: &[f64; N]) -> Option<[f64; N]> {
    let mut l = [[0.0; N]; N];
    for i in 0..N {
        if !free[i] {
            continue;
        }
        for j in 0..=i {
            if !free[j] {
                continue;
            }
            let known = l[i].iter().zip(&l[j]).take(j);
            let sum = a[i][j] - known.map(|(a, b)| a * b).sum::<f64>();
            if i == j {
                if sum <= 0.0 || !sum.is_finite() {
                    return None;
                }
                l[i][i] = libm::sqrt(sum);
            } else {
                l[i][j] = sum / l[j][j];
            }
        }
    }
    let mut x = [0.0; N];
    for i in 0..N {
        if free[i] {
            let mut sum = b[i];
            for (l, x) in l[i].iter().zip(&x).take(i) {
                sum -= l * x;
            }
            x[i] = sum / l[i][i];
        }
    }
    for i in (0..N).rev() {
        if free[i] {
            let mut sum = x[i];
            for (row, x) in l.iter().zip(&x).skip(i + 1) {
                sum -= row[i] * x;
            }
            x[i] = sum / l[i][i];
        }
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}

fn multiply<const N: usize>(a: &Matrix<N>, x: &[f64; N]) -> [f64; N] {
    std::array::from_fn(|i| dot(&a[i], x))
}

fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    let mut sum = 0.0;
    for i in 0..N {
        sum += a[i] * b[i];
    }
    sum
}

fn identity<const N: usize>(scale: f64) -> Matrix<N> {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { scale } else { 0.0 }))
}

fn clamp(x: f64, lower: f64, upper: f64) -> f64 {
    if x < lower {
        lower
    } else if x > upper {
        upper
    } else {
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STOP: Stop = Stop {
        gradient: 1e-9,
        gain: 0.0,
        evaluations: 2000,
    };

    const FREE: ([f64; 2], [f64; 2]) = ([f64::NEG_INFINITY; 2], [f64::INFINITY; 2]);

    fn rosenbrock(x: &[f64; 2], g: &mut [f64; 2]) -> f64 {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        *g = [-2.0 * a - 400.0 * x[0] * b, 200.0 * b];
        a * a + 100.0 * b * b
    }

    #[test]
    fn a_curved_valley() {
        let found = minimise([-1.2, 1.0], &FREE.0, &FREE.1, STOP, rosenbrock);
        assert!((found.x[0] - 1.0).abs() < 1e-6 && (found.x[1] - 1.0).abs() < 1e-6);
        assert!(found.evaluations < 120, "{}", found.evaluations);
    }

    #[test]
    fn the_valley_with_a_wall() {
        // On x ≤ 0.5 the minimum is at (0.5, 0.25); with y ≥ 1 besides, at (0.5, 1)...
        let upper = [0.5, f64::INFINITY];
        let found = minimise([-1.2, 1.0], &FREE.0, &upper, STOP, rosenbrock);
        assert!(found.x[0] == 0.5 && (found.x[1] - 0.25).abs() < 1e-7);
        // ...or rather at the other root of 2(x − 1) + 400x(x² − 1) = 0, near x = −1.
        let lower = [f64::NEG_INFINITY, 1.0];
        let found = minimise([-1.2, 1.0], &lower, &upper, STOP, rosenbrock);
        assert_eq!(found.x[1], 1.0);
        assert!((found.f - 3.99).abs() < 0.02, "{found:?}");
    }

    #[test]
    fn fixed_variables_stay_and_the_start_is_moved_inside() {
        let bowl = |x: &[f64; 2], g: &mut [f64; 2]| {
            *g = [2.0 * (x[0] - 3.0), 2.0 * (x[1] - 4.0)];
            (x[0] - 3.0) * (x[0] - 3.0) + (x[1] - 4.0) * (x[1] - 4.0)
        };
        let found = minimise([9.0, 9.0], &[0.0, 1.0], &[10.0, 1.0], STOP, bowl);
        assert!((found.x[0] - 3.0).abs() < 1e-8);
        assert_eq!(found.x[1], 1.0);
    }

    #[test]
    fn a_kink_is_no_trap() {
        let cone = |x: &[f64; 2], g: &mut [f64; 2]| {
            let r = libm::sqrt(x[0] * x[0] + 25.0 * x[1] * x[1]);
            *g = if r > 0.0 {
                [x[0] / r, 25.0 * x[1] / r]
            } else {
                [0.0; 2]
            };
            r
        };
        let found = minimise([3.0, 2.0], &FREE.0, &FREE.1, STOP, cone);
        assert!(found.f < 1e-6, "{found:?}");
    }

    #[test]
    fn what_is_not_finite_is_avoided() {
        let log = |x: &[f64; 2], g: &mut [f64; 2]| {
            *g = [1.0 - 1.0 / x[0], 2.0 * x[1]];
            x[0] - libm::log(x[0]) + x[1] * x[1]
        };
        let found = minimise([0.01, 1.0], &FREE.0, &FREE.1, STOP, log);
        assert!((found.x[0] - 1.0).abs() < 1e-6, "{found:?}");
        let nothing = minimise([1.0, 1.0], &FREE.0, &FREE.1, STOP, |_, _| f64::NAN);
        assert_eq!(nothing.x, [1.0, 1.0]);
    }
}
