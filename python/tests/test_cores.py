"""Jobs that are counted in cores, which every figure says."""

import pytest

import switchyard

JOBS = (
    "jobs.csv",
    b"job_id,num_cores,submit_time,run_time\n1,4,2030-01-07T10:00:00,0:10:00\n2,16,2030-01-07T10:01:00,1:00:00\n",
)


def test_a_log_without_gpus_says_how_to_count_it():
    with pytest.raises(switchyard.InputError, match=r"ask for cores, not GPUs \(2 jobs, 16.67 core·h\)"):
        switchyard.open(JOBS)


def test_figures_say_cores():
    trace = switchyard.open(JOBS, unit="cores")
    assert trace.facts["unit"] == "cores"
    assert repr(trace) == "<switchyard.Trace: 2 jobs (generic-csv), 17 core-hours>"
    results = trace.run("fifo", cluster="2x4/cores=128")
    assert results.cluster == {"spec": "4x64", "nodes": 4, "gpus": 256, "unit": "cores"}
    for shown in (results._repr_html_(), results.runs[0]._repr_html_()):
        assert "256 cores" in shown
        assert "GPU" not in shown
