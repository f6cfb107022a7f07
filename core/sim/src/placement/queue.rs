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
