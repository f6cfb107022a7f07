//! A die beside a seed's field: a fresh seed.

use super::controls::{Take, quiet_button};
use super::icon::{Icon, sign};
use yew::prelude::*;

/// A button that gives `take` a seed which nobody has chosen.
pub(super) fn seed_button(name: &str, take: &Take) -> Html {
    let take = take.clone();
    let onclick = Callback::from(move |_: MouseEvent| {
        // Four bytes are enough to differ, and short enough to read out.
        if let Ok(seed) = getrandom::u32() {
            // A seed is any whole number.
            let _ = take.emit(seed.to_string());
        }
    });
    let label = format!("{name}: a new one, at random");
    quiet_button(
        &label,
        Some("A new seed, at random"),
        sign(Icon::Die),
        onclick,
    )
}
