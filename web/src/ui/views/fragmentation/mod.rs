//! FGD's figure: how much of a cluster's GPUs is taken, and how much of the rest is fragments, while
//! pods that share GPUs arrive. On the lists that are open, or on invented ones; a worker measures.

pub(crate) mod experiment;

use crate::draw::format;
use crate::state::view_options::{ARRIVALS, PODS};
use crate::state::{AppState, ViewAction};
use crate::ui::controls::{self, field_of, switch_button};
use crate::ui::plot::saved_chart;
use crate::ui::services::{StateProps, dispatch};
use crate::ui::term::{Definition, Term};
use crate::ui::theme::is_dark;
use crate::ui::typed::Typed;
use crate::ui::view::View;
use experiment::{Measured, PackerFigures};
use yew::prelude::*;

static FRAGMENTATION: Definition = Definition {
    id: "fragmentation",
    name: "Fragmentation",
    meaning: "The part of idle GPUs that a typical pod could not use, in expectation: too little of a GPU is left for its share, too few cores are left beside it, the GPU is of another type, or the pod asks for none.",
    formula: "Σ over machines and typical pods of p(pod) · idle GPUs it cannot use ∕ idle GPUs",
    source: "Weng et al., Beware of Fragmentation (ATC'23), section 3.",
};
static ALLOCATION: Definition = Definition {
    id: "allocation",
    name: "Allocation",
    meaning: "The part of all GPUs that pods have been given, in thousandths of a GPU. Pods never leave; those that find no room are gone.",
    formula: "GPUs given ∕ GPUs there",
    source: "Weng et al., Beware of Fragmentation (ATC'23), section 6.",
};
static ARRIVED: Definition = Definition {
    id: "arrived-load",
    name: "Arrived load",
    meaning: "What pods have asked for so far, of the cluster's GPUs. They come in a random order, and are drawn again until they have asked for 130 %.",
    formula: "GPUs asked for ∕ GPUs there",
    source: "Weng et al., Beware of Fragmentation (ATC'23), section 6.",
};

/// Fragmentation over arrived load.
pub(super) const VIEW: View = View {
    name: "fragmentation",
    title: "Fragmentation",
    about: "how placements of pods that share GPUs leave them in fragments: FGD and its rivals",
    is_offered: |_| true,
    show: |given| html! { <FragmentationView ..given.clone() /> },
};

/// The format whose two lists can be measured.
const LISTS: &str = "alibaba-v2023";

const SEEDS: u32 = 10;

#[component]
fn FragmentationView(props: &StateProps) -> Html {
    let session = &props.services.session;
    let state: &AppState = &props.state;
    let dark = is_dark(state.view.theme);
    let seeds: u32 = state.option(&ARRIVALS).parse().unwrap_or(SEEDS);
    let is_invented = state.option(&PODS) == "invented";
    let is_list = |format: &str| format == LISTS;
    let trace = state
        .opening
        .trace
        .as_ref()
        .filter(|trace| is_list(&trace.format));
    let lists = trace.and_then(|_| session.open_lists());
    let has_lists = lists.is_some();
    let asked = (lists.clone().filter(|_| !is_invented), seeds);
    use_effect_with(asked, {
        let session = session.clone();
        move |(lists, seeds)| {
            session.measure_packing(lists.clone(), *seeds);
            move || session.leave_packing()
        }
    });
    let take_seeds = {
        let session = session.clone();
        Callback::from(move |typed: String| {
            let number = typed.trim().parse().ok();
            let number = number.filter(|number| (1..=100).contains(number));
            let number: u32 = number.ok_or("A whole number from 1 to 100 is needed.")?;
            session.dispatch(ViewAction::SetOption(&ARRIVALS, number.to_string()));
            Ok(())
        })
    };
    let source = |name: &'static str, face: &'static str| {
        let onclick = dispatch(session, move |_| {
            ViewAction::SetOption(&PODS, name.to_owned())
        });
        switch_button(state.option(&PODS) == name, face, None, onclick)
    };
    let progress = match &state.analyses.packing {
        Some(Ok(measured)) => {
            let [machines, gpus, pods] = measured.size;
            format!(
                "{} pods on {} machines with {} GPUs; means of {} of {} runs",
                format::count(pods),
                format::count(machines),
                format::count(gpus),
                measured.seeds,
                seeds
            )
        }
        _ => String::new(),
    };
    let whose = match has_lists && !is_invented {
        true => "Alibaba's openb lists (2023)",
        false => "Invented machines and pods",
    };
    let caption = format!("{whose}: {progress}. Placements: Weng et al. (ATC'23).");
    let told = match &state.analyses.packing {
        Some(Ok(measured)) => shown(measured, &caption, dark),
        Some(Err(why)) => controls::error(Some(why)),
        None => html! { <p>{ "Pods arrive…" }</p> },
    };
    html! {
        <div class="model">
            <form aria-label="Placements of shares" onsubmit={Callback::from(|event: SubmitEvent| event.prevent_default())}>
                <p class="hint">{ "Pods that ask for parts of GPUs arrive until the cluster is full. Where each is put decides how much of it can still be used." }</p>
                if has_lists {
                    <div class="switch" role="group" aria-label="Machines and pods" data-option={PODS.link}>
                        { source("open", "Open lists") }{ source("invented", "Invented") }
                    </div>
                } else {
                    <p class="hint">{ "These machines and pods are invented. Open Alibaba's openb_node_list and openb_pod_list (2023) together to see those." }</p>
                }
                { field_of(&ARRIVALS, "Runs of each placement", None, html! {
                    <Typed kind="number" name="Runs of each placement" min="1" max="100" value={seeds.to_string()} take={take_seeds} />
                }) }
            </form>
            <section aria-label="What the placements come to">
                <p class="terms"><Term definition={FRAGMENTATION} /><Term definition={ALLOCATION} /><Term definition={ARRIVED} /></p>
                <p class="hint" aria-live="polite">{ progress }</p>
                { told }
            </section>
        </div>
    }
}

fn shown(measured: &Measured, caption: &str, dark: bool) -> Html {
    let percent = |value: f64| format!("{value:.1} %");
    let published = measured.rows.iter().any(|row| row.published.is_some());
    let rows = measured.rows.iter().enumerate().map(|(at, row)| {
        let PackerFigures {
            title,
            summary,
            figures,
            ..
        } = row;
        let cell = |which: usize| {
            let published = row.published.map(|figures| format!("{:.1} %", figures[which]));
            html! {
                <>
                    <td>{ percent(figures[which]) }</td>
                    if let Some(published) = published {
                        <td>{ published }</td>
                    }
                </>
            }
        };
        html! {
            <tr>
                <th scope="row">{ controls::swatch(at, dark) }{ " " }<span title={summary.clone()}>{ title }</span></th>
                { cell(1) }{ cell(0) }
            </tr>
        }
    });
    html! {
        <>
            <div class="plots">{ for measured.plots.iter().map(|plot| saved_chart(plot, dark, "", caption)) }</div>
            <div class="rows">
                <table class="packers">
                    <thead><tr>
                        <th scope="col">{ "Placement" }</th>
                        <th scope="col">{ "Fragmentation at 80 %" }</th>
                        if published { <th scope="col">{ "published" }</th> }
                        <th scope="col">{ "Allocation at 130 %" }</th>
                        if published { <th scope="col">{ "published" }</th> }
                    </tr></thead>
                    <tbody>{ for rows }</tbody>
                </table>
            </div>
        </>
    }
}
