//! The views: a folder each, with component, painter, style sheet and tests, and a line each in [`VIEWS`]. Tabs, keys,
//! help, links and embedding follow from what a view says of itself; what it draws it hands to a
//! [`CanvasHost`](super::canvas_host::CanvasHost) as a [`Scene`](super::canvas_host::Scene). Its sheet is linked in
//! `index.html`. What several views need lies in `draw/` and `ui/`.

mod compare;
pub(crate) mod fragmentation;
pub(crate) mod goodput;
mod jobs;
mod queues;
mod start;
mod sweep;
mod timeline;
mod yard;

use super::services::StateProps;
use super::view::View;
use crate::state::AppState;
use crate::state::link::{Link, among};
use yew::prelude::*;

/// The views in the order of their tabs and keys. The first is shown where none is named.
pub(super) static VIEWS: &[View] = &[
    yard::VIEW,
    timeline::VIEW,
    compare::VIEW,
    jobs::VIEW,
    queues::VIEW,
    start::VIEW,
    sweep::VIEW,
    goodput::VIEW,
    fragmentation::VIEW,
];

/// The view of this name.
pub(super) fn named(name: &str) -> Option<&'static View> {
    VIEWS.iter().find(|view| view.name == name)
}

/// The view that is shown.
pub(super) fn shown(state: &AppState) -> &'static View {
    named(&state.view.name).unwrap_or(&VIEWS[0])
}

/// What views save besides charts, as items of a list.
pub(super) fn saved(given: &StateProps) -> Html {
    html! { <>{ timeline::saved(given) }{ compare::saved(given) }</> }
}

/// What stands after `#`, with a view that there is.
pub(super) fn read_link(fragment: &str) -> Link {
    let mut link = Link::parse(fragment);
    if named(&link.view).is_none() {
        let named = std::mem::replace(&mut link.view, VIEWS[0].name.to_string());
        let names = among(VIEWS.iter().map(|view| view.name));
        link.complain("view", &named, &names);
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    /// A sheet that is not linked does nothing, and nobody notices.
    #[test]
    fn every_style_sheet_of_a_view_is_linked() {
        let web = Path::new(env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(web.join("../index.html")).unwrap();
        let files = |folder: &Path| {
            let entries = std::fs::read_dir(folder).unwrap();
            entries.map(|entry| entry.unwrap().path())
        };
        let views = files(&web.join("src/ui/views")).filter(|path| path.is_dir());
        let of_views = views.flat_map(|view| files(&view));
        let is_sheet = |path: &PathBuf| path.extension().is_some_and(|of| of == "css");
        let sheets: Vec<PathBuf> = of_views.filter(is_sheet).collect();
        assert!(sheets.len() >= VIEWS.len(), "{sheets:?}");
        for sheet in sheets {
            let sheet = sheet.strip_prefix(web).unwrap().display();
            let link = format!("href=\"web/{sheet}\"");
            assert!(page.contains(&link), "index.html lacks {link}");
        }
    }

    #[test]
    fn a_view_that_there_is_not_is_complained_about() {
        let link = read_link("#v=1&view=sideways&seed=4");
        assert_eq!(link.view, "yard");
        let [complaint] = &link.complaints[..] else {
            panic!("{:?}", link.complaints);
        };
        let names = complaint.strip_prefix("view=sideways: use one of yard, timeline, ");
        let names = names.expect(complaint).trim_end_matches('.').split(", ");
        assert_eq!(2 + names.count(), VIEWS.len(), "{complaint}");
        assert_eq!(Link::default().view, VIEWS[0].name);
        assert!(VIEWS.iter().all(|view| {
            read_link(&format!("view={}", view.name))
                .complaints
                .is_empty()
        }));
    }
}
