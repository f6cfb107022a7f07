"""Opening and running: the same as the command line, and what Python alone has."""

import json
import os
import pickle
import signal
import subprocess
import threading
import time
import venv
from pathlib import Path

import numpy
import pytest

import switchyard

LAB = "sample:lab"


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
            + ["--restart-cost", "30", "--mtbf", "200000", "--placement", "consolidated"],
            dict(policies=["srtf", "tiresias-las[queues=2,threshold=3600]"], cluster="4x4", seed=7)
            | dict(restart_cost=30, mtbf=200000, placement="consolidated"),
        ),
        (LAB, ["--preset", "reference-nsdi19", "--policy", "fifo"], dict(preset="reference-nsdi19", policies="fifo")),
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


def test_each_job_is_a_row_as_in_the_command_lines_csv(cli, tmp_path):
    pandas = pytest.importorskip("pandas")
    cli("run", LAB, "--policy", "srtf", "--csv", tmp_path / "jobs.csv")
    printed = pandas.read_csv(tmp_path / "jobs.csv", keep_default_na=False, na_values={"jct_s": [""]})
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
        (lambda: switchyard.open(LAB, nosuch=1), "open has no option 'nosuch': it takes cluster,"),
        (lambda: switchyard.run(LAB, "fifoo"), "fifoo"),
        (lambda: switchyard.run(LAB, cluster="many"), "cluster: "),
        (lambda: switchyard.run(LAB, restart_cost=-1), "restart_cost is '-1'"),
        (lambda: switchyard.run(LAB, restart_cost=float("nan")), "an option is no number"),
        (lambda: switchyard.run(LAB, placement=object), "an option is <class 'object'>"),
        (lambda: switchyard.run(LAB, nosuch=1), "run has no option 'nosuch'"),
        (lambda: switchyard.run(LAB, load=0), "load is 0: it takes a number from 0.01 to 100"),
        (lambda: switchyard.run(LAB, weights=b"none"), "weights: "),
        (lambda: switchyard.run(LAB, log_budget="much"), "log_budget is 'much'"),
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


def test_the_package_is_typed():
    folder = Path(switchyard.__file__).parent
    assert (folder / "py.typed").is_file()
    for name in switchyard.__all__:
        if callable(getattr(switchyard, name)):
            assert getattr(switchyard, name).__doc__, name
