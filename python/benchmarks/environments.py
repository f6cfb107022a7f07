"""Environment steps a second, of CPU time, beside those of other packages where they are installed.

    pip install ./python gymnasium pettingzoo gpu-choochoo hpcsim
    python python/benchmarks/environments.py

Everybody does what is allowed and costs nothing to choose: the first action. All take turns within one process, and the best of
several turns counts; what is to be compared are the ratios.
"""

import argparse
import time

import gymnasium
import numpy

import switchyard.environments
from switchyard.environments import ID


def one(**options):
    """A single environment, always the first job."""
    env = gymnasium.make(ID, jobs=256, **options).unwrapped
    env.reset(seed=1)

    def turn(steps):
        for _ in range(steps):
            if env.step(0)[2]:
                env.reset()
        return steps

    return turn


def many(count, threads=1):
    envs = gymnasium.make_vec(ID, count, vectorization_mode="vector_entry_point", jobs=256, copy=False, threads=threads)
    envs.reset(seed=1)
    actions = numpy.zeros(count, numpy.int64)

    def turn(steps):
        for _ in range(steps // count):
            envs.step(actions)
        return steps // count * count

    return turn


def parts():
    """Parts placed, always the first group that is free."""
    env = switchyard.environments.place_part()
    seen, _ = env.reset(seed=1)

    def turn(steps):
        nonlocal seen
        for _ in range(steps):
            if not env.agents:
                seen, _ = env.reset()
            seen = env.step({agent: int(seen[agent]["action_mask"].argmax()) for agent in env.agents})[0]
        return steps

    return turn


def gpu_choochoo():
    from gpu_choochoo import GPUSchedulerEnv, RealisticWorkloadGenerator

    drawn = RealisticWorkloadGenerator(seed=1)
    kind, of_kind = next(iter(drawn.gpu_catalog.items()))
    # By hand: what makes its clusters ends with an UnboundLocalError in 0.1.0.
    nodes = [
        {"node_id": f"node-{at}", "gpu_type": kind, "total_gpus": 8, "total_vram_gb": 8 * of_kind["vram_gb"]}
        for at in range(10)
    ]
    env = GPUSchedulerEnv(nodes, drawn.generate_job_trace()[:256])
    env.reset(seed=1)

    def turn(steps):
        for _ in range(steps):
            _, _, terminated, truncated, _ = env.step(0)
            if terminated or truncated:
                env.reset()
        return steps

    return turn


def hpcsim():
    from hpcsim.rl.env import EnvConfig, HPCGreenEnv

    env = HPCGreenEnv(EnvConfig(seed=1))
    env.reset()

    def turn(steps):
        for _ in range(steps):
            action = int(numpy.argmax(env.action_mask1()))
            if env.step(action)[2]:
                env.reset()
        return steps

    return turn


#: What is measured, and how many steps a turn has.
MEASURED = {
    "one environment": (one, 40_000),
    "one, with backfilling": (lambda: one(backfill=True), 40_000),
    "64 in the vector environment": (lambda: many(64), 64 * 2_000),
    "1,024": (lambda: many(1024), 1024 * 200),
    "1,024, on two threads": (lambda: many(1024, threads=2), 1024 * 200),
    "parts placed": (parts, 8_000),
    "gpu-choochoo": (gpu_choochoo, 10_000),
    "hpcsim": (hpcsim, 100),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=5)
    asked = parser.parse_args()
    measured = {}
    for name, (make, steps) in MEASURED.items():
        try:
            measured[name] = (make(), steps)
        except ImportError as why:
            print(f"{name}: not installed ({why.name})")
    best = dict.fromkeys(measured, (0.0, 0.0))
    for _ in range(asked.turns):
        for name, (turn, steps) in measured.items():
            wall, cpu = time.perf_counter(), time.process_time()
            done = turn(steps)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            best[name] = max(best[name][0], done / cpu), max(best[name][1], done / wall)
    first = best["one environment"][0]
    print(f"{'':<30}{'steps/s of CPU':>16}{'of wall':>12}{'of one':>8}")
    for name, (cpu, wall) in best.items():
        print(f"{name:<30}{cpu:>16,.0f}{wall:>12,.0f}{cpu / first:>8.2f}")


if __name__ == "__main__":
    main()
