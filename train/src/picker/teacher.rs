//! Formulas to imitate.

use switchyard::policies::picking::{Candidate, Moment};

/// A formula: the least score is next.
#[derive(Clone, Copy, Debug)]
pub enum Teacher {
    /// The time asked for, and so many seconds for each GPU.
    Sum(f64),
    /// The logarithm of a product of GPUs and the time's logarithm, as in F1 (Carastan-Santos and de
    /// Camargo, SC'17), less for having waited, other for who does not fit now. Its numbers were found
    /// by hill climbing over 100 sequences drawn from Lublin's model for least bounded slowdown.
    Product,
}

impl Teacher {
    /// What is tried.
    pub const ALL: [Self; 6] = [
        Self::Sum(0.0),
        Self::Sum(30.0),
        Self::Sum(100.0),
        Self::Sum(300.0),
        Self::Sum(1000.0),
        Self::Product,
    ];

    /// Of a waiting job.
    pub fn score(self, job: &Candidate, moment: Moment) -> f64 {
        let gpus = f64::from(job.gpus);
        match self {
            Self::Sum(weight) => job.seconds + weight * gpus,
            Self::Product => {
                let waited = moment.now - job.submit;
                let days = (waited / 43_200.0).min(1.0);
                let part = gpus / f64::from(moment.gpus);
                let time = (job.seconds + 0.668).ln();
                let lacks = f64::from(job.gpus.saturating_sub(moment.free));
                let misfit = match job.gpus > moment.free {
                    true => -0.102 + 0.237 * lacks / f64::from(moment.gpus) + 0.107 * time,
                    false => 0.0,
                };
                1.106 * (gpus + 0.294).ln() + 1.530 * time.ln()
                    - 0.198 * time
                    - 0.315 * part
                    - 0.047 * days
                    - 0.043 * (1.0 + waited / (job.seconds + 60.0)).ln()
                    - 0.305 * days * part
                    + misfit
            }
        }
    }
}
