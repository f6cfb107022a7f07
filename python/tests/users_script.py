"""A user's script, all of it typed."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import gymnasium
import numpy
from numpy.typing import NDArray

import switchyard
from switchyard.environments import (
    ID,
    PickJob,
    PickJobs,
    Yard,
    first_come_first_served,
    mean_slowdown,
    place_part,
    scores,
)


def told(progress: dict[str, Any]) -> None:
    print(progress["stage"])


def opened(path: Path) -> switchyard.Trace:
    try:
        trace = switchyard.open(path, "machines.csv", window="0..7d", map={"submit": "when"}, progress=told)
    except FileNotFoundError:
        trace = switchyard.open(BytesIO(b"job,submit,duration,gpus\n"))
    except switchyard.InputError as why:
        print(why.table["columns"])
        trace = switchyard.open(("jobs.csv", path.read_bytes()))
    title: str = trace.facts["title"]
    gpus: NDArray[Any] = trace.jobs["gpus"]
    print(title, len(trace), gpus.sum())
    return trace


def compared(trace: switchyard.Trace) -> list[float]:
    results: switchyard.Results = trace.run(["fifo", "tiresias-las[queues=2]"], cluster="16x4", mtbf=500.0, seed=7)
    for policy, run in results.items():
        hashed: str = run.log_hash
        print(policy, run.asked, hashed, run.summary["jct"]["mean"], run.jobs.columns)
        frame = run.jobs.to_pandas()
        print(frame)
        if run.stays is not None:
            print(run.stays["start_s"].max())
    for policy, error in results.failed.items():
        print(policy, error)
    again = switchyard.run("sample:lab", switchyard.canonical("fifo"), weights=Path("w.safetensors"), log_budget="4GB")
    text: str = again.to_json()
    print(text, "fifo" in again, switchyard.policies()[0]["name"], switchyard.settings()[0]["unit"])
    return [float(run["makespan"]) for run in results.runs]


def by_attained(job: switchyard.Job, now: float) -> float:
    job.note("starts", job.starts)
    return job.attained if job.starts else now - job.submit + job.random()


def by_all(jobs: switchyard.Jobs, now: float) -> NDArray[numpy.float64]:
    attained: NDArray[numpy.float64] = jobs.attained + jobs.random()
    jobs.note("attained", attained)
    return attained * jobs.gpus


def whole(view: switchyard.View) -> None:
    for job in view.waiting:
        if view.free_now(0) >= job.gpus:
            view.start(job, [(0, job.gpus)])
        view.alarm(job, view.now + 60)
    view.state["seen"] = len(view.jobs)
    view.note("seen", len(view.jobs))


def adaptive(view: switchyard.View) -> None:
    for job in view.jobs:
        if job.adaptive and job.speedup(2) > 1.5 and view.random() < 0.5:
            started: bool = view.train(job, min(2, job.max_gpus))
            view.note("trains", started, job)


def functions(trace: switchyard.Trace) -> None:
    mine: switchyard.Function = switchyard.keys(by_all, every=60, changes="running", explain=lambda job, now: {"gpus": job.gpus})
    results = trace.run(["fifo", by_attained, mine, switchyard.plan(whole), switchyard.plan(adaptive, adaptive=True)])
    print(trace.why(mine)[0]["groups"], trace.start(60, ["fifo", mine], gpus=2)[0]["when"])
    print([run.label for run in results.runs if not run.reproducible])
    print(trace.explain("job", 60, mine)[0]["facts"])


def scored() -> float:
    score: switchyard.Score = switchyard.score(by_attained, ["convoy", "tides"], seeds=4, draw=7, progress=told)
    convoy: switchyard.ChallengeScore = score["convoy"]
    print(convoy.own.figures[0], convoy.par.policy, [of.bound_score for of in score.challenges], score.to_json())
    return score.high - score.low


def swept(folder: Path) -> int:
    grid: dict[str, Any] = dict(traces=["sample:lab"], policies=["fifo"], seeds="1..3/3", settings=dict(mtbf=50))
    table: switchyard.Sweep = switchyard.sweep(grid, folder, threads=2, progress=told)
    means: NDArray[Any] = table["jct_mean"]
    print(means.mean(), table.folder / "results.csv")
    return table.failed


def learned() -> float:
    env = PickJob(jobs=64, backfill=True)
    seen, info = env.reset(seed=1)
    over = False
    while not over:
        action: int = first_come_first_served(seen, info["action_mask"])
        seen, reward, over, truncated, info = env.step(action)
        print(reward, truncated)
    made = gymnasium.make(ID, jobs=64)
    print(made.action_space)
    many = PickJobs(4, jobs=64, threads=2)
    rows, said = many.reset(seed=1)
    rows, rewards, ended, _, said = many.step(numpy.zeros(4, numpy.int64))
    print(rows.shape, rewards.sum(), ended.any(), said, scores(b"", seen))
    placing = place_part(load=0.5, trace=env.episode)
    preemptive = PickJob(jobs=64, reward="jct_mean", preemptive=True, restart_cost=30)
    preemptive.reset(seed=1)
    best: float = min(preemptive.baselines(["fifo", by_attained]).values())
    yard: Yard = preemptive.render()
    print(best, yard.free, [name for _, name, _ in yard.waiting])
    observations, infos = placing.reset(seed=1)
    print(observations, infos)
    return mean_slowdown(env, first_come_first_served, range(3))


if __name__ == "__main__":
    compared(opened(Path("~/trace.csv")))
    swept(Path("results"))
    scored()
    learned()
    switchyard.view(switchyard.open("sample:lab"), ["fifo", "srtf"], cluster="4x8")
