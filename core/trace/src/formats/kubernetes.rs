//! Kubernetes' workloads in YAML or JSON: pods (`kubectl get pods -A -o json`), batch jobs, Volcano's jobs,
//! Kueue's workloads and Kubeflow's training jobs.
//!
//! Submitted when it was created. A pod runs from its `startTime` until its last container has ended; a
//! job from `startTime` to `completionTime` or the condition `Failed`; Volcano's and Kueue's by the times of
//! their conditions. What has not ended is left out. The GPUs are the limits, else requests, of
//! resources such as `nvidia.com/gpu`, of all containers and all pods at once. The queue is the tenant, else
//! the namespace. Pods and workloads of a job that is there too are a part of it. Pods of one gang whose job is not
//! there, as labels and owners tell, are one job: submitted with the first, until the last has ended, on as many
//! GPUs as they had at once.
//!
//! Source: <https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/>;
//! <https://github.com/volcano-sh/apis>, `batch/v1alpha1`; <https://kueue.sigs.k8s.io/docs/reference/>.

use crate::format::{Format, Importer};
use crate::job::Status;
use crate::manifest::{Manifest, Object, objects};
use crate::order;
use crate::report::{DropReason, cell_is};
use crate::rows::{Row, date, number, span};
use crate::sink::{self, Asks, Draft, RowRecord, Sink};
use crate::sniff::{Evidence, Shape};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const FORMAT: Format = Format {
    id: "kubernetes",
    title: "Kubernetes pods and jobs",
    accounting: true,
    recognise: |sniff| {
        let is_one = match sniff.shape {
            Shape::Yaml | Shape::JsonObject => {
                sniff.text.contains("kind") && objects(sniff.text).iter().any(is_workload)
            }
            Shape::JsonArray => {
                sniff.has(&["kind", "metadata", "spec"])
                    && objects(sniff.text).iter().any(is_workload)
            }
            _ => false,
        };
        is_one.then(|| Evidence {
            weight: 2,
            text: "objects of Kubernetes that run pods".to_owned(),
        })
    },
    importer: |_, _| Ok(Box::new(Kubernetes::default())),
};

/// Whether an object runs pods, and once.
fn is_workload(object: &Object) -> bool {
    let api = object.it.text(&["apiVersion"]);
    match object.kind.as_str() {
        "Pod" => true,
        "Workload" => api.is_empty() || api.starts_with("kueue"),
        kind => kind.ends_with("Job") && kind != "CronJob" && object.it.at(&["spec"]).is_some(),
    }
}

/// Labels and annotations that name the gang that a pod is of, the widest first.
const GANGS: [&str; 15] = [
    "jobset.sigs.k8s.io/jobset-name",
    "leaderworkerset.sigs.k8s.io/name",
    "ray.io/cluster",
    "training.kubeflow.org/job-name",
    "pytorch-job-name",
    "tf-job-name",
    "mpi-job-name",
    "volcano.sh/job-name",
    "kueue.x-k8s.io/pod-group-name",
    "scheduling.x-k8s.io/pod-group",
    "pod-group.scheduling.sigs.k8s.io",
    "scheduling.k8s.io/group-name",
    "scheduling.volcano.sh/group-name",
    "batch.kubernetes.io/job-name",
    "job-name",
];

#[derive(Default)]
struct Kubernetes {
    /// Pods of gangs, by namespace and name.
    gangs: BTreeMap<(String, String), Vec<Found>>,
}

/// What an object says of a job, or of a part of one.
struct Found {
    line: u32,
    name: String,
    gpus: f64,
    cores: f64,
    created: String,
    ran: Ran,
    tenant: String,
    types: BTreeSet<String>,
    limit: Option<f64>,
    namespace: String,
    /// The queue that it is submitted to.
    queue: String,
    priority_class: String,
    priority: Option<f64>,
    /// The node of a pod.
    node: String,
}

/// The gang that a pod is of.
fn gang(object: &Object) -> Option<&str> {
    if object.kind != "Pod" {
        return None;
    }
    let said = |of: &str, key: &str| object.it.text(&["metadata", of, key]).is_empty();
    let label = GANGS.iter().find_map(|key| {
        let of = ["labels", "annotations"]
            .into_iter()
            .find(|of| !said(of, key))?;
        Some(object.it.text(&["metadata", of, key]))
    });
    let owners = object.it.list(&["metadata", "ownerReferences"]).iter();
    let mut owners = owners.filter(|owner| {
        let kind = owner.text(&["kind"]);
        kind.ends_with("Job") || matches!(kind, "JobSet" | "PodGroup" | "RayCluster")
    });
    label.or_else(|| Some(owners.next()?.text(&["name"])))
}

impl Kubernetes {
    /// Keeps what an object says; a pod of a gang until the others are there. `from`: the line of its text.
    fn take(
        &mut self,
        object: &Object,
        there: &BTreeSet<(&str, &str, &str)>,
        from: u32,
        sink: &mut Sink,
    ) -> Result<(), (DropReason, String)> {
        let mut found = read(object, there)?;
        found.line = found.line.saturating_add(from.saturating_sub(1));
        match gang(object) {
            Some(gang) => {
                let (_, namespace, _) = name(object);
                let key = (namespace.to_owned(), gang.to_owned());
                self.gangs.entry(key).or_default().push(found);
                Ok(())
            }
            None => found.keep(sink),
        }
    }
}

/// One job of the pods of a gang, of which there is at least one.
fn together(name: String, pods: &[Found]) -> Option<Found> {
    let first = pods.iter().reduce(|a, b| {
        let is_earlier = date(&b.created) < date(&a.created);
        if is_earlier && date(&b.created).is_some() {
            b
        } else {
            a
        }
    })?;
    // The most that they had at once: what ends gives back before what begins takes.
    let most = |of: fn(&Found) -> f64| {
        let mut changes: Vec<(f64, f64)> = Vec::new();
        for pod in pods {
            if let (Some(start), Some(end)) = (pod.ran.start, pod.ran.end) {
                changes.extend([(start, of(pod)), (end, -of(pod))]);
            }
        }
        order::sort_by(&mut changes, |a, b| {
            order::by_value(&a.0, &b.0).then_with(|| order::by_value(&a.1, &b.1))
        });
        let (mut now, mut most) = (0.0, 0.0);
        for (_, change) in &changes {
            now += change;
            most = if now > most { now } else { most };
        }
        most
    };
    let ended = pods.iter().all(|pod| pod.ran.end.is_some());
    let status = |of: Status| pods.iter().any(|pod| pod.ran.status == of);
    let all = |of: fn(&Found) -> f64| pods.iter().fold(0.0, |all, pod| all + of(pod));
    // Of one that has not ended it does not matter how many, but whether there are any.
    let asked = |of| if ended { most(of) } else { all(of) };
    let starts = pods.iter().filter_map(|pod| pod.ran.start);
    let ends = pods.iter().filter_map(|pod| pod.ran.end);
    Some(Found {
        line: pods.first()?.line,
        name,
        gpus: asked(|pod| pod.gpus),
        cores: asked(|pod| pod.cores),
        created: first.created.clone(),
        ran: Ran {
            start: starts.reduce(|a, b| if b < a { b } else { a }),
            end: ends
                .reduce(|a, b| if b > a { b } else { a })
                .filter(|_| ended),
            duration: None,
            status: [Status::NodeFailed, Status::Failed]
                .into_iter()
                .find(|of| status(*of))
                .unwrap_or(first.ran.status),
        },
        tenant: first.tenant.clone(),
        types: pods.iter().flat_map(|pod| pod.types.clone()).collect(),
        limit: first.limit,
        namespace: first.namespace.clone(),
        queue: first.queue.clone(),
        priority_class: first.priority_class.clone(),
        priority: first.priority,
        node: first.node.clone(),
    })
}

impl Importer for Kubernetes {
    /// An element of an array of objects.
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        let objects = objects(row.cell(0));
        match objects.iter().find(|object| is_workload(object)) {
            Some(object) => {
                if let Err((reason, detail)) = self.take(object, &BTreeSet::new(), row.line, sink) {
                    sink.drop(reason, row.line, &|| detail.clone());
                }
            }
            None => {
                let detail = || "no object that runs pods".to_owned();
                sink.drop(DropReason::JsonMalformed, row.line, &detail);
            }
        }
    }

    fn reads_json(&self) -> bool {
        true
    }

    fn document(&mut self, text: &str, sink: &mut Sink) {
        let objects = objects(text);
        let there: BTreeSet<(&str, &str, &str)> = objects.iter().map(name).collect();
        for object in objects.iter().filter(|object| is_workload(object)) {
            if !sink.count_row() {
                return;
            }
            if let Err((reason, detail)) = self.take(object, &there, 1, sink) {
                sink.drop(reason, object.it.line(), &|| detail.clone());
            }
        }
    }

    fn finish(&mut self, sink: &mut Sink) {
        let gangs = std::mem::take(&mut self.gangs);
        let any = !gangs.is_empty();
        for ((_, name), pods) in gangs {
            for pod in pods.iter().skip(1) {
                let detail = || format!("{} is of {name}", pod.name);
                sink.drop(DropReason::PartialExecution, pod.line, &detail);
            }
            if let Some(job) = together(name, &pods)
                && let Err((reason, detail)) = job.keep(sink)
            {
                sink.drop(reason, job.line, &|| detail.clone());
            }
        }
        if any {
            order::sort_by_key(&mut sink.records, |record| record.line);
        }
        sink.zero = Some(0.0);
    }

    fn units(&self) -> String {
        "Submission: creationTimestamp. Duration: from the start to the end in status. GPUs: limits of all containers of all pods.".to_owned()
    }

    fn named(&self) -> bool {
        true
    }
}

/// Kind, namespace and name.
fn name(object: &Object) -> (&str, &str, &str) {
    let of = |key| object.it.text(&["metadata", key]);
    (&object.kind, of("namespace"), of("name"))
}

/// When it ran, as Unix seconds, and how it ended.
#[derive(Default)]
struct Ran {
    start: Option<f64>,
    end: Option<f64>,
    /// Where no start and end tell it.
    duration: Option<f64>,
    status: Status,
}

fn read(
    object: &Object,
    there: &BTreeSet<(&str, &str, &str)>,
) -> Result<Found, (DropReason, String)> {
    let (it, (kind, namespace, id)) = (&object.it, name(object));
    let gang = gang(object).and_then(|gang| {
        let kinds = ["JobSet", "LeaderWorkerSet", "RayCluster"];
        let is_it = |of: &&(&str, &str, &str)| {
            of.1 == namespace && of.2 == gang && (of.0.ends_with("Job") || kinds.contains(&of.0))
        };
        there.iter().find(is_it)
    });
    if let Some((kind, _, name)) = gang {
        let detail = format!("it is of {kind} {name}");
        return Err((DropReason::PartialExecution, detail));
    }
    for owner in it.list(&["metadata", "ownerReferences"]) {
        let (kind, name) = (owner.text(&["kind"]), owner.text(&["name"]));
        if there.contains(&(kind, namespace, name)) {
            return Err((
                DropReason::PartialExecution,
                format!("it is of {kind} {name}"),
            ));
        }
    }
    let pods = pods(object);
    let all = |count: &dyn Fn(&Manifest) -> f64| -> f64 {
        let counts = pods.iter().map(|(times, pod)| times * count(pod));
        // Not `sum`, which is −0 of nothing.
        counts.fold(0.0, |all, of| all + of)
    };
    let ran = match kind {
        "Pod" => ran_pod(it),
        "Workload" => ran_by_conditions(it, "type", &["Admitted", "QuotaReserved"], &["Finished"]),
        _ if it.text(&["apiVersion"]).contains("volcano") => ran_volcano(it),
        _ => ran_job(it),
    };
    let queues = [
        it.text(&["spec", "queueName"]),
        it.text(&["spec", "queue"]),
        it.text(&["metadata", "labels", "kueue.x-k8s.io/queue-name"]),
        namespace,
    ];
    let priority_class = pods
        .iter()
        .map(|(_, pod)| pod.text(&["priorityClassName"]))
        .find(|name| !name.is_empty());
    let types = pods.iter().flat_map(|(_, pod)| selected(pod));
    Ok(Found {
        line: it.line(),
        name: id.to_owned(),
        gpus: all(&gpus),
        cores: all(&cores),
        created: it.text(&["metadata", "creationTimestamp"]).to_owned(),
        ran,
        tenant: queues
            .into_iter()
            .find(|queue| !queue.is_empty())
            .unwrap_or("")
            .to_owned(),
        types: types.map(str::to_owned).collect(),
        limit: number(it.text(&["spec", "activeDeadlineSeconds"])),
        namespace: namespace.to_owned(),
        queue: queues
            .into_iter()
            .take(3)
            .find(|queue| !queue.is_empty())
            .unwrap_or("")
            .to_owned(),
        priority_class: priority_class.unwrap_or("").to_owned(),
        priority: number(it.text(&["spec", "priority"])),
        node: it.text(&["spec", "nodeName"]).to_owned(),
    })
}

impl Found {
    fn keep(&self, sink: &mut Sink) -> Result<(), (DropReason, String)> {
        let count = self.gpus;
        let occupied = sink.occupied(count, self.cores);
        let (gpus, share) = occupied.map_err(|r| (r, format!("{count} GPUs")))?;
        let created = self.created.as_str();
        let (missing, invalid) = (DropReason::SubmitMissing, DropReason::SubmitInvalid);
        let reason = if created.is_empty() { missing } else { invalid };
        let blamed = |reason| (reason, cell_is("creationTimestamp", created));
        let submit = date(created).ok_or_else(|| blamed(reason))?;
        let submit = sink::submit(submit).map_err(blamed)?;
        let ran = &self.ran;
        let seconds = match (ran.start, ran.end, ran.duration) {
            (Some(start), Some(end), _) => end - start,
            (_, _, Some(duration)) => duration,
            (Some(_), None, None) => {
                return Err((DropReason::NotEnded, "status tells no end".to_owned()));
            }
            (None, _, None) => {
                return Err((DropReason::NotBegun, "status tells no start".to_owned()));
            }
        };
        let duration =
            sink::duration(seconds).map_err(|r| (r, format!("{seconds} s in status")))?;
        let types: Vec<&str> = self.types.iter().map(String::as_str).collect();
        sink.keep(Draft {
            line: self.line,
            name: &self.name,
            submit,
            duration,
            gpus,
            share,
            tenant: &self.tenant,
            model: "",
            batch: None,
            asks: Asks {
                types: &types.join("|"),
                time: sink::asked_time(self.limit),
                ..Asks::default()
            },
            record: RowRecord {
                labels: ["", &self.namespace, &self.queue, &self.priority_class, ""],
                start: ran.start.or_else(|| Some(ran.end? - seconds)),
                priority: self.priority,
                ran_on: "",
                nodes: &self.node,
            },
            status: ran.status,
        });
        Ok(())
    }
}

/// The pods that it runs at once: how many, and what each is.
fn pods(object: &Object) -> Vec<(f64, &Manifest)> {
    let it = &object.it;
    let replicas = |of: &Manifest, key: &str| match of.text(&[key]) {
        "" => 1.0,
        text => number(text)
            .filter(|n| (0.0..=1e6).contains(n))
            .unwrap_or(0.0),
    };
    let mut all = Vec::new();
    if object.kind == "Pod" {
        all.extend(it.at(&["spec"]).map(|pod| (1.0, pod)));
        return all;
    }
    for (list, count) in [("podSets", "count"), ("tasks", "replicas")] {
        for of in it.list(&["spec", list]) {
            all.extend(
                of.at(&["template", "spec"])
                    .map(|pod| (replicas(of, count), pod)),
            );
        }
    }
    let specs = it
        .map(&["spec"])
        .iter()
        .filter(|(key, _)| key.ends_with("ReplicaSpecs"));
    for (_, of) in specs.flat_map(|(_, specs)| specs.map(&[])) {
        all.extend(
            of.at(&["template", "spec"])
                .map(|pod| (replicas(of, "replicas"), pod)),
        );
    }
    if let (true, Some(spec)) = (all.is_empty(), it.at(&["spec"])) {
        let count = replicas(spec, "parallelism");
        all.extend(spec.at(&["template", "spec"]).map(|pod| (count, pod)));
    }
    all
}

/// GPUs of a pod.
fn gpus(pod: &Manifest) -> f64 {
    asked(pod, &["limits", "requests"], is_gpu)
}

/// Cores of a pod, as it requests them: those are what it is placed by.
fn cores(pod: &Manifest) -> f64 {
    asked(pod, &["requests", "limits"], |key| key == "cpu")
}

/// What a pod asks for, by the first of the lists that tells it: its containers together, or the largest that
/// runs before them.
fn asked(pod: &Manifest, lists: &[&str], is: impl Fn(&str) -> bool) -> f64 {
    let of = |container: &Manifest| -> f64 {
        let count = |list: &&str| -> Option<f64> {
            let resources = container.map(&["resources", list]).iter();
            let counts = resources.filter(|(key, _)| is(key));
            let counts = counts.filter_map(|(_, value)| quantity(value.text(&[])));
            counts.reduce(|a, b| a + b)
        };
        lists.iter().find_map(count).unwrap_or(0.0)
    };
    let together: f64 = pod.list(&["containers"]).iter().map(of).sum();
    let before = pod.list(&["initContainers"]).iter().map(of);
    before.fold(
        together,
        |most, count| if count > most { count } else { most },
    )
}

/// A number, or thousandths such as `500m`.
fn quantity(text: &str) -> Option<f64> {
    match text.strip_suffix('m') {
        Some(thousandths) => Some(number(thousandths)? / 1000.0),
        None => number(text),
    }
}

/// Whether a resource is GPUs or slices of them.
fn is_gpu(key: &str) -> bool {
    let name = key.rsplit_once('/').map_or("", |(_, name)| name);
    matches!(name, "gpu" | "gpu-count" | "gpu.shared") || name.starts_with("mig-")
}

/// The GPU types that a pod's node must have.
fn selected(pod: &Manifest) -> impl Iterator<Item = &str> {
    let selector = pod.map(&["nodeSelector"]).iter();
    let endings = [
        "gpu-card-model",
        "gpu.product",
        "gpu.product-name",
        "gke-accelerator",
        "instance-gpu-name",
    ];
    let named = selector.filter(move |(key, _)| endings.iter().any(|ending| key.ends_with(ending)));
    named.map(|(_, value)| value.text(&[]))
}

fn ran_pod(it: &Manifest) -> Ran {
    let ended = it.list(&["status", "containerStatuses"]).iter();
    let ended: Vec<f64> = ended
        .filter_map(|of| date(of.text(&["state", "terminated", "finishedAt"])))
        .collect();
    let status = match it.text(&["status", "phase"]) {
        "Succeeded" => Status::Completed,
        "Failed"
            if matches!(
                it.text(&["status", "reason"]),
                "NodeLost" | "NodeShutdown" | "Terminated"
            ) =>
        {
            Status::NodeFailed
        }
        "Failed" => Status::Failed,
        _ => {
            return Ran {
                start: date(it.text(&["status", "startTime"])),
                ..Ran::default()
            };
        }
    };
    Ran {
        start: date(it.text(&["status", "startTime"])),
        end: ended.into_iter().reduce(|a, b| if b > a { b } else { a }),
        duration: None,
        status,
    }
}

fn ran_job(it: &Manifest) -> Ran {
    let conditions = it.list(&["status", "conditions"]);
    let when = |kind: &str| {
        let of_kind = |of: &&Manifest| {
            of.text(&["type"]) == kind && of.text(&["status"]).eq_ignore_ascii_case("true")
        };
        conditions
            .iter()
            .find(of_kind)
            .and_then(|of| date(of.text(&["lastTransitionTime"])))
    };
    let failed = when("Failed");
    let completed = date(it.text(&["status", "completionTime"]));
    let done = when("Complete").or_else(|| when("Succeeded"));
    Ran {
        start: date(it.text(&["status", "startTime"])),
        end: completed.or(done).or(failed),
        duration: None,
        status: if failed.is_some() {
            Status::Failed
        } else {
            Status::Completed
        },
    }
}

/// By the times of conditions: the first that begins it, and the one that ends it.
fn ran_by_conditions(it: &Manifest, key: &str, begins: &[&str], ends: &[&str]) -> Ran {
    let conditions = it.list(&["status", "conditions"]);
    let found = |kinds: &[&str]| {
        let of_kind = |kind: &&str| conditions.iter().find(|of| of.text(&[key]) == *kind);
        kinds.iter().find_map(of_kind)
    };
    let when = |of: Option<&Manifest>| date(of?.text(&["lastTransitionTime"]));
    let end = found(ends);
    let told = |key| end.map_or("", |of| of.text(&[key])).to_ascii_lowercase();
    let failed = told("reason").contains("fail") || told("message").contains("fail");
    Ran {
        start: when(found(begins)),
        end: when(end),
        duration: None,
        status: if failed {
            Status::Failed
        } else {
            Status::Completed
        },
    }
}

fn ran_volcano(it: &Manifest) -> Ran {
    const ENDS: [&str; 4] = ["Completed", "Failed", "Terminated", "Aborted"];
    let mut ran = ran_by_conditions(it, "status", &["Running"], &ENDS);
    let phase = it.text(&["status", "state", "phase"]);
    if ENDS.contains(&phase) {
        ran.end = ran
            .end
            .or_else(|| date(it.text(&["status", "state", "lastTransitionTime"])));
        ran.duration = span(it.text(&["status", "runningDuration"]));
    }
    ran.status = match phase {
        "Completed" => Status::Completed,
        "Failed" => Status::Failed,
        "Terminated" | "Aborted" => Status::Cancelled,
        _ => Status::Unknown,
    };
    ran
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const PODS: &str = include_str!("../../../../tests/fixtures/kubernetes_pods.json");
    const JOBS: &str = include_str!("../../../../tests/fixtures/kubernetes_jobs.yaml");

    #[test]
    fn pods() {
        let trace = trace("pods.json", PODS.as_bytes());
        assert_eq!(trace.format, "kubernetes");
        assert_eq!(
            records(&trace),
            [
                "3 train-0 1714737600 3600 3 vision - Completed",
                "11 train-1 1714737660 60 1 nlp - Failed",
            ]
        );
        assert_eq!(
            dropped(&trace),
            [
                "no_gpus 1 19 0 GPUs",
                "not_ended 1 15 status tells no end",
                "not_begun 1 17 status tells no start",
            ]
        );
        assert_eq!(warnings(&trace), ["gpu_types 1 3 NVIDIA-A100-SXM4-80GB"]);
        assert_eq!(trace.gpu_types, ["a100-80"]);
        // The items alone.
        let (_, items) = PODS.split_once("\"items\":").expect("a list");
        let items = items.trim_end().strip_suffix('}').expect("an object");
        let array = crate::testing::trace("pods.json", items.as_bytes());
        let times = |trace: &crate::Trace| -> Vec<f64> {
            trace.records.iter().map(|record| record.duration).collect()
        };
        assert_eq!(
            (array.format.as_str(), times(&array)),
            ("kubernetes", times(&trace))
        );
    }

    #[test]
    fn jobs_of_all_makers() {
        let trace = trace("jobs.yaml", JOBS.as_bytes());
        assert_eq!(
            records(&trace),
            [
                "2 batch 1714737600 600 4 ml - Completed",
                "51 volcano 1714737600 1200 9 prod - Completed",
                "91 kueue 1714737600 300 16 lab - Completed",
                "115 torch 1714737600 100 6 ml - Failed",
            ]
        );
        assert_eq!(
            dropped(&trace),
            ["partial_execution 1 31 it is of Job batch"]
        );
        assert_eq!(trace.inspect().jobs, 4);
        assert_eq!(trace.records[0].demand.time, Some(7200.0));
    }
    /// A pod of so many GPUs that ran for so many seconds.
    fn pod(
        name: &str,
        metadata: &str,
        gpus: u32,
        from: u32,
        end: Option<u32>,
        phase: &str,
    ) -> String {
        let time = |at: u32| format!("2024-05-03T12:{:02}:{:02}Z", at / 60, at % 60);
        let ended = end.map_or("{}".to_owned(), |end| {
            format!(r#"{{"terminated": {{"finishedAt": "{}"}}}}"#, time(end))
        });
        format!(
            r#"{{"kind": "Pod", "metadata": {{"name": "{name}", "namespace": "ml", "creationTimestamp": "{}", {metadata}}},
            "spec": {{"containers": [{{"resources": {{"limits": {{"nvidia.com/gpu": "{gpus}"}}}}}}]}},
            "status": {{"phase": "{phase}", "startTime": "{}", "containerStatuses": [{{"state": {ended}}}]}}}}"#,
            time(from),
            time(from + 10)
        )
    }

    #[test]
    fn pods_of_one_gang_without_their_job_are_one_job() {
        let kubeflow = r#""labels": {"training.kubeflow.org/job-name": "bert"}"#;
        let volcano = r#""annotations": {"scheduling.k8s.io/group-name": "podgroup-1"}"#;
        let owned =
            r#""ownerReferences": [{"kind": "Job", "name": "retried", "controller": true}]"#;
        let replicas = r#""ownerReferences": [{"kind": "ReplicaSet", "name": "served"}]"#;
        let pods = [
            pod("bert-master-0", kubeflow, 0, 5, Some(100), "Succeeded"),
            pod("bert-worker-0", kubeflow, 4, 0, Some(110), "Succeeded"),
            pod("v-0", volcano, 8, 20, Some(60), "Succeeded"),
            pod("bert-worker-1", kubeflow, 4, 10, Some(90), "Succeeded"),
            pod("v-1", volcano, 8, 20, Some(70), "Failed"),
            pod("again-1", owned, 2, 0, Some(100), "Failed"),
            pod("again-2", owned, 2, 100, Some(200), "Succeeded"),
            pod("served-1", replicas, 1, 0, Some(50), "Succeeded"),
            pod("served-2", replicas, 1, 0, Some(50), "Succeeded"),
            pod(
                "late-1",
                r#""labels": {"job-name": "late"}"#,
                1,
                0,
                None,
                "Running",
            ),
            pod(
                "late-2",
                r#""labels": {"job-name": "late"}"#,
                1,
                0,
                Some(50),
                "Succeeded",
            ),
        ];
        let all = pods.join(",\n").replace("\n            ", " ");
        let list = format!("{{\"kind\": \"List\", \"items\": [\n{all}]}}");
        let array = format!("[\n{all}]");
        for text in [list, array] {
            let trace = trace("pods.json", text.as_bytes());
            let mut shown = records(&trace);
            shown.iter_mut().for_each(|record| {
                *record = record.split_once(' ').expect("a line").1.to_owned();
            });
            assert_eq!(
                shown,
                [
                    "bert 1714737600 100 8 ml - Completed",
                    "podgroup-1 1714737620 40 16 ml - Failed",
                    "retried 1714737600 190 2 ml - Failed",
                    "served-1 1714737600 40 1 ml - Completed",
                    "served-2 1714737600 40 1 ml - Completed",
                ]
            );
            assert_eq!(trace.inspect().jobs, 6);
            let why = dropped(&trace).join("\n");
            assert!(
                why.contains("partial_execution 5 ") && why.contains("not_ended 1 "),
                "{why}"
            );
        }
        // With the job itself they are a part of it.
        let job = r#"{"kind": "PyTorchJob", "apiVersion": "kubeflow.org/v1", "metadata": {"name": "bert", "namespace": "ml", "creationTimestamp": "2024-05-03T12:00:00Z"}, "spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 2, "template": {"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "4"}}}]}}}}}, "status": {"startTime": "2024-05-03T12:00:10Z", "completionTime": "2024-05-03T12:01:50Z"}}"#;
        let list = format!("{{\"kind\": \"List\", \"items\": [\n{job},\n{}]}}", pods[1]);
        let trace = trace("pods.json", list.as_bytes());
        assert_eq!(records(&trace), ["2 bert 1714737600 100 8 ml - Completed"]);
    }
}
