//! What a decision may still take: an operation for each step of the language, and more for calls that walk
//! over something.

use rhai::{EvalAltResult, ImmutableString, Position};
use std::cell::Cell;

/// What one decision of a script may take. Beyond it, the run ends with the line that it was at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Operations of one decision: about so many steps of the language.
    pub operations: u64,
    /// Functions that call one another.
    pub calls: usize,
    /// Elements of an array or an object map with all that is in them, and bytes of a text.
    pub size: usize,
    /// Variables at a time.
    pub variables: usize,
}

impl Default for Limits {
    /// About a second, and at the very most some hundred megabytes.
    fn default() -> Self {
        Self {
            operations: 10_000_000,
            calls: 16,
            size: 16_384,
            variables: 128,
        }
    }
}

/// So many elements (or bytes of a text) are walked over in about the time of an operation.
pub(super) const WALKED: usize = 16;

/// The operations that are left of a decision.
pub(super) struct Budget {
    operations: u64,
    left: Cell<u64>,
    /// Elements of an array or a map with all that is in it, and bytes of a text.
    pub(super) largest: usize,
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            operations: limits.operations,
            left: Cell::new(limits.operations),
            largest: limits.size,
        }
    }

    /// For the next decision.
    pub(super) fn renew(&self) {
        self.left.set(self.operations);
    }

    /// Operations of this decision so far.
    #[cfg(test)]
    pub(super) fn spent(&self) -> u64 {
        self.operations - self.left.get()
    }

    /// Whether none is left.
    pub(super) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// Takes so many operations.
    ///
    /// # Errors
    ///
    /// There are none left.
    pub(super) fn charge(&self, operations: u64) -> Result<(), Box<EvalAltResult>> {
        let left = self.left.get().checked_sub(operations);
        self.left.set(left.unwrap_or(0));
        match left {
            Some(_) => Ok(()),
            None => Err(EvalAltResult::ErrorTooManyOperations(Position::NONE).into()),
        }
    }

    /// The same for walking over so many elements.
    pub(super) fn walk(&self, elements: usize) -> Result<(), Box<EvalAltResult>> {
        self.charge((elements / WALKED) as u64)
    }

    /// A text, if it is not too long.
    pub(super) fn text(&self, text: String) -> Result<ImmutableString, Box<EvalAltResult>> {
        if text.len() > self.largest {
            let what = "length of a text".to_owned();
            return Err(EvalAltResult::ErrorDataTooLarge(what, Position::NONE).into());
        }
        Ok(text.into())
    }
}
