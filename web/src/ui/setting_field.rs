//! Fields drawn from a description: of a setting, and of anything that takes values of a kind.

use super::controls::{self, Take, quiet_button};
use super::icon::{Icon, sign};
use super::seed_button::seed_button;
use super::vary::{varied, vary};
use crate::complaint::Complaint;
use crate::session::Session;
use crate::state::change::Change;
use crate::state::sweep::Vary;
use crate::state::{Action, Setup};
use switchyard::placement::Strategy;
use switchyard::policies::ParamKind;
use switchyard::{Setting, Settings};
use yew::prelude::*;

/// Makes of what is typed or chosen a change of the settings as they will be then.
pub(super) fn set_up(
    session: &Session,
    setup: &Setup,
    change: impl Fn(&mut Setup, &str) -> Result<(), Complaint> + Copy + 'static,
) -> Take {
    let (session, setup) = (session.clone(), setup.clone());
    Callback::from(move |typed: String| {
        let change = Change::new(move |setup: &Setup| {
            let mut setup = setup.clone();
            change(&mut setup, typed.trim()).map(|()| setup)
        });
        change.of(&setup)?;
        session.dispatch(Action::SetUp(change));
        Ok(())
    })
}

/// What takes a setting's value.
pub(super) fn take(session: &Session, setup: &Setup, setting: &'static Setting) -> Take {
    set_up(session, setup, move |setup, typed| {
        let taken = setting.take(&mut setup.settings, typed);
        taken.map_err(|why| {
            let (first, rest) = why.split_at(why.chars().next().map_or(0, char::len_utf8));
            format!("{}{rest}.", first.to_ascii_uppercase()).into()
        })
    })
}

/// A setting's name and unit.
pub(super) fn label(setting: &Setting) -> String {
    match setting.unit {
        "" => setting.label.to_owned(),
        unit => format!("{} ({unit})", setting.label),
    }
}

/// A setting's field.
pub(super) fn setting_field(session: &Session, setup: &Setup, setting: &'static Setting) -> Html {
    let value = (setting.get)(&setup.settings);
    let take = take(session, setup, setting);
    let name = label(setting);
    let default = (setting.get)(&Settings::default());
    let field = kind_field(setting.kind, &name, value.clone(), take.clone());
    let field = if setting.key.ends_with("seed") {
        let vary = vary(session, &Vary::Setting(setting.key), None);
        varied(field, html! { <>{ seed_button(&name, &take) }{ vary }</> })
    } else {
        field
    };
    described(&name, field, setting.help, (&value, &default), &take)
}

/// A field with a sentence under it; where its value is not the default, marked and with a way back.
pub(super) fn described(
    name: &str,
    field: Html,
    help: &str,
    (value, default): (&str, &str),
    take: &Take,
) -> Html {
    let changed = value != default;
    let reset = {
        let (take, default) = (take.clone(), default.to_owned());
        // A default is never refused.
        Callback::from(move |_: MouseEvent| drop(take.emit(default.clone())))
    };
    let back = match default {
        "" => "Back to the default: nothing".to_owned(),
        default => format!("Back to the default: {default}"),
    };
    let stop = if help.ends_with('.') { "" } else { "." };
    html! {
        <div class={classes!("described", changed.then_some("set"))}>
            { field }
            if changed {
                { quiet_button(&format!("Reset {name}"), Some(&back), sign(Icon::Undo), reset) }
            }
            <p class="hint">{ help }{ stop }</p>
        </div>
    }
}

/// A field for values of a kind.
pub(super) fn kind_field(kind: ParamKind, name: &str, value: String, take: Take) -> Html {
    let title = None;
    let choose = |options: &[(&'static str, Option<&'static str>)]| {
        let options = options.iter();
        let options = options.map(|&(of, title)| controls::option(of, of, of == value, title));
        let list = controls::list(controls::chosen(&take), options.collect());
        controls::field(name, title, list)
    };
    let placements = Strategy::ALL.map(|of| (of.name(), Some(of.summary())));
    match kind {
        ParamKind::Bool => {
            let faces = [("false", "no"), ("true", "yes")];
            let options = faces.map(|(of, face)| controls::option(of, face, of == value, None));
            let options = options.into_iter().collect();
            controls::field(
                name,
                title,
                controls::list(controls::chosen(&take), options),
            )
        }
        ParamKind::OneOf(words) => {
            let words: Vec<_> = words.iter().map(|word| (*word, None)).collect();
            choose(&words)
        }
        ParamKind::Placement => choose(&placements),
        ParamKind::PlacementOrRuns => {
            let all = [&[("default", None)], &placements[..]].concat();
            choose(&all)
        }
        ParamKind::Int { min, max } => {
            let (min, max) = (min.to_string(), max.to_string());
            controls::number_field(
                name,
                title,
                controls::whole_from(&min).to(&max),
                value,
                take,
            )
        }
        ParamKind::Float { min, .. } | ParamKind::Seconds { min, .. } => {
            let min = min.to_string();
            controls::number_field(name, title, controls::any_from(&min), value, take)
        }
        ParamKind::Share => {
            let numbers = controls::any_from("0").to("0.95");
            controls::number_field(name, title, numbers, value, take)
        }
        ParamKind::Ascending | ParamKind::Word(_) | ParamKind::Text(_) | ParamKind::History => {
            controls::text_field(name, title, value, take)
        }
    }
}
