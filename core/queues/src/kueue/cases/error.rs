//! What is wrong with a case.

/// A case that cannot be decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", if case.is_empty() { String::new() } else { format!("case '{case}': ") })]
pub struct CaseError {
    /// Its name; empty: the file as a whole.
    pub case: String,
    /// What is wrong.
    pub what: String,
}

impl CaseError {
    /// Something wrong, with a case or the file.
    pub fn new(case: &str, what: impl Into<String>) -> Self {
        Self {
            case: case.to_owned(),
            what: what.into(),
        }
    }

    /// The same, of a case by this name.
    #[must_use]
    pub fn of(self, case: &str) -> Self {
        Self {
            case: case.to_owned(),
            ..self
        }
    }
}
