//! Opening, and what a trace is to Python: jobs with what came along, to be run as often as wanted.

use crate::edited::{self, Column};
use crate::table::Table;
use crate::watch::Watch;
use crate::{InputError, json, options, refused};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::io;
use std::path::{Path, PathBuf};
use switchyard::report::ClusterFacts;
use switchyard::trace::{Opened, OpeningProgress};
use switchyard_app::options::Opening;
use switchyard_app::study::Study;
use switchyard_sweep::files::{self, FileError, Source};
use switchyard_sweep::{kept, options};

/// Jobs, ready to run, with all that came along. It can be pickled: workers get the jobs themselves.
#[pyclass(frozen, module = "switchyard._engine")]
pub(crate) struct Trace {
    pub(crate) study: Study,
}

/// A file by its name, or bytes that have one.
#[derive(FromPyObject)]
pub(crate) enum Given {
    Bytes(String, Vec<u8>),
    File(PathBuf),
}

fn sources(given: Vec<Given>) -> Vec<Source> {
    let source = |of| match of {
        Given::File(path) => Source::File(files::expanded(&path)),
        Given::Bytes(name, bytes) => Source::Bytes(name, bytes),
    };
    given.into_iter().map(source).collect()
}

/// Opens files together, whatever they are, while Python goes on.
fn opened(
    py: Python<'_>,
    files: &[Source],
    asked: &Opening,
    progress: Option<Py<PyAny>>,
) -> PyResult<Opened> {
    let mut watch = Watch::new(progress);
    let tell = |reached: OpeningProgress, said: &Bound<'_, PyDict>| {
        said.set_item("stage", "open")?;
        said.set_item("bytes", reached.bytes)?;
        said.set_item("jobs", reached.jobs)
    };
    let opened = py.detach(|| {
        let mut last = None;
        let opened = files::open_with(files, asked, |reached| {
            last = Some(reached);
            watch.goes_on(|said| tell(reached, said))
        });
        if let (Some(mut reached), Ok(opened)) = (last, &opened) {
            // The last rows, or all of a short file, are read when its end is known.
            if let Opened::Trace(trace) = opened {
                reached.jobs = trace.records.len() as u64;
            }
            watch.ended(|said| tell(reached, said));
        }
        opened
    });
    watch.done()?;
    opened.map_err(|why| not_opened(py, &why, &why.to_string()))
}

/// A file is not what it should be, or not there, which is an `OSError` to Python besides. Of a table the error has
/// the beginning, with what columns were taken for. `said`: all of it.
pub(crate) fn not_opened(py: Python<'_>, why: &FileError, said: &str) -> PyErr {
    let table = match why {
        FileError::Unreadable { file, why } => return unreadable(py, file, why, said),
        FileError::Open(error) => error.table(),
        _ => None,
    };
    let Some(table) = table else {
        return refused(said);
    };
    let error = InputError::new_err(format!(
        "{said}; for instance with map='submit=COLUMN,duration=COLUMN,gpus=COLUMN,unit=s'"
    ));
    let told = json(table).and_then(|text| {
        let loads = py.import("json")?.getattr("loads")?;
        error.value(py).setattr("table", loads.call1((text,))?)
    });
    told.err().unwrap_or(error)
}

fn unreadable(py: Python<'_>, file: &Path, why: &io::Error, said: &str) -> PyErr {
    let class = match why.kind() {
        io::ErrorKind::NotFound => "MissingFile",
        _ => "UnreadableFile",
    };
    let made = || {
        let class = py.import("switchyard._errors")?.getattr(class)?;
        class.call1((why.raw_os_error(), said, file.as_os_str()))
    };
    made().map_or_else(|why| why, PyErr::from_value)
}

/// Opens files as one trace.
#[pyfunction]
pub(crate) fn open(
    py: Python<'_>,
    files: Vec<Given>,
    options_json: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Trace> {
    let asked = options::opening(&options(options_json)?).map_err(refused)?;
    let files = sources(files);
    let opened = opened(py, &files, &asked, progress)?;
    let file = files.first().map(Source::name).unwrap_or_default();
    let study = Study::of(opened, &file, &asked.options, &asked.choices, asked.cluster);
    Ok(Trace {
        study: study.map_err(refused)?,
    })
}

/// The sample of this name.
#[pyfunction]
pub(crate) fn sample(name: &str, options_json: &str) -> PyResult<Trace> {
    let asked = options::opening(&options(options_json)?).map_err(refused)?;
    let study = Study::of_sample(name, &asked.options, &asked.choices, asked.cluster);
    Ok(Trace {
        study: study.map_err(refused)?,
    })
}

/// What files hold, JSON as `switchyard inspect --json` has it.
#[pyfunction]
pub(crate) fn inspect(
    py: Python<'_>,
    files: Vec<Given>,
    options_json: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let asked = options::opening(&options(options_json)?).map_err(refused)?;
    let files = sources(files);
    match opened(py, &files, &asked, progress)? {
        Opened::Trace(mut trace) => {
            let cluster = asked.cluster.or_else(|| trace.cluster.clone());
            let chosen = trace.choose(&asked.choices, cluster.as_ref());
            chosen.map_err(refused)?;
            json(&trace.inspect())
        }
        Opened::Cluster(cluster) => json(&ClusterFacts::of(&cluster, asked.options.unit)),
        Opened::Outages(_) => Err(refused("it lists outages and no jobs: inspect a trace")),
        Opened::Profiles(_) => {
            let why = "it holds profiles of applications and no jobs: inspect a trace";
            Err(refused(why))
        }
    }
}

#[pymethods]
impl Trace {
    /// What is known of it, JSON.
    fn _facts(&self) -> PyResult<String> {
        json(&self.study.facts())
    }

    /// What the trace says of each job, in order of submission.
    fn _jobs(&self) -> PyResult<Table> {
        Table::of_trace(&self.study.workload)
    }

    /// Those of its jobs that are kept.
    fn _chosen(&self, keep: Vec<bool>) -> PyResult<Self> {
        let study = edited::chosen(&self.study, &keep)?;
        Ok(Self { study })
    }

    /// The same jobs with other values in these columns.
    fn _edited(&self, columns: Vec<(String, Column)>) -> PyResult<Self> {
        let study = edited::edited(&self.study, columns)?;
        Ok(Self { study })
    }

    /// The jobs with all that came along, as a file of our own format.
    fn _experiment(&self) -> PyResult<String> {
        let mut text = String::new();
        let written = self.study.in_file().write(&self.study.workload, &mut text);
        written.map_err(refused)?;
        Ok(text)
    }

    fn __len__(&self) -> usize {
        self.study.workload.jobs.len()
    }

    fn __reduce__<'py>(trace: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = trace.py();
        let bytes = PyBytes::new(py, &kept::write(&trace.get().study).map_err(refused)?);
        let again = trace.get_type().getattr("_of_bytes")?;
        PyTuple::new(py, [again, PyTuple::new(py, [bytes])?.into_any()])
    }

    /// A trace as pickle has it.
    #[classmethod]
    fn _of_bytes(class: &Bound<'_, pyo3::types::PyType>, bytes: &[u8]) -> PyResult<Self> {
        let _ = class;
        Ok(Self {
            study: kept::read(bytes).map_err(refused)?,
        })
    }
}
