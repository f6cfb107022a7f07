"""Policies that are functions: the same runs as built in, to the bit; what they see and do; and how they end."""

from __future__ import annotations

import inspect
import re
import signal
import threading
import time

import numpy
import pytest
from conftest import ROOT

import switchyard


def by_submission(job, now):
    return job.submit


def by_remaining(jobs, now):
    return jobs.remaining


@pytest.fixture(scope="module")
def lab():
    return switchyard.open("sample:lab")


@pytest.mark.parametrize("form", ["key", "keys"])
@pytest.mark.parametrize(
    "policy, column, options",
    [
        ("fifo", "submit", dict(preemptive=False)),
        ("fifo[backfill=true]", "submit", dict(preemptive=False, backfill=True, changes="never")),
        ("fewest-gpus", "gpus", {}),
        ("srtf", "remaining", dict(oracle=True)),
        ("srtf", "remaining", dict(oracle=True, changes="running")),
        ("las", "attained", dict(every=60)),
        ("las[placement=spread]", "attained", dict(every=60, placement="spread", changes="running")),
    ],
)
def test_a_function_is_the_built_in_policy_to_the_bit(lab, form, policy, column, options):
    wrap = getattr(switchyard, form)
    mine = wrap(lambda job, now: getattr(job, column), name="mine", **options)
    results = lab.run([policy, mine])
    built_in, own = results.runs
    assert own.log_hash == built_in.log_hash
    assert own.policy == "function:mine" and results["mine"] is own
    assert not own.reproducible and built_in.reproducible
    assert "not reproducible elsewhere" in repr(own) and "not reproducible" not in repr(built_in)
    assert "1 not reproducible elsewhere" in repr(results) and "mine" in results._repr_html_()


TIRESIAS = """
const THRESHOLDS = [3250.0, 7200.0];

fn level(attained) {
    let queue = 0;
    for threshold in THRESHOLDS { if attained >= threshold { queue += 1; } }
    queue
}

fn plan(view) {
    walk(view.jobs.sorted(|job| [level(job.attained), job.submit]));
}
"""


def test_a_plan_is_a_script_to_the_bit(lab):
    def plan(view):
        def place(job):
            return sum(job.attained >= threshold for threshold in (3250.0, 7200.0)), job.submit

        started, preempted = view.walk(sorted(view.jobs, key=place))
        assert all(isinstance(job, switchyard.Job) for job in started + preempted)

    script, own = lab.run([switchyard.script(TIRESIAS), plan]).runs
    assert own.log_hash == script.log_hash


def test_a_plan_starts_stops_and_moves(lab):
    seen = []

    def plan(view):
        assert len(view.jobs) == len(view.waiting) + len(view.running)
        view.state["decisions"] = view.state.get("decisions", 0) + 1
        seen.append(view.state["decisions"])
        for job in view.arrived:
            assert job in view.jobs and job in {job} and job.memo is None and job.queue == 0
            job.memo = {"came": view.now}
            view.demote(job, 1)
            assert job.queue == 1
        assert view.free_now() == view.free <= view.gpus
        for job in view.waiting:
            assert not job.running and job.holds == 0 and job.nodes == []
            nodes = [(node, view.free_now(node)) for node in range(view.nodes) if view.is_open(node)]
            roomy = [node for node, free in nodes if free >= job.gpus]
            before = view.free_now()
            if roomy:
                assert view.start(job, [(roomy[0], job.gpus)])
                assert view.free_now() == before - job.gpus
            elif not view.start(job):
                break
        for job in view.running:
            assert job.holds == job.gpus and job.nodes and job.memo["came"] <= view.now
        assert 0 <= view.random() < 1

    one, two = lab.run([plan, switchyard.plan(plan)]).runs
    assert one.log_hash == two.log_hash and one["finished"] == one["jobs"]
    assert seen.count(1) == 2, "what is kept is a run's own"


def test_a_function_sees_what_a_script_sees(lab):
    at_once, one_by_one = {}, {}
    names = "id gpus submit tenant duration attained held remaining rate starts since running waited name tenant_name".split()

    def keys(jobs, now):
        for name in names:
            for at, value in zip(jobs.id, getattr(jobs, name)):
                at_once[now, int(at), name] = value
        assert len(jobs) == len(jobs.id) and jobs.attained.dtype == numpy.float64
        assert jobs.running.dtype == numpy.bool_ and jobs.gpus.dtype == numpy.int64
        return jobs.submit

    def key(job, now):
        for name in names:
            one_by_one[now, job.id, name] = getattr(job, name)
        return job.submit

    lab.run([switchyard.keys(keys, oracle=True), switchyard.key(key, oracle=True)])
    assert at_once == one_by_one and len(at_once) > 1000
    assert {value for (_, _, name), value in one_by_one.items() if name == "tenant_name"} == set(lab.facts["tenants"])


def test_a_tenant_is_known_by_its_name(lab):
    first = lab.facts["tenants"][0]
    script = switchyard.script(f'fn key(job, now) {{ if job.tenant_name == "{first}" {{ 0 }} else {{ 1 }} }}')

    def plan(view):
        view.walk(sorted(view.jobs, key=lambda job: (job.tenant_name != first, job.submit)))

    mine = [switchyard.key(lambda job, now: job.tenant_name != first), plan]
    runs = lab.run([script, *mine]).runs
    assert len({run.log_hash for run in runs}) == 1
    without = switchyard.Trace.from_jobs(dict(job=["a"], submit_s=[0.0], duration_s=[9.0], gpus=[1]))
    assert without.run(lambda job, now: len(job.tenant_name)).runs[0]["finished"] == 1


def test_any_array_of_numbers_is_taken(lab):
    def as_list(jobs, now):
        return list(jobs.submit)

    def as_float32_backwards(jobs, now):
        return numpy.array(jobs.id[::-1], numpy.float32)[::-1]

    runs = lab.run(["fifo", *(switchyard.keys(of, preemptive=False) for of in (as_list, as_float32_backwards))]).runs
    assert len({run.log_hash for run in runs}) == 1


def line_of(function, text):
    lines, first = inspect.getsourcelines(function)
    return first + next(at for at, line in enumerate(lines) if text in line)


def failed(lab, policy):
    with pytest.raises(switchyard.RunError) as raised:
        lab.run(policy)
    return raised.value


def test_what_is_raised_ends_the_run_at_its_line_with_its_job(lab):
    def key(job, now):
        if job.id == 3:
            return 1 / 0
        return 0

    error = failed(lab, key)
    name = list(lab.jobs["job"])[3]
    where = re.escape(f"{__file__}:{line_of(key, '1 / 0')}: job '{name}': ZeroDivisionError: division by zero")
    assert re.fullmatch(rf"key ends at [0-9.]+ s: {where}", str(error))
    assert isinstance(error.__cause__, ZeroDivisionError) and error.__cause__.__traceback__ is not None

    def helped(jobs, now):
        return numpy.linalg.inv(jobs.submit)

    error = failed(lab, helped)
    assert f"{__file__}:{line_of(helped, 'inv')}: LinAlgError: " in str(error), "its own line, not numpy's"

    def plan(view):
        view.stop(view.jobs[0])

    assert f":{line_of(plan, 'stop')}: ValueError: job '" in str(failed(lab, plan))


@pytest.mark.parametrize(
    "function, words",
    [
        (lambda job, now: "soon", "job '.*': its key is 'soon': it must be a number"),
        (lambda job, now: float("nan"), "job '.*': its key is NaN, which has no place in an order"),
        (lambda job, now: job.remaining, "job.remaining is the truth.*: say oracle=True"),
        (lambda job, now: job.holds, r"a key is a number and no more: define plan\(view\)"),
        (lambda job, now: job.weight, "has no attribute 'weight'"),
        (lambda jobs, now: [1.0, 2.0, 3.0], "it gives 3 numbers for 24 jobs: it must give as many numbers"),
        (lambda jobs, now: "soon", "it gives 'soon' for 24 jobs"),
        (lambda jobs, now: [[1.0]], r"it gives \[\[1.0\]\] for 24 jobs"),
        (lambda jobs, now: jobs.submit * numpy.nan, "job '.*': its key is NaN"),
        (lambda view: view.start(view.jobs[0], [1000]), "there is no node 1000: they go from 0 to"),
        (lambda view: view.walk([3]), "walk.* takes jobs"),
        (lambda view: view.alarm(view.jobs[0], view.now), "was asked"),
    ],
)
def test_what_cannot_be_is_said_in_words(lab, function, words):
    error = str(failed(lab, function))
    assert re.search(words, error) and error.startswith("lambda") and "panicked" not in error, error


def test_what_is_kept_from_an_earlier_decision_says_so(lab):
    kept = []

    def plan(view):
        kept.extend([view, *view.jobs])
        view.walk(view.jobs)

    lab.run(plan)
    view, job = kept[:2]
    with pytest.raises(ValueError, match="earlier decision, which is over"):
        view.start(job)
    with pytest.raises(ValueError, match="earlier decision, which is over"):
        job.attained
    assert job == kept[1] and view.now == 0


def test_one_that_fails_costs_the_others_nothing(lab):
    def wrong(job, now):
        raise RuntimeError("no")

    with pytest.warns(UserWarning, match="1 of 2 runs failed"):
        results = lab.run(["fifo", wrong])
    assert len(results) == 1 and "RuntimeError: no" in str(results.failed["function:wrong"])
    with pytest.raises(switchyard.RunError, match="RuntimeError: no"):
        results["wrong"]


def test_functions_are_known_by_their_parameters(lab):
    assert [run.policy for run in lab.run([by_submission, by_submission]).runs] == [
        "function:by_submission",
        "function:by_submission 2",
    ]
    with pytest.raises(switchyard.InputError, match=r"takes \(a, b\): a policy is a function key\(job, now\)"):
        lab.run(lambda a, b: 0)
    with pytest.raises(switchyard.InputError, match="it takes text, or a function"):
        lab.run([3])
    with pytest.raises(switchyard.InputError, match="every is 0.5: it takes seconds from 1, or 0"):
        switchyard.key(by_submission, every=0.5)
    with pytest.raises(switchyard.InputError, match="it takes never, running or always"):
        switchyard.key(by_submission, changes="sometimes")
    with pytest.raises(switchyard.InputError, match="'pack' is no value for 'placement'"):
        lab.run(switchyard.key(by_submission, placement="pack"))
    for policies in (by_submission, ["fifo", switchyard.keys(by_remaining, name="by_submission")]):
        grid = dict(traces=["sample:lab"], policies=policies)
        with pytest.raises(switchyard.InputError, match="policies holds by_submission, a function: .* write it as a script"):
            switchyard.sweep(grid, "nowhere")


def test_a_function_explains_itself(lab):
    job = list(lab.jobs["job"])[5]
    at = float(lab.jobs["submit_s"][5])

    def explain(job, now):
        return {"its place in the order": job.id, "asked at": f"{now - job.submit:.0f} s after it came"}

    key = switchyard.key(lambda job, now: job.submit, name="mine", preemptive=False, explain=explain)
    keys = switchyard.keys(lambda jobs, now: jobs.submit, preemptive=False, explain=lambda job, now: "so it is")
    plan = switchyard.plan(lambda view: view.walk(view.jobs), explain=lambda job, now: 1 / 0)
    fifo, mine, *others = lab.explain(job, at, ["fifo", key, keys, plan])
    assert mine["policy"] == "function:mine" and mine["verdict"] == fifo["verdict"]
    told = [{fact["term"]: fact["value"] for fact in answer["facts"]} for answer in (mine, *others)]
    assert told[0] == {
        "key (least first)": f"{at:.0f}",
        "its place in the order": "5",
        "asked at": "0 s after it came",
    }
    assert told[1]["because"] == "so it is" and told[2]["not explained"] == "ZeroDivisionError: division by zero"
    with pytest.raises(switchyard.InputError, match="there is no job 'nobody'"):
        lab.explain("nobody", 0, "fifo")


DRAWN = "fn key(job, now) { random() }"


def test_numbers_are_drawn_as_a_script_draws_them(lab):
    def one(job, now):
        return job.random()

    def all_of_them(jobs, now):
        drawn = jobs.random()
        assert drawn.shape == jobs.id.shape and ((drawn >= 0) & (drawn < 1)).all()
        return drawn

    script, *own = lab.run([switchyard.script(DRAWN), switchyard.key(one), switchyard.keys(all_of_them)], seed=5).runs
    assert [run.log_hash for run in own] == [script.log_hash] * 2
    assert lab.run(one, seed=6).runs[0].log_hash != script.log_hash


def test_a_function_notes_what_it_goes_by(lab):
    name, at = list(lab.jobs["job"])[5], float(lab.jobs["submit_s"][5])

    def key(job, now):
        job.note("its gang", job.gpus)
        job.note("a long text", "x" * 1000)
        return job.submit

    def keys(jobs, now):
        jobs.note("its gang", jobs.gpus)
        jobs.note("twice that", [2 * gpus for gpus in jobs.gpus])
        return jobs.submit

    def plan(view):
        view.note("waiting", len(view.waiting))
        for job in view.jobs:
            view.note("its gang", job.gpus, job)
            job.note("its name", job.name)
        view.walk(view.jobs)

    def told(function):
        [answer] = lab.explain(name, at, function)
        return {fact["term"]: fact["value"] for fact in answer["facts"]}

    gang = str(lab.jobs["gpus"][5])
    facts = told(key)
    assert facts["its gang"] == gang and facts["a long text"] == "x" * 200
    facts = told(keys)
    assert (facts["its gang"], facts["twice that"]) == (gang, str(2 * int(gang)))
    facts = told(plan)
    assert facts["its gang"] == gang and facts["its name"] == name and int(facts["waiting"]) >= 1
    # Where nobody asks why, nothing of a run is another.
    assert lab.run(key).runs[0].log_hash == lab.run(by_submission).runs[0].log_hash
    with pytest.raises(switchyard.RunError, match=r"note\('x', values\) has 1 values for 24 jobs: it takes one for each"):
        lab.run(switchyard.keys(lambda jobs, now: jobs.note("x", [1]) or jobs.submit))


ADAPTIVE = (ROOT / "core/policies/src/script/examples/adaptive.rhai").read_text()


def adaptive(view):
    """The script of that name, line by line."""
    if not view.round:
        return
    for job in view.waiting:
        if not job.adaptive and not view.start(job):
            break
    jobs = [job for job in view.jobs if job.adaptive]
    left = view.free_now() + sum(job.holds for job in jobs)
    gpus = [0] * len(jobs)
    while left > 0:
        best, most = -1, 0.0
        for at, job in enumerate(jobs):
            if gpus[at] < job.max_gpus:
                gain = job.speedup(gpus[at] + 1) - (job.speedup(gpus[at]) if gpus[at] else 0.0)
                if gain > most:
                    best, most = at, gain
        if best < 0:
            break
        gpus[best] += 1
        left -= 1
    for job, count in zip(jobs, gpus):
        if job.running and count == 0:
            view.stop(job)
        if 0 < count <= job.holds:
            view.train(job, count)
    for job, count in zip(jobs, gpus):
        if count > job.holds:
            view.train(job, count)


def test_adaptive_jobs_are_trained_as_a_script_trains_them(lab):
    seen = {}

    def looking(view):
        adaptive(view)
        for job in view.jobs:
            if job.adaptive:
                assert 0 <= job.epochs_done <= job.epochs and job.best_batch(1) > 0
                seen[job.application] = (job.batch, job.goodput(1))

    mine = switchyard.plan(looking, adaptive=True, every=60)
    script, own = lab.run([switchyard.script(ADAPTIVE), mine], cluster="4x8").runs
    assert own.log_hash == script.log_hash and own["finished"] == own["jobs"]
    assert len(seen) > 1 and all(batch > 0 and goodput > 0 for batch, goodput in seen.values())
    for wrong, words in [
        (lambda view: view.train(view.jobs[0], 0), "0 is no number of GPUs"),
        (lambda view: view.train(view.jobs[0], 100_000), "can use .* GPUs, not 100000"),
        (lambda view: view.jobs[0].speedup(-1), "-1 is no number of GPUs"),
    ]:
        assert re.search(words, str(failed(lab, switchyard.plan(wrong, adaptive=True))))
    for wrong in (lambda view: view.train(view.jobs[0], 1), lambda view: view.jobs[0].epochs):
        assert "is a gang with a fixed duration" in str(failed(lab, switchyard.plan(wrong)))
    with pytest.raises(TypeError):
        switchyard.key(by_submission, adaptive=True)


def test_a_function_tells_where_the_time_went(lab):
    mine = switchyard.key(by_submission, name="mine", preemptive=False)
    built_in, own = lab.why(["fifo", mine], by="gang")
    assert own["policy"] == "function:mine" and own["groups"] == built_in["groups"]
    job = list(lab.jobs["job"])[17]
    built_in, own = lab.why(["fifo", mine], job=job)
    assert (own["policy"], own["seconds"], own["parts"]) == ("function:mine", built_in["seconds"], built_in["parts"])
    with pytest.raises(switchyard.RunError, match="ZeroDivisionError") as raised:
        lab.why(switchyard.key(lambda job, now: 1 / 0))
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


def test_a_function_is_asked_when_a_job_would_start(lab):
    mine = switchyard.key(by_submission, name="mine", preemptive=False)

    def line(view):
        for job in view.waiting:
            if not view.start(job):
                break

    built_in, key, plan = lab.start(11 * 3600, ["fifo", mine, line], gpus=8, draws=12, seed=3)
    assert (key.pop("policy"), plan.pop("policy")) == ("function:mine", "function:line")
    del built_in["policy"]
    assert key == built_in == plan
    with pytest.raises(switchyard.InputError, match="nobody knows before"):
        lab.start(11 * 3600, switchyard.keys(by_remaining, oracle=True), gpus=8)

    def later(job, now):
        return 1 / 0 if now > 11 * 3600 else job.submit

    with pytest.raises(switchyard.RunError, match="ZeroDivisionError") as raised:
        lab.start(11 * 3600, later, gpus=8, draws=4)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)

    def ends_all(job, now):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lab.start(11 * 3600, ends_all, gpus=8, draws=4)


def test_ctrl_c_in_a_function_ends_all_and_keeps_what_has_ended(lab):
    def key(job, now):
        signal.raise_signal(signal.SIGINT)
        return 0

    # Whoever runs tests in the background ignores Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt) as raised:
            lab.run(["fifo", key, "srtf"])
    finally:
        signal.signal(signal.SIGINT, before)
    assert [run.policy for run in raised.value.results.runs] == ["fifo"]


def test_threads_run_functions_beside_one_another(lab):
    hashes, expected = [], lab.run(by_submission).runs[0].log_hash

    def work():
        hashes.append(lab.run(by_submission).runs[0].log_hash)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    begin = time.monotonic()
    for thread in threads:
        thread.join(60)
    assert hashes == [expected] * 4, f"{time.monotonic() - begin:.0f} s"


def test_a_function_may_run_others(lab):
    inner = []

    def plan(view):
        if not inner:
            inner.append(switchyard.run("sample:three-jobs", by_submission).runs[0]["finished"])
        view.walk(view.jobs)

    lab.run(plan)
    assert inner == [3]
