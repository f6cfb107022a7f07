//! How fast Gavel's 26 job types (a model and its batch size) train on V100, P100 and K80: alone, on
//! 1, 2, 4 and 8 GPUs, of one node or of several, and two of them on one GPU. In: a job type, a GPU,
//! how many. Out: steps per second, or shares of them.
//!
//! Measured by Narayanan et al. (OSDI'20), as published beside their simulator; [`alone`] and
//! [`pairs`] name the entries. What was not measured is not there: nothing here guesses.

mod alone;
mod pairs;

use crate::batch_mode::without_mode;
use crate::workload::GpuGeneration;
use alone::ALONE;
use pairs::PAIRS;

/// A table with a row that can be no measurement does not compile: the error names the job type. Alone,
/// a speed is a number, and that on one GPU above 0; beside another, it is not above that alone, and
/// either both have one or, out of memory, neither.
const _: () = {
    let mut of = 0;
    while of < ALONE.len() {
        let mut gpu = 0;
        while gpu < 3 {
            let (packed, spread) = (&ALONE[of].packed[gpu], &ALONE[of].spread[gpu]);
            let mut sound = packed[0] > 0.0;
            let mut at = 0;
            while at < packed.len() {
                sound = sound && packed[at] >= 0.0 && packed[at].is_finite();
                sound = sound && (at == 3 || spread[at] >= 0.0 && spread[at].is_finite());
                at += 1;
            }
            let mut other = 0;
            while other <= of {
                let (a, b) = PAIRS[gpu][of * (of + 1) / 2 + other];
                sound = sound && a <= 1000 && b <= 1000 && (a == 0) == (b == 0);
                other += 1;
            }
            if !sound {
                panic!("{}", ALONE[of].name);
            }
            gpu += 1;
        }
        of += 1;
    }
};

/// One of the job types that were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobType(u8);

impl JobType {
    /// How many there are.
    pub const COUNT: usize = ALONE.len();

    /// All, in the order of the released simulator's list.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The one of this name, such as `LM (batch size 10)`. If the batch size changes, the first one counts.
    pub fn named(name: &str) -> Option<Self> {
        let name = without_mode(name);
        Self::all().find(|of| of.name() == name)
    }

    /// Its name in Gavel's traces.
    pub fn name(self) -> &'static str {
        ALONE[self.index()].name
    }

    /// Its place in [`all`](Self::all).
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Steps per second on so many GPUs, `packed` on one node or each on a node of its own; `None`
    /// where it was not measured or ran out of memory.
    pub fn throughput(self, gpu: GpuGeneration, gpus: u32, packed: bool) -> Option<f64> {
        let measured = &ALONE[self.index()];
        let at = [1, 2, 4, 8].iter().position(|&count| count == gpus)?;
        let speed = match (packed, at) {
            (true, _) | (_, 0) => measured.packed[gpu as usize][at],
            (false, _) => measured.spread[gpu as usize][at - 1],
        };
        (speed > 0.0).then_some(speed)
    }

    /// On one GPU beside `other`: the share of its own throughput alone that each of the two has,
    /// this one's first; `None` where they ran out of memory.
    pub fn rates_together(self, other: Self, gpu: GpuGeneration) -> Option<(f64, f64)> {
        let (a, b) = (
            self.index().min(other.index()),
            self.index().max(other.index()),
        );
        let (of_a, of_b) = PAIRS[gpu as usize][b * (b + 1) / 2 + a];
        let share = |thousandths| f64::from(thousandths) / 1000.0;
        let (mine, its) = if self.index() == a {
            (share(of_a), share(of_b))
        } else {
            (share(of_b), share(of_a))
        };
        (mine > 0.0).then_some((mine, its))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> JobType {
        JobType::named(name).expect("measured")
    }

    #[test]
    fn entries_of_the_published_table() {
        let lm = named("LM (batch size 10)");
        let v100 = GpuGeneration::V100;
        assert_eq!(lm.throughput(v100, 1, true), Some(81.651_634_918_830_21));
        assert_eq!(lm.throughput(v100, 1, false), lm.throughput(v100, 1, true));
        assert_eq!(lm.throughput(v100, 4, false), Some(37.818_712_553_386_89));
        assert_eq!(lm.throughput(v100, 3, true), None);
        let a3c = named("A3C");
        assert_eq!(
            a3c.throughput(GpuGeneration::K80, 1, true),
            Some(3.438_767_829_072_393_3)
        );
        assert_eq!(a3c.throughput(GpuGeneration::K80, 2, true), None);
        let large = named("ResNet-50 (batch size 128)");
        assert_eq!(large.throughput(GpuGeneration::K80, 2, true), None);
        assert_eq!(JobType::named("GPT"), None);
    }

    #[test]
    fn pairs_are_seen_from_either_side() {
        // 2.5399… of 4.7952… and 3.1201… of 7.1758… steps/s.
        let (a, b) = (
            named("ResNet-18 (batch size 16)"),
            named("ResNet-18 (batch size 32)"),
        );
        let (mine, its) = a.rates_together(b, GpuGeneration::K80).expect("measured");
        assert_eq!(b.rates_together(a, GpuGeneration::K80), Some((its, mine)));
        assert_eq!((mine, its), (0.530, 0.435));
        let (r50, large) = (
            named("ResNet-50 (batch size 128)"),
            named("Transformer (batch size 256)"),
        );
        assert_eq!(a.rates_together(r50, GpuGeneration::K80), None);
        assert_eq!(r50.rates_together(large, GpuGeneration::V100), None);
    }

    #[test]
    fn every_entry_is_sound() {
        for gpu in GpuGeneration::ALL {
            let mut fitting = 0;
            for a in JobType::all() {
                assert!(a.throughput(gpu, 1, true).is_some_and(|speed| speed > 0.0));
                for b in JobType::all() {
                    if let Some((mine, its)) = a.rates_together(b, gpu) {
                        assert!(0.0 < mine && mine <= 1.0 && 0.0 < its && its <= 1.0);
                        fitting += 1;
                    }
                }
            }
            let published = [589, 656, 636][gpu as usize];
            assert_eq!(fitting, published, "{gpu:?}");
        }
    }
}
