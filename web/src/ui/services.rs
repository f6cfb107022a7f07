//! What components are given: the state, and what does things for them.

use super::animation::Animation;
use crate::session::Session;
use crate::stage::SharedStage;
use crate::state::{Action, AppState, Store};
use std::rc::Rc;
use yew::prelude::*;

/// The state as components get it.
pub(super) type StateHandle = Rc<AppState>;

/// What does things for the components. Cheap to clone.
#[derive(Clone, PartialEq)]
pub(super) struct Services {
    /// Opens files and carries runs.
    pub(super) session: Session,
    /// Moves the clock and paints canvases.
    pub(super) animation: Option<Animation>,
}

impl Services {
    /// Those of a page that has just been opened.
    pub(super) fn start(store: Store) -> Self {
        let stage = SharedStage::default();
        Self {
            session: Session::new(stage.clone(), store),
            animation: web_sys::window().map(|window| Animation::start(stage, window)),
        }
    }
}

/// Properties of components that show the state.
#[derive(Clone, Properties, PartialEq)]
pub(super) struct StateProps {
    /// The state.
    pub(super) state: StateHandle,
    /// The session and the animation.
    pub(super) services: Services,
}

/// A callback that dispatches an action.
pub(super) fn dispatch<T: 'static, A: Into<Action>>(
    session: &Session,
    action: impl Fn(T) -> A + 'static,
) -> Callback<T> {
    let session = session.clone();
    Callback::from(move |value| session.dispatch(action(value)))
}
