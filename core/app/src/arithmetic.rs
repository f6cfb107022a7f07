//! A number's arithmetic in words: its formula with the values put in, and each value by its name.

use crate::format::decimals;
use switchyard::report::{Arithmetic, MetricUnit, Operand};

/// Enough to check a result to its last shown figure.
const PLACES: usize = 4;

/// A value with its unit: `3,212,640 s`, `240`.
pub fn value(of: &Operand) -> String {
    let number = decimals(of.value, PLACES);
    match of.unit {
        MetricUnit::Seconds => format!("{number} s"),
        MetricUnit::GpuHours => format!("{number} GPU-hours"),
        MetricUnit::NodeHours => format!("{number} node-hours"),
        MetricUnit::Share | MetricUnit::Count | MetricUnit::Number => number,
    }
}

/// The formula with its values and what comes out: `3,212,640 ∕ 240 = 13,386`.
pub fn sum(of: &Arithmetic) -> String {
    let mut text = of.formula.to_owned();
    for (at, operand) in of.operands.iter().enumerate() {
        text = text.replace(&format!("{{{at}}}"), &decimals(operand.value, PLACES));
    }
    match of.formula {
        // One value is its own result.
        "{0}" => text,
        _ => format!("{text} = {}", decimals(of.result(), PLACES)),
    }
}
