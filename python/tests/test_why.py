"""What jobs spent their whole lives on: the same as the command line."""

import json

import pytest

import switchyard

POLICIES = ["fifo", "las"]
FLAGS = ["--policy", "fifo", "--policy", "las", "--whole"]


def test_lives_are_those_of_the_command_line(cli):
    trace = switchyard.open("sample:lab")
    told = []
    assert trace.why(POLICIES, progress=told.append) == json.loads(cli("why", "sample:lab", *FLAGS, "--json", "-"))
    by_gang = json.loads(cli("why", "sample:lab", *FLAGS, "--by", "gang", "--json", "-"))
    assert trace.why(POLICIES, by="gang") == by_gang
    of_job = json.loads(cli("why", "sample:lab", *FLAGS, "--job", "lab-017", "--json", "-"))
    assert trace.why(POLICIES, job="lab-017") == of_job
    assert all(said["stage"] == "why" and said["done"] <= said["jobs"] for said in told)


def test_a_life_adds_up_to_the_completion_time():
    trace = switchyard.open("sample:lab")
    [life] = trace.why("fifo", job="lab-017")
    jobs = trace.run("fifo").runs[0].jobs
    at = list(jobs["job"]).index("lab-017")
    assert life["seconds"] == pytest.approx(jobs["jct_s"][at])
    assert sum(part["amount"] for part in life["parts"]) == pytest.approx(life["seconds"])
    assert sum(part["share"] for part in life["parts"]) == pytest.approx(1)


def test_what_there_is_not_is_refused():
    trace = switchyard.open("sample:lab")
    with pytest.raises(switchyard.InputError, match="no job 'lab-nope' in the trace"):
        trace.why("fifo", job="lab-nope")
    with pytest.raises(switchyard.InputError, match="did you mean 'user'"):
        trace.why("fifo", by="usr")
    with pytest.raises(switchyard.InputError, match="cannot both"):
        trace.why("fifo", job="lab-017", by="user")
