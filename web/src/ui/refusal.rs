//! Why something could not be opened: over the stage, where files are dropped, with what helps as a button.

use super::controls::quiet_button;
use super::drop_zone::pick_files;
use super::icon::{Icon, sign};
use super::services::dispatch;
use crate::session::Session;
use crate::state::{AppState, NextStep, OpeningAction};
use yew::prelude::*;

/// The last refusal, until something else is opened or it is read.
pub(super) fn refusal(state: &AppState, session: &Session) -> Html {
    let Some(refused) = &state.opening.refused else {
        return Html::default();
    };
    let open = |face: &'static str| {
        html! { <button type="button" onclick={|_: MouseEvent| pick_files()}>{ face }</button> }
    };
    let next = match &refused.next {
        NextStep::Open(face) => open(face),
        NextStep::Columns => {
            let ask = state.opening.columns.clone().map(|asked| {
                let ask = dispatch(session, move |_: MouseEvent| OpeningAction::AskColumns(asked.clone()));
                html! { <button type="button" class="primary" onclick={ask}>{ "Choose columns…" }</button> }
            });
            html! { <>{ ask }{ open("Open another file") }</> }
        }
        NextStep::CountCores => {
            let session = session.clone();
            let count = Callback::from(move |_: MouseEvent| session.count_cores());
            html! {
                <>
                    <button type="button" class="primary" onclick={count}>{ "Count cores" }</button>
                    { open("Open another file") }
                </>
            }
        }
        NextStep::Fetch(source) => {
            let (session, source) = (session.clone(), source.clone());
            let again = Callback::from(move |_: MouseEvent| session.take_from(source.clone()));
            html! {
                <>
                    <button type="button" class="primary" onclick={again}>{ "Try again" }</button>
                    { open("Open a file") }
                </>
            }
        }
        NextStep::Nothing => Html::default(),
    };
    html! {
        <section class="refusal" role="alert">
            <p>{ &refused.why }</p>
            <div class="row">{ next }</div>
            { quiet_button("Dismiss", Some("Dismiss"), sign(Icon::Close), dispatch(session, |_| OpeningAction::ReadRefusal)) }
        </section>
    }
}
