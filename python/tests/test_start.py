"""When would a job start: the same as the command line."""

import json

import pytest

import switchyard

AT = 11 * 3600


def test_answers_are_those_of_the_command_line(cli):
    flags = ["--at", "11h", "--gpus", "8", "--policy", "fifo", "--policy", "las", "--draws", "10", "--seed", "3"]
    printed = json.loads(cli("start", "sample:lab", *flags, "--json", "-"))
    told = []
    trace = switchyard.open("sample:lab")
    answers = trace.start(AT, ["fifo", "las"], gpus=8, draws=10, seed=3, progress=told.append)
    assert answers == printed
    when = answers[0]["when"]
    assert when["p05"] <= when["p50"] <= when["p95"]
    assert all(said["stage"] == "start" and said["done"] <= said["draws"] for said in told)


def test_what_nobody_can_say_is_refused():
    trace = switchyard.open("sample:lab")
    with pytest.raises(switchyard.InputError, match="nobody knows before"):
        trace.start(AT, "srtf")
    with pytest.raises(switchyard.InputError, match="no job 'lab-nope' in the trace"):
        trace.start(AT, "fifo", job="lab-nope")


def test_an_interrupt_ends_it():
    trace = switchyard.open("sample:lab")

    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trace.start(AT, "fifo", gpus=8, draws=100_000, progress=stop)
