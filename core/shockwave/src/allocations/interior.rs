//! The interior-point method of ECOS (Domahidi, Chu & Boyd, ECC'13) for the linear programs of schedulers: maximise
//! `Σ value · x` over shares with `Σ gang · x ≤ GPUs`, and a few bounds on each share; or a level that all have to reach.
//!
//! The original asks that solver, which stops a little before the optimum. Shares that the optimum has at 0 are then
//! tiny numbers, by which the replay orders jobs. So what counts is the path to the optimum, not the optimum: steps,
//! centring, scaling of rows and columns and the criterion to stop are that solver's. Only GPUs and the level couple jobs,
//! so each step is a diagonal system with two more rows.
//!
//! Notation is the paper's: minimise `cᵀx` with `Gx + s = h` and `s ≥ 0`; `z` are the multipliers of rows, `tau` and
//! `kappa` those of the homogeneous embedding.

/// A step goes so far of the way to where a variable would be 0.
const STEP: f64 = 0.99;

/// The shortest and the longest way that is looked along.
const WAY: (f64, f64) = (1e-6, 0.999);

/// The least centring.
const LEAST_CENTRING: f64 = 1e-4;

/// What residuals and the gap have to be below.
const CLOSE: f64 = 1e-8;

/// So many steps at most.
const STEPS: usize = 100;

/// How often rows and columns are scaled.
const SCALINGS: usize = 3;

/// A norm below this is left alone.
const NO_NORM: f64 = 1e-6;

/// How often the solution of a linear system is refined at most, and what residuals may be, in relation to its right side.
const REFINEMENTS: usize = 9;
const ACCURACY: f64 = 1e-14;

/// Residuals that do not get so many times smaller are not refined further.
const NEARER: f64 = 6.0;

/// One bound on each share: `factor · x + level · L ≤ limit`, with the same level `L` for all.
pub(super) struct Bounds {
    pub(super) factors: Vec<f64>,
    pub(super) level: f64,
    pub(super) limits: Vec<f64>,
}

/// Shares from 0 to 1.
pub(super) fn from_0_to_1(jobs: usize) -> [Bounds; 2] {
    [(-1.0, 0.0), (1.0, 1.0)].map(|(factor, limit)| Bounds {
        factors: vec![factor; jobs],
        level: 0.0,
        limits: vec![limit; jobs],
    })
}

/// What is maximised: the sum of values of shares, and what the level is worth.
pub(super) struct Objective {
    pub(super) values: Vec<f64>,
    pub(super) level: f64,
}

/// The shares at which the solver stops.
pub(super) fn shares(
    objective: &Objective,
    gangs: &[f64],
    gpus: f64,
    bounds: &[Bounds],
) -> Vec<f64> {
    let (program, columns) = Program::scaled(objective, gangs, gpus, bounds);
    let (x, tau) = program.solved();
    // Numbers beyond all measure may come to nothing.
    let share = |(x, column): (&f64, &f64)| match x / (column * tau) {
        share if share.is_finite() => share.clamp(0.0, 1.0),
        _ => 0.0,
    };
    let jobs = gangs.len();
    x[..jobs].iter().zip(&columns).map(share).collect()
}

/// Scaled. The rows of `G` are those of bounds, one set after the other, and the one of GPUs. Its columns are those of
/// jobs and the one of the level.
struct Program {
    c: Vec<f64>,
    h: Vec<f64>,
    /// What rows of bounds have in the column of their job, and in that of the level.
    bounds: Vec<f64>,
    level: Vec<f64>,
    gangs: Vec<f64>,
}

/// A point on the path.
struct Point {
    x: Vec<f64>,
    s: Vec<f64>,
    z: Vec<f64>,
    tau: f64,
    kappa: f64,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    libm::sqrt(dot(a, a))
}

/// The largest of absolute values.
fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |largest, a| a.abs().max(largest))
}

/// A vector of what a function makes of two.
fn each(a: &[f64], b: &[f64], of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    a.iter().zip(b).map(|(&a, &b)| of(a, b)).collect()
}

/// `a + factor · b`.
fn plus(a: &[f64], factor: f64, b: &[f64]) -> Vec<f64> {
    each(a, b, |a, b| a + factor * b)
}

/// A point within the cone near another one.
fn within(r: &[f64]) -> Vec<f64> {
    let beyond = r.iter().filter(|&&r| r <= 0.0).map(|r| -r);
    let away = 1.0 + beyond.fold(-STEP, f64::max);
    r.iter().map(|r| r + away).collect()
}

impl Program {
    /// With rows and columns scaled by the roots of their largest entries; and by how much columns are.
    fn scaled(
        objective: &Objective,
        gangs: &[f64],
        gpus: f64,
        bounds: &[Bounds],
    ) -> (Self, Vec<f64>) {
        let jobs = gangs.len();
        let factors = bounds.iter().flat_map(|bounds| &bounds.factors);
        let limits = bounds.iter().flat_map(|bounds| &bounds.limits);
        let levels = bounds.iter().flat_map(|bounds| vec![bounds.level; jobs]);
        let worth = objective.values.iter().chain([&objective.level]);
        let mut program = Self {
            c: worth.map(|worth| -worth).collect(),
            h: limits.copied().chain([gpus]).collect(),
            bounds: factors.copied().collect(),
            level: levels.collect(),
            gangs: gangs.to_vec(),
        };
        let root = |norm: f64| match norm < NO_NORM {
            true => 1.0,
            false => libm::sqrt(norm),
        };
        let mut columns = vec![1.0; jobs + 1];
        for _ in 0..SCALINGS {
            let mut by: Vec<f64> = program.gangs.iter().copied().chain([0.0]).collect();
            for (at, (factor, level)) in program.bounds.iter().zip(&program.level).enumerate() {
                by[at % jobs] = factor.abs().max(by[at % jobs]);
                by[jobs] = level.abs().max(by[jobs]);
            }
            let by: Vec<f64> = by.into_iter().map(root).collect();
            let row_of_gpus = root(program.gangs.iter().copied().fold(0.0, f64::max));
            let rows = program.bounds.iter_mut().zip(&mut program.level);
            for (at, (factor, level)) in rows.enumerate() {
                let row = root(factor.abs().max(level.abs()));
                *factor /= row * by[at % jobs];
                *level /= row * by[jobs];
                program.h[at] /= row;
            }
            if let Some(gpus) = program.h.last_mut() {
                *gpus /= row_of_gpus;
            }
            program.gangs = each(&program.gangs, &by, |gang, by| gang / (row_of_gpus * by));
            columns = each(&columns, &by, |column, by| column * by);
        }
        program.c = each(&program.c, &columns, |c, column| c / column);
        (program, columns)
    }

    fn jobs(&self) -> usize {
        self.gangs.len()
    }

    /// `Gx`.
    fn rows(&self, x: &[f64]) -> Vec<f64> {
        let jobs = self.jobs();
        let of_bounds = self.bounds.iter().zip(&self.level).enumerate();
        let of_bounds =
            of_bounds.map(|(at, (factor, level))| factor * x[at % jobs] + level * x[jobs]);
        of_bounds.chain([dot(&self.gangs, x)]).collect()
    }

    /// `Gᵀz`.
    fn columns(&self, z: &[f64]) -> Vec<f64> {
        let of_gpus = z[self.bounds.len()];
        let of_jobs = self.gangs.iter().map(|gang| gang * of_gpus);
        let mut columns: Vec<f64> = of_jobs.chain([dot(&self.level, z)]).collect();
        for (at, (factor, z)) in self.bounds.iter().zip(z).enumerate() {
            columns[at % self.gangs.len()] += factor * z;
        }
        columns
    }

    /// Solves `Gᵀz = a` and `Gx − w²z = b`, refined as long as that brings residuals much nearer to 0.
    fn solve(&self, w2: &[f64], a: &[f64], b: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut best = self.solve_once(w2, a, b);
        let residuals = |(x, z): &(Vec<f64>, Vec<f64>)| {
            let rows = plus(&self.rows(x), -1.0, &each(w2, z, |w2, z| w2 * z));
            let (of_a, of_b) = (plus(a, -1.0, &self.columns(z)), plus(b, -1.0, &rows));
            (largest(&of_a).max(largest(&of_b)), of_a, of_b)
        };
        let enough = ACCURACY * (1.0 + largest(a).max(largest(b)));
        let (mut off, mut of_a, mut of_b) = residuals(&best);
        for _ in 0..REFINEMENTS {
            if off < enough {
                break;
            }
            let (dx, dz) = self.solve_once(w2, &of_a, &of_b);
            let next = (plus(&best.0, 1.0, &dx), plus(&best.1, 1.0, &dz));
            let before = off;
            (off, of_a, of_b) = residuals(&next);
            if off < before {
                best = next;
            }
            if before < NEARER * off {
                break;
            }
        }
        best
    }

    /// Without the level `Gᵀw⁻²G` is a diagonal and what gangs add, of rank one (Sherman & Morrison). The level is
    /// eliminated before.
    fn solve_once(&self, w2: &[f64], a: &[f64], b: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let jobs = self.jobs();
        let mut diagonal = vec![0.0; jobs];
        let mut beside = vec![0.0; jobs];
        let mut corner = 0.0;
        for (at, (factor, level)) in self.bounds.iter().zip(&self.level).enumerate() {
            diagonal[at % jobs] += factor * factor / w2[at];
            beside[at % jobs] += factor * level / w2[at];
            corner += level * level / w2[at];
        }
        let right = plus(a, 1.0, &self.columns(&each(b, w2, |b, w2| b / w2)));
        let u = each(&self.gangs, &diagonal, |gang, diagonal| gang / diagonal);
        let of_gpus = 1.0 / w2[self.bounds.len()];
        let scale = of_gpus / (1.0 + of_gpus * dot(&self.gangs, &u));
        let without_level = |right: &[f64]| {
            let y = each(&diagonal, right, |diagonal, right| right / diagonal);
            plus(&y, -scale * dot(&self.gangs, &y), &u)
        };
        let mut x = without_level(&right);
        let by_level = without_level(&beside);
        let corner = corner - dot(&beside, &by_level);
        let level = match corner > 0.0 {
            true => (right[jobs] - dot(&beside, &x)) / corner,
            false => 0.0,
        };
        x = plus(&x, -level, &by_level);
        x.push(level);
        let z = each(&plus(&self.rows(&x), -1.0, b), w2, |row, w2| row / w2);
        (x, z)
    }

    /// Where it stops, and the embedding's scale there.
    fn solved(&self) -> (Vec<f64>, f64) {
        let mut point = self.first();
        for _ in 0..STEPS {
            let Some(next) = self.next(&point) else {
                break;
            };
            point = next;
        }
        (point.x, point.tau)
    }

    /// Least squares for rows, and for their multipliers.
    fn first(&self) -> Point {
        let ones = vec![1.0; self.h.len()];
        let (x, z) = self.solve(&ones, &vec![0.0; self.c.len()], &self.h);
        let s = within(&z.iter().map(|z| -z).collect::<Vec<_>>());
        let down: Vec<f64> = self.c.iter().map(|c| -c).collect();
        let (_, z) = self.solve(&ones, &down, &vec![0.0; self.h.len()]);
        Point {
            x,
            s,
            z: within(&z),
            tau: 1.0,
            kappa: 1.0,
        }
    }

    /// The next point, by Mehrotra's predictor and corrector. Nothing where it is close enough.
    fn next(&self, point: &Point) -> Option<Point> {
        let Point {
            x,
            s,
            z,
            tau,
            kappa,
        } = point;
        let (tau, kappa) = (*tau, *kappa);
        let down: Vec<f64> = self.c.iter().map(|c| -c).collect();
        let rx = plus(
            &self.columns(z).iter().map(|of| -of).collect::<Vec<_>>(),
            tau,
            &down,
        );
        let rz = plus(&plus(s, 1.0, &self.rows(x)), -tau, &self.h);
        let (cx, hz) = (dot(&self.c, x), dot(&self.h, z));
        let gap = dot(s, z);
        if self.is_close(point, norm(&rx), norm(&rz), (cx, hz, gap)) {
            return None;
        }
        let rt = kappa + cx + hz;
        let mu = (gap + kappa * tau) / (self.h.len() + 1) as f64;
        let w2 = each(s, z, |s, z| s / z);
        let w = each(s, z, |s, z| libm::sqrt(s / z));
        let lambda = each(s, z, |s, z| libm::sqrt(s * z));
        let of_c = self.solve(&w2, &down, &self.h);
        let along = |of: &(Vec<f64>, Vec<f64>)| dot(&self.c, &of.0) + dot(&self.h, &of.1);
        let scale = kappa / tau - along(&of_c);
        // How far one can go until something is 0.
        let way = |ds: &[f64], dz: &[f64], dtau: f64, dkappa: f64| {
            let steepest = |of: &[f64]| {
                each(of, &lambda, |of, lambda| of / lambda)
                    .into_iter()
                    .fold(f64::INFINITY, f64::min)
            };
            let cone = [steepest(ds), steepest(dz), dtau / tau, dkappa / kappa];
            let steepest = cone.into_iter().fold(0.0, f64::min);
            (-1.0 / steepest).clamp(WAY.0, WAY.1)
        };
        let predicted = self.solve(&w2, &rx, &plus(s, -1.0, &rz));
        let dtau = (rt - kappa + along(&predicted)) / scale;
        let dz = each(&w, &plus(&predicted.1, dtau, &of_c.1), |w, dz| w * dz);
        let ds = each(&dz, &lambda, |dz, lambda| -dz - lambda);
        let dkappa = -kappa - kappa / tau * dtau;
        let rest = 1.0 - way(&ds, &dz, dtau, dkappa);
        let centring = (rest * rest * rest).clamp(LEAST_CENTRING, 1.0);
        let second = each(&ds, &dz, |ds, dz| ds * dz - centring * mu);
        let off = each(&lambda, &second, |lambda, second| lambda + second / lambda);
        let off_kappa = kappa * tau + dkappa * dtau - centring * mu;
        let less = 1.0 - centring;
        let right: Vec<f64> = rx.iter().map(|rx| less * rx).collect();
        let corrected = self.solve(
            &w2,
            &right,
            &plus(&each(&w, &off, |w, off| w * off), -less, &rz),
        );
        let dtau = (less * rt - off_kappa / tau + along(&corrected)) / scale;
        let dx = plus(&corrected.0, dtau, &of_c.0);
        let dz = plus(&corrected.1, dtau, &of_c.1);
        let scaled = each(&w, &dz, |w, dz| w * dz);
        let ds = each(&off, &scaled, |off, dz| -(off + dz));
        let dkappa = -(off_kappa + kappa * dtau) / tau;
        let step = STEP * way(&ds, &scaled, dtau, dkappa);
        Some(Point {
            x: plus(x, step, &dx),
            s: plus(s, step, &each(&w, &ds, |w, ds| w * ds)),
            z: plus(z, step, &dz),
            tau: tau + step * dtau,
            kappa: kappa + step * dkappa,
        })
    }

    /// Whether residuals and the gap are small, absolutely or in relation to the objective.
    fn is_close(&self, point: &Point, rx: f64, rz: f64, (cx, hz, gap): (f64, f64, f64)) -> bool {
        let primal = rz / (norm(&self.h).max(1.0) + norm(&point.x) + norm(&point.s)) / point.tau;
        let dual = rx / (norm(&self.c).max(1.0) + norm(&point.z)) / point.tau;
        let relative = match (cx < 0.0, hz < 0.0) {
            (true, _) => gap * point.tau / -cx,
            (false, true) => gap * point.tau / -hz,
            _ => f64::INFINITY,
        };
        let is_there = cx < 0.0 || hz <= CLOSE;
        is_there && primal < CLOSE && dual < CLOSE && gap.min(relative) < CLOSE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[f64]) -> Objective {
        Objective {
            values: values.to_vec(),
            level: 0.0,
        }
    }

    #[test]
    fn equals_share_equally_what_the_best_leave() {
        let (values, gangs) = ([9.0, 4.0, 4.0, 4.0, 1.0], [1.0, 2.0, 2.0, 2.0, 1.0]);
        let x = shares(&of(&values), &gangs, 4.0, &from_0_to_1(5));
        let expected = [1.0, 0.5, 0.5, 0.5, 0.0];
        let mut pairs = x.iter().zip(expected);
        assert!(pairs.all(|(x, want)| (x - want).abs() < 1e-6), "{x:?}");
        assert!(x[1] == x[2] && x[2] == x[3]);
    }

    #[test]
    fn without_an_objective_it_goes_to_the_middle() {
        let bounds = from_0_to_1(2);
        let x = shares(&of(&[0.0, 0.0]), &[1.0, 1.0], 2.0, &bounds);
        assert!(x[0] == x[1] && x[0] > 0.1 && x[0] < 0.9, "{x:?}");
    }

    proptest! {
        /// Against the knapsack's own rule: the most valuable per GPU first.
        #[test]
        fn the_objective_is_the_best(
            jobs in prop::collection::vec((1..200u32, 0..3u32), 1..40), gpus in 1..40u32
        ) {
            let values: Vec<f64> = jobs.iter().map(|(value, _)| f64::from(*value)).collect();
            let gangs: Vec<f64> = jobs.iter().map(|(_, gang)| f64::from(1 << gang)).collect();
            let x = shares(&of(&values), &gangs, f64::from(gpus), &from_0_to_1(jobs.len()));
            prop_assert!(x.iter().all(|x| (0.0..=1.0).contains(x)));
            prop_assert!(dot(&gangs, &x) <= f64::from(gpus) * (1.0 + 1e-6));
            let mut order: Vec<usize> = (0..jobs.len()).collect();
            order.sort_by(|&a, &b| {
                let worth = |job: usize| values[job] / gangs[job];
                worth(b).partial_cmp(&worth(a)).expect("a number")
            });
            let (mut left, mut best) = (f64::from(gpus), 0.0);
            for job in order {
                let part = (left / gangs[job]).min(1.0);
                left -= part * gangs[job];
                best += part * values[job];
            }
            let found = dot(&values, &x);
            prop_assert!((found / best - 1.0).abs() < 1e-6, "{found} {best}");
        }
    }
}
