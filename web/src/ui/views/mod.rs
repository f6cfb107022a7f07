//! The views: one file each, and one line each in [`VIEWS`]. Tabs, keys, help, links and embedding
//! follow from what a view says of itself; what it draws it hands to a
//! [`CanvasHost`](super::canvas_host::CanvasHost) as a [`Scene`](super::canvas_host::Scene).

mod compare;
mod fragmentation;
mod goodput;
mod jobs;
mod queues;
mod sweep;
mod timeline;
mod turn;
mod yard;

use super::view::View;
use crate::state::AppState;
use crate::state::link::{Link, among};

/// The views in the order of their tabs and keys. The first is shown where none is named.
pub(super) static VIEWS: [View; 8] = [
    yard::VIEW,
    timeline::VIEW,
    compare::VIEW,
    jobs::VIEW,
    queues::VIEW,
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

    #[test]
    fn a_view_that_there_is_not_is_complained_about() {
        let link = read_link("#v=1&view=sideways&seed=4");
        assert_eq!(link.view, "yard");
        assert_eq!(
            link.complaints,
            [
                "view=sideways: use one of yard, timeline, compare, jobs, queues, sweep, goodput, fragmentation."
            ]
        );
        assert_eq!(Link::default().view, VIEWS[0].name);
        assert!(VIEWS.iter().all(|view| {
            read_link(&format!("view={}", view.name))
                .complaints
                .is_empty()
        }));
    }
}
