//! The golden runs of `switchyard_tests`, on whatever this is compiled for.

use switchyard_tests::{Case, EXPECTED, cases, grid, models, scripts};

/// A line for each run and model, computed when its turn comes.
fn lines() -> impl Iterator<Item = String> {
    let of_cases = cases().into_iter().flat_map(Case::into_lines);
    let of_models = std::iter::once_with(models::lines).flatten();
    let of_scripts = std::iter::once_with(scripts::lines).flatten();
    of_cases
        .chain(grid::lines())
        .chain(of_models)
        .chain(of_scripts)
}

fn check(computed: &[String]) {
    let expected: Vec<&str> = EXPECTED.lines().collect();
    assert_eq!(
        computed, expected,
        "a log or a model has changed: if it should, run the tests with UPDATE_GOLDEN=1"
    );
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn logs_are_the_same_on_every_platform() {
    let computed: Vec<String> = lines().collect();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/hashes.txt");
        std::fs::write(path, computed.join("\n") + "\n").expect("the golden file can be written");
        return;
    }
    check(&computed);
}

/// The driver of a browser gives a page up that does not answer for half a minute.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen_test::wasm_bindgen_test]
async fn logs_are_the_same_on_every_platform() {
    let mut computed = Vec::new();
    for line in lines() {
        computed.push(line);
        gloo_timers::future::TimeoutFuture::new(0).await;
    }
    check(&computed);
}
