"""Environments to learn in: the engine's own runs, stopped wherever somebody is to decide.

    import gymnasium, switchyard.environments

    env = gymnasium.make("switchyard/PickJob-v0", jobs=256, cluster="4x64")
    envs = gymnasium.make_vec("switchyard/PickJob-v0", num_envs=64, vectorization_mode="vector_entry_point")

Importing this module registers them (it takes ``gymnasium``). :func:`place_part` is PettingZoo's (it takes ``pettingzoo``).

Any thread may step an environment, one at a time, and so may a process that was forked with it. A pickled one goes on where it
was: an episode is what its seed and its actions make it, and is played again up to there.
"""

from __future__ import annotations

import functools
import operator
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from . import _engine
from ._function import Policy
from ._results import Run
from ._run import Trace, _whole
from ._sources import content
from ._yard import Yard as Yard

if TYPE_CHECKING:
    from pettingzoo import ParallelEnv

#: Waiting jobs that are seen, and numbers of each.
VISIBLE, FEATURES = 128, 8

ID = "switchyard/PickJob-v0"

#: What an environment may be rewarded by, and what ``info`` calls it at an episode's end.
REWARDS = {
    "bounded_slowdown": "bounded_slowdown",
    "jct_mean": "jct",
    "jct_p95": "jct_p95",
    "makespan": "makespan",
    "rho_mean": "rho_mean",
}

_SEEDS = 2**63


def _observations() -> gymnasium.spaces.Box:
    return gymnasium.spaces.Box(0.0, 1.0, (VISIBLE, FEATURES), numpy.float32)


#: What is rewarded; and whether others start behind the head, whether it is preemptive, whether elastic, what a restart costs
#: and how long a round is, seconds.
_How = tuple[str, tuple[bool, bool, bool, float, float]]


def _picking(
    trace: Trace | None, cluster: str, jobs: int, how: _How, slots: int, lublin: int, threads: int
) -> _engine.Picking:
    return _engine.Picking(
        trace._native if trace is not None else None,
        str(cluster),
        jobs,
        how,
        slots,
        _whole("lublin", lublin),
        _whole("threads", threads, 1),
    )


def _action(given: Any) -> int:
    """An action's number, or -1 where there is no such action."""
    try:
        number = operator.index(given)
    except TypeError:
        raise _engine.InputError(f"action is {given!r}: it takes a whole number") from None
    return number if 0 <= number < 2**31 else -1


class _Kept:
    """What is pickled of an environment: what it was made of, its arrays, and of each episode seed and actions."""

    _made: tuple[Any, ...]
    _native: _engine.Picking

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        return state | {"_native": state["_native"].kept()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._native = _picking(*self._made)
        self._native.play_again(state["_native"])


def _empty_mask(slots: int) -> NDArray[numpy.int8]:
    """Before an episode there is the first action, as there is after one."""
    mask = numpy.zeros((slots, VISIBLE), numpy.int8)
    mask[:, 0] = 1
    return mask


#: Rules that an agent may be compared with.
HEURISTICS = ("fcfs", "shortest-job", "las")


class PickJob(_Kept, gymnasium.Env[NDArray[Any], numpy.int64]):
    """Pick the next job of a batch queue, as RLScheduler (Zhang et al., SC'20) has it; or, with ``preemptive``, who runs, or, with
    ``elastic``, who gets more GPUs.

    An episode is a sequence of ``jobs`` jobs that follow one another in a trace (``trace``: what ``switchyard.open`` gave; without
    one, 10,000 jobs drawn from Lublin's model by the seed ``lublin``), cut at random. The picked job waits until it fits, all
    others behind it, unless ``backfill`` (EASY) lets those start that do not delay its reserved start. With ``preemptive`` jobs
    are picked anew at every event, one after the other, those that run among them, until no other one has room: who was not
    picked gives way, and pays ``restart_cost`` seconds when it comes back. With ``elastic`` jobs train applications, as under Pollux,
    and all GPUs are given anew at every event and every ``every`` seconds: who is picked gets one, or twice as many as it has been
    given, until nobody can take more. Jobs whose GPUs change pay ``restart_cost``.

    Observation: float32, (128, 8), of each job that may be picked, the oldest first, all from 0 to 1: waited (÷ 12 h), time asked for
        (where the trace tells none, the run time; ÷ the trace's longest), GPUs (÷ all), four that are always 1, and whether it
        fits now; 0 behind the last. Of more than 128, those that ask for least time and for fewest GPUs, by turns.
        With ``preemptive`` the five after the GPUs are: time on GPUs so far (÷ the trace's longest), whether it runs, time since it
        last started, stopped or came (÷ 12 h), 1, and whether it runs or fits without another's GPUs.
        With ``elastic`` the eight are: waited, epochs done (÷ all), GPUs given, held, and given if it is picked (÷ all), how well
        it uses those that it has been given and those that it would be (speed over that on one GPU, ÷ GPUs), and whether the
        latter are as many as it holds. Of more than 128, the oldest.
    Action: which of them, from 0; ``info["action_mask"]`` (int8, (128,)) says which there are. Any other is taken as the first. Where
        one alone may be picked, or all that are left have room, nobody is asked. At an episode's end the mask has the first
        action, which does nothing.
    Reward: what ``reward`` names, a metric by its id; an episode's rewards add up to minus it. ``"bounded_slowdown"`` (mean, ≥ 1, of at
        least 10 s) and ``"jct_mean"`` (seconds): the part of each job that has started since, or with ``preemptive`` and ``elastic``
        ended, ÷ ``jobs``. ``"makespan"``: the seconds that have passed. ``"jct_p95"`` (seconds) and ``"rho_mean"`` (finish-time fairness): all
        of it at the end.
    End: when all jobs are done; ``info`` then has ``bounded_slowdown`` and ``jct`` (means, seconds), ``jct_p95``, ``makespan`` and ``rho_mean``.
    Limits: ``jobs`` is from 2 to 1,000,000.

    The same seed gives the same episodes. :meth:`render` shows the moment, :meth:`baselines` what schedulers make of the same jobs.
    """

    metadata: dict[str, Any] = {"render_modes": ["html", "ansi"], "render_fps": 4}

    def __init__(
        self,
        trace: Trace | None = None,
        *,
        cluster: str = "4x64",
        jobs: int = 256,
        backfill: bool = False,
        reward: str = "bounded_slowdown",
        preemptive: bool = False,
        elastic: bool = False,
        restart_cost: float = 0.0,
        every: float = 600.0,
        lublin: int = 1,
        render_mode: str | None = None,
    ):
        self.observation_space: gymnasium.spaces.Space[NDArray[Any]] = _observations()
        self.action_space: gymnasium.spaces.Space[numpy.int64] = gymnasium.spaces.Discrete(VISIBLE)
        self.render_mode: str | None = render_mode
        self._how = _how(reward, backfill, preemptive, elastic, restart_cost, every)
        self._made = (trace, cluster, jobs, self._how, 1, lublin, 1)
        self._native = _picking(*self._made)
        self._seen = numpy.zeros((1, VISIBLE, FEATURES), numpy.float32)
        self._mask = _empty_mask(1)
        self._reward = numpy.zeros(1)
        self._over = numpy.zeros(1, bool)
        self._action = numpy.zeros(1, numpy.int64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[numpy.float32], dict[str, Any]]:
        super().reset(seed=seed)
        self._native.reset(0, int(self.np_random.integers(_SEEDS)), self._seen, self._mask)
        return self._seen[0].copy(), {"action_mask": self._mask[0].copy()}

    def step(self, action: int | numpy.int64) -> tuple[NDArray[numpy.float32], float, bool, bool, dict[str, Any]]:
        try:
            self._action[0] = action
        except (TypeError, ValueError, OverflowError):
            self._action[0] = _action(action)
        self._native.step(self._action, False, self._seen, self._mask, self._reward, self._over)
        info: dict[str, Any] = {"action_mask": self._mask[0].copy()}
        over = bool(self._over[0])
        if over:
            info.update(zip(REWARDS.values(), self._native.figures(0) or ()))
        return self._seen[0].copy(), float(self._reward[0]), over, False, info

    def action_masks(self) -> NDArray[numpy.bool_]:
        """The mask, as sb3-contrib asks for it: bool, (128,)."""
        masks: NDArray[numpy.bool_] = self._mask[0].astype(numpy.bool_)
        return masks

    @property
    def episode(self) -> Trace:
        """The jobs of the episode, as a trace with its cluster: to be run, viewed and asked like any other."""
        return Trace(self._native.episode(0))

    def baselines(self, policies: Policy | Sequence[Policy] = HEURISTICS, **options: Any) -> dict[str, float]:
        """What schedulers come to with the jobs of this episode: by policy, the metric that is rewarded.

        policies, options: as of :func:`switchyard.run`, functions among them; ``restart_cost`` is the environment's.
        """
        return _baselines(self.episode, self._how, policies, options)

    def render(self) -> Any:
        """The episode's moment, a :class:`Yard`: a picture in a notebook. With ``render_mode="ansi"`` it is text.

        The episode is played again up to where it is, so that steps cost nothing for it.
        """
        return _rendered(self._native.yard(0), self.render_mode)


class PickJobs(_Kept, VectorEnv[NDArray[Any], NDArray[Any], NDArray[Any]]):
    """Many of :class:`PickJob` in one call, without Python between them.

    Autoreset is ``NEXT_STEP``: an episode that is over begins anew at the next step, whatever its action, with a reward of 0.
    At most 16,384 at once, with at most 5,000,000 jobs together. ``threads`` step them, which pays from some hundreds on; what comes of it does not depend on that.
    With ``copy=False`` the arrays that are returned are the same at every step, and what they hold is overwritten.
    ``render()`` gives a :class:`Yard` of each.
    """

    metadata: dict[str, Any] = {
        "render_modes": ["html", "ansi"],
        "render_fps": 4,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        trace: Trace | None = None,
        *,
        cluster: str = "4x64",
        jobs: int = 256,
        backfill: bool = False,
        reward: str = "bounded_slowdown",
        preemptive: bool = False,
        elastic: bool = False,
        restart_cost: float = 0.0,
        every: float = 600.0,
        lublin: int = 1,
        threads: int = 1,
        copy: bool = True,
        render_mode: str | None = None,
    ):
        # Before spaces and arrays of that size are made.
        self._how = _how(reward, backfill, preemptive, elastic, restart_cost, every)
        self._made = (trace, cluster, jobs, self._how, num_envs, lublin, threads)
        self._native = _picking(*self._made)
        self.num_envs = num_envs
        self.render_mode: str | None = render_mode
        seen, done = _observations(), gymnasium.spaces.Discrete(VISIBLE)
        self.single_observation_space: gymnasium.spaces.Space[NDArray[Any]] = seen
        self.single_action_space: gymnasium.spaces.Space[Any] = done
        batch = gymnasium.vector.utils.batch_space
        self.observation_space: gymnasium.spaces.Space[NDArray[Any]] = batch(seen, num_envs)
        self.action_space: gymnasium.spaces.Space[NDArray[Any]] = batch(done, num_envs)
        self._copy = copy
        self._seen = numpy.zeros((num_envs, VISIBLE, FEATURES), numpy.float32)
        self._mask = _empty_mask(num_envs)
        self._reward = numpy.zeros(num_envs)
        self._over = numpy.zeros(num_envs, bool)
        self._never = numpy.zeros(num_envs, bool)

    def _given(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copy else array

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[numpy.float32], dict[str, Any]]:
        """``seed``: one for each, or the first's, from which the others count up."""
        if isinstance(seed, list):
            seeds: list[int | None] = seed
        else:
            seeds = [None if seed is None else seed + at for at in range(self.num_envs)]
        for at, own in enumerate(seeds):
            # As a single environment draws its first episode.
            drawn = None if own is None else int(gymnasium.utils.seeding.np_random(own)[0].integers(_SEEDS))
            self._native.reset(at, drawn, self._seen, self._mask)
        return self._given(self._seen), {"action_mask": self._given(self._mask)}

    def step(
        self, actions: NDArray[numpy.int64]
    ) -> tuple[NDArray[numpy.float32], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        actions = numpy.ascontiguousarray(actions, numpy.int64)
        self._native.step(actions, True, self._seen, self._mask, self._reward, self._over)
        info: dict[str, Any] = {"action_mask": self._given(self._mask)}
        if self._over.any():
            figures = numpy.full((self.num_envs, len(REWARDS)), numpy.nan)
            for at in numpy.flatnonzero(self._over):
                figures[at] = self._native.figures(int(at))
            for column, name in enumerate(REWARDS.values()):
                info[name], info[f"_{name}"] = figures[:, column], self._over.copy()
        over, reward = self._given(self._over), self._given(self._reward)
        return self._given(self._seen), reward, over, self._given(self._never), info

    def episode(self, at: int) -> Trace:
        """The jobs of one of the episodes, as :attr:`PickJob.episode` has them."""
        return Trace(self._native.episode(_whole("at", at, 0, self.num_envs - 1)))

    def baselines(
        self, at: int, policies: Policy | Sequence[Policy] = HEURISTICS, **options: Any
    ) -> dict[str, float]:
        """What schedulers come to with the jobs of one of the episodes, as :meth:`PickJob.baselines` says it."""
        return _baselines(self.episode(at), self._how, policies, options)

    def render(self) -> tuple[Any, ...]:
        return tuple(_rendered(self._native.yard(at), self.render_mode) for at in range(self.num_envs))


def _how(reward: str, backfill: bool, preemptive: bool, elastic: bool, restart_cost: float, every: float) -> _How:
    return str(reward), (bool(backfill), bool(preemptive), bool(elastic), float(restart_cost), float(every))


def _baselines(
    episode: Trace, how: _How, policies: Policy | Sequence[Policy], options: dict[str, Any]
) -> dict[str, float]:
    reward, (_, _, _, restart_cost, _) = how
    runs = episode.run(policies, **{"restart_cost": restart_cost, **options}).runs
    return {run.asked: _measured(run, reward) for run in runs}


def _measured(run: Run, metric: str) -> float:
    """A metric of a run, also the one that results do not have."""
    if metric != "bounded_slowdown":
        return float(run[metric])
    jct, seconds = run.jobs["jct_s"], run.jobs["duration_s"]
    return float(numpy.mean(numpy.maximum(jct / numpy.maximum(seconds, 10.0), 1.0)))


def _rendered(told: dict[str, Any], mode: str | None) -> Any:
    yard = Yard(told)
    return str(yard) if mode == "ansi" else yard


def first_come_first_served(seen: NDArray[numpy.float32], mask: NDArray[numpy.int8]) -> int:
    """The oldest job of an observation of :class:`PickJob`."""
    return 0


def shortest_job_first(seen: NDArray[numpy.float32], mask: NDArray[numpy.int8]) -> int:
    """The job that asks for least time, by an observation of :class:`PickJob` and its mask."""
    return int(numpy.argmin(numpy.where(mask == 1, seen[:, 1], 2.0)))


def mean_slowdown(
    env: PickJob, pick: Callable[[NDArray[numpy.float32], NDArray[numpy.int8]], int], seeds: Iterable[int] = range(20)
) -> float:
    """The mean bounded slowdown of an environment's episodes by these seeds, where ``pick`` is given observation and mask."""
    slowdowns = []
    for seed in seeds:
        seen, info = env.reset(seed=seed)
        over = False
        while not over:
            seen, _, over, _, info = env.step(pick(seen, info["action_mask"]))
        slowdowns.append(info["bounded_slowdown"])
    return float(numpy.mean(slowdowns))


def scores(weights: bytes | os.PathLike[str], seen: NDArray[numpy.float32]) -> NDArray[numpy.float32]:
    """The scores that ``rl-picker`` gives by weights of one's own (a file of safetensors): float32, one for each job.

    seen: float32, (jobs, 8), as observations have it. What one has trained picks as it does here, in every run by that file.
    """
    return _engine.scores(content(weights), numpy.ascontiguousarray(seen, numpy.float32))


def place_part(
    *,
    cluster: str = "16x8/cores=56/sockets=2/qpi=20/partitions=4/racks=8/oversubscription=3",
    jobs: int = 4,
    load: float | None = None,
    trace: Trace | None = None,
    render_mode: str | None = None,
) -> ParallelEnv[str, dict[str, NDArray[Any]], int]:
    """A PettingZoo ``ParallelEnv``: place the parts of jobs in a data centre, each partition an agent.

    cluster: with partitions that are all alike. jobs: for each GPU, all together at most 1,000,000; jobs slow one another on links
    and cores. load: GPU·s submitted for each there is, until the last job arrives [default: 1; of a trace as it came]. trace: what
    ``switchyard.open`` gave; an episode has jobs that follow one another there, cut at random, of those that a partition has
    room for. Without one, jobs are drawn.

    One agent is asked at a time (the first number of its observation is 1) and lays the next worker or parameter server of a job
    on a group of GPUs (a socket's), forwards the job to another partition, or lets it wait; the others do nothing, their
    last action. Which one is asked first is the one with the most free GPUs.

    Observation: ``{"observation": float32 from 0 to 4, "action_mask": int8}``: whether it is asked, 12 numbers of the part, then 8
        of each own group, 8 of each own server, 4 of each own rack and 4 of every partition
        (``core/placement/src/graph_rl/scene.rs`` says which).
    Action: own groups, server by server; forward to partition 0, 1, …; wait; nothing. ``info["action_mask"]`` has the mask, too.
    Reward, the same for all: minus the time jobs spent in the system since the last step, ÷ what all take alone; an episode's
        sum is minus mean JCT ÷ mean duration.
    ``render()`` shows the moment, a :class:`Yard`.
    """
    from pettingzoo import ParallelEnv

    made = (str(cluster), _whole("jobs", jobs, 1, 2**32 - 1), None if load is None else float(load), trace)

    class PlacePart(ParallelEnv[str, dict[str, NDArray[Any]], int]):  # type: ignore[misc]
        metadata: dict[str, Any] = {
            "name": "switchyard_place_part_v0",
            "render_modes": ["html", "ansi"],
            "render_fps": 4,
            "is_parallelizable": True,
        }

        def __init__(self) -> None:
            self._native = _engine.Placing(*made[:3], trace._native if trace is not None else None)
            agents, numbers, actions = self._native.shape()
            self.render_mode = render_mode
            self.possible_agents = [f"partition_{at}" for at in range(agents)]
            self.agents: list[str] = []
            self._seen = numpy.zeros((agents, numbers), numpy.float32)
            self._mask = numpy.zeros((agents, actions), numpy.int8)
            self._asked = 0

        def __reduce__(self) -> tuple[Any, ...]:
            state = self.__dict__.copy()
            return _placed_again, (*made, state | {"_native": self._native.kept()})

        @functools.lru_cache(maxsize=None)
        def observation_space(self, agent: str) -> gymnasium.spaces.Dict:
            return gymnasium.spaces.Dict(
                observation=gymnasium.spaces.Box(0.0, 4.0, self._seen.shape[1:], numpy.float32),
                action_mask=gymnasium.spaces.Box(0, 1, self._mask.shape[1:], numpy.int8),
            )

        @functools.lru_cache(maxsize=None)
        def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
            return gymnasium.spaces.Discrete(self._mask.shape[1])

        def _shown(self) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
            agents = list(enumerate(self.possible_agents))
            seen = {
                name: {"observation": self._seen[at].copy(), "action_mask": self._mask[at].copy()} for at, name in agents
            }
            return seen, {name: {"action_mask": self._mask[at].copy()} for at, name in agents}

        def reset(
            self, seed: int | None = None, options: dict[str, Any] | None = None
        ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
            self.agents = list(self.possible_agents)
            own = None if seed is None else _whole("seed", seed, 0, 2**64 - 1)
            self._asked = self._native.reset(own, self._seen, self._mask)
            return self._shown()

        def step(
            self, actions: dict[str, int]
        ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
            if not actions:
                self.agents = []
                return {}, {}, {}, {}, {}
            action = _action(actions[self.possible_agents[self._asked]])
            reward, over, self._asked = self._native.step(action, self._seen, self._mask)
            seen, infos = self._shown()
            if over:
                jct, alone = self._native.figures() or (numpy.nan, numpy.nan)
                for info in infos.values():
                    info.update(jct=jct, duration=alone)
            names = self.possible_agents
            outcome = (
                seen,
                dict.fromkeys(names, reward),
                dict.fromkeys(names, over),
                dict.fromkeys(names, False),
                infos,
            )
            if over:
                self.agents = []
            return outcome

        def render(self) -> Any:
            return _rendered(self._native.yard(), self.render_mode)

    return PlacePart()


def _placed_again(cluster: str, jobs: int, load: float | None, trace: Trace | None, state: dict[str, Any]) -> Any:
    """A pickled one of :func:`place_part`."""
    env: Any = place_part(cluster=cluster, jobs=jobs, load=load, trace=trace)
    native = env._native
    native.play_again(state["_native"])
    env.__dict__.update(state | {"_native": native})
    return env


if ID not in gymnasium.registry:
    gymnasium.register(
        ID,
        entry_point="switchyard.environments:PickJob",
        vector_entry_point="switchyard.environments:PickJobs",
    )
