//! The settings that the page has: those of every run, and one of its own.

use switchyard::engine::LogBudget;
use switchyard::policies::ParamKind;
use switchyard::{SETTINGS, Setting, SettingGroup};

const MEGABYTE: u64 = 1_000_000;

/// How large the log of a run may become. It is this machine's affair, and in no file.
pub static LOG_BUDGET: Setting = Setting {
    key: "log_budget",
    link: "log-budget",
    label: "Log budget",
    unit: "MB",
    help: "How large the log of a run may become, megabytes: beyond it the run ends, and says which parameter to change. Empty: all schedulers together may fill what this machine has, as the grey number says, each as much as it needs. The page holds all logs, in 4,000 MB at most",
    // All logs together: wasm addresses little more.
    kind: ParamKind::Int { min: 1, max: 4_000 },
    group: SettingGroup::Runs,
    get: |of| {
        let budget = of.options.log_budget;
        let chosen = budget != LogBudget::default();
        let megabytes = chosen.then(|| (budget.bytes / MEGABYTE).to_string());
        megabytes.unwrap_or_default()
    },
    set: |of, text| {
        let megabytes = text.parse().map(|megabytes: u64| megabytes * MEGABYTE);
        of.options.log_budget =
            megabytes.map_or_else(|_| LogBudget::default(), LogBudget::of_bytes);
        Ok(())
    },
};

/// Every setting.
pub fn all() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().chain([&LOG_BUDGET])
}
