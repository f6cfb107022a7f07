//! The page.

pub mod page;

use switchyard_web::ui::{App, AppProps};

fn main() {
    switchyard_web::rescue::watch();
    let root = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.get_element_by_id("app"));
    if let Some(root) = root {
        let props = AppProps {
            on_start: yew::Callback::from(page::hand_over),
        };
        yew::Renderer::<App>::with_root_and_props(root, props).render();
    }
}
