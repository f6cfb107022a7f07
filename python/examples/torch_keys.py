"""A small net in PyTorch that guesses how long jobs run, as a policy: the shortest guess first.

    pip install ./python torch
    python python/examples/torch_keys.py [TRACE]

It learns from the first half of a trace's jobs (their GPUs, tenant and model, as one-hot columns) and schedules the second half, which
it has not seen, beside first come first served and the rule that knows true durations.
"""

import sys

import numpy
import torch

import switchyard


def columns(jobs):
    """What is known of jobs when they come, by their names in the trace."""
    kinds = [numpy.unique(jobs[name], return_inverse=True)[1] for name in ("tenant", "model")]
    hot = [numpy.eye(kind.max() + 1)[kind] for kind in kinds]
    return torch.tensor(numpy.column_stack([numpy.log2(jobs["gpus"]), *hot]), dtype=torch.float32)


def trained(seen, seconds, steps=300):
    """A net for the logarithm of durations."""
    torch.manual_seed(1)
    net = torch.nn.Sequential(torch.nn.Linear(seen.shape[1], 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    steps_down = torch.optim.Adam(net.parameters(), lr=0.02)
    wanted = torch.tensor(numpy.log(seconds), dtype=torch.float32)
    for _ in range(steps):
        steps_down.zero_grad()
        torch.nn.functional.mse_loss(net(seen).squeeze(1), wanted).backward()
        steps_down.step()
    return net


def main():
    trace = switchyard.open(sys.argv[1] if len(sys.argv) > 1 else "sample:lab")
    seen, half = columns(trace.jobs), len(trace) // 2
    net = trained(seen[:half], trace.jobs["duration_s"][:half])
    later = trace.filter(numpy.arange(len(trace)) >= half)
    with torch.no_grad():
        guess = net(seen[half:]).squeeze(1).double().numpy()

    def keys(jobs, now):
        return guess[jobs.id]

    shortest = switchyard.keys(lambda jobs, now: jobs.duration, name="shortest", oracle=True, changes="never")
    results = later.run(["fifo[backfill=true]", switchyard.keys(keys, name="net", changes="never"), shortest])
    for run in results.runs:
        print(f"{run.label:<22} mean JCT {run['jct_mean']:>8.0f} s")


if __name__ == "__main__":
    main()
