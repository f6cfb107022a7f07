"""Which of two functions is the better scheduler? Both are scored on the same workloads, drawn anew; those of a draw where one is
named.

    python python/examples/scored.py [CHALLENGE [SEEDS [DRAW]]]

The first is least attained service with a step at an hour of all GPUs of a gang; the second knows in addition that wide gangs run
long, as the hints of *Convoy* tell.
"""

import sys

import switchyard


def step(job: switchyard.Job, now: float) -> float:
    return float(job.attained >= 3600)


def narrow_first(job: switchyard.Job, now: float) -> float:
    return step(job, now) + float(job.gpus >= 8)


if __name__ == "__main__":
    challenge = sys.argv[1] if len(sys.argv) > 1 else "convoy"
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    draw = int(sys.argv[3]) if len(sys.argv) > 3 else None
    first = switchyard.score(step, challenge, seeds=seeds, draw=draw, progress=sys.stderr.isatty())
    second = switchyard.score(narrow_first, challenge, seeds=seeds, draw=first.draw)
    for score in (first, second):
        print(f"{score.label:13} {score.score:6.1f} (95 %: {score.low:.1f} to {score.high:.1f})")
    print(f"{'Tiresias':13}  100.0; the best published policy: {first[challenge].par.score} ({first[challenge].par.policy}); draw {first.draw}")
