//! One view without the page around it, for articles: `?embed=` and its name; with `&figure`, for talks, under one sentence
//! that says what came of it. What such a page and its article say to
//! one another is `static/embed.js`' affair, which goes by the [handle](super::page) that all scripts have.

use super::page_address::asked;
use super::player::Player;
use super::services::Services;
use super::view::View;
use super::views;
use crate::draw::format;
use crate::state::{AppState, Run};
use switchyard::order;
use wasm_bindgen::prelude::wasm_bindgen;
use yew::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = switchyardEmbed)]
    fn dialog();
}

/// The view asked for by the address, if the page is embedded.
pub(super) fn embedded_view() -> Option<&'static View> {
    views::named(&asked("embed")?)
}

/// The address of what is shown as a figure for a talk, from the page on.
pub(super) fn figure_address(state: &AppState, fragment: &str) -> String {
    format!("?embed={}&figure#{fragment}", state.view.name)
}

/// What came of the runs in one sentence: the jobs, and the shortest and the longest mean completion time.
fn sentence(state: &AppState) -> String {
    let trace = state.opening.trace.as_ref();
    let title = trace.map_or("", |trace| trace.title.as_str());
    let mean = |run: &Run| {
        let of = run.finished()?.summary;
        of.is_whole().then(|| (of.jct.mean, run.name().to_owned()))
    };
    let means: Vec<(f64, String)> = state.runs.iter().filter_map(mean).collect();
    let by = |a: &&(f64, String), b: &&(f64, String)| order::by_value(&a.0, &b.0);
    let (Some(least), Some(most)) = (means.iter().min_by(by), means.iter().max_by(by)) else {
        return title.to_owned();
    };
    let said = |(mean, name): &(f64, String)| format!("{} under {name}", format::duration(*mean));
    match least.1 == most.1 {
        true => format!("{title}: mean JCT {}", said(least)),
        false => format!("{title}: mean JCT {}, {}", said(least), said(most)),
    }
}

/// The view, what there is to say, the player, and a small way back to the whole page.
pub(super) fn embed_frame(view: Html, said: Html, state: &AppState, services: &Services) -> Html {
    if asked("figure").is_some() {
        return html! {
            <>
                <main class="figure"><h1>{ sentence(state) }</h1>{ said }<div class="stage"><div class="view">{ view }</div></div></main>
            </>
        };
    }
    let whole = web_sys::window().and_then(|window| {
        let location = window.location();
        Some(format!(
            "{}{}",
            location.pathname().ok()?,
            location.hash().ok()?
        ))
    });
    html! {
        <>
            <main>{ said }<div class="stage"><div class="view">{ view }</div></div></main>
            <Player services={services.clone()} />
            <a class="way-back" href={whole.unwrap_or_default()} target="_blank" rel="noopener">{ "Switchyard ↗" }</a>
        </>
    }
}

/// The button that opens the dialog with snippets (static/embed.js).
pub(super) fn embed_button() -> Html {
    html! {
        <button type="button" class="embeds" onclick={|_: MouseEvent| dialog()}
            title="This view in an article, or in a file of its own">{ "Embed" }</button>
    }
}
