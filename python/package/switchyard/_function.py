"""Policies that are functions: ``key(job, now)``, ``keys(jobs, now)`` and ``plan(view)``."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, replace
from typing import Any, Callable, Literal, Mapping, Sequence, Union

from numpy.typing import ArrayLike

from . import _engine
from ._engine import Job, Jobs, View

Changes = Literal["never", "running", "always"]
Explain = Callable[[Job, float], Union[str, Mapping[str, object]]]


@dataclass(frozen=True)
class Function:
    """A function as a policy, for ``policies``: what :func:`key`, :func:`keys` and :func:`plan` give.

    It runs where it is written and nowhere else: no link, file or sweep carries it, and ``Run.reproducible`` is ``False``.
    """

    form: Literal["key", "keys", "plan"]
    function: Callable[..., Any]
    name: str
    preemptive: bool = True
    backfill: bool = True
    every: float = 0.0
    oracle: bool = False
    changes: Changes = "always"
    placement: str | None = None
    explain: Explain | None = None
    adaptive: bool = False

    def __post_init__(self) -> None:
        if not (self.every == 0 or 1 <= self.every < float("inf")):
            raise _engine.InputError(f"{self.name}: every is {self.every!r}: it takes seconds from 1, or 0")
        if self.changes not in ("never", "running", "always"):
            raise _engine.InputError(f"{self.name}: changes is {self.changes!r}: it takes never, running or always")

    @property
    def spec(self) -> str:
        """What the engine goes by besides the function: whether it is an oracle, whether it trains jobs, and the placement."""
        given = [f"name={self.name}"]
        if self.oracle:
            given.append("oracle=true")
        if self.adaptive:
            given.append("adaptive=true")
        if self.placement is not None:
            given.append(f"placement={self.placement}")
        return f"script[{','.join(given)}]"


def key(
    function: Callable[[Job, float], float],
    *,
    name: str | None = None,
    preemptive: bool = True,
    backfill: bool | None = None,
    every: float = 0.0,
    oracle: bool = False,
    changes: Changes = "always",
    placement: str | None = None,
    explain: Explain | None = None,
) -> Function:
    """A function ``key(job, now)`` as a policy: it gives each job a number, and jobs with the least run first, equal ones in
    order of submission. Gangs that fit run in that order.

    name: what results call it [default: the function's].
    preemptive: running jobs further down give way; ``False``: they stay.
    backfill: jobs that fit overtake one before them that does not [default: as ``preemptive``].
    every: seconds between decisions besides one at every event; from 1, or 0.
    oracle: it sees ``job.duration`` and ``job.remaining``, which no real scheduler knows.
    changes: when a job's number may change: ``"always"``, while it is ``"running"`` alone (``job.attained``, ``held``,
        ``remaining``, ``rate``), or ``"never"`` (``job.gpus``, ``submit``, ``tenant``, ``duration``); the function is asked
        no more often than that takes.
    placement: how gangs are laid, as of any policy [default: the run's].
    explain: ``explain(job, now)``, words or a dictionary of values behind a job's number, for whoever asks why; the function
        itself can tell such with ``job.note("what", value)``.
    """
    return Function(
        "key",
        function,
        _name(function, name),
        preemptive,
        preemptive if backfill is None else backfill,
        every,
        oracle,
        changes,
        placement,
        explain,
    )


def keys(
    function: Callable[[Jobs, float], ArrayLike],
    *,
    name: str | None = None,
    preemptive: bool = True,
    backfill: bool | None = None,
    every: float = 0.0,
    oracle: bool = False,
    changes: Changes = "always",
    placement: str | None = None,
    explain: Explain | None = None,
) -> Function:
    """A function ``keys(jobs, now)`` as a policy: one call for all jobs, with a NumPy array for each property
    (``jobs.attained``, float64 or int64 or bool; ``jobs.name`` is a list), that gives an array of as many numbers. Else as
    :func:`key`.
    """
    return Function(
        "keys",
        function,
        _name(function, name),
        preemptive,
        preemptive if backfill is None else backfill,
        every,
        oracle,
        changes,
        placement,
        explain,
    )


def plan(
    function: Callable[[View], object],
    *,
    name: str | None = None,
    backfill: bool = True,
    every: float = 0.0,
    oracle: bool = False,
    adaptive: bool = False,
    placement: str | None = None,
    explain: Explain | None = None,
) -> Function:
    """A function ``plan(view)`` as a policy: it decides the whole, by ``view.start(job)``, ``view.stop(job)``, ``view.walk(order)``
    and so on. What it keeps from one decision to the next stands in ``view.state``, a dictionary that is empty at the
    beginning of each run, and in ``job.memo``.

    backfill: in a walk, jobs that fit overtake one before them that does not.
    adaptive: it gives adaptive jobs other GPUs and batches (``view.train(job, gpus)``); jobs of plain traces get applications, as
        under Pollux.
    name, every, oracle, placement, explain: as of :func:`key`.
    """
    return Function(
        "plan",
        function,
        _name(function, name),
        backfill=backfill,
        every=every,
        oracle=oracle,
        placement=placement,
        explain=explain,
        adaptive=adaptive,
    )


Policy = Union[str, Function, Callable[[Job, float], float], Callable[[Jobs, float], ArrayLike], Callable[[View], object]]

#: How a bare function is told by what its parameters are called.
_FORMS: dict[tuple[str, ...], Callable[[Any], Function]] = {("job", "now"): key, ("jobs", "now"): keys, ("view",): plan}


def several(policies: Policy | Sequence[Policy] | None) -> list[str | Function]:
    """Policies as a list, functions as such; no two functions have one name."""
    given: Sequence[Any] = [policies] if isinstance(policies, str) or callable(policies) else _listed(policies)
    named: set[str] = set()
    found: list[str | Function] = []
    for each in given:
        policy = each if isinstance(each, (str, Function)) else _of_bare(each)
        if isinstance(policy, Function):
            name, at = policy.name, 2
            while name in named:
                name, at = f"{policy.name} {at}", at + 1
            named.add(name)
            policy = replace(policy, name=name)
        found.append(policy)
    return found


def _listed(policies: Any) -> list[Any]:
    return [policies] if isinstance(policies, Function) else list(policies or ())


def _of_bare(function: Any) -> Function:
    if not callable(function):
        raise _engine.InputError(f"a policy is {function!r}: it takes text, or a function")
    try:
        takes = tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        takes = ()
    form = _FORMS.get(takes)
    if form is None:
        raise _engine.InputError(
            f"{_name(function, None)} takes ({', '.join(takes)}): a policy is a function key(job, now), keys(jobs, now) or "
            "plan(view), by these names of parameters; or say which with switchyard.key(…), switchyard.keys(…), switchyard.plan(…)"
        )
    return form(function)


def _name(function: Any, name: str | None) -> str:
    """A name without what specs give a meaning to."""
    if name is None:
        name = getattr(function, "__name__", type(function).__name__)
    return re.sub(r"[\[\],=<>\x00-\x1f\x7f]+", " ", name).strip() or "function"
