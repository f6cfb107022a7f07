"""Schedulers of one's own: scripts and plug-ins, by path, text or bytes."""

from __future__ import annotations

import os
from pathlib import Path

from . import _engine

Parameter = bool | int | float | str


def script(source: str | bytes | os.PathLike[str], name: str | None = None, **parameters: Parameter) -> str:
    """The spec of a script, for ``policies``: its text travels within it.

    source: the script's text (or its bytes), or a ``Path`` of its file. (``policies="script:FILE"`` reads one, too.)
    name: what results call it [default: that of the file].
    parameters: as of any policy, such as ``placement="spread"``.

    Raises :class:`InputError` with line and column where the script is wrong, before anything runs.
    """
    return _spec("script", source.encode() if isinstance(source, str) else source, name, parameters)


def plugin(source: bytes | str | os.PathLike[str], name: str | None = None, **parameters: Parameter) -> str:
    """The spec of a plug-in, for ``policies``: its module travels within it.

    source: a WebAssembly module's bytes, or the path of its file. (``policies="plugin:FILE"`` reads one, too.)
    name, parameters: as of :func:`script`.
    """
    return _spec("plugin", Path(source) if isinstance(source, str) else source, name, parameters)


def _spec(kind: str, source: bytes | os.PathLike[str], name: str | None, parameters: dict[str, Parameter]) -> str:
    code = source if isinstance(source, bytes) else Path(source).read_bytes()
    if name is None:
        name = "" if isinstance(source, bytes) else Path(source).stem
    given = [(key, str(value).lower() if isinstance(value, bool) else str(value)) for key, value in parameters.items()]
    spec = _engine.of_code(code, name, given)
    if not spec.startswith(kind):
        raise _engine.InputError(f"this is no {kind}: switchyard.{'plugin' if kind == 'script' else 'script'} takes it")
    return spec
