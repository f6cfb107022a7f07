//! CUDA: `kernels/gns.cu` on real gradients in a GPU's memory, timed with the device's own events.
//!
//! Nothing of CUDA is linked: the driver is loaded when it is asked for, and where there is none, or
//! no GPU, [`Gpu::open`] says so.
//!
//! A time is that of kernels in a row between two events, over their number, so that the gap before
//! the first does not count; the copy that bandwidth is compared with is taken between the same
//! events. The baseline launches thousands of kernels, as training does, without a graph.

use super::data::{Dtype, Recipe, Reference};
use super::kernels::{self, Addresses, BASELINE_BLOCKS, Baseline, Launcher, Step};
use super::models::{Layout, Model};
use super::nvrtc::{self, Nvrtc};
use super::report::{Figure, Report, spread};
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
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use switchyard::goodput::noise::Norms;

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
    /// Kernels by name, once they were looked up.
    functions: RefCell<HashMap<String, CudaFunction>>,
    device: String,
    origin: String,
    /// What was said on the way to the kernels.
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
        let (module, origin, log) = match kernels {
            Kernels::Nvrtc => from_nvrtc(&context, replicas)?,
            Kernels::Carried => from_carried(&context, replicas)?,
            // NVRTC may be missing, older than the GPU or newer than the driver.
            Kernels::Auto => from_nvrtc(&context, replicas).or_else(|error| {
                let (module, origin, _) = from_carried(&context, replicas)?;
                anyhow::Ok((module, origin, format!("{error:#}")))
            })?,
        };
        Ok(Self {
            context,
            stream,
            module,
            functions: RefCell::default(),
            device,
            origin,
            log,
        })
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
        let seconds = (0..runs).map(|_| once(repeats)).collect::<Result<_>>()?;
        Ok(spread(seconds))
    }
}

/// Kernels, where they come from, and what was said on the way.
type Built = (Arc<CudaModule>, String, String);

fn from_nvrtc(context: &Arc<CudaContext>, replicas: usize) -> Result<Built> {
    let nvrtc = Nvrtc::find()?.with_context(|| {
        let variable = nvrtc::VARIABLE;
        format!("there is no NVRTC here ({variable} can name libnvrtc.so)")
    })?;
    let (major, minor) = context.compute_capability()?;
    let options = [
        format!("--gpu-architecture=sm_{major}{minor}"),
        format!("-DREPLICAS={replicas}"),
    ];
    let compiled = nvrtc.compile(nvrtc::SOURCE, &options)?;
    let module = context
        .load_module(Ptx::from_binary(compiled.cubin))
        .with_context(|| format!("the driver does not take what {} makes", nvrtc.name()))?;
    Ok((module, nvrtc.name(), compiled.log))
}

fn from_carried(context: &Arc<CudaContext>, replicas: usize) -> Result<Built> {
    let carried = nvrtc::CARRIED_REPLICAS;
    ensure!(
        carried.contains(&replicas),
        "without NVRTC there are kernels for {carried:?} replicas only"
    );
    let module = context
        .load_module(Ptx::from_src(nvrtc::carried()?))
        .context("the driver does not take the carried PTX")?;
    Ok((module, "carried PTX".to_owned(), String::new()))
}

impl Launcher for Gpu {
    fn launch(&self, kernel: &str, blocks: u32, threads: u32, arguments: &[u64]) -> Result<()> {
        let mut functions = self.functions.borrow_mut();
        if !functions.contains_key(kernel) {
            let function = self.module.load_function(kernel);
            let function = function.with_context(|| format!("kernel {kernel}"))?;
            functions.insert(kernel.to_owned(), function);
        }
        let function = functions.get(kernel).context("just put there")?;
        let mut builder = self.stream.launch_builder(function);
        for argument in arguments {
            builder.arg(argument);
        }
        let config = LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (threads, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: `kernels` gives the arguments of the kernel's declaration and addresses of
        // buffers of the shapes it documents; on a little-endian machine a narrower argument is
        // read from the first bytes of a wider one.
        unsafe { builder.launch(config) }
            .with_context(|| format!("kernel {kernel} on {blocks} blocks"))?;
        Ok(())
    }
}

/// What is in the GPU's memory, by the names of [`Addresses`].
struct Loaded<'a> {
    gpu: &'a Gpu,
    layout: &'a Layout,
    replicas: usize,
    dtype: Dtype,
    rows: CudaSlice<u8>,
    preconditioner: Option<CudaSlice<u8>>,
    partial: CudaSlice<u8>,
    total: CudaSlice<u8>,
    chunks: CudaSlice<u8>,
    chunk_count: u32,
    lengths: CudaSlice<u8>,
    pointers: CudaSlice<u8>,
    preconditioner_pointers: CudaSlice<u8>,
}

impl Loaded<'_> {
    fn step(&self) -> Step<'_> {
        let address = |slice| self.gpu.address(slice);
        Step {
            launcher: self.gpu,
            layout: self.layout,
            replicas: self.replicas,
            dtype: self.dtype,
            chunks: self.chunk_count,
            at: Addresses {
                rows: address(&self.rows),
                preconditioner: self.preconditioner.as_ref().map_or(0, address),
                partial: address(&self.partial),
                total: address(&self.total),
                chunks: address(&self.chunks),
                lengths: address(&self.lengths),
                pointers: address(&self.pointers),
                preconditioner_pointers: address(&self.preconditioner_pointers),
            },
        }
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

    /// Runs a kernel on poisoned sums, twice, and returns what it finds.
    fn run(&mut self, count: usize, work: &dyn Fn(&Self) -> Result<()>) -> Result<Norms> {
        let mut once = || -> Result<Vec<f64>> {
            self.poison()?;
            work(self)?;
            let bytes = self.gpu.stream.clone_dtoh(&self.total)?;
            let mut totals: Vec<f64> = bytemuck::pod_collect_to_vec(&bytes);
            totals.truncate(count + 1);
            Ok(totals)
        };
        let (first, second) = (once()?, once()?);
        let norms = kernels::norms(&first, count)?;
        ensure!(
            first == second,
            "a second run gives other bits: {first:?}, then {second:?}"
        );
        Ok(norms)
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
    let found = loaded.run(replicas, &|loaded| loaded.step().fused_flat())?;
    report.check_fused("fused", found, &reference)?;
    let found = loaded.run(replicas, &|loaded| loaded.step().fused_table())?;
    report.check_fused("fused, chunk table", found, &reference)?;
    let previous = gpu.room(row_bytes)?;
    let current = loaded.step().row(1);
    let addresses = [gpu.address(&previous), current];
    let pair = gpu.upload(&loaded.step().tensor_addresses(&addresses))?;
    let found = loaded.run(2, &|loaded| {
        copy_row(loaded, 0, &previous)?;
        loaded
            .step()
            .differenced_flat(gpu.address(&previous), current)
    })?;
    report.check_differenced("differenced", found, &reference)?;
    replaced(&loaded, &previous)?;
    let found = loaded.run(2, &|loaded| {
        copy_row(loaded, 0, &previous)?;
        loaded.step().differenced_table(gpu.address(&pair))
    })?;
    report.check_differenced("differenced, chunk table", found, &reference)?;
    replaced(&loaded, &previous)?;
    let longest = layout.tensors.iter().map(|tensor| tensor.length).max();
    let scratch = longest.unwrap_or(0) * size_of::<f32>();
    let (mean, a, b) = (gpu.room(row_bytes)?, gpu.room(scratch)?, gpu.room(scratch)?);
    let partial = gpu.room(BASELINE_BLOCKS as usize * size_of::<f64>())?;
    let (ticket, term) = (gpu.upload(&[0_u32])?, gpu.upload(&[0.0_f64])?);
    let totals = gpu.upload(&[0.0_f64; 2])?;
    let baseline = Baseline {
        mean: gpu.address(&mean),
        scratch: [gpu.address(&a), gpu.address(&b)],
        partial: gpu.address(&partial),
        ticket: gpu.address(&ticket),
        term: gpu.address(&term),
        totals: gpu.address(&totals),
    };
    let step = loaded.step();
    baseline.average(&step)?;
    baseline.run(&step)?;
    let totals = gpu.stream.clone_dtoh(&totals)?;
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
    let seconds = gpu.time(runs, &mut || step.fused_flat())?;
    report
        .figures
        .push(Figure::moving("fused", fused_bytes, seconds));
    let seconds = gpu.time(runs, &mut || step.fused_table())?;
    report
        .figures
        .push(Figure::moving("fused, chunk table", fused_bytes, seconds));
    let differenced_bytes = 3 * layout.elements * element + p_bytes;
    let seconds = gpu.time(runs, &mut || {
        step.differenced_flat(gpu.address(&previous), current)
    })?;
    report
        .figures
        .push(Figure::moving("differenced", differenced_bytes, seconds));
    let seconds = gpu.time(runs, &mut || step.differenced_table(gpu.address(&pair)))?;
    report.figures.push(Figure::moving(
        "differenced, chunk table",
        differenced_bytes,
        seconds,
    ));
    let seconds = gpu.time(runs.min(9), &mut || baseline.run(&step))?;
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
    let (to, from) = (gpu.address(to), loaded.step().row(row));
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
    let partial_sums = Step::partial_sums(layout, recipe.replicas, table.len());
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
        partial: gpu.room(partial_sums * size_of::<f64>())?,
        total: gpu.room(sums * size_of::<f64>())?,
        chunk_count: u32::try_from(table.len())?,
        chunks: gpu.upload(table.as_flattened())?,
        lengths: gpu.upload(&lengths)?,
        pointers: gpu.room(0)?,
        preconditioner_pointers: gpu.room(0)?,
    };
    let step = loaded.step();
    let rows: Vec<u64> = (0..recipe.replicas).map(|row| step.row(row)).collect();
    let pointers = step.tensor_addresses(&rows);
    let p = step.at.preconditioner;
    let tensors = layout.tensors.iter();
    let preconditioners: Vec<u64> = tensors.map(|tensor| p + tensor.start as u64 * 4).collect();
    loaded.pointers = gpu.upload(&pointers)?;
    loaded.preconditioner_pointers = gpu.upload(&preconditioners)?;
    Ok((loaded, reference))
}
