"""The environments: what Gymnasium and PettingZoo ask of them, and that they are the engine's own runs."""

import warnings

import numpy
import pytest

gymnasium = pytest.importorskip("gymnasium")

import switchyard
import switchyard.environments
from switchyard.environments import ID, PickJob, PickJobs


def first(mask):
    return int(numpy.flatnonzero(mask)[0])


def shortest(seen, mask):
    """The job that asks for the least time."""
    return int(numpy.argmin(numpy.where(mask == 1, seen[:, 1], 2.0)))


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


@pytest.mark.parametrize(("policy", "pick"), [("fcfs", lambda _, mask: first(mask)), ("shortest-job", shortest)])
def test_episodes_are_the_engines_runs(policy, pick):
    jobs = 40
    text = "job,submit,duration,gpus\n" + "".join(
        f"{i},{i * 37 % 211 + 40 * i},{60 + i * 7919 % 4001},{1 + i * 31 % 6}\n" for i in range(jobs)
    )
    trace = switchyard.open(("jobs.csv", text.encode()), map="submit=submit,duration=duration,gpus=gpus,unit=s")
    env = PickJob(trace, cluster="2x4", jobs=jobs)
    *_, (_, jct) = play(env, 0, pick)
    run = switchyard.run(trace, policy, cluster="2x4").runs[0]
    assert run["jct"]["mean"] == pytest.approx(jct, rel=1e-12)


def test_many_at_once_are_those_one_by_one():
    many = gymnasium.make_vec(ID, num_envs=3, vectorization_mode="vector_entry_point", jobs=24)
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
