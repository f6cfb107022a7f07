//! The top line: what is open, and what to do with the view as a whole.

use super::clipboard::copy;
use super::controls::quiet_button;
use super::doers::{Doers, StateHandle, tell};
use super::download;
use super::export::ExportMenu;
use super::icon::{Icon, sign};
use super::share::Share;
use super::views::read_link;
use crate::bridge::protocol::ExportFormat;
use crate::draw::format;
use crate::state::{Action, Theme};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

/// The top line.
pub(super) fn header(state: &StateHandle, doers: &Doers) -> Html {
    let session = &doers.session;
    let facts = state.trace.as_ref().map(|trace| {
        html! {
            <>
                <strong>{ &trace.title }</strong>
                <span>{ format::counted(trace.jobs as u64, "job", "jobs") }</span>
                <span>{ format::gpu_hours(trace.gpu_hours * 3600.0) }</span>
                <span>{ format::duration(trace.span_days * 86_400.0) }</span>
            </>
        }
    });
    let onembed = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| {
            let session = session.clone();
            spawn_local(async move {
                let notice = match copy(&embed_code()).await {
                    true => "The code for embedding this view is copied.",
                    false => "This browser does not let the page copy.",
                };
                session.tell(Action::Notice(Some(notice.to_string())));
            });
        })
    };
    let next_theme = match state.theme {
        Theme::System => Theme::Dark,
        Theme::Dark => Theme::Light,
        Theme::Light => Theme::System,
    };
    let theme = match state.theme {
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
    let drawer = state.drawer;
    html! {
        <header>
            <button type="button" class="quiet only-narrow" aria-controls="rail" aria-expanded={drawer.to_string()}
                aria-label="Trace, schedulers and cluster" onclick={tell(session, move |_| Action::Drawer(!drawer))}>{ sign(Icon::Menu) }</button>
            <h1>{ "Switchyard" }</h1>
            <div class="facts">{ facts }</div>
            <div class="actions">
                <Share state={state.clone()} doers={doers.clone()} />
                <ExportMenu stage={session.stage().clone()} state={state.clone()} {on_jobs} />
                <button type="button" class="only-wide" onclick={onembed}
                    title="Copy an iframe that shows this view alone">{ "Embed" }</button>
                { quiet_button(theme, Some(theme), sign(Icon::Theme), tell(session, move |_| Action::Theme(next_theme))) }
                { quiet_button("Help", Some("Keys and terms (?)"), html! { "?" }, tell(session, |_| Action::Help(true))) }
            </div>
        </header>
    }
}

fn address() -> String {
    web_sys::window()
        .and_then(|window| window.location().href().ok())
        .unwrap_or_default()
}

/// What an embedded page may do: run, save files, and open the whole page.
const SANDBOX: &str = "allow-scripts allow-downloads allow-popups allow-popups-to-escape-sandbox";

fn embed_code() -> String {
    let address = address();
    let (page, fragment) = address.split_once('#').unwrap_or((&address, ""));
    let page = page.split('?').next().unwrap_or(page);
    let name = read_link(fragment).view;
    format!(
        "<iframe src=\"{page}?embed={name}#{fragment}\" sandbox=\"{SANDBOX}\" allow=\"clipboard-write\" title=\"Switchyard\" width=\"100%\" height=\"480\" style=\"border:0\"></iframe>"
    )
}
