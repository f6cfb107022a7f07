"""What a sweep costs: on one thread, on two, on Ray, and killed in the middle.

    pip install './python[ray]' psutil
    python python/benchmarks/sweep.py TRACE --cluster 120x8 --runs 1000 --how threads=1 threads=2 ray killed

Each is a process of its own on the same grid (fifo, fewest-gpus, tiresias-las and srtf, eleven loads from 0.5 to 1.5, as many seeds with
failing nodes as it takes). Said are CPU seconds (the machine may be busy), the most memory of a process, and whether the table
has the same bytes. ``killed`` is Ray, ended by SIGKILL once half of the runs are there, and gone on with.
"""

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

POLICIES = ["fifo", "fewest-gpus", "tiresias-las", "srtf"]
LOADS = 11


def grid(asked):
    seeds = -(-asked.runs // (len(POLICIES) * LOADS))
    trace = {"files": [str(Path(file).resolve()) for file in asked.trace]}
    if asked.window:
        trace["window"] = asked.window
    return dict(
        traces=[trace],
        clusters=asked.cluster,
        policies=POLICIES,
        loads=f"0.5..1.5/{LOADS}",
        seeds=f"1..{seeds}/{seeds}",
        settings=dict(mtbf=2_000),  # hours
    )


def work(how, folder, runs):
    """In a process of its own: sweeps, and says what that cost."""
    import switchyard

    engine, _, threads = how.partition("=")
    begun = time.time()
    reached = {}
    options = dict(engine="ray") if engine != "threads" else dict(threads=int(threads))
    swept = switchyard.sweep(runs, folder, progress=reached.update, **options)
    assert swept["node_failures"].max() > 0, "no node fails, so seeds say nothing"
    own = psutil.Process()
    children = [child for child in own.children(recursive=True) if child.is_running()]
    workers = [child for child in children if child.cmdline()[:1] and child.cmdline()[0].startswith("ray::")]
    cpu = lambda processes: sum(sum(process.cpu_times()[:2]) for process in processes)
    most = lambda process: int(next(line for line in Path(f"/proc/{process.pid}/status").open() if line.startswith("VmHWM")).split()[1])
    said = dict(
        wall=time.time() - begun,
        cpu=cpu([own]),
        memory=most(own) / 1024,
        workers=cpu(workers),
        others=cpu([child for child in children if child not in workers]),
        worker_memory=max(map(most, workers), default=0) / 1024,
        runs=len(swept),
        failed=swept.failed,
    )
    print(json.dumps(said))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", nargs="+")
    parser.add_argument("--window")
    parser.add_argument("--cluster", default="120x8")
    parser.add_argument("--runs", type=int, default=1000, help="at least so many")
    parser.add_argument("--how", nargs="+", default=["threads=1", "threads=2", "ray", "killed"])
    parser.add_argument("--work", nargs=2, metavar=("HOW", "FOLDER"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.work:
        return work(*asked.work, grid(asked))
    tables, each = {}, [sys.executable, __file__, *sys.argv[1:]]
    print(f"{'':<12}{'runs':>6}{'failed':>8}{'wall s':>9}{'CPU s':>9}{'ms/run':>8}{'workers s':>11}{'others s':>10}{'MB':>7}{'worker MB':>11}  table")
    for how in asked.how:
        folder = Path(tempfile.mkdtemp(prefix="sweep-"))
        command = [*each, "--work", how, str(folder)]
        if how == "killed":
            kill_in_the_middle(command, folder, len_of(grid(asked)) // 2)
        said = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1])
        tables[how] = hashlib.sha256((folder / "results.parquet").read_bytes()).hexdigest()[:12]
        row = f"{how:<12}{said['runs']:>6}{said['failed']:>8}{said['wall']:>9.1f}{said['cpu']:>9.1f}{1e3 * said['cpu'] / said['runs']:>8.2f}"
        row += f"{said['workers']:>11.1f}{said['others']:>10.1f}{said['memory']:>7.0f}{said['worker_memory']:>11.0f}"
        size = (folder / "results.parquet").stat().st_size
        print(f"{row}  {tables[how]} ({size / 1024:.0f} KB)", flush=True)
    assert len(set(tables.values())) == 1, "tables differ"


def len_of(grid):
    return len(POLICIES) * LOADS * int(grid["seeds"].split("/")[1])


def kill_in_the_middle(command, folder, half):
    """Starts a sweep and kills it once so many of its runs are written."""
    import pyarrow.parquet

    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    written = 0
    while written < half and process.poll() is None:
        time.sleep(1)
        written = 0
        for part in (folder / "parts").glob("*.parquet"):
            written += pyarrow.parquet.read_metadata(part).num_rows
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    print(f"killed with {written} runs written", flush=True)


if __name__ == "__main__":
    main()
