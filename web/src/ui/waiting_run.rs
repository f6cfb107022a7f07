//! What a view shows of a run that has not begun.

use super::scheduler_card::ITS_TURN;
use crate::state::{AppState, Phase, Run};
use yew::prelude::*;

/// That a run waits for its turn, if it does: why there is nothing to see of it.
pub(super) fn its_turn(state: &AppState, card: &Run) -> Html {
    if card.phase != Phase::Waiting || state.opening.trace.is_none() {
        return Html::default();
    }
    html! { <span class="hint">{ ITS_TURN }</span> }
}
