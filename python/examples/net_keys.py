"""A small net that guesses how long jobs run, as a policy: the shortest guess first.

    pip install ./python                # and torch, if you have room for it
    python python/examples/net_keys.py [TRACE]

It learns from the first half of a trace's jobs (their GPUs, tenant and model, as one-hot columns) and schedules the second half, which
it has not seen, beside first come first served and the rule that knows true durations. Without a trace it draws one, of tenants
who run much the same again and again, as on real clusters. PyTorch trains the net where that is installed, and NumPy where
it is not: the same net, with its gradients written out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import NDArray

import switchyard

Array = NDArray[numpy.float64]

#: Hidden numbers, steps of learning, and how far each goes.
HIDDEN, STEPS, RATE = 16, 300, 0.02


def drawn(jobs: int = 600) -> switchyard.Trace:
    """A trace in which tenant, model and GPUs say much of how long a job runs, and not all."""
    draw = numpy.random.default_rng(7)
    tenant, model, gpus = draw.integers(0, 8, jobs), draw.integers(0, 6, jobs), 2 ** draw.integers(0, 4, jobs)
    usual = draw.normal(6.5, 1.2, (8, 6))[tenant, model] + 0.3 * numpy.log2(gpus)
    table: dict[str, NDArray[Any]] = {
        "job": numpy.array([f"j{at}" for at in range(jobs)]),
        "tenant": numpy.array([f"team {of}" for of in tenant]),
        "model": numpy.array([f"model {of}" for of in model]),
        "gpus": gpus,
        "submit_s": numpy.cumsum(draw.exponential(380.0, jobs)).round(),
        "duration_s": numpy.exp(usual + draw.normal(0, 0.5, jobs)).round() + 10,
    }
    return switchyard.Trace.from_jobs(table)


def columns(jobs: switchyard.Table) -> Array:
    """What is known of jobs when they come, by their names in the trace."""
    kinds = [numpy.unique(jobs[name], return_inverse=True)[1] for name in ("tenant", "model")]
    hot = [numpy.eye(kind.max() + 1)[kind] for kind in kinds]
    return numpy.column_stack([numpy.log2(jobs["gpus"]), *hot])


def trained_by_torch(torch: Any, seen: Array, wanted: Array) -> Callable[[Array], Array]:
    """A net from what is seen to what is wanted, by PyTorch."""
    torch.manual_seed(1)
    net = torch.nn.Sequential(torch.nn.Linear(seen.shape[1], HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, 1)).double()
    down = torch.optim.Adam(net.parameters(), lr=RATE)
    known, target = torch.tensor(seen), torch.tensor(wanted)
    for _ in range(STEPS):
        down.zero_grad()
        torch.nn.functional.mse_loss(net(known).squeeze(1), target).backward()
        down.step()

    def guess(jobs: Array) -> Array:
        with torch.no_grad():
            values: Array = net(torch.tensor(jobs)).squeeze(1).numpy()
            return values

    return guess


def trained_by_numpy(seen: Array, wanted: Array) -> Callable[[Array], Array]:
    """The same net by NumPy, with Adam (Kingma and Ba, 2015)."""
    draw = numpy.random.default_rng(1)
    net = [
        draw.normal(0, seen.shape[1] ** -0.5, (seen.shape[1], HIDDEN)),
        numpy.zeros(HIDDEN),
        draw.normal(0, HIDDEN**-0.5, HIDDEN),
        numpy.zeros(1),
    ]
    mean, square = [numpy.zeros_like(of) for of in net], [numpy.zeros_like(of) for of in net]
    for step in range(1, STEPS + 1):
        hidden = numpy.maximum(seen @ net[0] + net[1], 0)
        wrong = 2 * (hidden @ net[2] + net[3] - wanted) / len(wanted)
        behind = numpy.outer(wrong, net[2]) * (hidden > 0)
        slopes = [seen.T @ behind, behind.sum(0), hidden.T @ wrong, wrong.sum(keepdims=True)]
        for at, slope in enumerate(slopes):
            mean[at] = 0.9 * mean[at] + 0.1 * slope
            square[at] = 0.999 * square[at] + 0.001 * slope**2
            down = (mean[at] / (1 - 0.9**step)) / (numpy.sqrt(square[at] / (1 - 0.999**step)) + 1e-8)
            net[at] -= RATE * down

    def guess(jobs: Array) -> Array:
        values: Array = numpy.maximum(jobs @ net[0] + net[1], 0) @ net[2] + net[3]
        return values

    return guess


def trained(seen: Array, seconds: Array) -> tuple[str, Callable[[Array], Array]]:
    """A net for the logarithm of durations, and who has trained it."""
    wanted = numpy.log(seconds)
    try:
        import torch  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return "NumPy", trained_by_numpy(seen, wanted)
    return "PyTorch", trained_by_torch(torch, seen, wanted)


def shortest(jobs: switchyard.Jobs, now: float) -> Array:
    return jobs.duration


def main() -> None:
    trace = switchyard.open(sys.argv[1]) if len(sys.argv) > 1 else drawn()
    seen, half = columns(trace.jobs), len(trace) // 2
    by, guess = trained(seen[:half], trace.jobs["duration_s"][:half])
    later = trace.filter(numpy.arange(len(trace)) >= half)
    guessed = guess(seen[half:])

    def keys(jobs: switchyard.Jobs, now: float) -> Array:
        order: Array = guessed[jobs.id]
        return order

    net = switchyard.keys(keys, name=f"net by {by}", changes="never")
    truth = switchyard.keys(shortest, name="shortest", oracle=True, changes="never")
    for run in later.run(["fifo[backfill=true]", net, truth], cluster="4x8").runs:
        print(f"{run.label:<22} mean JCT {run['jct_mean']:>8.0f} s")


if __name__ == "__main__":
    main()
