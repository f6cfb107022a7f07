//! What is to be laid: a [`Gang`], and who [asks](Asker).

use crate::Time;
use crate::cluster::{Needs, Share};
use crate::contention::Profile;
use crate::job::JobId;
use crate::queue::Queue;

/// What is to be laid, all or nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gang {
    /// Its GPUs.
    pub gpus: u32,
    /// What of one GPU is enough for it, where GPUs are shared.
    pub share: Option<Share>,
    /// Whether its model has a tensor so large that it should not be spread; looked up only for
    /// placements that [ask](crate::Strategy::is_by_skew).
    pub skewed: bool,
    /// Which nodes will do, and what it needs there besides GPUs.
    pub needs: Needs,
    /// What it sends and computes; looked up only for placements that
    /// [ask](crate::Strategy::looks_at_links).
    pub profile: Option<Profile>,
    /// Whose it is; looked up only for placements that have [learned](crate::Strategy::is_learned).
    pub asker: Option<Asker>,
}

/// Who asks for a placement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asker {
    /// The job.
    pub job: JobId,
    /// When.
    pub now: Time,
    /// Who else waits.
    pub queue: Queue,
}

impl Gang {
    /// Whether a placement that looks at both at one moment can tell them apart by nothing but their
    /// names.
    pub fn is_like(&self, other: &Self) -> bool {
        let nameless = |gang: &Self| Self {
            asker: None,
            ..*gang
        };
        nameless(self) == nameless(other)
    }
}
