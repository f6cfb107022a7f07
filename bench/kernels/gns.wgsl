// The gradient noise scale in one pass over R gradients, in WebGPU's language: natively through wgpu
// and in the page. The same sums as `gns.cu`: Σ_k |g_k|² and |ḡ|² (Pollux, OSDI'21, section 3.1), of
// rows [R][vectors] of 16 bytes, of f32 or bf16, divided by a preconditioner where there is one.
//
// The host puts three lines before this text: `const REPLICAS: u32`, `const BF16: bool` and
// `const PRECONDITIONED: bool`. A workgroup sums up a chunk of CHUNK elements in f32 and leaves it in
// partials[chunk]; the host adds those in f64, which this language lacks. A thread adds up 16 vectors
// of all rows, so a chunk is within (16 + R + 12)·2⁻²⁴ of the exact sum. WGSL lets an implementation
// assume that there is no NaN and no infinity, so both are looked for in the bits.

struct Shape {
    // Of 16 bytes in a row, and from one row to the next.
    vectors: u32,
}

struct Partial {
    squares: f32,
    square_of_mean: f32,
    // Not 0 if an element is not finite, or one of the preconditioner not above 0.
    unsound: u32,
}

@group(0) @binding(0) var<storage, read> rows: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> preconditioner: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> partials: array<Partial>;
@group(0) @binding(3) var<uniform> shape: Shape;
@group(0) @binding(4) var<storage, read_write> copied: array<vec4<u32>>;

const THREADS: u32 = 256u;
const CHUNK: u32 = 16384u;
// Vectors of a chunk.
const STEPS: u32 = CHUNK / select(4u, 8u, BF16);

// Vectors that a workgroup copies.
const COPIED: u32 = 4096u;

var<workgroup> squares: array<f32, THREADS>;
var<workgroup> means: array<f32, THREADS>;
var<workgroup> unsound: array<u32, THREADS>;

fn not_finite(bits: vec4<u32>) -> u32 {
    return u32(any((bits & vec4<u32>(0x7f800000u)) == vec4<u32>(0x7f800000u)));
}

// 1/p, and whether there is one.
fn inverse(p: vec4<f32>, unsound: ptr<function, u32>) -> vec4<f32> {
    let bits = bitcast<vec4<u32>>(p);
    *unsound |= not_finite(bits) | u32(any(bitcast<vec4<i32>>(bits) <= vec4<i32>(0)));
    return 1.0 / p;
}

@compute @workgroup_size(256)
fn noise(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let chunk = group.y * groups.x + group.x;
    let start = chunk * STEPS;
    if (start >= shape.vectors) {
        return;
    }
    let end = min(start + STEPS, shape.vectors);
    var own_squares = 0.0;
    var own_mean = 0.0;
    var own_unsound = 0u;
    for (var v = start + thread; v < end; v += THREADS) {
        var sum = vec4<f32>(0.0);
        var sum_high = vec4<f32>(0.0);
        var square = 0.0;
        var scale = vec4<f32>(1.0);
        var scale_high = vec4<f32>(1.0);
        if (PRECONDITIONED) {
            if (BF16) {
                // The lower halves are the even elements.
                let first = preconditioner[2u * v];
                let second = preconditioner[2u * v + 1u];
                scale = inverse(vec4<f32>(first.xz, second.xz), &own_unsound);
                scale_high = inverse(vec4<f32>(first.yw, second.yw), &own_unsound);
            } else {
                scale = inverse(preconditioner[v], &own_unsound);
            }
        }
        for (var r = 0u; r < REPLICAS; r++) {
            let bits = rows[r * shape.vectors + v];
            if (BF16) {
                let low = bits << vec4<u32>(16u);
                let high = bits & vec4<u32>(0xffff0000u);
                own_unsound |= not_finite(low) | not_finite(high);
                let g = bitcast<vec4<f32>>(low) * scale;
                let h = bitcast<vec4<f32>>(high) * scale_high;
                sum += g;
                sum_high += h;
                square += dot(g, g) + dot(h, h);
            } else {
                own_unsound |= not_finite(bits);
                let g = bitcast<vec4<f32>>(bits) * scale;
                sum += g;
                square += dot(g, g);
            }
        }
        own_squares += square;
        let mean = sum * (1.0 / f32(REPLICAS));
        let mean_high = sum_high * (1.0 / f32(REPLICAS));
        own_mean += dot(mean, mean) + dot(mean_high, mean_high);
    }
    squares[thread] = own_squares;
    means[thread] = own_mean;
    unsound[thread] = own_unsound;
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (thread < half) {
            squares[thread] += squares[thread + half];
            means[thread] += means[thread + half];
            unsound[thread] |= unsound[thread + half];
        }
    }
    if (thread == 0u) {
        partials[chunk] = Partial(squares[0], means[0], unsound[0]);
    }
}

// What bandwidth is compared with: as many rows as `copied` has room for. A driver's own copy may be
// slower by far (a quarter of this on an H100 under Vulkan), so it is no measure.
@compute @workgroup_size(256)
fn copy(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let start = (group.y * groups.x + group.x) * COPIED;
    let end = min(start + COPIED, arrayLength(&copied));
    for (var v = start + thread; v < end; v += THREADS) {
        copied[v] = rows[v];
    }
}
