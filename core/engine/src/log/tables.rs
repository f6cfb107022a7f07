//! A log's tables: columns of equal length, declared once by the rows they are made of. All that
//! goes through every column follows from that: the mark of what has been seen, the rows since, the
//! bytes they take and the fingerprint.

use super::{EventKind, NodeState, StopCause};
use crate::Time;
use crate::cluster::Gpus;
use crate::job::JobId;
use crate::order;
use xxhash_rust::xxh3::Xxh3Default;

/// Columns of equal length.
pub(super) trait Table {
    type Row;

    /// What a row takes in memory.
    const ROW_BYTES: u64;

    fn len(&self) -> usize;

    fn row(&self, i: usize) -> Self::Row;

    fn push(&mut self, row: Self::Row);

    /// Makes room for so many rows in all.
    fn reserve(&mut self, rows: usize);
}

/// Makes room for more cells: an eighth more than there are at least. Doubling would take up to three times
/// what a long log needs, and a program in wasm gives no memory back.
pub(super) fn make_room<T>(column: &mut Vec<T>, more: usize) {
    if column.capacity() - column.len() < more {
        column.reserve_exact(more.max(column.len() / 8));
    }
}

/// Declares tables by their rows, the mark of a log and `Tables`, all of them.
macro_rules! tables {
    ($(
        $(#[$row_doc:meta])*
        $table:ident: $Table:ident of $visibility:vis $Row:ident {
            $($(#[$doc:meta])* $column:ident: $Cell:ty,)*
        }
    )*) => {
        $(
            $(#[$row_doc])*
            #[derive(Clone, Copy, Debug, PartialEq)]
            $visibility struct $Row {
                $($(#[$doc])* pub $column: $Cell,)*
            }

            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
            struct $Table {
                $($column: Vec<<$Cell as Cell>::Stored>,)*
            }

            impl Table for $Table {
                type Row = $Row;

                const ROW_BYTES: u64 = (0 $(+ size_of::<$Cell>())*) as u64;

                fn len(&self) -> usize {
                    [$(self.$column.len()),*][0]
                }

                #[inline]
                fn row(&self, i: usize) -> $Row {
                    $Row { $($column: <$Cell>::load(self.$column[i]),)* }
                }

                #[inline]
                fn push(&mut self, row: $Row) {
                    $(self.$column.push(row.$column.store());)*
                }

                fn reserve(&mut self, rows: usize) {
                    let more = rows.saturating_sub(self.len());
                    $(self.$column.reserve_exact(more);)*
                }
            }
        )*

        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        struct Tables {
            $($table: $Table,)*
        }

        /// How much of a log has been seen: rows of each table.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct LogMark {
            $($table: usize,)*
        }

        impl Tables {
            fn mark(&self) -> LogMark {
                LogMark { $($table: self.$table.len(),)* }
            }

            /// The rows added since.
            fn since(&self, mark: LogMark) -> Self {
                Self {
                    $($table: $Table {
                        $($column: self.$table.$column[mark.$table..].to_vec(),)*
                    },)*
                }
            }

            fn append(&mut self, rows: Self) {
                $($(
                    make_room(&mut self.$table.$column, rows.$table.$column.len());
                    self.$table.$column.extend(rows.$table.$column);
                )*)*
            }

            fn bytes(&self) -> u64 {
                let mut bytes = 0;
                $(bytes += self.$table.len() as u64 * $Table::ROW_BYTES;)*
                bytes
            }

            /// Adds all cells of this rank, column by column.
            fn add_to(&self, hash: &mut Xxh3Default, rank: Rank) {
                $($(if <$Cell>::RANK == rank {
                    self.$table.$column.iter().for_each(|&cell| <$Cell>::load(cell).add_to(hash));
                })*)*
            }
        }
    };
}

pub(super) use tables;

/// In which order cells go into a fingerprint.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rank {
    Number,
    Real,
    Gpus,
    Kind,
}

impl Rank {
    pub(super) const ALL: [Self; 4] = [Self::Number, Self::Real, Self::Gpus, Self::Kind];
}

/// What a row has in a column.
pub(super) trait Cell: Copy {
    /// How the column holds it.
    type Stored: Copy;

    const RANK: Rank;

    fn store(self) -> Self::Stored;

    fn load(stored: Self::Stored) -> Self;

    /// Adds every bit, the same on every platform.
    fn add_to(self, hash: &mut Xxh3Default);
}

impl Cell for Time {
    type Stored = f64;
    const RANK: Rank = Rank::Real;

    fn store(self) -> f64 {
        self.0
    }

    fn load(stored: f64) -> Self {
        Self(stored)
    }

    fn add_to(self, hash: &mut Xxh3Default) {
        self.0.add_to(hash);
    }
}

/// A cell that is held as it is.
macro_rules! plain_cell {
    ($Cell:ty, $rank:ident, |$self:ident, $hash:ident| $add:expr) => {
        impl Cell for $Cell {
            type Stored = Self;
            const RANK: Rank = Rank::$rank;

            fn store(self) -> Self {
                self
            }

            fn load(stored: Self) -> Self {
                stored
            }

            fn add_to($self, $hash: &mut Xxh3Default) {
                $add
            }
        }
    };
}

plain_cell!(u32, Number, |self, hash| hash.update(&self.to_le_bytes()));
plain_cell!(JobId, Number, |self, hash| self.0.add_to(hash));
plain_cell!(f64, Real, |self, hash| hash
    .update(&order::bits(self).to_le_bytes()));
plain_cell!(EventKind, Kind, |self, hash| hash.update(&[self as u8]));
plain_cell!(StopCause, Kind, |self, hash| hash.update(&[self as u8]));
plain_cell!(NodeState, Kind, |self, hash| hash.update(&[self as u8]));
plain_cell!(Gpus, Gpus, |self, hash| {
    hash.update(&self.node.to_le_bytes());
    hash.update(&self.mask.to_le_bytes());
});
