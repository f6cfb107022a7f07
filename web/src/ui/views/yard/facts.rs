//! What stands under a yard: the moment in a sentence, and how far the run has come.

use crate::draw::describe;
use crate::draw::format::{count, figures};
use crate::session::Session;
use crate::stage::{Stage, StageRun};
use crate::ui::clock::Clocked;
use crate::ui::journey::journey;
use crate::ui::names::with_nodes_for_pointers;
use crate::ui::term::{Definition, Term};
use yew::prelude::*;

static FINISHED: Definition = Definition {
    id: "yard-finished",
    name: "finished",
    meaning: "Jobs that have run to their end by the clock's time.",
    formula: "",
    source: "",
};
static IN_USE: Definition = Definition {
    id: "yard-in-use",
    name: "in use",
    meaning: "GPUs in use: the share of the cluster's GPUs that jobs hold at the clock's time. Held is not the same as used well.",
    formula: "GPUs held ∕ GPUs of the cluster",
    source: "",
};
static RHO: Definition = Definition {
    id: "yard-rho",
    name: "whole run’s ρ",
    meaning: "Finish-time fairness: a job's completion time over what it would be on an equal share of the cluster, averaged over its jobs. Below 1: better than an equal share.",
    formula: "mean of JCT shared ∕ JCT alone on a 1∕N share",
    source: "Themis (NSDI'20).",
};
static RESTARTS: Definition = Definition {
    id: "yard-restarts",
    name: "restarts",
    meaning: "Starts after a job's first one, until the clock's time: resumes and moves.",
    formula: "",
    source: "",
};

/// The moment of a run, in a sentence and in numbers.
pub(super) fn yard_facts(session: &Session, id: u32) -> Html {
    let render = {
        let session = session.clone();
        Callback::from(move |now| {
            let stage = session.stage().read();
            stage
                .run(id)
                .map(|run| facts(&stage, run, now, &session))
                .unwrap_or_default()
        })
    };
    html! { <Clocked stage={session.stage().clone()} {render} /> }
}

fn facts(stage: &Stage, run: &StageRun, now: f64, session: &Session) -> Html {
    let held = |&job| {
        let segment = run.log.segment(run.moment.segment(job));
        f64::from(segment.gpu_count()) * segment.part()
    };
    // Not `sum`, of nothing that is −0.
    let held = run.moment.running().iter().map(held);
    let held = held.fold(0.0, |sum, held| sum + held);
    let in_use = 100.0 * held / f64::from(stage.cluster.gpus().max(1));
    let rho = run.summary().map(|summary| summary.fairness.rho_mean);
    let facts: [(Definition, String); 4] = [
        (FINISHED, count(run.moment.finished().into())),
        (IN_USE, format!("{in_use:.0} %")),
        (RESTARTS, count(run.restarts(now) as u64)),
        // Last, since it alone does not go with the clock.
        (RHO, rho.map_or_else(|| "–".to_owned(), figures)),
    ];
    let facts = facts.into_iter().map(|(definition, value)| {
        // What is of the whole run is not told to a reader who is to guess it (embed.css).
        let class = (definition.id == RHO.id).then_some("outcome");
        html! { <div {class}><dt><Term {definition} place={run.id} /></dt><dd>{ value }</dd></div> }
    });
    // Who follows a job reads of it instead, in as much room.
    let situation = if stage.followed().is_some() {
        html! { <p class="situation journey">{ journey(stage, run, now, session) }</p> }
    } else {
        let describe::Situation {
            before,
            first,
            after,
        } = describe::situation(stage, run);
        let name = first.as_ref().map_or("", |(_, name)| name);
        let title = format!("{before}{name}{after}");
        let first = first.map(|(job, name)| {
            let session = session.clone();
            let onclick = Callback::from(move |_: MouseEvent| session.select(Some(job)));
            // No stop of its own: keys choose jobs in the yard itself, and where there is little room the sentence is cut.
            html! { <span data-job={job.0.to_string()} {onclick}>{ name }</span> }
        });
        html! { <p class="situation" {title}>{ with_nodes_for_pointers(&before) }{ first.unwrap_or_default() }{ with_nodes_for_pointers(&after) }</p> }
    };
    html! {
        <div class="yard-facts">
            { situation }
            <dl>{ for facts }</dl>
        </div>
    }
}
