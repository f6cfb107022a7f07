//! The control that leads from a value to the sweep over it.

use crate::session::Session;
use crate::state::ViewAction;
use crate::state::sweep::Vary;
use crate::state::view_options::{SWEEP_RUN, SWEEP_VALUES, SWEEP_WHAT};
use yew::prelude::*;

/// Leads to a sweep; of one scheduler's parameter where a run is named.
pub(super) fn vary(session: &Session, vary: &Vary, run: Option<u32>) -> Html {
    let (name, run) = (
        vary.name(),
        run.map_or_else(String::new, |id| id.to_string()),
    );
    let of = format!(" {}", vary.title());
    let session = session.clone();
    let onclick = Callback::from(move |_: MouseEvent| {
        for (option, value) in [
            (&SWEEP_WHAT, &name[..]),
            (&SWEEP_VALUES, ""),
            (&SWEEP_RUN, &run),
        ] {
            session.dispatch(ViewAction::SetOption(option, value.to_owned()));
        }
        session.dispatch(ViewAction::Show("sweep"));
    });
    let title = "Vary this: run several values, and see the numbers over them";
    // Named by what is in it: a label would be found where the field beside it is looked for.
    html! {
        <button type="button" class="quiet" {title} {onclick}>{ "vary" }<span class="visually-hidden">{ of }</span></button>
    }
}

/// A field and, beside it, the way to the sweep over it.
pub(super) fn varied(field: Html, vary: Html) -> Html {
    html! { <div class="row varied"><div>{ field }</div>{ vary }</div> }
}
