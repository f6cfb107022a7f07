//! A change of settings that is applied to them as they are when its turn comes: quick edits add
//! up, and none undoes another by working on what it has seen before.

use crate::complaint::Complaint;
use std::fmt;
use std::rc::Rc;

/// What becomes of settings, or what is wrong with the change.
type Apply<T> = dyn Fn(&T) -> Result<T, Complaint>;

/// A change of `T`. Cheap to clone.
pub struct Change<T>(Rc<Apply<T>>);

impl<T: Clone + 'static> Change<T> {
    /// The change that makes of settings what `apply` says.
    pub fn new(apply: impl Fn(&T) -> Result<T, Complaint> + 'static) -> Self {
        Self(Rc::new(apply))
    }

    /// Puts this in the place of whatever there is.
    pub fn to(value: T) -> Self {
        Self::new(move |_| Ok(value.clone()))
    }

    /// Leaves everything as it is.
    pub fn nothing() -> Self {
        Self::new(|value: &T| Ok(value.clone()))
    }

    /// What becomes of `value`, or what is wrong with the change.
    pub fn of(&self, value: &T) -> Result<T, Complaint> {
        (self.0)(value)
    }
}

impl<T> Clone for Change<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> fmt::Debug for Change<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Change")
    }
}
