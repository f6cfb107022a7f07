"""What an episode looks like at its moment: nodes and their GPUs, and the jobs that wait, as the page's yard has them."""

from __future__ import annotations

import html
import math
from typing import Any, Mapping

#: The page's hues of jobs, in the order in which jobs come (web/charts/src/colours.rs).
HUES = (
    "#56b3e9", "#865600", "#332389", "#e59f00", "#37b796", "#892455", "#0072b6", "#b75e78", "#d86419", "#b8ce8a",
    "#e8875a", "#a65688", "#2f86b8", "#b8a32e",
)  # fmt: skip

#: Pixels: the width, between nodes, and the least and greatest side of a GPU.
_WIDTH, _GAP, _CELLS = 720, 8, (14, 12, 10, 8, 6, 4, 3)
#: Nodes are no higher than this if they can be drawn so.
_HEIGHT = 320
#: Waiting jobs that are drawn.
_MOST = 200


class Yard:
    """A moment of an episode: a picture in a notebook, and text where it is printed.

    A GPU that is held has its job's colour, a waiting job is a hollow block with its GPUs as a number; a dashed one has been picked,
    and starts as soon as it fits.
    """

    def __init__(self, told: Mapping[str, Any]):
        #: Seconds since the first submission.
        self.now: float = told["now"]
        #: GPUs of each node.
        self.nodes: list[int] = told["nodes"]
        #: Which job holds which GPUs: its number, the node, and the GPUs' numbers there.
        self.held: list[tuple[int, int, list[int]]] = told["held"]
        #: Those that run: number, name, and GPUs.
        self.running: list[tuple[int, str, int]] = told["running"]
        #: Those that wait.
        self.waiting: list[tuple[int, str, int]] = told["waiting"]
        #: The numbers of those that may be picked, by their actions.
        self.choices: list[int] = told["choices"]
        #: The numbers of those that have been picked, as far as that has not come to anything.
        self.picked: list[int] = told["picked"]
        #: How many jobs are done, and how many there are.
        self.done: int = told["done"]
        self.jobs: int = told["jobs"]

    @property
    def free(self) -> int:
        """GPUs that nobody holds."""
        return sum(self.nodes) - sum(len(gpus) for _, _, gpus in self.held)

    def __str__(self) -> str:
        names = {number: chr(ord("A") + at % 26) for at, (number, _, _) in enumerate(self.running)}
        rows = [["."] * gpus for gpus in self.nodes]
        for job, node, gpus in self.held:
            for gpu in gpus:
                rows[node][gpu] = names.get(job, "?")
        lines = [self._said(), *("".join(row) for row in rows)]
        lines += [f"{names[number]}: {name}, {gpus} GPUs" for number, name, gpus in self.running]
        picked = set(self.picked)
        words = (f"{name} ({gpus}{', picked' if number in picked else ''})" for number, name, gpus in self.waiting[:_MOST])
        return "\n".join([*lines, f"waiting: {', '.join(words) or 'nobody'}"])

    def __repr__(self) -> str:
        return f"<switchyard.environments.Yard: {self._said()}>"

    def _said(self) -> str:
        return (
            f"{self.now:,.0f} s, {self.free} of {sum(self.nodes)} GPUs free, {len(self.waiting)} waiting, "
            f"{self.done:,} of {self.jobs:,} done"
        )

    def _repr_html_(self) -> str:
        return self.svg()

    def svg(self) -> str:
        """The picture."""
        cell, boxes, height = self._laid()
        parts: list[str] = []
        titles = {number: html.escape(f"{name}: {gpus} GPUs") for number, name, gpus in [*self.running, *self.waiting]}
        for (x, y, columns), gpus in zip(boxes, self.nodes):
            side = max(cell - 1, 1)
            free = "".join(
                f"M{x + at % columns * cell} {y + at // columns * cell}h{side}v{side}h-{side}z" for at in range(gpus)
            )
            parts.append(f"<path d='{free}' fill='currentColor' fill-opacity='.1'/>")
        for job, node, held in self.held:
            x, y, columns = boxes[node]
            side = max(cell - 1, 1)
            cells = "".join(f"M{x + at % columns * cell} {y + at // columns * cell}h{side}v{side}h-{side}z" for at in held)
            parts.append(f"<path class='held' d='{cells}' fill='{_hue(job)}'><title>{titles.get(job, job)}</title></path>")
        parts.append(f"<text x='0' y='{height + 16}'>{html.escape(self._said())}</text>")
        x, y = 0, height + 24
        picked = set(self.picked)
        for number, _, gpus in self.waiting[:_MOST]:
            width = 18 + 4 * min(gpus, 16)
            if x + width > _WIDTH:
                x, y = 0, y + 22
            dashes = " stroke-dasharray='4 2'" if number in picked else ""
            parts.append(
                f"<g class='waiting'><rect x='{x + 1}' y='{y + 1}' width='{width - 2}' height='16' fill='none' "
                f"stroke='{_hue(number)}' stroke-width='2'{dashes}/><text x='{x + width / 2}' y='{y + 13}' "
                f"text-anchor='middle'>{gpus}</text><title>{titles[number]}</title></g>"
            )
            x += width + 4
        if len(self.waiting) > _MOST:
            y += 22
            parts.append(f"<text x='0' y='{y + 13}'>and {len(self.waiting) - _MOST:,} more</text>")
        return (
            f"<svg xmlns='http://www.w3.org/2000/svg' role='img' width='{_WIDTH}' height='{y + 24}' viewBox='0 0 {_WIDTH} {y + 24}' "
            "fill='currentColor' font-family='system-ui, sans-serif' font-size='12' style='max-width:100%;height:auto'>"
            f"<title>{html.escape(self._said())}</title>{''.join(parts)}</svg>"
        )

    def _laid(self) -> tuple[int, list[tuple[int, int, int]], int]:
        """A GPU's side, where each node begins with how many GPUs a row of it has, and how high they are together."""
        for cell in _CELLS:
            boxes: list[tuple[int, int, int]] = []
            x, y, high = 0, 0, 0
            for gpus in self.nodes:
                columns = min(gpus, 2 if gpus <= 4 else 4 if gpus <= 16 else 8) or 1
                if x + columns * cell > _WIDTH:
                    x, y, high = 0, y + high + _GAP, 0
                boxes.append((x, y, columns))
                x += columns * cell + _GAP
                high = max(high, math.ceil(gpus / columns) * cell)
            if y + high <= _HEIGHT:
                break
        return cell, boxes, y + high


def _hue(job: int) -> str:
    return HUES[job % len(HUES)]
