#!/usr/bin/env python3
"""What the gradient noise scale costs the way AdaptDL measures it, in PyTorch: the counterpart of the
per-parameter baseline of `switchyard-bench gns --backend cuda`, for machines that have PyTorch.

    python3 bench/python/gns_baseline.py --model bert-base --replicas 8

Gradients of every tensor of a model (the tables in bench/models/) are random numbers on the GPU. A step
does, tensor by tensor, what AdaptDL's GradientNoiseScale does: for each replica's gradient
`pow(2).sum(dtype=float64)` onto a running sum, after a division by the preconditioner if there is one;
for the averaged gradient `.float()`, two divisions, and the same. Beside it the same sums by
torch._foreach_norm over all tensors at once, which is the best that PyTorch offers without a kernel of
one's own. Times are medians between CUDA events. The averaged gradients are at hand, as after an
all-reduce, and not timed.
"""

import argparse
import json
import math
import pathlib
import statistics
import sys

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"


def shapes(model, elements):
    """The tensors' shapes: of a table, or one of `elements`."""
    if model == "flat":
        return [(elements,)]
    lines = (MODELS / f"{model}.tsv").read_text().splitlines()
    rows = [line.split("\t")[1] for line in lines if not line.startswith("#")]
    return [tuple(int(size) for size in row.split("x")) for row in rows]


def per_parameter(torch, rows, mean, preconditioners):
    """Σ|g_k|² and |ḡ|², one operation after the other."""
    device = mean[0].device
    local = torch.zeros(1, device=device, dtype=torch.float64)
    for row in rows:
        for grad, p in zip(row, preconditioners or [None] * len(row)):
            grad = grad.detach()
            if p is not None:
                grad = grad / p
            local[0] += grad.pow(2).sum(dtype=torch.float64)
    squares = []
    for grad, p in zip(mean, preconditioners or [None] * len(mean)):
        grad = grad.detach().float()
        grad = grad / 1.0 / 1
        if p is not None:
            grad = grad / p
        squares.append(grad.pow(2).sum(dtype=torch.float64))
    return local[0], sum(squares)


def foreach(torch, rows, mean, preconditioners):
    """The same by multi-tensor norms, without a sum in f64."""

    def square(grads):
        if preconditioners:
            grads = torch._foreach_div(grads, preconditioners)
        norms = torch.stack(torch._foreach_norm(grads))
        return norms.double().pow(2).sum()

    return sum(square(row) for row in rows), square(mean)


def measure(torch, work, runs):
    """Milliseconds: least, median and most."""
    for _ in range(3):
        work()
    times = []
    for _ in range(runs):
        start = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return {"min": min(times), "median": statistics.median(times), "max": max(times)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    models = ["resnet50", "bert-base", "gpt2-xl", "flat"]
    parser.add_argument("--model", choices=models, default="bert-base")
    parser.add_argument("--elements", type=int, default=1 << 25, help="of the flat model")
    parser.add_argument("--replicas", type=int, default=8)
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="f32")
    parser.add_argument("--preconditioned", action="store_true")
    parser.add_argument("--runs", type=int, default=51)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not (1 <= arguments.replicas <= 16 and arguments.elements > 0 and arguments.runs > 0):
        parser.error("1 to 16 replicas, and more than no elements and runs")
    try:
        import torch
    except ImportError:
        sys.exit("this machine has no PyTorch")
    if not torch.cuda.is_available():
        sys.exit("PyTorch finds no GPU here")

    dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[arguments.dtype]
    generator = torch.Generator(device="cuda").manual_seed(1)
    tensors = shapes(arguments.model, arguments.elements)

    def random():
        options = {"device": "cuda", "dtype": dtype, "generator": generator}
        return [torch.randn(shape, **options) * 1e-3 for shape in tensors]

    signal = random()
    rows = []
    for _ in range(arguments.replicas):
        rows.append([s + 2 * n for s, n in zip(signal, random())])
    mean = [sum(own.float() for own in grads) / len(rows) for grads in zip(*rows)]
    mean = [grad.to(dtype) for grad in mean]
    preconditioners = None
    if arguments.preconditioned:
        preconditioners = [torch.rand(shape, device="cuda") + 0.5 for shape in tensors]

    found = {}
    for name, work in [("per-parameter", per_parameter), ("foreach", foreach)]:
        squares, square = work(torch, rows, mean, preconditioners)
        count = len(rows)
        sums = {"mean_of_squares": squares.item() / count, "square_of_mean": square.item()}
        times = measure(torch, lambda: work(torch, rows, mean, preconditioners), arguments.runs)
        found[name] = {**sums, "milliseconds": times}
    report = {
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "model": arguments.model,
        "tensors": len(tensors),
        "elements": sum(math.prod(shape) for shape in tensors),
        "replicas": arguments.replicas,
        "dtype": arguments.dtype,
        "preconditioned": arguments.preconditioned,
        **found,
    }
    if arguments.json:
        print(json.dumps(report, indent=2))
        return
    print(f"{report['model']}, {report['replicas']} replicas, {report['dtype']}, on {report['device']}")
    for name in found:
        times = found[name]["milliseconds"]
        print(f"  {name:16} {times['median']:9.3f} ms ({times['min']:.3f} to {times['max']:.3f})")


if __name__ == "__main__":
    main()
