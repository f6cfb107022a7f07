// The gradient noise scale in one pass over the gradients: |g_k|² of each of R gradients and |ḡ|²
// of their mean (Pollux, OSDI'21, section 3.1; McCandlish et al. 2018, appendix A.1), and beside
// it the same the way AdaptDL does it, tensor by tensor, as a baseline.
//
// Shapes. Gradients are R rows of N elements, f32 or bf16: one buffer [R][stride] ("flat"), or R
// buffers for each of a model's tensors ("table"). A preconditioner has N elements of f32 and
// divides the gradients; it is read once for all R. Work is cut into chunks of CHUNK elements that
// never cross a tensor's end, one block per chunk.
//
// Sums. A thread keeps R sums of squares, the running mean of its 16 bytes' worth of elements and
// the sum of that mean's squares in registers, in f32; then warp, block (f64), partial[sum][chunk],
// and `gns_total` adds the partials in f64. No step depends on the order in which blocks run and
// there are no atomics on floats, so results repeat bit for bit, on any GPU.
//
// Error. A thread adds at most CHUNK/THREADS = 64 squares of one sum, each off by u = 2⁻²⁴, the warp
// five more, and everything after is f64: |g_k|² is within 70·u = 4.2e-6 whatever N. ḡ adds R − 1
// roundings to each element. Squares beyond f32's range become infinite and are refused by the
// host, like NaN; elements under 1e-19 count as less than they are, under 1e-23 as nothing.
//
// A preconditioner's element that is not above 0 and finite makes the sums NaN.

// Threads of a block and elements of a chunk: `cuda.rs` has them too.
constexpr int THREADS = 256;
constexpr unsigned CHUNK = 16384;
constexpr int WARPS = THREADS / 32;

typedef unsigned long long u64;

struct bf16 {
    unsigned short bits;
};

// What a type's 16 bytes hold.
template <class T> struct Lanes;

template <> struct Lanes<float> {
    static constexpr int COUNT = 4;
    static __device__ __forceinline__ void unpack(uint4 v, float (&out)[4]) {
        out[0] = __uint_as_float(v.x);
        out[1] = __uint_as_float(v.y);
        out[2] = __uint_as_float(v.z);
        out[3] = __uint_as_float(v.w);
    }
};

template <> struct Lanes<bf16> {
    static constexpr int COUNT = 8;
    static __device__ __forceinline__ void unpack(uint4 v, float (&out)[8]) {
        const unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            out[2 * i] = __uint_as_float(words[i] << 16);
            out[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
        }
    }
};

__device__ __forceinline__ float to_float(float x) { return x; }
__device__ __forceinline__ float to_float(bf16 x) { return __uint_as_float(unsigned(x.bits) << 16); }

// To the nearest, ties to even; a NaN stays one.
template <class T> __device__ __forceinline__ T from_float(float x);
template <> __device__ __forceinline__ float from_float<float>(float x) { return x; }
template <> __device__ __forceinline__ bf16 from_float<bf16>(float x) {
    const unsigned bits = __float_as_uint(x);
    const bool nan = x != x;
    const unsigned rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
    return bf16{static_cast<unsigned short>((nan ? (bits | 0x400000u) : rounded) >> 16)};
}

// 16 bytes that are read once and never written by this kernel: past L1.
__device__ __forceinline__ uint4 load_once(const void* address) {
#ifdef __CUDACC__
    uint4 v;
    asm("ld.global.nc.L1::no_allocate.v4.b32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(address));
    return v;
#else
    return *static_cast<const uint4*>(address);  // the tests' emulator
#endif
}

__device__ __forceinline__ bool is_aligned(const void* address) {
    return (reinterpret_cast<u64>(address) & 15) == 0;
}

// 1/p, or NaN for what cannot be divided by.
__device__ __forceinline__ float inverse(float p) {
    return p > 0.0f && p <= 3.402823466e38f ? 1.0f / p : __uint_as_float(0x7fc00000u);
}

// 1/p of as many elements as 16 bytes of T hold.
template <int COUNT>
__device__ __forceinline__ void load_inverses(const float* p, float (&out)[COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT; i += 4) {
        float four[4];
        Lanes<float>::unpack(load_once(p + i), four);
#pragma unroll
        for (int j = 0; j < 4; ++j) out[i + j] = inverse(four[j]);
    }
}

template <int R> struct Sums {
    float square[R];
    float mean;

    __device__ __forceinline__ Sums() : mean(0.0f) {
#pragma unroll
        for (int r = 0; r < R; ++r) square[r] = 0.0f;
    }
};

// The sums of this block to partial[sum * gridDim.x + blockIdx.x].
template <int R> __device__ __forceinline__ void reduce(const Sums<R>& sums, double* partial) {
    __shared__ float shared[WARPS][R + 1];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int r = 0; r <= R; ++r) {
        float sum = r < R ? sums.square[r < R ? r : 0] : sums.mean;
#pragma unroll
        for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
        if (lane == 0) shared[warp][r] = sum;
    }
    __syncthreads();
    if (threadIdx.x <= R) {
        double sum = 0.0;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) sum += shared[w][threadIdx.x];
        partial[u64(threadIdx.x) * gridDim.x + blockIdx.x] = sum;
    }
}

// Where the rows of a chunk begin. Addresses from a table are kept in shared memory and read there
// whenever they are needed (hence volatile): R of them would fill the registers.
template <int R, class T, bool SHARED> struct Chunk {
    const T* own[SHARED ? 1 : R];
    const T* const volatile* shared;
    const float* preconditioner;
    unsigned elements;

    __device__ __forceinline__ const T* row(int r) const {
        if constexpr (SHARED) return shared[r];
        else return own[r];
    }
};

template <int R, class T> using Flat = Chunk<R, T, false>;
template <int R, class T> using Table = Chunk<R, T, true>;

template <int R, class T, bool P>
__device__ __forceinline__ Flat<R, T> flat_chunk(
    const T* rows, u64 stride, u64 n, const float* preconditioner) {
    Flat<R, T> chunk;
    const u64 start = u64(blockIdx.x) * CHUNK;
#pragma unroll
    for (int r = 0; r < R; ++r) chunk.own[r] = rows + r * stride + start;
    chunk.preconditioner = P ? preconditioner + start : nullptr;
    chunk.elements = n - start < CHUNK ? unsigned(n - start) : CHUNK;
    return chunk;
}

// chunks[b] = (tensor, which of its chunks); rows[tensor * R + r]; lengths[tensor].
template <int R, class T, bool P>
__device__ __forceinline__ Table<R, T> table_chunk(
    const uint2* chunks, const T* const* rows, const u64* lengths,
    const float* const* preconditioners) {
    __shared__ const T* shared[R];
    Table<R, T> chunk;
    const uint2 where = chunks[blockIdx.x];
    const u64 start = u64(where.y) * CHUNK, rest = lengths[where.x] - start;
    if (threadIdx.x < R) shared[threadIdx.x] = rows[u64(where.x) * R + threadIdx.x] + start;
    __syncthreads();
    chunk.shared = shared;
    chunk.preconditioner = P ? preconditioners[where.x] + start : nullptr;
    chunk.elements = rest < CHUNK ? unsigned(rest) : CHUNK;
    return chunk;
}

// The same 16 bytes of every row, UNROLL times over, THREADS apart. Rows are loaded in batches, so
// that all loads of a batch are under way before the first is used.
template <int R, class T, bool P, int UNROLL, class C>
__device__ __forceinline__ void add_vectors(
    const C& chunk, unsigned vector, Sums<R>& sums) {
    constexpr int COUNT = Lanes<T>::COUNT;
    constexpr int BATCH = R < 8 ? R : 8;
    float mean[UNROLL][COUNT] = {};
    float scale[UNROLL][P ? COUNT : 1];
#pragma unroll
    for (int first = 0; first < R; first += BATCH) {
        uint4 loaded[UNROLL][BATCH];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const unsigned at = (vector + u * THREADS) * COUNT;
#pragma unroll
            for (int b = 0; b < BATCH; ++b) {
                if (first + b < R) loaded[u][b] = load_once(chunk.row(first + b) + at);
            }
            if constexpr (P) {
                if (first == 0) load_inverses<COUNT>(chunk.preconditioner + at, scale[u]);
            }
        }
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
#pragma unroll
            for (int b = 0; b < BATCH; ++b) {
                if (first + b >= R) continue;
                float g[COUNT];
                Lanes<T>::unpack(loaded[u][b], g);
#pragma unroll
                for (int i = 0; i < COUNT; ++i) {
                    if constexpr (P) g[i] *= scale[u][i];
                    sums.square[first + b] += g[i] * g[i];
                    mean[u][i] += g[i];
                }
            }
        }
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const float m = mean[u][i] * (1.0f / R);
            sums.mean += m * m;
        }
    }
}

template <int R, class T, bool P, class C>
__device__ __forceinline__ void add_element(
    const C& chunk, unsigned at, Sums<R>& sums) {
    const float scale = P ? inverse(chunk.preconditioner[at]) : 1.0f;
    float mean = 0.0f;
#pragma unroll
    for (int r = 0; r < R; ++r) {
        float g = to_float(chunk.row(r)[at]);
        if constexpr (P) g *= scale;
        sums.square[r] += g * g;
        mean += g;
    }
    mean *= 1.0f / R;
    sums.mean += mean * mean;
}

template <int R, class T, bool P, class C>
__device__ __forceinline__ void fused(const C& chunk, double* partial) {
    // Eight loads under way, whatever R; four beside those of the preconditioner.
    constexpr int LOADS = P ? 4 : 8;
    constexpr int UNROLL = R >= LOADS ? 1 : LOADS / R;
    Sums<R> sums;
    bool aligned = !P || is_aligned(chunk.preconditioner);
#pragma unroll
    for (int r = 0; r < R; ++r) aligned = aligned && is_aligned(chunk.row(r));
    unsigned at = 0;
    if (aligned) {
        const unsigned vectors = chunk.elements / Lanes<T>::COUNT;
        unsigned vector = threadIdx.x;
        for (; vector + (UNROLL - 1) * THREADS < vectors; vector += UNROLL * THREADS) {
            add_vectors<R, T, P, UNROLL>(chunk, vector, sums);
        }
        if constexpr (UNROLL > 1) {
            for (; vector < vectors; vector += THREADS) {
                add_vectors<R, T, P, 1>(chunk, vector, sums);
            }
        }
        at = vectors * Lanes<T>::COUNT;
    }
    for (at += threadIdx.x; at < chunk.elements; at += THREADS) {
        add_element<R, T, P>(chunk, at, sums);
    }
    reduce<R>(sums, partial);
}

// The differenced form: two rows, of which the first, the step before's, is replaced by the second.
template <class T, bool P, class C>
__device__ __forceinline__ void differenced(const C& chunk, double* partial) {
    constexpr int COUNT = Lanes<T>::COUNT;
    T* previous = const_cast<T*>(chunk.row(0));
    const T* current = chunk.row(1);
    Sums<2> sums;
    const bool aligned = is_aligned(previous) && is_aligned(current) &&
                         (!P || is_aligned(chunk.preconditioner));
    unsigned at = 0;
    if (aligned) {
        const unsigned vectors = chunk.elements / COUNT;
        constexpr int UNROLL = 4;
        for (unsigned first = threadIdx.x; first < vectors; first += UNROLL * THREADS) {
            uint4 old[UNROLL], now[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const unsigned vector = first + u * THREADS;
                if (vector < vectors) {
                    // Not through the read-only path: it is written below.
                    old[u] = __ldcs(reinterpret_cast<const uint4*>(previous) + vector);
                    now[u] = load_once(reinterpret_cast<const uint4*>(current) + vector);
                } else {
                    old[u] = now[u] = make_uint4(0, 0, 0, 0);
                }
            }
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) {
                const unsigned vector = first + u * THREADS;
                if (vector >= vectors) continue;
                __stcs(reinterpret_cast<uint4*>(previous) + vector, now[u]);
                float a[COUNT], b[COUNT], scale[COUNT];
                Lanes<T>::unpack(old[u], a);
                Lanes<T>::unpack(now[u], b);
                if constexpr (P) load_inverses<COUNT>(chunk.preconditioner + vector * COUNT, scale);
#pragma unroll
                for (int i = 0; i < COUNT; ++i) {
                    if constexpr (P) {
                        a[i] *= scale[i];
                        b[i] *= scale[i];
                    }
                    const float mean = 0.5f * (a[i] + b[i]);
                    sums.square[0] += a[i] * a[i];
                    sums.square[1] += b[i] * b[i];
                    sums.mean += mean * mean;
                }
            }
        }
        at = vectors * COUNT;
    }
    for (at += threadIdx.x; at < chunk.elements; at += THREADS) {
        add_element<2, T, P>(chunk, at, sums);
        previous[at] = current[at];
    }
    reduce<2>(sums, partial);
}

// Blocks that must fit on a multiprocessor: as many as there are registers for without spilling,
// which hold 64 to 128 KB of loads under way. Pointers from a table take registers.
constexpr __host__ __device__ int residents(int replicas, bool spacious) {
    return (replicas <= 8 ? 4 : 3) - (spacious ? 1 : 0);
}

#define GNS_FUSED(R, T, P, SUFFIX)                                                                 \
    extern "C" __global__ void __launch_bounds__(THREADS, residents(R, P))                         \
        gns_flat_##SUFFIX(const T* rows, u64 stride, u64 n, const float* preconditioner,           \
                          double* partial) {                                                       \
        fused<R, T, P>(flat_chunk<R, T, P>(rows, stride, n, preconditioner), partial);             \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS, residents(R, true))                      \
        gns_table_##SUFFIX(const uint2* chunks, const T* const* rows, const u64* lengths,          \
                           const float* const* preconditioners, double* partial) {                 \
        fused<R, T, P>(table_chunk<R, T, P>(chunks, rows, lengths, preconditioners), partial);     \
    }

#define GNS_DIFFERENCED(T, P, SUFFIX)                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS, 4)                                       \
        gns_differenced_flat_##SUFFIX(T* previous, const T* current, u64 n,                        \
                                      const float* preconditioner, double* partial) {              \
        const u64 start = u64(blockIdx.x) * CHUNK;                                                 \
        Flat<2, T> chunk;                                                                          \
        chunk.own[0] = previous + start;                                                           \
        chunk.own[1] = current + start;                                                            \
        chunk.preconditioner = P ? preconditioner + start : nullptr;                               \
        chunk.elements = n - start < CHUNK ? unsigned(n - start) : CHUNK;                          \
        differenced<T, P>(chunk, partial);                                                         \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS, 4)                                       \
        gns_differenced_table_##SUFFIX(const uint2* chunks, const T* const* rows,                  \
                                       const u64* lengths, const float* const* preconditioners,    \
                                       double* partial) {                                          \
        differenced<T, P>(table_chunk<2, T, P>(chunks, rows, lengths, preconditioners), partial);  \
    }

#define GNS_REPLICAS(R)                                                                            \
    GNS_FUSED(R, float, false, f32_r##R)                                                           \
    GNS_FUSED(R, float, true, f32_r##R##_preconditioned)                                           \
    GNS_FUSED(R, bf16, false, bf16_r##R)                                                           \
    GNS_FUSED(R, bf16, true, bf16_r##R##_preconditioned)

// One number of replicas, where the source is compiled for a run; some, for what the benchmark
// carries; or all.
#define GNS_EXPAND(R) GNS_REPLICAS(R)
#ifdef REPLICAS
GNS_EXPAND(REPLICAS)
#elif defined(CARRIED)
GNS_REPLICAS(1)
GNS_REPLICAS(2)
GNS_REPLICAS(4)
GNS_REPLICAS(8)
GNS_REPLICAS(16)
#else
GNS_REPLICAS(1)
GNS_REPLICAS(2)
GNS_REPLICAS(3)
GNS_REPLICAS(4)
GNS_REPLICAS(5)
GNS_REPLICAS(6)
GNS_REPLICAS(7)
GNS_REPLICAS(8)
GNS_REPLICAS(9)
GNS_REPLICAS(10)
GNS_REPLICAS(11)
GNS_REPLICAS(12)
GNS_REPLICAS(13)
GNS_REPLICAS(14)
GNS_REPLICAS(15)
GNS_REPLICAS(16)
#endif
GNS_DIFFERENCED(float, false, f32)
GNS_DIFFERENCED(float, true, f32_preconditioned)
GNS_DIFFERENCED(bf16, false, bf16)
GNS_DIFFERENCED(bf16, true, bf16_preconditioned)

// The second pass: total[b] = Σ partial[b][0..chunks], one block of any power of two of threads for
// each sum.
extern "C" __global__ void __launch_bounds__(1024)
    gns_total(const double* partial, unsigned chunks, double* total) {
    __shared__ double shared[1024];
    const double* own = partial + u64(blockIdx.x) * chunks;
    double sum = 0.0;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < chunks; i += blockDim.x) sum += own[i];
    shared[threadIdx.x] = sum;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    }
    if (threadIdx.x == 0) total[blockIdx.x] = shared[0];
}

// The baseline: AdaptDL's `gradient_noise_scale.py`, operation by operation, each a kernel over one
// tensor with its result in memory, as PyTorch runs it.

#define BASELINE __launch_bounds__(THREADS)

// out = in / divisor, or in / by[i]; in f32, as type promotion and `.float()` have it.
template <class T>
__device__ __forceinline__ void divide(
    const T* in, float* out, u64 n, float divisor, const float* by) {
    for (u64 i = u64(blockIdx.x) * THREADS + threadIdx.x; i < n; i += u64(gridDim.x) * THREADS) {
        out[i] = to_float(in[i]) / (by ? by[i] : divisor);
    }
}

template <class T>
__device__ __forceinline__ void square(const T* in, T* out, u64 n) {
    for (u64 i = u64(blockIdx.x) * THREADS + threadIdx.x; i < n; i += u64(gridDim.x) * THREADS) {
        const float x = to_float(in[i]);
        out[i] = from_float<T>(x * x);
    }
}

// Σ in in f64: the block that finishes last adds the blocks' sums. `ticket` counts them, and is 0
// before and after.
template <class T>
__device__ __forceinline__ void sum(
    const T* in, u64 n, double* partial, unsigned* ticket, double* out) {
    __shared__ double shared[THREADS];
    __shared__ bool last;
    double own = 0.0;
    for (u64 i = u64(blockIdx.x) * THREADS + threadIdx.x; i < n; i += u64(gridDim.x) * THREADS) {
        own += to_float(in[i]);
    }
    for (int pass = 0; pass < 2; ++pass) {
        shared[threadIdx.x] = own;
        for (int half = THREADS / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        }
        if (pass == 1) break;
        if (threadIdx.x == 0) {
            partial[blockIdx.x] = shared[0];
            __threadfence();
            last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        }
        __syncthreads();
        if (!last) return;
        __threadfence();
        own = 0.0;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS) {
            own += *(volatile double*)(partial + i);
        }
    }
    if (threadIdx.x == 0) {
        *out = shared[0];
        *ticket = 0;
    }
}

#define GNS_BASELINE(T, SUFFIX)                                                                    \
    extern "C" __global__ void BASELINE baseline_divide_##SUFFIX(                                  \
        const T* in, float* out, u64 n, float divisor, const float* by) {                          \
        divide(in, out, n, divisor, by);                                                           \
    }                                                                                              \
    extern "C" __global__ void BASELINE baseline_square_##SUFFIX(const T* in, T* out, u64 n) {     \
        square<T>(in, out, n);                                                                     \
    }                                                                                              \
    extern "C" __global__ void BASELINE baseline_sum_##SUFFIX(                                     \
        const T* in, u64 n, double* partial, unsigned* ticket, double* out) {                      \
        sum<T>(in, n, partial, ticket, out);                                                       \
    }

GNS_BASELINE(float, f32)
GNS_BASELINE(bf16, bf16)

// `_local_sqr[idx] += …`: one thread.
extern "C" __global__ void baseline_add(double* total, const double* term) { *total += *term; }

// The mean of R rows, which training has at hand after its all-reduce: not part of what is timed.
template <class T>
__device__ __forceinline__ void average(const T* rows, u64 stride, u64 n, int replicas, T* out) {
    for (u64 i = u64(blockIdx.x) * THREADS + threadIdx.x; i < n; i += u64(gridDim.x) * THREADS) {
        float sum = 0.0f;
        for (int r = 0; r < replicas; ++r) sum += to_float(rows[r * stride + i]);
        out[i] = from_float<T>(sum / replicas);
    }
}

extern "C" __global__ void BASELINE
    baseline_average_f32(const float* rows, u64 stride, u64 n, int replicas, float* out) {
    average<float>(rows, stride, n, replicas, out);
}

extern "C" __global__ void BASELINE
    baseline_average_bf16(const bf16* rows, u64 stride, u64 n, int replicas, bf16* out) {
    average<bf16>(rows, stride, n, replicas, out);
}
