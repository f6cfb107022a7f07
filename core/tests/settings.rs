//! What names settings besides their table has the same names: results, and the format's description.

use switchyard::engine::SimOptions;
use switchyard::{SETTINGS, SettingGroup};

#[test]
fn results_and_the_format_name_every_setting() {
    let options = serde_json::to_value(SimOptions::default()).expect("plain");
    // What results have beside the engine's options.
    let beside = ["placement", "outages", "queues", "queue_by"];
    let format = include_str!("../../docs/format.md");
    for setting in SETTINGS {
        let key = setting.key;
        let of_engine = setting.group != SettingGroup::Training && !beside.contains(&key);
        assert_eq!(options.get(key).is_some(), of_engine, "{key}");
        assert!(format.contains(&format!("\n| `{key}` | ")), "{key}");
    }
}
