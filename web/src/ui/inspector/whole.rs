//! The job's whole life in each run, by what it was spent on, and because of whom.

use super::in_run::InRun;
use crate::bridge::protocol::ToldLife;
use crate::draw::format;
use crate::stage::Stage;
use crate::ui::controls::swatch;
use crate::ui::spent::{Part, bar, because_of, definition, patch};
use crate::ui::term::Term;
use switchyard::job::JobId;
use switchyard::policies::Spent;
use yew::prelude::*;

/// Bars on one scale, each with its parts below it; a click goes to when most of a part began. Nothing where no run
/// has the job in its queue.
pub(super) fn whole_life<'a>(
    stage: &Stage,
    runs: &[InRun],
    life: impl Fn(u32) -> Option<&'a ToldLife>,
    (on_job, on_seek): (&Callback<JobId>, &Callback<f64>),
) -> Html {
    let total = |life: &ToldLife| life.parts.iter().fold(0.0, |all, part| all + part.seconds);
    let totals = runs.iter().filter_map(|run| life(run.id)).map(total);
    let longest = totals.fold(0.0, f64::max);
    let told = runs.iter().filter(|run| !run.life.is_empty()).map(|run| {
        let told = life(run.id).map(|life| (total(life), life));
        html! {
            <div class="spent-run" key={run.id}>
                <p>{ swatch(run.hue, stage.dark) }<span class="run">{ &run.name }</span>
                    { told.map(|(seconds, _)| html! { <span class="hint">{ format!(" {}", format::duration(seconds)) }</span> }) }</p>
                if let Some((seconds, life)) = told.filter(|(seconds, _)| *seconds > 0.0) {
                    { of_run(stage, run, life, (seconds, seconds / longest), (on_job, on_seek)) }
                } else {
                    <p class="hint">{ "The run is looked at once more…" }</p>
                }
            </div>
        }
    });
    let told: Vec<Html> = told.collect();
    html! {
        if !told.is_empty() {
            <section class="spent">
                <h3>{ "Where its time went" }</h3>
                { for told }
            </section>
        }
    }
}

fn of_run(
    stage: &Stage,
    run: &InRun,
    life: &ToldLife,
    (seconds, length): (f64, f64),
    (on_job, on_seek): (&Callback<JobId>, &Callback<f64>),
) -> Html {
    let parts = life.parts.iter().map(|of| Part {
        spent: of.spent,
        law: &of.law,
        share: of.seconds / seconds,
        amount: format::duration(of.seconds),
    });
    let parts: Vec<Part> = parts.collect();
    let rows = life.parts.iter().zip(&parts).map(|(of, part)| {
        let at = of.at;
        let seek = on_seek.reform(move |_: MouseEvent| at);
        let later = (of.by_later > 0.0).then(|| {
            let share = format::percent(of.by_later / of.seconds);
            format!("; {share} because of jobs that came later")
        });
        html! {
            <li>
                { patch(of.spent, stage.dark) }
                <strong>{ format::percent(part.share) }</strong>{ " " }
                if of.law.is_empty() {
                    <Term definition={definition(of.spent)} place={run.id + 1} />
                } else {
                    { part.title() }
                }
                if of.spent == Spent::Running {
                    <span class="hint">{ format!(" {}", part.amount) }</span>
                } else {
                    { " " }<button type="button" class="link" onclick={seek}
                        title={format!("To when most of it began, {}", stage.moments().second(at))}>{ &part.amount }</button>
                }
                if !of.by.is_empty() {
                    <span class="hint">{ " " }{ because_of(stage, &of.by, format::duration, on_job) }{ later.unwrap_or_default() }</span>
                }
            </li>
        }
    });
    html! {
        <>
            { bar(&run.name, &parts, length, stage.dark) }
            <ul class="spent-parts">{ for rows }</ul>
        </>
    }
}
