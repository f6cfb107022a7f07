//! A run's tree of queues at the clock's time and over the whole run: who has which part of the quotas, and from whom.

mod painter;
mod rows;

use crate::draw::format::units;
use crate::stage::{SharedStage, Stage};
use crate::state::Run;
use crate::ui::canvas_host::{CanvasHost, Scene};
use crate::ui::clock::Clocked;
use crate::ui::services::Services;
use painter::{AXIS, ROW, TreeOfQueues};
use yew::prelude::*;

/// The tree of a run.
pub(super) fn tree(services: &Services, card: &Run) -> Html {
    let stage = services.session.stage();
    let rows = {
        let stage = stage.read();
        let run = stage.run(card.id);
        run.and_then(|run| stage.quotas(run)).map(rows::count)
    };
    let Some(rows) = rows else {
        return html! { <div class="empty"><p>{ "The queues are shown once this run is over." }</p></div> };
    };
    let least = format!("--least: {}px", AXIS + ROW * rows as f64);
    html! {
        <section class="tree-of-queues" ~style={least} key={format!("tree-{}", card.id)} aria-label={format!("Tree of queues under {}", card.name())}>
            <CanvasHost scene={Scene::of(card.id, TreeOfQueues::of_run)} services={services.clone()}
                label={format!("Quotas of the queues under {}, who uses them at the clock's time, and each queue over time", card.name())}
                walked="Arrow keys go from queue to queue" />
            { in_words(stage, card.id) }
        </section>
    }
}

/// What the colours and lines are.
pub(super) fn key() -> Html {
    html! {
        <span class="key hint">
            <span><i class="own"></i>{ "used of its own quota" }</span>
            <span><i class="lent"></i>{ "lent, borrowed" }</span>
            <span><i class="quota"></i>{ "quota" }</span>
            <span><i class="asked"></i>{ units("GPUs asked for") }</span>
        </span>
    }
}

/// Each queue in a sentence, for those who do not see the picture.
fn in_words(stage: &SharedStage, id: u32) -> Html {
    let render = {
        let stage = stage.clone();
        Callback::from(move |now: f64| {
            let lines = sentences(&stage.read(), id, now);
            html! {
                <ul class="visually-hidden" aria-label="The tree of queues in words">
                    { for lines.into_iter().map(|line| html! { <li>{ line }</li> }) }
                </ul>
            }
        })
    };
    html! { <Clocked stage={stage.clone()} {render} /> }
}

fn sentences(stage: &Stage, id: u32, now: f64) -> Vec<String> {
    let of_run = stage
        .run(id)
        .and_then(|run| Some((run, stage.quotas(run)?)));
    let Some((run, quotas)) = of_run else {
        return Vec::new();
    };
    let at = quotas.at(&stage.workload, &run.log, now);
    let lines = quotas
        .order
        .iter()
        .map(|of| quotas.sentences(of.0, &at).join("; "));
    lines.collect()
}
