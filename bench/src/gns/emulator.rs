//! The CUDA kernels on this machine's CPU: `kernels/gns.cu` compiled as C++ behind
//! `kernels/emulator.hpp`, so that what they compute is tested where there is no GPU. Their speed,
//! and what only a GPU's memory can get wrong, is not.

use super::data::{Dtype, Recipe, Reference};
use super::kernels::{self, Addresses, BASELINE_BLOCKS, Baseline, Launcher, Step};
use super::models::{CHUNK, Layout};
use super::nvrtc::CARRIED_REPLICAS;
use anyhow::{Context as _, Result, ensure};
use libloading::Library;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use switchyard::goodput::noise::{self, Norms};

/// The kernels as a library.
struct Emulator {
    /// It keeps a block's state in one place, so there is one launch at a time.
    library: Mutex<Library>,
    folder: PathBuf,
}

impl Emulator {
    /// Compiles those that `define` asks for; `None`, said aloud, where there is no C++ compiler of
    /// x86-64.
    fn new(name: &str, define: &str) -> Option<Self> {
        let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
        let folder = std::env::temp_dir().join(format!("gns-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let to = folder.join("libgns.so");
        let mut compiler = Command::new("c++");
        compiler
            .args([
                "-std=c++17",
                "-O1",
                "-shared",
                "-fPIC",
                "-w",
                define,
                "-include",
            ])
            .arg(here.join("emulator.hpp"))
            .args(["-x", "c++"])
            .arg(here.join("gns.cu"))
            .arg("-o")
            .arg(&to);
        let output = match compiler.output() {
            Ok(output) if cfg!(all(target_arch = "x86_64", target_os = "linux")) => output,
            _ => {
                eprintln!("SKIPPED: no C++ compiler to emulate the CUDA kernels with");
                return None;
            }
        };
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "the kernels are no C++: {said}");
        // SAFETY: our own library, without initialisers.
        let library = unsafe { Library::new(&to) }.expect("a library");
        Some(Self {
            library: Mutex::new(library),
            folder,
        })
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // What is left is left to the system.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Launcher for Emulator {
    fn launch(&self, kernel: &str, blocks: u32, threads: u32, arguments: &[u64]) -> Result<()> {
        let library = self.library.lock().expect("no panic while launching");
        let mut integers = arguments.to_vec();
        let mut real = 0.0;
        if kernel.starts_with("baseline_divide") {
            real = f32::from_bits(integers.remove(3) as u32);
        }
        ensure!(integers.len() <= 5, "{kernel} takes too many arguments");
        integers.resize(5, 0);
        // SAFETY: as for a GPU, `kernels` gives arguments by the declarations; `emulate` reads five.
        unsafe {
            type Emulate = unsafe extern "C" fn(*const (), u32, u32, *const u64, f32);
            let emulate = library.get::<Emulate>(b"emulate\0")?;
            let symbol = library.get::<*const ()>(format!("{kernel}\0").as_bytes());
            let symbol = symbol.with_context(|| format!("kernel {kernel}"))?;
            emulate(
                symbol.try_as_raw_ptr().context("an address")? as *const (),
                blocks,
                threads,
                integers.as_ptr(),
                real,
            );
        }
        Ok(())
    }
}

/// Memory for kernels: of numbers of 16 bytes, so that it is aligned as a GPU's is.
struct Memory(Vec<u128>);

impl Memory {
    fn new(bytes: usize) -> Self {
        Self(vec![u128::MAX; bytes.div_ceil(16) + 1])
    }

    fn of(bytes: &[u8]) -> Self {
        let mut this = Self::new(bytes.len());
        this.bytes_mut()[..bytes.len()].copy_from_slice(bytes);
        this
    }

    fn address(&self) -> u64 {
        self.0.as_ptr() as u64
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.0)
    }

    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }

    fn doubles(&self, count: usize) -> Vec<f64> {
        bytemuck::pod_collect_to_vec(&self.bytes()[..count * 8])
    }
}

/// A step in this machine's memory.
struct Emulated<'a> {
    emulator: &'a Emulator,
    recipe: Recipe<'a>,
    rows: Memory,
    preconditioner: Option<Memory>,
    partial: Memory,
    total: Memory,
    chunks: Memory,
    chunk_count: u32,
    lengths: Memory,
    pointers: Memory,
    preconditioner_pointers: Memory,
}

impl<'a> Emulated<'a> {
    fn new(emulator: &'a Emulator, recipe: Recipe<'a>) -> (Self, Reference) {
        let (layout, element) = (recipe.layout, recipe.dtype.bytes());
        let mut rows = Memory::new(layout.stride * element * recipe.rows());
        let mut p = recipe
            .preconditioned
            .then(|| Memory::new(layout.stride * 4));
        let reference = recipe
            .make(|block| {
                for (row, values) in block.rows.iter().enumerate() {
                    let at = (row * layout.stride + block.start) * element;
                    for (place, value) in
                        rows.bytes_mut()[at..].chunks_exact_mut(element).zip(values)
                    {
                        // The upper half of an f32 is a bf16.
                        place.copy_from_slice(&value.to_le_bytes()[4 - element..]);
                    }
                }
                if let (Some(all), Some(values)) = (&mut p, block.preconditioner) {
                    let bytes: &[u8] = bytemuck::cast_slice(values);
                    let at = block.start * 4;
                    all.bytes_mut()[at..at + bytes.len()].copy_from_slice(bytes);
                }
                Ok(())
            })
            .expect("sound gradients");
        let table = layout.chunk_table().expect("few chunks");
        let lengths: Vec<u64> = layout.tensors.iter().map(|t| t.length as u64).collect();
        let sums = Step::partial_sums(layout, recipe.replicas, table.len());
        let mut this = Self {
            emulator,
            recipe,
            rows,
            preconditioner: p,
            partial: Memory::new(sums * 8),
            total: Memory::new((recipe.rows() + 1) * 8),
            chunks: Memory::of(bytemuck::cast_slice(&table)),
            chunk_count: table.len() as u32,
            lengths: Memory::of(bytemuck::cast_slice(&lengths)),
            pointers: Memory::new(0),
            preconditioner_pointers: Memory::new(0),
        };
        let step = this.step();
        let rows: Vec<u64> = (0..recipe.replicas).map(|row| step.row(row)).collect();
        let pointers = step.tensor_addresses(&rows);
        let p = step.at.preconditioner;
        let ps: Vec<u64> = layout
            .tensors
            .iter()
            .map(|tensor| p + tensor.start as u64 * 4)
            .collect();
        this.pointers = Memory::of(bytemuck::cast_slice(&pointers));
        this.preconditioner_pointers = Memory::of(bytemuck::cast_slice(&ps));
        (this, reference)
    }

    fn step(&self) -> Step<'_> {
        Step {
            launcher: self.emulator,
            layout: self.recipe.layout,
            replicas: self.recipe.replicas,
            dtype: self.recipe.dtype,
            chunks: self.chunk_count,
            at: Addresses {
                rows: self.rows.address(),
                preconditioner: self.preconditioner.as_ref().map_or(0, Memory::address),
                partial: self.partial.address(),
                total: self.total.address(),
                chunks: self.chunks.address(),
                lengths: self.lengths.address(),
                pointers: self.pointers.address(),
                preconditioner_pointers: self.preconditioner_pointers.address(),
            },
        }
    }

    /// What `work` leaves in the poisoned totals.
    fn norms(&mut self, count: usize, work: impl Fn(&Step<'_>) -> Result<()>) -> Result<Norms> {
        self.partial.bytes_mut().fill(0xff);
        self.total.bytes_mut().fill(0xff);
        work(&self.step())?;
        kernels::norms(&self.total.doubles(count + 1), count)
    }
}

fn near(found: Norms, exact: Norms) -> bool {
    let off = |a: f64, b: f64| ((a - b) / exact.mean_of_squares).abs();
    found.count == exact.count
        && off(found.mean_of_squares, exact.mean_of_squares) < 1e-6
        && off(found.square_of_mean, exact.square_of_mean) < 1e-6
}

#[test]
fn fused_kernels_agree_with_f64() {
    let Some(emulator) = Emulator::new("fused", "-DCARRIED") else {
        return;
    };
    let layout = Layout::new(&[CHUNK + 8195, 7, 1000, 1, 64]).expect("sound");
    for replicas in CARRIED_REPLICAS {
        for dtype in [Dtype::F32, Dtype::Bf16] {
            for preconditioned in [false, true] {
                let recipe = Recipe {
                    layout: &layout,
                    replicas,
                    dtype,
                    preconditioned,
                    seed: replicas as u64,
                };
                let (mut emulated, reference) = Emulated::new(&emulator, recipe);
                let what = format!("{replicas} {dtype:?} {preconditioned}");
                let flat = emulated
                    .norms(replicas, |step| step.fused_flat())
                    .expect("sound");
                assert!(
                    near(flat, reference.stored),
                    "{what}: {flat:?} {reference:?}"
                );
                let table = emulated
                    .norms(replicas, |step| step.fused_table())
                    .expect("sound");
                assert!(
                    near(table, reference.stored),
                    "{what}: {table:?} {reference:?}"
                );
            }
        }
    }
}

#[test]
fn the_differenced_kernels_replace_the_gradient_before() {
    let Some(emulator) = Emulator::new("differenced", "-DREPLICAS=1") else {
        return;
    };
    let layout = Layout::new(&[CHUNK + 8195, 7, 1000, 1]).expect("sound");
    for dtype in [Dtype::F32, Dtype::Bf16] {
        for preconditioned in [false, true] {
            let recipe = Recipe {
                layout: &layout,
                replicas: 1,
                dtype,
                preconditioned,
                seed: 3,
            };
            let bytes = layout.stride * dtype.bytes();
            for form in ["flat", "table"] {
                let (mut emulated, reference) = Emulated::new(&emulator, recipe);
                let current = emulated.rows.bytes()[bytes..2 * bytes].to_vec();
                let addresses = {
                    let step = emulated.step();
                    step.tensor_addresses(&[step.row(0), step.row(1)])
                };
                let pair = Memory::of(bytemuck::cast_slice(&addresses));
                let found = emulated.norms(2, |step| match form {
                    "flat" => step.differenced_flat(step.row(0), step.row(1)),
                    _ => step.differenced_table(pair.address()),
                });
                let found = found.expect("sound");
                assert!(
                    near(found, reference.pair),
                    "{form} {dtype:?} {preconditioned}"
                );
                assert!(
                    emulated.rows.bytes()[..bytes] == current,
                    "{form} {dtype:?}"
                );
            }
        }
    }
}

#[test]
fn rows_that_are_not_aligned_are_summed_up_too() {
    let Some(emulator) = Emulator::new("unaligned", "-DREPLICAS=3") else {
        return;
    };
    // An odd stride: rows begin anywhere.
    let (n, replicas) = (CHUNK + 777, 3);
    let values: Vec<f32> = (0..n * replicas)
        .map(|i| (i % 1013) as f32 - 400.0)
        .collect();
    let rows = Memory::of(bytemuck::cast_slice(&values));
    let (partial, total) = (Memory::new(4 * 2 * 8), Memory::new(4 * 8));
    let (n64, to) = (n as u64, partial.address());
    let arguments = [rows.address(), n64, n64, 0, to];
    emulator
        .launch("gns_flat_f32_r3", 2, 256, &arguments)
        .expect("a kernel");
    let arguments = [to, 2, total.address()];
    emulator
        .launch("gns_total", 4, 1024, &arguments)
        .expect("a kernel");
    let found = kernels::norms(&total.doubles(4), replicas).expect("sound");
    let slices: Vec<&[f32]> = values.chunks(n).collect();
    let exact = noise::norms(&slices, None).expect("sound");
    assert!(near(found, exact), "{found:?} {exact:?}");
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let Some(emulator) = Emulator::new("refused", "-DREPLICAS=2") else {
        return;
    };
    let layout = Layout::new(&[5000, 9]).expect("sound");
    for dtype in [Dtype::F32, Dtype::Bf16] {
        let recipe = Recipe {
            layout: &layout,
            replicas: 2,
            dtype,
            preconditioned: true,
            seed: 5,
        };
        let forms: [fn(&Step<'_>) -> Result<()>; 2] = [|s| s.fused_flat(), |s| s.fused_table()];
        for form in forms {
            // A NaN in row 1, in the last tensor's last element.
            let (mut emulated, _) = Emulated::new(&emulator, recipe);
            let last = layout.tensors[1].start + layout.tensors[1].length - 1;
            let at = (layout.stride + last) * dtype.bytes();
            emulated.rows.bytes_mut()[at..at + dtype.bytes()].fill(0xff);
            let error = emulated.norms(2, form).expect_err("refused").to_string();
            assert!(error.starts_with("gradient 1 "), "{error}");
            // Preconditioners that cannot be divided by.
            for bad in [0.0_f32, -1.0, f32::NAN, f32::INFINITY] {
                let (mut emulated, _) = Emulated::new(&emulator, recipe);
                let p = emulated.preconditioner.as_mut().expect("asked for");
                p.bytes_mut()[4 * 4321..4 * 4322].copy_from_slice(&bad.to_le_bytes());
                assert!(emulated.norms(2, form).is_err(), "{bad}");
            }
        }
    }
}

#[test]
fn the_baseline_computes_the_same() {
    let Some(emulator) = Emulator::new("baseline", "-DREPLICAS=3") else {
        return;
    };
    let layout = Layout::new(&[20_000, 7, 4096]).expect("sound");
    for dtype in [Dtype::F32, Dtype::Bf16] {
        for preconditioned in [false, true] {
            let recipe = Recipe {
                layout: &layout,
                replicas: 3,
                dtype,
                preconditioned,
                seed: 9,
            };
            let (emulated, reference) = Emulated::new(&emulator, recipe);
            let mean = Memory::new(layout.stride * dtype.bytes());
            let scratch = [Memory::new(20_000 * 4), Memory::new(20_000 * 4)];
            let partial = Memory::new(BASELINE_BLOCKS as usize * 8);
            let (ticket, term) = (Memory::of(&[0; 4]), Memory::of(&[0; 8]));
            let totals = Memory::of(&[0; 16]);
            let baseline = Baseline {
                mean: mean.address(),
                scratch: scratch.each_ref().map(Memory::address),
                partial: partial.address(),
                ticket: ticket.address(),
                term: term.address(),
                totals: totals.address(),
            };
            let step = emulated.step();
            baseline.average(&step).expect("a kernel");
            baseline.run(&step).expect("kernels");
            let found = totals.doubles(2);
            let exact = reference.stored;
            // In bf16 squares and averages are rounded once more.
            let tolerance = if dtype == Dtype::F32 { 1e-6 } else { 5e-3 };
            let off = |a: f64, b: f64| (a / b - 1.0).abs();
            assert!(
                off(found[0], 3.0 * exact.mean_of_squares) < tolerance,
                "{found:?}"
            );
            assert!(off(found[1], exact.square_of_mean) < tolerance, "{found:?}");
        }
    }
}
