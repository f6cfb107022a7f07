"""Trains a job picker in PyTorch alone: RLScheduler's network (Zhang et al., SC'20), 961 parameters that score each job by itself.

    pip install ./python torch safetensors      # gigabytes, so that no ordinary test of ours runs this
    python python/examples/torch_picker.py --minutes 3 --out picker.safetensors

PPO without a second network: several rollouts of the same jobs are compared with one another, since what jobs come decides
more than who picks. Says the mean bounded slowdown of episodes that nothing was trained on, before, after and of two rules, and
writes a file that Switchyard goes by: dropped on the page, ``switchyard run TRACE --policy rl-picker --weights picker.safetensors``,
``switchyard.run(trace, "rl-picker", weights=open("picker.safetensors", "rb").read())``.
"""

import argparse
import time

import gymnasium
import numpy
import safetensors.torch
import torch

import switchyard.environments
from switchyard.environments import FEATURES, ID, first_come_first_served, mean_slowdown, shortest_job_first

#: Widths of the layers, with ReLU between.
LAYERS = [FEATURES, 32, 16, 8, 1]

CLIP, EPOCHS, BATCH = 0.2, 4, 1024


def network():
    layers = []
    for before, after in zip(LAYERS, LAYERS[1:]):
        layers += [torch.nn.Linear(before, after), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def choice(model, seen, mask):
    """Who is picked, as a distribution over the jobs that are seen."""
    scores = torch.full(mask.shape, -torch.inf)
    scores[mask] = model(seen[mask]).squeeze(-1)
    return torch.distributions.Categorical(logits=scores)


def rollouts(model, envs, alike, seeds):
    """Episodes, ``alike`` of each sequence of jobs: what was seen, what was done, and how good that was beside the others."""
    seen, info = envs.reset(seed=[int(seed) for seed in numpy.repeat(seeds, alike)])
    going = info["action_mask"].any(1)
    returns, steps = numpy.zeros(envs.num_envs), []
    while going.any():
        shown, mask = torch.from_numpy(seen[going]), torch.from_numpy(info["action_mask"][going] == 1)
        with torch.no_grad():
            choices = choice(model, shown, mask)
            picked = choices.sample()
        steps.append((shown, mask, picked, choices.log_prob(picked), numpy.flatnonzero(going)))
        actions = numpy.zeros(envs.num_envs, numpy.int64)
        actions[going] = picked
        seen, reward, over, _, info = envs.step(actions)
        returns += reward * going
        going &= ~over
    groups = returns.reshape(-1, alike)
    better = (groups - groups.mean(1, keepdims=True)) / (groups.std(1, keepdims=True) + 1e-9)
    better = torch.from_numpy(better.ravel().astype(numpy.float32))
    shown, mask, picked, chance, slots = zip(*steps)
    advantage = better[numpy.concatenate(slots)]
    return *map(torch.cat, (shown, mask, picked, chance)), advantage


def learn(model, optimizer, seen, mask, picked, chance, advantage):
    for _ in range(EPOCHS):
        for part in torch.randperm(len(seen)).split(BATCH):
            ratio = (choice(model, seen[part], mask[part]).log_prob(picked[part]) - chance[part]).exp()
            own = advantage[part]
            loss = -torch.minimum(ratio * own, ratio.clamp(1 - CLIP, 1 + CLIP) * own).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def save(model, path):
    """As the engine reads it: ``0.weight`` (outputs × inputs), ``0.bias``, ``1.weight`` and so on; says which picker it is."""
    tensors = {}
    for at, layer in enumerate(layer for layer in model if isinstance(layer, torch.nn.Linear)):
        tensors[f"{at}.weight"], tensors[f"{at}.bias"] = layer.weight.detach(), layer.bias.detach()
    safetensors.torch.save_file(tensors, path, metadata={"picker": "lublin"})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--jobs", type=int, default=256)
    parser.add_argument("--backfill", action="store_true")
    parser.add_argument("--sequences", type=int, default=8, help="of jobs, in a round")
    parser.add_argument("--alike", type=int, default=8, help="rollouts of each")
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="picker.safetensors")
    asked = parser.parse_args()
    torch.manual_seed(asked.seed)
    draw = numpy.random.default_rng(asked.seed)
    how = dict(jobs=asked.jobs, backfill=asked.backfill)
    envs = gymnasium.make_vec(ID, asked.sequences * asked.alike, vectorization_mode="vector_entry_point", **how)
    # Jobs to judge by are of another drawn trace.
    judge = gymnasium.make(ID, lublin=2, **how).unwrapped
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), asked.rate)

    def learned(seen, mask):
        with torch.no_grad():
            return int(choice(model, torch.from_numpy(seen), torch.from_numpy(mask == 1)).probs.argmax())

    rules = {
        "first come, first served": first_come_first_served,
        "shortest job first": shortest_job_first,
        "before training": learned,
    }
    for name, rule in rules.items():
        print(f"{name:<26}{mean_slowdown(judge, rule):>10.2f}", flush=True)
    end, steps = time.monotonic() + 60 * asked.minutes, 0
    while time.monotonic() < end:
        batch = rollouts(model, envs, asked.alike, draw.integers(2**31, size=asked.sequences))
        learn(model, optimizer, *batch)
        steps += len(batch[0])
    print(f"{'after training':<26}{mean_slowdown(judge, learned):>10.2f}   ({steps:,} steps)")
    save(model, asked.out)
    # What the engine makes of the file is what was trained.
    seen, _ = judge.reset(seed=0)
    with open(asked.out, "rb") as file:
        engine = switchyard.environments.scores(file.read(), seen)
    with torch.no_grad():
        own = model(torch.from_numpy(seen)).squeeze(-1).numpy()
    print(f"{asked.out}: the engine's scores differ by at most {numpy.abs(engine - own).max():.1e}")


if __name__ == "__main__":
    main()
