//! What any plug-in in Rust needs, to be copied along: the table that it is shown, the actions and terms
//! that it writes, one state, and memory.

use alloc::vec::Vec;
use core::alloc::{GlobalAlloc, Layout};
use core::cell::{Cell, UnsafeCell};

/// The state of a job that has GPUs; 0: it waits.
pub const RUNS: u32 = 1;

/// What may be new about a job: it has come, it has lost its GPUs to a failure, its alarm is due.
pub const ARRIVED: u32 = 1;
pub const EVICTED: u32 = 2;
pub const ALARM: u32 = 4;

/// The table: columns of 8 bytes, columns of 4 bytes, columns of nodes, each as long as there is room for.
pub struct Table {
    /// In words of 8 bytes, so that it is aligned.
    words: Vec<u64>,
    jobs: usize,
    nodes: usize,
}

impl Table {
    pub const EMPTY: Self = Self {
        words: Vec::new(),
        jobs: 0,
        nodes: 0,
    };

    /// Makes room, and says where.
    pub fn reserve(&mut self, jobs: usize, nodes: usize) -> *const u8 {
        (self.jobs, self.nodes) = (jobs, nodes);
        let bytes = jobs * (7 * 8 + 8 * 4) + nodes * (3 * 4);
        self.words.clear();
        self.words.resize(bytes.div_ceil(8), 0);
        self.words.as_ptr().cast()
    }

    /// A cell of column `column` of those of 8 bytes.
    fn wide(&self, column: usize, row: usize) -> u64 {
        self.words[column * self.jobs + row]
    }

    /// The number of 4 bytes at this place, counted in 4 bytes.
    fn narrow(&self, at: usize) -> u32 {
        (self.words[at / 2] >> (at % 2 * 32)) as u32
    }

    /// When a job was submitted, s.
    pub fn submit(&self, row: usize) -> f64 {
        f64::from_bits(self.wide(0, row))
    }

    /// Since when it has waited or run, s.
    pub fn since(&self, row: usize) -> f64 {
        f64::from_bits(self.wide(1, row))
    }

    /// GPUs × time held, GPU·s.
    pub fn attained(&self, row: usize) -> f64 {
        f64::from_bits(self.wide(2, row))
    }

    /// Seconds on GPUs.
    pub fn held(&self, row: usize) -> f64 {
        f64::from_bits(self.wide(3, row))
    }

    /// True seconds on its gang; −1 unless `oracle`.
    pub fn duration(&self, row: usize) -> f64 {
        f64::from_bits(self.wide(4, row))
    }

    /// True seconds left on its gang; −1 unless `oracle`.
    pub fn remaining(&self, row: usize) -> f64 {
        f64::from_bits(self.wide(5, row))
    }

    /// Bit `i`: it may run on nodes of pool `i`.
    pub fn pools(&self, row: usize) -> u64 {
        self.wide(6, row)
    }

    /// The same as long as it lives.
    pub fn id(&self, row: usize) -> u32 {
        self.of_job(0, row)
    }

    /// [`RUNS`] or not.
    pub fn state(&self, row: usize) -> u32 {
        self.of_job(1, row)
    }

    /// Its gang.
    pub fn gpus(&self, row: usize) -> u32 {
        self.of_job(2, row)
    }

    /// Whose it is; −1: nobody's.
    pub fn tenant(&self, row: usize) -> i32 {
        self.of_job(3, row) as i32
    }

    /// Which of the trace's models it trains; −1: unknown.
    pub fn model(&self, row: usize) -> i32 {
        self.of_job(4, row) as i32
    }

    /// How often it has got GPUs.
    pub fn starts(&self, row: usize) -> u32 {
        self.of_job(5, row)
    }

    /// What is new: [`ARRIVED`], [`EVICTED`], [`ALARM`], or some of them.
    pub fn news(&self, row: usize) -> u32 {
        self.of_job(6, row)
    }

    /// GPUs that others could get if it stopped.
    pub fn frees(&self, row: usize) -> u32 {
        self.of_job(7, row)
    }

    /// GPUs of a node that nobody has.
    pub fn free(&self, node: usize) -> u32 {
        self.of_node(0, node)
    }

    /// All its GPUs; 0 while it takes nobody.
    pub fn size(&self, node: usize) -> u32 {
        self.of_node(1, node)
    }

    /// Nodes that are alike are in one pool, the fastest in pool 0.
    pub fn pool(&self, node: usize) -> u32 {
        self.of_node(2, node)
    }

    fn of_job(&self, column: usize, row: usize) -> u32 {
        self.narrow((7 * 2 + column) * self.jobs + row)
    }

    fn of_node(&self, column: usize, node: usize) -> u32 {
        self.narrow((7 * 2 + 8) * self.jobs + column * self.nodes + node)
    }
}

/// Actions: their number in 8 bytes, then 24 bytes each.
pub struct Actions(Vec<[u64; 3]>);

impl Actions {
    pub const EMPTY: Self = Self(Vec::new());

    pub fn clear(&mut self) {
        self.0.clear();
        // The number is the last word of the first row, so that what follows it is aligned.
        self.0.push([0; 3]);
    }

    /// Give a job its gang, laid by the run's placement.
    pub fn start(&mut self, row: usize) {
        self.0.push([1 | (row as u64) << 32, 0, 0]);
    }

    /// Give a job so many GPUs of its gang on this node; what stands one after the other makes its gang.
    pub fn start_on(&mut self, row: usize, node: usize, gpus: u32) {
        let there = node as u64 | u64::from(gpus) << 32;
        self.0.push([2 | (row as u64) << 32, there, 0]);
    }

    /// Ask again about a job at this time.
    pub fn alarm(&mut self, row: usize, at: f64) {
        self.0.push([4 | (row as u64) << 32, 0, at.to_bits()]);
    }

    /// Take a job's GPUs away.
    pub fn stop(&mut self, row: usize) {
        self.0.push([3 | (row as u64) << 32, 0, 0]);
    }

    pub fn list(&mut self) -> *const u8 {
        let count = self.0.len() as u64 - 1;
        self.0[0][2] = count;
        (&raw const self.0[0][2]).cast()
    }
}

/// Terms: their number in 8 bytes, then each name's address and length in 4 bytes, and a number in 8.
pub struct Terms(Vec<[u64; 2]>);

impl Terms {
    pub const EMPTY: Self = Self(Vec::new());

    pub fn clear(&mut self) {
        self.0.clear();
        self.0.push([0; 2]);
    }

    pub fn add(&mut self, name: &'static str, value: f64) {
        let name = name.as_ptr() as u64 | (name.len() as u64) << 32;
        self.0.push([name, value.to_bits()]);
    }

    pub fn list(&mut self) -> *const u8 {
        let count = self.0.len() as u64 - 1;
        self.0[0][1] = count;
        (&raw const self.0[0][1]).cast()
    }
}

/// What there is one of. A plug-in has one thread and its functions do not call one another.
pub struct Only<T>(UnsafeCell<T>);

// SAFETY: there is one thread.
unsafe impl<T> Sync for Only<T> {}

impl<T> Only<T> {
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    pub fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: nobody else has it, since no function of the plug-in calls another that asks for it.
        f(unsafe { &mut *self.0.get() })
    }
}

/// Memory that grows and is never given back, but for what was asked for last: lists that grow by
/// doubling need no more.
struct Bump(Cell<usize>);

// SAFETY: there is one thread.
unsafe impl Sync for Bump {}

#[global_allocator]
static MEMORY: Bump = Bump(Cell::new(0));

const PAGE: usize = 1 << 16;

// SAFETY: what it gives out lies behind all that was given out before, in memory that is there.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let end = core::arch::wasm32::memory_size(0) * PAGE;
        let from = match self.0.get() {
            0 => end,
            from => from.next_multiple_of(layout.align()),
        };
        let to = from + layout.size();
        if to > end {
            let pages = (to - end).div_ceil(PAGE);
            if core::arch::wasm32::memory_grow(0, pages) == usize::MAX {
                return core::ptr::null_mut();
            }
        }
        self.0.set(to);
        from as *mut u8
    }

    unsafe fn dealloc(&self, of: *mut u8, layout: Layout) {
        if of as usize + layout.size() == self.0.get() {
            self.0.set(of as usize);
        }
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
