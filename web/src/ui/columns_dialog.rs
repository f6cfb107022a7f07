//! Says which column of an unknown table is which: the page's only modal dialog. The browser keeps
//! the focus in it and closes it on Escape.

use super::controls::{field, list, option};
use super::focused::Focused;
use super::services::dispatch;
use super::typed::input_value;
use crate::draw::format;
use crate::session::Session;
use crate::state::{ColumnsAsked, OpeningAction};
use std::rc::Rc;
use switchyard::trace::{ColumnMapping, MappingRole, TimeRule, TimeUnit};
use web_sys::HtmlDialogElement;
use yew::prelude::*;

/// How times can be written.
const RULES: [(&str, &str, TimeRule); 5] = [
    ("auto", "as the first one is", TimeRule::Auto),
    (
        "dates",
        "dates, UTC unless they have a zone",
        TimeRule::Dates,
    ),
    ("day-first", "dates such as 27/03/2023", TimeRule::DayFirst),
    (
        "month-first",
        "dates such as 03/27/2023",
        TimeRule::MonthFirst,
    ),
    ("numbers", "numbers", TimeRule::Numbers),
];

/// What the new value of a field does to the mapping.
type MappingChange = Box<dyn Fn(&mut ColumnMapping, &str)>;

/// The dialog about a table.
pub(super) fn columns_dialog(asked: &Rc<ColumnsAsked>, session: &Session) -> Html {
    let ColumnsAsked { head, mapping, why } = &**asked;
    let dialog = NodeRef::default();
    let change = |change: MappingChange| {
        let (session, asked) = (session.clone(), asked.clone());
        Callback::from(move |event: Event| {
            let mut asked = (*asked).clone();
            change(&mut asked.mapping, &input_value(&event));
            session.dispatch(OpeningAction::AskColumns(Rc::new(asked)));
        })
    };
    let roles = head.columns.iter().map(|column| {
        let mut known = MappingRole::ALL.iter().copied();
        let role = known.find(|role| mapping.get(role.key) == Some(column));
        let role = role.map(|role| role.key);
        let options = MappingRole::ALL.iter().copied().map(|of| {
            let title = format::units(of.title);
            option(of.key, &title, role == Some(of.key), None)
        });
        let name = column.clone();
        let onchange = change(Box::new(move |mapping, key| {
            mapping.assign(&name, (!key.is_empty()).then_some(key));
        }));
        html! {
            <th scope="col" class={role.map(|_| "chosen")}>
                { column }
                <select aria-label={format!("{column} is")} {onchange}>
                    { option("", "–", role.is_none(), None) }
                    { for options }
                </select>
            </th>
        }
    });
    let rows = head.rows.iter().map(|row| {
        let cells = row
            .iter()
            .map(|cell| html! { <td title={cell.clone()}>{ cell }</td> });
        html! { <tr>{ for cells }</tr> }
    });
    let units = |unset: &str, now: Option<TimeUnit>| {
        let unit =
            |unit: &(TimeUnit, &str)| option(unit.1, unit.0.text(), now == Some(unit.0), None);
        let unset = option("", unset, now.is_none(), None);
        std::iter::once(unset)
            .chain(TimeUnit::ALL.iter().map(unit))
            .collect::<Html>()
    };
    let rules = RULES.map(|(value, name, rule)| option(value, name, rule == mapping.time, None));
    let by_name = |name: &str| {
        TimeUnit::ALL
            .iter()
            .find(|unit| unit.1 == name)
            .map(|unit| unit.0)
    };
    // What was guessed and taken away would be guessed again.
    let whole = mapping.against(&head.guess);
    let has = |key: &str| mapping.get(key).is_some();
    let needed = [
        (has("submit") || has("start"), "when jobs were submitted"),
        (
            has("duration") || has("start") && has("end"),
            "how long they ran",
        ),
        (has("gpus"), &format::units("their GPUs")),
    ];
    let missing: Vec<&str> = needed
        .iter()
        .filter(|need| !need.0)
        .map(|need| need.1)
        .collect();
    let close = {
        let dialog = dialog.clone();
        move || {
            // Closing gives the focus back to where it was, and tells `onclose`.
            if let Some(dialog) = dialog.cast::<HtmlDialogElement>() {
                dialog.close();
            }
        }
    };
    let onopen = {
        let (session, mapping, close) = (session.clone(), whole.clone(), close.clone());
        Callback::from(move |_: MouseEvent| {
            close();
            session.open_columns(&mapping);
        })
    };
    let oncancel = Callback::from(move |_: MouseEvent| close());
    html! {
        <Focused target={dialog.clone()}>
            <dialog class="columns" ref={dialog} aria-labelledby="columns-title" onclose={dispatch(session, |_: Event| OpeningAction::LeaveColumns)}>
                <h2 id="columns-title">{ "Which column is which?" }</h2>
                if !why.is_empty() {
                    <p class="why">{ why }</p>
                }
                <div class="scroll">
                    <table>
                        <thead><tr>{ for roles }</tr></thead>
                        <tbody>{ for rows }</tbody>
                    </table>
                </div>
                <div class="fields">
                    { field("Times are", None, list(change(Box::new(|mapping, name| {
                        let mut rules = RULES.iter();
                        mapping.time = rules.find(|rule| rule.0 == name).map_or(TimeRule::Auto, |rule| rule.2);
                    })), rules.into_iter().collect())) }
                    { field("Unit of times", None, list(change(Box::new(move |mapping, name| mapping.unit = by_name(name))), units("told by their size", mapping.unit))) }
                    { field("Unit of the duration", None, list(change(Box::new(move |mapping, name| mapping.duration_unit = by_name(name))), units("that of the times", mapping.duration_unit))) }
                </div>
                <label class="field"><span>{ "On the command line" }</span><input type="text" readonly=true value={format!("--map '{whole}'")} /></label>
                <div class="row end">
                    <span class="hint" role="status">
                        if missing.is_empty() {
                            { "Remembered in this browser for files with the same header." }
                        } else {
                            { format!("Still to say: {}.", missing.join(", ")) }
                        }
                    </span>
                    <button type="button" onclick={oncancel}>{ "Cancel" }</button>
                    <button type="button" class="primary" disabled={!missing.is_empty()} onclick={onopen}>{ "Open" }</button>
                </div>
            </dialog>
        </Focused>
    }
}
