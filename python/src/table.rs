//! Columns of jobs and of what they held: a batch of Arrow's, handed on as it is (`__arrow_c_stream__`) or
//! column by column to NumPy, numbers without copying.

use crate::SwitchyardError;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, RecordBatch, RecordBatchIterator, StringArray,
    UInt32Array, UInt64Array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use numpy::ndarray::ArrayView1;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyTuple};
use std::sync::Arc;
use switchyard::engine::RunLog;
use switchyard::job::{Job, JobId};
use switchyard::report::Metric;
use switchyard::report::{Outcomes, ended};
use switchyard::workload::Workload;
use switchyard_sweep::table::{SweepRow, TEXTS};

/// Named columns of one length.
///
/// `table["jct_s"]` is a NumPy array that cannot be written to; `table.columns` are the names. Arrow's
/// readers (`pyarrow.table`, `polars.DataFrame`, `pandas`, DuckDB) take it as it is.
#[pyclass(frozen, module = "switchyard._engine")]
pub(crate) struct Table {
    batch: RecordBatch,
}

fn failed(why: impl std::fmt::Display) -> PyErr {
    SwitchyardError::new_err(why.to_string())
}

fn floats(values: &[f64]) -> ArrayRef {
    Arc::new(Float64Array::from(values.to_vec()))
}

fn whole(values: &[u32]) -> ArrayRef {
    Arc::new(UInt32Array::from(values.to_vec()))
}

fn flags(values: &[bool]) -> ArrayRef {
    Arc::new(BooleanArray::from(values.to_vec()))
}

fn texts<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

fn name_of(names: &[String], index: Option<u32>) -> &str {
    index
        .and_then(|index| names.get(index as usize))
        .map_or("", String::as_str)
}

fn of_jobs(workload: &Workload) -> Vec<(&'static str, ArrayRef)> {
    let jobs = || workload.jobs.iter();
    let numbers = |of: fn(&Job) -> f64| floats(&jobs().map(of).collect::<Vec<_>>());
    let mut columns = vec![
        ("job", texts(jobs().map(|job| &*job.name))),
        (
            "tenant",
            texts(jobs().map(|job| name_of(&workload.tenants, job.tenant))),
        ),
        (
            "model",
            texts(jobs().map(|job| name_of(&workload.models, job.model))),
        ),
        (
            "gpus",
            whole(&jobs().map(|job| job.gpus).collect::<Vec<_>>()),
        ),
        ("submit_s", numbers(|job| job.submit.seconds())),
        ("duration_s", numbers(|job| job.work.seconds())),
        (
            "requested_s",
            numbers(|job| job.demand.time.unwrap_or(f64::NAN)),
        ),
    ];
    // What the trace does not tell of any job has no column.
    let recorded = &workload.recorded;
    let ids = || (0..workload.jobs.len() as u32).map(JobId);
    for label in recorded.labels.told() {
        let names = ids().map(|id| recorded.label(id, label).unwrap_or_default());
        columns.push((label.word(), texts(names)));
    }
    if recorded.tells_runs() {
        let waits = ids().zip(jobs()).map(|(id, job)| recorded.wait(id, job));
        let waits: Vec<f64> = waits.map(|wait| wait.unwrap_or(f64::NAN)).collect();
        columns.push(("recorded_wait_s", floats(&waits)));
    }
    columns
}

impl Table {
    fn of(columns: Vec<(impl AsRef<str>, ArrayRef)>) -> PyResult<Self> {
        let columns = columns
            .into_iter()
            .map(|(name, column)| (name, column, false));
        let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(failed)?;
        Ok(Self { batch })
    }

    /// What a trace says of each job.
    pub(crate) fn of_trace(workload: &Workload) -> PyResult<Self> {
        Self::of(of_jobs(workload))
    }

    /// The same, and what came of each in a run.
    pub(crate) fn of_run(workload: &Workload, outcomes: &Outcomes) -> PyResult<Self> {
        let mut columns = of_jobs(workload);
        columns.extend([
            ("jct_s", floats(&outcomes.jct)),
            ("queueing_s", floats(&outcomes.queueing)),
            ("first_wait_s", floats(&outcomes.first_wait)),
            ("longest_wait_s", floats(&outcomes.longest_wait)),
            ("restarts", whole(&outcomes.restarts)),
            ("service_gpu_s", floats(&outcomes.service)),
            ("rho", floats(&outcomes.rho)),
            ("evictions", whole(&outcomes.evictions)),
            ("failed_attempts", whole(&outcomes.failed_attempts)),
            ("lost_gpu_s", floats(&outcomes.lost)),
            (
                "ended",
                texts(outcomes.ended.iter().map(|of| of.map_or("", ended))),
            ),
            ("rejected", flags(&outcomes.rejected)),
        ]);
        Self::of(columns)
    }

    /// The rows of a sweep, in the columns of its files.
    pub(crate) fn of_sweep(rows: &[&SweepRow]) -> PyResult<Self> {
        let rows = rows.iter().copied();
        let text = |of: fn(&SweepRow) -> &str| texts(rows.clone().map(of));
        let mut columns: Vec<(&str, ArrayRef)> = vec![(
            "point",
            Arc::new(
                rows.clone()
                    .map(|row| Some(row.point))
                    .collect::<UInt32Array>(),
            ),
        )];
        columns.extend(TEXTS.map(|column| (column.name, text(column.of))));
        let loads: Vec<f64> = rows.clone().map(|row| row.load).collect();
        columns.push(("load", floats(&loads)));
        let seeds: Vec<u64> = rows.clone().map(|row| row.seed).collect();
        columns.push(("seed", Arc::new(UInt64Array::from(seeds))));
        for (at, metric) in Metric::columns().enumerate() {
            let figures = rows.clone().map(|row| row.figures.get(at).copied());
            let values: Vec<f64> = figures.clone().map(|of| of.unwrap_or(f64::NAN)).collect();
            // Nothing to Arrow, and NaN to NumPy.
            let nulls = NullBuffer::from_iter(figures.map(|of| of.is_some()));
            let column = Float64Array::new(values.into(), Some(nulls));
            columns.push((metric.id, Arc::new(column)));
        }
        let columns = columns
            .into_iter()
            .map(|(name, column)| (name, column, true));
        let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(failed)?;
        Ok(Self { batch })
    }

    /// How many jobs waited and how many GPUs were held from each moment to the next.
    pub(crate) fn over_time(log: &RunLog) -> PyResult<Self> {
        Self::of(vec![
            ("time_s", floats(log.sample_times())),
            ("waiting", whole(log.sample_waiting())),
            ("gpus", whole(log.sample_gpus())),
        ])
    }

    /// Who held how many GPUs when: a row for each stay.
    pub(crate) fn of_stays(log: &RunLog) -> PyResult<Self> {
        let stays = || (0..log.segments()).map(|at| log.segment(at));
        let numbers = |of: fn(switchyard::engine::Segment<'_>) -> f64| {
            floats(&stays().map(of).collect::<Vec<_>>())
        };
        Self::of(vec![
            (
                "job",
                whole(&stays().map(|stay| stay.job.0).collect::<Vec<_>>()),
            ),
            ("start_s", numbers(|stay| stay.start.seconds())),
            ("ready_s", numbers(|stay| stay.ready.seconds())),
            ("end_s", numbers(|stay| stay.end.seconds())),
            (
                "gpus",
                whole(&stays().map(|stay| stay.gpu_count()).collect::<Vec<_>>()),
            ),
            ("part", numbers(|stay| stay.part())),
        ])
    }
}

/// A column of numbers as NumPy sees it: the table's own memory.
fn view<'py, T: Element>(table: &Bound<'py, Table>, values: &[T]) -> PyResult<Bound<'py, PyAny>> {
    let view = ArrayView1::from(values);
    // SAFETY: the values belong to the table, which never changes and is the array's base, so that they
    // live as long as it; and nobody writes to them, since the array is made read-only before it is
    // handed out.
    let array = unsafe { PyArray1::borrow_from_array(&view, table.clone().into_any()) };
    let array = array.into_any();
    array.call_method1("setflags", (false,))?;
    Ok(array)
}

#[pymethods]
impl Table {
    /// The names of its columns, in order.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let schema = self.batch.schema();
        schema.fields().iter().map(|of| of.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __getitem__<'py>(table: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let py = table.py();
        let of = table.get();
        let Some(column) = of.batch.column_by_name(name) else {
            let names = of.columns().join(", ");
            return Err(PyKeyError::new_err(format!(
                "there is no column '{name}': there are {names}"
            )));
        };
        match column.data_type() {
            DataType::Float64 => view(table, column.as_primitive::<Float64Type>().values()),
            DataType::UInt64 => view(table, column.as_primitive::<UInt64Type>().values()),
            DataType::UInt32 => view(table, column.as_primitive::<UInt32Type>().values()),
            DataType::Boolean => {
                let values: Vec<bool> = column.as_boolean().values().iter().collect();
                let array = PyArray1::from_vec(py, values).into_any();
                array.call_method1("setflags", (false,))?;
                Ok(array)
            }
            _ => {
                // Names repeat: each is one object of Python's.
                let names = PyList::new(py, column.as_string::<i32>().iter())?;
                let numpy = py.import("numpy")?;
                let array = numpy.call_method1("array", (names, "O"))?;
                array.call_method1("setflags", (false,))?;
                Ok(array)
            }
        }
    }

    fn __repr__(&self) -> String {
        format!(
            "<switchyard.Table: {} rows of {}>",
            self.batch.num_rows(),
            self.columns().join(", ")
        )
    }

    /// The columns as a stream of Arrow's C interface, without copying.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets whoever is asked for another schema answer with its own.
        drop(requested_schema);
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __reduce__<'py>(table: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = table.py();
        let names = table.get().columns();
        let columns = names.iter().map(|name| Self::__getitem__(table, name));
        let columns = PyList::new(py, columns.collect::<PyResult<Vec<_>>>()?)?;
        let again = py.get_type::<Self>().getattr("_of_columns")?;
        let arguments = PyTuple::new(py, [PyList::new(py, names)?, columns])?;
        Ok(PyTuple::new(py, [again, arguments.into_any()])?.into_any())
    }

    /// A table of NumPy's columns, as pickle has them.
    #[staticmethod]
    fn _of_columns(names: Vec<String>, columns: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        let column = |(name, column): (String, Bound<'_, PyAny>)| {
            let kind: String = column.getattr("dtype")?.getattr("kind")?.extract()?;
            let array: ArrayRef = match kind.as_str() {
                "f" => floats(&column.extract::<Bound<'_, PyArray1<f64>>>()?.to_vec()?),
                "u" if column.getattr("itemsize")?.extract::<usize>()? == 4 => {
                    whole(&column.extract::<Bound<'_, PyArray1<u32>>>()?.to_vec()?)
                }
                "u" => {
                    let values: Vec<u64> = column.call_method0("tolist")?.extract()?;
                    Arc::new(UInt64Array::from(values))
                }
                "b" => flags(&column.extract::<Bound<'_, PyArray1<bool>>>()?.to_vec()?),
                "O" => {
                    let names: Vec<String> = column.call_method0("tolist")?.extract()?;
                    texts(names.iter().map(String::as_str))
                }
                other => {
                    return Err(PyValueError::new_err(format!(
                        "{name} is of NumPy's kind '{other}': a table has float64, uint32, bool and str"
                    )));
                }
            };
            Ok((name, array))
        };
        let columns = names.into_iter().zip(columns).map(column);
        Self::of(columns.collect::<PyResult<Vec<_>>>()?)
    }
}
