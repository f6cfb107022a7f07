"""How results show themselves in a notebook: a table, and JCT distributions as an SVG."""

from __future__ import annotations

import html
import json
import math
from typing import Any, Mapping, Sequence

import numpy

from . import _engine

#: The metrics of the table, by their ids.
_COLUMNS = ("jct_mean", "jct_median", "jct_p95", "queueing_mean", "makespan", "gpu_allocation", "restarts")

#: Told apart by those who see few colours, too (Okabe and Ito); dashes besides.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_DASHES = ("", "6 3", "2 3", "8 3 2 3", "4 4", "1 2")

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 560, 220, 44, 34, 8


def counted(text: str, facts: Mapping[str, Any]) -> str:
    """A text that is written of GPUs, of what is counted: ``facts`` are a trace's or a cluster's."""
    return text.replace("GPU", "core") if facts.get("unit") == "cores" else text


def table(runs: Sequence[Any]) -> str:
    """The runs in numbers, a row each; the best mean JCT in bold, of those that have finished all jobs."""
    whole = [run for run in runs if run["finished"] == run["jobs"]]
    best = min((run["jct"]["mean"] for run in whole), default=None)
    metrics = {metric["id"]: metric for metric in json.loads(_engine.metrics())}
    titles = [*(metrics[name]["words"] for name in _COLUMNS), "finished"]
    head = "".join(f"<th>{counted(title, runs[0].cluster) if runs else title}</th>" for title in titles)
    rows = []
    for run in runs:
        values = [_engine.in_words(name, run[name]) for name in _COLUMNS]
        values.append(f"{run['finished']:,} of {run['jobs']:,}")
        cells = "".join(f"<td>{html.escape(value)}</td>" for value in values)
        if run in whole and run["jct"]["mean"] == best and len(whole) > 1:
            cells = cells.replace("<td>", "<td><b>", 1).replace("</td>", "</b></td>", 1)
        rows.append(f"<tr><th style='text-align:left'>{html.escape(run.label)}</th>{cells}</tr>")
    return f"<table style='white-space:nowrap'><thead><tr><th></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def scores(of: Any) -> str:
    """A score, challenge by challenge; the best that is known of each beside it."""
    head = "".join(f"<th>{title}</th>" for title in ("score", "95 %", "par", "bound", "SRTF's", "mean JCT", "p95"))
    rows = []
    for each in of.challenges:
        values = [
            f"{each.score:.1f}",
            f"{each.low:.1f} to {each.high:.1f}",
            f"{each.par.score:.1f} ({each.par.policy})",
            f"{each.bound_score:.1f}",
            f"{each.srtf_score:.1f}",
            _engine.in_words("jct_mean", each.own.jct_mean),
            _engine.in_words("jct_p95", each.own.jct_p95),
        ]
        cells = "".join(f"<td>{html.escape(value)}</td>" for value in values)
        rows.append(f"<tr><th style='text-align:left'>{html.escape(each.title)}</th>{cells}</tr>")
    what = (
        f"{of.label}: score {of.score:.1f}, 95 % interval {of.low:.1f} to {of.high:.1f}, SRTF's {of.srtf_score:.1f} "
        f"(100: as good as Tiresias); {of.workloads} workloads of each, drawn from {of.draw}"
    )
    return (
        f"<div style='overflow-x:auto'><p>{html.escape(what)}</p><table style='white-space:nowrap'>"
        f"<thead><tr><th></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def rows(columns: Mapping[str, Any], count: int) -> str:
    """The first rows of a table, of so many."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{html.escape(_cell(value))}</td>' for value in row)}</tr>" for row in zip(*columns.values())
    )
    shown = len(next(iter(columns.values()), ()))
    more = f"<p>{shown:,} of {count:,} rows</p>" if shown < count else ""
    return (
        f"<div style='overflow-x:auto'><table style='white-space:nowrap'><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{more}</div>"
    )


def _cell(value: Any) -> str:
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def distributions(runs: Sequence[Any]) -> str:
    """How many jobs have a JCT of at most so long, as an SVG: a line for each run, time in powers of ten."""
    known = [numpy.sort(run.jobs["jct_s"][numpy.isfinite(run.jobs["jct_s"])]) for run in runs]
    known = [numpy.maximum(times, 1.0) for times in known]
    if not any(len(times) for times in known):
        return ""
    least = min(times[0] for times in known if len(times))
    most = max(times[-1] for times in known if len(times))
    low, high = math.floor(math.log10(least)), max(math.ceil(math.log10(most)), math.floor(math.log10(least)) + 1)
    width, height = _WIDTH - _LEFT - 8, _HEIGHT - _BOTTOM - _TOP

    def x(seconds: Any) -> Any:
        return _LEFT + (numpy.log10(seconds) - low) / (high - low) * width

    def y(part: Any) -> Any:
        return _TOP + (1 - part) * height

    parts = []
    for power in range(low, high + 1):
        at = x(10.0**power)
        parts.append(f"<path d='M{at:.1f} {_TOP}V{_TOP + height}' stroke='currentColor' stroke-opacity='.15'/>")
        parts.append(f"<text x='{at:.1f}' y='{_TOP + height + 14}' text-anchor='{'end' if power == high else 'middle'}'>{_power(power)}</text>")
    for part in (0, 0.5, 1):
        parts.append(f"<path d='M{_LEFT} {y(part):.1f}H{_LEFT + width}' stroke='currentColor' stroke-opacity='.15'/>")
        parts.append(f"<text x='{_LEFT - 6}' y='{y(part) + 4:.1f}' text-anchor='end'>{part:.0%}</text>")
    for at, (run, times) in enumerate(zip(runs, known)):
        if not len(times):
            continue
        # As many points as there are pixels.
        ranks = numpy.unique(numpy.linspace(0, len(times) - 1, min(len(times), width)).astype(int))
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x(times[ranks]), y((ranks + 1) / len(times))))
        style = f"stroke='{_COLOURS[at % len(_COLOURS)]}' stroke-dasharray='{_DASHES[at // len(_COLOURS) % len(_DASHES)]}'"
        name = html.escape(run.label)
        parts.append(f"<polyline points='{points}' fill='none' stroke-width='2' {style}><title>{name}</title></polyline>")
        line = _TOP + 14 + 16 * at
        parts.append(f"<path d='M{_LEFT + 8} {line - 4}h18' stroke-width='2' {style}/><text x='{_LEFT + 30}' y='{line}'>{name}</text>")
    label = f"<text x='{_LEFT + width / 2}' y='{_HEIGHT - 4}' text-anchor='middle'>job completion time, and the share of jobs with at most that</text>"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' width='{_WIDTH}' height='{_HEIGHT}' viewBox='0 0 {_WIDTH} {_HEIGHT}' "
        "fill='currentColor' font-family='system-ui, sans-serif' font-size='12' style='max-width:100%;height:auto'>"
        f"<title>JCT distributions</title>{''.join(parts)}{label}</svg>"
    )


def _power(power: int) -> str:
    named = {0: "1 s", 1: "10 s", 2: "100 s", 3: "1,000 s"}
    return named.get(power, f"10{str(power).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))} s")


def results(runs: Sequence[Any], what: str, failed: Mapping[str, Exception] = {}) -> str:
    """All of it; ``what`` is a line about the trace and the cluster, and those that failed have one each below."""
    lines = "".join(f"<p>{html.escape(f'{policy} failed: {why}')}</p>" for policy, why in failed.items())
    return f"<div style='overflow-x:auto'><p>{html.escape(what)}</p>{table(runs)}{lines}{distributions(runs)}</div>"
