//! The notice that leads back to what was put aside when another trace was opened.

use super::controls::quiet_button;
use super::icon::{Icon, sign};
use super::services::{StateHandle, dispatch};
use crate::session::Session;
use crate::state::NoticesAction;
use yew::prelude::*;

/// The notice that leads back to the trace of this name.
pub(super) fn return_notice(name: &str, state: &StateHandle, session: &Session) -> Html {
    let onclick = {
        let (state, session) = (state.clone(), session.clone());
        Callback::from(move |_: MouseEvent| session.go_back(&state))
    };
    html! {
        <p class="notice">
            <button type="button" class="link" {onclick}>{ format!("Back to {name}, as it was") }</button>
            { quiet_button("Stay here", None, sign(Icon::Close), dispatch(session, |_| NoticesAction::ReturnTo(None))) }
        </p>
    }
}
