"""What traces are opened from: files of this machine and of others, bytes, tables, and rows of Python's own."""

from __future__ import annotations

import csv
import io
import os
import re
from typing import IO, Any, Iterable, Mapping, Protocol, Sequence, Union

from numpy.typing import NDArray

from . import _engine
from ._errors import MissingFile, UnreadableFile, read


class _Table(Protocol):
    """What hands on its columns as Arrow has them."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, tuple[str, bytes], IO[bytes], IO[str], _Table]

#: Jobs as Python has them: rows, columns, or whatever else is opened.
Jobs = Union[Iterable[Mapping[str, Any]], Mapping[str, Union[Sequence[Any], NDArray[Any]]], Source]

#: Where a file lies that is not on this machine: ``s3://bucket/trace.csv``.
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.:-]*://")


def sources(source: Any, more: tuple[Any, ...]) -> list[str | tuple[str, bytes]]:
    """Files by their paths, and bytes by their names."""
    several = isinstance(source, (list, tuple)) and not _is_named_bytes(source)
    given = [*source, *more] if several else [source, *more]
    if not given:
        raise _engine.InputError("nothing to open: name a file, or sample:NAME")
    named: list[str | tuple[str, bytes]] = []
    for at, each in enumerate(given):
        if _is_named_bytes(each):
            named.append((str(each[0]), bytes(each[1])))
        elif isinstance(each, str) and _ELSEWHERE.match(each):
            named.append((each.rsplit("/", 1)[-1] or f"file {at + 1}", _elsewhere(each)))
        elif isinstance(each, (str, os.PathLike)):
            named.append(os.fsdecode(each))
        else:
            name = getattr(each, "name", None)
            named.append((os.path.basename(name) if isinstance(name, str) else f"file {at + 1}", content(each)))
    return named


def content(given: Any) -> bytes:
    """What is in a file that is given as a path, as what can be read, or as its bytes."""
    if isinstance(given, os.PathLike):
        return read(given)
    if hasattr(given, "__arrow_c_stream__"):
        return _arrow_stream(given)
    if hasattr(given, "read"):
        given = given.read()
    if isinstance(given, str):
        return given.encode()
    if isinstance(given, (bytes, bytearray, memoryview)):
        return bytes(given)
    raise _engine.InputError(f"a file is {repr(given)[:60]}: it takes a path, bytes, (name, bytes), a table, or what has read()")


def rows(jobs: Any) -> Any:
    """Jobs as something that is opened: rows and columns of Python's as the CSV of the same table."""
    if isinstance(jobs, (str, bytes, bytearray, memoryview, os.PathLike)) or hasattr(jobs, "read") or _is_named_bytes(jobs):
        return jobs
    if isinstance(jobs, Mapping):
        columns = {str(name): list(values) for name, values in jobs.items()}
        lengths = {name: len(values) for name, values in columns.items()}
        if len(set(lengths.values())) > 1:
            raise _engine.InputError(f"jobs have columns of unlike lengths: {lengths}")
        return _csv(list(columns), zip(*columns.values()))
    if hasattr(jobs, "__arrow_c_stream__"):
        return jobs
    if hasattr(jobs, "to_csv"):
        return ("jobs.csv", str(jobs.to_csv(index=False)).encode())
    try:
        listed = list(jobs)
    except TypeError:
        raise _engine.InputError(f"jobs are {repr(jobs)[:60]}: it takes rows, columns, a table or a file") from None
    for at, row in enumerate(listed):
        if not isinstance(row, Mapping):
            raise _engine.InputError(f"row {at} of the jobs is {repr(row)[:60]}: it takes dictionaries by column")
    names = list(dict.fromkeys(str(name) for row in listed for name in row))
    return _csv(names, ([row.get(name) for name in names] for row in listed))


def _csv(names: list[str], table: Iterable[Iterable[Any]]) -> tuple[str, bytes]:
    """``None`` and NaN are cells with nothing in them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([["" if value is None or value != value else value for value in row] for row in table])
    return ("jobs.csv", text.getvalue().encode())


def _elsewhere(address: str) -> bytes:
    """What stands in a file of another machine's, by fsspec."""
    try:
        import fsspec
    except ImportError:
        raise _engine.InputError(f"{address} is read with fsspec, which is not installed: install it, or open a copy") from None
    try:
        with fsspec.open(address, "rb") as file:
            return bytes(file.read())
    except FileNotFoundError:
        raise MissingFile(2, f"cannot read {address}: there is no such file", address) from None
    except OSError as why:
        raise UnreadableFile(why.errno, f"cannot read {address}: {why}", address) from why
    except (ImportError, ValueError) as why:
        raise _engine.InputError(f"cannot read {address}: {why}") from why


def _arrow_stream(table: Any) -> bytes:
    """A table as Arrow's stream of messages, which is opened as a file is."""
    try:
        import pyarrow
    except ImportError as missing:
        raise _engine.InputError("a table is opened with pyarrow: install it, or save the table as Parquet") from missing
    batches = pyarrow.RecordBatchReader.from_stream(table)
    stream = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(stream, batches.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return bytes(stream.getvalue())


def _is_named_bytes(source: Any) -> bool:
    return (
        isinstance(source, tuple)
        and len(source) == 2
        and isinstance(source[0], str)
        and isinstance(source[1], (bytes, bytearray, memoryview))
    )
