//! The top line: what is open, and what to do with the view as a whole.

use super::controls::quiet_button;
use super::doers::{StateHandle, tell};
use super::download;
use super::export::ExportMenu;
use super::icon::{Icon, sign};
use super::views::read_link;
use crate::bridge::protocol::ExportFormat;
use crate::draw::format;
use crate::session::Session;
use crate::state::{Action, Theme};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use yew::prelude::*;

/// The top line.
pub(super) fn header(state: &StateHandle, session: &Session) -> Html {
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
    let copy = |text: fn() -> String, told: &'static str| {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| {
            let session = session.clone();
            spawn_local(async move {
                let notice = if copy_to_clipboard(&text()).await {
                    told
                } else {
                    "This browser does not let the page copy: copy the address instead."
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
                aria-label="Trace, cluster and schedulers" onclick={tell(session, move |_| Action::Drawer(!drawer))}>{ sign(Icon::Menu) }</button>
            <h1>{ "Switchyard" }</h1>
            <div class="facts">{ facts }</div>
            <div class="actions">
                <button type="button" onclick={copy(address, "The link to this view is copied. It holds settings and view, never the trace.")}
                    title="Copy a link to this view. Traces stay on your computer.">{ "Share" }</button>
                <ExportMenu stage={session.stage().clone()} state={state.clone()} {on_jobs} />
                <button type="button" class="only-wide" onclick={copy(embed_code, "The code for embedding this view is copied.")}
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

async fn copy_to_clipboard(text: &str) -> bool {
    match web_sys::window().map(|window| window.navigator().clipboard()) {
        // Pages opened from a file or over plain http have no clipboard.
        Some(clipboard) if !clipboard.is_undefined() => {
            JsFuture::from(clipboard.write_text(text)).await.is_ok()
        }
        _ => false,
    }
}
