"""How far something is, as a bar: in a notebook its own element, in a terminal a line that is written anew."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable, Iterator, Union

#: ``True`` shows a bar; a function is told; ``None`` and ``False``: nothing is shown.
Progress = Union[bool, Callable[[dict[str, Any]], Any], None]

_WIDTH = 30


@contextlib.contextmanager
def following(progress: Progress) -> Iterator[Callable[[dict[str, Any]], Any] | None]:
    """Whoever is told of progress while something goes on."""
    if progress is None or callable(progress):
        yield progress
    elif not progress:
        yield None
    else:
        bar = Bar()
        try:
            yield bar
        finally:
            bar.close()


class Bar:
    """A bar, for ``progress``."""

    def __init__(self) -> None:
        self._shares: dict[int, float] = {}
        self._display: Any = _display()
        self._is_drawn = False

    def __call__(self, said: dict[str, Any]) -> None:
        share, words = self._read(said)
        if self._display is not None:
            value = "" if share is None else f" value='{share:.3f}'"
            self._display.update({"text/html": f"<progress{value}></progress> {words}", "text/plain": words}, raw=True)
        else:
            filled = 0 if share is None else round(share * _WIDTH)
            bar = "" if share is None else f"[{'#' * filled}{' ' * (_WIDTH - filled)}] {share:4.0%} "
            sys.stderr.write(f"\r\x1b[K{bar}{words}")
            sys.stderr.flush()
        self._is_drawn = True

    def close(self) -> None:
        """Leaves the line as it is."""
        if self._is_drawn and self._display is None:
            sys.stderr.write("\n")
            sys.stderr.flush()

    def _read(self, said: dict[str, Any]) -> tuple[float | None, str]:
        """What part is done, where that is known, and what is done in words."""
        stage = said["stage"]
        if stage == "open":
            return None, f"{said['jobs']:,} jobs of {said['bytes'] / 1e6:,.1f} MB"
        if stage == "start":
            return said["done"] / max(said["draws"], 1), f"{said['policy']}: {said['done']:,} of {said['draws']:,} draws"
        if stage == "score":
            share = (said["run"] + said["done"] / max(said["jobs"], 1)) / said["runs"]
            return share, f"{said['run'] + (said['done'] == said['jobs']):,} of {said['runs']:,} runs"
        if stage == "sweep":
            done = said["done"] + said["failed"]
            return done / max(said["runs"], 1), f"{done:,} of {said['runs']:,} runs"
        self._shares[said["run"]] = said["done"] / max(said["jobs"], 1)
        # Of runs one after the other, those before are over.
        done = sum(self._shares.values()) + sum(at not in self._shares for at in range(min(self._shares)))
        return done / said["runs"], f"{_short(said['policy'])}: {said['done']:,} of {said['jobs']:,} jobs"


def _short(policy: str) -> str:
    return policy if len(policy) <= 40 else policy[:39] + "…"


def _display() -> Any:
    """An output of the notebook's that can be written anew, if this is one."""
    if "ipykernel" not in sys.modules:
        return None
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        return None
    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    show: Any = display  # untyped
    return show({"text/plain": ""}, raw=True, display_id=True)
