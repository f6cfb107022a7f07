"""Sweeps: every run of a grid, on the cores of this machine or on a Ray cluster, into a folder."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any, Callable, Mapping, Union

from . import _engine
from ._errors import read
from ._function import Function
from ._progress import Progress, following
from ._results import Table
from ._run import Trace, _json, _whole

#: Points that a worker is given at once: enough that Ray's own cost per task is small beside them, and few enough
#: that rows come back as they are made.
_AT_ONCE = 16


class Sweep(Table):
    """What a sweep came to: a table with a row for each run (``docs/sweeps.md``), and where it lies."""

    def __init__(self, native: _engine.Table, folder: Path, failed: int):
        super().__init__(native)
        #: The folder, in which ``results.parquet`` and ``results.csv`` lie.
        self.folder = folder
        #: How many runs failed: ``failure`` and ``error`` say why.
        self.failed = failed

    def __reduce__(self) -> tuple[Any, ...]:
        return Sweep, (self._native, self.folder, self.failed)


def sweep(
    grid: Union[Mapping[str, Any], str, "os.PathLike[str]"],
    folder: Union[str, "os.PathLike[str]"],
    *,
    engine: str = "local",
    threads: int | None = None,
    progress: Progress = None,
) -> Sweep:
    """Runs every point of a grid, and goes on from what the folder knows already.

    grid: ``traces`` (paths, ``sample:NAME``, ``{"files": [..], "window": ..}``, or what :func:`open` gave, by name),
        ``policies`` (no functions: rows outlive the program that has them), and any of ``clusters``, ``parameters`` (by policy), ``loads``, ``seeds``, ``settings``, ``preset``; each a value, a
        list, or a range such as ``"0.5..1.5/11"``. Or the name of a TOML file of that. ``docs/sweeps.md`` describes it. Settings
        have the units that :func:`settings` says: ``mtbf`` is hours.
    folder: where the table is written, and what is known before it is whole. One sweep at a time is at work there, and results
        of more runs than the grid asks for are not replaced.
    engine: ``"local"`` (threads of this process), or ``"ray"`` (the cluster that ``ray.init`` has joined, or else this machine).
    threads: how many runs at once locally [default: one for each core].
    progress: ``True`` shows a bar; a function is called with ``{"stage": "sweep", "done", "failed", "runs"}``, at least once, with the end.

    The table is the same to the bit, whichever engine ran it and in whichever order; its times are in seconds. A run that fails
    is a row that says why. Where seeds change nothing, a warning says so. Raises :class:`InputError` where the grid is wrong or the folder another's, :class:`SwitchyardError` where the
    folder cannot be written to; what was written is safe then, and the next call goes on from it.
    """
    if engine not in ("local", "ray"):
        raise _engine.InputError(f"engine is '{engine}': there are local and ray")
    if threads is not None:
        threads = _whole("threads", threads, 1, 65_535)
    folder = Path(folder).expanduser()
    if isinstance(grid, (str, os.PathLike)):
        path = Path(grid).expanduser()
        try:
            text = read(path).decode()
        except UnicodeDecodeError:
            raise _engine.InputError(f"cannot read {path}: it is no UTF-8") from None
        native = _engine.Sweep(text, True, path.parent, {}, folder)
    else:
        plain, given = _named(grid)
        native = _engine.Sweep(_json(plain), False, Path.cwd(), given, folder)
    try:
        with following(progress) as telling:
            if engine == "local":
                native.run_here(threads, telling)
            else:
                _on_ray(native, telling)
        native.finish()
    finally:
        # Whoever keeps the error keeps `native`.
        native.release()
    idle = native.idle_seeds()
    if idle is not None:
        warnings.warn(idle, stacklevel=2)
    return Sweep(native.table(), folder, native.swept()[1])


def _named(grid: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The grid as plain values, and the traces in it that are open already, by name."""
    grid = dict(grid)
    _check_policies(grid.get("policies"))
    traces = grid.get("traces")
    given: dict[str, Any] = {}
    if isinstance(traces, Trace):
        traces = {traces.facts["title"] or "trace": traces}
    if isinstance(traces, Mapping) and "files" not in traces:
        for name, trace in traces.items():
            if not isinstance(trace, Trace):
                raise _engine.InputError(f"traces[{name!r}] is {trace!r}: by name stands what switchyard.open gave")
            given[name] = trace._native
        grid["traces"] = [{"name": name, "files": [name]} for name in traces]
    elif isinstance(traces, (list, tuple)):
        names = []
        for each in traces:
            if isinstance(each, Trace):
                raise _engine.InputError('traces holds an open trace without a name: traces={"NAME": trace}')
            names.append(os.fspath(each) if isinstance(each, os.PathLike) else each)
        grid["traces"] = names
    return grid, given


def _check_policies(policies: Any) -> None:
    """Refuses functions: a sweep goes on from its folder, and from other machines, by what a row says of itself."""
    several = policies if isinstance(policies, (list, tuple)) else [policies]
    for policy in several:
        if isinstance(policy, Function) or callable(policy):
            name = policy.name if isinstance(policy, Function) else getattr(policy, "__name__", repr(policy))
            raise _engine.InputError(
                f"policies holds {name}, a function: a sweep's rows outlive this program, and nothing in a row could say which "
                "function it was; write it as a script (docs/scripts.md), or call switchyard.run for each point"
            )


#: In a worker: traces by their place in the object store, read once.
_READ: dict[str, _engine.SweptTrace] = {}


def _work(name: str, trace: Any, points: list[tuple[int, bytes]]) -> list[bytes]:
    """In a worker: runs points of a trace that came as bytes."""
    if name not in _READ:
        _READ[name] = _engine.SweptTrace.of(bytes(trace))
    return _engine.run_points(_READ[name], points)


def _on_ray(native: _engine.Sweep, progress: Callable[[dict[str, Any]], Any] | None) -> None:
    import numpy
    import ray

    if not ray.is_initialized():
        ray.init(include_dashboard=False, log_to_driver=False)
    work = ray.remote(max_retries=2)(_work)
    pending = native.pending()
    resources: Any = ray.cluster_resources  # untyped
    workers = max(1, int(resources().get("CPU", 1)))
    at_once = max(1, min(_AT_ONCE, len(pending) // (4 * workers)))
    stored: dict[int, Any] = {}
    batches: list[tuple[int, list[int]]] = []
    for at, trace in pending:
        if trace not in stored:
            # Put once, and read by workers of a node from its shared memory.
            stored[trace] = ray.put(numpy.frombuffer(native.trace(trace).bytes(), dtype=numpy.uint8))
        if batches and batches[-1][0] == trace and len(batches[-1][1]) < at_once:
            batches[-1][1].append(at)
        else:
            batches.append((trace, [at]))
    running: dict[Any, tuple[int, list[int]]] = {}
    waiting = iter(batches)

    def begin(batch: tuple[int, list[int]]) -> None:
        trace, points = batch
        job = work.remote(stored[trace].hex(), stored[trace], [(at, native.point(at)) for at in points])
        running[job] = batch

    # Twice as many tasks as workers: none waits for the driver, and the driver holds few points.
    for _, batch in zip(range(2 * workers), waiting):
        begin(batch)
    try:
        if not running and progress is not None:
            done, failed, runs = native.swept()
            progress({"stage": "sweep", "done": done, "failed": failed, "runs": runs})
        while running:
            ended, _ = ray.wait(list(running), num_returns=1, timeout=1.0)
            for job in ended:
                _, points = running.pop(job)
                try:
                    for row in ray.get(job):
                        native.put(row)
                except ray.exceptions.RayTaskError:
                    raise
                except ray.exceptions.RayError as why:
                    # The worker has died, and those that tried again.
                    said = str(why).strip().splitlines()
                    for at in points:
                        native.lose(at, said[0] if said else type(why).__name__)
                following = next(waiting, None)
                if following is not None:
                    begin(following)
                if progress is not None:
                    done, failed, runs = native.swept()
                    progress({"stage": "sweep", "done": done, "failed": failed, "runs": runs})
    finally:
        # What has come is written, whatever ended it.
        for job in running:
            ray.cancel(job, force=False)
        native.finish()
