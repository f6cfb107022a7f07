//! Queues out of a file of any format that is known, for a cluster: what a file says in hundredths becomes GPUs.

use switchyard::cluster::ClusterSpec;
use switchyard::queues::files;
use switchyard::queues::files::read::Unit;
use switchyard::queues::tree::{Kind, QueueTree, Resource};

/// The tree, and a sentence for each thing that it cannot hold.
///
/// # Errors
///
/// What is wrong, with the file, the object and the line; quotas in hundredths where no cluster is known.
pub fn tree_of(
    text: &str,
    file: &str,
    cluster: Option<&ClusterSpec>,
) -> Result<(QueueTree, Vec<String>), String> {
    let read = files::read(text, file).map_err(|why| why.to_string())?;
    let notes = read.notes.iter().map(|note| match note.line {
        Some(line) => format!("{file}, line {line}: {}", note.what),
        None => format!("{file}: {}", note.what),
    });
    let mut notes: Vec<String> = notes.collect();
    let tree = match (read.unit, cluster) {
        (Unit::Things, _) => read.tree,
        (_, Some(cluster)) => {
            let tree = read.of_cluster(|resource| gpus(cluster, resource));
            tree.map_err(|why| format!("{file}: {why}"))?
        }
        (_, None) => {
            return Err(format!(
                "{file}: its quotas are parts of a cluster, in percent; say which cluster"
            ));
        }
    };
    let types = cluster.map_or(&[][..], ClusterSpec::types);
    let flavors = tree.resources().iter().filter(|of| of.kind == Kind::Gpus);
    let flavors = flavors.filter_map(|of| of.flavor.as_ref());
    let absent = flavors.filter(|of| cluster.is_some() && !types.contains(of));
    notes.extend(absent.map(|name| {
        format!("{file}: no node has GPUs of type '{name}', so nobody can use their quota; say which have, as in 4x8:{name}")
    }));
    Ok((tree, notes))
}

/// How many GPUs a cluster has, in all or of a type. (Cores and memory are never in hundredths.)
fn gpus(cluster: &ClusterSpec, of: &Resource) -> f64 {
    let gpus = match &of.flavor {
        None => cluster.gpus(),
        Some(name) => {
            let of_type = cluster.type_named(name);
            of_type.map_or(0, |of| cluster.gpus_of(Some(of)))
        }
    };
    f64::from(gpus)
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::queues::text;

    const YARN: &str = "<configuration>
        <property><name>yarn.scheduler.capacity.root.queues</name><value>a,b</value></property>
        <property><name>yarn.scheduler.capacity.root.a.capacity</name><value>25</value></property>
        <property><name>yarn.scheduler.capacity.root.a.maximum-capacity</name><value>50</value></property>
        <property><name>yarn.scheduler.capacity.root.b.capacity</name><value>75</value></property>
        </configuration>";

    #[test]
    fn hundredths_become_gpus_of_the_cluster() {
        let cluster = "4x8".parse().expect("a cluster");
        let (tree, notes) = tree_of(YARN, "yarn.xml", Some(&cluster)).expect("a tree");
        assert_eq!(notes.len(), 1);
        assert!(notes[0].contains("no queue evicts"), "{notes:?}");
        let line = text::line(&tree);
        assert!(
            line.contains("root.a,parent=root,gpus=8,borrow=8"),
            "{line}"
        );
        assert!(
            line.contains("root.b,parent=root,gpus=24,borrow=8"),
            "{line}"
        );
        let typed = "lab gpus.v100=8\na parent=lab gpus.v100=4";
        let notes = |cluster: &str| {
            let cluster = cluster.parse().expect("a cluster");
            tree_of(typed, "q", Some(&cluster)).expect("a tree").1
        };
        assert!(notes("2x8:v100").is_empty());
        assert!(notes("2x8")[0].starts_with("q: no node has GPUs of type 'v100'"));
        let why = tree_of(YARN, "yarn.xml", None).expect_err("no cluster");
        assert!(
            why.starts_with("yarn.xml: its quotas are parts of a cluster"),
            "{why}"
        );
    }
}
