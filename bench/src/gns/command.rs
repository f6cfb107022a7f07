//! `switchyard-bench gns`: the gradient noise scale of a model's gradients on one backend. What is
//! found is checked against f64 before anything is timed.

use super::cpu::{self, Bf16, Stored};
use super::cuda::{self, Kernels};
use super::data::{Dtype, Recipe, Reference};
use super::models::{Layout, Model};
use super::report::{Figure, Report, spread};
use super::{nvrtc, plot, wgpu};
use crate::engine::{Spread, measure};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;
use switchyard::goodput::noise;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Where to compute; without a GPU, cuda says so and the CPU is measured instead
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    backend: Backend,
    /// Whose gradients; several are measured in turn
    #[arg(
        long = "model",
        value_enum,
        value_delimiter = ',',
        default_value = "flat"
    )]
    models: Vec<Model>,
    /// Elements of the flat model
    #[arg(long, default_value_t = 1 << 25, value_parser = elements)]
    elements: usize,
    /// Gradients per step, R
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=16))]
    replicas: u8,
    /// What gradients are stored as
    #[arg(long, value_enum, default_value_t = Dtype::F32)]
    dtype: Dtype,
    /// Divide by a preconditioner, as for Adam
    #[arg(long)]
    preconditioned: bool,
    /// Times per figure
    #[arg(long, default_value_t = 51, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Of the gradients
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where CUDA kernels come from
    #[arg(long, value_enum, default_value_t = Kernels::Auto)]
    kernels: Kernels,
    /// The CUDA device
    #[arg(long, default_value_t = 0)]
    device: usize,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
    /// Draw them too
    #[arg(long, value_name = "SVG")]
    plot: Option<PathBuf>,
    /// Compile the kernels that this program carries, into this file, and do nothing else
    #[arg(long, value_name = "FILE", hide = true)]
    carry: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Backend {
    /// One core
    Cpu,
    /// A GPU of NVIDIA's
    Cuda,
    /// Any GPU with Vulkan, or software
    Wgpu,
}

/// A number of elements: 1 to a million million.
fn elements(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(elements @ 1..=1_000_000_000_000) => Ok(elements),
        _ => Err("a whole number from 1 to 1e12".to_owned()),
    }
}

/// What was opened.
enum Opened {
    Cpu,
    Cuda(cuda::Gpu),
    Wgpu(wgpu::Gpu),
}

pub(crate) fn gns(arguments: &Arguments) -> Result<()> {
    if let Some(path) = &arguments.carry {
        return nvrtc::carry(path);
    }
    let opened = open(arguments)?;
    let mut reports = Vec::new();
    for &model in &arguments.models {
        let layout = model.layout(arguments.elements)?;
        let recipe = Recipe {
            layout: &layout,
            replicas: usize::from(arguments.replicas),
            dtype: arguments.dtype,
            preconditioned: arguments.preconditioned,
            seed: arguments.seed,
        };
        let report = match &opened {
            Opened::Cpu => match arguments.dtype {
                Dtype::F32 => on_cpu(model, &recipe, arguments.runs, |x| x),
                Dtype::Bf16 => on_cpu(model, &recipe, arguments.runs, Bf16::nearest),
            },
            Opened::Cuda(gpu) => cuda::measure(gpu, model, &recipe, arguments.runs),
            Opened::Wgpu(gpu) => wgpu::measure(gpu, model, &recipe, arguments.runs),
        }
        .with_context(|| format!("measuring {}", model.name()))?;
        if !arguments.json {
            report.print();
        }
        reports.push(report);
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&reports)?);
    }
    if let Some(path) = &arguments.plot {
        std::fs::write(path, plot::svg(&reports)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn open(arguments: &Arguments) -> Result<Opened> {
    match arguments.backend {
        Backend::Cpu => Ok(Opened::Cpu),
        Backend::Wgpu => Ok(Opened::Wgpu(wgpu::Gpu::open()?)),
        Backend::Cuda => {
            let replicas = usize::from(arguments.replicas);
            match cuda::Gpu::open(arguments.device, replicas, arguments.kernels) {
                Ok(gpu) => Ok(Opened::Cuda(gpu)),
                Err(error) => {
                    eprintln!("no CUDA: {error:#}\nmeasuring the CPU instead");
                    Ok(Opened::Cpu)
                }
            }
        }
    }
}

/// Measures one core; `store` makes an element of an f32.
fn on_cpu<T: Stored + bytemuck::NoUninit>(
    model: Model,
    recipe: &Recipe<'_>,
    runs: u32,
    store: fn(f32) -> T,
) -> Result<Report> {
    let (rows, preconditioner, reference) = gather(recipe, store)?;
    let slices: Vec<&[T]> = rows.iter().map(Vec::as_slice).collect();
    let fused = slices.get(..recipe.replicas).unwrap_or_default();
    let p = preconditioner.as_deref();
    let (name, compiled) = (processor(), "compiled with this program".to_owned());
    let mut report = Report::new("cpu", name, compiled, model.name(), recipe);
    report.check_fused("fused", cpu::norms(fused, p)?, &reference)?;
    let mut previous = slices.first().copied().unwrap_or_default().to_vec();
    let current = slices.get(1).copied().unwrap_or_default();
    let found = cpu::differenced(&mut previous, current, p)?;
    report.check_differenced("differenced", found, &reference)?;

    let element = recipe.dtype.bytes();
    let words: Vec<&[u32]> = fused
        .iter()
        .map(|row| bytemuck::try_cast_slice(row).map_err(anyhow::Error::msg))
        .collect::<Result<_>>()?;
    let bytes = recipe.layout.stride * element;
    let streamed = bytes * recipe.replicas;
    let p_bytes = if recipe.preconditioned {
        recipe.layout.stride * 4
    } else {
        0
    };
    let mut copied = previous.clone();
    let [sum, copy, fused_seconds, differenced] = in_turn(
        runs,
        [
            &mut || {
                black_box(words.iter().fold(0_u32, |sum, row| sum ^ cpu::stream(row)));
                Ok(())
            },
            &mut || {
                copied.copy_from_slice(black_box(current));
                Ok(())
            },
            &mut || {
                black_box(cpu::norms(black_box(fused), p)?);
                Ok(())
            },
            &mut || {
                black_box(cpu::differenced(&mut previous, black_box(current), p)?);
                Ok(())
            },
        ],
    )?;
    report
        .ceilings
        .push(Figure::moving("streaming sum", streamed, sum));
    report
        .ceilings
        .push(Figure::moving("copy", 2 * bytes, copy));
    let moved = streamed + p_bytes;
    report
        .figures
        .push(Figure::moving("fused", moved, fused_seconds));
    let moved = 3 * bytes + p_bytes;
    report
        .figures
        .push(Figure::moving("differenced", moved, differenced));
    if let Some(rows) = as_f32(fused) {
        let (_, seconds) = measure(runs.min(9), || Ok(noise::norms(&rows, p)?))?;
        report
            .figures
            .push(Figure::moving("f64 reference", streamed + p_bytes, seconds));
    }
    report.relate();
    Ok(report)
}

/// Times of several works, one run of each after the other, so that whatever else the machine does
/// falls on all alike.
fn in_turn<const N: usize>(
    runs: u32,
    mut works: [&mut dyn FnMut() -> Result<()>; N],
) -> Result<[Spread; N]> {
    let mut seconds = [const { Vec::new() }; N];
    for run in 0..=runs {
        for (work, seconds) in works.iter_mut().zip(&mut seconds) {
            let start = Instant::now();
            work()?;
            // The first run finds what is still to be loaded.
            if run > 0 {
                seconds.push(start.elapsed().as_secs_f64());
            }
        }
    }
    Ok(seconds.map(spread))
}

/// Rows of f32 as they are.
fn as_f32<'a, T: bytemuck::NoUninit>(rows: &[&'a [T]]) -> Option<Vec<&'a [f32]>> {
    if size_of::<T>() != size_of::<f32>() {
        return None;
    }
    rows.iter()
        .map(|row| bytemuck::try_cast_slice(row).ok())
        .collect()
}

type Gathered<T> = (Vec<Vec<T>>, Option<Vec<f32>>, Reference);

/// All rows in this machine's memory.
fn gather<T: Stored>(recipe: &Recipe<'_>, store: fn(f32) -> T) -> Result<Gathered<T>> {
    let Layout { stride, .. } = recipe.layout;
    let mut rows = Vec::new();
    for _ in 0..recipe.rows() {
        let mut row = Vec::new();
        row.try_reserve_exact(*stride)
            .context("the gradients do not fit in memory: take fewer replicas")?;
        rows.push(row);
    }
    let mut preconditioner = recipe.preconditioned.then(Vec::new);
    let reference = recipe.make(|block| {
        for (row, values) in rows.iter_mut().zip(block.rows) {
            row.extend(values.iter().map(|&x| store(x)));
        }
        if let (Some(all), Some(p)) = (&mut preconditioner, block.preconditioner) {
            all.extend_from_slice(p);
        }
        Ok(())
    })?;
    Ok((rows, preconditioner, reference))
}

/// The processor's name, where the system tells it.
fn processor() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = told
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map(|(_, name)| name.trim().to_owned());
    name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}
