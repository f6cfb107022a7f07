//! What queues deserve by the plugin `proportion`: rounds in which what is left is divided by weight among the queues that
//! still ask for more, each up to what it asks for and may have.
//!
//! In: what the cluster has, claims. Out: what each deserves. Source: `plugins/proportion/proportion.go`, when a session
//! opens.

use super::amounts::{is_empty, is_within};

/// A queue in which jobs are.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// Its weight.
    pub weight: f64,
    /// What its jobs have and ask for, by resource.
    pub request: &'a [f64],
    /// What it deserves at least.
    pub guarantee: &'a [f64],
    /// The most it may have.
    pub most: &'a [f64],
}

/// What claims deserve, one after the other, by resource: of `totals` that are divided among them.
pub fn divide(totals: &[f64], claims: &[Claim<'_>]) -> Vec<f64> {
    let resources = totals.len();
    let mut deserved = vec![0.0; resources * claims.len()];
    let mut open: Vec<usize> = (0..claims.len()).collect();
    let mut left = totals.to_vec();
    let (mut given, mut before) = (vec![0.0; resources], vec![0.0; resources]);
    loop {
        let weights = open.iter().map(|&at| claims[at].weight);
        let weights = weights.fold(0.0, |sum, weight| sum + weight);
        if weights <= 0.0 {
            break;
        }
        given.fill(0.0);
        open.retain(|&at| {
            let claim = &claims[at];
            let part = claim.weight / weights;
            let own = &mut deserved[resources * at..][..resources];
            let mut has_changed = false;
            for of in 0..resources {
                // Of what is not limited, and of no weight, nothing.
                let share = own[of] + if part > 0.0 { left[of] * part } else { 0.0 };
                let wanted = share.min(claim.most[of]).min(claim.request[of]);
                let after = wanted.max(claim.guarantee[of]);
                has_changed |= after != own[of];
                given[of] += after - own[of];
                own[of] = after;
            }
            has_changed && !is_within(claim.request, own)
        });
        before.copy_from_slice(&left);
        for of in 0..resources {
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

    /// Weight, request, guarantee and the most.
    fn claim(weight: f64, request: f64, guarantee: f64, most: f64) -> [f64; 4] {
        [weight, request, guarantee, most]
    }

    fn divided(total: f64, claims: &[[f64; 4]]) -> Vec<f64> {
        let claims = claims.iter().map(|of| Claim {
            weight: of[0],
            request: &of[1..2],
            guarantee: &of[2..3],
            most: &of[3..4],
        });
        divide(&[total], &claims.collect::<Vec<_>>())
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
