"""Schedulers that would know no more go by the times that jobs ask for."""

import numpy
import pytest

import switchyard

pytest.importorskip("gymnasium")

from switchyard.environments import PickJob

# The last two wait for the choice when the first ends.
ROWS = [("0,100,8", "100"), ("1,10,8", "10"), ("2,10,8", "80"), ("3,50,8", "60")]


def opened(asked):
    rows = [f"job-{at},{row},{time if asked else ''}" for at, (row, time) in enumerate(ROWS)]
    text = "\n".join(["#switchyard 1", "job,submit,duration,gpus,requested_time", *rows, ""])
    return switchyard.open(("jobs.csv", text.encode()))


@pytest.mark.parametrize(("asked", "seen"), [(True, [0.8, 0.6]), (False, [0.1, 0.5])])
def test_pickers_see_the_time_asked_for(asked, seen):
    env = PickJob(opened(asked), cluster="2x4", jobs=4)
    shown, _ = env.reset(seed=0)
    numpy.testing.assert_allclose(shown[:2, 1], seen, rtol=1e-6)


def test_tables_of_jobs_tell_it():
    columns = opened(True).jobs
    numpy.testing.assert_array_equal(columns["requested_s"], [100, 10, 80, 60])
    assert numpy.isnan(opened(False).jobs["requested_s"]).all()
