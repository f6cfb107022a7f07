//! What queues deserve by the plugin `proportion`: rounds in which what is left is divided by weight among the queues that
//! still ask for more, each up to what it asks for and may have.
//!
//! In: what the cluster has, claims. Out: what each deserves. Source: `plugins/proportion/proportion.go`, when a session
//! opens.

use super::amounts::{is_empty, is_within};

/// A queue in which jobs are.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its weight.
    pub weight: f64,
    /// What its jobs have and ask for, by resource.
    pub request: Vec<f64>,
    /// What it deserves at least.
    pub guarantee: Vec<f64>,
    /// The most it may have.
    pub most: Vec<f64>,
}

/// Divides `totals` among claims.
pub fn divide(totals: &[f64], claims: &[Claim]) -> Vec<Vec<f64>> {
    let mut deserved = vec![vec![0.0; totals.len()]; claims.len()];
    let mut is_met = vec![false; claims.len()];
    let mut left = totals.to_vec();
    loop {
        let open = claims.iter().zip(&is_met).filter(|(_, met)| !**met);
        let weights = open.fold(0.0, |sum, (claim, _)| sum + claim.weight);
        if weights <= 0.0 {
            break;
        }
        let mut given = vec![0.0; totals.len()];
        for (at, claim) in claims.iter().enumerate() {
            if is_met[at] {
                continue;
            }
            let part = claim.weight / weights;
            let before = std::mem::take(&mut deserved[at]);
            let after: Vec<f64> = (0..totals.len())
                .map(|of| {
                    // Of what is not limited, and of no weight, nothing.
                    let share = before[of] + if part > 0.0 { left[of] * part } else { 0.0 };
                    let wanted = share.min(claim.most[of]).min(claim.request[of]);
                    wanted.max(claim.guarantee[of])
                })
                .collect();
            is_met[at] = is_within(&claim.request, &after) || after == before;
            for of in 0..totals.len() {
                given[of] += after[of] - before[of];
            }
            deserved[at] = after;
        }
        let before = left.clone();
        for of in 0..totals.len() {
            left[of] = (left[of] - given[of]).max(0.0);
        }
        if is_empty(&left) || left == before {
            break;
        }
    }
    deserved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(weight: f64, request: f64, guarantee: f64, most: f64) -> Claim {
        Claim {
            weight,
            request: vec![request],
            guarantee: vec![guarantee],
            most: vec![most],
        }
    }

    fn divided(total: f64, claims: &[Claim]) -> Vec<f64> {
        let divided = divide(&[total], claims);
        divided.into_iter().map(|of| of[0]).collect()
    }

    /// 12 by weights 1, 1, 2 is 3, 3, 6. The second asks for 1: its other 2 go to the others as 1 to 2.
    #[test]
    fn what_one_does_not_ask_for_is_divided_by_weight_among_the_others() {
        let claims = [
            claim(1.0, 20.0, 0.0, f64::INFINITY),
            claim(1.0, 1.0, 0.0, f64::INFINITY),
            claim(2.0, 20.0, 0.0, f64::INFINITY),
        ];
        let shares = divided(12.0, &claims);
        let expected = [3.0 + 2.0 / 3.0, 1.0, 6.0 + 4.0 / 3.0];
        for (share, expected) in shares.iter().zip(expected) {
            assert!((share - expected).abs() < 1e-9, "{shares:?}");
        }
    }

    #[test]
    fn a_queue_deserves_what_is_guaranteed_and_no_more_than_it_may_have() {
        let claims = [
            claim(1.0, 20.0, 0.0, 2.0),
            claim(1.0, 0.0, 4.0, f64::INFINITY),
            claim(1.0, 20.0, 0.0, f64::INFINITY),
        ];
        assert_eq!(divided(12.0, &claims), [2.0, 4.0, 6.0]);
    }

    #[test]
    fn all_get_what_they_ask_for_where_there_is_enough() {
        let claims = [
            claim(1.0, 5.0, 0.0, f64::INFINITY),
            claim(9.0, 2.0, 0.0, f64::INFINITY),
        ];
        assert_eq!(divided(12.0, &claims), [5.0, 2.0]);
        assert_eq!(divided(12.0, &[]), [0.0; 0]);
    }
}
