//! Names of runs, as short as they can be and still be told apart.

/// Characters of a spec's parameters that are shown where two runs differ only there.
const MOST_CHARACTERS: usize = 30;

/// A name for each policy spec: `fifo`, `tiresias-las[…]`; where several specs begin alike, with
/// as much of their parameters as there is room for; where even that is the same, numbered.
pub fn short_specs(specs: &[&str]) -> Vec<String> {
    let head = |spec: &str| spec.split('[').next().unwrap_or_default().to_string();
    let alike = |head: &str| {
        specs
            .iter()
            .filter(|spec| spec.split('[').next() == Some(head))
            .count()
    };
    let mut names: Vec<String> = Vec::with_capacity(specs.len());
    for spec in specs {
        let head = head(spec);
        let name = if head.len() == spec.len() {
            head
        } else if alike(&head) == 1 {
            format!("{head}[…]")
        } else if spec.chars().count() <= MOST_CHARACTERS {
            (*spec).to_string()
        } else {
            spec.chars()
                .take(MOST_CHARACTERS - 2)
                .chain("…]".chars())
                .collect()
        };
        names.push(name);
    }
    for i in (0..names.len()).rev() {
        let earlier = names[..i].iter().filter(|name| **name == names[i]).count();
        if earlier > 0 {
            names[i].push_str(&format!(" #{}", earlier + 1));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_different() {
        assert_eq!(
            short_specs(&["fifo", "tiresias-las[queues=3,thresholds=3250:7200]"]),
            ["fifo", "tiresias-las[…]"]
        );
        assert_eq!(
            short_specs(&["fifo", "fifo[backfill=true]"]),
            ["fifo", "fifo[backfill=true]"]
        );
        assert_eq!(short_specs(&["srtf", "srtf"]), ["srtf", "srtf #2"]);
        let long = [
            "tiresias-las[queues=3,thresholds=3250:7200]",
            "tiresias-las[queues=3,thresholds=3250:9000]",
        ];
        assert_eq!(
            short_specs(&long),
            [
                "tiresias-las[queues=3,thresh…]",
                "tiresias-las[queues=3,thresh…] #2"
            ]
        );
    }
}
