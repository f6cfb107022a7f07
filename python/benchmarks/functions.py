"""Decisions a second of policies that are functions, beside the same built in: CPU time, the most of several.

    pip install ./python
    python python/benchmarks/functions.py

Some 80 or 530 jobs wait at each decision, and a number is asked for each of them and of the 64 that run: when the job came, and a
little of what it has attained. A decision is a moment at which the policy is asked.
"""

import argparse
import time

import numpy

import switchyard


def trace_of(waiting, jobs, seed=1):
    """Jobs of one GPU, of which about so many wait on 8 nodes of 8, where who came first runs first."""
    draw = numpy.random.default_rng(seed)
    duration = draw.uniform(500, 1500, jobs).round()
    # The first ones come at once, each other when so much has been done that one has ended.
    submit = numpy.concatenate([numpy.zeros(waiting + 64), numpy.cumsum(duration) / 64])[:jobs].round()
    rows = "".join(f"{at},{seconds},1\n" for at, seconds in zip(submit, duration))
    columns = "submit=submit,duration=duration,gpus=gpus,unit=s"
    return switchyard.open(("jobs.csv", f"submit,duration,gpus\n{rows}".encode()), map=columns)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=5_000)
    parser.add_argument("--times", type=int, default=5)
    asked = parser.parse_args()
    waiting = {}

    def keys(jobs, now):
        return jobs.submit + 1e-9 * jobs.attained

    def key(job, now):
        return job.submit + 1e-9 * job.attained

    def plan(view):
        waiting[view.now] = len(view.waiting)
        view.walk(sorted(view.jobs, key=lambda job: job.submit + 1e-9 * job.attained))

    policies = {
        "fifo, built in": "fifo[backfill=true]",
        "keys(jobs, now)": switchyard.keys(keys),
        "keys, while running": switchyard.keys(keys, changes="running"),
        "key(job, now)": switchyard.key(key),
        "plan(view)": switchyard.plan(plan),
    }
    traces = [trace_of(count, asked.jobs) for count in (50, 500)]
    decisions = []
    print(f"{'jobs that wait':<22}", end="")
    for trace in traces:
        waiting.clear()
        trace.run(policies["plan(view)"], cluster="8x8", stays=False)
        decisions.append(len(waiting))
        print(f"{sum(waiting.values()) / len(waiting):>12,.0f}", end="")
    print("\ndecisions a second")
    for name, policy in policies.items():
        print(f"{name:<22}", end="")
        for trace, count in zip(traces, decisions):
            spent = []
            for _ in range(asked.times):
                begin = time.process_time()
                trace.run(policy, cluster="8x8", stays=False)
                spent.append(time.process_time() - begin)
            print(f"{count / min(spent):>12,.0f}", end="", flush=True)
        print()


if __name__ == "__main__":
    main()
