//! What adaptive jobs train: the rule by which plain jobs get applications, its seed, and measured
//! profiles that were opened.

use super::controls::{Take, number_field, quiet_button, text_field, whole_from};
use super::icon::{Icon, sign};
use crate::session::Session;
use crate::state::change::Change;
use crate::state::{Action, AppState, Setup};
use std::rc::Rc;
use switchyard::playground::MINE;
use switchyard::workload::{ApplicationSettings, PAPER_RULE};
use yew::prelude::*;

/// The settings of applications.
pub(super) fn applications_field(state: &AppState, session: &Session) -> Html {
    let setup = &state.setup;
    let settings = &*setup.applications;
    let set = |change: fn(&mut ApplicationSettings, &str) -> Result<(), String>| {
        let (session, setup) = (session.clone(), setup.clone());
        Callback::from(move |typed: String| {
            let change = Change::new(move |setup: &Setup| {
                let mut setup = setup.clone();
                let applications = Rc::make_mut(&mut setup.applications);
                change(applications, typed.trim()).map(|()| setup)
            });
            change.of(&setup)?;
            session.tell(Action::SetUp(change));
            Ok(())
        })
    };
    let rule = set(|settings, typed| {
        settings.rule = match typed {
            PAPER_RULE => String::new(),
            other => other.to_string(),
        };
        Ok(())
    });
    let seed = set(|settings, typed| {
        settings.seed = typed
            .parse()
            .map_err(|_| "The seed is a whole number, 0 or more.")?;
        Ok(())
    });
    let forget = set(|settings, _| {
        settings.profiles.clear();
        Ok(())
    });
    let only_adapted = set(|settings, _| {
        settings.always = false;
        Ok(())
    });
    let forget_mine = set(|settings, _| {
        settings.definitions.clear();
        settings.rule.clear();
        Ok(())
    });
    // A button has nothing to be refused.
    let press = |take: Take| Callback::from(move |_: MouseEvent| drop(take.emit(String::new())));
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
                { text_field("By GPU-hours", Some("Classes below so many GPU-hours and the applications drawn for them; the last class has no end"), shown.to_string(), rule) }
                { number_field("Seed of the draw", None, whole_from("0"), settings.seed.to_string(), seed) }
            }
            if settings.always {
                <p class="hint">
                    { "Jobs train under all schedulers, as the file or the link has it " }
                    { quiet_button("Only where a scheduler adapts jobs", None, sign(Icon::Close), press(only_adapted)) }
                </p>
            }
            if !settings.definitions.is_empty() {
                <p class="hint">
                    if settings.rule == MINE {
                        { format!("{MINE} is what the Goodput view described ") }
                    } else {
                        { "Applications came with the file or the link " }
                    }
                    { quiet_button("Let go of it", None, sign(Icon::Close), press(forget_mine)) }
                </p>
            }
            if settings.profiles.is_empty() {
                <p class="hint">{ "Applications have the fitted models of Pollux' six. Drop measured profiles (placements.csv, scalability.csv and validation-M.csv, a folder or zip of an application each) to use those." }</p>
            } else {
                <p class="hint">
                    { format!("Measured profiles: {} tables ", settings.profiles.len()) }
                    { quiet_button("Use the fitted models again", None, sign(Icon::Close), press(forget)) }
                </p>
            }
        </details>
    }
}
