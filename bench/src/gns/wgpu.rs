//! WebGPU without a browser: `kernels/gns.wgsl` through wgpu on Vulkan, on a GPU or a software adapter.
//!
//! One row of all tensors end to end per replica; the partial sums come back and are added in f64
//! here. Times are those of many dispatches between two waits for the queue, over their number; the
//! copy that bandwidth is compared with is a kernel, too, and measured the same way.

use super::data::{Dtype, Recipe, Reference};
use super::models::{CHUNK, Model};
use super::report::{Figure, Report, spread};
use crate::engine::Spread;
use anyhow::{Context as _, Result, bail, ensure};
use std::time::Instant;
use switchyard::goodput::noise::Norms;
use wgpu::{
    Adapter, BindGroup, Buffer, BufferUsages, ComputePipeline, Device, DeviceType, MapMode,
    PollType, Queue, ShaderModule,
};

/// The kernel, without its first lines.
const SOURCE: &str = include_str!("../../kernels/gns.wgsl");

/// The time between two waits, in seconds.
const BETWEEN_WAITS: f64 = 0.05;

/// Bytes that go up at a time: they wait in memory that both sides see.
const STAGED: usize = 32 << 20;

/// The whole text of the kernel.
pub(crate) fn source(replicas: usize, dtype: Dtype, preconditioned: bool) -> String {
    let bf16 = dtype == Dtype::Bf16;
    format!(
        "const REPLICAS: u32 = {replicas}u;\nconst BF16: bool = {bf16};\n\
         const PRECONDITIONED: bool = {preconditioned};\n{SOURCE}"
    )
}

/// Bytes that one workgroup copies, as in `gns.wgsl`.
const COPIED: usize = 65_536;

/// What a workgroup leaves, as in `gns.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Partial {
    squares: f32,
    square_of_mean: f32,
    unsound: u32,
}

/// An adapter, opened.
pub(crate) struct Gpu {
    device: Device,
    queue: Queue,
    name: String,
    is_software: bool,
}

impl Gpu {
    /// The fastest adapter.
    ///
    /// # Errors
    ///
    /// If there is none: what to do.
    pub(crate) fn open() -> Result<Self> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::VULKAN;
        let instance = wgpu::Instance::new(descriptor);
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options)).context(
            "this machine has no Vulkan adapter, not even one in software (Mesa's lavapipe is in \
             the package mesa-vulkan-drivers)",
        )?;
        Self::of(&adapter)
    }

    fn of(adapter: &Adapter) -> Result<Self> {
        let info = adapter.get_info();
        let descriptor = wgpu::DeviceDescriptor {
            label: None,
            // As much memory as there is, in one binding.
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
        Ok(Self {
            device,
            queue,
            name: format!("{} ({} {})", info.name, info.driver, info.driver_info),
            is_software: info.device_type == DeviceType::Cpu,
        })
    }

    fn buffer(&self, size: usize, usage: BufferUsages) -> Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: size as u64,
            usage,
            mapped_at_creation: false,
        })
    }

    fn wait(&self) -> Result<()> {
        self.device.poll(PollType::wait_indefinitely())?;
        Ok(())
    }

    /// What is in `buffer` once what `encode` records was done.
    fn after(
        &self,
        encode: impl FnOnce(&mut wgpu::CommandEncoder),
        buffer: &Buffer,
    ) -> Result<Vec<u8>> {
        let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
        let back = self.buffer(usize::try_from(buffer.size())?, usage);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encode(&mut encoder);
        encoder.copy_buffer_to_buffer(buffer, 0, &back, 0, Some(buffer.size()));
        self.queue.submit([encoder.finish()]);
        let (sender, receiver) = std::sync::mpsc::channel();
        back.slice(..).map_async(MapMode::Read, move |result| {
            // Nobody listens any more only where this function has failed already.
            let _ = sender.send(result);
        });
        self.wait()?;
        receiver.recv()??;
        Ok(back.slice(..).get_mapped_range()?.to_vec())
    }

    /// The median of `runs` times of what `encode` records.
    fn time(&self, runs: u32, encode: &dyn Fn(&mut wgpu::CommandEncoder)) -> Result<Spread> {
        let once = |repeats: u32| -> Result<f64> {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            for _ in 0..repeats {
                encode(&mut encoder);
            }
            let start = Instant::now();
            self.queue.submit([encoder.finish()]);
            self.wait()?;
            Ok(start.elapsed().as_secs_f64() / f64::from(repeats))
        };
        once(1)?;
        let repeats = (BETWEEN_WAITS / once(1)?).ceil().clamp(1.0, 1000.0) as u32;
        let seconds = (0..runs).map(|_| once(repeats)).collect::<Result<_>>()?;
        Ok(spread(seconds))
    }
}

/// Gradients in the adapter's memory, and the kernel for them.
struct Loaded<'a> {
    gpu: &'a Gpu,
    #[cfg(test)]
    rows: Buffer,
    partials: Buffer,
    copied: Buffer,
    noise: Kernel,
    copy: Kernel,
    replicas: usize,
}

/// One of the kernels with what it works on.
struct Kernel {
    pipeline: ComputePipeline,
    bindings: BindGroup,
    /// Workgroups along x and y.
    groups: (u32, u32),
}

impl Kernel {
    /// The kernel of this name for so many workgroups; `buffers` with the numbers they are bound to.
    fn new(
        device: &Device,
        module: &ShaderModule,
        name: &str,
        groups: usize,
        buffers: &[(u32, &Buffer)],
    ) -> Result<Self> {
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module,
            entry_point: Some(name),
            compilation_options: Default::default(),
            cache: None,
        });
        let entries: Vec<wgpu::BindGroupEntry<'_>> = buffers
            .iter()
            .map(|&(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let groups = u32::try_from(groups)?;
        let along = groups.min(device.limits().max_compute_workgroups_per_dimension);
        Ok(Self {
            pipeline,
            bindings,
            groups: (along, groups.div_ceil(along)),
        })
    }

    fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.dispatch_workgroups(self.groups.0, self.groups.1, 1);
    }
}

impl Loaded<'_> {
    /// Runs the kernel once on poisoned partial sums and adds up what it leaves.
    fn run(&self) -> Result<(Norms, Vec<u8>)> {
        let gpu = self.gpu;
        let size = usize::try_from(self.partials.size())?;
        gpu.queue.write_buffer(&self.partials, 0, &vec![0xff; size]);
        let bytes = gpu.after(|encoder| self.noise.encode(encoder), &self.partials)?;
        let partials: Vec<Partial> = bytemuck::pod_collect_to_vec(&bytes);
        let (mut squares, mut mean) = (0.0, 0.0);
        for partial in &partials {
            ensure!(
                partial.unsound == 0 && (partial.squares + partial.square_of_mean).is_finite(),
                "a gradient or the preconditioner has an element that cannot be measured"
            );
            squares += f64::from(partial.squares);
            mean += f64::from(partial.square_of_mean);
        }
        let norms = Norms {
            count: u32::try_from(self.replicas)?,
            mean_of_squares: squares / self.replicas as f64,
            square_of_mean: mean,
        };
        Ok((norms, bytes))
    }
}

/// Measures one model.
pub(crate) fn measure(gpu: &Gpu, model: Model, recipe: &Recipe<'_>, runs: u32) -> Result<Report> {
    let (layout, replicas) = (recipe.layout, recipe.replicas);
    let row_bytes = layout.stride * recipe.dtype.bytes();
    let bytes = row_bytes * replicas;
    let limits = gpu.device.limits();
    let most = limits
        .max_storage_buffer_binding_size
        .min(limits.max_buffer_size);
    if bytes as u64 > most {
        bail!(
            "{} with {replicas} replicas takes {:.0} MiB in one buffer, and {} takes {:.0}: take \
             fewer replicas",
            model.name(),
            bytes as f64 / (1 << 20) as f64,
            gpu.name,
            most as f64 / (1 << 20) as f64
        );
    }
    let (loaded, reference) = load(gpu, recipe)?;
    let kernels = "WGSL by naga".to_owned();
    let mut report = Report::new("wgpu", gpu.name.clone(), kernels, model.name(), recipe);
    let (found, first) = loaded.run()?;
    report.check_fused("fused", found, &reference)?;
    let (_, second) = loaded.run()?;
    ensure!(first == second, "a second run gives other bits");

    let moved = 2 * usize::try_from(loaded.copied.size())?;
    let copy = gpu.time(runs, &|encoder| loaded.copy.encode(encoder))?;
    report.ceilings.push(Figure::moving("copy", moved, copy));
    let p_bytes = if recipe.preconditioned {
        layout.elements * 4
    } else {
        0
    };
    let moved = layout.elements * recipe.dtype.bytes() * replicas + p_bytes;
    let seconds = gpu.time(runs, &|encoder| loaded.noise.encode(encoder))?;
    report.figures.push(Figure::moving("fused", moved, seconds));
    report.relate();
    if gpu.is_software {
        let remark = "the adapter is software: its times say nothing of a GPU";
        report.remarks.push(remark.to_owned());
    }
    Ok(report)
}

fn load<'a>(gpu: &'a Gpu, recipe: &Recipe<'_>) -> Result<(Loaded<'a>, Reference)> {
    let (layout, replicas) = (recipe.layout, recipe.replicas);
    let element = recipe.dtype.bytes();
    let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
    let rows = gpu.buffer(layout.stride * element * replicas, storage);
    // One vector where there is none, since every binding must be of something.
    let p_bytes = if recipe.preconditioned {
        layout.stride * 4
    } else {
        16
    };
    let preconditioner = gpu.buffer(p_bytes, storage);
    let mut staged = 0;
    let mut write = |to: &Buffer, at: usize, bytes: &[u8]| -> Result<()> {
        gpu.queue.write_buffer(to, at as u64, bytes);
        staged += bytes.len();
        if staged >= STAGED {
            gpu.queue.submit([]);
            gpu.wait()?;
            staged = 0;
        }
        Ok(())
    };
    let reference = recipe.make(|block| {
        for (row, values) in block.rows.iter().take(replicas).enumerate() {
            let at = (row * layout.stride + block.start) * element;
            match recipe.dtype {
                Dtype::F32 => write(&rows, at, bytemuck::cast_slice(values))?,
                Dtype::Bf16 => {
                    let halves: Vec<u16> =
                        values.iter().map(|x| (x.to_bits() >> 16) as u16).collect();
                    write(&rows, at, bytemuck::cast_slice(&halves))?;
                }
            }
        }
        match block.preconditioner {
            Some(p) => write(&preconditioner, block.start * 4, bytemuck::cast_slice(p)),
            None => Ok(()),
        }
    })?;
    let vectors = u32::try_from(layout.stride * element / 16)?;
    let shape = gpu.buffer(16, BufferUsages::UNIFORM | BufferUsages::COPY_DST);
    write(&shape, 0, bytemuck::cast_slice(&[vectors, 0, 0, 0]))?;
    let chunks = layout.stride.div_ceil(CHUNK);
    let partials = gpu.buffer(chunks * size_of::<Partial>(), storage);

    let text = source(replicas, recipe.dtype, recipe.preconditioned);
    let module = gpu
        .device
        .create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
    let copied = gpu.buffer(layout.stride * element * replicas / 32 * 16, storage);
    let device = &gpu.device;
    let buffers = [
        (0, &rows),
        (1, &preconditioner),
        (2, &partials),
        (3, &shape),
    ];
    let noise = Kernel::new(device, &module, "noise", chunks, &buffers)?;
    let groups = usize::try_from(copied.size())?.div_ceil(COPIED);
    let copy = Kernel::new(device, &module, "copy", groups, &[(0, &rows), (4, &copied)])?;
    let loaded = Loaded {
        gpu,
        #[cfg(test)]
        rows,
        partials,
        copied,
        noise,
        copy,
        replicas,
    };
    Ok((loaded, reference))
}

#[cfg(test)]
mod tests {
    use super::super::models::Layout;
    use super::*;

    #[test]
    fn the_kernel_is_valid_for_every_shape() {
        use naga::valid::{Capabilities, ValidationFlags, Validator};
        for replicas in 1..=16 {
            for dtype in [Dtype::F32, Dtype::Bf16] {
                for preconditioned in [false, true] {
                    let text = source(replicas, dtype, preconditioned);
                    let module = naga::front::wgsl::parse_str(&text).expect("it parses");
                    // With what WebGPU guarantees and nothing more.
                    let mut validator =
                        Validator::new(ValidationFlags::all(), Capabilities::empty());
                    validator.validate(&module).expect("it is valid");
                }
            }
        }
    }

    #[test]
    fn an_adapter_agrees_with_f64() {
        let gpu = match Gpu::open() {
            Ok(gpu) => gpu,
            Err(error) => {
                eprintln!("SKIPPED: {error:#}");
                return;
            }
        };
        let layout = Layout::new(&[3 * CHUNK + 5, 7, 1000]).expect("sound");
        for (replicas, dtype, preconditioned) in [
            (1, Dtype::F32, false),
            (8, Dtype::F32, true),
            (8, Dtype::Bf16, true),
            (16, Dtype::Bf16, false),
            (5, Dtype::F32, false),
        ] {
            let recipe = Recipe {
                layout: &layout,
                replicas,
                dtype,
                preconditioned,
                seed: 11,
            };
            let (loaded, reference) = load(&gpu, &recipe).expect("it loads");
            let (found, bytes) = loaded.run().expect("sound");
            let mut report = Report::new("wgpu", String::new(), String::new(), "test", &recipe);
            report
                .check_fused("fused", found, &reference)
                .expect("it agrees");
            assert!(bytes == loaded.run().expect("sound").1, "other bits");
            // The copy is one.
            let copied = gpu.after(|encoder| loaded.copy.encode(encoder), &loaded.copied);
            let rows = gpu.after(|_| (), &loaded.rows).expect("they are there");
            assert!(rows.starts_with(&copied.expect("it copies")));
            // A NaN, wherever it is, is refused.
            let nan = [0xff_u8; 4];
            gpu.queue.write_buffer(&loaded.rows, 4 * 777, &nan);
            assert!(
                loaded.run().is_err(),
                "{replicas} {dtype:?} {preconditioned}"
            );
        }
    }
}
