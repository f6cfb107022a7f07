//! A number's arithmetic in words: its formula with the values put in, and each value by its name.

use crate::format::decimals;
use switchyard::report::{Arithmetic, MetricUnit, Operand};

/// The formula of one value.
const ITSELF: &str = "{0}";

/// Enough to check a result to its last shown figure.
const PLACES: usize = 4;

/// A value with its unit, on one line: `3,212,640 s`, `240`.
pub fn value(of: &Operand) -> String {
    with_unit(of.value, of.unit)
}

fn with_unit(value: f64, unit: MetricUnit) -> String {
    let number = decimals(value, PLACES);
    match unit {
        MetricUnit::Seconds => format!("{number}\u{a0}s"),
        MetricUnit::GpuHours => format!("{number}\u{a0}GPU-hours"),
        MetricUnit::NodeHours => format!("{number}\u{a0}node-hours"),
        MetricUnit::Share | MetricUnit::Count | MetricUnit::Number => number,
    }
}

/// The formula with its values and what comes out: `3,212,640 ∕ 240 = 13,386 s`.
pub fn sum(of: &Arithmetic) -> String {
    let result = with_unit(of.result(), of.unit);
    if of.formula == ITSELF {
        return result;
    }
    let mut text = of.formula.to_owned();
    for (at, operand) in of.operands.iter().enumerate() {
        text = text.replace(&format!("{{{at}}}"), &decimals(operand.value, PLACES));
    }
    format!("{text} = {result}")
}
