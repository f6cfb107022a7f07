//! What a job asks for besides its GPUs.

use crate::cluster::Thousandths;
use serde::{Deserialize, Serialize};

/// GPU types by their index in [`Workload::gpu_types`](crate::Workload::gpu_types): those that a
/// job may run on. Empty: any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TypeSet(u64);

impl TypeSet {
    /// Any type.
    pub const ANY: Self = Self(0);

    /// With one type more; the same if it is none of [`MAX_TYPES`](crate::cluster::MAX_TYPES).
    #[must_use]
    pub fn with(self, index: u32) -> Self {
        Self(self.0 | 1u64.checked_shl(index).unwrap_or(0))
    }

    /// The same types by other numbers: `of` says each one's.
    #[must_use]
    pub fn renamed(self, of: &[Option<u32>]) -> Self {
        let named = self.named().filter_map(|at| *of.get(at as usize)?);
        named.fold(Self::ANY, Self::with)
    }

    /// The types that either names.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether any type will do.
    pub fn is_any(self) -> bool {
        self.0 == 0
    }

    /// Whether this one will.
    pub fn allows(self, index: u32) -> bool {
        self.is_any() || self.0 & 1u64.checked_shl(index).unwrap_or(0) != 0
    }

    /// The types it names, in order; none where any will do.
    pub fn named(self) -> impl Iterator<Item = u32> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let lowest = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(lowest)
        })
    }
}

/// Parameter servers of a job, beside its workers, which have a GPU each: each worker sends each of
/// them its part of the gradients and gets as much back. They run on cores of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Servers {
    /// How many; 0: workers reduce gradients among themselves.
    pub count: u32,
    /// Cores of each, thousandths; 0: not said.
    pub cores: u32,
    /// Memory of each, MiB; 0: not said.
    pub memory: u32,
}

impl Servers {
    /// The most that a job has.
    pub const MOST: u32 = 1000;

    /// None.
    pub const NONE: Self = Self {
        count: 0,
        cores: 0,
        memory: 0,
    };
}

/// What a job asks for besides its GPUs; the default asks for nothing more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Demand {
    /// The GPU types it may run on.
    pub types: TypeSet,
    /// Memory that each of its GPUs must have, MiB; 0: any.
    pub gpu_memory: u32,
    /// Cores of the whole job, thousandths; 0: not said. What it has on a node is its share of the
    /// job's GPUs, rounded up.
    pub cores: u32,
    /// Memory of the whole job, MiB, shared like cores; 0: not said.
    pub memory: u32,
    /// Of a job that asks for one GPU, the part of it that is enough where GPUs are shared.
    pub share: Option<Thousandths>,
    /// Its parameter servers, without which its gang does not start.
    pub servers: Servers,
    /// Seconds that it asks for, a limit or an estimate of its owner's, where the trace tells; > 0 and finite. Who
    /// runs longer is not stopped.
    pub time: Option<f64>,
}

impl Demand {
    /// Whether it asks for nothing but GPUs, or a part of one, for however long.
    pub fn is_plain(&self) -> bool {
        let whole = Self {
            share: None,
            time: None,
            ..*self
        };
        whole == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_types() {
        let some = TypeSet::ANY.with(0).with(63).with(64);
        assert_eq!(some.named().collect::<Vec<_>>(), [0, 63]);
        assert!(some.allows(63) && !some.allows(1) && !some.allows(64));
        assert!(TypeSet::ANY.allows(7) && TypeSet::ANY.named().next().is_none());
    }
}
