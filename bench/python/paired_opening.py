"""How long two builds of the command line take to open one trace, in turns, as a ratio of processor seconds.

    git worktree add /tmp/before COMMIT
    (cd /tmp/before && cargo build --release -p switchyard-gpu)
    cargo build --release -p switchyard-gpu
    python3 bench/python/paired_opening.py /tmp/before/target/release/switchyard target/release/switchyard TRACE [TURNS]
"""

import resource
import statistics
import subprocess
import sys


def seconds(program: str, trace: str) -> float:
    """Processor seconds of one opening."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "inspect", trace, "--json", "-"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    if len(sys.argv) not in (4, 5):
        raise SystemExit(__doc__)
    before, after, trace, *turns = sys.argv[1:]
    # The first of each fills the cache of files.
    pairs = [(seconds(before, trace), seconds(after, trace)) for _ in range(int(turns[0]) + 1 if turns else 22)][1:]
    old, new = (statistics.median(side) for side in zip(*pairs))
    ratio = statistics.median(new / old for old, new in pairs)
    print(f"{trace}: {old:.3f} s before, {new:.3f} s after, ratio {ratio:.3f} (medians of {len(pairs)} turns)")


if __name__ == "__main__":
    main()
