//! What is asked for by name and value, where there are files: a cluster and a history may be one.

use crate::files;
use std::sync::LazyLock;
use switchyard::policies::ServiceHistory;
use switchyard::weights::{self, Weights};
use switchyard_app::options::{Opening, Options, Refused, Running};
use switchyard_app::study::{Prepared, Study};

/// The shipped weights, read once, since four files of 75 KB cost more than the rest of a request.
static SHIPPED: LazyLock<Weights> = LazyLock::new(weights::shipped);

/// The shipped weights; a copy costs nothing.
pub fn shipped() -> Weights {
    SHIPPED.clone()
}

/// These options of `open`.
///
/// # Errors
///
/// One is none, or takes other values.
pub fn opening(options: &Options) -> Result<Opening, Refused> {
    Opening::of(options, files::cluster_counted)
}

/// These options of `run`.
///
/// # Errors
///
/// One is none, or takes other values.
pub fn running(options: &Options) -> Result<Running, Refused> {
    Running::of(options, shipped(), files::cluster)
}

/// The runs of a study. Histories that policies name and nobody gave are read from files of that name.
///
/// # Errors
///
/// Something does not go together, or is not at hand.
pub fn prepare(running: Running, study: Study) -> Result<Prepared, Refused> {
    let mut asked = running.of_study(study)?;
    while let Some(policy) = asked.unlearned() {
        let Some(name) = policy.history() else { break };
        let text = files::read_text(name.as_ref()).map_err(|why| {
            Refused(format!(
                "{policy}: cannot read the service history {name}: {why} (use online, oracle, a file, or histories)"
            ))
        })?;
        let history = ServiceHistory::parse(name, &text);
        asked.learn(history.map_err(|why| Refused(format!("{name}: {why}")))?);
    }
    asked.prepare().map_err(|why| Refused(why.to_string()))
}
