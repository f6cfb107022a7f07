"""The environments: what Gymnasium and PettingZoo ask of them, and that they are the engine's own runs."""

import copy
import functools
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy
import pytest
from conftest import ROOT

gymnasium = pytest.importorskip("gymnasium")

import switchyard
import switchyard.environments
from switchyard.environments import ID, PickJob, PickJobs, first_come_first_served, mean_slowdown, shortest_job_first


def first(mask):
    return int(numpy.flatnonzero(mask)[0])


def test_gymnasium_has_nothing_to_say():
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(ID, jobs=32).unwrapped)
        check_env(gymnasium.make(ID, jobs=16, cluster="4x16", preemptive=True, render_mode="ansi").unwrapped)


def play(env, seed, pick, episodes=1):
    told = []
    for _ in range(episodes):
        seen, info = env.reset(seed=seed)
        seed, over = None, False
        while not over:
            mask = info["action_mask"]
            assert mask.sum() >= 2 and env.observation_space.contains(seen)
            seen, reward, over, _, info = env.step(pick(seen, mask))
            told.append((seen.tobytes(), reward, over))
        told.append((info["bounded_slowdown"], info["jct"]))
    return told


@pytest.mark.parametrize("backfill", [False, True])
def test_episodes_are_seeded_and_rewards_are_the_slowdown(backfill):
    env = PickJob(jobs=64, backfill=backfill)
    pick = lambda _, mask: first(mask)
    once = play(env, 7, pick, episodes=3)
    assert once == play(env, 7, pick, episodes=3) and once != play(env, 8, pick, episodes=3)
    rewards = [step[1] for step in play(env, 7, pick)[:-1]]
    assert sum(rewards) == pytest.approx(-play(env, 7, pick)[-1][0])
    assert min(rewards) < 0
    assert mean_slowdown(env, first_come_first_served, [7]) == play(env, 7, pick)[-1][0]


def crowd(jobs=40):
    """Jobs that come faster than they can be served, as a trace."""
    text = "job,submit,duration,gpus\n" + "".join(
        f"{i},{i * 37 % 211 + 40 * i},{60 + i * 7919 % 4001},{1 + i * 31 % 6}\n" for i in range(jobs)
    )
    return switchyard.open(("jobs.csv", text.encode()), map="submit=submit,duration=duration,gpus=gpus,unit=s")


@pytest.mark.parametrize(("policy", "pick"), [("fcfs", first_come_first_served), ("shortest-job", shortest_job_first)])
def test_episodes_are_the_engines_runs(policy, pick):
    trace = crowd()
    env = PickJob(trace, cluster="2x4", jobs=40)
    *_, (_, jct) = play(env, 0, pick)
    run = switchyard.run(trace, policy, cluster="2x4").runs[0]
    assert run["jct"]["mean"] == pytest.approx(jct, rel=1e-12)


METRICS = {
    "bounded_slowdown": "bounded_slowdown",
    "jct_mean": "jct",
    "jct_p95": "jct_p95",
    "makespan": "makespan",
    "rho_mean": "rho_mean",
}


@pytest.mark.parametrize("preemptive", [False, True])
@pytest.mark.parametrize("reward", METRICS)
def test_rewards_add_up_to_the_metric(reward, preemptive):
    env = PickJob(crowd(), cluster="2x4", jobs=30, reward=reward, preemptive=preemptive)
    _, info = env.reset(seed=3)
    rewards, over = [], False
    while not over:
        _, more, over, _, info = env.step(first(info["action_mask"]))
        rewards.append(more)
    assert sum(rewards) == pytest.approx(-info[METRICS[reward]], rel=1e-12)
    paid = numpy.count_nonzero(rewards)
    assert paid == 1 if reward in ("jct_p95", "rho_mean") else paid > 10
    assert set(METRICS.values()) < set(info)


@pytest.mark.parametrize("reward", METRICS)
def test_schedulers_are_measured_on_the_jobs_of_the_episode(reward):
    env = PickJob(crowd(), cluster="2x4", jobs=20, reward=reward)
    _, info = env.reset(seed=5)
    for _ in range(3):
        env.step(0)
    asked = ["fcfs", "shortest-job", switchyard.key(lambda job, now: job.submit, name="mine", preemptive=False)]
    found = env.baselines(asked)
    assert list(found) == ["fcfs", "shortest-job", "mine"] and found["mine"] == found["fcfs"] != found["shortest-job"]
    assert set(env.baselines()) == set(switchyard.environments.HEURISTICS)
    # In the midst of an episode, which goes on where it was.
    over = False
    while not over:
        _, _, over, _, info = env.step(0)
    assert info[METRICS[reward]] == pytest.approx(found["fcfs"], rel=1e-12)
    jobs = env.episode.jobs
    assert len(jobs) == 20 and jobs["submit_s"][0] == 0
    names = list(crowd().jobs["job"])
    start = names.index(jobs["job"][0])
    assert list(jobs["job"]) == names[start : start + 20]


def shortest_first(jobs, now):
    return jobs.duration


def least_held_first(jobs, now):
    return jobs.held


@pytest.mark.parametrize("restart_cost", [0.0, 45.0])
@pytest.mark.parametrize(("column", "rule"), [(1, shortest_first), (3, least_held_first)])
def test_a_preemptive_episode_is_the_engines_run(column, rule, restart_cost):
    """Whoever picks by a number of what is seen does as the same rule as a policy."""
    trace = crowd()
    env = PickJob(trace, cluster="2x4", jobs=40, reward="jct_mean", preemptive=True, restart_cost=restart_cost)
    pick = lambda seen, mask: int(numpy.argmin(numpy.where(mask == 1, seen[:, column], 2.0)))
    *_, (_, jct) = play(env, 0, pick)
    mine = switchyard.keys(rule, name="mine", oracle=True)
    [run] = switchyard.run(trace, mine, cluster="2x4", restart_cost=restart_cost).runs
    assert run["restarts"] > 0 and jct == pytest.approx(run["jct_mean"], rel=1e-9)
    assert env.baselines(mine) == {"mine": pytest.approx(jct, rel=1e-9)}


def oldest_first(view):
    """Doubles what the oldest job has that can take more, until nobody can."""
    jobs = [job for job in view.jobs if job.adaptive]
    left, given = view.free_now() + sum(job.holds for job in jobs), [0] * len(jobs)
    while True:
        more = [max(1, min(2 * has, job.max_gpus)) for job, has in zip(jobs, given)]
        can = [at for at, has in enumerate(given) if 0 < more[at] - has <= left]
        if not can:
            break
        left -= more[can[0]] - given[can[0]]
        given[can[0]] = more[can[0]]
    for job, has in zip(jobs, given):
        if has == 0 and job.running:
            view.stop(job)
        if 0 < has <= job.holds:
            view.train(job, has)
    for job, has in zip(jobs, given):
        if has > job.holds:
            view.train(job, has)


def test_an_elastic_episode_is_the_engines_run():
    """Whoever picks the oldest does as the same rule as a policy."""
    how = dict(cluster="2x4", jobs=12, reward="jct_mean", restart_cost=30.0)
    env = PickJob(crowd(12), elastic=True, every=300, **how)
    *_, (_, jct) = play(env, 0, lambda seen, mask: 0)
    mine = switchyard.plan(oldest_first, adaptive=True, every=300)
    assert env.baselines(mine) == {"oldest_first": pytest.approx(jct, rel=1e-9)}
    assert env.baselines("pollux")["pollux"] > 0
    # Whom one picks matters, and what is seen is a share.
    *_, (_, other) = play(env, 0, lambda seen, mask: int(numpy.argmax(numpy.where(mask == 1, seen[:, 6], -1.0))))
    assert other != jct
    [run] = env.episode.run(mine, restart_cost=30.0).runs
    assert run.stays["gpus"].max() > 1 and run["restarts"] > 0


def test_many_preemptive_ones_are_those_one_by_one():
    how = dict(cluster="2x4", jobs=20, preemptive=True, reward="makespan", restart_cost=10)
    many, one = PickJobs(3, crowd(), **how), PickJob(crowd(), **how)
    _, info = many.reset(seed=2)
    _, said = one.reset(seed=2)
    over = False
    while not over:
        action = int(numpy.flatnonzero(said["action_mask"])[-1])
        _, reward, over, _, said = one.step(action)
        actions = [action, *(first(mask) for mask in info["action_mask"][1:])]
        _, rewards, overs, _, info = many.step(numpy.array(actions))
        assert (rewards[0], overs[0]) == (reward, over)
    assert info["makespan"][0] == said["makespan"] and info["_makespan"][0]


def test_each_of_many_is_looked_at_and_measured():
    many, one = PickJobs(2, crowd(), cluster="2x4", jobs=20), PickJob(crowd(), cluster="2x4", jobs=20)
    many.reset(seed=8)
    one.reset(seed=9)
    for _ in range(3):
        many.step(numpy.array([0, 1]))
        one.step(1)
    assert str(many.render()[1]) == str(one.render()) != str(many.render()[0])
    assert many.baselines(1) == one.baselines() != many.baselines(0)
    assert list(many.episode(1).jobs["job"]) == list(one.episode.jobs["job"])
    with pytest.raises(switchyard.InputError, match="at is 2: it takes a whole number from 0 to 1"):
        many.episode(2)


def test_the_page_shows_an_episode():
    pytest.importorskip("anywidget")
    env = PickJob(crowd(), cluster="2x4", jobs=20)
    env.reset(seed=1)
    figure = switchyard.view(env.episode, ["fcfs", "las"], cluster="2x4")
    assert figure.policy == "fcfs las" and figure.cluster == "2x4" and len(figure.link) > 100


def picture(yard):
    return yard._repr_html_()


def test_what_is_drawn_is_the_moment():
    env = PickJob(crowd(), cluster="2x4", jobs=30)
    with pytest.raises(switchyard.InputError, match="no episode yet: reset it first"):
        env.render()
    same = PickJob(crowd(), cluster="2x4", jobs=30)
    _, info = env.reset(seed=4)
    same.reset(seed=4)
    at, over = 0.0, False
    while not over:
        yard = env.render()
        held = sum(len(gpus) for _, _, gpus in yard.held)
        assert yard.nodes == [4, 4] and yard.free == 8 - held >= 0 and yard.now >= at
        assert held == sum(gpus for _, _, gpus in yard.running) and yard.done + len(yard.running) <= yard.jobs == 30
        assert len(yard.choices) == info["action_mask"].sum() and len(set(yard.choices)) == len(yard.choices)
        assert sorted(number for number, _, _ in yard.waiting) == sorted([*yard.choices, *yard.picked])
        assert picture(yard).count("stroke-dasharray") == len(yard.picked)
        drawn = picture(yard)
        assert drawn.count("class='held'") == len(yard.held) and drawn.count("class='waiting'") == len(yard.waiting)
        text = str(yard).splitlines()
        assert text[0].startswith(f"{yard.now:,.0f} s, {yard.free} of 8 GPUs free")
        assert (text[1] + text[2]).count(".") == yard.free and text[-1].startswith("waiting: ")
        at = yard.now
        # A run that is looked at is the run that it is.
        step = env.step(env.action_space.sample(info["action_mask"]))
        action = env._action[0]
        _, reward, over, _, info = step
        assert same.step(action)[1:3] == (reward, over)
    yard = env.render()
    assert (yard.done, yard.free, yard.waiting, yard.choices) == (30, 8, [], [])
    assert yard.now == pytest.approx(info["makespan"]) and "30 of 30 done" in repr(yard)
    made = gymnasium.make(ID, jobs=16, render_mode="ansi")
    made.reset(seed=1)
    assert "GPUs free" in made.render()
    preemptive = PickJob(crowd(), cluster="2x4", jobs=30, preemptive=True)
    preemptive.reset(seed=4)
    yard = preemptive.render()
    numbers = {number for number, _, _ in [*yard.waiting, *yard.running]}
    assert set(yard.choices) <= numbers and len(yard.choices) > 1 and yard.picked == []
    while True:
        preemptive.step(len(yard.choices) - 1)
        after = preemptive.render()
        if after.now > yard.now:
            break
        assert after.picked[-1] == yard.choices[-1] and not set(after.picked) & set(after.choices)
        yard = after
    assert after.picked == []


def test_jobs_have_the_pages_hues():
    from switchyard._yard import HUES

    page = (ROOT / "web/charts/src/colours.rs").read_text()
    light = re.findall(r'"(#[0-9a-f]{6})"', page.split("const LIGHT", 1)[1].split("];", 1)[0])
    order = [int(at) for at in re.search(r"const OF_JOBS: .* = \[([0-9, ]+)\];", page)[1].split(",")]
    assert HUES == tuple(light[at] for at in order)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("context", ["spawn", "fork"])
def test_processes_of_their_own_play_the_same(context):
    if context not in multiprocessing.get_all_start_methods():
        pytest.skip(f"there is no {context} here")
    how = dict(cluster="2x4", jobs=12, preemptive=True, reward="jct_mean")
    make = functools.partial(PickJob, crowd(), **how)
    envs = gymnasium.vector.AsyncVectorEnv([make, make], context=context)
    here = [make(), make()]
    try:
        seen, _ = envs.reset(seed=3)
        for at, env in enumerate(here):
            assert numpy.array_equal(env.reset(seed=3 + at)[0], seen[at])
        for _ in range(5):
            seen, rewards, *_ = envs.step(numpy.zeros(2, numpy.int64))
            for at, env in enumerate(here):
                own, reward, *_ = env.step(0)
                assert numpy.array_equal(own, seen[at]) and reward == rewards[at]
    finally:
        envs.close()


@pytest.mark.parametrize("threads", [1, 2])
def test_many_at_once_are_those_one_by_one(threads):
    many = gymnasium.make_vec(ID, num_envs=3, vectorization_mode="vector_entry_point", jobs=24, threads=threads)
    assert isinstance(many.unwrapped, PickJobs)
    assert many.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.NEXT_STEP
    alone = [PickJob(jobs=24) for _ in range(3)]
    seen, info = many.reset(seed=5)
    ones = [env.reset(seed=5 + at) for at, env in enumerate(alone)]
    over = [False] * 3
    ended = 0
    for _ in range(200):
        for at, (own, said) in enumerate(ones):
            if not over[at]:
                assert numpy.array_equal(own, seen[at]) and numpy.array_equal(said["action_mask"], info["action_mask"][at])
        actions = [int(numpy.flatnonzero(mask)[-1]) if mask.any() else 0 for mask in info["action_mask"]]
        seen, rewards, terminated, truncated, info = many.step(numpy.array(actions))
        assert not truncated.any()
        for at, env in enumerate(alone):
            if over[at]:
                continue
            own, reward, over[at], _, said = env.step(actions[at])
            ones[at] = (own, said)
            assert (reward, over[at]) == (rewards[at], terminated[at])
            if over[at]:
                ended += 1
                assert info["bounded_slowdown"][at] == said["bounded_slowdown"] and info["_bounded_slowdown"][at]
    assert ended == 3
    # Whoever draws among actions has one, at an episode's end as well.
    assert info["action_mask"].sum(axis=1).min() > 0 and many.single_observation_space.contains(seen[0])


def test_threads_change_nothing():
    told = []
    for threads in [1, 3]:
        envs = PickJobs(40, jobs=24, threads=threads)
        seen, info = envs.reset(seed=1)
        for _ in range(60):
            seen, rewards, over, _, info = envs.step(info["action_mask"].argmax(1))
            told.append((threads, seen.tobytes(), rewards.tobytes(), over.tobytes()))
    half = len(told) // 2
    assert [step[1:] for step in told[:half]] == [step[1:] for step in told[half:]]


def test_weights_of_ones_own_pick_as_they_score():
    """A network in NumPy, in the environment and as a file in a run: the same scores, and the same schedule."""
    safetensors = pytest.importorskip("safetensors.numpy")
    draw = numpy.random.default_rng(1)
    widths = [8, 32, 16, 8, 1]
    tensors = {}
    for at, (before, after) in enumerate(zip(widths, widths[1:])):
        tensors[f"{at}.weight"] = draw.normal(0, before**-0.5, (after, before)).astype(numpy.float32)
        tensors[f"{at}.bias"] = draw.normal(0, 0.1, after).astype(numpy.float32)
    assert sum(tensor.size for tensor in tensors.values()) == 961

    def scores(seen):
        for at in range(4):
            seen = seen @ tensors[f"{at}.weight"].T + tensors[f"{at}.bias"]
            seen = numpy.maximum(seen, 0) if at < 3 else seen
        return seen[:, 0]

    file = safetensors.save(tensors, metadata={"picker": "lublin"})
    trace = crowd()
    env = PickJob(trace, cluster="2x4", jobs=40)
    seen, _ = env.reset(seed=0)
    assert numpy.abs(switchyard.environments.scores(file, seen) - scores(seen)).max() < 1e-5
    *_, (_, jct) = play(env, 0, lambda seen, mask: int(numpy.argmax(numpy.where(mask == 1, scores(seen), -numpy.inf))))
    run = switchyard.run(trace, "rl-picker", cluster="2x4", weights=file).runs[0]
    assert run["jct"]["mean"] == pytest.approx(jct, rel=1e-12)
    assert run.log_hash != switchyard.run(trace, "rl-picker", cluster="2x4").runs[0].log_hash
    del tensors["2.bias"]
    for weights, policy, says in [
        (safetensors.save(tensors), "rl-picker", "weights: the tensor '2.bias' is missing"),
        (safetensors.save({"a": numpy.zeros(1, numpy.float32)}), "rl-picker", "its tensors are a: a picker's are"),
        (file, "fifo", r"they are those of rl-picker"),
    ]:
        with pytest.raises(switchyard.InputError, match=says):
            switchyard.run(trace, policy, cluster="2x4", weights=weights)


def test_by_name_the_example_in_pytorch_trains_what_the_engine_runs(tmp_path):
    """Where PyTorch is installed: gigabytes, which the ordinary tests do without."""
    pytest.importorskip("torch")
    out = tmp_path / "picker.safetensors"
    example = Path(__file__).parents[1] / "examples/torch_picker.py"
    asked = ["--minutes", "0.1", "--jobs", "32", "--sequences", "2", "--out", out]
    said = subprocess.run([sys.executable, example, *asked], check=True, capture_output=True, text=True).stdout
    assert float(re.search(r"differ by at most (\S+)", said)[1]) < 1e-5
    assert switchyard.run(crowd(), "rl-picker", cluster="2x4", weights=out.read_bytes()).runs[0]["finished"] == 40


def test_there_is_always_an_action():
    env = PickJob(jobs=16)
    assert env.action_masks().tolist() == [True] + [False] * 127
    seen, info = env.reset(seed=3)
    over = False
    while not over:
        assert info["action_mask"].sum() >= 2
        seen, _, over, _, info = env.step(env.action_space.sample(info["action_mask"]))
    assert info["action_mask"].tolist() == [1] + [0] * 127 and not seen.any()
    assert env.action_masks().any() and env.action_space.sample(info["action_mask"]) == 0
    envs = PickJobs(3, jobs=16)
    _, info = envs.reset(seed=1)
    ended = 0
    for _ in range(60):
        _, _, over, _, info = envs.step(info["action_mask"].argmax(1))
        ended += over.sum()
        assert info["action_mask"].any(axis=1).all()
    assert ended > 0


def steps(env, many, pick):
    """What an environment says of some steps, as plain values."""
    told = []
    for at in range(many):
        seen, reward, over, _, info = env.step(pick(at))
        told.append((numpy.asarray(seen).tolist(), numpy.asarray(reward).tolist(), numpy.asarray(over).tolist()))
        told.append(info["action_mask"].tolist())
    return told


@pytest.mark.parametrize("keep", [lambda env: pickle.loads(pickle.dumps(env)), copy.deepcopy])
def test_a_kept_environment_goes_on_where_it_was(keep):
    env = PickJob(crowd(), cluster="2x4", jobs=30)
    env.reset(seed=4)
    env.reset()
    steps(env, 9, lambda at: at % 2)
    again = keep(env)
    assert again.action_masks().tolist() == env.action_masks().tolist()
    assert steps(again, 5, lambda at: 1) == steps(env, 5, lambda at: 1)
    # The next episodes are the same, too.
    assert [step[:2] for step in play(again, None, lambda _, mask: first(mask))] == [
        step[:2] for step in play(env, None, lambda _, mask: first(mask))
    ]
    envs = PickJobs(12, jobs=16, threads=2)
    envs.reset(seed=1)
    act = lambda at: numpy.full(12, at % 2)
    steps(envs, 25, act)
    more = keep(envs)
    assert steps(more, 40, act) == steps(envs, 40, act)
    # One that was never reset is one that was never reset.
    fresh = keep(PickJob(jobs=16))
    assert fresh.reset(seed=1)[0].tolist() == PickJob(jobs=16).reset(seed=1)[0].tolist()
    with pytest.raises(switchyard.InputError, match="another version of switchyard: make it anew"):
        env._native.play_again(b"none of ours")


@pytest.mark.parametrize("form", ["preemptive", "elastic"])
def test_one_that_picks_who_runs_can_be_pickled_as_well(form):
    env = PickJob(crowd(), cluster="2x4", jobs=12, reward="jct_mean", restart_cost=20, **{form: True})
    env.reset(seed=4)
    steps(env, 6, lambda _: 1)
    again = pickle.loads(pickle.dumps(env))
    assert steps(again, 4, lambda at: at % 2) == steps(env, 4, lambda at: at % 2)
    assert str(again.render()) == str(env.render()) and again.baselines("las") == env.baselines("las")


def test_a_gymnasium_environment_of_subprocesses_takes_them():
    """What makes environments in processes of its own pickles them or what they are made of."""
    made = gymnasium.make(ID, trace=crowd(), cluster="2x4", jobs=30)
    again = pickle.loads(pickle.dumps(made))
    assert again.reset(seed=2)[0].tolist() == made.reset(seed=2)[0].tolist()


def test_any_thread_may_step():
    env, same = PickJob(jobs=16), PickJob(jobs=16)
    envs = PickJobs(4, jobs=16)
    told, failed = [], []

    def work():
        try:
            told.append(env.reset(seed=1)[0].tolist())
            told.append(steps(env, 3, lambda _: 0))
            envs.reset(seed=1)
            steps(envs, 3, lambda _: numpy.zeros(4, int))
        except BaseException as why:
            failed.append(why)

    same.reset(seed=1)
    for many in range(3):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert not failed and told[1] == told[3] == told[5] == steps(same, 3, lambda _: 0)
    # And the next one goes on where another was.
    assert steps(env, 2, lambda _: 0) == steps(same, 2, lambda _: 0)


def test_two_threads_at_once_are_refused_or_take_turns():
    envs = PickJobs(64, jobs=64, threads=2)
    envs.reset(seed=1)
    other = []

    def work():
        for _ in range(50):
            try:
                envs._native.step(numpy.zeros(64, numpy.int64), True, envs._seen, envs._mask, envs._reward, envs._over)
            except Exception as why:
                other.append(why)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Whatever is raised is an error that `except Exception` catches: arrays in use, or the environment.
    assert all("another thread steps" in str(why) or "borrow" in str(why) for why in other), other


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_goes_on():
    envs = PickJobs(40, jobs=24, threads=2)
    envs.reset(seed=1)
    act = lambda at: numpy.full(40, at % 2)
    steps(envs, 5, act)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, str(hash(str(steps(envs, 20, act)))).encode())
        finally:
            os._exit(0)
    os.close(write)
    # One that hangs is ended, and has said nothing.
    ending = threading.Timer(60, os.kill, (child, signal.SIGKILL))
    ending.start()
    said = os.read(read, 100).decode()
    os.waitpid(child, 0)
    ending.cancel()
    os.close(read)
    assert said == str(hash(str(steps(envs, 20, act))))


def test_arrays_may_be_the_same_at_every_step():
    envs = PickJobs(4, jobs=16, copy=False)
    seen, _ = envs.reset(seed=1)
    again, *_ = envs.step(numpy.zeros(4, numpy.int64))
    assert again is seen


def test_what_cannot_be_played_is_refused():
    for options, says in [
        (dict(cluster="many"), "many"),
        (dict(jobs=1), "jobs is 1: it takes a whole number from 2 to 1000000"),
        (dict(jobs=1_000_000_000), "jobs is 1000000000: it takes a whole number from 2 to 1000000"),
        (dict(jobs=2**70), "jobs is 1180591620717411303424"),
        (dict(jobs=-1), "jobs is -1"),
        (dict(jobs=2.5), "jobs is 2.5"),
        (dict(reward="speed"), "reward is 'speed': it takes one of bounded_slowdown, jct_mean, jct_p95, makespan, rho_mean"),
        (dict(preemptive=True, backfill=True), "backfill is for a queue whose head waits"),
        (dict(restart_cost=30), "restart_cost is for preemptive=True and elastic=True"),
        (dict(preemptive=True, elastic=True), "are two environments"),
        (dict(elastic=True, every=0.5), "every is 0.5: it takes seconds from 1"),
        (dict(preemptive=True, restart_cost=-1), "restart_cost is -1: it takes seconds from 0"),
        (dict(lublin=-1), "lublin is -1: it takes a whole number from 0"),
        (dict(trace=crowd(1), jobs=8), "at least two jobs that fit"),
        (dict(trace=switchyard.open("sample:lab"), cluster="10000x8", jobs=8), "nothing to pick"),
    ]:
        with pytest.raises(switchyard.InputError, match=says):
            PickJob(**options).reset(seed=1)
    env = PickJob(jobs=16)
    with pytest.raises(switchyard.InputError, match="the episode is over: reset it"):
        env.step(0)
    env.reset(seed=1)
    with pytest.raises(switchyard.InputError, match="action is None: it takes a whole number"):
        env.step(None)
    env.step(2**70)
    for options, says in [
        (dict(num_envs=10**9), "num_envs is 1000000000: it takes a whole number from 1 to 16384"),
        (dict(num_envs=0), "num_envs is 0"),
        (dict(num_envs=1000, jobs=1_000_000), "all together they are at most 5000000 jobs"),
        (dict(threads=0), "threads is 0: it takes a whole number from 1"),
    ]:
        with pytest.raises(switchyard.InputError, match=says):
            PickJobs(**options)
    for options, says in [
        (dict(cluster="4x4"), "are all alike"),
        (dict(jobs=1_000_000_000), "all together they are at most 1000000"),
        (dict(jobs=-1), "jobs is -1: it takes a whole number from 1"),
        (dict(load=float("nan")), "above 0"),
    ]:
        with pytest.raises(switchyard.InputError, match=says):
            switchyard.environments.place_part(**options)


def test_as_many_environments_as_there_may_be_have_room():
    envs = PickJobs(switchyard._engine.MOST_SLOTS, jobs=2**4)
    assert envs.reset(seed=1)[1]["action_mask"].any(axis=1).all()


def place(env, seed):
    """An episode in which each part goes to the first place there is."""
    total, steps = 0.0, 0
    _, infos = env.reset(seed=seed)
    while env.agents:
        asked = [name for name in env.agents if not infos[name]["action_mask"][-1]]
        assert len(asked) == 1
        actions = {name: first(infos[name]["action_mask"]) for name in env.agents}
        _, rewards, _, _, infos = env.step(actions)
        total += rewards[asked[0]]
        steps += 1
    return total, steps, infos["partition_0"]


SMALL = dict(cluster="4x8/cores=56/sockets=2/qpi=20/partitions=2/racks=4/oversubscription=3", jobs=1)


def test_pettingzoo_has_nothing_to_say():
    pettingzoo = pytest.importorskip("pettingzoo.test")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pettingzoo.parallel_api_test(switchyard.environments.place_part(**SMALL), num_cycles=300)
        pettingzoo.parallel_seed_test(lambda: switchyard.environments.place_part(**SMALL))


def test_placing_is_seeded_and_rewarded_by_jct():
    env = switchyard.environments.place_part(**SMALL)
    total, steps, info = place(env, 3)
    assert steps > 16 and total == pytest.approx(-info["jct"] / info["duration"])
    assert place(env, 3)[:2] == (total, steps) and place(env, 4)[0] != total


def test_jobs_of_a_trace_are_placed():
    pytest.importorskip("pettingzoo")
    trace = crowd(60)
    env = switchyard.environments.place_part(**SMALL, trace=trace)
    total, steps, info = place(env, 3)
    known = sorted(trace.jobs["duration_s"])
    assert steps > 16 and total == pytest.approx(-info["jct"] / info["duration"])
    assert known[0] < info["duration"] < known[-1]
    again = pickle.loads(pickle.dumps(env))
    assert place(again, 3)[:2] == (total, steps) and place(env, 4)[0] != total
    # The same jobs at a higher load: they come faster, and wait longer.
    slow, fast = (place(switchyard.environments.place_part(**SMALL, trace=trace, load=load), 3)[2] for load in (0.2, 3.0))
    assert slow["duration"] == fast["duration"] == info["duration"] and slow["jct"] < fast["jct"]
    env.reset(seed=3)
    yard = env.render()
    assert yard.jobs == 32 and yard.nodes == [8] * 4 and yard.waiting
    adaptive = switchyard.open(ROOT / "tests/fixtures/adaptdl.csv")
    for wrong, says in [(crowd(1), "at least two jobs that fit on a partition, of 16 GPUs"), (adaptive, "train applications")]:
        with pytest.raises(switchyard.InputError, match=says):
            switchyard.environments.place_part(**SMALL, trace=wrong)


@pytest.mark.parametrize("keep", [lambda env: pickle.loads(pickle.dumps(env)), copy.deepcopy])
def test_a_kept_data_centre_goes_on_where_it_was(keep):
    pytest.importorskip("pettingzoo")
    env = switchyard.environments.place_part(**SMALL)
    _, infos = env.reset(seed=5)
    act = lambda infos: {name: first(infos[name]["action_mask"]) for name in env.agents}
    for _ in range(7):
        *_, infos = env.step(act(infos))
    again = keep(env)
    # A thread of its own steps the copy.
    told = []

    def work(env, infos):
        for _ in range(9):
            seen, rewards, _, _, infos = env.step({name: first(infos[name]["action_mask"]) for name in env.agents})
            told.append(([of["observation"].tolist() for of in seen.values()], rewards))

    thread = threading.Thread(target=work, args=(again, infos))
    thread.start()
    thread.join()
    work(env, infos)
    assert told[:9] == told[9:] and len(told) == 18
    assert place(again, None)[:2] == place(env, None)[:2]
