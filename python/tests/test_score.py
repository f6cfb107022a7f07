"""What a scheduler makes of challenges: the command line's, to the bit, also of functions."""

from __future__ import annotations

import json
import pickle
import signal
import threading

import pytest
from conftest import ROOT

import switchyard

LAS = "const EVERY = 60;\nfn key(job, now) { job.attained }\n"


@pytest.fixture
def las(tmp_path):
    file = tmp_path / "mine.rhai"
    file.write_text(LAS)
    return file


def test_a_score_is_the_command_lines(cli, las):
    flags = ["--challenge", "convoy", "--challenge", "swarm", "--seeds", "3", "--draw", "41", "--json", "-"]
    for asked, policy in [("las[quantum=60]", "las[quantum=60]"), (las, f"script:{las}"), (las, switchyard.script(las))]:
        printed = cli("score", asked, *flags)
        score = switchyard.score(policy, ["convoy", "swarm"], seeds=3, draw=41)
        assert score.to_json() == printed.rstrip("\n")
        assert score.to_dict() == json.loads(printed) and score.reproducible
    assert (score.label, score.draw, score.workloads) == ("script[name=mine]", 41, 3)


def test_a_score_has_all_that_its_json_has():
    score = switchyard.score("las", "convoy", seeds=2, draw=7)
    told = score.to_dict()
    convoy = score["convoy"]
    assert score.challenges == [convoy] and score.low <= score.score <= score.high
    assert {name: getattr(score, name) for name in told if name != "challenges"} == {
        name: value for name, value in told.items() if name != "challenges"
    }
    [of] = told["challenges"]
    assert {name for name in of} == set(vars(convoy))
    assert (convoy.par.policy, convoy.par.score) == (of["par"]["policy"], of["par"]["score"])
    assert convoy.own.figures == tuple(of["own"]["figures"]) and convoy.tiresias.jct_p95 == of["tiresias"]["jct_p95"]
    assert len(convoy.log_hashes) == 2 and convoy.link.startswith("#") and "run=las" in convoy.link
    copy = pickle.loads(pickle.dumps(score))
    assert copy.to_json() == score.to_json() and copy["convoy"] == convoy
    assert f"score {score.score:.1f}" in score._repr_html_() and convoy.title in score._repr_html_()
    assert repr(score).startswith("<switchyard.Score: las, ") and "draw 7" in repr(score)
    with pytest.raises(KeyError, match="there is no score on 'tides': there are convoy"):
        score["tides"]


def test_a_function_has_the_score_of_the_script_that_it_is():
    def key(job, now):
        return job.attained

    def plan(view):
        view.walk(sorted(view.jobs, key=lambda job: (job.attained, job.submit)))

    of = dict(challenge="convoy", seeds=2, draw=99)
    script = switchyard.score(switchyard.script(LAS), **of).to_dict()
    for mine in (switchyard.key(key, every=60), switchyard.plan(plan, every=60), switchyard.keys(lambda jobs, now: jobs.attained, every=60)):
        score = switchyard.score(mine, **of)
        own = score.to_dict()
        assert own["policy"] == f"function:{mine.name}" and not score.reproducible
        assert "not reproducible elsewhere" in repr(score) and mine.name in score._repr_html_()
        # No link carries a function: what is left is what stands beside it.
        [link], [scripts] = ([of.pop("link") for of in told["challenges"]] for told in (own, json.loads(json.dumps(script))))
        assert "run=script" in scripts and link == "#" + "&".join(of for of in scripts[1:].split("&") if "run=script" not in of)
        for told in own["challenges"]:
            told["link"] = scripts
        assert own | {"policy": script["policy"]} == script


def test_a_plugin_is_scored():
    lines = (ROOT / "tests/golden/plugins.txt").read_text().splitlines()
    spec = next(line.split()[1] for line in lines if line.startswith("las "))
    of = dict(challenge="convoy", seeds=2, draw=1)
    score, las = switchyard.score(spec, **of), switchyard.score("las", **of)
    assert score.reproducible and score["convoy"].log_hashes == las["convoy"].log_hashes


def test_the_same_draw_is_the_same_score_and_without_one_it_is_new():
    first, second = (switchyard.score("fifo", "swarm", seeds=2) for _ in range(2))
    assert first.draw != second.draw
    again = switchyard.score("fifo", "swarm", seeds=2, draw=first.draw)
    assert again.to_json() == first.to_json() and second["swarm"].log_hashes != first["swarm"].log_hashes


@pytest.mark.parametrize(
    "ask, words",
    [
        (lambda: switchyard.score("fifo", "convoi"), "there is no challenge 'convoi' .did you mean 'convoy'.*: there are convoy, tides"),
        (lambda: switchyard.score("fifoo", "convoy"), "fifoo"),
        (lambda: switchyard.score("srtf", "convoy"), "srtf is an oracle"),
        (lambda: switchyard.score(switchyard.key(lambda job, now: job.remaining, name="mine", oracle=True), "convoy"), "mine is an oracle"),
        (lambda: switchyard.score(["fifo", "las"], "convoy"), "score takes one policy, and was given 2"),
        (lambda: switchyard.score([], "convoy"), "score takes one policy, and was given 0"),
        (lambda: switchyard.score("fifo", "convoy", seeds=1), "seeds is 1: it takes a whole number from 2 to 200"),
        (lambda: switchyard.score("fifo", "convoy", draw=-1), "draw is -1: it takes a whole number from 0 to 999999999999"),
        (lambda: switchyard.score("fifo", "convoy", draw=10**12), "draw is 1000000000000"),
        (lambda: switchyard.score("script:nowhere.rhai", "convoy"), "cannot read nowhere.rhai"),
        (lambda: switchyard.score(3, "convoy"), "a policy is 3: it takes text, or a function"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(ask, words):
    with pytest.raises(switchyard.InputError, match=words):
        ask()


def test_what_has_no_score_says_why():
    with pytest.raises(switchyard.RunError, match=r"convoy \(draw 5\): lazy leaves 160 of 160 jobs unfinished"):
        switchyard.score(switchyard.plan(lambda view: None, name="lazy"), "convoy", seeds=2, draw=5)

    def later(job, now):
        return 1 / 0 if job.id == 3 else 0

    with pytest.raises(switchyard.RunError, match=r"convoy \(draw 5\): later ends at .*test_score.py:\d+: job 'job-000003': ZeroDivisionError") as raised:
        switchyard.score(later, "convoy", seeds=2, draw=5)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    with pytest.raises(switchyard.RunError, match=r"convoy \(draw 5\): script ends at 0 s: line 1, column \d+: job 'job-000000'"):
        switchyard.score(switchyard.script("fn key(job, now) { 1 / (job.id - job.id) }"), "convoy", seeds=2, draw=5)


def test_progress_is_told_and_an_interrupt_ends_it(capsys):
    told = []
    switchyard.score("las", "tides", seeds=2, draw=1, progress=told.append)
    assert told[-1]["stage"] == "score" and told[-1]["run"] == 5 and told[-1]["runs"] == 6
    assert told[-1]["done"] == told[-1]["jobs"]
    places = [(said["run"], said["done"]) for said in told]
    assert places == sorted(places)
    switchyard.score("las", "convoy", seeds=2, draw=1, progress=True)
    assert "6 of 6 runs" in capsys.readouterr().err

    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        switchyard.score("las", seeds=200, progress=stop)


def test_ctrl_c_ends_it():
    # Whoever runs tests in the background ignores Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    main = threading.main_thread().ident
    try:
        press = threading.Timer(0.5, lambda: signal.pthread_kill(main, signal.SIGINT))
        press.start()
        with pytest.raises(KeyboardInterrupt):
            switchyard.score("las", seeds=200)

        def key(job, now):
            signal.raise_signal(signal.SIGINT)
            return 0

        with pytest.raises(KeyboardInterrupt):
            switchyard.score(key, seeds=200)
    finally:
        press.join()
        signal.signal(signal.SIGINT, before)
