//! Kubernetes' amounts, and which of our resources they are of.
//!
//! Source: <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/>.

use crate::tree::Kind;

/// Bytes of a GiB.
const GIB: f64 = 1_073_741_824.0;

/// What a resource's name counts; none: nothing that a tree has.
pub(super) fn kind(name: &str) -> Option<Kind> {
    match name.rsplit('/').next()? {
        "cpu" => Some(Kind::Cores),
        "memory" => Some(Kind::Memory),
        "gpu" => Some(Kind::Gpus),
        _ => None,
    }
}

/// An amount such as `500m`, `8Gi` or `2e3`; none if it is no amount. It may be below zero.
pub(super) fn quantity(text: &str) -> Option<f64> {
    if let Ok(plain) = text.parse::<f64>() {
        // Not "inf", nor "nan".
        let is_number = text.ends_with(|letter: char| letter.is_ascii_digit() || letter == '.');
        return (is_number && plain.is_finite()).then_some(plain);
    }
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let amount: f64 = digits.parse().ok()?;
    let unit = match text.get(digits.len()..)? {
        "n" => 1e-9,
        "u" => 1e-6,
        "m" => 1e-3,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "E" => 1e18,
        "Ki" => 1024.0,
        "Mi" => 1_048_576.0,
        "Gi" => GIB,
        "Ti" => GIB * 1024.0,
        "Pi" => GIB * 1_048_576.0,
        "Ei" => GIB * GIB,
        _ => return None,
    };
    // Thousandths and the like by division, which is exact where it can be.
    let amount = if unit < 1.0 {
        amount / (1.0 / unit)
    } else {
        amount * unit
    };
    amount.is_finite().then_some(amount)
}

/// An amount of a kind in what a tree counts: GPUs, cores, GiB.
pub(super) fn counted(kind: Kind, amount: f64) -> f64 {
    match kind {
        Kind::Gpus | Kind::Cores => amount,
        Kind::Memory => amount / GIB,
    }
}

/// Megabytes as GiB.
pub(super) fn megabytes(amount: f64) -> f64 {
    amount * 1e6 / GIB
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_units() {
        let all = ["8", "500m", "1.5", "2k", "8Gi", "1e3", "1E", "-3", "0.1Ti"].map(quantity);
        let expected = [
            8.0,
            0.5,
            1.5,
            2000.0,
            8.0 * GIB,
            1000.0,
            1e18,
            -3.0,
            0.1 * 1024.0 * GIB,
        ];
        assert_eq!(all, expected.map(Some));
        for none in [
            "", "inf", "nan", "8 Gi", "8GiB", "m", "x8", "1e999", "infinity",
        ] {
            assert_eq!(quantity(none), None, "{none}");
        }
        assert_eq!(counted(Kind::Memory, 8.0 * GIB), 8.0);
    }

    #[test]
    fn names_are_of_kinds() {
        let kinds = ["nvidia.com/gpu", "amd.com/gpu", "gpu", "cpu", "memory"].map(kind);
        let expected = [
            Kind::Gpus,
            Kind::Gpus,
            Kind::Gpus,
            Kind::Cores,
            Kind::Memory,
        ];
        assert_eq!(kinds, expected.map(Some));
        assert_eq!(kind("nvidia.com/mig-1g.5gb"), None);
        assert_eq!(kind("ephemeral-storage"), None);
    }
}
