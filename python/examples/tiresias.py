"""Tiresias' discretized 2D-LAS (Gu et al., NSDI'19, §4.2) as a function: twenty lines that come to the built-in policy, bit for bit.

    python python/examples/tiresias.py [TRACE]

A job sinks to the next queue when it has attained so many GPU·s. In a queue those that have run there come first, each group
in the order in which it came there.
"""

import sys

import switchyard

THRESHOLDS = [3250.0, 7200.0]
WAITS = 1_000_000_000


def plan(view: switchyard.View) -> None:
    if not view.state:
        view.state.update(turn=0, head=0)

    def turn(step: int = 1, name: str = "turn") -> int:
        view.state[name] += step
        return int(view.state[name])

    for job in view.evicted:
        job.memo = WAITS + turn(-1, "head")
    sunk = [job for job in view.alarms if job.running]
    for job in sunk:
        view.demote(job, job.queue + 1)
        job.memo = WAITS + turn()
    for job in view.arrived:
        job.memo = WAITS + turn()
    started, preempted = view.walk(sorted(view.jobs, key=place))
    here = [job for job in sunk if job not in preempted] + started
    for job in here:
        if job.queue < len(THRESHOLDS):
            view.alarm(job, view.now + max(THRESHOLDS[job.queue] - job.attained, 0.0) / job.gpus)
    for job in sorted(here, key=place):
        job.memo = turn()
    for job in reversed(preempted):
        if job.memo < WAITS / 2:
            job.memo = WAITS + turn(-1, "head")


def place(job: switchyard.Job) -> tuple[int, int]:
    return job.queue, job.memo


if __name__ == "__main__":
    trace = sys.argv[1] if len(sys.argv) > 1 else "sample:lab"
    built_in, own = switchyard.run(trace, ["tiresias-las", switchyard.plan(plan, name="mine")]).runs
    print(f"{own.label}: mean JCT {own['jct_mean']:.0f} s; the same run as {built_in.label}: {own.log_hash == built_in.log_hash}")
