//! Every run's yard side by side on the one clock.

mod breaking;
mod facts;
mod painter;

use crate::draw::format;
use crate::draw::palette::{self, LOADS};
use crate::session::Session;
use crate::state::view_options::YARD_RUN;
use crate::state::{AppState, Phase, Run, ViewAction};
use crate::ui::canvas_host::{CanvasHost, Scene};
use crate::ui::controls::{list, option, swatch};
use crate::ui::legend::{colour_by, legend, use_classes};
use crate::ui::metrics_table::left;
use crate::ui::services::{Services, StateProps, dispatch};
use crate::ui::term::{Definition, Term};
use crate::ui::theme::is_dark;
use crate::ui::typed::input_value;
use crate::ui::view::View;
use crate::ui::waiting_run::its_turn;
use crate::ui::wording;
use breaking::breaking;
use facts::yard_facts;
use painter::Yard;
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
    let chosen = state.option_run(&YARD_RUN);
    let is_chosen = |card: &Run| Some(card.id) == chosen;
    let shown_now = state.runs.iter().position(is_chosen).unwrap_or(0);
    let switch = state
        .runs
        .iter()
        .zip(0usize..)
        .map(|(card, i)| option(&card.id.to_string(), card.name(), i == shown_now, None));
    let onswitch = dispatch(&props.services.session, |event: Event| {
        ViewAction::SetOption(&YARD_RUN, input_value(&event))
    });
    let session = &props.services.session;
    let classes = use_classes(state, session);
    if state.runs.list.is_empty() {
        return html! { <p class="empty">{ "Add a scheduler on the left to see its yard." }</p> };
    }
    let cards = state.runs.iter().enumerate();
    let yards = cards.map(|(i, card)| yard(state, &props.services, card, i == shown_now));
    html! {
        <>
            <div class="toolbar">
                { colour_by(state, session) }
                { legend(state, session, &classes) }
                <span class="key hint">
                    <i class="waits"></i>{ "waiting" }<i class="runs"></i>{ "running" }<i class="restarts"></i>{ "restarting" }
                    <span title="When so much happens in a second that it would flicker, a job that has only just come is grey"><i class="passing"></i>{ "only just placed, in fast-forward" }</span>
                </span>
                if state.setup.settings.options.contention {
                    { load_key(is_dark(state.view.theme)) }
                }
                if state.runs.list.len() > 1 {
                    <label class="which-yard" data-option={YARD_RUN.link}><span class="visually-hidden">{ "Scheduler shown" }</span>{ list(onswitch, switch.collect()) }</label>
                }
            </div>
            <div class={classes!("yards", (state.runs.list.len() > 4).then_some("many"))} ~style={columns(state.runs.list.len())}>{ for yards }</div>
        </>
    }
}

static LINKS: Definition = Definition {
    id: "yard-links",
    name: "links",
    meaning: "What jobs want of a link, of what it carries: a node's above its GPUs, a rack's along its top, a partition's above it, sockets' below a node. Beyond 100 % the line is full, and its notch says how much of what is wanted the link carries.",
    formula: "GB/s wanted ∕ GB/s carried",
    source: "",
};

/// What the colours of links stand for.
fn load_key(dark: bool) -> Html {
    let [some, much] = LOADS.map(|load| format!("to {:.0} %", 100.0 * load));
    let loads = [
        (0.0, some),
        (0.7, much),
        (1.0, "to 100 %".to_owned()),
        (2.0, "more".to_owned()),
    ];
    let loads = loads.into_iter().map(|(load, words)| {
        let colour = format!("background: {}", palette::load(load, dark));
        html! { <><i class="link" ~style={colour}></i>{ words }</> }
    });
    html! { <span class="key hint"><Term definition={LINKS} />{ for loads }</span> }
}

/// How many yards stand side by side, by the room there is: four are two by two.
fn columns(yards: usize) -> String {
    let without_rail = yards.clamp(1, 2);
    let (wide, middle, small) = match yards {
        0 | 1 => (1, 1, 1),
        2 => (2, 2, 1),
        3 => (3, 2, 1),
        4 => (2, 2, 2),
        5 | 6 => (3, 3, 2),
        _ => (4, 3, 2),
    };
    format!("--wide:{wide}; --middle:{middle}; --small:{small}; --without-rail:{without_rail}")
}

/// How a run's mean JCT compares with the baseline's, once both have finished all jobs.
fn ratio(state: &AppState, card: &Run) -> Option<String> {
    let baseline = state
        .run(state.runs.baseline)
        .filter(|baseline| baseline.id != card.id)?;
    let (mine, its) = (card.summary()?, baseline.summary()?);
    let ratio = wording::difference(mine.jct.mean, its.jct.mean, wording::Direction::Time);
    ratio.filter(|_| mine.is_whole() && its.is_whole())
}

/// What is said behind a number of a whole run while some of the jobs are selected.
fn of_all(session: &Session) -> &'static str {
    match session.stage().read().selection.jobs() {
        Some(_) => " of all jobs",
        None => "",
    }
}

/// One run's yard; `narrow_shown`: also on a narrow screen.
pub(super) fn yard(state: &AppState, services: &Services, card: &Run, narrow_shown: bool) -> Html {
    let of_all = of_all(&services.session);
    let result = match (&card.phase, card.summary()) {
        (_, Some(summary)) => html! {
            <>
                <span class="figure" title="Mean job completion time: finish − submission, waiting included">
                    { format!("mean JCT {}{of_all}", format::duration(summary.jct.mean)) }
                </span>
                if let Some(left) = left(summary) {
                    <span class="left">{ left }</span>
                }
                if let Some(ratio) = ratio(state, card) {
                    <span class="hint">{ ratio }</span>
                }
            </>
        },
        (Phase::Running(progress), None) => {
            let percent = 100.0 * f64::from(progress.done) / f64::from(progress.jobs.max(1));
            html! { <span class="hint">{ format!("running, {percent:.0} % done") }</span> }
        }
        (Phase::Cancelled(_), None) => html! { <span class="hint">{ "cancelled" }</span> },
        (Phase::Failed(_), None) => html! { <span class="error">{ "failed" }</span> },
        (Phase::Waiting | Phase::Finished(_), None) => its_turn(state, card),
    };
    let name = card.name();
    html! {
        <section key={card.id} class={classes!("yard", (!narrow_shown).then_some("is-other"))} aria-label={format!("Yard of {name}")}>
            <h2><span class="spec" title={card.policy.label()}>{ swatch(card.hue(), is_dark(state.view.theme)) }{ name }</span>{ result }</h2>
            <CanvasHost scene={Scene::of(card.id, Yard::of_run)} walked="Arrow keys go from job to job, Enter chooses one" services={services.clone()} label={format!("Nodes and queue under {name} at the clock's time")} />
            <div class="yard-foot">{ yard_facts(&services.session, card.id) }{ breaking(state, &services.session, card) }</div>
        </section>
    }
}
