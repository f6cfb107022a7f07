//! Which kernels of `kernels/gns.cu` a step takes, and with which arguments: for a GPU
//! ([`super::cuda`]) and for the emulator of the tests alike.

use super::data::Dtype;
use super::models::Layout;
use anyhow::{Context as _, Result, ensure};
use switchyard::goodput::noise::Norms;

/// Threads of a block, as in `kernels/gns.cu`.
pub(crate) const THREADS: u32 = 256;

/// Those of the second pass.
const TOTAL_THREADS: u32 = 512;

/// Blocks of the baseline's sums at most, one partial sum each.
pub(crate) const BASELINE_BLOCKS: u32 = 1024;

/// Something that runs kernels.
pub(crate) trait Launcher {
    /// Launches a kernel with these arguments; one that is narrower than 8 bytes, such as the
    /// bits of an f32, lies in the lower ones.
    fn launch(&self, kernel: &str, blocks: u32, threads: u32, arguments: &[u64]) -> Result<()>;
}

/// Where things lie in the launcher's memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Addresses {
    /// [rows][stride] elements.
    pub(crate) rows: u64,
    /// [stride] f32; 0 where there is none.
    pub(crate) preconditioner: u64,
    /// [sums][chunks] f64, large enough for either form.
    pub(crate) partial: u64,
    /// [sums] f64.
    pub(crate) total: u64,
    /// [chunks] (tensor, chunk), u32.
    pub(crate) chunks: u64,
    /// [tensors] u64.
    pub(crate) lengths: u64,
    /// [tensors][R] addresses.
    pub(crate) pointers: u64,
    /// [tensors] addresses.
    pub(crate) preconditioner_pointers: u64,
}

/// A step's gradients, and what computes with them.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a> {
    pub(crate) launcher: &'a dyn Launcher,
    pub(crate) layout: &'a Layout,
    /// R.
    pub(crate) replicas: usize,
    pub(crate) dtype: Dtype,
    /// Entries of the chunk table.
    pub(crate) chunks: u32,
    pub(crate) at: Addresses,
}

impl Step<'_> {
    /// Partial sums that either form of R rows, or of two, leaves behind at most.
    pub(crate) fn partial_sums(layout: &Layout, replicas: usize, table: usize) -> usize {
        (replicas.max(2) + 1) * table.max(layout.flat_chunks())
    }

    /// A row's first element.
    pub(crate) fn row(&self, row: usize) -> u64 {
        self.at.rows + (row * self.layout.stride * self.dtype.bytes()) as u64
    }

    /// Addresses of every tensor in each of these rows, tensor by tensor.
    pub(crate) fn tensor_addresses(&self, rows: &[u64]) -> Vec<u64> {
        let bytes = self.dtype.bytes() as u64;
        let tensors = self.layout.tensors.iter();
        tensors
            .flat_map(|tensor| {
                rows.iter()
                    .map(move |row| row + tensor.start as u64 * bytes)
            })
            .collect()
    }

    fn suffix(&self) -> &'static str {
        match self.at.preconditioner {
            0 => "",
            _ => "_preconditioned",
        }
    }

    fn fused_name(&self, form: &str) -> String {
        let (dtype, replicas, suffix) = (self.dtype.name(), self.replicas, self.suffix());
        format!("gns_{form}_{dtype}_r{replicas}{suffix}")
    }

    fn differenced_name(&self, form: &str) -> String {
        format!(
            "gns_differenced_{form}_{}{}",
            self.dtype.name(),
            self.suffix()
        )
    }

    /// The second pass.
    fn sum_up(&self, sums: usize, chunks: u32) -> Result<()> {
        let arguments = [self.at.partial, u64::from(chunks), self.at.total];
        let sums = u32::try_from(sums)?;
        self.launcher
            .launch("gns_total", sums, TOTAL_THREADS, &arguments)
    }

    /// R rows, each as one.
    pub(crate) fn fused_flat(&self) -> Result<()> {
        let chunks = u32::try_from(self.layout.flat_chunks())?;
        let stride = self.layout.stride as u64;
        let arguments = [
            self.at.rows,
            stride,
            stride,
            self.at.preconditioner,
            self.at.partial,
        ];
        let name = self.fused_name("flat");
        self.launcher.launch(&name, chunks, THREADS, &arguments)?;
        self.sum_up(self.replicas + 1, chunks)
    }

    /// R rows, tensor by tensor.
    pub(crate) fn fused_table(&self) -> Result<()> {
        self.table(&self.fused_name("table"), self.at.pointers)?;
        self.sum_up(self.replicas + 1, self.chunks)
    }

    /// Two rows, of which the second replaces the first.
    pub(crate) fn differenced_flat(&self, previous: u64, current: u64) -> Result<()> {
        let chunks = u32::try_from(self.layout.flat_chunks())?;
        let stride = self.layout.stride as u64;
        let arguments = [
            previous,
            current,
            stride,
            self.at.preconditioner,
            self.at.partial,
        ];
        let name = self.differenced_name("flat");
        self.launcher.launch(&name, chunks, THREADS, &arguments)?;
        self.sum_up(3, chunks)
    }

    /// The same, tensor by tensor: `pointers` are [tensors][2] addresses.
    pub(crate) fn differenced_table(&self, pointers: u64) -> Result<()> {
        self.table(&self.differenced_name("table"), pointers)?;
        self.sum_up(3, self.chunks)
    }

    fn table(&self, name: &str, pointers: u64) -> Result<()> {
        let at = &self.at;
        let arguments = [
            at.chunks,
            pointers,
            at.lengths,
            at.preconditioner_pointers,
            at.partial,
        ];
        self.launcher.launch(name, self.chunks, THREADS, &arguments)
    }
}

/// The norms that totals of `count` rows and of their mean make.
///
/// # Errors
///
/// If one is not finite: the gradient to blame.
pub(crate) fn norms(totals: &[f64], count: usize) -> Result<Norms> {
    let (squares, rest) = totals.split_at_checked(count).context("totals")?;
    let mean = rest.first().copied().context("totals")?;
    for (row, square) in squares.iter().enumerate() {
        ensure!(
            square.is_finite(),
            "gradient {row} or the preconditioner has an element that cannot be measured"
        );
    }
    Ok(Norms {
        count: u32::try_from(count)?,
        mean_of_squares: squares.iter().sum::<f64>() / count as f64,
        square_of_mean: mean,
    })
}

/// The baseline: results of every operation in memory, as a framework has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Baseline {
    /// The averaged gradient, [stride] elements.
    pub(crate) mean: u64,
    /// Two tensors of f32, as long as the longest.
    pub(crate) scratch: [u64; 2],
    /// [BASELINE_BLOCKS] f64.
    pub(crate) partial: u64,
    /// A u32, 0 at first.
    pub(crate) ticket: u64,
    /// An f64.
    pub(crate) term: u64,
    /// Σ|g_k|² and |ḡ|², f64, 0 at first: steps add to them.
    pub(crate) totals: u64,
}

impl Baseline {
    /// Averages the rows, which training does in any case.
    pub(crate) fn average(&self, step: &Step<'_>) -> Result<()> {
        let name = format!("baseline_average_{}", step.dtype.name());
        let (stride, replicas) = (step.layout.stride as u64, step.replicas as u64);
        let blocks = u32::try_from(stride.div_ceil(u64::from(4 * THREADS)))?;
        let arguments = [step.at.rows, stride, stride, replicas, self.mean];
        step.launcher.launch(&name, blocks, THREADS, &arguments)
    }

    /// One step of AdaptDL's `GradientNoiseScale` for parameters of one group: its hook on every
    /// tensor of every replica (divide by the preconditioner if there is one, square, sum in f64,
    /// add), then its callback on the averaged gradients (`.float()`, divide by the loss scale,
    /// divide by the passes, and the same).
    pub(crate) fn run(&self, step: &Step<'_>) -> Result<()> {
        let [a, b] = self.scratch;
        let [locals, mean] = [self.totals, self.totals + size_of::<f64>() as u64];
        let element = step.dtype.bytes() as u64;
        let one = u64::from(1.0_f32.to_bits());
        let own_divide = format!("baseline_divide_{}", step.dtype.name());
        for tensor in &step.layout.tensors {
            let (start, n) = (tensor.start as u64, tensor.length as u64);
            let p = match step.at.preconditioner {
                0 => None,
                p => Some(p + start * size_of::<f32>() as u64),
            };
            let blocks = u32::try_from(n.div_ceil(u64::from(4 * THREADS)))?;
            let divide = |name: &str, from: u64, to: u64, by: Option<u64>| {
                let arguments = [from, to, n, one, by.unwrap_or(0)];
                step.launcher.launch(name, blocks, THREADS, &arguments)
            };
            for row in 0..step.replicas {
                let own = step.row(row) + start * element;
                if p.is_some() {
                    divide(&own_divide, own, a, p)?;
                    self.add_square(step, Dtype::F32, a, b, n, locals)?;
                } else {
                    self.add_square(step, step.dtype, own, b, n, locals)?;
                }
            }
            let mut averaged = self.mean + start * element;
            if step.dtype == Dtype::Bf16 {
                divide(&own_divide, averaged, b, None)?;
                averaged = b;
            }
            divide("baseline_divide_f32", averaged, a, None)?;
            divide("baseline_divide_f32", a, b, None)?;
            if p.is_some() {
                divide("baseline_divide_f32", b, a, p)?;
                self.add_square(step, Dtype::F32, a, b, n, mean)?;
            } else {
                self.add_square(step, Dtype::F32, b, a, n, mean)?;
            }
        }
        Ok(())
    }

    /// `total += from.pow(2).sum(dtype=float64)`.
    fn add_square(
        &self,
        step: &Step<'_>,
        dtype: Dtype,
        from: u64,
        squares: u64,
        n: u64,
        total: u64,
    ) -> Result<()> {
        let launch = |operation: &str, blocks: u64, arguments: &[u64]| {
            let name = format!("baseline_{operation}_{}", dtype.name());
            step.launcher
                .launch(&name, u32::try_from(blocks)?, THREADS, arguments)
        };
        let blocks = n.div_ceil(u64::from(4 * THREADS));
        launch("square", blocks, &[from, squares, n])?;
        let blocks = n
            .div_ceil(u64::from(16 * THREADS))
            .min(u64::from(BASELINE_BLOCKS));
        launch(
            "sum",
            blocks,
            &[squares, n, self.partial, self.ticket, self.term],
        )?;
        step.launcher
            .launch("baseline_add", 1, 1, &[total, self.term])
    }
}
