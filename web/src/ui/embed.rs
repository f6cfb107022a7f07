//! One view without the page around it, for articles: `?embed=` and its name.

use super::doers::Doers;
use super::player::Player;
use super::view::View;
use super::views;
use yew::prelude::*;

/// The view asked for by the address, if the page is embedded.
pub(super) fn embedded_view() -> Option<&'static View> {
    let search = web_sys::window()?.location().search().ok()?;
    let wanted = search
        .trim_start_matches('?')
        .split('&')
        .find_map(|pair| pair.strip_prefix("embed="))?;
    views::named(wanted)
}

/// The view, the player, and a small way back to the whole page.
pub(super) fn embed_frame(view: Html, doers: &Doers) -> Html {
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
            <main><div class="stage"><div class="view">{ view }</div></div></main>
            <Player doers={doers.clone()} />
            <a class="way-back" href={whole.unwrap_or_default()} target="_blank" rel="noopener">{ "Switchyard ↗" }</a>
        </>
    }
}
