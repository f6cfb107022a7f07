// Runs the kernels of gns.cu on a CPU, for tests on machines without a GPU: included before that file
// by a C++ compiler. A block's threads are fibers that take turns from barrier to barrier; blocks run
// one after the other. It knows what those kernels use and nothing else.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
// Blocks do not overlap, so one copy will do.
#define __shared__ static

struct uint2 {
    unsigned x, y;
};

struct uint4 {
    unsigned x, y, z, w;
};

struct Index {
    unsigned x, y, z;
};

constexpr int MOST_THREADS = 1024;
constexpr size_t STACK = 64 << 10;

static Index threadIdx, blockIdx, gridDim, blockDim;
static ucontext_t scheduler, fibers[MOST_THREADS];
static bool done[MOST_THREADS];
static float slots[2][MOST_THREADS];
static unsigned turns[MOST_THREADS];

static void __syncthreads() { swapcontext(&fibers[threadIdx.x], &scheduler); }

// All threads of a block take part in every shuffle of these kernels, so a barrier does. Two slots in
// turn, for the next shuffle may begin before all have read.
static float __shfl_down_sync(unsigned, float value, int step) {
    const unsigned thread = threadIdx.x, slot = turns[thread]++ % 2;
    slots[slot][thread] = value;
    __syncthreads();
    return thread % 32 + step < 32 ? slots[slot][thread + step] : value;
}

static inline float __uint_as_float(unsigned bits) {
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
}

static inline unsigned __float_as_uint(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, 4);
    return bits;
}

static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
template <class T> static inline T __ldcs(const T* address) { return *address; }
template <class T> static inline void __stcs(T* address, T value) { *address = value; }
static inline void __threadfence() {}

static inline unsigned atomicAdd(unsigned* address, unsigned value) {
    const unsigned old = *address;
    *address += value;
    return old;
}

// Integers of any width go in the same registers, the one f32 that kernels take in its own.
typedef void (*Kernel)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, float);
static Kernel kernel;
static uint64_t arguments[5];
static float real;

static void fiber() {
    kernel(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], real);
    done[threadIdx.x] = true;
    swapcontext(&fibers[threadIdx.x], &scheduler);
}

extern "C" void emulate(
    Kernel what, unsigned blocks, unsigned threads, const uint64_t* integers, float with) {
    static char* const stacks = static_cast<char*>(std::malloc(MOST_THREADS * STACK));
    kernel = what;
    real = with;
    std::memcpy(arguments, integers, sizeof arguments);
    gridDim = {blocks, 1, 1};
    blockDim = {threads, 1, 1};
    for (unsigned block = 0; block < blocks; ++block) {
        blockIdx = {block, 0, 0};
        for (unsigned thread = 0; thread < threads; ++thread) {
            done[thread] = false;
            turns[thread] = 0;
            getcontext(&fibers[thread]);
            fibers[thread].uc_stack.ss_sp = stacks + thread * STACK;
            fibers[thread].uc_stack.ss_size = STACK;
            fibers[thread].uc_link = nullptr;
            makecontext(&fibers[thread], fiber, 0);
        }
        for (unsigned left = threads; left > 0;) {
            for (unsigned thread = 0; thread < threads; ++thread) {
                if (done[thread]) continue;
                threadIdx = {thread, 0, 0};
                swapcontext(&scheduler, &fibers[thread]);
                left -= done[thread];
            }
        }
    }
}
