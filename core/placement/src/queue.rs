//! The jobs that wait, counted: how many there are, and of how many GPUs.

/// How many jobs wait, and for how many GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    jobs: u32,
    gpus: u64,
    by_gpus: [u32; Self::WIDTHS],
}

impl Queue {
    /// So many widths of gangs are told apart: of one GPU, of two, and so on, the last of as many or more.
    pub const WIDTHS: usize = 8;

    /// Narrower gangs are a crowd where they want so many times a gang's GPUs more than it would leave free.
    pub const CROWD: u64 = 16;

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

    /// How many GPUs more gangs of fewer than `gpus` want than one of so many would leave of those that are free; of
    /// widths that are told apart.
    pub fn beside(&self, gpus: u32, free: u32) -> u64 {
        let told = (1u32..Self::WIDTHS as u32).zip(&self.by_gpus);
        let narrower = told.filter(|(width, _)| *width < gpus);
        let wanted = narrower.map(|(width, &count)| u64::from(width) * u64::from(count));
        let wanted: u64 = wanted.sum();
        wanted.saturating_sub(free.saturating_sub(gpus).into())
    }

    /// Whether narrower gangs are a crowd, beside one of so many GPUs: in the time that it would hold these, many of those
    /// would be done.
    pub fn is_crowd(&self, gpus: u32, free: u32) -> bool {
        self.beside(gpus, free) >= Self::CROWD * u64::from(gpus)
    }

    /// Whether one is wider than the widths that are told apart.
    pub fn has_wider_than_told(&self) -> bool {
        let told = (1u64..).zip(&self.by_gpus);
        self.gpus > told.map(|(width, &count)| width * u64::from(count)).sum()
    }

    fn of_width(&mut self, gpus: u32) -> &mut u32 {
        &mut self.by_gpus[(gpus.max(1) as usize).min(Self::WIDTHS) - 1]
    }

    /// A gang of so many GPUs waits from now on.
    pub fn join(&mut self, gpus: u32) {
        self.jobs += 1;
        self.gpus += u64::from(gpus);
        *self.of_width(gpus) += 1;
    }

    /// The same without one of these.
    #[must_use]
    pub fn without(mut self, gpus: u32) -> Self {
        self.leave(gpus);
        self
    }

    /// One of so many, which has waited, does not any longer.
    pub fn leave(&mut self, gpus: u32) {
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
        assert_eq!(
            [1, 2, 3, 64].map(|gpus| queue.beside(gpus, 0)),
            [0, 2, 4, 4]
        );
        assert_eq!(
            [3, 4, 6, 7, 9].map(|free| queue.beside(3, free)),
            [4, 3, 1, 0, 0]
        );
        assert_eq!((without.jobs(), without.gpus()), (4, 12));
        assert!(queue.has_wider_than_told() && !without.has_wider_than_told());
        assert_eq!(*without.by_gpus(), [2, 1, 0, 0, 0, 0, 0, 1]);
        [64, 2, 1, 8, 1].iter().for_each(|&gpus| queue.leave(gpus));
        assert_eq!(queue, Queue::default());
    }
}
