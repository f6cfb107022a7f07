"""The environments: what Gymnasium and PettingZoo ask of them, and that they are the engine's own runs."""

import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy
import pytest

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
        check_env(gymnasium.make(ID, jobs=32).unwrapped, skip_render_check=True)


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
    assert info["action_mask"].sum(axis=1).min() >= 0 and many.single_observation_space.contains(seen[0])


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


def test_arrays_may_be_the_same_at_every_step():
    envs = PickJobs(4, jobs=16, copy=False)
    seen, _ = envs.reset(seed=1)
    again, *_ = envs.step(numpy.zeros(4, numpy.int64))
    assert again is seen


def test_what_cannot_be_played_is_refused():
    for options, says in [
        (dict(cluster="many"), "many"),
        (dict(jobs=1), "at least two jobs"),
        (dict(trace=switchyard.open("sample:lab"), cluster="10000x8", jobs=8), "nothing to pick"),
    ]:
        with pytest.raises(switchyard.InputError, match=says):
            PickJob(**options).reset(seed=1)
    env = PickJob(jobs=16)
    with pytest.raises(switchyard.InputError, match="the episode is over: reset it"):
        env.step(0)
    with pytest.raises(switchyard.InputError, match="are all alike"):
        switchyard.environments.place_part(cluster="4x4")


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
