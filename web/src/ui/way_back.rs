//! The way back to what was put aside when another trace was opened.

use super::controls::quiet_button;
use super::doers::tell;
use super::icon::{Icon, sign};
use crate::session::Session;
use crate::state::Action;
use yew::prelude::*;

/// The way back to what has this name.
pub(super) fn way_back(name: &str, session: &Session) -> Html {
    let onclick = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| session.go_back())
    };
    html! {
        <p class="notice">
            <button type="button" class="link" {onclick}>{ format!("Back to {name}, as it was") }</button>
            { quiet_button("Stay here", None, sign(Icon::Close), tell(session, |_| Action::WayBack(None))) }
        </p>
    }
}
