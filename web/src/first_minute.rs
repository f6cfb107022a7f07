//! What a visitor without a link needs first comes with the page's program: the jobs of the sample that is open then, and
//! the logs of the runs that begin with it. So the page plays before any worker is there. A run that somebody begins again
//! is simulated here, and so is all else.
//!
//! In: a file that [`FirstMinute::record`] has written. A test holds it to what workers say today, and writes it anew.

use serde::{Deserialize, Serialize};
use switchyard::RunSpec;
use switchyard::engine::{LogBudget, LogRows, SimulationProgress};

/// The file.
static FILE: &[u8] = include_bytes!("../assets/first_minute.bin");

/// The sample's jobs and its runs.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstMinute {
    /// Its name.
    pub sample: String,
    /// Its jobs, as they travel to workers, piece by piece.
    pub jobs: Vec<Vec<u8>>,
    /// Its runs.
    pub runs: Vec<RecordedRun>,
}

/// A run that is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedRun {
    /// Its settings, as they are written: the page reads none.
    pub spec: Vec<u8>,
    /// Rows of its log.
    pub rows: LogRows,
    /// Their cells, column by column.
    pub cells: Vec<u8>,
    /// How far it came.
    pub progress: SimulationProgress,
    /// Fingerprint of the log.
    pub log_hash: u64,
}

impl FirstMinute {
    /// What has come with the page; `None`: nothing that can be read.
    pub fn read() -> Option<Self> {
        postcard::from_bytes(FILE).ok()
    }

    /// The run of these settings, taken out: who asks again has it simulated.
    pub fn take_run(&mut self, spec: &RunSpec) -> Option<RecordedRun> {
        let spec = written(spec)?;
        let at = self.runs.iter().position(|run| run.spec == spec)?;
        Some(self.runs.swap_remove(at))
    }
}

/// Settings as they are compared. How long a log may become is no matter.
fn written(spec: &RunSpec) -> Option<Vec<u8>> {
    let mut spec = spec.clone();
    spec.options.log_budget = LogBudget::default();
    postcard::to_allocvec(&spec).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::link::Link;
    use crate::state::random::opened;
    use crate::state::{Run, Source};
    use std::sync::Arc;
    use switchyard::workload::Sample;
    use switchyard_parcels as parcels;

    /// Says that the file is to be written.
    const WRITE: &str = "UPDATE_FIRST_MINUTE";

    impl RecordedRun {
        fn of(spec: RunSpec, sample: &Sample) -> Self {
            let mut simulation = spec.start(Arc::new(sample.workload()));
            simulation.run().expect("plans are right");
            let piece = simulation.log().since(LogRows::default());
            Self {
                rows: piece.rows(),
                cells: piece.columns().collect::<Vec<_>>().concat(),
                progress: simulation.progress(),
                log_hash: simulation.log().hash(),
                spec: written(&spec).expect("it can be written"),
            }
        }
    }

    impl FirstMinute {
        /// What is open and runs where no link says otherwise.
        fn record() -> Self {
            let mut link = Link::parse("");
            let Source::Sample(name) = &link.source else {
                unreachable!("a sample is open at first")
            };
            let sample = Sample::named(name).expect("a sample");
            link.cluster = Some(sample.cluster_spec());
            let state = opened(&link);
            assert_eq!(state.applications(), None);
            let specs = state.runs.iter().map(|run: &Run| state.run_spec(run));
            let workload = sample.workload();
            let from = (0..workload.jobs.len()).step_by(parcels::PIECE);
            let pieces = from.map(|from| parcels::piece(&workload, from));
            let head = std::iter::once(parcels::head(&workload));
            Self {
                sample: sample.name.to_owned(),
                jobs: head.chain(pieces).collect::<Result<_, _>>().expect("jobs"),
                runs: specs.map(|spec| RecordedRun::of(spec, sample)).collect(),
            }
        }
    }

    #[test]
    fn what_comes_with_the_page_is_what_workers_would_say() {
        let recorded = FirstMinute::record();
        assert!(recorded.runs.len() > 1 && recorded.runs.iter().all(|run| !run.cells.is_empty()));
        if std::env::var_os(WRITE).is_some() {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/first_minute.bin");
            let bytes = postcard::to_allocvec(&recorded).expect("it can be written");
            std::fs::write(file, bytes).expect("written");
            return;
        }
        assert!(
            FirstMinute::read().is_some_and(|read| read == recorded),
            "web/assets/first_minute.bin is old: {WRITE}=1 cargo test -p switchyard-web --lib first_minute writes it"
        );
    }

    #[test]
    fn a_run_is_had_once_and_only_with_its_settings() {
        let mut first = FirstMinute::record();
        let mut spec: RunSpec = postcard::from_bytes(&first.runs[0].spec).expect("settings");
        spec.options.restart_cost += 1.0;
        assert_eq!(first.take_run(&spec), None);
        spec.options.restart_cost -= 1.0;
        spec.options.log_budget = LogBudget::of_bytes(1 << 20);
        let run = first.take_run(&spec).expect("it is there");
        assert_eq!(Some(run.spec), written(&spec));
        assert_eq!(first.take_run(&spec), None);
    }
}
