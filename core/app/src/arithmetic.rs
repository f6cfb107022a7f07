//! A number's arithmetic in words: its formula with the values put in, and each value by its name.

use crate::format::{decimals, significant};
use switchyard::explain;
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
    match unit.word() {
        "" => number,
        word => format!("{number}\u{a0}{word}"),
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

/// A value of a number behind a decision, with its unit, on one line.
pub fn fact_value(of: &explain::Operand) -> String {
    fact_number(of.value, of.unit)
}

/// Its formula with the values and what comes out: `8 × 3,600 = 28,800 GPU·s`.
pub fn fact_sum(of: &explain::Sum) -> String {
    let values = of.in_words(|of| small_too(of.value));
    format!("{values} = {}", fact_number(of.result, of.unit))
}

fn fact_number(value: f64, unit: explain::Unit) -> String {
    let number = small_too(value);
    match unit.word(number == "1") {
        "" => number,
        word => format!("{number}\u{a0}{}", word.replace(' ', "\u{a0}")),
    }
}

/// What has too few places to be checked by has as many figures.
fn small_too(value: f64) -> String {
    match value.abs() < 0.1 {
        true => significant(value),
        false => decimals(value, PLACES),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use explain::{Fact, Operand, Unit};

    #[test]
    fn a_sum_is_told_with_its_values() {
        let operands = [
            Operand::new("its GPUs", 8.0, Unit::Gpus),
            Operand::new("its time on them", 3600.5, Unit::Seconds),
        ];
        let fact = Fact::number("attained service", 28_804.0, 0, Unit::GpuSeconds);
        let fact = fact.by("{0} × {1}", operands, (28_804.0, Unit::GpuSeconds));
        let sum = fact.sum.expect("all is known");
        assert_eq!(fact_sum(&sum), "8 × 3,600.5 = 28,804\u{a0}GPU·s");
        assert_eq!(fact_value(&sum.operands[0]), "8\u{a0}GPUs");
        assert_eq!(small_too(0.000_123_4), "1.23e−4");
    }
}
