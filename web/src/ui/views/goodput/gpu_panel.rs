//! The gradient noise scale measured on the visitor's own GPU, by WebGPU: how much of the memory's
//! bandwidth one pass over the gradients reaches, and the estimate beside the CPU's.

use crate::draw::format;
use crate::ui::controls;
use js_sys::Error;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

/// The kernel: the same text as natively.
const WGSL: &str = include_str!("../../../../../bench/kernels/gns.wgsl");

#[wasm_bindgen]
extern "C" {
    type Found;
    #[wasm_bindgen(method, getter)]
    fn bandwidth(this: &Found) -> f64;
    #[wasm_bindgen(method, getter, js_name = copyBandwidth)]
    fn copy_bandwidth(this: &Found) -> f64;
    #[wasm_bindgen(method, getter)]
    fn phi(this: &Found) -> f64;
    #[wasm_bindgen(method, getter, js_name = phiCpu)]
    fn phi_cpu(this: &Found) -> f64;
    #[wasm_bindgen(method, getter)]
    fn adapter(this: &Found) -> String;
    #[wasm_bindgen(method, getter, js_name = isSoftware)]
    fn is_software(this: &Found) -> bool;

    /// web/assets/gns.js, which the page's shell holds.
    #[wasm_bindgen(catch, js_name = switchyardMeasureGpu)]
    async fn measure(on_progress: &JsValue, wgsl: &str) -> Result<JsValue, JsValue>;
}

/// How far a measurement is.
#[derive(Clone, PartialEq)]
enum Measurement {
    None,
    /// Part of it, and what is being done.
    Running(f64, String),
    /// Terms and values.
    Done(Vec<(&'static str, String)>),
    Failed(String),
}

/// A button, and what came of pressing it.
#[component]
pub(super) fn GpuPanel() -> Html {
    let state = use_state_eq(|| Measurement::None);
    let onclick = {
        let state = state.setter();
        Callback::from(move |_: MouseEvent| {
            let state = state.clone();
            state.set(Measurement::Running(0.0, String::new()));
            spawn_local(async move {
                let on_progress = {
                    let state = state.clone();
                    Closure::<dyn FnMut(f64, String)>::new(move |share, what| {
                        state.set(Measurement::Running(share, what));
                    })
                };
                let found = measure(on_progress.as_ref(), WGSL).await;
                state.set(match found {
                    Ok(found) => Measurement::Done(facts(found.unchecked_ref())),
                    Err(error) => Measurement::Failed(
                        error
                            .dyn_ref::<Error>()
                            .map_or_else(String::new, |error| error.message().into()),
                    ),
                });
            });
        })
    };
    let running = matches!(*state, Measurement::Running(..));
    let outcome = match &*state {
        Measurement::None => Html::default(),
        Measurement::Running(share, what) => {
            html! { <p class="hint" role="status">{ format!("{:.0} %: {what}", share * 100.0) }</p> }
        }
        Measurement::Done(facts) => {
            let facts = facts
                .iter()
                .map(|(term, value)| controls::fact(term, value));
            html! { <dl class="job-facts" aria-live="polite">{ for facts }</dl> }
        }
        Measurement::Failed(why) => controls::error(Some(why)),
    };
    html! {
        <section class="gpu" aria-label="Measure your GPU">
            <h2>{ "What measuring φ costs" }</h2>
            <p class="hint">{ "Every step of training needs φ. One pass over the gradients of 8 replicas is enough: on this computer's GPU, by WebGPU, beside a plain copy of as many bytes." }</p>
            <button type="button" disabled={running} {onclick}>{ "Measure your GPU" }</button>
            { outcome }
        </section>
    }
}

fn facts(found: &Found) -> Vec<(&'static str, String)> {
    let rate = |bytes: f64| format!("{} GB/s", format::figures(bytes / 1e9));
    let adapter = found.adapter();
    let adapter = if found.is_software() {
        format!("{adapter} (software, no GPU)")
    } else {
        adapter
    };
    vec![
        ("GPU", adapter),
        ("bandwidth of the estimate", rate(found.bandwidth())),
        ("bandwidth of a copy", rate(found.copy_bandwidth())),
        (
            "reached",
            format!(
                "{:.0} %",
                100.0 * found.bandwidth() / found.copy_bandwidth()
            ),
        ),
        ("φ by the GPU", format!("{:.6} batches", found.phi())),
        ("φ by the CPU", format!("{:.6} batches", found.phi_cpu())),
    ]
}
