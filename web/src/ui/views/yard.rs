//! Every run's yard side by side on the one clock.

use crate::draw::format;
use crate::draw::yard::Yard;
use crate::stage::ColourBy;
use crate::state::{Action, AppState, Card, RunStatus};
use crate::ui::canvas_host::{CanvasHost, Scene};
use crate::ui::controls::{list, option, switch_button};
use crate::ui::doers::{Doers, StateProps, tell};
use crate::ui::typed::input_value;
use crate::ui::view::View;
use crate::ui::wording;
use yew::prelude::*;

/// Every run's nodes and queue.
pub(super) const VIEW: View = View {
    name: "yard",
    title: "Yard",
    about: "nodes and queue of every run, at the clock's time",
    is_offered: |_| true,
    show: |given| html! { <YardView ..given.clone() /> },
};

/// Every run's yard side by side; on a narrow screen one at a time.
#[component]
fn YardView(props: &StateProps) -> Html {
    let state = &props.state;
    let shown = use_state(|| 0usize);
    if state.cards.is_empty() {
        return html! { <p class="empty">{ "Add a scheduler on the left to see its yard." }</p> };
    }
    let oncolour = tell(&props.doers.session, Action::ColourBy);
    let colours = ColourBy::ALL
        .iter()
        .map(|&(by, name, title)| option(name, title, by == state.colour_by, None));
    let oncolour = Callback::from(move |event: Event| {
        let name = input_value(&event);
        if let Some(&(by, _, _)) = ColourBy::ALL.iter().find(|(_, other, _)| *other == name) {
            oncolour.emit(by);
        }
    });
    let shown_now = (*shown).min(state.cards.len() - 1);
    let switch = state.cards.iter().enumerate().map(|(i, card)| {
        let shown = shown.clone();
        let onclick = Callback::from(move |_| shown.set(i));
        switch_button(i == shown_now, &card.policy.to_string(), None, onclick)
    });
    let cards = state.cards.iter().enumerate();
    let yards = cards.map(|(i, card)| yard(state, &props.doers, card, i == shown_now));
    html! {
        <>
            <div class="toolbar">
                <label><span>{ "Colour by " }</span>{ list(oncolour, colours.collect()) }</label>
                <span class="key hint"><i class="waits"></i>{ "waiting" }<i class="runs"></i>{ "running" }<i class="restarts"></i>{ "restarting" }</span>
                <div class="switch only-narrow" role="group" aria-label="Scheduler shown">{ for switch }</div>
            </div>
            <div class="yards" ~style={format!("--yards:{}", state.cards.len())}>{ for yards }</div>
        </>
    }
}

/// How a run's mean JCT compares with the baseline's, once both are known.
fn ratio(state: &AppState, card: &Card) -> Option<String> {
    let baseline = state
        .card(state.baseline)
        .filter(|baseline| baseline.id != card.id)?;
    let (mine, its) = (card.summary?.jct.mean, baseline.summary?.jct.mean);
    wording::difference(mine, its, wording::Direction::Time)
}

/// One run's yard; `narrow_shown`: also on a narrow screen.
pub(super) fn yard(state: &AppState, doers: &Doers, card: &Card, narrow_shown: bool) -> Html {
    let result = match (&card.status, &card.summary) {
        (_, Some(summary)) => html! {
            <>
                <span class="figure" title="Mean job completion time: finish − submission, waiting included">
                    { format!("mean JCT {}", format::duration(summary.jct.mean)) }
                </span>
                if let Some(ratio) = ratio(state, card) {
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
        <section key={card.id} class={classes!("yard", (!narrow_shown).then_some("hidden-narrow"))} aria-label={format!("Yard of {}", card.policy)}>
            <h2><span class="spec" title={card.policy.to_string()}>{ card.policy.to_string() }</span>{ result }</h2>
            <CanvasHost scene={Scene::of(card.id, Yard::of_run)} doers={doers.clone()} label={format!("Nodes and queue under {} at the clock's time", card.policy)} />
        </section>
    }
}
