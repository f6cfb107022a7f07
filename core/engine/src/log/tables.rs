//! A log's tables: columns of equal length, declared once by the rows they are made of. All that
//! goes through every column follows from that: how many rows there are, the cells of those that follow, the
//! bytes they take and the fingerprint.

use super::kinds::{EventKind, StopCause};
use crate::Time;
use crate::cluster::Gpus;
use crate::job::JobId;
use crate::node_state::NodeState;
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

/// A column of more bytes is long.
const LONG: usize = 2 << 20;

/// Makes room for more cells: half as many as there are, of a long column an eighth, at least. Doubling would take up to
/// three times what a long log needs, and a program in wasm gives no memory back; less is copied again and again.
pub(super) fn make_room<T>(column: &mut Vec<T>, more: usize) {
    if column.capacity() - column.len() < more {
        let spare = match size_of_val(&column[..]) < LONG {
            true => column.len() / 2,
            false => column.len() / 8,
        };
        column.reserve_exact(more.max(spare));
    }
}

/// Declares tables by their rows, how many rows a log has, and `Tables`, all of them.
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

            #[derive(Clone, Debug, Default, PartialEq)]
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

        #[derive(Clone, Debug, Default, PartialEq)]
        struct Tables {
            $($table: $Table,)*
        }

        /// Rows of each table: how much of a log has been seen, or how much is in a [`LogPiece`].
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct LogRows {
            $($table: u32,)*
        }

        impl LogRows {
            /// What the cells of so many rows take.
            pub fn bytes(&self) -> u64 {
                let mut bytes = 0;
                $(bytes += u64::from(self.$table) * $Table::ROW_BYTES;)*
                bytes
            }
        }

        impl Tables {
            fn rows(&self) -> LogRows {
                LogRows { $($table: self.$table.len() as u32,)* }
            }

            /// What has been added since there were so many rows: how many, and column by column their cells.
            fn since(&self, seen: LogRows) -> (LogRows, Vec<&[u8]>) {
                let rows = LogRows { $($table: self.$table.len() as u32 - seen.$table,)* };
                let columns = vec![
                    $($(bytemuck::cast_slice(&self.$table.$column[seen.$table as usize..]),)*)*
                ];
                (rows, columns)
            }

            /// Adds so many rows, whose cells are copied into place, column by column. Says whether all of
            /// them are cells of their columns.
            fn append(&mut self, rows: LogRows, mut copy: impl FnMut(&mut [u8])) -> bool {
                let mut are_cells = true;
                $($({
                    let column = &mut self.$table.$column;
                    let (from, more) = (column.len(), rows.$table as usize);
                    make_room(column, more);
                    column.resize(from + more, bytemuck::Zeroable::zeroed());
                    let new = &mut column[from..];
                    if more > 0 {
                        copy(bytemuck::cast_slice_mut(new));
                    }
                    are_cells &= new.iter().all(|&stored| <$Cell>::is_cell(stored));
                })*)*
                are_cells
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
    /// In none.
    Note,
}

impl Rank {
    pub(super) const ALL: [Self; 4] = [Self::Number, Self::Real, Self::Gpus, Self::Kind];
}

/// What a row has in a column.
pub(super) trait Cell: Copy {
    /// How the column holds it.
    type Stored: bytemuck::Pod;

    const RANK: Rank;

    fn store(self) -> Self::Stored;

    fn load(stored: Self::Stored) -> Self;

    /// Whether something is one.
    fn is_cell(_stored: Self::Stored) -> bool {
        true
    }

    /// Adds every bit, the same on every platform.
    fn add_to(self, hash: &mut Xxh3Default);
}

/// A cell that is held as the number within it.
macro_rules! number_within {
    ($Cell:ident, $Number:ty) => {
        impl Cell for $Cell {
            type Stored = $Number;
            const RANK: Rank = <$Number as Cell>::RANK;

            fn store(self) -> $Number {
                self.0
            }

            fn load(stored: $Number) -> Self {
                Self(stored)
            }

            fn add_to(self, hash: &mut Xxh3Default) {
                self.0.add_to(hash);
            }
        }
    };
}

/// A number that says why something happened, and is none of what happened: runs that differ in it alone have one
/// fingerprint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Note(pub(super) u32);

impl Cell for Note {
    type Stored = u32;
    const RANK: Rank = Rank::Note;

    fn store(self) -> u32 {
        self.0
    }

    fn load(stored: u32) -> Self {
        Self(stored)
    }

    fn add_to(self, _hash: &mut Xxh3Default) {}
}

number_within!(Time, f64);
number_within!(JobId, u32);

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
plain_cell!(f64, Real, |self, hash| hash
    .update(&order::bits(self).to_le_bytes()));
plain_cell!(Gpus, Gpus, |self, hash| {
    hash.update(&{ self.node }.to_le_bytes());
    hash.update(&{ self.mask }.to_le_bytes());
});

/// A cell that is one of a few, held as its number.
macro_rules! numbered_cell {
    ($Cell:ident, [$first:ident $(, $rest:ident)*]) => {
        impl Cell for $Cell {
            type Stored = u8;
            const RANK: Rank = Rank::Kind;

            fn store(self) -> u8 {
                self as u8
            }

            #[inline]
            fn load(stored: u8) -> Self {
                $(if stored == Self::$rest as u8 {
                    return Self::$rest;
                })*
                Self::$first
            }

            fn is_cell(stored: u8) -> bool {
                Self::load(stored) as u8 == stored
            }

            fn add_to(self, hash: &mut Xxh3Default) {
                hash.update(&[self as u8]);
            }
        }
    };
}

numbered_cell!(
    EventKind,
    [
        Submit, Start, Pause, Restart, Demote, Promote, Finish, Reject, Evict, Fail
    ]
);
numbered_cell!(
    StopCause,
    [Retried, Failed, NodeFailed, Cancelled, TimedOut]
);
numbered_cell!(NodeState, [Up, Drained, Down, Unrented]);
