"""Files that cannot be read: errors of ours that are the system's, too, so that either name catches them."""

from __future__ import annotations

import os
from pathlib import Path

from ._engine import InputError


class UnreadableFile(InputError, OSError):
    """A file that the system does not give; ``errno`` and ``filename`` as of any ``OSError``."""

    def __str__(self) -> str:
        return str(self.strerror)


class MissingFile(UnreadableFile, FileNotFoundError):
    """A file that is not there."""


def read(path: str | os.PathLike[str]) -> bytes:
    """What stands in a file; ``~`` is home."""
    try:
        return Path(path).expanduser().read_bytes()
    except OSError as why:
        kind = MissingFile if isinstance(why, FileNotFoundError) else UnreadableFile
        raise kind(why.errno, f"cannot read {path}: {why.strerror}", os.fspath(path)) from None
