//! Quantities as Kubernetes writes them: `3`, `0.5`, `500m`, `2k`, `4Gi`.

use super::super::amount::Amount;
use serde_json::Value;

/// Suffixes, and how many units they mean.
const SUFFIXES: [(&str, f64); 13] = [
    ("Ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1_099_511_627_776.0),
    ("Pi", 1_125_899_906_842_624.0),
    ("m", 0.001),
    ("k", 1e3),
    ("K", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
    ("P", 1e15),
    ("E", 1e18),
];

/// Reads a quantity, as a number or as text. None: it is none, or below zero.
pub fn read(value: &Value) -> Option<Amount> {
    read_plain(value).map(Amount::of_units)
}

/// Reads a number of units, as a number or as text. None: it is none, or below zero.
pub fn read_plain(value: &Value) -> Option<f64> {
    let weight = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => of_text(text.trim())?,
        _ => return None,
    };
    (weight >= 0.0).then_some(weight)
}

fn of_text(text: &str) -> Option<f64> {
    let suffix = SUFFIXES.iter().find(|(suffix, _)| text.ends_with(suffix));
    let (number, units) = match suffix {
        Some((suffix, units)) => (text.strip_suffix(suffix)?, *units),
        None => (text, 1.0),
    };
    let number: f64 = number.parse().ok()?;
    number.is_finite().then_some(number * units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn quantities_have_suffixes() {
        let units = |value: Value| read(&value).map(Amount::units);
        assert_eq!(units(json!(3)), Some(3.0));
        assert_eq!(units(json!("0.5")), Some(0.5));
        assert_eq!(units(json!("500m")), Some(0.5));
        assert_eq!(units(json!("4Gi")), Some(4_294_967_296.0));
        assert_eq!(units(json!("1E")), Some(f64::INFINITY));
        assert_eq!(units(json!("-1")), None);
        assert_eq!(units(json!("many")), None);
        assert_eq!(units(json!(null)), None);
    }
}
