//! The page.

use switchyard_web::ui::App;

fn main() {
    switchyard_web::rescue::watch();
    let root = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.get_element_by_id("app"));
    if let Some(root) = root {
        yew::Renderer::<App>::with_root(root).render();
    }
}
