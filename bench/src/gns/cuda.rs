//! CUDA: `kernels/gns.cu` on real gradients in a GPU's memory, timed with the device's own events.
//!
//! Nothing of CUDA is linked: the driver is loaded when it is asked for, and where there is none, or
//! no GPU, [`Gpu::open`] says so.
//!
//! A time is that of kernels in a row between two events, over their number, so that the gap before
//! the first does not count; the copy that bandwidth is compared with is taken between the same
//! events. The baseline launches thousands of kernels, as training does, without a graph.

use super::data::{Dtype, Recipe, Reference};
use super::models::{CHUNK, Layout, Model};
use super::nvrtc::{self, Nvrtc};
use super::report::{Figure, Report};
use crate::engine::Spread;
use anyhow::{Context as _, Result, bail, ensure};
use clap::ValueEnum;
use cudarc::driver::result::memcpy_dtod_async;
use cudarc::driver::sys::{CUdevice_attribute, CUevent_flags, is_culib_present};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtr as _,
    LaunchConfig, PushKernelArg as _,
};
use cudarc::nvrtc::Ptx;
use std::collections::HashMap;
use std::sync::Arc;
use switchyard::goodput::noise::Norms;

/// Threads of a block, as in `kernels/gns.cu`.
const THREADS: u32 = 256;

/// Those of the second pass.
const TOTAL_THREADS: u32 = 1024;

/// Bytes that are copied to find the memory's bandwidth.
const COPIED: usize = 2 << 30;

/// The least time between two events, in seconds.
const BETWEEN_EVENTS: f64 = 2e-3;

/// Where kernels come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kernels {
    /// NVRTC's for this GPU if there is one, else the carried PTX
    Auto,
    /// NVRTC's
    Nvrtc,
    /// The PTX that this program carries
    Carried,
}

/// A GPU and the kernels for a number of replicas.
pub(crate) struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    module: Arc<CudaModule>,
    device: String,
    origin: String,
    /// What NVRTC remarked.
    log: String,
}

impl Gpu {
    /// The GPU of this number.
    ///
    /// # Errors
    ///
    /// Without driver, GPU or kernels: what is missing, and what to do.
    pub(crate) fn open(ordinal: usize, replicas: usize, kernels: Kernels) -> Result<Self> {
        // SAFETY: loading the driver runs its initialisers, which ask nothing of us.
        if !unsafe { is_culib_present() } {
            bail!("this machine has no CUDA driver (libcuda.so.1)");
        }
        let context = CudaContext::new(ordinal)
            .with_context(|| format!("the CUDA driver finds no GPU number {ordinal}"))?;
        // SAFETY: all work goes to one stream, in order.
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream()?;
        let (major, minor) = context.compute_capability()?;
        let device = format!("{} (sm_{major}{minor})", context.name()?);
        let nvrtc = match kernels {
            Kernels::Carried => None,
            Kernels::Auto => Nvrtc::find()?,
            Kernels::Nvrtc => Some(Nvrtc::find()?.with_context(|| {
                format!(
                    "there is no NVRTC here: {} can name libnvrtc.so",
                    nvrtc::VARIABLE
                )
            })?),
        };
        let (code, origin, log) = match nvrtc {
            Some(nvrtc) => {
                let options = [
                    format!("--gpu-architecture=sm_{major}{minor}"),
                    format!("-DREPLICAS={replicas}"),
                ];
                let compiled = nvrtc.compile(nvrtc::SOURCE, &options)?;
                (Ptx::from_binary(compiled.cubin), nvrtc.name(), compiled.log)
            }
            None => {
                ensure!(
                    nvrtc::CARRIED_REPLICAS.contains(&replicas),
                    "without NVRTC there are kernels for {:?} replicas only",
                    nvrtc::CARRIED_REPLICAS
                );
                let ptx = Ptx::from_src(nvrtc::carried()?);
                (ptx, "carried PTX".to_owned(), String::new())
            }
        };
        let module = context
            .load_module(code)
            .with_context(|| format!("the driver does not take the kernels ({origin})"))?;
        Ok(Self {
            context,
            stream,
            module,
            device,
            origin,
            log,
        })
    }

    fn kernel(&self, name: &str) -> Result<CudaFunction> {
        self.module
            .load_function(name)
            .with_context(|| format!("kernel {name}"))
    }

    /// Room for `bytes`, not set to anything.
    fn room(&self, bytes: usize) -> Result<CudaSlice<u8>> {
        // SAFETY: whatever is read was written before, by an upload or by a kernel.
        unsafe { self.stream.alloc(bytes.max(1)) }
            .with_context(|| format!("{:.1} GiB on the GPU", bytes as f64 / (1 << 30) as f64))
    }

    fn upload<T: bytemuck::Pod>(&self, data: &[T]) -> Result<CudaSlice<u8>> {
        Ok(self
            .stream
            .clone_htod(bytemuck::cast_slice::<T, u8>(data))?)
    }

    fn address(&self, slice: &CudaSlice<u8>) -> u64 {
        slice.device_ptr(&self.stream).0
    }

    fn event(&self) -> Result<CudaEvent> {
        Ok(self
            .context
            .new_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?)
    }

    /// The median of `runs` times of `work`.
    fn time(&self, runs: u32, work: &mut dyn FnMut() -> Result<()>) -> Result<Spread> {
        let (start, end) = (self.event()?, self.event()?);
        let mut once = |repeats: u32| -> Result<f64> {
            start.record(&self.stream)?;
            for _ in 0..repeats {
                work()?;
            }
            end.record(&self.stream)?;
            Ok(f64::from(start.elapsed_ms(&end)?) / 1e3 / f64::from(repeats))
        };
        // The first finds what is still to be loaded.
        once(1)?;
        let repeats = (BETWEEN_EVENTS / once(3)?.max(1e-7))
            .ceil()
            .clamp(1.0, 1000.0) as u32;
        once(repeats)?;
        let mut seconds = (0..runs)
            .map(|_| once(repeats))
            .collect::<Result<Vec<_>>>()?;
        seconds.sort_by(f64::total_cmp);
        let at = |index: usize| seconds.get(index).copied().unwrap_or(f64::NAN);
        Ok(Spread {
            min: at(0),
            median: at(seconds.len() / 2),
            max: at(seconds.len().saturating_sub(1)),
        })
    }
}

/// What is in the GPU's memory.
struct Loaded<'a> {
    gpu: &'a Gpu,
    layout: &'a Layout,
    replicas: usize,
    dtype: Dtype,
    /// [rows][stride] elements.
    rows: CudaSlice<u8>,
    /// [stride] f32.
    preconditioner: Option<CudaSlice<u8>>,
    /// [sums][chunks] f64, large enough for either form.
    partial: CudaSlice<u8>,
    /// [sums] f64.
    total: CudaSlice<u8>,
    /// [chunks] (tensor, chunk), u32.
    chunks: CudaSlice<u8>,
    chunk_count: u32,
    /// [tensors] u64.
    lengths: CudaSlice<u8>,
    /// [tensors][R] addresses.
    pointers: CudaSlice<u8>,
    /// [tensors] addresses.
    preconditioner_pointers: CudaSlice<u8>,
    functions: HashMap<String, CudaFunction>,
}

impl Loaded<'_> {
    fn row(&self, row: usize) -> u64 {
        let start = row * self.layout.stride * self.dtype.bytes();
        self.gpu.address(&self.rows) + start as u64
    }

    fn preconditioner_address(&self) -> u64 {
        self.preconditioner
            .as_ref()
            .map_or(0, |p| self.gpu.address(p))
    }

    /// Addresses of every tensor in each of these rows, tensor by tensor.
    fn tensor_addresses(&self, rows: &[u64]) -> Vec<u64> {
        let bytes = self.dtype.bytes() as u64;
        let tensors = self.layout.tensors.iter();
        tensors
            .flat_map(|tensor| {
                rows.iter()
                    .map(move |row| row + tensor.start as u64 * bytes)
            })
            .collect()
    }

    fn function(&self, name: &str) -> Result<&CudaFunction> {
        self.functions
            .get(name)
            .with_context(|| format!("kernel {name}"))
    }

    fn suffix(&self) -> &'static str {
        match self.preconditioner {
            Some(_) => "_preconditioned",
            None => "",
        }
    }

    /// Launches a kernel with these arguments, all of 8 bytes.
    fn launch(&self, name: &str, blocks: u32, threads: u32, arguments: &[u64]) -> Result<()> {
        let mut builder = self.gpu.stream.launch_builder(self.function(name)?);
        for argument in arguments {
            builder.arg(argument);
        }
        let config = LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (threads, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the arguments are those of the kernel's declaration, addresses are of buffers of
        // the shapes above, and on a little-endian machine a narrower integer is read from the
        // first bytes of a wider one.
        unsafe { builder.launch(config) }
            .with_context(|| format!("kernel {name} on {blocks} blocks"))?;
        Ok(())
    }

    /// The second pass.
    fn sum_up(&self, sums: u32, chunks: u32) -> Result<()> {
        let partial = self.gpu.address(&self.partial);
        let total = self.gpu.address(&self.total);
        let arguments = [partial, u64::from(chunks), total];
        self.launch("gns_total", sums, TOTAL_THREADS, &arguments)
    }

    fn fused_flat(&self) -> Result<()> {
        let name = format!(
            "gns_flat_{}_r{}{}",
            self.dtype.name(),
            self.replicas,
            self.suffix()
        );
        let chunks = u32::try_from(self.layout.flat_chunks())?;
        let stride = self.layout.stride as u64;
        let partial = self.gpu.address(&self.partial);
        let p = self.preconditioner_address();
        self.launch(
            &name,
            chunks,
            THREADS,
            &[self.row(0), stride, stride, p, partial],
        )?;
        self.sum_up(self.replicas as u32 + 1, chunks)
    }

    /// Arguments of a kernel that takes the chunk table.
    fn table_arguments(&self, pointers: &CudaSlice<u8>) -> [u64; 5] {
        let address = |slice| self.gpu.address(slice);
        [
            address(&self.chunks),
            address(pointers),
            address(&self.lengths),
            address(&self.preconditioner_pointers),
            address(&self.partial),
        ]
    }

    fn fused_table(&self) -> Result<()> {
        let name = format!(
            "gns_table_{}_r{}{}",
            self.dtype.name(),
            self.replicas,
            self.suffix()
        );
        let arguments = self.table_arguments(&self.pointers);
        self.launch(&name, self.chunk_count, THREADS, &arguments)?;
        self.sum_up(self.replicas as u32 + 1, self.chunk_count)
    }

    fn differenced_flat(&self, previous: &CudaSlice<u8>) -> Result<()> {
        let name = format!(
            "gns_differenced_flat_{}{}",
            self.dtype.name(),
            self.suffix()
        );
        let chunks = u32::try_from(self.layout.flat_chunks())?;
        let stride = self.layout.stride as u64;
        let (previous, current) = (self.gpu.address(previous), self.row(1));
        let partial = self.gpu.address(&self.partial);
        let p = self.preconditioner_address();
        self.launch(
            &name,
            chunks,
            THREADS,
            &[previous, current, stride, p, partial],
        )?;
        self.sum_up(3, chunks)
    }

    fn differenced_table(&self, pointers: &CudaSlice<u8>) -> Result<()> {
        let name = format!(
            "gns_differenced_table_{}{}",
            self.dtype.name(),
            self.suffix()
        );
        let arguments = self.table_arguments(pointers);
        self.launch(&name, self.chunk_count, THREADS, &arguments)?;
        self.sum_up(3, self.chunk_count)
    }

    /// Fills partial sums and totals with NaN, so that what is not written shows.
    fn poison(&mut self) -> Result<()> {
        let stream = &self.gpu.stream;
        for slice in [&mut self.partial, &mut self.total] {
            let poison = vec![0xff_u8; slice.len()];
            stream.memcpy_htod(&poison, slice)?;
        }
        Ok(())
    }

    /// The totals of `count` rows and of their mean.
    fn norms(&self, count: usize) -> Result<(Norms, Vec<u64>)> {
        let bytes = self.gpu.stream.clone_dtoh(&self.total)?;
        let words: Vec<f64> = bytemuck::pod_collect_to_vec(&bytes);
        let (squares, rest) = words.split_at_checked(count).context("totals")?;
        let mean = rest.first().copied().context("totals")?;
        for (row, square) in squares.iter().enumerate() {
            ensure!(
                square.is_finite(),
                "gradient {row} or the preconditioner has an element that cannot be measured"
            );
        }
        let bits = words.iter().take(count + 1).map(|x| x.to_bits()).collect();
        let norms = Norms {
            count: u32::try_from(count)?,
            mean_of_squares: squares.iter().sum::<f64>() / count as f64,
            square_of_mean: mean,
        };
        Ok((norms, bits))
    }

    /// Runs a kernel on poisoned sums, twice, and returns what it finds.
    fn run(&mut self, count: usize, work: &dyn Fn(&Self) -> Result<()>) -> Result<Norms> {
        self.poison()?;
        work(self)?;
        let (norms, first) = self.norms(count)?;
        self.poison()?;
        work(self)?;
        let (_, second) = self.norms(count)?;
        ensure!(
            first == second,
            "a second run gives other bits: {first:x?}, {second:x?}"
        );
        Ok(norms)
    }
}

/// What the baseline needs besides: results of operations in memory, as a framework has them.
struct Baseline {
    /// The averaged gradient, [stride] elements.
    mean: CudaSlice<u8>,
    /// Two tensors of f32, as long as the longest.
    scratch: [CudaSlice<u8>; 2],
    partial: CudaSlice<u8>,
    ticket: CudaSlice<u8>,
    term: CudaSlice<u8>,
    /// Σ|g_k|² and |ḡ|².
    totals: CudaSlice<u8>,
}

/// Blocks of the baseline's sums at most, one partial sum each.
const BASELINE_BLOCKS: u32 = 1024;

impl Baseline {
    fn new(loaded: &Loaded<'_>) -> Result<Self> {
        let gpu = loaded.gpu;
        let longest = loaded
            .layout
            .tensors
            .iter()
            .map(|tensor| tensor.length)
            .max();
        let scratch = longest.unwrap_or(0) * size_of::<f32>();
        let mean = gpu.room(loaded.layout.stride * loaded.dtype.bytes())?;
        let name = format!("baseline_average_{}", loaded.dtype.name());
        let (stride, replicas) = (loaded.layout.stride as u64, loaded.replicas as u64);
        let to = gpu.address(&mean);
        let arguments = [loaded.row(0), stride, stride, replicas, to];
        loaded.launch(&name, 4096, THREADS, &arguments)?;
        Ok(Self {
            mean,
            scratch: [gpu.room(scratch)?, gpu.room(scratch)?],
            partial: gpu.room(BASELINE_BLOCKS as usize * size_of::<f64>())?,
            ticket: gpu.upload(&[0_u32])?,
            term: gpu.upload(&[0.0_f64])?,
            totals: gpu.upload(&[0.0_f64; 2])?,
        })
    }

    /// One step of AdaptDL's `GradientNoiseScale` for parameters of one group: its hook on every
    /// tensor of every replica (divide by the preconditioner if there is one, square, sum in f64,
    /// add), then its callback on the averaged gradients (`.float()`, divide by the loss scale,
    /// divide by the passes, and the same).
    fn step(&self, loaded: &Loaded<'_>) -> Result<()> {
        let gpu = loaded.gpu;
        let [a, b] = [gpu.address(&self.scratch[0]), gpu.address(&self.scratch[1])];
        let [locals, mean] = [0, 8].map(|offset| gpu.address(&self.totals) + offset);
        let p = loaded.preconditioner.as_ref().map(|p| gpu.address(p));
        let dtype = loaded.dtype;
        let one = u64::from(1.0_f32.to_bits());
        for tensor in &loaded.layout.tensors {
            let (start, n) = (tensor.start as u64, tensor.length as u64);
            let p = p.map(|p| p + start * 4);
            let blocks = u32::try_from(n.div_ceil(u64::from(4 * THREADS)))?;
            let divide = |name: &str, from: u64, to: u64, by: Option<u64>| {
                loaded.launch(name, blocks, THREADS, &[from, to, n, one, by.unwrap_or(0)])
            };
            let own_divide = format!("baseline_divide_{}", dtype.name());
            for row in 0..loaded.replicas {
                let mut from = loaded.row(row) + start * dtype.bytes() as u64;
                let mut held = dtype;
                if p.is_some() {
                    divide(&own_divide, from, a, p)?;
                    (from, held) = (a, Dtype::F32);
                }
                self.add_square(loaded, from, held, b, n, locals)?;
            }
            let mut from = gpu.address(&self.mean) + start * dtype.bytes() as u64;
            if dtype == Dtype::Bf16 {
                divide(&own_divide, from, b, None)?;
                from = b;
            }
            divide("baseline_divide_f32", from, a, None)?;
            divide("baseline_divide_f32", a, b, None)?;
            let (mut from, mut other) = (b, a);
            if p.is_some() {
                divide("baseline_divide_f32", b, a, p)?;
                (from, other) = (a, b);
            }
            self.add_square(loaded, from, Dtype::F32, other, n, mean)?;
        }
        Ok(())
    }

    /// `total += from.pow(2).sum(dtype=float64)`.
    fn add_square(
        &self,
        loaded: &Loaded<'_>,
        from: u64,
        dtype: Dtype,
        squares: u64,
        n: u64,
        total: u64,
    ) -> Result<()> {
        let gpu = loaded.gpu;
        let blocks = u32::try_from(n.div_ceil(u64::from(4 * THREADS)))?;
        let square = format!("baseline_square_{}", dtype.name());
        loaded.launch(&square, blocks, THREADS, &[from, squares, n])?;
        let blocks = n
            .div_ceil(u64::from(16 * THREADS))
            .min(u64::from(BASELINE_BLOCKS));
        let (partial, ticket) = (gpu.address(&self.partial), gpu.address(&self.ticket));
        let term = gpu.address(&self.term);
        let sum = format!("baseline_sum_{}", dtype.name());
        let arguments = [squares, n, partial, ticket, term];
        loaded.launch(&sum, blocks as u32, THREADS, &arguments)?;
        loaded.launch("baseline_add", 1, 1, &[total, term])
    }
}

/// Measures one model.
pub(crate) fn measure(gpu: &Gpu, model: Model, recipe: &Recipe<'_>, runs: u32) -> Result<Report> {
    let layout = recipe.layout;
    let (row_bytes, rows) = (layout.stride * recipe.dtype.bytes(), recipe.rows());
    let copied = COPIED.min(row_bytes * rows / 2);
    let need = row_bytes * (rows + 2) + layout.stride * 4 * 3 + copied;
    let (free, _) = gpu.context.mem_get_info()?;
    ensure!(
        need <= free,
        "{} with {} replicas takes {:.1} GiB on the GPU, where {:.1} are free: take fewer replicas",
        model.name(),
        recipe.replicas,
        need as f64 / (1 << 30) as f64,
        free as f64 / (1 << 30) as f64
    );
    let (mut loaded, reference) = load(gpu, recipe)?;
    let device = gpu.device.clone();
    let mut report = Report::new("cuda", device, gpu.origin.clone(), model.name(), recipe);
    let replicas = recipe.replicas;
    if !gpu.log.trim().is_empty() {
        report.remarks.push(gpu.log.trim().to_owned());
    }

    // Correctness.
    let found = loaded.run(replicas, &|loaded| loaded.fused_flat())?;
    report.check_fused("fused", found, &reference)?;
    let found = loaded.run(replicas, &|loaded| loaded.fused_table())?;
    report.check_fused("fused, chunk table", found, &reference)?;
    let previous = gpu.room(row_bytes)?;
    let addresses = [gpu.address(&previous), loaded.row(1)];
    let pair = gpu.upload(&loaded.tensor_addresses(&addresses))?;
    let found = loaded.run(2, &|loaded| {
        copy_row(loaded, 0, &previous)?;
        loaded.differenced_flat(&previous)
    })?;
    report.check_differenced("differenced", found, &reference)?;
    replaced(&loaded, &previous)?;
    let found = loaded.run(2, &|loaded| {
        copy_row(loaded, 0, &previous)?;
        loaded.differenced_table(&pair)
    })?;
    report.check_differenced("differenced, chunk table", found, &reference)?;
    replaced(&loaded, &previous)?;
    let baseline = Baseline::new(&loaded)?;
    baseline.step(&loaded)?;
    let totals = gpu.stream.clone_dtoh(&baseline.totals)?;
    let totals: Vec<f64> = bytemuck::pod_collect_to_vec(&totals);
    if let [squares, mean] = totals[..] {
        let found = Norms {
            count: u32::try_from(replicas)?,
            mean_of_squares: squares / replicas as f64,
            square_of_mean: mean,
        };
        // In bf16 its squares and averages are rounded once more.
        match recipe.dtype {
            Dtype::F32 => report.check_fused("per-parameter baseline", found, &reference)?,
            Dtype::Bf16 => report.remarks.push(format!(
                "the baseline rounds squares and averages to bf16; it finds |ḡ|² {:.6e} and \
                 mean|g_k|² {:.6e}, where {:.6e} and {:.6e} are right",
                found.square_of_mean,
                found.mean_of_squares,
                reference.stored.square_of_mean,
                reference.stored.mean_of_squares
            )),
        }
    }

    // Times.
    let from = gpu.address(&loaded.rows);
    let target = gpu.room(copied)?;
    let to = gpu.address(&target);
    let copy = gpu.time(runs, &mut || {
        // SAFETY: both are of at least so many bytes, and different.
        unsafe { memcpy_dtod_async(to, from, copied, gpu.stream.cu_stream())? };
        Ok(())
    })?;
    drop(target);
    report
        .ceilings
        .push(Figure::moving("copy", 2 * copied, copy));
    let p_bytes = if recipe.preconditioned {
        layout.elements * 4
    } else {
        0
    };
    let element = recipe.dtype.bytes();
    let fused_bytes = layout.elements * element * replicas + p_bytes;
    let seconds = gpu.time(runs, &mut || loaded.fused_flat())?;
    report
        .figures
        .push(Figure::moving("fused", fused_bytes, seconds));
    let seconds = gpu.time(runs, &mut || loaded.fused_table())?;
    report
        .figures
        .push(Figure::moving("fused, chunk table", fused_bytes, seconds));
    let differenced_bytes = 3 * layout.elements * element + p_bytes;
    let seconds = gpu.time(runs, &mut || loaded.differenced_flat(&previous))?;
    report
        .figures
        .push(Figure::moving("differenced", differenced_bytes, seconds));
    let seconds = gpu.time(runs, &mut || loaded.differenced_table(&pair))?;
    report.figures.push(Figure::moving(
        "differenced, chunk table",
        differenced_bytes,
        seconds,
    ));
    let seconds = gpu.time(runs.min(9), &mut || baseline.step(&loaded))?;
    report
        .figures
        .push(Figure::taking("per-parameter baseline", seconds));
    report.relate();

    let cache = gpu
        .context
        .attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?;
    if fused_bytes < 4 * usize::try_from(cache)? {
        report.remarks.push(format!(
            "the gradients take {:.0} MB and the GPU's cache {:.0} MB: part of them is read from it",
            fused_bytes as f64 / 1e6,
            f64::from(cache) / 1e6
        ));
    }
    Ok(report)
}

/// A row's bytes to `to`.
fn copy_row(loaded: &Loaded<'_>, row: usize, to: &CudaSlice<u8>) -> Result<()> {
    let (gpu, bytes) = (loaded.gpu, loaded.layout.stride * loaded.dtype.bytes());
    let (to, from) = (gpu.address(to), loaded.row(row));
    // SAFETY: both are of so many bytes, and different.
    unsafe { memcpy_dtod_async(to, from, bytes, gpu.stream.cu_stream())? };
    Ok(())
}

/// Checks that the differenced kernel left row 1 in the place of row 0, at both ends and in the
/// middle.
fn replaced(loaded: &Loaded<'_>, previous: &CudaSlice<u8>) -> Result<()> {
    let bytes = loaded.layout.stride * loaded.dtype.bytes();
    let length = bytes.min(16 << 20);
    for start in [0, (bytes - length) / 2, bytes - length] {
        let stream = &loaded.gpu.stream;
        let left = stream.clone_dtoh(&previous.slice(start..start + length))?;
        let row = loaded.rows.slice(bytes + start..bytes + start + length);
        ensure!(
            left == stream.clone_dtoh(&row)?,
            "the differenced kernel did not replace the gradient before"
        );
    }
    Ok(())
}

/// Makes gradients and brings them to the GPU.
fn load<'a>(gpu: &'a Gpu, recipe: &Recipe<'a>) -> Result<(Loaded<'a>, Reference)> {
    let (layout, element) = (recipe.layout, recipe.dtype.bytes());
    let mut rows = gpu.room(layout.stride * element * recipe.rows())?;
    let mut preconditioner = match recipe.preconditioned {
        true => Some(gpu.room(layout.stride * size_of::<f32>())?),
        false => None,
    };
    let reference = recipe.make(|block| {
        for (row, values) in block.rows.iter().enumerate() {
            let start = (row * layout.stride + block.start) * element;
            let mut place = rows.slice_mut(start..start + values.len() * element);
            match recipe.dtype {
                Dtype::F32 => {
                    let bytes: &[u8] = bytemuck::cast_slice(values);
                    gpu.stream.memcpy_htod(bytes, &mut place)?;
                }
                Dtype::Bf16 => {
                    let halves: Vec<u16> =
                        values.iter().map(|x| (x.to_bits() >> 16) as u16).collect();
                    let bytes: &[u8] = bytemuck::cast_slice(&halves);
                    gpu.stream.memcpy_htod(bytes, &mut place)?;
                }
            }
        }
        if let (Some(values), Some(place)) = (block.preconditioner, &mut preconditioner) {
            let bytes: &[u8] = bytemuck::cast_slice(values);
            let start = block.start * size_of::<f32>();
            let mut place = place.slice_mut(start..start + bytes.len());
            gpu.stream.memcpy_htod(bytes, &mut place)?;
        }
        Ok(())
    })?;
    let table = layout.chunk_table()?;
    let most_chunks = table.len().max(layout.flat_chunks());
    let sums = recipe.replicas.max(2) + 1;
    let lengths: Vec<u64> = layout
        .tensors
        .iter()
        .map(|tensor| tensor.length as u64)
        .collect();
    let mut loaded = Loaded {
        gpu,
        layout,
        replicas: recipe.replicas,
        dtype: recipe.dtype,
        rows,
        preconditioner,
        partial: gpu.room(sums * most_chunks * size_of::<f64>())?,
        total: gpu.room(sums * size_of::<f64>())?,
        chunk_count: u32::try_from(table.len())?,
        chunks: gpu.upload(table.as_flattened())?,
        lengths: gpu.upload(&lengths)?,
        pointers: gpu.room(0)?,
        preconditioner_pointers: gpu.room(0)?,
        functions: HashMap::new(),
    };
    let addresses: Vec<u64> = (0..recipe.replicas).map(|row| loaded.row(row)).collect();
    loaded.pointers = gpu.upload(&loaded.tensor_addresses(&addresses))?;
    let p = loaded.preconditioner_address();
    let tensors = layout.tensors.iter();
    let addresses: Vec<u64> = tensors.map(|tensor| p + tensor.start as u64 * 4).collect();
    loaded.preconditioner_pointers = gpu.upload(&addresses)?;
    let (dtype, suffix) = (recipe.dtype.name(), loaded.suffix());
    let mut names = vec!["gns_total".to_owned(), "baseline_add".to_owned()];
    for form in ["flat", "table"] {
        names.push(format!("gns_{form}_{dtype}_r{}{suffix}", recipe.replicas));
        names.push(format!("gns_differenced_{form}_{dtype}{suffix}"));
    }
    names.push(format!("baseline_average_{dtype}"));
    for operation in ["divide", "square", "sum"] {
        for dtype in ["f32", "bf16"] {
            names.push(format!("baseline_{operation}_{dtype}"));
        }
    }
    for name in names {
        let function = gpu.kernel(&name)?;
        loaded.functions.insert(name, function);
    }
    debug_assert_eq!(CHUNK % (8 * THREADS as usize), 0);
    Ok((loaded, reference))
}
