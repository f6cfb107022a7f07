//! The way back to what was put aside when another trace was opened.

use super::controls::quiet_button;
use super::icon::{Icon, sign};
use super::services::{StateHandle, tell};
use crate::session::Session;
use crate::state::NoticesAction;
use yew::prelude::*;

/// The way back to what has this name.
pub(super) fn way_back(name: &str, state: &StateHandle, session: &Session) -> Html {
    let onclick = {
        let (state, session) = (state.clone(), session.clone());
        Callback::from(move |_: MouseEvent| session.go_back(&state))
    };
    html! {
        <p class="notice">
            <button type="button" class="link" {onclick}>{ format!("Back to {name}, as it was") }</button>
            { quiet_button("Stay here", None, sign(Icon::Close), tell(session, |_| NoticesAction::WayBack(None))) }
        </p>
    }
}
