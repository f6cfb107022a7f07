//! The top line: what is open, and what to do with the view as a whole.

use super::address::{redo, undo};
use super::controls::quiet_button;
use super::download;
use super::embed::embed_button;
use super::export::ExportMenu;
use super::focused::focus_on;
use super::icon::{Icon, sign};
use super::services::{Services, StateHandle, StateProps, dispatch};
use super::share::Share;
use super::views::saved;
use crate::bridge::protocol::ExportFormat;
use crate::draw::format;
use crate::session::Session;
use crate::state::{PanelsAction, Steps, Theme, ViewAction};
use yew::prelude::*;

/// What opens the rail on a narrow screen.
pub(super) const DRAWER_BUTTON: &str = "drawer-button";

/// Closes the rail on a narrow screen; the focus is where it was opened.
pub(super) fn close_drawer(session: &Session) {
    session.dispatch(PanelsAction::Drawer(false));
    focus_on(DRAWER_BUTTON);
}

/// The top line.
pub(super) fn header(state: &StateHandle, services: &Services) -> Html {
    let session = &services.session;
    let facts = state.opening.trace.as_ref().map(|trace| {
        let span = trace.span_days * 86_400.0;
        let dates = [0.0, span]
            .map(|at| state.view.moments.exact(at))
            .join(" to ");
        let dates = state.view.moments.dated().map(|_| dates);
        html! {
            <>
                <strong>{ &trace.title }</strong>
                <span>{ format::counted(trace.jobs as u64, "job", "jobs") }</span>
                <span>{ format::gpu_hours(trace.gpu_hours * 3600.0) }</span>
                <span title={dates}>{ format::duration(span) }</span>
            </>
        }
    });
    let next_theme = match state.view.theme {
        Theme::System => Theme::Dark,
        Theme::Dark => Theme::Light,
        Theme::Light => Theme::System,
    };
    let theme = match state.view.theme {
        Theme::System => "Theme: as the system",
        Theme::Dark => "Theme: dark",
        Theme::Light => "Theme: light",
    };
    let on_jobs = {
        let (session, state) = (session.clone(), state.clone());
        Callback::from(move |(format, name): (ExportFormat, String)| {
            session.export(format, state.experiment(), move |text| {
                download::text(&name, "text/plain", &text)
            });
        })
    };
    let given = StateProps {
        state: state.clone(),
        services: services.clone(),
    };
    let (drawer, steps) = (state.panels.drawer, state.panels.steps);
    html! {
        <header>
            <button type="button" id={DRAWER_BUTTON} class="quiet only-narrow" aria-controls="rail" aria-expanded={drawer.to_string()}
                aria-label="Trace, schedulers and cluster" onclick={dispatch(session, move |_| PanelsAction::Drawer(!drawer))}>{ sign(Icon::Menu) }</button>
            <h1>{ "Switchyard" }</h1>
            <div class="facts">{ facts }</div>
            <div class="actions">
                { walk(("Undo", "back"), "Undo the last change (Ctrl+Z)", Icon::Undo, (steps.before > 0).then_some(undo as fn(Steps)), steps) }
                { walk(("Redo", "again"), "Do it again (Ctrl+Shift+Z)", Icon::Redo, (steps.after > 0).then_some(redo as fn(Steps)), steps) }
                <Share state={state.clone()} services={services.clone()} />
                <ExportMenu stage={session.stage().clone()} state={state.clone()} {on_jobs} of_views={saved(&given)} />
                { embed_button() }
                <button type="button" class="quiet look-up" aria-label="Search" title="Look for a job, a node, a view, a setting or a scheduler by name (Ctrl+K)"
                    onclick={dispatch(session, |_| ViewAction::Search(true))}>{ sign(Icon::Search) }</button>
                { quiet_button(theme, Some(theme), sign(Icon::Theme), dispatch(session, move |_| ViewAction::Theme(next_theme))) }
                { quiet_button("Help", Some("Keys and terms (?)"), sign(Icon::Help), dispatch(session, |_| PanelsAction::Help(true))) }
            </div>
        </header>
    }
}

/// A button that goes through what was changed.
fn walk(
    (name, class): (&'static str, &'static str),
    title: &'static str,
    icon: Icon,
    does: Option<fn(Steps)>,
    steps: Steps,
) -> Html {
    let onclick = does.map(|does| Callback::from(move |_: MouseEvent| does(steps)));
    html! {
        <button type="button" class={classes!("quiet", class)} aria-label={name} {title} disabled={does.is_none()} {onclick}>{ sign(icon) }</button>
    }
}
