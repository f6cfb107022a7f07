//! How times are shown: as dates of a time zone or as days since the first submission. Nothing where the trace
//! does not tell absolute time.

use super::controls::option;
use super::services::{StateProps, dispatch};
use super::typed::input_value;
use crate::state::ViewAction;
use crate::state::view_options::{TIMES, ZONE};
use crate::zones;
use yew::prelude::*;

/// The choice.
#[component]
pub(super) fn Dates(props: &StateProps) -> Html {
    let StateProps { state, services } = props;
    let is_dated = state
        .opening
        .trace
        .as_ref()
        .is_some_and(|of| of.epoch.is_some());
    let shows_days = state.option(&TIMES) != TIMES.default;
    let zone = state.option(&ZONE).to_owned();
    // Hundreds of zones are not to be compared at every change of the state.
    let zones = use_memo(
        (is_dated, zone.clone()),
        |(is_dated, zone)| match is_dated {
            true => options(zone),
            false => Html::default(),
        },
    );
    if !is_dated {
        return Html::default();
    }
    let session = &services.session;
    let onclick = dispatch(session, move |_: MouseEvent| {
        let other = if shows_days { TIMES.default } else { "days" };
        ViewAction::SetOption(&TIMES, other.to_owned())
    });
    let onchange = dispatch(session, |event: Event| {
        ViewAction::SetOption(&ZONE, input_value(&event))
    });
    html! {
        <span class="dates" role="group" aria-label="How times are shown">
            if !shows_days {
                <select data-option={ZONE.link} aria-label="Time zone" title={format!("Dates as clocks show them in {zone}")} {onchange}>{ (*zones).clone() }</select>
            }
            <button type="button" data-option={TIMES.link} aria-pressed={shows_days.to_string()} {onclick}
                title="Days and hours since the first submission, in the place of dates">{ "Days" }</button>
        </span>
    }
}

/// The zones there are to choose from, those that are likely first.
fn options(zone: &str) -> Html {
    let here = zones::here().filter(|here| here != zones::UTC);
    let mut all = zones::all();
    let is_listed = |name: &str| {
        name == zones::UTC || here.as_deref() == Some(name) || all.iter().any(|of| of == name)
    };
    let own = (!is_listed(zone)).then(|| option(zone, zone, true, None));
    all.retain(|name| name != zones::UTC && here.as_ref() != Some(name));
    let others = all
        .iter()
        .map(|name| option(name, name, name == zone, None));
    html! {
        <>
            <optgroup label="The log’s own clock, where it names no zone">{ option(zones::UTC, zones::UTC, zone == zones::UTC, None) }</optgroup>
            if let Some(here) = &here {
                <optgroup label="Here">{ option(here, here, here == zone, None) }</optgroup>
            }
            <optgroup label="Elsewhere">{ own }{ for others }</optgroup>
        </>
    }
}
