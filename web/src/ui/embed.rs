//! One view without the page around it, for articles: `?embed=` and its name. What such a page and its article say to
//! one another is `static/embed.js`' affair, which goes by the [handle](super::page) that all scripts have.

use super::player::Player;
use super::services::Services;
use super::view::View;
use super::views;
use wasm_bindgen::prelude::wasm_bindgen;
use yew::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = switchyardEmbed)]
    fn dialog();
}

/// The view asked for by the address, if the page is embedded.
pub(super) fn embedded_view() -> Option<&'static View> {
    let search = web_sys::window()?.location().search().ok()?;
    let wanted = search
        .trim_start_matches('?')
        .split('&')
        .find_map(|pair| pair.strip_prefix("embed="))?;
    views::named(wanted)
}

/// The view, what there is to say, the player, and a small way back to the whole page.
pub(super) fn embed_frame(view: Html, said: Html, services: &Services) -> Html {
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
        <button type="button" onclick={|_: MouseEvent| dialog()}
            title="This view in an article, or in a file of its own">{ "Embed" }</button>
    }
}
