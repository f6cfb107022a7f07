//! Names of GPU types for people.

use std::rc::Rc;
use switchyard::Resource;
use switchyard::cluster::{ClusterSpec, GpuModel};

/// A GPU type's name for people.
pub fn type_title(name: &str) -> &str {
    match GpuModel::named(name) {
        Some(model) => model.title,
        None if name.is_empty() => "GPUs of no type",
        None => name,
    }
}

/// The types of a cluster's GPUs, as [`by_gpu_type`](switchyard::report::by_gpu_type) orders them.
pub(super) fn of_types(cluster: &ClusterSpec, unit: Resource) -> Rc<[String]> {
    let of_none = (cluster.gpus_of(None) > 0).then_some("");
    let names = cluster.types().iter().map(String::as_str).chain(of_none);
    // Not what stands in brackets: names stand beside one another.
    let short = |name: &str| {
        let title = type_title(name).split(" (").next()?;
        Some(unit.words(title).into_owned())
    };
    names.filter_map(short).collect()
}
