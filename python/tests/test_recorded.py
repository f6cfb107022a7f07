"""The run as it was recorded, and figures by user, held against what Python makes of the same dump."""

from __future__ import annotations

import datetime
from collections import defaultdict

import numpy as np
import pytest
import slurm_dump
import switchyard

DUMP = slurm_dump.dump()


@pytest.fixture(scope="module")
def trace() -> switchyard.Trace:
    return switchyard.open([("sacct.psv", DUMP.encode()), ("slurm.conf", slurm_dump.CONF.encode())])


def rows() -> dict[str, list[dict[str, str]]]:
    """The dump's rows, by job."""
    header, *lines = DUMP.splitlines()
    names = header.split("|")
    jobs: dict[str, list[dict[str, str]]] = defaultdict(list)
    for line in lines:
        row = dict(zip(names, line.split("|")))
        jobs[row["JobID"]].append(row)
    return jobs


def seconds(text: str) -> float:
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=datetime.timezone.utc).timestamp()


def by_user() -> dict[str, dict[str, float]]:
    """Jobs, GPU·h, waits and completion times of each user, as the dump tells them."""
    waits, jcts, hours = defaultdict(list), defaultdict(list), defaultdict(float)
    for attempts in rows().values():
        user = attempts[0]["User"]
        # Who asks for no GPU runs on cores.
        _, _, listed = attempts[0]["AllocTRES"].partition("gres/gpu=")
        gpus = int(listed.split(",")[0] or 0)
        ran = sum(int(row["ElapsedRaw"]) for row in attempts)
        jct = seconds(attempts[-1]["End"]) - seconds(attempts[0]["Submit"])
        waits[user].append(jct - ran)
        jcts[user].append(jct)
        hours[user] += gpus * ran / 3600
    return {
        user: {
            "jobs": len(waits[user]),
            "executed_gpu_hours": hours[user],
            "mean_wait": float(np.mean(waits[user])),
            "p95_wait": float(np.percentile(waits[user], 95)),
            "mean_jct": float(np.mean(jcts[user])),
        }
        for user in waits
    }


def test_users_of_the_recorded_run_are_those_of_the_dump(trace: switchyard.Trace) -> None:
    expected = by_user()
    results = trace.run(["recorded", "fifo"], by=["user", "partition"])
    found = {
        group["name"]: {
            "jobs": group["jobs"],
            "executed_gpu_hours": group["executed_gpu_hours"],
            "mean_wait": group["queueing"]["mean"],
            "p95_wait": group["queueing"]["p95"],
            "mean_jct": group["jct"]["mean"],
        }
        for group in results["recorded"]["by"]["user"]
    }
    assert found.keys() == expected.keys()
    for user, figures in expected.items():
        assert found[user] == pytest.approx(figures, rel=1e-9, abs=1e-6), user
    # Whatever policy: the same jobs in the same groups, in the same order.
    fifo = results["fifo"]["by"]["user"]
    assert [group["name"] for group in fifo] == list(found)
    assert [group["jobs"] for group in fifo] == [figures["jobs"] for figures in found.values()]
    partitions = {group["name"]: group["jobs"] for group in results["fifo"]["by"]["partition"]}
    assert sum(partitions.values()) == len(trace) == len(rows())
    assert set(partitions) == {"train", "small"}
    assert (trace.jobs["gpus"] == 0).sum() == sum("gres/gpu" not in job[0]["AllocTRES"] for job in rows().values())


def test_jobs_on_cores_can_be_left_out(trace: switchyard.Trace) -> None:
    files = [("sacct.psv", DUMP.encode()), ("slurm.conf", slurm_dump.CONF.encode())]
    gangs = switchyard.open(files, on_cores="drop")
    assert 0 < len(gangs) < len(trace)
    assert (gangs.jobs["gpus"] > 0).all()
    # Without a word of cores there is nothing that they could run on.
    assert len(switchyard.open(files[:1])) == len(switchyard.open(files, cluster="15x8")) == len(gangs)
    assert len(switchyard.open(files[:1], cluster="15x8/cores=64")) == len(trace)


def test_the_recorded_run_is_exact_and_others_are_held_against_it(trace: switchyard.Trace) -> None:
    results = trace.run(["recorded", "fifo[backfill=true]"])
    recorded, other = (run["calibration"] for run in results.values())
    assert recorded["off"] == 0
    assert recorded["within_two"] == 1
    assert recorded["error"]["max"] < 1e-6
    assert other["recorded"] == recorded["wait"]
    assert other["error"]["p95"] > 60
    jobs = results["recorded"].jobs
    assert np.allclose(jobs["recorded_wait_s"], jobs["queueing_s"], atol=1e-6)
    assert {"user", "account", "partition", "qos"} <= set(jobs.columns)


def test_jobs_of_some_users_alone(trace: switchyard.Trace) -> None:
    files = [("sacct.psv", DUMP.encode()), ("slurm.conf", slurm_dump.CONF.encode())]
    some = switchyard.open(files, users=["user00", "user01"], partitions="small")
    assert 0 < len(some) < len(trace)
    assert set(some.jobs["user"]) == {"user00", "user01"}
    assert set(some.jobs["partition"]) == {"small"}
    with pytest.raises(switchyard.InputError, match="the trace has no user 'user99'"):
        switchyard.open(files, users="user99")


def test_a_trace_without_starts_has_no_recorded_run() -> None:
    with pytest.raises(switchyard.InputError, match="this trace does not tell"):
        switchyard.open("sample:lab").run("recorded")
