//! Every run's yard side by side on the one clock.

use super::app::{StateProps, tell, use_session};
use super::canvas_host::{CanvasHost, PainterHandle};
use super::cluster_panel::input_value;
use super::wording;
use crate::draw::format;
use crate::draw::yard::YardPainter;
use crate::stage::ColourBy;
use crate::state::{Action, AppState, Card, RunStatus};
use yew::prelude::*;

/// Every run's yard side by side; on a narrow screen one at a time.
#[component]
pub(super) fn YardView(props: &StateProps) -> Html {
    let state = &props.state;
    let shown = use_state(|| 0usize);
    if state.cards.is_empty() {
        return html! { <p class="empty">{ "Add a scheduler on the left to see its yard." }</p> };
    }
    let session = use_session();
    let oncolour = tell(&session, Action::ColourBy);
    let colours = ColourBy::ALL.iter().map(|&(by, name, title)| {
        html! { <option value={name} selected={by == state.colour_by}>{ title }</option> }
    });
    let oncolour = Callback::from(move |event: Event| {
        let name = input_value(&event);
        if let Some(&(by, _, _)) = ColourBy::ALL.iter().find(|(_, other, _)| *other == name) {
            oncolour.emit(by);
        }
    });
    let shown_now = (*shown).min(state.cards.len() - 1);
    let switch = state.cards.iter().enumerate().map(|(i, card)| {
        let shown = shown.clone();
        html! {
            <button type="button" aria-pressed={(i == shown_now).to_string()} onclick={Callback::from(move |_| shown.set(i))}>{ card.policy.to_string() }</button>
        }
    });
    let yards = state.cards.iter().enumerate().map(|(i, card)| {
        html! { <Yard key={card.id} card={card.clone()} ratio={ratio(state, card)} narrow_shown={i == shown_now} /> }
    });
    html! {
        <>
            <div class="toolbar">
                <label><span>{ "Colour by " }</span><select onchange={oncolour}>{ for colours }</select></label>
                <span class="key hint"><i class="waits"></i>{ "waiting" }<i class="runs"></i>{ "running" }<i class="restarts"></i>{ "restarting" }</span>
                <div class="switch only-narrow" role="group" aria-label="Scheduler shown">{ for switch }</div>
            </div>
            <div class="yards" style={format!("--yards:{}", state.cards.len())}>{ for yards }</div>
        </>
    }
}

/// How a run's mean JCT compares with the baseline's, once both are known.
pub(super) fn ratio(state: &AppState, card: &Card) -> Option<String> {
    let baseline = state
        .card(state.baseline)
        .filter(|baseline| baseline.id != card.id)?;
    let (mine, its) = (card.summary?.jct.mean, baseline.summary?.jct.mean);
    wording::difference(mine, its, wording::Direction::Time)
}

/// What a yard needs.
#[derive(Properties, PartialEq)]
pub(super) struct YardProps {
    /// The scheduler.
    pub(super) card: Card,
    /// How its mean JCT compares with the baseline's.
    pub(super) ratio: Option<String>,
    /// Whether it is shown on a narrow screen.
    pub(super) narrow_shown: bool,
}

/// One run's yard.
#[component]
pub(super) fn Yard(props: &YardProps) -> Html {
    let card = &props.card;
    let painter = use_memo(card.id, |id| PainterHandle::new(YardPainter::new(*id)));
    let result = match (&card.status, &card.summary) {
        (_, Some(summary)) => html! {
            <>
                <span class="figure" title="Mean job completion time: finish − submission, waiting included">
                    { format!("mean JCT {}", format::duration(summary.jct.mean)) }
                </span>
                if let Some(ratio) = &props.ratio {
                    <span class="hint">{ ratio }</span>
                }
            </>
        },
        (RunStatus::Running(progress), None) => {
            let percent = 100.0 * f64::from(progress.done) / f64::from(progress.jobs.max(1));
            html! { <span class="hint">{ format!("running, {percent:.0} % done") }</span> }
        }
        (RunStatus::Cancelled(_), None) => html! { <span class="hint">{ "cancelled" }</span> },
        (RunStatus::Failed(_), None) => html! { <span class="error">{ "failed" }</span> },
        (RunStatus::Idle | RunStatus::Done { .. }, None) => Html::default(),
    };
    html! {
        <section class={classes!("yard", (!props.narrow_shown).then_some("hidden-narrow"))} aria-label={format!("Yard of {}", card.policy)}>
            <h2><span class="spec" title={card.policy.to_string()}>{ card.policy.to_string() }</span>{ result }</h2>
            <CanvasHost painter={(*painter).clone()} label={format!("Nodes and queue under {} at the clock's time", card.policy)} />
        </section>
    }
}
