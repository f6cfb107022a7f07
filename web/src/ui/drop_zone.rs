//! The whole page takes dropped files, and files that are chosen.

use super::focused::element;
use crate::session::Session;
use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{File, HtmlElement};
use yew::prelude::*;

/// Takes files dropped anywhere on the page; `over`: whether some are held over it.
pub(super) fn drop_zone(session: &Session, over: &UseStateHandle<bool>, page: Html) -> Html {
    let ondragover = {
        let over = over.clone();
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            over.set(true);
        })
    };
    let ondragleave = {
        let over = over.clone();
        Callback::from(move |event: DragEvent| {
            // Moving onto a child is no leaving.
            if event.related_target().is_none() {
                over.set(false);
            }
        })
    };
    let ondrop = {
        let (session, over) = (session.clone(), over.clone());
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            over.set(false);
            session.open_files(files_of(
                event.data_transfer().and_then(|transfer| transfer.files()),
            ));
        })
    };
    html! {
        <div class="drop" {ondragover} {ondragleave} {ondrop}>
            { page }
            if **over {
                <div class="drop-hint" aria-hidden="true">
                    <strong>{ "Drop a job trace, or the table of a sweep" }</strong>
                    <span>{ "and what belongs to it, such as a cluster file, in any order. Nothing leaves this page." }</span>
                    <span>{ "Tables, JSON, SWF, Slurm, Kubernetes; also within gzip, zstd, tar and zip" }</span>
                </div>
            }
        </div>
    }
}

/// Takes what is dropped outside of the page's own elements, on a dialog: a browser would leave the page for it.
#[hook]
pub(super) fn use_drops_on_dialogs(session: &Session, over: &UseStateHandle<bool>) {
    let (session, over) = (session.clone(), over.setter());
    use_effect_with((), move |()| {
        let listeners = web_sys::window().map(|window| {
            let ours = EventListenerOptions::enable_prevent_default;
            let held = EventListener::new_with_options(&window, "dragover", ours(), |event| {
                if event.dyn_ref().is_some_and(has_files) {
                    event.prevent_default();
                }
            });
            let dropped = EventListener::new_with_options(&window, "drop", ours(), move |event| {
                let taken = event.default_prevented();
                let held = event
                    .dyn_ref::<DragEvent>()
                    .filter(|event| has_files(event));
                if let Some(event) = held.filter(|_| !taken) {
                    event.prevent_default();
                    over.set(false);
                    let files = event.data_transfer().and_then(|transfer| transfer.files());
                    session.open_files(files_of(files));
                }
            });
            [held, dropped]
        });
        move || drop(listeners)
    });
}

/// Whether files are dragged, and not a text.
fn has_files(event: &DragEvent) -> bool {
    let types = event.data_transfer().map(|transfer| transfer.types());
    types.is_some_and(|types| types.includes(&"Files".into(), 0))
}

/// The field that files are chosen with.
pub(super) const PICKER: &str = "trace-files";

/// Has a person choose files.
pub(super) fn pick_files() {
    let picker = element(PICKER).and_then(|picker| picker.dyn_into::<HtmlElement>().ok());
    if let Some(picker) = picker {
        picker.click();
    }
}

/// The files in a list.
pub(super) fn files_of(list: Option<web_sys::FileList>) -> Vec<File> {
    list.map_or_else(Vec::new, |list| {
        (0..list.length()).filter_map(|i| list.get(i)).collect()
    })
}
