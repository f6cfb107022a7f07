//! Slurm's lists of resources, as columns such as AllocTRES and AllocGRES hold them.
//!
//! Source: <https://slurm.schedmd.com/tres.html>.

use super::rows::number;
use super::sink::MOST_KNOWN;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::rc::Rc;

/// What a list tells.
#[derive(Default)]
pub(crate) struct List {
    /// As [`gpus`] has them.
    pub(crate) gpus: Option<f64>,
    /// As [`types`] has them.
    pub(crate) types: String,
    /// As [`cores`] has them.
    pub(crate) cores: Option<f64>,
    /// As [`memory`] has it.
    pub(crate) memory: Option<f64>,
}

/// The lists of a log, each read once: many jobs ask for the same.
#[derive(Default)]
pub(crate) struct Lists(HashMap<Box<str>, Rc<List>, FixedState>);

impl Lists {
    /// What a list tells.
    pub(crate) fn read(&mut self, resources: &str) -> Rc<List> {
        if let Some(list) = self.0.get(resources) {
            return list.clone();
        }
        let list = Rc::new(List {
            gpus: gpus(resources),
            types: types(resources),
            cores: cores(resources),
            memory: memory(resources),
        });
        if self.0.len() == MOST_KNOWN {
            self.0.clear();
        }
        self.0.insert(resources.into(), list.clone());
        list
    }
}

/// GPUs in a list such as `cpu=8,gres/gpu:a100=1,gres/gpu=1` or `gpu:a100:2(IDX:0-1)`: the total,
/// or the sum of the kinds where there is no total. `None` where it lists none.
pub(crate) fn gpus(resources: &str) -> Option<f64> {
    let (mut total, mut kinds) = (None, None);
    for (kind, count) in kinds_of(resources) {
        let count = count?;
        if kind.is_empty() {
            total = Some(count);
        } else {
            kinds = Some(kinds.unwrap_or(0.0) + count);
        }
    }
    total.or(kinds)
}

/// The types of the GPUs in such a list, joined by `|`; "" where it names none.
pub(crate) fn types(resources: &str) -> String {
    let mut types: Vec<&str> = Vec::new();
    for (kind, _) in kinds_of(resources) {
        if !kind.is_empty() && !types.contains(&kind) {
            types.push(kind);
        }
    }
    types.join("|")
}

/// The GPUs of such a list: their types, "" where none is told, and how many; `None` where that is
/// no number. What else is counted of GPUs, such as their memory (`gres/gpumem`), is none.
pub(crate) fn kinds_of(resources: &str) -> impl Iterator<Item = (&str, Option<f64>)> {
    resources.split(',').filter_map(|part| {
        let part = part.trim();
        let resource = part
            .strip_prefix("gres")
            .map_or(part, |rest| rest.strip_prefix(['/', ':']).unwrap_or(rest));
        let rest = resource.strip_prefix("gpu")?;
        let rest = rest.split('(').next().unwrap_or(rest);
        if !rest.starts_with([':', '=']) {
            return None;
        }
        // `gpu=2`, `gpu:a100=2`, `gpu:2`, `gpu:a100:2` or `gpu:a100`, which is one of them.
        let (kind, count) = match (rest.split_once('='), rest.rsplit_once(':')) {
            (Some((kind, count)), _) => (kind, number(count)),
            (None, Some((kind, last))) => match number(last) {
                Some(count) => (kind, Some(count)),
                None => (rest, Some(1.0)),
            },
            (None, None) => return None,
        };
        let kind = kind.strip_prefix(':').unwrap_or(kind);
        Some((kind.split(':').next().unwrap_or(kind), count))
    })
}

/// Cores in such a list.
pub(crate) fn cores(resources: &str) -> Option<f64> {
    number(value(resources, "cpu")?).filter(|cores| *cores > 0.0)
}

/// Memory in such a list, GiB.
pub(crate) fn memory(resources: &str) -> Option<f64> {
    gibibytes(value(resources, "mem")?)
}

/// GiB in words such as `64G` or `4000M`; MiB where no unit is told.
pub(crate) fn gibibytes(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text.get(digits.len()..)?.to_ascii_uppercase().as_str() {
        "K" => 1.0 / 1_048_576.0,
        "" | "M" => 1.0 / 1024.0,
        "G" => 1.0,
        "T" => 1024.0,
        "P" => 1_048_576.0,
        _ => return None,
    };
    let amount = number(digits).map(|amount| amount * unit);
    amount.filter(|amount| *amount > 0.0)
}

/// What a list says of a resource.
fn value<'a>(resources: &'a str, name: &str) -> Option<&'a str> {
    let mut parts = resources.split(',');
    parts.find_map(|part| part.trim().strip_prefix(name)?.strip_prefix('='))
}

/// Whether a cell is such a list, with GPUs in it or without.
pub(crate) fn is_list(cell: &str) -> bool {
    cell.contains("cpu=") || gpus(cell).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_once() {
        let mut lists = Lists::default();
        let text = "billing=6,cpu=6,gres/gpu:a100=1,gres/gpu=1,mem=32G,node=1";
        let list = lists.read(text);
        assert_eq!((list.gpus, &*list.types), (Some(1.0), "a100"));
        assert_eq!((list.cores, list.memory), (Some(6.0), Some(32.0)));
        assert!(Rc::ptr_eq(&list, &lists.read(text)));
        for count in 0..2 * MOST_KNOWN {
            assert_eq!(lists.read(&format!("gpu:{count}")).gpus, Some(count as f64));
        }
        assert!(lists.0.len() <= MOST_KNOWN);
    }

    #[test]
    fn totals_go_before_kinds() {
        for (resources, count) in [
            ("cpu=8,gres/gpu:a100=1,gres/gpu=1", Some(1.0)),
            ("gres/gpu:a100=1,gres/gpu:v100=2", Some(3.0)),
            ("gpu:2", Some(2.0)),
            ("gpu:tesla:2(S:0-1)", Some(2.0)),
            ("gpu:a100:2(IDX:0,1),shard:4", Some(2.0)),
            ("gres:gpu:4", Some(4.0)),
            ("gpu:a100", Some(1.0)),
            ("billing=64,cpu=64,mem=62.50G,node=8", None),
            ("gpus", None),
            ("cpu=8,gres/gpumem=40,gres/gpu=1,gres/gpuutil=90", Some(1.0)),
            ("gres/gpumem=24G", None),
            ("gpumem:24", None),
            ("gres/gpu_mem:a100=24", None),
            ("", None),
        ] {
            assert_eq!(gpus(resources), count, "{resources}");
        }
        for (resources, names) in [
            ("cpu=8,gres/gpu:a100=1,gres/gpu=1", "a100"),
            ("gres/gpu:a100=1,gres/gpu:v100=2", "a100|v100"),
            ("gpu:a100:2(IDX:0,1),gpu:a100:1,shard:4", "a100"),
            ("gpu:tesla:2(S:0-1)", "tesla"),
            ("gpu:v100", "v100"),
            ("gres/gpu:rtx_3090=2,gres/gpumem:a100=40", "rtx_3090"),
            ("gpu:2,gres/gpu=2,cpu=4", ""),
        ] {
            assert_eq!(types(resources), names, "{resources}");
        }
        let list = "billing=64,cpu=64,mem=62.50G,node=8";
        assert_eq!((cores(list), memory(list)), (Some(64.0), Some(62.5)));
        assert_eq!(memory("cpu=1,mem=4000M"), Some(3.90625));
        assert_eq!(
            (cores("vcpu=2"), memory("mem=0,gres/gpumem=4G")),
            (None, None)
        );
        assert_eq!(
            (cores("cpu=8,gres/gpu:a100=1"), cores("gpu:2")),
            (Some(8.0), None)
        );
        assert!(is_list("cpu=12,node=1") && !is_list("8"));
    }
}
