//! What scripts of the page (`web/explorer/`, `web/editor/`) read of tables here: `for_scripts.json`. Their own way to write numbers
//! is held to ours by `format.json`, which `tests/e2e/explorer.test.mjs` tries.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use switchyard::policies::CODE;
use switchyard::report::sweep::{NUMBERS, TEXTS, VERSION, VERSION_KEY};
use switchyard_app::format::{SPAN_UNITS, duration, significant};
use switchyard_app::{METRICS, Permalink};

/// What stands behind values of metrics, by unit.
fn unit_words() -> BTreeMap<String, &'static str> {
    let name = |unit| match json!(unit) {
        Value::String(name) => name,
        other => other.to_string(),
    };
    let units = METRICS.iter().map(|metric| metric.unit);
    units.map(|unit| (name(unit), unit.word())).collect()
}

fn tables() -> Value {
    json!({
        "span_units": SPAN_UNITS,
        "unit_words": unit_words(),
        "link_sources": Permalink::SOURCES,
        "code_parameter": CODE,
        "sweep": {
            "version": VERSION,
            "version_key": VERSION_KEY,
            "texts": TEXTS.map(|text| text.name),
            "numbers": NUMBERS,
        },
    })
}

fn examples() -> Value {
    let spans = [
        0.0, 0.25, 93.0, 119.0, 120.0, 7_199.0, 7_200.0, 39_720.0, 44_640.0, 172_800.0, 1e9,
    ];
    let numbers = [
        0.0, 0.00123, 0.1234, 1.0, 9.99, 10.04, 99.95, -12.5, 12_345.0, 1e9, 2.5e-7,
    ];
    json!({
        "durations": spans.map(|seconds| (seconds, duration(seconds))),
        "numbers": numbers.map(|number| (number, significant(number))),
    })
}

/// `UPDATE_SCRIPTS=1 cargo test -p switchyard-app --test for_scripts` writes them anew.
#[test]
fn files_for_scripts_are_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, value) in [
        ("for_scripts.json", tables()),
        ("tests/format.json", examples()),
    ] {
        let file = folder.join(name);
        let fresh = serde_json::to_string_pretty(&value).unwrap() + "\n";
        if std::env::var_os("UPDATE_SCRIPTS").is_some() {
            std::fs::write(&file, &fresh).unwrap();
        }
        let there = std::fs::read_to_string(&file).unwrap_or_default();
        let how = "stale: UPDATE_SCRIPTS=1 cargo test -p switchyard-app --test for_scripts";
        assert!(there == fresh, "{}: {how}", file.display());
    }
}
