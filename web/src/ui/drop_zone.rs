//! The whole page takes dropped files.

use crate::session::Session;
use web_sys::File;
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
                    <span>{ "Tables, JSON, SWF, sacct; also within gzip, zstd, tar and zip" }</span>
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
