"""Replay a GPU cluster's job trace under different schedulers.

    import switchyard

    trace = switchyard.open("cluster_job_log.csv")
    results = switchyard.run(trace, policies=["fifo", "tiresias-las"], cluster="16x4")
    results["fifo"].summary["jct"]["mean"]      # seconds
    results["fifo"].jobs["jct_s"]               # NumPy, float64, a value for each job
    results["fifo"].jobs.to_pandas()            # or to_polars(), to_arrow()

All names of options and columns are those of the command line's JSON and CSV and of files. What comes of runs is in
seconds, service in GPU·s; settings have the unit that ``settings()`` says of each (``restart_cost`` is seconds, ``mtbf`` and
``mttr`` are hours). The same trace, settings and version give the same results, bit for bit, here, on the
command line and in the browser.
"""

from __future__ import annotations

from ._engine import VERSION as __version__
from ._engine import InputError, Job, Jobs, RunError, SwitchyardError, View
from ._function import Function, key, keys, plan
from ._own import plugin, script
from ._results import Results, Run, Table
from ._run import Trace, canonical, inspect, metrics, open, placements, policies, run, samples, settings
from ._score import ChallengeScore, Par, Score, Times, score
from ._sweep import Sweep, sweep
from ._view import view

__all__ = [
    "ChallengeScore",
    "Function",
    "InputError",
    "Job",
    "Jobs",
    "Par",
    "Results",
    "Run",
    "RunError",
    "Score",
    "Sweep",
    "SwitchyardError",
    "Table",
    "Times",
    "Trace",
    "View",
    "__version__",
    "canonical",
    "inspect",
    "key",
    "keys",
    "metrics",
    "open",
    "placements",
    "plan",
    "plugin",
    "policies",
    "run",
    "samples",
    "score",
    "script",
    "settings",
    "sweep",
    "view",
]
