"""Schedulers of one's own: by path, text and bytes, the same run as built in; and mutated scripts, each of which ends in
results or in an error in words, and the process lives.

SWITCHYARD_SCRIPTS names a file of more of them than there are here by default, from
``cargo run -p switchyard --features scripts --example mutated_scripts -- 100000 1``; SWITCHYARD_MINUTES is how long they
may take.
"""

import json
import os
import time
from collections import Counter
from pathlib import Path

import pytest

import switchyard

FEW = Path(__file__).parents[2] / "tests/fixtures/mutated_scripts.jsonl"


LAS = """
const EVERY = 60;
fn key(job, now) { job.attained }
"""


def test_a_script_is_the_same_by_path_text_and_bytes(tmp_path):
    file = tmp_path / "mine.rhai"
    file.write_text(LAS)
    trace = switchyard.open("sample:lab")
    asked = [switchyard.script(LAS, name="mine"), switchyard.script(file), switchyard.script(LAS.encode(), name="mine")]
    assert len(set(asked)) == 1
    named = f"script:{file}"
    results = trace.run([asked[0], f"{named}[placement=spread]"])
    assert results[named + "[placement=spread]"].log_hash != results[asked[0]].log_hash
    assert trace.run(named)[named].log_hash == results[asked[0]].log_hash
    assert switchyard.canonical(named) == switchyard.canonical(asked[0])
    # A rule that is built in comes to the same, to the bit.
    by_key = trace.run(switchyard.script("const PREEMPTIVE = false;\nfn key(job, now) { job.submit }", name="in-order"))
    assert by_key.runs[0].log_hash == trace.run("fifo").runs[0].log_hash


def test_what_is_wrong_is_said_before_anything_runs(tmp_path):
    file = tmp_path / "wrong.rhai"
    file.write_text("fn key(job, now) {\n  job.weight\n")
    with pytest.raises(switchyard.InputError, match=r"wrong\.rhai:\d+:\d+: "):
        switchyard.run("sample:lab", f"script:{file}")
    with pytest.raises(switchyard.InputError):
        switchyard.script("fn key(job, now) {")
    with pytest.raises(switchyard.InputError, match="cannot read"):
        switchyard.run("sample:lab", "script:nowhere.rhai")
    with pytest.raises(switchyard.InputError, match="this is no plugin"):
        switchyard.plugin(LAS.encode())


def test_a_sweep_has_scripts_beside_its_file(tmp_path):
    (tmp_path / "mine.rhai").write_text(LAS)
    grid = tmp_path / "grid.toml"
    grid.write_text('traces = "sample:three-jobs"\npolicies = ["fifo", "script:mine.rhai"]\n')
    table = switchyard.sweep(str(grid), str(tmp_path / "out"))
    hashes = list(table["log_hash"])
    trace = switchyard.open("sample:three-jobs")
    assert hashes[1] == trace.run(switchyard.script(LAS, name="mine")).runs[0].log_hash
    # Another text is another run.
    (tmp_path / "mine.rhai").write_text(LAS.replace("60", "30"))
    again = switchyard.sweep(str(grid), str(tmp_path / "other"))
    assert list(again["key"])[0] == list(table["key"])[0] and list(again["key"])[1] != list(table["key"])[1]


def test_mutated_scripts_end_in_results_or_in_words():
    lines = Path(os.environ.get("SWITCHYARD_SCRIPTS", FEW)).read_text("utf-8").strip().split("\n")
    most = 60 * float(os.environ.get("SWITCHYARD_MINUTES", "1"))
    trace = switchyard.open("sample:three-jobs")
    fates, begin = Counter(), time.monotonic()
    for line in lines:
        code = json.loads(line)["code"]
        try:
            assert len(trace.run(f"script[oracle=true,adaptive=true,code={code}]").runs) == 1
            fates["ran"] += 1
        except (switchyard.RunError, switchyard.InputError) as error:
            assert str(error).startswith("script") and "panicked" not in str(error)
            fates[type(error).__name__] += 1
        if time.monotonic() - begin > most:
            break
    print(f"{sum(fates.values())} scripts in {time.monotonic() - begin:.0f} s: {dict(fates)}")
    assert fates["InputError"], "some are no scripts"
