"""What a scheduler makes of challenges, on workloads that nobody has seen."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import Any, Sequence

from . import _engine, _shown
from ._function import Policy, several
from ._progress import Progress, following
from ._run import _functions, _named, _whole


@dataclass(frozen=True)
class Times:
    """Seconds, on the mean of workloads; ``figures`` are the two that count in the challenge. Less is better."""

    jct_mean: float
    jct_p95: float
    figures: tuple[float, float]


@dataclass(frozen=True)
class Par:
    """What the best of the published policies makes of a challenge."""

    policy: str
    score: float


@dataclass(frozen=True)
class ChallengeScore:
    """What a scheduler makes of one challenge.

    ``score`` has the 95 % interval from ``low`` to ``high``; 100 is as good as Tiresias. ``own``, ``srtf`` (which knows durations) and
    ``tiresias`` are what the three come to; ``bound_score`` is what no scheduler gets above on these workloads. ``link``, behind the
    address of a page, shows the scheduler on the challenge's open workload; of a function, which no link carries, the two
    others. ``log_hashes`` are the runs' fingerprints, one of each workload.
    """

    name: str
    title: str
    goal: str
    score: float
    low: float
    high: float
    own: Times
    srtf: Times
    tiresias: Times
    srtf_score: float
    par: Par
    bound_score: float
    link: str
    log_hashes: tuple[str, ...]

    @staticmethod
    def _of(figures: dict[str, Any]) -> ChallengeScore:
        def times(of: dict[str, Any]) -> Times:
            first, second = of["figures"]
            return Times(of["jct_mean"], of["jct_p95"], (first, second))

        three = {name: times(figures[name]) for name in ("own", "srtf", "tiresias")}
        own: dict[str, Any] = dict(par=Par(**figures["par"]), log_hashes=tuple(figures["log_hashes"]))
        return ChallengeScore(**(figures | three | own))


class Score:
    """What a scheduler makes of challenges: ``score``, with its 95 % interval from ``low`` to ``high``, and one for each challenge,
    ``score["convoy"]``. 100 is as good as Tiresias.
    """

    def __init__(self, label: str, text: str):
        self._made = (label, text)
        self._text = text
        figures = json.loads(text)
        #: The scheduler's spec, in full; of a function ``function:NAME``.
        self.policy: str = figures["policy"]
        #: The scheduler for people: of a script or a plug-in without its code.
        self.label = label
        #: The number from which the workloads are drawn: the same number, the same score.
        self.draw: int = figures["draw"]
        #: How many of each challenge.
        self.workloads: int = figures["workloads"]
        self.score: float = figures["score"]
        self.low: float = figures["low"]
        self.high: float = figures["high"]
        #: SRTF's on the same workloads, which knows durations.
        self.srtf_score: float = figures["srtf_score"]
        self.challenges: list[ChallengeScore] = [ChallengeScore._of(of) for of in figures["challenges"]]

    def __reduce__(self) -> tuple[Any, ...]:
        return Score, self._made

    @property
    def reproducible(self) -> bool:
        """Whether others can score it by ``policy``: not where a function decides, which no text carries."""
        return not self.policy.startswith("function:")

    def __getitem__(self, challenge: str) -> ChallengeScore:
        """One challenge's, by its name."""
        for of in self.challenges:
            if of.name == challenge:
                return of
        raise KeyError(f"there is no score on '{challenge}': there are {', '.join(of.name for of in self.challenges)}")

    def to_json(self) -> str:
        """The JSON that ``switchyard score --json`` writes."""
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        plain: dict[str, Any] = json.loads(self._text)
        return plain

    def __repr__(self) -> str:
        note = "" if self.reproducible else ", not reproducible elsewhere"
        return f"<switchyard.Score: {self.label}, {self.score:.1f} (95 %: {self.low:.1f} to {self.high:.1f}), draw {self.draw}{note}>"

    def _repr_html_(self) -> str:
        return _shown.scores(self)


def score(
    policy: Policy,
    challenge: str | Sequence[str] | None = None,
    *,
    seeds: int = _engine.WORKLOADS,
    draw: int | None = None,
    progress: Progress = None,
) -> Score:
    """What a scheduler makes of challenges (``docs/challenges.md``), as ``switchyard score --json`` says it.

    policy: one, as of :func:`run`: a spec, ``"script:mine.rhai"``, what :func:`script` or :func:`plugin` gives, or a function. A
        function has to do the same in each run: what it keeps stands in ``view.state`` and ``job.memo``.
    challenge: a name, such as ``"convoy"``, or several; without one all ten.
    seeds: how many workloads of each are drawn: more make the interval narrower.
    draw: the number that they are drawn from, 0 to 999,999,999,999. The same number gives the same score; without it they are new
        ones. To compare two schedulers, score both with one draw.
    progress: ``True`` shows a bar; a function is called about twenty times a second, and at the end, with ``{"stage": "score", "run",
        "runs", "done", "jobs"}``.

    Raises :class:`InputError` where something asked for is wrong, or the scheduler is an oracle, and :class:`RunError` where it does
    not run all jobs to their end: then it has no score.
    """
    asked = several(policy if isinstance(policy, (list, tuple)) else [policy])
    if len(asked) != 1:
        raise _engine.InputError(f"score takes one policy, and was given {len(asked)}: score each by itself, with the same draw")
    names = [] if challenge is None else [challenge] if isinstance(challenge, str) else list(challenge)
    workloads = _whole("seeds", seeds, 2, _engine.MOST_WORKLOADS)
    number = secrets.randbelow(_engine.MOST_DRAW + 1) if draw is None else _whole("draw", draw, 0, _engine.MOST_DRAW)
    [spec], [function] = _named(asked), _functions(asked)
    with following(progress) as telling:
        return Score(*_engine.score(spec, function, names, workloads, number, telling))
