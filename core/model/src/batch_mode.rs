//! How a trace tells that a job's batch size changes while it trains: behind the name of its model. In: such a name,
//! `LM (batch size 10), gns`. Out: the name of the model itself. (Shockwave's traces have that, NSDI'23.)

/// By what batch sizes change: Accordion, or the gradient noise scale.
const MODES: [&str; 2] = ["accordion", "gns"];

/// What stands between.
const BETWEEN: &str = ", ";

/// The name of a model whose batch size changes so; a word that is no way of changing says nothing.
pub fn with_mode(model: &str, mode: &str) -> Option<String> {
    let is_one = MODES.contains(&mode) && !model.is_empty();
    is_one.then(|| format!("{model}{BETWEEN}{mode}"))
}

/// The name of the model itself.
pub fn without_mode(name: &str) -> &str {
    let parts = name.rsplit_once(BETWEEN);
    let parts = parts.filter(|(_, mode)| MODES.contains(mode));
    parts.map_or(name, |(model, _)| model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_stand_behind_names() {
        let name = with_mode("LM (batch size 10)", "gns").expect("a mode");
        assert_eq!(name, "LM (batch size 10), gns");
        assert_eq!(without_mode(&name), "LM (batch size 10)");
        assert_eq!(with_mode("LM", "static"), None);
        assert_eq!(with_mode("", "gns"), None);
        for name in ["VGG, 16", "gns", ""] {
            assert_eq!(without_mode(name), name);
        }
    }
}
