//! The field of a policy that learns from a service history: online, the trace itself, or a file
//! of the visitor's.

use super::controls::{Take, chosen, option};
use super::picked_file::picked;
use crate::draw::format;
use crate::session::Session;
use crate::state::{Action, NoticesAction};
use std::rc::Rc;
use switchyard::policies::ServiceHistory;
use yew::prelude::*;

/// The list of histories, and a file to add; `take` takes another value.
pub(super) fn history_field(session: &Session, value: &str, take: &Take) -> Html {
    let onchange = chosen(take);
    let onfile = {
        let (session, take) = (session.clone(), take.clone());
        picked(Callback::from(
            move |(name, text): (String, Option<String>)| {
                let name = name.replace(['[', ']', ',', '='], "_");
                let history = match text {
                    Some(text) => {
                        ServiceHistory::parse(&name, &text).map_err(|why| why.to_string())
                    }
                    None => Err("it cannot be read".to_string()),
                };
                match history {
                    Ok(history) => {
                        session.dispatch(Action::Learned(Rc::new(history)));
                        if let Err(why) = take.emit(name) {
                            session.dispatch(NoticesAction::Notice(Some(why.into())));
                        }
                    }
                    Err(why) => {
                        session.dispatch(NoticesAction::Notice(Some(format!("{name}: {why}."))))
                    }
                }
            },
        ))
    };
    let file = (!ServiceHistory::OWN.contains(&value)).then_some(value);
    html! {
        <span class="history">
            <select aria-label="Service history" {onchange}>
                { for ServiceHistory::OWN.map(|name| option(name, name, value == name, None)) }
                { file.map(|name| option(name, name, true, None)) }
            </select>
            <input type="file" accept=".csv,.txt" aria-label={format::units("A file of services, GPU·s per line")}
                title={format::units("A file of services, one number of GPU·s per line")} onchange={onfile} />
        </span>
    }
}
