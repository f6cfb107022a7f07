//! What jobs' colours may stand for.

use switchyard::workload::{Label, Workload};

/// What a job's colour stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// Each job its own.
    #[default]
    Job,
    /// The model it trains.
    Model,
    /// Its tenant.
    Tenant,
    /// The size of its gang.
    Gpus,
    /// The queue it stands in.
    Queue,
    /// The type of the GPUs that it holds.
    Type,
    /// Its user, account, partition or QOS.
    Label(Label),
}

impl ColourBy {
    /// Every choice with its name in links and its name for people.
    pub const ALL: &'static [(ColourBy, &'static str, &'static str)] = &[
        (Self::Job, "job", "job"),
        (Self::Model, "model", "model"),
        (Self::Tenant, "tenant", "tenant"),
        (Self::Gpus, "gpus", "gang size"),
        (Self::Queue, "queue", "queue"),
        (Self::Type, "type", "GPU type"),
        (Self::Label(Label::User), "user", "user"),
        (Self::Label(Label::Account), "account", "account"),
        (Self::Label(Label::Partition), "partition", "partition"),
        (Self::Label(Label::Qos), "qos", "QOS"),
    ];

    /// The choices that tell jobs of a workload apart: not by what its trace does not tell.
    pub fn offered(
        workload: &Workload,
    ) -> impl Iterator<Item = (ColourBy, &'static str, &'static str)> {
        let told = |(by, ..): &(Self, _, _)| match by {
            Self::Label(label) => !workload.recorded.labels.names(*label).is_empty(),
            _ => true,
        };
        Self::ALL.iter().copied().filter(told)
    }
}
