//! Step functions over time in equal stretches.

/// What a step function does within a stretch of time.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// The least value.
    pub least: f64,
    /// The greatest one.
    pub most: f64,
    /// How much of the stretch it is known for, seconds.
    pub covered: f64,
    /// Its integral over that.
    pub area: f64,
}

/// A function that takes `values(i)` from `times[i]` on, up to `end`, in stretches of `width` seconds from
/// `begin` on, without an end.
pub fn stretches(
    times: &[f64],
    values: impl Fn(usize) -> f64,
    begin: f64,
    width: f64,
    end: f64,
) -> impl Iterator<Item = Stretch> {
    let until = move |i: usize| times.get(i + 1).copied().unwrap_or(end).min(end);
    let mut i = times
        .partition_point(|&time| time <= begin)
        .saturating_sub(1);
    (0u32..).map(move |at| {
        let edge = |at: f64| begin + at * width;
        let (from, to) = (edge(f64::from(at)), edge(f64::from(at) + 1.0));
        let mut stretch = Stretch {
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
            covered: 0.0,
            area: 0.0,
        };
        while i < times.len() && times[i] < to {
            let held = until(i).min(to) - times[i].max(from);
            let value = values(i);
            stretch.area += value * held;
            stretch.covered += held;
            stretch.least = stretch.least.min(value);
            stretch.most = stretch.most.max(value);
            // The last value of a stretch goes on in the next one.
            if until(i) > to {
                break;
            }
            i += 1;
        }
        stretch
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_keep_peaks_and_means() {
        let (times, values) = ([0.0, 5.0, 6.0, 25.0], [2.0, 10.0, 4.0, 0.0]);
        let all: Vec<Stretch> = stretches(&times, |i| values[i], 0.0, 10.0, 30.0)
            .take(3)
            .collect();
        let of = |what: fn(&Stretch) -> f64| all.iter().map(what).collect::<Vec<f64>>();
        assert_eq!(of(|stretch| stretch.most), [10.0, 4.0, 4.0]);
        assert_eq!(of(|stretch| stretch.least), [2.0, 4.0, 0.0]);
        assert_eq!(of(|stretch| stretch.area), [36.0, 40.0, 20.0]);
        assert_eq!(of(|stretch| stretch.covered), [10.0; 3]);
        let later = stretches(&times, |i| values[i], 5.5, 10.0, 30.0).next();
        assert_eq!(
            later.map(|stretch| (stretch.most, stretch.area)),
            Some((10.0, 43.0))
        );
        let mut none = stretches(&[], |_| 0.0, 0.0, 10.0, 30.0);
        assert_eq!(none.next().map(|stretch| stretch.covered), Some(0.0));
    }
}
