"""Opening traces, running policies on them, and what there is to choose from."""

from __future__ import annotations

import functools
import json
import operator
import os
import re
import warnings
from typing import IO, Any, Callable, Mapping, Sequence, Union

from numpy.typing import ArrayLike

from . import _engine
from ._function import Function, Policy, several
from ._progress import Progress, following
from ._results import Results, Table
from ._shown import counted
from ._sources import Jobs, Source, content, rows, sources

#: Values for each job, or a function of the jobs that gives such.
Values = Union[ArrayLike, Callable[[Table], ArrayLike]]

_UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


class Trace:
    """Jobs, ready to run, with what came along; made by :func:`open`. Pickling it takes the jobs along, not the
    files."""

    def __init__(self, native: _engine.Trace):
        self._native = native

    def __reduce__(self) -> tuple[Any, ...]:
        return Trace, (self._native,)

    def __len__(self) -> int:
        return len(self._native)

    @functools.cached_property
    def facts(self) -> dict[str, Any]:
        """What the trace turned out to be: ``format``, ``jobs``, ``gpu_hours``, ``cluster``, ``tenants``, ``report``, …"""
        return dict(json.loads(self._native._facts()))

    @functools.cached_property
    def jobs(self) -> Table:
        """A row for each job, in order of submission: ``job``, ``tenant``, ``model``, ``gpus``, ``submit_s``,
        ``duration_s`` (seconds at the GPUs asked for), ``requested_s`` (seconds asked for; NaN where the trace does not tell). Where
        the trace tells them of any job: ``user``, ``account``, ``partition``, ``qos``, ``reservation``, ``recorded_wait_s``."""
        return Table(self._native._jobs())

    @staticmethod
    def from_jobs(jobs: Jobs, *, progress: Progress = None, **options: Any) -> Trace:
        """A trace of jobs as Python has them.

        jobs: rows (dictionaries by column), columns (a dictionary of lists or arrays), a table (of pyarrow, pandas or polars, and
            ``trace.jobs``: what has ``__arrow_c_stream__``), or a file. Columns are recognised by their names, such as those of
            ``trace.jobs``: ``job``, ``tenant``, ``model``, ``gpus``, ``submit_s``, ``duration_s``, ``requested_s``; ``map`` says
            which is which otherwise.
        options: as of :func:`open`.
        """
        return _open(rows(jobs), (), progress, options)

    def filter(self, keep: Values) -> Trace:
        """The same trace with some of its jobs: those for which ``keep`` is true.

        keep: a value for each job, or a function of ``trace.jobs``: ``lambda jobs: jobs["gpus"] <= 8``.

        Times are since the first job that is left. Cluster and settings stay, as the trace's file has them.
        """
        return Trace(self._native._chosen([bool(of) for of in self._values(keep)]))

    def edit(self, **columns: Values) -> Trace:
        """The same jobs with other values: ``trace.edit(duration_s=lambda jobs: 2 * jobs["duration_s"])``.

        columns: of ``job``, ``tenant``, ``gpus``, ``submit_s``, ``duration_s``, ``requested_s`` (NaN: none), a value for each job, or a
            function of ``trace.jobs`` that gives such.

        When jobs ran is forgotten where that is no longer theirs.
        """
        return Trace(self._native._edited([(name, list(self._values(values))) for name, values in columns.items()]))

    def _values(self, values: Values) -> list[Any]:
        given: Any = values(self.jobs) if callable(values) else values
        return list(given.tolist() if hasattr(given, "tolist") else given)

    def run(self, policies: Policy | Sequence[Policy] | None = None, **options: Any) -> Results:
        """As :func:`run`, of this trace."""
        return _run(self, policies, **options)

    def start(
        self,
        at: float,
        policies: Policy | Sequence[Policy] | None = None,
        *,
        job: str | None = None,
        gpus: int | None = None,
        user: str | None = None,
        queue: str | None = None,
        limit: float | None = None,
        draws: int = 200,
        helps: bool = True,
        weights: bytes | str | os.PathLike[str] | IO[bytes] | None = None,
        progress: Progress = None,
        **options: Any,
    ) -> list[dict[str, Any]]:
        """When a job would start under each policy, as ``switchyard start --json`` says it: a distribution from many runs.

        policies: as of :func:`run`. A function is called in many runs, on several threads by turns: what it keeps stands in
            ``view.state`` and ``job.memo``, and nowhere else.
        at: the moment, seconds since the first submission.
        job: one of the trace, by its name; without it one is added at the moment.
        gpus, user, queue, limit: what the job wishes (``limit``: seconds that it asks for); of a job of the trace only what is
            to be otherwise.
        draws: how many runs.
        helps: whether to try what would help: fewer GPUs, other queues, half the limit.
        progress: ``True`` shows a bar; a function is called about twenty times a second, with ``{"stage": "start", "policy", "done", "draws"}``.
        options: as of :func:`run`.

        Each answer has ``p05``, ``p50``, ``p90`` and ``p95`` (seconds since the first submission; None: it may never),
        ``at_once``, ``never``, ``before``, ``basis``, ``plain`` and ``help``. Raises :class:`InputError` where nobody can say.
        """
        asked = several(policies)
        own = _weighed(asked, weights, options)
        wished = (None if gpus is None else _whole("gpus", gpus, 0, 2**32 - 1), user, queue, limit)
        count = _whole("draws", draws, 1, 100_000)
        with following(progress) as telling:
            told = _engine.start(
                self._native, _json(options), _functions(asked), float(at), job, wished, count, bool(helps), own, telling
            )
        return list(json.loads(told))

    def explain(
        self,
        job: str,
        at: float,
        policies: Policy | Sequence[Policy] | None = None,
        *,
        weights: bytes | str | os.PathLike[str] | IO[bytes] | None = None,
        **options: Any,
    ) -> list[dict[str, Any]]:
        """Why a job runs or waits at a moment under each policy, in that policy's own numbers, as ``switchyard why --at --json``
        says it.

        job: one of the trace, by its name.
        at: the moment, seconds since the first submission.
        options: as of :func:`run`.

        Each answer has ``policy``, ``verdict``, ``facts`` (each with ``term``, ``value``, ``jobs``; what a function's ``explain``
        says among them) and ``slow``.
        """
        asked = several(policies)
        own = _weighed(asked, weights, options)
        return list(json.loads(_engine.explain(self._native, _json(options), _functions(asked), job, float(at), own)))

    def why(
        self,
        policies: Policy | Sequence[Policy] | None = None,
        *,
        job: str | None = None,
        by: str | None = None,
        weights: bytes | str | os.PathLike[str] | IO[bytes] | None = None,
        progress: Progress = None,
        **options: Any,
    ) -> list[dict[str, Any]]:
        """What a job's whole life was spent on under each policy, or those of all jobs, as ``switchyard why --whole --json``
        says it.

        job: one of the trace, by its name; without it all jobs together.
        by: all jobs by ``user``, ``account``, ``partition``, ``qos``, ``reservation``, ``tenant``, ``model``, ``gpu-type``,
            ``gang`` or ``queue``.
        progress: ``True`` shows a bar; a function is called about twenty times a second, with ``{"stage": "why", "policy", "run", "runs", "done", "jobs"}``.
        options: as of :func:`run`.

        Of a job each answer has ``seconds`` and ``parts``. Of all jobs it has ``groups``, each with ``name``, ``jobs``,
        ``gpu_hours``, ``waited_gpu_hours`` and ``parts``. A part has ``spent`` (``running``, ``slowed``, ``restarting``,
        ``outranked``, ``behind-head``, ``fragmentation``, ``quota``, ``nodes-away``, …), ``law`` (what slowed), ``amount``
        (seconds, or GPU-hours), ``share``, and ``by``: which jobs caused how much, most first.
        """
        if job is not None and by is not None:
            raise _engine.InputError("job and by cannot both be given: a job is in one group")
        asked = several(policies)
        own = _weighed(asked, weights, options)
        with following(progress) as telling:
            told = _engine.why(self._native, _json(options), _functions(asked), job, by, own, telling)
        return list(json.loads(told))

    def __repr__(self) -> str:
        facts = self.facts
        hours = counted(f"{facts['gpu_hours']:.0f} GPU-hours", facts)
        return f"<switchyard.Trace: {facts['jobs']} jobs ({facts['format']}), {hours}>"


def _named(policies: Sequence[str | Function]) -> list[str]:
    """Policies as the engine reads them: ``script:FILE`` and ``plugin:FILE`` with what stands in the file."""
    return [policy.spec if isinstance(policy, Function) else _engine.of_files(policy) for policy in policies]


def _functions(policies: Sequence[str | Function]) -> list[Function | None]:
    """What decides in the place of policies that are functions."""
    return [policy if isinstance(policy, Function) else None for policy in policies]


def _weighed(
    policies: Sequence[str | Function],
    weights: bytes | str | os.PathLike[str] | IO[bytes] | None,
    options: dict[str, Any],
) -> bytes | None:
    """Puts policies and a name of weights among the options; the content of weights of one's own."""
    options["policies"] = _named(policies) or None
    if weights is None or isinstance(weights, str):
        options["weights"] = weights
        return None
    return content(weights)


def open(
    source: Source | Sequence[Source],
    *more: Source,
    progress: Progress = None,
    **options: Any,
) -> Trace:
    """Opens a trace.

    source: a file's path (``~`` is home), an address such as ``s3://bucket/trace.csv`` (where fsspec is installed), ``sample:NAME``, what has ``read()``, bytes, ``(name, bytes)``, a table (of
        pyarrow, pandas or polars: what has ``__arrow_c_stream__``, where pyarrow is installed), or several of
        them: a trace in parts, or with its cluster, profiles or outages. Formats and archives are recognised by what stands
        in them, Parquet and Arrow (Feather) too.
    progress: ``True`` shows how far it is; a function is called about twenty times a second, and at the end, with ``{"stage": "open", "bytes", "jobs"}``.
    options: ``member``, ``map`` (a text or a dictionary, which column holds what), ``max_rows``, ``max_bytes``,
        ``window`` (``"1d..36h"``; plain numbers are seconds), ``tenants``, ``users``, ``accounts``, ``partitions``, ``qos``,
        ``reservations``, ``statuses``, ``unit`` (``"cores"`` counts cores in the place of GPUs), ``fractions``, ``oversized``,
        ``cluster``.

    Raises :class:`InputError`, with the beginning of the table in ``table`` where its columns are not known; of a file that is
    not there it is a ``FileNotFoundError``, too.
    """
    return _open(source, more, progress, options)


#: Reasons for which rows are left out by choice.
_CHOSEN = {"outside_window", "other_tenant", "other_label", "other_status", "fractional", "on_cores_left_out", "larger_than_cluster"}


def _open(source: Any, more: tuple[Any, ...], progress: Progress, options: dict[str, Any]) -> Trace:
    given = sources(source, more)
    if len(given) == 1 and isinstance(given[0], str) and given[0].startswith("sample:"):
        return Trace(_engine.sample(given[0].removeprefix("sample:"), _json(options)))
    with following(progress) as telling:
        trace = Trace(_engine.open(given, _json(options), telling))
    report = trace.facts["report"]
    dropped = [of for of in report["dropped"] if of["reason"] not in _CHOSEN]
    left_out = sum(of["count"] for of in dropped)
    if left_out:
        why = ", ".join(f"{of['count']:,} {of['reason'].replace('_', ' ')}" for of in dropped)
        # Above: `open` or `Trace.from_jobs`, and whoever called that.
        warnings.warn(
            f"{left_out:,} of {report['rows_read']:,} rows were left out ({why}): trace.facts['report']['dropped'] says which",
            stacklevel=3,
        )
    return trace


def inspect(
    source: Source | Sequence[Source],
    *more: Source,
    progress: Progress = None,
    **options: Any,
) -> dict[str, Any]:
    """What a trace is and holds, as ``switchyard inspect --json`` says it; options as of :func:`open`."""
    with following(progress) as telling:
        return dict(json.loads(_engine.inspect(sources(source, more), _json(options), telling)))


def run(
    trace: Trace | Source,
    policies: Policy | Sequence[Policy] | None = None,
    *,
    cluster: str | None = None,
    seed: int | None = None,
    load: float | None = None,
    preset: str | None = None,
    by: str | Sequence[str] | None = None,
    weights: bytes | str | os.PathLike[str] | IO[bytes] | None = None,
    log_budget: int | str | None = None,
    stays: bool = True,
    threads: int = 1,
    progress: Progress = None,
    **options: Any,
) -> Results:
    """Runs policies on a trace, one after the other or several at once, to their end. Other threads go on meanwhile; Ctrl-C stops it.

    trace: what :func:`open` gave, or what it takes.
    policies: such as ``"tiresias-las[queues=2,threshold=57600]"``, ``"script:mine.rhai"``, a function ``key(job, now)``,
        ``keys(jobs, now)`` or ``plan(view)``, or several (:func:`key`, :func:`keys`, :func:`plan`, :func:`script`,
        :func:`plugin`: those of one's own); without any those of the trace's file, or else ``fifo`` and ``tiresias-las``.
    cluster: ``NODESxGPUS`` (``16x4``, ``8x8:v100+4x4:a100``), a published one by name, or a file of one; without one that of
        the trace, or else a guess.
    seed: of everything that is drawn. Where nothing is (no failures by chance, no policy that draws), it changes nothing.
    load: how many times as fast as recorded jobs come.
    preset: the semantics of a published simulator, such as ``reference-nsdi19``.
    weights: a file of safetensors for what has learned (``graph-rl``, ``rl-picker``), as bytes, a ``Path`` or what has
        ``read()``; or ``"shipped"``.
    log_budget: how large the log of a run may become, bytes or ``"4GB"`` [default: 1 GiB].
    stays: whether to keep who held GPUs when (``Run.stays``).
    threads: how many policies run at once, each with a log of its own in memory. A function of Python's waits for the others'.
    progress: ``True`` shows a bar, in a terminal or a notebook; a function is called about twenty times a second, and at each run's end, with ``{"stage": "run", "policy", "run", "runs", "done", "jobs", "now"}``
        (``now``: seconds of the run's clock).
    by: ``"user"``, ``"account"``, ``"partition"``, ``"qos"``, ``"reservation"``, ``"tenant"``, ``"model"``, ``"gpu-type"``, ``"gang"``, or
        several: figures by these too, ``run["by"]["user"]``; ``"queue"``: what the tree of queues did, ``run["by_queue"]``.
    options: every setting, as :func:`settings` names them with its ``unit``, and ``definitions``, ``histories``. Most times are
        seconds (``restart_cost=30``), but nodes fail in **hours**: ``mtbf=500, mttr=4`` is up for 500 hours on the mean, then
        down for four.

    A policy whose run does not come to its end costs the others nothing: the results have those that did, ``Results.failed``
    the others, and a warning says so. Whatever ends them early (Ctrl-C, an error of ``progress``) has the finished ones as its
    ``results``. Raises :class:`RunError` where none comes to its end, and :class:`InputError` where
    something asked for is wrong.
    """
    return _run(
        trace,
        policies,
        cluster=cluster,
        seed=seed,
        load=load,
        preset=preset,
        by=by,
        weights=weights,
        log_budget=log_budget,
        stays=stays,
        threads=threads,
        progress=progress,
        **options,
    )


def _run(
    trace: Trace | Source,
    policies: Policy | Sequence[Policy] | None,
    *,
    weights: Any = None,
    log_budget: int | str | None = None,
    stays: bool = True,
    threads: int = 1,
    progress: Progress = None,
    **options: Any,
) -> Results:
    if not isinstance(trace, Trace):
        trace = open(trace)
    asked = several(policies)
    own = _weighed(asked, weights, options)
    how = dict(log_budget=_bytes(log_budget), stays=bool(stays), threads=_whole("threads", threads, 1, 65_535))
    with following(progress) as telling:
        text, ended, failed, stopped = _engine.run(trace._native, _json(options), _functions(asked), own, how, telling)
    names = [policy.name if isinstance(policy, Function) else policy for policy in asked]
    if stopped is not None:
        # What has ended is not lost with it.
        setattr(stopped, "results", Results(text, ended, failed, names))
        raise stopped
    said = "; ".join(f"{policy}: {why}" for _, policy, why in failed)
    if failed and not ended:
        raise failed[0][2] if len(failed) == 1 else _engine.RunError(f"no run came to its end: {said}")
    if failed:
        runs = len(ended) + len(failed)
        # Above: `run` or `Trace.run`, and whoever called that.
        warnings.warn(f"{len(failed)} of {runs} runs failed, the results are of the others: {said}", stacklevel=3)
    return Results(text, ended, failed, names)


def policies() -> list[dict[str, Any]]:
    """Every policy: ``name``, ``title``, ``summary``, ``source``, ``oracle``, ``replays``, ``params``."""
    return list(json.loads(_engine.policies()))


def canonical(policy: str) -> str:
    """A policy as results and tables spell it: ``tiresias-las[threshold=3600,queues=2]`` is ``tiresias-las[threshold=3600]``."""
    return _engine.canonical(policy)


def metrics() -> list[dict[str, Any]]:
    """The metrics of runs: ids, titles, units, formulas, which way is better, and where they stand in a run's figures."""
    return list(json.loads(_engine.metrics()))


def placements() -> list[dict[str, Any]]:
    """Every placement: ``name``, ``summary``."""
    return list(json.loads(_engine.placements()))


def settings() -> list[dict[str, Any]]:
    """Every setting of runs: ``key``, ``label``, ``unit``, ``takes``, ``default``, ``help``."""
    return list(json.loads(_engine.settings()))


def samples() -> list[dict[str, Any]]:
    """Every sample, which opens as ``sample:NAME``: ``name``, ``title``, ``summary``, ``cluster``."""
    return list(json.loads(_engine.samples()))


def _whole(what: str, given: Any, least: int = 0, most: int = 2**63 - 1) -> int:
    """A whole number within bounds, or an error that names them."""
    try:
        number = operator.index(given)
    except TypeError:
        number = None
    if number is None or not least <= number <= most:
        raise _engine.InputError(f"{what} is {given!r}: it takes a whole number from {least} to {most}")
    return number


def _json(options: Mapping[str, Any]) -> str:
    """Options as JSON; NumPy's numbers are numbers, and what iterates is a list."""

    def plain(value: Any) -> Any:
        if hasattr(value, "tolist"):
            return value.tolist()
        if isinstance(value, os.PathLike):
            return os.path.expanduser(os.fspath(value))
        if isinstance(value, (set, frozenset, range, tuple)):
            return sorted(value) if isinstance(value, (set, frozenset)) else list(value)
        raise _engine.InputError(f"an option is {value!r}: it takes text, numbers, lists and dictionaries of them")

    try:
        return json.dumps(options, default=plain, allow_nan=False)
    except ValueError as why:
        raise _engine.InputError(f"an option is no number: {why}") from None


def _bytes(size: int | str | None) -> int | None:
    if size is None:
        return None
    if not isinstance(size, str):
        return _whole("log_budget", size)
    found = re.fullmatch(r"\s*([0-9]{1,18}(?:\.[0-9]*)?)\s*([a-z]*)\s*", size.lower())
    unit = _UNITS.get(found[2] if found[2] != "b" else "") if found else None
    if not found or unit is None:
        raise _engine.InputError(f"log_budget is '{size}': it takes bytes, such as 500000000, 500MB or 4GB")
    return _whole("log_budget", int(float(found[1]) * unit))
