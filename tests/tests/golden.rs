//! The golden runs of `switchyard_tests`, on whatever this is compiled for.

use switchyard_tests::{EXPECTED, cases, grid, models, scripts};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn logs_are_the_same_on_every_platform() {
    let cases = cases();
    let mut computed: Vec<String> = cases.iter().flat_map(|case| case.lines()).collect();
    computed.extend(grid::lines());
    computed.extend(models::lines());
    computed.extend(scripts::lines());
    #[cfg(not(target_arch = "wasm32"))]
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/hashes.txt");
        std::fs::write(path, computed.join("\n") + "\n").expect("the golden file can be written");
        return;
    }
    let expected: Vec<&str> = EXPECTED.lines().collect();
    assert_eq!(
        computed, expected,
        "a log or a model has changed: if it should, run the tests with UPDATE_GOLDEN=1"
    );
}
