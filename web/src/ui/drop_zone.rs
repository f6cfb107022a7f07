//! The whole page takes dropped files.

use super::app::use_session;
use web_sys::File;
use yew::prelude::*;

/// What is inside.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// The page.
    pub(super) children: Html,
}

/// Takes files dropped anywhere on the page.
#[component]
pub(super) fn DropZone(props: &Props) -> Html {
    let session = use_session();
    let over = use_state(|| false);
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
        let over = over.clone();
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
            { props.children.clone() }
            if *over {
                <div class="drop-hint" aria-hidden="true">
                    <strong>{ "Drop a job trace" }</strong>
                    <span>{ "and, if you have one, its cluster file. Nothing leaves this page." }</span>
                </div>
            }
        </div>
    }
}

/// The files in a list.
pub(super) fn files_of(list: Option<web_sys::FileList>) -> Vec<File> {
    list.map_or_else(Vec::new, |list| {
        (0..list.length()).filter_map(|i| list.get(i)).collect()
    })
}
