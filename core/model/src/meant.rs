//! What somebody may have meant by a word that there is not: the name nearest to it, for messages.

/// How alike a name and what was written must be, by Jaro and Winkler: 0 to 1.
const ALIKE: f64 = 0.85;

/// Longer texts are no mistyped names.
const LONGEST: usize = 60;

/// The name that was meant, if one is alike enough. Capitals do not count.
pub fn meant<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.trim().to_lowercase();
    if written.len() > LONGEST {
        return None;
    }
    let alike = |name: &'a str| (strsim::jaro_winkler(&written, &name.to_lowercase()), name);
    let best = names
        .into_iter()
        .map(alike)
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.filter(|(alike, _)| *alike >= ALIKE)
        .map(|(_, name)| name)
}

/// The same, to stand in a message behind what was written; "" where nothing is alike.
pub fn hint<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    remark(meant(written, names))
}

/// A name that was meant, likewise.
pub fn remark(meant: Option<&str>) -> String {
    meant.map_or_else(String::new, |name| format!(" (did you mean '{name}'?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_meant_if_any() {
        let names = ["fifo", "tiresias-las", "tiresias-gittins", "gandiva"];
        for (written, expected) in [
            ("fif", Some("fifo")),
            ("FIFO", Some("fifo")),
            ("tiresias", Some("tiresias-las")),
            ("tiresias_gitins", Some("tiresias-gittins")),
            ("gandvia", Some("gandiva")),
            ("zebra", None),
            ("", None),
        ] {
            assert_eq!(meant(written, names), expected, "{written}");
        }
        assert_eq!(meant(&"fifo".repeat(1_000), names), None);
        assert_eq!(hint("gandvia", names), " (did you mean 'gandiva'?)");
        assert_eq!(hint("zebra", names), "");
    }
}
