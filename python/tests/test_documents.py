"""The examples in Python of what people read: they run as they stand there."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from conftest import ROOT

import switchyard

JOBS = "job,submit,duration,gpus\n" + "".join(f"j{at},{60 * at},{300 + 7 * at},{1 + at % 4}\n" for at in range(60))


def blocks(document, heading=""):
    """The blocks of Python of a document, or of one of its sections."""
    text = (ROOT / document).read_text("utf-8")
    section = text.split(f"\n{heading}\n", 1)[1].split("\n## ", 1)[0] if heading else text
    return re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "document, heading",
    [
        ("python/README.md", ""),
        ("docs/python.md", "## A function is a policy"),
        ("docs/python.md", "## Environments"),
        ("docs/challenges.md", "## From Python"),
    ],
)
def test_examples_run_as_they_stand_there(document, heading, tmp_path, monkeypatch):
    if heading == "## Environments":
        pytest.importorskip("gymnasium")
        pytest.importorskip("pettingzoo")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cluster_job_log.csv").write_text(JOBS)
    code = blocks(document, heading)
    assert code
    exec("\n".join(code), {"switchyard": switchyard})


def example(name, *arguments):
    """What an example says."""
    command = [sys.executable, ROOT / "python/examples" / name, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_the_published_policy_as_a_function_is_the_built_in_one():
    assert re.fullmatch(r"mine: mean JCT \d+ s; the same run as tiresias-las: True\n", example("tiresias.py"))
    swf = str(ROOT / "tests/fixtures/picking.swf")
    assert example("tiresias.py", swf).endswith("the same run as tiresias-las: True\n")


def test_two_functions_are_scored_on_the_same_workloads():
    said = example("scored.py", "convoy", "2", "7")
    scores = dict(re.findall(r"^(\w+) +([\d.]+) \(95 %", said, re.MULTILINE))
    assert list(scores) == ["step", "narrow_first"] and scores["narrow_first"] != scores["step"] and float(scores["step"]) > 0
    assert said.endswith("the best published policy: 106.9 (kai); draw 7\n")
    assert example("scored.py", "convoy", "2", "7") == said


def test_a_net_that_guesses_durations_is_a_policy():
    """By PyTorch where it is installed, else by NumPy."""
    means = [float(mean) for mean in re.findall(r"mean JCT +(\d+) s", example("net_keys.py"))]
    first_come, net, shortest = means
    assert shortest < net < first_come
