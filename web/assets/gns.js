// "Measure your GPU": the gradient noise scale of random gradients by WebGPU, beside the same on the
// CPU. It runs the text of bench/kernels/gns.wgsl, asks the network for nothing once that is there,
// and knows nothing of the page around it.
//
// Gradients are R rows of f32, g_k = a·(s + 2·n_k) with a signal s and noise n_k of variance 1, so
// the noise scale is 4 batches of one replica. Partial sums of chunks come back from the GPU and are
// added in f64 here (Pollux, OSDI'21, section 3.1; bench/src/gns/wgpu.rs is the same in Rust).

/** Elements of a chunk, the work of one workgroup. As in gns.wgsl. */
const CHUNK = 16384;

/** Bytes that one workgroup copies. As in gns.wgsl. */
const COPIED = 65536;

/** Bytes of a partial sum: Σ|g_k|², |ḡ|², whether an element is unsound. */
const PARTIAL = 12;

const REPLICAS = 8;

/** Bytes of all gradients: several times a GPU's cache; less where software plays the GPU. */
const BYTES = 256 * 2 ** 20;
const SOFTWARE_BYTES = 16 * 2 ** 20;

/** The least time between two waits for the queue, in milliseconds, and how often that is measured. */
const BETWEEN_WAITS = 60;
const RUNS = 9;

/** Whether this browser may have a GPU to measure. */
export function isSupported() {
  return globalThis.navigator?.gpu !== undefined;
}

/**
 * Measures this machine's GPU.
 *
 * @param {(share: number, what: string) => void} onProgress is told how far it is, from 0 to 1
 * @param {string} wgsl the text of gns.wgsl
 * @param {{bytes?: number}} options `bytes` of gradients instead of the default
 * @returns {Promise<{bandwidth: number, copyBandwidth: number, phi: number, phiCpu: number,
 *   error: number, bytes: number, replicas: number, adapter: string, isSoftware: boolean}>}
 *   bandwidths in bytes per second, φ in batches of one replica, `error` the largest relative
 *   error of |ḡ|² and mean|g_k|² against the CPU's f64
 * @throws {Error} with a sentence for people, where there is no GPU to measure or it fails
 */
export async function measure(onProgress, wgsl, options = {}) {
  if (!isSupported()) throw new Error("This browser has no WebGPU.");
  onProgress(0, "looking for a GPU");
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw new Error("This browser knows WebGPU, but finds no GPU it would use.");
  const { info, limits } = adapter;
  const names = [info.vendor, info.architecture, info.device, info.description];
  const name = [...new Set(names.filter(Boolean))].join(" ") || "a GPU without a name";
  const isSoftware = info.isFallbackAdapter === true || /swiftshader|llvmpipe|lavapipe/i.test(name);
  const { maxStorageBufferBindingSize, maxBufferSize } = limits;
  const most = Math.min(maxStorageBufferBindingSize, maxBufferSize);
  const bytes = Math.min(options.bytes ?? (isSoftware ? SOFTWARE_BYTES : BYTES), most);
  // Whole vectors of 16 bytes, and not a whole number of chunks.
  const vectors = Math.floor(bytes / 16 / REPLICAS) - 1;
  if (vectors < 1) throw new Error(`${name} takes too little memory in one buffer.`);
  const device = await adapter.requestDevice({
    requiredLimits: { maxStorageBufferBindingSize, maxBufferSize },
  });
  let failure = null;
  device.addEventListener("uncapturederror", ({ error }) => (failure ??= error.message));
  device.lost.then(({ reason, message }) => {
    if (reason !== "destroyed") failure ??= message;
  });
  try {
    const gpu = { device, queue: device.queue, check: () => check(failure, name) };
    const loaded = await load(gpu, wgsl, vectors, onProgress);
    const found = await estimate(gpu, loaded);
    const expected = norms(loaded);
    onProgress(0.6, "measuring");
    const seconds = await time(gpu, (encoder) => dispatch(encoder, loaded.noise));
    onProgress(0.8, "measuring the copy");
    const copySeconds = await time(gpu, (encoder) => dispatch(encoder, loaded.copy));
    onProgress(1, "done");
    return {
      bandwidth: loaded.rows.size / seconds,
      copyBandwidth: (2 * loaded.copied.size) / copySeconds,
      phi: noiseScale(found),
      phiCpu: noiseScale(expected),
      error: Math.max(
        Math.abs(found.squareOfMean / expected.squareOfMean - 1),
        Math.abs(found.meanOfSquares / expected.meanOfSquares - 1),
      ),
      bytes: loaded.rows.size,
      replicas: REPLICAS,
      adapter: name,
      isSoftware,
    };
  } finally {
    device.destroy();
  }
}

function check(failure, name) {
  if (failure) throw new Error(`${name} failed: ${failure}`);
}

/** var/sqr of one step: φ in batches of one replica. */
function noiseScale({ meanOfSquares, squareOfMean }) {
  const sqr = (REPLICAS * squareOfMean - meanOfSquares) / (REPLICAS - 1);
  const variance = ((meanOfSquares - squareOfMean) * REPLICAS) / (REPLICAS - 1);
  return variance / sqr;
}

/** Makes gradients, brings them to the GPU and compiles the kernel. */
async function load(gpu, wgsl, vectors, onProgress) {
  const { device, queue } = gpu;
  const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const length = 4 * vectors;
  const rows = device.createBuffer({ size: 4 * length * REPLICAS, usage: storage });
  const signal = new Float32Array(length);
  random(signal, 1);
  const values = [];
  for (let row = 0; row < REPLICAS; row++) {
    onProgress((0.5 * row) / REPLICAS, "making gradients");
    // Lets the page breathe.
    await new Promise((resolve) => setTimeout(resolve));
    const own = new Float32Array(length);
    random(own, row + 2);
    for (let i = 0; i < length; i++) own[i] = 1e-3 * (signal[i] + 2 * own[i]);
    queue.writeBuffer(rows, 4 * length * row, own);
    values.push(own);
  }
  const chunks = Math.ceil(length / CHUNK);
  const partials = device.createBuffer({ size: PARTIAL * chunks, usage: storage });
  const uniform = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
  const shape = device.createBuffer({ size: 16, usage: uniform });
  queue.writeBuffer(shape, 0, new Uint32Array([vectors, 0, 0, 0]));
  const head =
    `const REPLICAS: u32 = ${REPLICAS}u;\n` +
    "const BF16: bool = false;\nconst PRECONDITIONED: bool = false;\n";
  const module = device.createShaderModule({ code: head + wgsl });
  // There is no preconditioner, but what the kernel could read must be bound.
  const preconditioner = device.createBuffer({ size: 16, usage: storage });
  const copied = device.createBuffer({ size: 16 * Math.floor(rows.size / 32), usage: storage });
  const noise = await prepare(device, module, "noise", chunks, [
    [0, rows],
    [1, preconditioner],
    [2, partials],
    [3, shape],
  ]);
  const copy = await prepare(device, module, "copy", Math.ceil(copied.size / COPIED), [
    [0, rows],
    [4, copied],
  ]);
  gpu.check();
  return { rows, partials, copied, noise, copy, values };
}

/** One of the kernels with what it works on, and its workgroups along x and y. */
async function prepare(device, module, entryPoint, count, buffers) {
  const compute = { module, entryPoint };
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute });
  const bindings = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map(([binding, buffer]) => ({ binding, resource: { buffer } })),
  });
  const along = Math.min(count, device.limits.maxComputeWorkgroupsPerDimension);
  return { pipeline, bindings, groups: [along, Math.ceil(count / along)] };
}

/** Uniform numbers of mean 0 and variance 1, by xorshift. */
function random(values, seed) {
  let state = (seed * 0x9e3779b9) | 1;
  const unit = Math.sqrt(12) / 2 ** 32;
  for (let i = 0; i < values.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    values[i] = state * unit;
  }
}

function dispatch(encoder, { pipeline, bindings, groups }) {
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bindings);
  pass.dispatchWorkgroups(...groups);
  pass.end();
}

/** Runs the kernel once and adds up its partial sums. */
async function estimate(gpu, loaded) {
  const { device, queue } = gpu;
  const size = loaded.partials.size;
  // Poisoned, so that what is not written shows.
  queue.writeBuffer(loaded.partials, 0, new Uint8Array(size).fill(0xff));
  const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ;
  const back = device.createBuffer({ size, usage });
  const encoder = device.createCommandEncoder();
  dispatch(encoder, loaded.noise);
  encoder.copyBufferToBuffer(loaded.partials, 0, back, 0, size);
  queue.submit([encoder.finish()]);
  await back.mapAsync(GPUMapMode.READ);
  gpu.check();
  const view = new DataView(back.getMappedRange());
  let squares = 0;
  let squareOfMean = 0;
  for (let at = 0; at < size; at += PARTIAL) {
    squares += view.getFloat32(at, true);
    squareOfMean += view.getFloat32(at + 4, true);
    if (view.getUint32(at + 8, true) !== 0) throw new Error("The GPU found a number that is none.");
  }
  back.destroy();
  return { meanOfSquares: squares / REPLICAS, squareOfMean };
}

/** The same in f64, here. */
function norms({ values }) {
  let squares = 0;
  let squareOfMean = 0;
  for (let i = 0; i < values[0].length; i++) {
    let sum = 0;
    for (const row of values) {
      const g = row[i];
      sum += g;
      squares += g * g;
    }
    const mean = sum / REPLICAS;
    squareOfMean += mean * mean;
  }
  return { meanOfSquares: squares / REPLICAS, squareOfMean };
}

/** Seconds of what `encode` records: the median over many. */
async function time(gpu, encode) {
  const once = async (repeats) => {
    const encoder = gpu.device.createCommandEncoder();
    for (let i = 0; i < repeats; i++) encode(encoder);
    const commands = encoder.finish();
    const start = performance.now();
    gpu.queue.submit([commands]);
    await gpu.queue.onSubmittedWorkDone();
    gpu.check();
    return performance.now() - start;
  };
  await once(1);
  const repeats = Math.min(1000, Math.ceil(BETWEEN_WAITS / Math.max(await once(1), 0.05)));
  const times = [];
  for (let run = 0; run < RUNS; run++) times.push((await once(repeats)) / repeats);
  times.sort((a, b) => a - b);
  return times[RUNS >> 1] / 1e3;
}

// The page holds this module's text, and calls it by this name (web/src/ui/views/goodput/gpu_panel.rs).
globalThis.switchyardMeasureGpu = measure;
