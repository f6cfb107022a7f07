//! What can be wrong with a plug-in, in words for who wrote it.

use crate::user_policy::code::{Bounds, Unfit};
use switchyard_engine::Mistake;

/// The most bytes of a module: deflated some 22,000 characters of a link.
pub(super) const BOUNDS: Bounds = Bounds {
    plain: 256 << 10,
    packed: 16 << 10,
};

/// Why a plug-in cannot decide, or no longer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PluginError {
    /// The parameter `code` is not what [`spec`](super::spec) makes of a module.
    #[error(
        "its code is damaged: it must be a wasm module, deflated, in base64url without padding"
    )]
    Damaged,
    /// The module is too large to travel in a link.
    #[error(
        "its module has {0} bytes once deflated, of at most {most}: build it for size, without debug information and names",
        most = BOUNDS.packed
    )]
    TooLarge(usize),
    /// The module is larger than one that is deflated may be.
    #[error("its module has more than {most} bytes: build it for size", most = BOUNDS.plain)]
    TooLong,
    /// Not wasm, or wasm of a later version.
    #[error("its module is no valid WebAssembly 2.0 of 32 bits without SIMD: {0}")]
    Invalid(String),
    /// The module asks for something from outside.
    #[error(
        "its module imports '{0}', and a plug-in may import nothing: build it without (AssemblyScript: --use abort= --runtime stub; Rust: no_std, for wasm32-unknown-unknown)"
    )]
    Imports(String),
    /// The module lacks something.
    #[error("its module does not export {0}")]
    Lacks(&'static str),
    /// The module could not be set up.
    #[error("its module cannot be set up: {0}")]
    SetUp(String),
    /// A function trapped.
    #[error("its function {function} was ended: {why}")]
    Trapped {
        /// Which.
        function: &'static str,
        /// Why, in words.
        why: String,
    },
    /// A pointer beyond its memory.
    #[error(
        "its function {function} returned {at}, but {bytes} bytes from there on are not all within its memory of {memory}"
    )]
    OutOfMemory {
        /// Which.
        function: &'static str,
        /// The address.
        at: u32,
        /// How many bytes are read or written there.
        bytes: u64,
        /// The memory's size.
        memory: usize,
    },
    /// More actions than could make sense.
    #[error("its function plan wrote {count} actions, of at most {most} for so many jobs and GPUs")]
    TooManyActions {
        /// How many.
        count: i32,
        /// The most for so many jobs.
        most: u32,
    },
    /// An action that cannot be.
    #[error("its function plan wrote as action {index} {why}")]
    Action {
        /// Which, from 0.
        index: u32,
        /// What is wrong with it.
        why: String,
    },
}

impl From<Unfit> for PluginError {
    fn from(unfit: Unfit) -> Self {
        match unfit {
            Unfit::Damaged => Self::Damaged,
            Unfit::TooLong => Self::TooLong,
            Unfit::TooLarge(bytes) => Self::TooLarge(bytes),
        }
    }
}

impl From<PluginError> for Mistake {
    fn from(error: PluginError) -> Self {
        Self::nowhere(error.to_string())
    }
}
