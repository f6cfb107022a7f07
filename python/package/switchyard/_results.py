"""What comes of runs: figures as plain values, columns as tables. All of it can be pickled."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NoReturn, Sequence, overload

import numpy
from numpy.typing import NDArray

from . import _engine, _shown

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Table:
    """Named columns of one length.

    ``table["jct_s"]`` is a NumPy array (numbers are not copied, and cannot be written to). Whatever reads Arrow takes
    the table as it is: ``pyarrow.table(table)``, ``polars.DataFrame(table)``, DuckDB. For pandas there is :meth:`to_pandas`.
    """

    def __init__(self, native: _engine.Table):
        self._native = native

    @property
    def columns(self) -> list[str]:
        """The columns' names, in order."""
        return self._native.columns

    def __len__(self) -> int:
        return len(self._native)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def keys(self) -> list[str]:
        """The columns' names, so that ``dict(table)`` has the columns."""
        return self.columns

    @overload
    def __getitem__(self, column: str) -> NDArray[Any]: ...

    @overload
    def __getitem__(self, column: slice) -> Table: ...

    def __getitem__(self, column: str | slice) -> NDArray[Any] | Table:
        """A column by its name; rows by a slice, ``table[10:20]``."""
        if isinstance(column, slice):
            return _table({name: self[name][column] for name in self.columns})
        return self._native[column]

    def head(self, rows: int = 5) -> Table:
        """The first rows."""
        return self[:rows]

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        # pandas.DataFrame(table) asks for it, and would take the columns' names for the table otherwise.
        raise TypeError(
            "a table's columns are of several types, so it is no one array: take table.to_pandas(), "
            'table.to_numpy() (each column by name) or one column, table["jct_s"]'
        )

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self._native,)

    def __repr__(self) -> str:
        return repr(self._native)

    def _repr_html_(self) -> str:
        return _shown.rows(self.head(10).to_numpy(), len(self))

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        """Each column, by name; numbers of float64, uint32 and bool, texts as objects."""
        return {column: self[column] for column in self.columns}

    def to_arrow(self) -> pyarrow.Table:
        """A ``pyarrow.Table``, without copying."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """A ``pandas.DataFrame``."""
        import pandas

        return pandas.DataFrame(self.to_numpy())

    def to_polars(self) -> polars.DataFrame:
        """A ``polars.DataFrame``."""
        import polars

        return polars.DataFrame(self)


def _table(columns: Mapping[str, NDArray[Any]]) -> Table:
    """Columns of the kinds that tables have, as a table."""
    return Table(_engine.Table._of_columns(list(columns), [numpy.ascontiguousarray(values) for values in columns.values()]))


class Run:
    """One run: ``figures`` as the command line's JSON has them, ``jobs``, and ``stays`` where they were asked for.

    ``over_time`` has a row for each moment ``time_s`` (seconds) at which the queue or the GPUs held change: ``waiting`` jobs, and
    ``gpus`` held, until the next.
    """

    def __init__(
        self,
        figures: dict[str, Any],
        jobs: Table,
        stays: Table | None,
        over_time: Table,
        cluster: dict[str, Any],
        asked: str | None = None,
    ):
        self.figures = figures
        #: The policy as it was asked for.
        self.asked: str = asked or figures["policy"]
        self.jobs = jobs
        self.stays = stays
        self.over_time = over_time
        self.cluster = cluster

    @property
    def policy(self) -> str:
        """The policy, with all parameters that are not at their defaults."""
        return str(self.figures["policy"])

    @property
    def reproducible(self) -> bool:
        """Whether others can run it by ``policy``: not where a function decides, which no text carries."""
        return not self.policy.startswith("function:")

    @property
    def label(self) -> str:
        """The policy for people: of a script or a plug-in without its code."""
        return str(self.figures["label"])

    @property
    def summary(self) -> dict[str, Any]:
        """The run in numbers, times in seconds: ``jct``, ``queueing``, ``makespan``, …; ``None`` for what cannot be known.

        Where ``finished`` is below ``jobs`` the run has left jobs behind: its means are of fewer jobs than another's.
        """
        return {name: self.figures[name] for name in _summary() if name in self.figures}

    @property
    def log_hash(self) -> str:
        """A fingerprint of everything that happened, 16 hexadecimal digits."""
        return str(self.figures["log_hash"])

    def to_dict(self) -> dict[str, Any]:
        """The figures, as plain values."""
        return self.figures

    def __getitem__(self, figure: str) -> Any:
        """A figure by its name, or a metric by its id (``run["jct_mean"]``) or a former name."""
        if figure in self.figures:
            return self.figures[figure]
        path = _paths().get(figure.replace("-", "_"))
        if path is None:
            raise KeyError(f"a run has no figure '{figure}': switchyard.metrics() lists the metrics")
        found: Any = self.figures
        for key in path.split("."):
            found = found[key]
        return found

    def _repr_html_(self) -> str:
        gpus = _shown.counted(f"{self.cluster['gpus']:,} GPUs", self.cluster)
        note = "" if self.reproducible else ", not reproducible elsewhere"
        what = f"{self.label}{note}, on {self.cluster['spec']}: {gpus}"
        return _shown.results([self], what)

    def __repr__(self) -> str:
        finished, jobs = self.figures["finished"], self.figures["jobs"]
        mean = _engine.in_words("jct_mean", self["jct_mean"])
        note = "" if self.reproducible else ", not reproducible elsewhere"
        return f"<switchyard.Run: {self.label}, {finished} of {jobs} jobs, mean JCT {mean}{note}>"


class Results(Mapping[str, Run]):
    """Runs of one trace on one cluster, by their policies, as they were asked for or as ``Run.policy`` spells them:
    ``results["fifo"]``, or ``results.runs[0]``. A run that did not come to its end is in ``failed``, by its policy, with its
    error; asking for it raises that.
    """

    def __init__(
        self,
        text: str,
        ended: Sequence[tuple[int, Any, Any, Any]],
        failed: Sequence[tuple[int, str, Exception]] = (),
        asked: Sequence[str] = (),
    ):
        self._made = (text, ended, failed, asked)
        self._text = text
        figures = json.loads(text)
        self.trace: dict[str, Any] = figures["trace"]
        self.cluster: dict[str, Any] = figures["cluster"]
        self.preset: str | None = figures.get("preset")
        self.runs: list[Run] = [
            Run(run, Table(jobs), stays and Table(stays), Table(over_time), self.cluster, asked[at] if asked else None)
            for run, (at, jobs, stays, over_time) in zip(figures["runs"], ended)
        ]
        self.failed: dict[str, Exception] = {policy: why for _, policy, why in failed}
        self._failed_as = {asked[at]: why for at, _, why in failed} if asked else {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Results, self._made

    def _find(self, policy: str) -> Run | Exception | None:
        """By what was asked, by what ran, however it is spelt, and at last by a name alone."""
        named = [(name, run) for run in self.runs for name in (run.policy, run.asked)]
        either: list[tuple[str, Run | Exception]] = [*named, *self.failed.items(), *self._failed_as.items()]
        for name, found in either:
            if name == policy:
                return found
        try:
            spelt = _engine.canonical(policy)
        except _engine.InputError:
            return None
        for name, found in either:
            if spelt == name or not name.startswith("function:") and spelt == _engine.canonical(name):
                return found
        of_name = [run for run in self.runs if run.policy.split("[")[0].split(" if ")[0] == policy]
        return of_name[0] if len(of_name) == 1 else None

    def __getitem__(self, policy: str) -> Run:
        found = self._find(policy)
        if isinstance(found, Exception):
            raise found
        if found is None:
            raise KeyError(f"there is no one run of '{policy}': there are {', '.join(self)}")
        return found

    def __contains__(self, policy: object) -> bool:
        return isinstance(policy, str) and isinstance(self._find(policy), Run)

    def __iter__(self) -> Iterator[str]:
        return iter([run.policy for run in self.runs])

    def __len__(self) -> int:
        return len(self.runs)

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        functions = sum(not run.reproducible for run in self.runs)
        failed += f", {functions} not reproducible elsewhere" if functions else ""
        return f"<switchyard.Results: {len(self)} runs{failed} of {self.trace['jobs']} jobs on {self.cluster['spec']}>"

    def _repr_html_(self) -> str:
        trace, cluster = self.trace, self.cluster
        what = f"{trace['jobs']:,} jobs ({trace['format']}), {trace['gpu_hours']:,.0f} GPU-hours, on {cluster['spec']}: {cluster['gpus']:,} GPUs"
        return _shown.results(self.runs, _shown.counted(what, trace), self.failed)

    def to_json(self) -> str:
        """The JSON that ``switchyard run --json`` writes, of the runs that have come to their end."""
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        plain: dict[str, Any] = json.loads(self._text)
        return plain

    def jobs(self) -> Table:
        """What came of each job in each run: the columns of ``Run.jobs``, with the run's label as ``policy`` before them."""
        return self._long([run.jobs for run in self.runs])

    def over_time(self) -> Table:
        """``Run.over_time`` of all runs, with ``policy`` before them, and ``utilisation``: the share of the cluster's GPUs that are
        held."""
        table = self._long([run.over_time for run in self.runs])
        return _table({**table.to_numpy(), "utilisation": table["gpus"] / max(self.cluster["gpus"], 1)})

    def _long(self, tables: Sequence[Table]) -> Table:
        if not tables:
            raise _engine.InputError("no run came to its end: results.failed says why")
        labels = numpy.array([run.label for run in self.runs], dtype=object)
        columns = {name: numpy.concatenate([table[name] for table in tables]) for name in tables[0].columns}
        return _table({"policy": numpy.repeat(labels, [len(table) for table in tables]), **columns})

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each run, a column for each figure: metrics by their ids (``jct_mean``), as in the tables of sweeps, others by
        their places (``fairness_attained``)."""
        import pandas

        ids = {metric["path"]: metric["id"] for metric in json.loads(_engine.metrics()) if metric["path"]}
        rows = [_flat(run.figures) for run in self.runs]
        return pandas.DataFrame([{ids.get(name, name.replace(".", "_")): row[name] for name in row} for row in rows])


@functools.cache
def _summary() -> list[str]:
    """What of a run's figures holds its metrics."""
    return list(dict.fromkeys(path.split(".")[0] for path in _paths().values()))


@functools.cache
def _paths() -> dict[str, str]:
    """Where metrics stand in figures: by id, by place and by former names."""
    metrics = [metric for metric in json.loads(_engine.metrics()) if metric["path"]]
    former = {name: metric["path"] for metric in metrics for name in (metric["path"], *metric["aliases"])}
    return former | {metric["id"]: metric["path"] for metric in metrics}


def _flat(figures: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in figures.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{before}{name}."))
        elif not isinstance(value, list):
            flat[before + name] = value
    return flat
