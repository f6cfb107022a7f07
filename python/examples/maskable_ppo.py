"""Trains a job picker with sb3-contrib's MaskablePPO: the network of RLScheduler (Zhang et al., SC'20), one of 961 parameters
that scores each job by itself.

    pip install ./python sb3-contrib          # brings PyTorch: gigabytes, so that no test of ours runs this
    python python/examples/maskable_ppo.py --minutes 3

Says the mean bounded slowdown of episodes that nothing was trained on: before, after, and of two rules.
"""

import argparse
import time

import gymnasium
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback

from switchyard.environments import FEATURES, ID, VISIBLE, first_come_first_served, mean_slowdown, shortest_job_first

#: Of the episodes that are judged.
SEEDS = range(1_000_000, 1_000_020)


class EachJob(torch.nn.Module):
    """The same small network for each job: its score."""

    def __init__(self):
        super().__init__()
        sizes = [FEATURES, 32, 16, 8, 1]
        layers = []
        for before, after in zip(sizes, sizes[1:]):
            layers += [torch.nn.Linear(before, after), torch.nn.ReLU()]
        self.score = torch.nn.Sequential(*layers[:-1])

    def forward(self, seen):
        return self.score(seen.reshape(-1, VISIBLE, FEATURES)).squeeze(-1)


class Picker(MaskableActorCriticPolicy):
    """Scores by :class:`EachJob`; what is to come by a network that sees all jobs at once."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **(options | dict(net_arch=[])))

    def _build(self, lr_schedule):
        super()._build(lr_schedule)
        self.action_net = EachJob()
        self.value_net = torch.nn.Sequential(
            torch.nn.Linear(VISIBLE * FEATURES, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)
        )
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


class For(BaseCallback):
    """Ends the training after so many seconds."""

    def __init__(self, seconds):
        super().__init__()
        self.end = time.monotonic() + seconds

    def _on_step(self):
        return time.monotonic() < self.end


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--jobs", type=int, default=256)
    parser.add_argument("--backfill", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    how = dict(jobs=asked.jobs, backfill=asked.backfill)
    # Jobs to judge by are of another drawn trace.
    env, judge = gymnasium.make(ID, **how), gymnasium.make(ID, lublin=2, **how).unwrapped
    model = MaskablePPO(
        Picker, env, n_steps=4096, batch_size=512, n_epochs=5, learning_rate=1e-3, gamma=1.0, gae_lambda=0.97, seed=asked.seed
    )

    def learned(seen, mask):
        return int(model.predict(seen, deterministic=True, action_masks=mask.astype(bool))[0])

    rules = {
        "first come, first served": first_come_first_served,
        "shortest job first": shortest_job_first,
        "before training": learned,
    }
    for name, rule in rules.items():
        print(f"{name:<26}{mean_slowdown(judge, rule, SEEDS):>10.2f}", flush=True)
    model.learn(10**9, callback=For(60 * asked.minutes))
    print(f"{'after training':<26}{mean_slowdown(judge, learned, SEEDS):>10.2f}   ({model.num_timesteps:,} steps)")


if __name__ == "__main__":
    main()
