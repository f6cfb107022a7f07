//! The one store: the state as it is now, what changes it, and whom to tell.

use super::{Action, AppState};
use std::cell::RefCell;
use std::rc::Rc;

/// The store. Cheap to clone.
#[derive(Clone)]
pub struct Store(Rc<Inner>);

struct Inner {
    state: RefCell<Rc<AppState>>,
    /// Told after each change.
    on_change: RefCell<Option<Box<dyn Fn()>>>,
}

impl Store {
    /// A store that holds this.
    pub fn new(state: AppState) -> Self {
        Self(Rc::new(Inner {
            state: RefCell::new(Rc::new(state)),
            on_change: RefCell::default(),
        }))
    }

    /// The state as it is now.
    pub fn state(&self) -> Rc<AppState> {
        self.0.state.borrow().clone()
    }

    /// Something happens to the state.
    pub fn apply(&self, action: Action) {
        let before = self.state();
        let after = before.clone().reduce(action);
        if Rc::ptr_eq(&before, &after) {
            return;
        }
        self.0.state.replace(after);
        if let Some(on_change) = &*self.0.on_change.borrow() {
            on_change();
        }
    }

    /// Has a function called after each change, in the place of the one before.
    pub fn subscribe(&self, on_change: impl Fn() + 'static) {
        self.0.on_change.replace(Some(Box::new(on_change)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::PanelsAction;
    use crate::state::link::Link;
    use std::cell::Cell;

    #[test]
    fn a_store_tells_of_changes_and_of_nothing_else() {
        let store = Store::new(AppState::from_link(&Link::parse("")));
        let calls = Rc::new(Cell::new(0));
        let count = calls.clone();
        store.subscribe(move || count.set(count.get() + 1));
        for open in [true, true, false] {
            store.apply(PanelsAction::Help(open).into());
            assert_eq!(store.state().panels.help, open);
        }
        assert_eq!(calls.get(), 2);
    }
}
