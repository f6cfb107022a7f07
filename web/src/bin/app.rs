//! The page.

use switchyard_web::bridge::client::find_workers;
use switchyard_web::ui::App;
use wasm_bindgen_futures::spawn_local;

fn main() {
    let root = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.get_element_by_id("app"));
    let Some(root) = root else { return };
    spawn_local(async move {
        match find_workers().await {
            Ok(()) => {
                yew::Renderer::<App>::with_root(root).render();
            }
            Err(why) => root.set_text_content(Some(&why)),
        }
    });
}
