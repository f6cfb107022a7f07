//! Light or dark: the document and the stage in the theme that is chosen.

use crate::stage::SharedStage;
use crate::state::Theme;
use gloo_events::EventListener;
use yew::prelude::*;

/// Keeps the document and the stage in the theme.
#[hook]
pub(super) fn use_theme(theme: Theme, stage: &SharedStage) {
    use_effect_with((theme, stage.clone()), |(theme, stage)| {
        let theme = *theme;
        let root = web_sys::window()
            .and_then(|window| window.document())
            .and_then(|document| document.document_element());
        if let Some(root) = root {
            // Attributes of an element of ours can always be set.
            let _ = match theme {
                Theme::System => root.remove_attribute("data-theme"),
                Theme::Light => root.set_attribute("data-theme", "light"),
                Theme::Dark => root.set_attribute("data-theme", "dark"),
            };
        }
        let follow = {
            let stage = stage.clone();
            move || {
                let mut stage = stage.write();
                stage.dark = is_dark(theme);
                stage.reduced_motion = media_matches("(prefers-reduced-motion: reduce)");
                stage.touch();
            }
        };
        follow();
        let query = web_sys::window().and_then(|window| {
            window
                .match_media("(prefers-color-scheme: dark)")
                .ok()
                .flatten()
        });
        let listener = query.map(|query| EventListener::new(&query, "change", move |_| follow()));
        move || drop(listener)
    });
}

/// Whether the page is dark now.
pub(super) fn is_dark(theme: Theme) -> bool {
    match theme {
        Theme::Light => false,
        Theme::Dark => true,
        Theme::System => media_matches("(prefers-color-scheme: dark)"),
    }
}

fn media_matches(query: &str) -> bool {
    web_sys::window()
        .and_then(|window| window.match_media(query).ok().flatten())
        .is_some_and(|query| query.matches())
}
