//! Names of runs, as short as they can be and still be told apart.

use crate::stage::ASIDE;
use std::rc::Rc;
use switchyard::cluster::{ClusterSpec, GpuModel};
use switchyard::order;

/// Characters of a spec's parameters that are shown where two runs differ only there.
const MOST_CHARACTERS: usize = 30;

/// A name for each policy spec: `fifo`, `tiresias-las[…]`; where several specs begin alike, with
/// as much of their parameters as there is room for; where even that is the same, numbered.
pub fn short_specs(specs: &[&str]) -> Vec<String> {
    let head = |spec: &str| spec.split('[').next().unwrap_or_default().to_string();
    // Those that differ in what is aside alone are told apart by that.
    let mut own: Vec<&str> = specs.iter().map(|whole| spec_of(whole)).collect();
    order::sort(&mut own);
    own.dedup();
    let given = |spec: &str| specs.iter().filter(|whole| **whole == spec).count();
    let alike = |head: &str| {
        let alike = own
            .iter()
            .filter(|spec| spec.split('[').next() == Some(head));
        alike.map(|spec| given(spec).max(1)).sum::<usize>()
    };
    let mut names: Vec<String> = Vec::with_capacity(specs.len());
    for whole in specs {
        let spec = spec_of(whole);
        let aside = &whole[spec.len()..];
        let head = head(spec);
        let name = if head.len() == spec.len() {
            head
        } else if alike(&head) == 1 {
            format!("{head}[…]")
        } else if spec.chars().count() <= MOST_CHARACTERS {
            spec.to_string()
        } else {
            spec.chars()
                .take(MOST_CHARACTERS - 2)
                .chain("…]".chars())
                .collect()
        };
        names.push(name + aside);
    }
    for i in (0..names.len()).rev() {
        let earlier = names[..i].iter().filter(|name| **name == names[i]).count();
        if earlier > 0 {
            names[i].push_str(&format!(" #{}", earlier + 1));
        }
    }
    names
}

/// A GPU type's name for people.
pub fn type_title(name: &str) -> &str {
    match GpuModel::named(name) {
        Some(model) => model.title,
        None if name.is_empty() => "GPUs of no type",
        None => name,
    }
}

/// The types of a cluster's GPUs, as [`by_gpu_type`](switchyard::report::by_gpu_type) orders them.
pub(super) fn of_types(cluster: &ClusterSpec) -> Rc<[String]> {
    let of_none = (cluster.gpus_of(None) > 0).then_some("");
    let names = cluster.types().iter().map(String::as_str).chain(of_none);
    // Not what stands in brackets: names stand beside one another.
    let short = |name: &str| type_title(name).split(" (").next().map(str::to_owned);
    names.filter_map(short).collect()
}

/// The policy's spec in a run's label.
fn spec_of(label: &str) -> &str {
    label.split(ASIDE).next().unwrap_or(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_aside_stays() {
        let broken = "tiresias-las[knob=2] · node 7 down for 1 h";
        assert_eq!(
            short_specs(&[
                "tiresias-las[knob=2]",
                broken,
                "fifo",
                "fifo · node 7 down for good"
            ]),
            [
                "tiresias-las[…]",
                "tiresias-las[…] · node 7 down for 1 h",
                "fifo",
                "fifo · node 7 down for good",
            ]
        );
    }

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
