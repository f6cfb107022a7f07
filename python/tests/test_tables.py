"""What comes of runs as tables: of one run and of all, in part, over time, and in a notebook; runs at once; bars."""

from __future__ import annotations

import io
import pickle
import sys

import numpy
import pytest

import switchyard
from switchyard._progress import Bar


@pytest.fixture(scope="module")
def results():
    return switchyard.run("sample:lab", ["fifo", "srtf", "las"], cluster="4x8")


def test_jobs_of_all_runs_are_one_table(results):
    jobs = results.jobs()
    assert jobs.columns == ["policy", *results.runs[0].jobs.columns] and len(jobs) == 3 * 240
    assert list(dict.fromkeys(jobs["policy"])) == ["fifo", "srtf", "las"]
    mine = jobs["policy"] == "srtf"
    assert (jobs["jct_s"][mine] == results["srtf"].jobs["jct_s"]).all()
    assert (jobs["rejected"][mine] == results["srtf"].jobs["rejected"]).all()
    pickled = pickle.loads(pickle.dumps(results)).jobs()
    assert all((pickled[name].astype(str) == jobs[name].astype(str)).all() for name in jobs.columns)


def test_tables_show_their_beginning(results):
    jobs = results.jobs()
    assert len(jobs.head()) == 5 and len(jobs.head(7)) == 7
    assert list(jobs[238:242]["policy"]) == ["fifo", "fifo", "srtf", "srtf"]
    assert list(jobs[::-1]["job"]) == list(jobs["job"])[::-1]
    shown = jobs._repr_html_()
    assert shown.count("<tr>") == 11 and "10 of 720 rows" in shown and "<th>jct_s</th>" in shown
    assert "rows</p>" not in jobs.head()._repr_html_()


def test_queue_and_gpus_over_time_come_to_the_figures(results):
    for run in results.runs:
        table = run.over_time
        time, held = table["time_s"], table["gpus"].astype(float)
        assert (numpy.diff(time) >= 0).all() and held.max() <= 32
        gpu_seconds = (held[:-1] * numpy.diff(time)).sum()
        stays = run.stays
        assert gpu_seconds == pytest.approx(((stays["end_s"] - stays["start_s"]) * stays["gpus"]).sum())
    table = results.over_time()
    assert table.columns == ["policy", "time_s", "waiting", "gpus", "utilisation"]
    assert (table["utilisation"] == table["gpus"] / 32).all() and table["waiting"].max() > 0


def test_a_row_for_each_run_has_the_names_of_sweeps(results):
    pytest.importorskip("pandas")
    frame = results.to_pandas()
    assert list(frame.policy) == ["fifo", "srtf", "las"] and not [name for name in frame.columns if "." in name]
    for metric in ("jct_mean", "jct_p95", "makespan"):
        assert list(frame[metric]) == [run[metric] for run in results.runs]


def test_runs_at_once_are_the_same_runs(results):
    told = []
    again = switchyard.run("sample:lab", ["fifo", "srtf", "las"], cluster="4x8", threads=3, progress=told.append)
    assert [run.policy for run in again.runs] == ["fifo", "srtf", "las"]
    assert [run.log_hash for run in again.runs] == [run.log_hash for run in results.runs]
    assert {said["run"] for said in told if said["done"] == said["jobs"]} == {0, 1, 2}

    def wrong(job, now):
        raise RuntimeError("no")

    def stop(said):
        raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="1 of 3 runs failed"):
        some = switchyard.run("sample:lab", [wrong, "fifo", lambda job, now: job.submit], cluster="4x8", threads=2)
    assert [run.label for run in some.runs] == ["fifo", "lambda"]
    with pytest.raises(KeyboardInterrupt) as raised:
        switchyard.run("sample:lab", ["fifo", "srtf"], threads=2, progress=stop)
    assert len(raised.value.results) <= 2
    with pytest.raises(switchyard.InputError, match="threads is 0"):
        switchyard.run("sample:lab", "fifo", threads=0)


def test_a_bar_says_how_far_it_is(monkeypatch):
    said = io.StringIO()
    monkeypatch.setattr(sys, "stderr", said)
    switchyard.run("sample:lab", ["fifo", "srtf"], progress=True)
    last = said.getvalue().split("\r")[-1]
    assert last.startswith("\x1b[K[##############################] 100% srtf: 240 of 240 jobs") and last.endswith("\n")
    before = len(said.getvalue())
    switchyard.run("sample:lab", "fifo", progress=False)
    assert len(said.getvalue()) == before


def test_a_bar_counts_runs_at_once_and_other_work():
    bar = Bar()
    one = dict(stage="run", policy="fifo", runs=2, jobs=100)
    assert bar._read({**one, "run": 1, "done": 50})[0] == 0.75, "the first is over"
    assert bar._read({**one, "run": 0, "done": 50})[0] == 0.5
    assert bar._read(dict(stage="open", bytes=2_000_000, jobs=10)) == (None, "10 jobs of 2.0 MB")
    assert bar._read(dict(stage="start", policy="fifo", done=5, draws=10))[0] == 0.5
    assert bar._read(dict(stage="sweep", done=3, failed=1, runs=8)) == (0.5, "4 of 8 runs")
