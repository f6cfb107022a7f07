//! The jobs that wait, counted: how many there are, and of how many GPUs.

/// How many jobs wait, and for how many GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    jobs: u32,
    gpus: u64,
    by_gpus: [u32; Self::WIDTHS],
}

/// How many GPUs some of the jobs that wait fill together: bit `n` for `n` of them.
#[derive(Clone, Copy, Debug)]
pub struct Sums(u32);

impl Sums {
    /// So many GPUs are looked at, of more as many.
    const MOST: u32 = 31;

    /// How many of so many free GPUs stay empty however they fill them.
    pub fn left_of(self, free: u32) -> u32 {
        let free = free.min(Self::MOST);
        let up_to = self.0 & (u32::MAX >> (Self::MOST - free));
        free - up_to.checked_ilog2().unwrap_or(0)
    }
}

impl Queue {
    /// So many widths of gangs are told apart: of one GPU, of two, and so on, the last of as many or more.
    pub const WIDTHS: usize = 8;

    /// Jobs in all.
    pub fn jobs(&self) -> u32 {
        self.jobs
    }

    /// GPUs that they want in all.
    pub fn gpus(&self) -> u64 {
        self.gpus
    }

    /// How many jobs of each width there are; that of one GPU first.
    pub fn by_gpus(&self) -> &[u32; Self::WIDTHS] {
        &self.by_gpus
    }

    fn of_width(&mut self, gpus: u32) -> &mut u32 {
        &mut self.by_gpus[(gpus.max(1) as usize).min(Self::WIDTHS) - 1]
    }

    /// How many GPUs some of them fill together.
    pub fn sums(&self) -> Sums {
        let mut sums = 1u32;
        for (width, &count) in (1u32..).zip(&self.by_gpus) {
            (0..count.min(Sums::MOST / width)).for_each(|_| sums |= sums << width);
        }
        Sums(sums)
    }

    /// A gang of so many GPUs waits from now on.
    pub(crate) fn join(&mut self, gpus: u32) {
        self.jobs += 1;
        self.gpus += u64::from(gpus);
        *self.of_width(gpus) += 1;
    }

    /// The same without one of these.
    #[must_use]
    pub(crate) fn without(mut self, gpus: u32) -> Self {
        self.leave(gpus);
        self
    }

    /// One of so many, which has waited, does not any longer.
    pub(crate) fn leave(&mut self, gpus: u32) {
        self.jobs -= 1;
        self.gpus -= u64::from(gpus);
        *self.of_width(gpus) -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_counted_by_width_and_the_widest_together() {
        let mut queue = Queue::default();
        [1, 1, 2, 8, 64].iter().for_each(|&gpus| queue.join(gpus));
        let without = queue.without(64);
        assert_eq!((queue.jobs(), queue.gpus()), (5, 76));
        assert_eq!(*queue.by_gpus(), [2, 1, 0, 0, 0, 0, 0, 2]);
        assert_eq!((without.jobs(), without.gpus()), (4, 12));
        assert_eq!(*without.by_gpus(), [2, 1, 0, 0, 0, 0, 0, 1]);
        [64, 2, 1, 8, 1].iter().for_each(|&gpus| queue.leave(gpus));
        assert_eq!(queue, Queue::default());
    }

    #[test]
    fn what_they_leave_empty_is_what_no_sum_of_them_fills() {
        let mut queue = Queue::default();
        let nobody = queue.sums();
        assert!((0..=31).all(|free| nobody.left_of(free) == free));
        [2, 5, 5].iter().for_each(|&gpus| queue.join(gpus));
        // 0, 2, 5, 7, 10 and 12.
        let left = (0..16).map(|free| queue.sums().left_of(free));
        let expected = [0, 1, 0, 1, 2, 0, 1, 0, 1, 2, 0, 1, 0, 1, 2, 3];
        assert_eq!(left.collect::<Vec<_>>(), expected);
        (0..1000).for_each(|_| queue.join(1));
        assert_eq!([8, 31, 64].map(|free| queue.sums().left_of(free)), [0; 3]);
    }
}
