//! What the page knows of a view. The views and their table are in [`views`](super::views).

use super::services::StateProps;
use crate::state::AppState;
use yew::prelude::*;

/// A view.
pub(super) struct View {
    /// Its name in links and `?embed=`.
    pub(super) name: &'static str,
    /// Its name for people.
    pub(super) title: &'static str,
    /// What it shows, for people.
    pub(super) about: &'static str,
    /// Whether there is something for it to show.
    pub(super) is_offered: fn(&AppState) -> bool,
    /// It.
    pub(super) show: fn(&StateProps) -> Html,
}
