//! What adaptive jobs train: the rule by which plain jobs get applications, its seed, and measured
//! profiles that were opened.

use super::cluster_panel::input_value;
use super::controls::{field, number, quiet_button, text};
use super::icon::{Icon, sign};
use crate::session::Session;
use crate::state::{Action, AppState, Setup};
use std::rc::Rc;
use switchyard::playground::MINE;
use switchyard::workload::{ApplicationSettings, PAPER_RULE};
use yew::prelude::*;

/// The settings of applications.
pub(super) fn applications_field(state: &AppState, session: &Session) -> Html {
    let setup = &state.setup;
    let settings = &*setup.applications;
    let set = |change: fn(&mut ApplicationSettings, String)| {
        let (session, setup) = (session.clone(), setup.clone());
        move |typed: String| {
            let mut applications = (*setup.applications).clone();
            change(&mut applications, typed);
            session.tell(Action::SetUp(Setup {
                applications: Rc::new(applications),
                ..setup.clone()
            }));
        }
    };
    let rule = set(|settings, typed| {
        settings.rule = if typed.trim() == PAPER_RULE {
            String::new()
        } else {
            typed
        };
    });
    let seed = set(|settings, typed| settings.seed = typed.trim().parse().unwrap_or(0));
    let forget = set(|settings, _| settings.profiles.clear());
    let forget_mine = set(|settings, _| {
        settings.definitions.clear();
        settings.rule.clear();
    });
    let shown = if settings.rule.is_empty() {
        PAPER_RULE
    } else {
        &settings.rule
    };
    let plain = state.trace.as_ref().is_some_and(|trace| !trace.adaptive);
    html! {
        <details class="applications">
            <summary>{ "What jobs train" }</summary>
            if plain {
                <p class="hint">{ "A scheduler of the list changes batch size and GPUs, so every job trains an application: by its GPU-hours, as in Pollux' evaluation, stretched so that on the GPUs it asks for it takes the trace's duration." }</p>
                { field("By GPU-hours", Some("Classes below so many GPU-hours and the applications drawn for them; the last class has no end"), text(shown.to_string(), Callback::from(move |event: Event| rule(input_value(&event))))) }
                { field("Seed of the draw", None, number("0", None, None, settings.seed.to_string(), Callback::from(move |event: Event| seed(input_value(&event))))) }
            }
            if !settings.definitions.is_empty() {
                <p class="hint">
                    { format!("{MINE} is what the Goodput view described ") }
                    { quiet_button("Let go of it", None, sign(Icon::Close), Callback::from(move |_: MouseEvent| forget_mine(String::new()))) }
                </p>
            }
            if settings.profiles.is_empty() {
                <p class="hint">{ "Applications have the fitted models of Pollux' six. Drop measured profiles (placements.csv, scalability.csv and validation-M.csv, a folder or zip of an application each) to use those." }</p>
            } else {
                <p class="hint">
                    { format!("Measured profiles: {} tables ", settings.profiles.len()) }
                    { quiet_button("Use the fitted models again", None, sign(Icon::Close), Callback::from(move |_: MouseEvent| forget(String::new()))) }
                </p>
            }
        </details>
    }
}
