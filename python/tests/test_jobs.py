"""Jobs of Python's own as a trace, in all forms; some of a trace's jobs, and jobs with other values; files elsewhere."""

from __future__ import annotations

import io
import warnings

import numpy
import pytest

import switchyard


@pytest.fixture(scope="module")
def lab():
    return switchyard.open("sample:lab")


def hashes(trace):
    return [run.log_hash for run in trace.run(["fifo", "srtf"], cluster="4x8").runs]


def rows_of(trace):
    columns = trace.jobs.to_numpy()
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def as_pandas(trace):
    pytest.importorskip("pandas")
    return trace.jobs.to_pandas()


def as_polars(trace):
    pytest.importorskip("polars")
    return trace.jobs.to_polars()


def as_arrow(trace):
    pytest.importorskip("pyarrow")
    return trace.jobs.to_arrow()


def as_file(trace):
    text = ",".join(trace.jobs.columns) + "\n"
    return io.StringIO(text + "".join(",".join(map(str, row.values())) + "\n" for row in rows_of(trace)))


@pytest.mark.parametrize(
    "form",
    [rows_of, lambda trace: iter(rows_of(trace)), lambda trace: dict(trace.jobs), as_pandas, as_polars, as_arrow, as_file],
)
def test_jobs_in_any_form_are_the_same_trace(lab, form):
    trace = switchyard.Trace.from_jobs(form(lab))
    assert hashes(trace) == hashes(lab)
    assert list(trace.jobs["job"]) == list(lab.jobs["job"]) and list(trace.jobs["tenant"]) == list(lab.jobs["tenant"])


def test_a_table_of_ours_is_jobs_too(lab):
    pytest.importorskip("pyarrow")
    assert hashes(switchyard.Trace.from_jobs(lab.jobs)) == hashes(lab)


def test_columns_are_named_by_a_map():
    rows = [{"when": 60 * at, "took": 100.0, "wide": 2, "note": None} for at in range(5)]
    trace = switchyard.Trace.from_jobs(rows, map=dict(submit="when", duration="took", gpus="wide", unit="s"))
    assert list(trace.jobs["submit_s"]) == [0, 60, 120, 180, 240] and set(trace.jobs["gpus"]) == {2}


@pytest.mark.parametrize(
    "jobs, words",
    [
        ({"a": [1], "b": [1, 2]}, "columns of unlike lengths"),
        ([1, 2], "row 0 of the jobs is 1: it takes dictionaries"),
        (3, "jobs are 3: it takes rows"),
    ],
)
def test_what_are_no_jobs_is_said_in_words(jobs, words):
    with pytest.raises(switchyard.InputError, match=words):
        switchyard.Trace.from_jobs(jobs)


def test_rows_that_are_left_out_are_warned_of():
    rows = [{"submit_s": 0, "duration_s": seconds, "gpus": 1} for seconds in (10, -1, "", 20)]
    with pytest.warns(UserWarning, match="2 of 4 rows were left out .*: trace.facts") as told:
        trace = switchyard.Trace.from_jobs(rows)
    assert len(trace) == 2 and told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        switchyard.Trace.from_jobs([rows[0], rows[3]])
        # What was asked for needs no warning.
        switchyard.Trace.from_jobs([rows[0], {**rows[3], "submit_s": 60}], window="0..30")


def test_some_of_the_jobs_are_left(lab):
    small = lab.filter(lambda jobs: jobs["gpus"] <= 2)
    kept = lab.jobs["gpus"] <= 2
    assert 0 < len(small) < len(lab) and list(small.jobs["job"]) == list(lab.jobs["job"][kept])
    assert small.facts["jobs"] == len(small) and small.facts["cluster"] == lab.facts["cluster"]
    assert hashes(lab.filter(numpy.ones(len(lab), bool))) == hashes(lab)
    late = lab.filter([at >= 100 for at in range(len(lab))])
    assert late.jobs["submit_s"][0] == 0
    numpy.testing.assert_allclose(late.jobs["submit_s"], lab.jobs["submit_s"][100:] - lab.jobs["submit_s"][100])
    with pytest.raises(switchyard.InputError, match="3 values for 240 jobs"):
        lab.filter([True] * 3)
    with pytest.raises(switchyard.InputError, match="no job is left"):
        lab.filter(lambda jobs: jobs["gpus"] > 1000)


def test_jobs_get_other_values(lab):
    longer = lab.edit(duration_s=lambda jobs: 2 * jobs["duration_s"], gpus=numpy.ones(len(lab), int))
    assert set(longer.jobs["gpus"]) == {1} and (longer.jobs["duration_s"] == 2 * lab.jobs["duration_s"]).all()
    assert list(longer.jobs["tenant"]) == list(lab.jobs["tenant"]) and hashes(longer) != hashes(lab)
    assert hashes(lab.edit(gpus=lab.jobs["gpus"])) == hashes(lab)
    turned = lab.edit(submit_s=lambda jobs: jobs["submit_s"].max() - jobs["submit_s"])
    assert (numpy.diff(turned.jobs["submit_s"]) >= 0).all() and turned.jobs["job"][-1] in list(lab.jobs["job"][:30])
    named = lab.edit(tenant=["a" if at % 2 else "b" for at in range(len(lab))], job=[f"j{at}" for at in range(len(lab))])
    assert list(named.jobs["tenant"][:3]) == ["b", "a", "b"] and named.jobs["job"][7] == "j7"
    assert set(lab.edit(requested_s=lambda jobs: jobs["duration_s"] + 60).jobs["requested_s"] - lab.jobs["duration_s"]) == {60}
    for columns, words in [
        (dict(gpus=[0.5] * 240), "gpus of job 'lab-000' is 0.5: it takes whole numbers from 1"),
        (dict(duration_s=[-1.0] * 240), "duration_s of job 'lab-000' is -1: it takes seconds above 0"),
        (dict(gpus=[1, 2]), "gpus takes numbers, one for each of 240 jobs"),
        (dict(tenant=[1.0] * 240), "tenant takes texts"),
        (dict(model=["bert"] * 240), "there is no column 'model' to change: it takes job, tenant"),
    ]:
        with pytest.raises(switchyard.InputError, match=words):
            lab.edit(**columns)


def test_what_is_recorded_goes_with_its_job(fixtures):
    with pytest.warns(UserWarning, match="3 of 5 rows"):
        trace = switchyard.open(fixtures / "sacct.txt")
    assert "recorded_wait_s" in trace.jobs.columns
    kept = numpy.arange(len(trace)) % 2 == 0
    half = trace.filter(kept)
    assert list(half.jobs["recorded_wait_s"]) == list(trace.jobs["recorded_wait_s"][kept])
    assert "recorded_wait_s" not in half.edit(duration_s=lambda jobs: jobs["duration_s"] + 1).jobs.columns


def test_files_elsewhere_are_read_by_fsspec(lab):
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://bucket/jobs.csv", "w") as file:
        file.write(as_file(lab).getvalue())
    assert hashes(switchyard.open("memory://bucket/jobs.csv")) == hashes(lab)
    with pytest.raises(FileNotFoundError, match="cannot read memory://bucket/gone.csv"):
        switchyard.open("memory://bucket/gone.csv")
    with pytest.raises(switchyard.InputError, match="cannot read nowhere://a.csv: "):
        switchyard.open("nowhere://a.csv")
