"""A run from Python beside the same run by the command line, as a process: CPU time, the least of several.

    cargo build --release -p switchyard-gpu && pip install ./python
    python python/benchmarks/run.py TRACE --cluster 16x4 --policies pollux optimus tiresias-las

Both do all of it: read the files, run, sum up and write the figures as JSON; what the process costs by itself (and Python its
import) is measured by what says its version, and taken off. At last what it costs to ask for a run at all: one of one job.
"""

import argparse
import json
import resource
import subprocess
import time
from pathlib import Path

import switchyard

ROOT = Path(__file__).parents[2]


def of_process(command):
    """CPU seconds of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_call(call):
    """CPU seconds of a call."""
    before = time.process_time()
    call()
    return time.process_time() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", nargs="+")
    parser.add_argument("--cluster")
    parser.add_argument("--policies", nargs="+", default=["fifo", "tiresias-las"])
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--cli", default=ROOT / "target/release/switchyard")
    asked = parser.parse_args()
    given = ["--cluster", asked.cluster] if asked.cluster else []

    def here(policy):
        trace = switchyard.open(asked.trace)
        json.dumps(trace.run(policy, cluster=asked.cluster, stays=False).to_dict())

    print(f"{'CPU seconds':<24}{'Python':>10}{'process':>10}{'ratio':>8}")
    for policy in asked.policies:
        command = [asked.cli, "run", *asked.trace, *given, "--policy", policy, "--json", "-"]
        # In turn, so that both see the same machine.
        pairs = [
            (of_call(lambda: here(policy)), of_process(command) - of_process([asked.cli, "--version"]))
            for _ in range(asked.times)
        ]
        ours, theirs = (min(times) for times in zip(*pairs))
        print(f"{policy:<24}{ours:>10.3f}{theirs:>10.3f}{ours / theirs:>8.2f}", flush=True)
    job = switchyard.open(("job.csv", b"submit,duration,gpus\n0,10,1\n"), map="submit=submit,duration=duration,gpus=gpus,unit=s")
    calls = 1_000
    each = min(of_call(lambda: [job.run("fifo", cluster="1x1") for _ in range(calls)]) / calls for _ in range(asked.times))
    print(f"asking for a run: {each * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
