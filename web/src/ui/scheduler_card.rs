//! One scheduler: its parameters as a form and as text, and how far its run is.

use super::controls::{self, Take, is_second_of_two, quiet_button};
use super::history_field::history_field;
use super::icon::{Icon, sign};
use super::metrics_table::left;
use super::setting_field::{described, kind_field};
use super::typed::Typed;
use super::vary::{varied, vary};
use crate::complaint::Complaint;
use crate::draw::{format, palette};
use crate::session::Session;
use crate::state::change::Change;
use crate::state::spec_edit::with_param;
use crate::state::sweep::Vary;
use crate::state::{Action, Phase, Run, RunsAction};
use switchyard::policies::{ParamInfo, ParamKind, PolicySpec};
use yew::prelude::*;

/// Properties of [`SchedulerCard`].
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// What edits and removes it.
    pub(super) session: Session,
    /// The scheduler.
    pub(super) card: Run,
    /// Whether others are compared with it.
    pub(super) is_baseline: bool,
    /// Whether jobs train applications only because a scheduler of the list adapts them.
    pub(super) are_bound: bool,
    /// Whether there is a trace to run.
    pub(super) has_trace: bool,
    /// For its colour.
    pub(super) dark: bool,
}

/// One scheduler: its parameters as a form and as text, and how far its run is.
#[component]
pub(super) fn SchedulerCard(props: &Props) -> Html {
    let session = &props.session;
    let card = &props.card;
    let id = card.id;
    let editing = use_state(|| false);
    let entry = card.policy.entry();

    // What was typed becomes a change of the policy as it will be then.
    let edit = {
        let (session, policy) = (session.clone(), card.policy.clone());
        move |change: Change<PolicySpec>| {
            change.of(&policy)?;
            session.dispatch(Action::Edit(id, change));
            Ok(())
        }
    };
    let button = |icon: Icon, label: &'static str, action: Callback<MouseEvent>| {
        let whole = format!("{label} {}", card.name());
        quiet_button(&whole, Some(label), sign(icon), action)
    };
    let run_or_cancel = {
        let session = session.clone();
        match card.phase {
            Phase::Waiting | Phase::Running(_) if props.has_trace => button(
                Icon::Stop,
                "Cancel",
                Callback::from(move |_| session.cancel(id)),
            ),
            _ => button(
                Icon::Play,
                "Run",
                Callback::from(move |click| {
                    if !is_second_of_two(&click) {
                        session.dispatch(Action::Edit(id, Change::nothing()));
                    }
                }),
            ),
        }
    };
    let duplicate = {
        let (session, policy) = (session.clone(), card.policy.clone());
        button(
            Icon::Duplicate,
            "Duplicate",
            Callback::from(move |_| session.dispatch(RunsAction::Add(Box::new(policy.clone())))),
        )
    };
    let remove = {
        let session = session.clone();
        button(
            Icon::Close,
            "Remove",
            Callback::from(move |_| session.dispatch(Action::Remove(id))),
        )
    };
    let toggle = {
        let editing = editing.clone();
        Callback::from(move |_: MouseEvent| editing.set(!*editing))
    };
    let colour = format!(
        "background:{}",
        palette::run_colour(props.card.hue(), props.dark)
    );
    let ontext = {
        let edit = edit.clone();
        Callback::from(move |typed: String| {
            let policy = typed.trim().parse::<PolicySpec>();
            edit(Change::to(policy.map_err(Complaint::of)?))
        })
    };
    let onname = {
        let session = session.clone();
        Callback::from(move |typed: String| {
            session.dispatch(RunsAction::Name(id, typed));
            Ok(())
        })
    };
    let param = |(info, value): &(&'static ParamInfo, String)| {
        let info = *info;
        let edit = edit.clone();
        let take = Callback::from(move |typed: String| {
            edit(Change::new(move |policy| {
                let changed = with_param(policy, info.name, typed.trim());
                changed.map_err(Complaint::of)
            }))
        });
        let field = param(session, info, value, take);
        let what = Vary::Param(info.name.to_owned());
        varied(field, vary(session, &what, Some(id)))
    };
    let spec = card.policy.to_string();
    // A script's text is written in the editor.
    let is_offered = |info: &ParamInfo| !(entry.scripted && info.name == "code");
    let params = card.policy.values().filter(|(info, _)| is_offered(info));
    let (experts, common): (Vec<_>, Vec<_>) = params.partition(|(info, _)| info.expert);
    let is_tuned = |(info, value): &(&ParamInfo, String)| info.default != value;
    html! {
        <li class="card" data-status={card.phase.name()}>
            <div class="row">
                <span class="swatch" ~style={colour} aria-hidden="true"></span>
                <button type="button" class="name quiet" aria-expanded={editing.to_string()} onclick={toggle}
                    title={format!("{}\n{} {}.", card.policy.label(), entry.summary, entry.source)}>
                    // A line may end behind `placement=`, so that no word is cut.
                    { for card.name().split_inclusive('=').map(|part| html! { <>{ part.to_owned() }<wbr /></> }) }
                </button>
                if entry.is_written {
                    // static/author.js hears of it.
                    <button type="button" class="quiet" data-script={id.to_string()} aria-label={format!("Edit {}", card.name())}>{ "Edit" }</button>
                }
                { run_or_cancel }{ duplicate }{ remove }
            </div>
            { phase(&card.phase, props.has_trace) }
            if props.are_bound {
                <p class="hint">{ "jobs now train applications, since a scheduler of the list adapts them" }</p>
            }
            if *editing {
                <div class="params">
                    <p class="hint">{ entry.summary }</p>
                    { controls::field("Name", None, html! { <Typed name="Name" value={card.given.clone()} placeholder={entry.title} take={onname} /> }) }
                    { for common.iter().map(param) }
                    if !experts.is_empty() {
                        <details open={experts.iter().any(is_tuned)}>
                            <summary>{ "For experts" }</summary>
                            { for experts.iter().map(param) }
                        </details>
                    }
                    if !entry.scripted {
                        { controls::text_field("As text", None, spec, ontext) }
                    }
                    <p class="hint">{ entry.source }</p>
                </div>
            }
        </li>
    }
}

/// What is said of a run that begins once others have left it room.
pub(super) const ITS_TURN: &str = "waits for its turn";

fn phase(phase: &Phase, has_trace: bool) -> Html {
    match phase {
        Phase::Waiting => {
            let waits = match has_trace {
                true => ITS_TURN,
                false => "waits for a trace",
            };
            html! { <p class="hint">{ waits }</p> }
        }
        Phase::Running(progress) => html! {
            <div class="progress">
                <progress max={progress.jobs.max(1).to_string()} value={progress.done.to_string()} aria-label="Jobs done" />
                <span class="hint">{ format!("{} of {} jobs", format::count(progress.done.into()), format::count(progress.jobs.into())) }</span>
            </div>
        },
        Phase::Finished(of) => html! {
            <p class="hint">
                if let Some(left) = left(&of.summary) {
                    <span class="error">{ left }</span>{ ", " }
                }
                { format!("mean JCT {}", format::duration(of.summary.jct.mean)) }
                if let Some(wall_ms) = of.wall_ms {
                    { format!(", simulated in {}", format::duration((wall_ms / 1e3).max(0.01)).replace(' ', "\u{a0}")) }
                    if of.is_native {
                        <span title="By the program that serves this page (switchyard open), faster than a browser's worker: it comes to the same, to the last bit">{ " natively" }</span>
                    }
                    { of.decisions.filter(|_| wall_ms > 0.0).map(|decisions| deciding(decisions, wall_ms)) }
                } else {
                    <span title="So that there is something to see at once. Run simulates it here: it comes to the same, to the last bit">{ ", came with the page" }</span>
                }
            </p>
        },
        Phase::Cancelled(progress) => html! {
            <p class="hint">{ format!("cancelled at {} of {} jobs", format::count(progress.done.into()), format::count(progress.jobs.into())) }</p>
        },
        Phase::Failed(why) => controls::error(Some(why)),
    }
}

/// How many decisions of a placer that learned a run took, and how many a second of it.
fn deciding(decisions: u64, wall_ms: f64) -> Html {
    let each_second = format::significant(decisions as f64 / wall_ms * 1000.0);
    let title =
        "Each lays a part of a job, forwards it, or lets it wait: a pass through the network";
    html! { <span {title}>{ format!("; {} decisions, {each_second} a second", format::count(decisions)) }</span> }
}

/// The field of one parameter.
fn param(session: &Session, info: &'static ParamInfo, value: &str, take: Take) -> Html {
    let name = info.name;
    let field = match info.kind {
        ParamKind::History => controls::field(name, None, history_field(session, value, &take)),
        kind => kind_field(kind, name, value.to_owned(), take.clone()),
    };
    let help = format::units(info.help);
    described(name, field, &help, (value, info.default), &take)
}
