"""Breeds a scheduler: an expression of what is known of a job, as a script, by genetic programming.

    python evolve.py --challenge tides --minutes 10 --out best.rhai

The command line tool says what each is worth (`switchyard score --json -`), beside Tiresias' 100. Workloads are drawn anew every
few generations, so that nothing is learnt by heart; at the end the best few are compared on workloads that none has
seen, and the winner is scored on others once more. Standard library only.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Union

# An expression: a name, a number, or an operator with its operands.
Expression = Union[str, float, tuple]  # type: ignore[type-arg]

# What a key reads of a job. None knows how long it will take.
NAMES = ["job.attained", "job.held", "job.gpus", "job.waited", "job.submit"]
BINARY = ["+", "-", "*", "min", "max"]
UNARY = ["log", "step"]
DEEPEST = 6
# A key is computed again so many seconds after the last time, besides at events.
EVERY = 300


def text_of(of: Expression) -> str:
    """An expression in Rhai. All numbers are floats, and none becomes infinite or undefined."""
    if isinstance(of, str):
        return f"to_float({of})"
    if isinstance(of, float):
        return f"({of!r})"
    operator, *operands = of
    parts = [text_of(operand) for operand in operands]
    if operator == "log":
        return f"ln(1.0 + abs({parts[0]}))"
    if operator == "step":
        # In which power of four a number lies: queues, as Tiresias has them.
        return f"floor(ln(1.0 + abs({parts[0]})) / 1.4)"
    if operator == "if":
        return f"if {parts[0]} < {parts[1]} {{ {parts[2]} }} else {{ {parts[3]} }}"
    if operator in ("min", "max"):
        return f"{operator}({parts[0]}, {parts[1]})"
    return f"({parts[0]} {operator} {parts[1]})"


def script_of(of: Expression) -> str:
    """A scheduler: least key first."""
    return f"// Bred by evolve.py.\nconst EVERY = {EVERY};\n\nfn key(job, now) {{\n    {text_of(of)}\n}}\n"


def drawn(rng: random.Random, depth: int) -> Expression:
    """An expression at random."""
    kind = rng.random()
    if depth <= 1 or kind < 0.2:
        return rng.choice(NAMES) if rng.random() < 0.75 else round(math.exp(rng.uniform(-2.0, 10.0)), 2)
    if kind < 0.5:
        return rng.choice(UNARY), drawn(rng, depth - 1)
    if kind < 0.92:
        return rng.choice(BINARY), drawn(rng, depth - 1), drawn(rng, depth - 1)
    return ("if", *(drawn(rng, depth - 1) for _ in range(4)))


def depth_of(of: Expression) -> int:
    """How deep an expression goes."""
    return 1 + max(map(depth_of, of[1:])) if isinstance(of, tuple) else 1


def parts_of(of: Expression) -> list[Expression]:
    """It and all within it."""
    return [of, *(part for operand in of[1:] for part in parts_of(operand))] if isinstance(of, tuple) else [of]


def replaced(of: Expression, rng: random.Random, new: Expression) -> Expression:
    """It with another in the place of some part."""
    if not isinstance(of, tuple) or rng.random() < 0.25:
        return new
    at = rng.randrange(1, len(of))
    return (*of[:at], replaced(of[at], rng, new), *of[at + 1 :])


def varied(of: Expression, rng: random.Random) -> Expression:
    """It with one of its numbers a little changed, or with a part anew."""
    numbers = [part for part in parts_of(of) if isinstance(part, float)]
    if numbers and rng.random() < 0.4:
        old = rng.choice(numbers)
        new = round(old * math.exp(rng.gauss(0.0, 0.5)), 3)

        def exchange(part: Expression) -> Expression:
            if isinstance(part, tuple):
                return (part[0], *map(exchange, part[1:]))
            return new if part == old else part

        return exchange(of)
    return replaced(of, rng, drawn(rng, 3))


class Judge:
    """Scores scripts, as many at once as there are cores."""

    def __init__(self, challenge: str, folder: Path) -> None:
        self.challenge, self.folder = challenge, folder
        self.command = os.environ.get("SWITCHYARD_CLI", "switchyard")
        self.pool = ThreadPoolExecutor(os.cpu_count() or 1)
        self.count = 0

    def score(self, of: Expression, draw: int | None, seeds: int) -> dict[str, float]:
        """What a script makes of workloads of a draw, or of new ones: score, low and high. One that has no score has 0."""
        self.count += 1
        file = self.folder / f"{self.count}.rhai"
        file.write_text(script_of(of))
        command = [self.command, "score", str(file), "--challenge", self.challenge, "--seeds", str(seeds), "--json", "-"]
        command += [] if draw is None else ["--draw", str(draw)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        file.unlink()
        if done.returncode:
            return {"score": 0.0, "low": 0.0, "high": 0.0}
        found: dict[str, float] = json.loads(done.stdout)["challenges"][0]
        return found

    def scores(self, all_of: list[Expression], draw: int, seeds: int) -> list[float]:
        """The same of several."""
        return [of["score"] for of in self.pool.map(lambda of: self.score(of, draw, seeds), all_of)]


def bred(judge: Judge, rng: random.Random, seconds: float, size: int) -> Expression:
    """The best expression that is found in so many seconds."""
    end = time.monotonic() + seconds
    people = [drawn(rng, 4) for _ in range(size)]
    known: dict[str, float] = {}
    best: list[Expression] = []
    generation = 0
    while True:
        if generation % 4 == 0:
            draw, known = rng.randrange(10**12), {}
        new = [of for of in {text_of(of): of for of in people}.values() if text_of(of) not in known]
        known |= zip(map(text_of, new), judge.scores(new, draw, 4))
        people.sort(key=lambda of: (-known[text_of(of)], len(text_of(of))))
        # One of each: the best of each generation stand for the last choice.
        best = [people[0], *(of for of in best if of != people[0])][:12]
        print(f"generation {generation}: {known[text_of(people[0])]:.1f} of draw {draw}: {text_of(people[0])}", flush=True)
        if time.monotonic() > end:
            break

        def chosen() -> Expression:
            # The best of four, by rank.
            return people[min(rng.randrange(len(people)) for _ in range(4))]

        people = people[: size // 8]
        while len(people) < size:
            kind = rng.random()
            child = varied(chosen(), rng) if kind < 0.6 else replaced(chosen(), rng, rng.choice(parts_of(chosen())))
            people.append(drawn(rng, 4) if kind > 0.95 or depth_of(child) > DEEPEST else child)
        generation += 1
    scores = judge.scores(best, rng.randrange(10**12), 20)
    return max(zip(scores, range(len(best)), best))[2]


def main() -> int:
    """Breeds one, writes it, and says what it is worth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--challenge", default="tides")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--size", type=int, default=48, help="schedulers of a generation")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("best.rhai"))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(chosen.challenge, Path(folder))
        # What comes after the last generation takes a part of the time.
        best = bred(judge, random.Random(chosen.seed), 60 * chosen.minutes * 0.95, chosen.size)
        chosen.out.write_text(script_of(best))
        # New workloads, of which nobody knows anything.
        found = judge.score(best, None, 20)
    print(f"{chosen.out}: {found['score']:.1f} on {chosen.challenge} (95 %: {found['low']:.1f} to {found['high']:.1f}); Tiresias: 100")
    return 0 if found["low"] > 100.0 else 1


if __name__ == "__main__":
    sys.exit(main())
