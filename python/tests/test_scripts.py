"""Mutated scripts: each ends in results or in an error in words, and the process lives. The package is built without the
language (the feature ``scripts`` of the engine), and then it says so.

SWITCHYARD_SCRIPTS names a file of more of them than there are here by default, from
``cargo run -p switchyard --features scripts --example mutated_scripts -- 100000 1``; SWITCHYARD_MINUTES is how long they
may take.
"""

import json
import os
import time
from collections import Counter
from pathlib import Path

import switchyard

FEW = Path(__file__).parents[2] / "tests/fixtures/mutated_scripts.jsonl"


def test_mutated_scripts_end_in_results_or_in_words():
    lines = Path(os.environ.get("SWITCHYARD_SCRIPTS", FEW)).read_text("utf-8").strip().split("\n")
    most = 60 * float(os.environ.get("SWITCHYARD_MINUTES", "5"))
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
