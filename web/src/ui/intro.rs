//! What a visitor sees first: what this is, one question, and the way to its answer.

use super::controls::quiet_button;
use super::guide;
use super::icon::{Icon, sign};
use super::services::StateHandle;
use crate::draw::format;
use crate::remembered;
use crate::session::Session;
use crate::state::{PanelsAction, Run, ViewAction};
use yew::prelude::*;

/// The introduction, for visitors without a link of their own.
pub(super) fn intro(state: &StateHandle, session: &Session) -> Html {
    let Some(trace) = state.opening.trace.as_ref().filter(|_| state.panels.intro) else {
        return Html::default();
    };
    let names: Vec<&str> = state.runs.iter().map(Run::name).collect();
    let who = match names.as_slice() {
        [one, other] => format!("{one} and {other} run"),
        names => format!(
            "{} run",
            format::counted(names.len() as u64, "scheduler", "schedulers")
        ),
    };
    let jobs = format::counted(trace.jobs as u64, "job", "jobs");
    let gpus = format::counted(state.setup.cluster.gpus().into(), "GPU", "GPUs");
    let play = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| {
            session.dispatch(ViewAction::Show("yard"));
            session.seek(0.0);
            session.set_playing(true);
        })
    };
    let answer = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| session.dispatch(ViewAction::Show("compare")))
    };
    let wish_guide = guide::wish(state, session);
    let step_by_step = Callback::from(move |_: MouseEvent| wish_guide());
    let close = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| {
            remembered::close_intro();
            session.dispatch(PanelsAction::CloseIntro);
        })
    };
    html! {
        <section class="intro" aria-label="What this is">
            <p>
                <strong>{ "Switchyard replays the jobs of a GPU cluster under different schedulers. " }</strong>
                { format!("Here {who} the same {jobs} on the same {gpus}: which finishes them sooner, and why?") }
            </p>
            <div class="intro-buttons">
                <button type="button" class="primary" onclick={play}>{ sign(Icon::Play) }{ " Play" }</button>
                <button type="button" onclick={answer}>{ "Compare them" }</button>
                <button type="button" onclick={step_by_step}>{ "Step by step" }</button>
            </div>
            { quiet_button("Close this introduction", Some("Close"), sign(Icon::Close), close) }
        </section>
    }
}
