//! "What if this node dies now?": asked of a run's node, answered by the same run repeated with the
//! node down from there, beside the first.

use crate::draw::format;
use crate::session::Session;
use crate::state::{AppState, Phase, Run, RunsAction};
use crate::ui::controls::{number_field, quiet_button, whole_from};
use crate::ui::icon::{Icon, sign};
use crate::ui::services::dispatch;
use switchyard::Time;
use switchyard::outages::{Outage, OutageKind};
use yew::prelude::*;

/// For how long a node may be away, seconds; `None`: for good.
const SPANS: [(&str, Option<f64>); 3] = [
    ("for 1 h", Some(3600.0)),
    ("for 24 h", Some(86_400.0)),
    ("for good", None),
];

/// The question, where it is asked of this run; else what asks it.
pub(super) fn breaking(state: &AppState, session: &Session, card: &Run) -> Html {
    let id = card.id;
    let Some((_, node)) = state.runs.breaking.filter(|(run, _)| *run == id) else {
        let done = matches!(card.phase, Phase::Finished(_));
        let ask = {
            let session = session.clone();
            Callback::from(move |_: MouseEvent| {
                session.set_playing(false);
                session.dispatch(RunsAction::AskToBreak(Some((id, 0))));
            })
        };
        let label = format!("What if a node dies now? ({})", card.name());
        return html! {
            if done {
                <button type="button" class="link ask" aria-label={label} onclick={ask}>{ "What if a node dies now?" }</button>
            }
        };
    };
    let now = session.stage().read().clock.now;
    let last = state.setup.cluster.nodes().saturating_sub(1);
    let take = {
        let session = session.clone();
        Callback::from(move |typed: String| match typed.trim().parse::<u32>() {
            Ok(node) if node <= last => {
                session.dispatch(RunsAction::AskToBreak(Some((id, node))));
                Ok(())
            }
            _ => Err(format!("The cluster's nodes are 0 to {last}.").into()),
        })
    };
    let spans = SPANS.iter().map(|&(face, span)| {
        let session = session.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            let now = session.stage().read().clock.now;
            let outage = Outage {
                node,
                from: Time(now),
                to: span.map_or(Time::NEVER, |span| Time(now + span)),
                kind: OutageKind::Failure,
            };
            session.dispatch(RunsAction::Break(id, outage));
        });
        html! { <button type="button" {onclick}>{ face }</button> }
    });
    let close = dispatch(session, |_: MouseEvent| RunsAction::AskToBreak(None));
    let numbers = last.to_string();
    html! {
        <section class="break" aria-label="What if a node dies now?">
            <div class="row">
                <h3>{ format!("What if node {node} dies now?") }</h3>
                { quiet_button("Ask no more", Some("Close (Esc)"), sign(Icon::Close), close) }
            </div>
            <p class="hint">{ format!(
                "At {} it takes its jobs' {} with it. The run is repeated with the node down from there, beside this one.",
                state.view.moments.second(now),
                format::units("GPUs")
            ) }</p>
            <div class="row">
                { number_field("Node", None, whole_from("0").to(&numbers), node.to_string(), take) }
                { for spans }
            </div>
        </section>
    }
}
