//! What adaptive jobs train: the rule by which plain jobs get applications, its seed, and measured
//! profiles that were opened.

use super::controls::quiet_button;
use super::icon::{Icon, sign};
use super::setting_field::{set_up, setting_field};
use crate::draw::format;
use crate::session::Session;
use crate::state::AppState;
use crate::ui::views::goodput::model::MINE;
use switchyard::policies::ParamKind;
use switchyard::workload::ApplicationSettings;
use switchyard::{SETTINGS, SettingGroup};
use yew::prelude::*;

/// The settings of applications.
pub(super) fn applications_field(state: &AppState, session: &Session) -> Html {
    let setup = &state.setup;
    let settings = &setup.settings.applications;
    let set = |change: fn(&mut ApplicationSettings)| {
        let take = set_up(session, setup, move |setup, _| {
            change(setup.settings.applications_mut());
            Ok(())
        });
        // A button has nothing to be refused.
        Callback::from(move |_: MouseEvent| drop(take.emit(String::new())))
    };
    let forget = set(|settings| settings.profiles.clear());
    let only_adapted = set(|settings| settings.always = false);
    let forget_mine = set(|settings| {
        settings.definitions.clear();
        settings.rule.clear();
    });
    let fields = SETTINGS
        .iter()
        .filter(|of| of.group == SettingGroup::Training && of.kind != ParamKind::Bool);
    let fields = fields.map(|setting| setting_field(session, setup, setting));
    let plain = state
        .opening
        .trace
        .as_ref()
        .is_some_and(|trace| !trace.adaptive);
    html! {
        <details class="applications">
            <summary>{ "What jobs train" }</summary>
            if plain {
                <p class="hint">{ format::units("A scheduler of the list changes batch size and GPUs, so every job trains an application: by its GPU-hours, as in Pollux' evaluation, stretched so that on the GPUs it asks for it takes the trace's duration.") }</p>
                { for fields }
            }
            if settings.always {
                <p class="hint">
                    { "Jobs train applications under all schedulers, as the file or the link says " }
                    { quiet_button("Only where a scheduler adapts jobs", None, sign(Icon::Close), only_adapted) }
                </p>
            }
            if !settings.definitions.is_empty() {
                <p class="hint">
                    if settings.rule == MINE {
                        { format!("{MINE} is what the Goodput view described ") }
                    } else {
                        { "Applications came with the file or the link " }
                    }
                    { quiet_button("Let go of it", None, sign(Icon::Close), forget_mine) }
                </p>
            }
            if settings.profiles.is_empty() {
                <p class="hint">{ "Applications have the fitted models of Pollux' six. Drop measured profiles (placements.csv, scalability.csv and validation-M.csv, a folder or zip of an application each; placements-a100.csv is of a type) to use those." }</p>
            } else {
                <p class="hint">
                    { format!("Measured profiles: {} tables ", settings.profiles.len()) }
                    { quiet_button("Use the fitted models again", None, sign(Icon::Close), forget) }
                </p>
            }
        </details>
    }
}
