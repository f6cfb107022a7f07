//! Where the jobs' time went in each run: GPU-hours by what they were spent on, together or by whom, and because of
//! which jobs. A run's worker looks at the run once more to tell it.

use super::by_group::group_button;
use crate::draw::format;
use crate::selected_jobs::conditions;
use crate::session::Session;
use crate::stage::{Stage, StageRun};
use crate::state::view_options::LIVES_BY;
use crate::state::{AppState, LivesQuestion, RunLives, ViewAction};
use crate::ui::controls::{list, option, quiet_button, swatch};
use crate::ui::download;
use crate::ui::export::file_name;
use crate::ui::services::{StateProps, dispatch};
use crate::ui::spent::{Part, bar, because_of, definition, patch};
use crate::ui::term::Term;
use crate::ui::theme::is_dark;
use crate::ui::typed::input_value;
use std::rc::Rc;
use switchyard::job::JobId;
use switchyard::policies::Spent;
use switchyard::report::{By, GroupLives, lives_csv};
use switchyard_app::study::Whom;
use yew::prelude::*;

/// So many groups are shown; files have all.
const GROUPS: usize = 12;

/// So many causes are told of each group, and so many jobs of a cause.
const CAUSES: usize = 2;
const NAMED: usize = 3;

/// About how much room the shares take, and the bar of a run with what caused its parts, CSS pixels.
const PENDING: usize = 170;
const PENDING_RUN: usize = 110;

/// A run that took longer is looked at again only where somebody asks for it, milliseconds.
const AT_ONCE_MS: f64 = 4000.0;

/// A run that is over, and what is known of it.
struct ToldRun {
    of: LivesQuestion,
    name: String,
    hue: usize,
    wall_ms: f64,
    lives: Option<Rc<RunLives>>,
}

fn told(state: &AppState, stage: &Stage, whom: Option<Whom>) -> Vec<ToldRun> {
    let among = stage.selection.jobs();
    let of_run = |run: &StageRun| {
        let finished = run.finished()?;
        let of = LivesQuestion {
            run: (run.id, finished.log_hash),
            whom,
            among: among.cloned(),
        };
        let mut lives = state.analyses.lives.iter();
        let lives = lives.find(|told| told.of == of);
        Some(ToldRun {
            of,
            name: run.name().to_owned(),
            hue: run.hue(),
            wall_ms: finished.wall_ms.unwrap_or_default(),
            lives: lives.cloned(),
        })
    };
    stage.runs.iter().filter_map(of_run).collect()
}

/// By whom it is told: what was chosen, if the trace tells it.
fn whom(state: &AppState, kinds: &[By]) -> Option<Whom> {
    let whom: Option<Whom> = state.option(&LIVES_BY).parse().ok();
    whom.filter(|whom| match whom {
        Whom::Jobs(by) => kinds.contains(by),
        Whom::Queue => state.setup.settings.queues.tree.is_some(),
    })
}

/// Saves what is known of these runs.
fn saver(state: &AppState, runs: &[ToldRun]) -> Callback<()> {
    let lives: Vec<(String, Rc<RunLives>)> = runs
        .iter()
        .filter_map(|run| Some((run.name.clone(), run.lives.clone()?)))
        .collect();
    let name = format!("{}.csv", file_name(state, "lives"));
    Callback::from(move |()| {
        let rows = lives
            .iter()
            .map(|(name, of)| (name.as_str(), &of.groups[..]));
        download::text(&name, "text/csv", &lives_csv(rows));
    })
}

/// The item of a menu that saves it, once the runs have been looked at.
#[component]
pub(super) fn SaveLives(props: &StateProps) -> Html {
    let StateProps { state, services } = props;
    let session = &services.session;
    let stage = session.stage().clone();
    let kinds = use_memo(state.opening.trace_id(), |_| {
        By::of_workload(&stage.read().workload).collect::<Vec<By>>()
    });
    let whom = whom(state, &kinds);
    let runs = told(state, &stage.read(), whom);
    let waits = use_state_eq(|| false);
    let missing: Vec<LivesQuestion> = runs
        .iter()
        .filter(|run| run.lives.is_none())
        .map(|run| run.of.clone())
        .collect();
    let save = saver(state, &runs);
    use_effect_with((*waits, missing.is_empty()), {
        let (waits, save) = (waits.setter(), save.clone());
        move |(is_asked, is_told)| {
            if *is_asked && *is_told {
                waits.set(false);
                save.emit(());
            }
        }
    });
    if runs.is_empty() {
        return Html::default();
    }
    let face = match *waits {
        true => "CSV…",
        false => "CSV",
    };
    let onclick = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| {
            if missing.is_empty() {
                return save.emit(());
            }
            for of in &missing {
                session.ask_lives(of.clone());
            }
            waits.set(true);
        })
    };
    html! {
        <li>
            <span>{ "Where the jobs' time went" }</span>
            { quiet_button("Where the jobs' time went as CSV", None, html! { face }, onclick) }
        </li>
    }
}

/// The part of Compare.
#[component]
pub(super) fn Lives(props: &StateProps) -> Html {
    let StateProps { state, services } = props;
    let (session, dark) = (&services.session, is_dark(state.view.theme));
    let stage = session.stage().clone();
    let trace = state.opening.trace_id();
    let kinds = use_memo(trace, |_| {
        By::of_workload(&stage.read().workload).collect::<Vec<By>>()
    });
    let has_tree = state.setup.settings.queues.tree.is_some();
    let whom = whom(state, &kinds);
    let runs = told(state, &stage.read(), whom);
    let asked = use_state_eq(|| false);
    let is_quick = runs.iter().all(|run| run.wall_ms <= AT_ONCE_MS);
    let looks = *asked || is_quick;
    let missing: Vec<LivesQuestion> = runs
        .iter()
        .filter(|run| looks && run.lives.is_none())
        .map(|run| run.of.clone())
        .collect();
    use_effect_with(missing, {
        let session = session.clone();
        move |missing| {
            for of in missing {
                session.ask_lives(of.clone());
            }
        }
    });
    if runs.is_empty() {
        return Html::default();
    }
    let by = dispatch(session, |event: Event| {
        ViewAction::SetOption(&LIVES_BY, input_value(&event))
    });
    let of_kind = |by: &By| {
        option(
            by.word(),
            &format::units(by.title()),
            whom == Some(Whom::Jobs(*by)),
            None,
        )
    };
    let kinds: Html = kinds.iter().map(of_kind).collect();
    let look = {
        let asked = asked.clone();
        Callback::from(move |_: MouseEvent| asked.set(true))
    };
    let told: Vec<(&ToldRun, &RunLives)> = runs
        .iter()
        .filter_map(|run| Some((run, run.lives.as_deref()?)))
        .collect();
    let save = saver(state, &runs).reform(|_: MouseEvent| ());
    let every = match stage.read().selection.jobs() {
        Some(_) => "the selected jobs",
        None => "all jobs",
    };
    let seconds = runs.iter().fold(0.0, |all, run| all + run.wall_ms) / 1000.0;
    html! {
        <section class="by-whom lives" aria-label="Where the jobs' time went">
            <div class="by-whom-head">
                <h2>{ "Where the jobs' time went" }</h2>
                <label data-option={LIVES_BY.link}><span>{ "Of " }</span>{ list(by, html! {
                    <>
                        { option("all", every, whom.is_none(), None) }
                        { kinds }
                        if has_tree {
                            { option("queue", "Queue", whom == Some(Whom::Queue), None) }
                        }
                    </>
                }) }</label>
                if !told.is_empty() {
                    { quiet_button("Save where the time went as CSV", Some("Save as CSV"), html! { "CSV" }, save) }
                }
            </div>
            <p class="hint">{ format::units("GPU-hours from submission to end: the GPUs asked for while jobs wait, those held while they run. A shorter bar is a better one.") }</p>
            if !looks {
                <p><button type="button" onclick={look}>{ format!("Look at the runs again (about {})", format::duration(seconds)) }</button></p>
            } else if told.is_empty() {
                // What comes in its place takes about as much room: nothing below is to move under a pointer.
                <p class="hint" aria-live="polite" ~style={format!("min-height: {}px", PENDING + PENDING_RUN * runs.len())}>{ "The runs are looked at once more…" }</p>
            } else {
                if told.len() < runs.len() {
                    <p class="hint" aria-live="polite">{ "The runs are looked at once more…" }</p>
                }
                { groups((&told, whom), &stage.read(), (state, session), dark) }
                { legend(&told, whom, dark) }
            }
        </section>
    }
}

/// Each group's bars, one for each run, all on one scale; who waits most in the first run comes first.
fn groups(
    (told, whom): (&[(&ToldRun, &RunLives)], Option<Whom>),
    stage: &Stage,
    (state, session): (&AppState, &Session),
    dark: bool,
) -> Html {
    let on_job = {
        let session = session.clone();
        Callback::from(move |job: JobId| session.select(Some(job)))
    };
    let Some((_, first)) = told.first() else {
        return Html::default();
    };
    let alone = whom.is_none();
    let mut order: Vec<&GroupLives> = (first.groups.iter())
        .filter(|group| alone || group.jobs > 0)
        .collect();
    switchyard::order::sort_by(&mut order, |a, b| {
        switchyard::order::by_value(&b.waited(), &a.waited())
    });
    let more = order.len().saturating_sub(GROUPS);
    order.truncate(GROUPS);
    let of = |lives: &RunLives, name: &str| GroupLives::named(&lives.groups, name);
    let all = order.iter().flat_map(|group| {
        let name = group.name.clone();
        told.iter()
            .map(move |(_, lives)| of(lives, &name).gpu_hours)
    });
    let most = all.fold(f64::MIN_POSITIVE, f64::max);
    let shown = order.iter().map(|group| {
        let rows = told.iter().map(|(run, lives)| {
            let group = of(lives, &group.name);
            let parts: Vec<Part> = group
                .parts
                .iter()
                .map(|part| Part {
                    spent: part.spent,
                    law: &part.law,
                    share: part.gpu_hours / group.gpu_hours,
                    amount: format::gpu_hours(part.gpu_hours * 3600.0),
                })
                .collect();
            let caused = group.parts.iter().filter(|part| !part.by.is_empty());
            let causes = caused.take(if alone { usize::MAX } else { CAUSES });
            let causes = causes.map(|part| {
                let share = format::percent(part.gpu_hours / group.gpu_hours);
                let title = switchyard_app::lives::title(part.spent, &part.law);
                html! {
                    <li>{ patch(part.spent, dark) }{ format!("{share} {title}, most of all ") }
                        { because_of(stage, &part.by[..part.by.len().min(NAMED)], |hours| format::gpu_hours(hours * 3600.0), &on_job) }</li>
                }
            });
            let waited = format!(
                "{} of {} waited",
                format::figures(group.waited()),
                format::gpu_hours(group.gpu_hours * 3600.0)
            );
            html! {
                <div class="lives-run" key={run.of.run.0}>
                    <p>{ swatch(run.hue, dark) }<span class="run">{ &run.name }</span><span class="hint">{ waited }</span></p>
                    { bar(&run.name, &parts, group.gpu_hours / most, dark) }
                    <ul class="spent-parts">{ for causes }</ul>
                </div>
            }
        });
        let called = match whom {
            Some(Whom::Jobs(By::Gang)) => format::units(&format!("{} GPUs", group.name)).into_owned(),
            _ => group.called().to_owned(),
        };
        let condition = match whom {
            Some(Whom::Jobs(by)) => conditions::of_group(by, &group.name),
            Some(Whom::Queue) | None => None,
        };
        let name = match condition {
            None => html! { { called.clone() } },
            Some(condition) => group_button(&called, condition, state, session),
        };
        html! {
            <div class="lives-group">
                if !alone {
                    <h3 title={called}>{ name }<span class="hint">{ format!(" {}", format::counted(group.jobs.into(), "job", "jobs")) }</span></h3>
                }
                { for rows }
            </div>
        }
    });
    html! {
        <>
            { for shown }
            if more > 0 {
                <p class="hint">{ format!("and {}, which the CSV tells", format::counted(more as u64, "other", "others")) }</p>
            }
        </>
    }
}

/// What the colours mean, with the shares of all jobs in each run.
fn legend(told: &[(&ToldRun, &RunLives)], whom: Option<Whom>, dark: bool) -> Html {
    let hours = |lives: &RunLives, spent: Spent| {
        let parts = lives.groups.iter().flat_map(|group| &group.parts);
        let these = parts.filter(|part| part.spent == spent);
        these.fold(0.0, |all, part| all + part.gpu_hours)
    };
    let total = |lives: &RunLives| lives.groups.iter().fold(0.0, |all, of| all + of.gpu_hours);
    let present = Spent::ALL
        .into_iter()
        .filter(|spent| told.iter().any(|(_, lives)| hours(lives, *spent) > 0.0));
    let rows = present.map(|spent| {
        let cells = told.iter().map(|(run, lives)| {
            let share = match hours(lives, spent) {
                0.0 => "–".to_owned(),
                hours => format::percent(hours / total(lives)),
            };
            html! { <td data-name={run.name.clone()}>{ share }</td> }
        });
        html! {
            <tr>
                <th scope="row">{ patch(spent, dark) }{ " " }<Term definition={definition(spent)} /></th>
                { for cells }
            </tr>
        }
    });
    let heads = told.iter().map(|(run, _)| {
        html! { <th scope="col"><label>{ swatch(run.hue, dark) }<span class="run">{ &run.name }</span></label></th> }
    });
    let label = match whom {
        None => "What the jobs' time was spent on",
        Some(_) => "What the time of all groups was spent on",
    };
    html! {
        <div class="metrics" tabindex="0" role="region" aria-label={label}>
            <table>
                <thead><tr><th scope="col"><span class="visually-hidden">{ "Spent on" }</span></th>{ for heads }</tr></thead>
                <tbody>{ for rows }</tbody>
            </table>
        </div>
    }
}
