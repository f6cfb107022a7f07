"""Opening and running: the same as the command line, and what Python alone has."""

import io
import json
import os
import pickle
import signal
import subprocess
import threading
import time
import venv
import warnings
from pathlib import Path

import numpy
import pytest

import switchyard

LAB = "sample:lab"
#: All policies that run without a text or file of one's own.
OWN = ("script", "plugin")
ALL = [policy["name"] for policy in switchyard.policies() if policy["name"] not in OWN and not policy["replays"]]


def without_times(results):
    for run in results["runs"]:
        del run["wall_ms"]
    return results


@pytest.mark.parametrize(
    ("trace", "flags", "options"),
    [
        (LAB, [], {}),
        (
            LAB,
            ["--policy", "srtf", "--policy", "tiresias-las[queues=2,threshold=3600]", "--cluster", "4x4", "--seed", "7"]
            + ["--restart-cost", "30", "--mtbf", "50", "--placement", "consolidated"],
            dict(policies=["srtf", "tiresias-las[queues=2,threshold=3600]"], cluster="4x4", seed=7)
            | dict(restart_cost=30, mtbf=50, placement="consolidated"),
        ),
        (LAB, ["--preset", "reference-nsdi19", "--policy", "fifo"], dict(preset="reference-nsdi19", policies="fifo")),
        (LAB, [word for name in ALL for word in ("--policy", name)], dict(policies=ALL)),
        ("helios.csv", ["--cluster", "2x8"], dict(cluster="2x8")),
        ("philly.json", ["--policy", "sjf"], dict(policies="sjf")),
    ],
)
def test_results_are_those_of_the_command_line(cli, fixtures, trace, flags, options):
    path = trace if trace == LAB else fixtures / trace
    printed = json.loads(cli("run", path, "--json", "-", "--log-budget", "1GiB", *flags))
    results = switchyard.run(path, **options)
    assert without_times(results.to_dict()) == without_times(printed)
    assert [run.log_hash for run in results.runs] == [run["log_hash"] for run in printed["runs"]]
    if "mtbf" in options:
        assert all(run["failures"]["node_failures"] > 0 for run in results.runs)


def test_a_run_that_leaves_jobs_behind_is_never_the_best():
    jobs = b"job_id,submit_time,duration,num_gpus\na,0,10,8\nb,5,10,8\n"
    none = switchyard.run(("wide.csv", jobs), ["fifo", "srtf"], cluster="1x4")
    assert [run["jct"]["mean"] for run in none.runs] == [None, None]
    assert "mean JCT –" in repr(none.runs[0]) and "<b>" not in none._repr_html_()
    # One job of two is too large on two GPUs, and the other is done at once.
    jobs = b"job_id,submit_time,duration,num_gpus\na,0,10,8\nb,5,10,1\n"
    some = switchyard.run(("wide.csv", jobs), ["fifo", "srtf"], cluster="1x4")
    assert some.runs[0]["jct"]["mean"] == 10 and some.runs[0]["finished"] == 1
    assert "<b>" not in some._repr_html_() and "1 of 2" in some._repr_html_()


def test_each_job_is_a_row_as_in_the_command_lines_csv(cli, tmp_path):
    pandas = pytest.importorskip("pandas")
    cli("run", LAB, "--policy", "srtf", "--csv", tmp_path / "jobs.csv")
    printed = pandas.read_csv(tmp_path / "jobs.csv", keep_default_na=False, na_values={"jct_s": [""], "requested_s": [""]})
    jobs = switchyard.run(LAB, "srtf").runs[0].jobs.to_pandas()
    assert list(printed.columns) == ["policy", *jobs.columns]
    for column in jobs.columns:
        assert printed[column].astype(jobs[column].dtype).equals(jobs[column]), column


def test_columns_are_read_by_all_without_copying():
    import pandas
    import polars
    import pyarrow

    run = switchyard.run(LAB, "fifo").runs[0]
    jct = run.jobs["jct_s"]
    assert jct.dtype == numpy.float64 and jct.shape == (len(run.jobs),) and not jct.flags.writeable
    assert jct.mean() == pytest.approx(run.summary["jct"]["mean"], rel=1e-12)
    arrow = run.jobs.to_arrow()
    assert arrow.column_names == run.jobs.columns
    address = arrow["jct_s"].chunk(0).buffers()[1].address
    assert address == jct.ctypes.data
    assert isinstance(run.jobs.to_polars(), polars.DataFrame)
    assert run.jobs.to_polars()["jct_s"].to_list() == jct.tolist()
    assert isinstance(run.jobs.to_pandas(), pandas.DataFrame)
    assert isinstance(pyarrow.RecordBatchReader.from_stream(run.stays).read_all(), pyarrow.Table)
    held = run.stays["gpus"] * run.stays["part"] * (run.stays["end_s"] - run.stays["start_s"])
    assert held.sum() == pytest.approx(run.jobs["service_gpu_s"].sum())
    with pytest.raises(KeyError, match="there is no column 'jct'"):
        run.jobs["jct"]
    # An array keeps its table's memory.
    del run, arrow
    assert jct.sum() > 0


def test_what_there_is_to_choose_from(cli):
    assert switchyard.policies() == json.loads(cli("policies", "--json"))
    assert {"key", "label", "unit", "takes", "default", "help"} == set(switchyard.settings()[0])
    by_id = {metric["id"]: metric for metric in switchyard.metrics()}
    assert by_id["jct_mean"]["words"] == "mean JCT" and by_id["makespan"]["better"] == "lower"
    assert any(placement["name"] == "consolidated" for placement in switchyard.placements())
    for sample in switchyard.samples():
        assert len(switchyard.open(f"sample:{sample['name']}")) > 0


def test_inspect_says_what_the_command_line_says(cli, fixtures):
    path = fixtures / "philly.json"
    assert switchyard.inspect(path) == json.loads(cli("inspect", path, "--json", "-"))


def test_a_trace_is_opened_from_paths_bytes_and_several_files(fixtures):
    path = fixtures / "helios.csv"
    traces = [switchyard.open(path), switchyard.open(path.read_bytes()), switchyard.open((path.name, path.read_bytes()))]
    traces.append(switchyard.open([str(path)], statuses="completed"))
    hashes = [trace.run("fifo", cluster="4x8").runs[0].log_hash for trace in traces]
    assert hashes[0] == hashes[1] == hashes[2]
    assert len(traces[3]) < len(traces[0]) == traces[0].facts["jobs"] == len(traces[0].jobs["gpus"])


def test_files_are_what_python_has_them_for(fixtures, tmp_path, monkeypatch):
    path = fixtures / "helios.csv"
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "own.csv").write_bytes(path.read_bytes())
    with path.open("rb") as raw, path.open() as text:
        given = [Path("~/own.csv"), "~/own.csv", raw, text, io.BytesIO(path.read_bytes()), io.StringIO(path.read_text())]
        traces = [switchyard.open(each) for each in given]
    assert {len(trace) for trace in traces} == {len(switchyard.open(path))}
    with pytest.raises(switchyard.InputError, match="a file is None: it takes a path, bytes"):
        switchyard.open(None)


def test_a_table_is_opened_however_it_is_stored(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather, ipc, parquet

    jobs = range(5_000)
    table = pyarrow.table(
        {
            "job_id": [f"job {job}" for job in jobs],
            "user": pyarrow.array([("ann", "bob", None)[job % 3] for job in jobs]).dictionary_encode(),
            "submit_time": pyarrow.array([1_710_252_300_000_000 + job * 500_000 for job in jobs], pyarrow.timestamp("us", "UTC")),
            "duration": pyarrow.array([(600 + job % 7) * 10**9 for job in jobs], pyarrow.duration("ns")),
            "num_gpus": pyarrow.array([1 + job % 4 for job in jobs], pyarrow.int8()),
            "nodes": [["n1", "n2"]] * len(jobs),
        }
    )
    lines = ["job_id,user,submit_time,duration,num_gpus"]
    lines += [f"job {job},{('ann', 'bob', '')[job % 3]},{1_710_252_300 + job / 2},{600 + job % 7},{1 + job % 4}" for job in jobs]
    wanted = switchyard.open(("jobs.csv", "\n".join(lines).encode())).jobs
    given = [table]
    for compression in ["none", "snappy", "gzip", "lz4", "zstd"]:
        for version in ["1.0", "2.0"]:
            given.append(tmp_path / f"{compression}-{version}.parquet")
            parquet.write_table(table, given[-1], compression=compression, data_page_version=version, row_group_size=1_700)
    for compression in ["uncompressed", "lz4"]:
        given.append(tmp_path / f"{compression}.feather")
        feather.write_feather(table, given[-1], compression=compression)
    stream = io.BytesIO()
    with ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    given += [stream.getvalue(), io.BytesIO(given[1].read_bytes())]
    for each in given:
        jobs = switchyard.open(each).jobs
        for column in ["submit_s", "duration_s", "gpus"]:
            assert list(jobs[column]) == list(wanted[column]), (each, column)
    assert switchyard.inspect(given[1])["jobs"] == 5_000
    with pytest.raises(switchyard.InputError, match="cut.parquet is a Parquet file and cannot be read: it is damaged or ends early"):
        switchyard.open(("cut.parquet", given[1].read_bytes()[:-20]))
    without_gpus = table.drop_columns(["num_gpus"])
    with pytest.raises(switchyard.InputError, match="no column tells how many GPUs"):
        switchyard.open(without_gpus)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_is_opened_as_it_is(library):
    pytest.importorskip("pyarrow")
    frame = pytest.importorskip(library).DataFrame(
        {"job_id": ["a", "b"], "submit_time": [0.0, 30.5], "duration": [60, 90], "num_gpus": [2, 1], "user": ["ann", None]}
    )
    trace = switchyard.open(frame)
    assert [list(trace.jobs[column]) for column in ["submit_s", "duration_s", "gpus"]] == [[0.0, 30.5], [60.0, 90.0], [2, 1]]


@pytest.mark.parametrize(
    "call",
    [
        lambda path: switchyard.open(path),
        lambda path: switchyard.inspect(str(path)),
        lambda path: switchyard.run(LAB, "rl-picker", weights=path),
        lambda path: switchyard.sweep(path, path.parent / "out"),
        lambda path: switchyard.sweep(dict(traces=[path], policies="fifo"), path.parent / "out"),
    ],
)
def test_a_file_that_is_not_there_is_pythons_error_too(tmp_path, call):
    path = tmp_path / "nosuch.csv"
    with pytest.raises(FileNotFoundError) as raised:
        call(path)
    assert isinstance(raised.value, switchyard.InputError)
    assert (raised.value.errno, raised.value.filename) == (2, str(path))
    assert f"cannot read {path}: No such file" in str(raised.value)
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)
    # A folder is there, and cannot be read.
    path.mkdir()
    with pytest.raises(OSError, match="cannot read") as raised:
        call(path)
    assert isinstance(raised.value, switchyard.InputError) and not isinstance(raised.value, FileNotFoundError)


def test_pandas_is_told_how_rather_than_given_names_for_jobs():
    pandas = pytest.importorskip("pandas")
    jobs = switchyard.open(LAB).jobs
    for make in [pandas.DataFrame, numpy.asarray]:
        with pytest.raises(TypeError, match=r"take table.to_pandas\(\)"):
            make(jobs)
    assert list(dict(jobs)) == jobs.columns
    assert pandas.DataFrame(dict(jobs)).equals(jobs.to_pandas())


def test_results_are_found_by_what_was_asked():
    asked = ["fifo", "tiresias-las[threshold=3600,queues=2]", "tiresias-las"]
    results = switchyard.run(LAB, asked, cluster="4x4")
    for at, policy in enumerate(asked):
        assert results[policy] is results.runs[at] and results.runs[at].asked == policy and policy in results
    spelt = results.runs[1].policy
    assert spelt not in asked and switchyard.canonical(asked[1]) == spelt
    # However it is spelt, after pickling, too.
    for of in (results, pickle.loads(pickle.dumps(results))):
        assert {of[text].log_hash for text in (spelt, asked[1], "tiresias-las[ queues=2, thresholds=3600 ]")} == {
            results.runs[1].log_hash
        }
    # A preset gives policies parameters of its own.
    preset = switchyard.run(LAB, "fifo", preset="reference-nsdi19")
    assert preset["fifo"] is preset.runs[0]
    for wrong in ("srtf", "no policy", "tiresias-las[threshold=7200,queues=2]"):
        assert wrong not in results
        with pytest.raises(KeyError, match="there is no one run of"):
            results[wrong]


def test_a_run_that_fails_costs_the_others_nothing():
    trace = switchyard.open(LAB)
    # The log of gandiva's rounds is the largest by far.
    asked = ["fifo", "gandiva", "srtf"]
    with pytest.warns(UserWarning, match="1 of 3 runs failed, the results are of the others: gandiva: .* log is full") as told:
        results = trace.run(asked, log_budget=60_000)
    assert told[0].filename == __file__
    whole = trace.run(["fifo", "srtf"])
    assert [run.log_hash for run in results.runs] == [run.log_hash for run in whole.runs]
    assert list(results) == ["fifo", "srtf"] and list(results.failed) == ["gandiva"] and "gandiva" not in results
    for of in (results, pickle.loads(pickle.dumps(results))):
        with pytest.raises(switchyard.RunError, match="log is full"):
            of["gandiva"]
    assert "1 failed" in repr(results) and "gandiva failed: " in results._repr_html_()
    with pytest.raises(switchyard.RunError, match="no run came to its end: fifo: .*; srtf: ") as told:
        trace.run(["fifo", "srtf"], log_budget=1000)
    # No policy helps where the jobs fill it.
    assert "take fewer jobs, such as a window of the trace, or raise log_budget" in str(told.value)
    assert "policy" not in str(told.value).partition(": ")[2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trace.run("fifo")


def test_what_was_finished_is_there_after_an_interrupt():
    scope = {}
    exec(LONG, scope)

    def stop(progress):
        if progress["policy"] == "gandiva":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        scope["trace"].run(["fifo", "gandiva", "srtf"], cluster="1x4", log_budget="64GB", progress=stop)
    assert list(raised.value.results) == ["fifo"] and raised.value.results["fifo"]["finished"] == 64


def test_everything_can_be_pickled(fixtures):
    for trace in [switchyard.open(LAB), switchyard.open(fixtures / "philly.json")]:
        again = pickle.loads(pickle.dumps(trace))
        assert again.facts == trace.facts
        results = trace.run(["fifo", "pollux"], cluster="4x4")
        kept = pickle.loads(pickle.dumps(results))
        assert kept.to_json() == results.to_json()
        for run, other in zip(results.runs, kept.runs):
            for column in run.jobs.columns:
                numpy.testing.assert_array_equal(run.jobs[column], other.jobs[column])
            assert run.stays.to_arrow().equals(other.stays.to_arrow())
        assert without_times(again.run(["fifo", "pollux"], cluster="4x4").to_dict()) == without_times(results.to_dict())


def test_a_load_makes_jobs_come_faster():
    trace = switchyard.open(LAB)
    slow, fast = (trace.run("fifo", load=load).runs[0] for load in (0.5, 2))
    assert numpy.array_equal(slow.jobs["submit_s"], 4 * fast.jobs["submit_s"])
    assert slow["queueing"]["mean"] < fast["queueing"]["mean"]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: switchyard.open("nosuch.csv"), "cannot read nosuch.csv"),
        (lambda: switchyard.open("sample:nosuch"), "there is no sample 'nosuch': use one of"),
        (lambda: switchyard.open(b"a,b\n1,2\n"), "map='submit=COLUMN"),
        (lambda: switchyard.open([]), "nothing to open"),
        (lambda: switchyard.open(LAB, nosuch=1), "open has no option 'nosuch': it takes accounts, cluster,"),
        (lambda: switchyard.run(LAB, "fifoo"), "fifoo"),
        (lambda: switchyard.run(LAB, cluster="many"), "cluster: "),
        (lambda: switchyard.run(LAB, restart_cost=-1), "restart_cost is '-1'"),
        (lambda: switchyard.run(LAB, restart_cost=float("nan")), "an option is no number"),
        (lambda: switchyard.run(LAB, placement=object), "an option is <class 'object'>"),
        (lambda: switchyard.run(LAB, nosuch=1), "run has no option 'nosuch'"),
        (lambda: switchyard.run(LAB, load=0), "load is 0: it takes a number from 0.01 to 100"),
        (lambda: switchyard.run(LAB, weights=b"none"), "weights: "),
        (lambda: switchyard.run(LAB, log_budget="much"), "log_budget is 'much'"),
        (lambda: switchyard.run(LAB, log_budget="1.2.3"), "log_budget is '1.2.3'"),
        (lambda: switchyard.run(LAB, log_budget=-1), "log_budget is -1: it takes a whole number from 0"),
        (lambda: switchyard.run(LAB, log_budget=2**70), "log_budget is 1180591620717411303424"),
        (lambda: switchyard.run(LAB, seed=2**64), "it takes a whole number"),
        (lambda: switchyard.open(b"", max_rows=2**70), "max_rows is"),
        (lambda: switchyard.sweep(dict(traces=LAB, policies="fifo"), "unused", threads=-1), "threads is -1: it takes a whole number from 1"),
        (lambda: switchyard.sweep(dict(traces=LAB, policies="fifo"), "unused", threads=0), "threads is 0"),
        (lambda: switchyard.canonical("fifoo"), "fifoo"),
        (lambda: switchyard.run(LAB, "tiresias-gittins[history=nosuch]"), "cannot read the service history nosuch"),
    ],
)
def test_what_is_wrong_is_said_in_the_engines_words(call, says):
    with pytest.raises(switchyard.InputError) as raised:
        call()
    assert says in str(raised.value)
    assert isinstance(raised.value, switchyard.SwitchyardError)


def test_a_table_of_unknown_columns_comes_with_its_error():
    with pytest.raises(switchyard.InputError) as raised:
        switchyard.open(b"when,long,many\n1,2,3\n4,5,6\n")
    assert raised.value.table["columns"] == ["when", "long", "many"]
    trace = switchyard.open(b"when,long,many\n1,2,3\n4,5,6\n", map=dict(submit="when", duration="long", gpus="many", unit="s"))
    assert trace.jobs["gpus"].tolist() == [3, 6]


def test_a_run_that_outgrows_its_log_is_ended():
    with pytest.raises(switchyard.RunError, match="log"):
        switchyard.run(LAB, "fifo", log_budget=1000)


# Rounds of ten seconds over a year: some seconds of work.
LONG = """
import switchyard
jobs = "job_id,submit_time,duration,num_gpus\\n" + "".join(f"{i},{i},31536000,1\\n" for i in range(64))
trace = switchyard.open(("jobs.csv", jobs.encode()), map="submit=submit_time,duration=duration,gpus=num_gpus,unit=s")
"""


def test_others_go_on_while_it_runs_and_hear_of_it():
    scope = {}
    exec(LONG, scope)
    ticks, said = [], []
    running = threading.Event()
    running.set()

    def tick():
        while running.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    def stop(progress):
        said.append(progress)
        if len(said) == 4:
            raise LookupError("enough")

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        with pytest.raises(LookupError, match="enough"):
            scope["trace"].run("gandiva", cluster="1x4", log_budget="64GB", progress=stop)
    finally:
        running.clear()
        thread.join()
    assert said[0]["stage"] == "run" and said[0]["jobs"] == 64
    assert said[0]["now"] < said[-1]["now"]
    # Four tellings are 0.2 s of work, in which this thread had its turns.
    assert len(ticks) > 20


def test_progress_reaches_its_end_however_short_the_work_is(fixtures):
    said = []
    trace = switchyard.open(fixtures / "tiresias.csv", progress=said.append)
    assert said[-1] == {"stage": "open", "bytes": (fixtures / "tiresias.csv").stat().st_size, "jobs": len(trace)}
    said = []
    results = trace.run(["fifo", "srtf"], progress=said.append)
    ends = [of for of in said if of["done"] == of["jobs"] == len(trace)]
    assert [of["policy"] for of in ends] == list(results)
    # An error there ends what is yet to come.
    with pytest.raises(LookupError) as raised:
        trace.run(["fifo", "srtf"], progress=lambda of: [][0])
    assert list(raised.value.results) == ["fifo"]


def test_an_interrupt_ends_a_run(in_python):
    program = LONG + (
        "import sys\n"
        "print('runs', flush=True)\n"
        "try:\n"
        "    trace.run('gandiva', cluster='1x4', log_budget='64GB')\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(42)\n"
    )
    child = in_python(program, stdout=subprocess.PIPE)
    assert child.stdout.readline() == "runs\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=60) == 42


def test_a_wheel_installs_with_numpy_alone(tmp_path):
    wheel = os.environ.get("SWITCHYARD_WHEEL")
    if wheel is None:
        pytest.skip("SWITCHYARD_WHEEL names no wheel")
    assert "abi3" in wheel
    # NumPy is taken from here: fetching it again would tell nothing.
    venv.create(tmp_path / "fresh", with_pip=True)
    folder = "Scripts" if os.name == "nt" else "bin"
    python = tmp_path / "fresh" / folder / "python"
    call = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", wheel]
    subprocess.run(call, check=True)
    path = Path(numpy.__file__).parents[1]
    only = tmp_path / "only"
    only.mkdir()
    for part in path.glob("numpy*"):
        (only / part.name).symlink_to(part)
    program = "import switchyard; print(switchyard.run('sample:lab', 'fifo').runs[0].log_hash)"
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, env={"PYTHONPATH": str(only)})
    assert done.stdout.strip() == switchyard.run(LAB, "fifo").runs[0].log_hash, done.stderr


def test_the_package_is_described():
    folder = Path(switchyard.__file__).parent
    assert (folder / "py.typed").is_file()
    for name in switchyard.__all__:
        if callable(getattr(switchyard, name)):
            assert getattr(switchyard, name).__doc__, name
    # Of times, settings have their own units.
    units = {setting["key"]: setting["unit"] for setting in switchyard.settings()}
    assert {units[key] for key in ("mtbf", "mttr")} == {"h"} and units["restart_cost"] == "s", units
    assert "**hours**" in switchyard.run.__doc__ and "``mtbf`` and\n``mttr`` are hours" in switchyard.__doc__
