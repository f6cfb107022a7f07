"""Sweeps: the same table from every engine, and what goes wrong."""

import os
import signal
import subprocess
import time
import warnings

import numpy
import pytest

import switchyard

GRID = dict(
    traces=["sample:lab"],
    clusters=["2x4", "4x4"],
    policies=["fifo", "tiresias-las"],
    parameters={"tiresias-las": {"threshold": "3600..7200/2"}},
    loads=[0.5, 1.5],
    settings={"mtbf": 50},
    seeds="1..4/4",
)
RUNS = 2 * 3 * 2 * 4


def files(folder):
    return [(folder / name).read_bytes() for name in ("results.parquet", "results.csv")]


def test_rows_are_runs(tmp_path):
    pyarrow = pytest.importorskip("pyarrow.parquet")
    said = []
    swept = switchyard.sweep(GRID, tmp_path / "a", progress=said.append)
    assert (len(swept), swept.failed) == (RUNS, 0)
    assert swept["point"].tolist() == list(range(RUNS))
    assert swept["seed"][:5].tolist() == [1, 2, 3, 4, 1]
    written = pyarrow.read_table(tmp_path / "a/results.parquet")
    assert written.equals(swept.to_arrow().cast(written.schema))
    frame = swept.to_pandas()
    # Nodes fail, by the seed.
    assert frame.node_failures.sum() > RUNS and frame.log_hash.nunique() == RUNS
    assert frame.groupby("policy").jct_mean.mean().shape == (3,)
    for at in (0, RUNS - 1):
        row = frame.loc[at]
        run = switchyard.run(
            "sample:lab", row.policy, cluster=row.cluster, load=row.load, seed=int(row.seed), mtbf=50
        ).runs[0]
        assert (run.log_hash, run["jct"]["mean"]) == (row.log_hash, row.jct_mean)


def test_any_order_number_of_threads_and_file_make_the_same_table(tmp_path, cli):
    switchyard.sweep(GRID, tmp_path / "all", threads=2)
    # Half of it first, in another order of its values.
    half = GRID | dict(seeds=[4, 2], clusters="4x4")
    switchyard.sweep(half, tmp_path / "parts", threads=1)
    switchyard.sweep(GRID, tmp_path / "parts", threads=3)
    assert files(tmp_path / "parts") == files(tmp_path / "all")
    toml = tmp_path / "grid.toml"
    toml.write_text(
        'traces = ["sample:lab"]\nclusters = ["2x4", "4x4"]\npolicies = ["fifo", "tiresias-las"]\n'
        'parameters.tiresias-las.threshold = "3600..7200/2"\nloads = [0.5, 1.5]\nsettings.mtbf = 50\nseeds = "1..4/4"\n'
    )
    cli("sweep", toml, "--out", tmp_path / "cli")
    assert files(tmp_path / "cli") == files(tmp_path / "all")
    switchyard.sweep(toml, tmp_path / "file")
    assert files(tmp_path / "file") == files(tmp_path / "all")


@pytest.fixture(scope="module")
def ray_cluster():
    """A Ray cluster on this machine: two nodes of one worker each."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    cluster = Cluster(initialize_head=True, head_node_args=dict(num_cpus=1, include_dashboard=False))
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    yield ray
    ray.shutdown()
    cluster.shutdown()


def test_ray_makes_the_same_table(tmp_path, ray_cluster):
    assert len(ray_cluster.nodes()) == 2
    said = []
    swept = switchyard.sweep(GRID, tmp_path / "ray", engine="ray", progress=said.append)
    assert (len(swept), said[-1]["done"]) == (RUNS, RUNS)
    switchyard.sweep(GRID, tmp_path / "local")
    assert files(tmp_path / "ray") == files(tmp_path / "local")
    # A trace that is open travels with its jobs.
    trace = switchyard.open("sample:lab")
    small = dict(traces={"mine": trace}, policies="fifo", loads=[1, 2])
    on_ray = switchyard.sweep(small, tmp_path / "own", engine="ray")
    here = switchyard.sweep(small, tmp_path / "here")
    assert on_ray["log_hash"].tolist() == here["log_hash"].tolist()
    assert files(tmp_path / "own") == files(tmp_path / "here")


def test_a_worker_that_dies_costs_its_runs_until_the_next_time(tmp_path, ray_cluster, monkeypatch):
    from switchyard import _sweep

    def die(*_):
        os._exit(1)

    small = dict(traces="sample:lab", policies="fifo", loads=[1, 2])
    monkeypatch.setattr(_sweep, "_work", die)
    swept = switchyard.sweep(small, tmp_path, engine="ray")
    assert swept.failed == len(swept) and set(swept["failure"]) == {"lost"}
    assert numpy.isnan(swept["jct_mean"]).all() and swept.to_arrow()["jct_mean"].null_count == len(swept)
    monkeypatch.undo()
    assert switchyard.sweep(small, tmp_path, engine="ray").failed == 0
    switchyard.sweep(small, tmp_path / "whole")
    assert files(tmp_path) == files(tmp_path / "whole")


# A thousand runs and more: some seconds.
PROGRAM = """
import switchyard, sys
grid = dict(traces="sample:lab", policies=["fifo", "srtf"], loads="0.5..1.5/40", seeds="1..20/20", settings=dict(mtbf=50))
before = []
switchyard.sweep(grid, sys.argv[1], progress=lambda said: before.append(said["done"]))
print(before[0] if before else -1)
"""


def test_a_sweep_that_was_killed_goes_on(tmp_path, in_python):
    import sys

    def start(folder):
        return subprocess.Popen([sys.executable, "-c", PROGRAM, folder], stdout=subprocess.PIPE, text=True)

    killed = start(tmp_path / "killed")
    parts = tmp_path / "killed/parts"
    while killed.poll() is None and not list(parts.glob("*.parquet")):
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert not (tmp_path / "killed/results.parquet").exists()
    again = start(tmp_path / "killed")
    output, _ = again.communicate()
    # What lay in parts was not run again.
    assert again.returncode == 0 and int(output) >= 256
    whole = start(tmp_path / "whole")
    assert whole.wait() == 0
    assert files(tmp_path / "killed") == files(tmp_path / "whole")


def test_seeds_that_change_nothing_are_said(tmp_path):
    grid = dict(traces="sample:lab", policies=["fifo", "srtf"], seeds="1..3/3")
    with pytest.warns(UserWarning, match=r"the 3 seeds changed nothing.*mtbf: the mean hours") as told:
        switchyard.sweep(grid, tmp_path / "idle")
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        swept = switchyard.sweep(grid | dict(settings=dict(mtbf=50)), tmp_path / "failing")
        switchyard.sweep(grid | dict(seeds=1), tmp_path / "one")
    assert swept["node_failures"].min() > 0


def test_a_folder_has_one_sweep_at_a_time(tmp_path):
    inside = []

    def another(_):
        with pytest.raises(switchyard.InputError) as raised:
            switchyard.sweep(GRID, tmp_path)
        inside.append(str(raised.value))
        raise LookupError("enough")

    long = dict(traces="sample:lab", policies=["fifo", "srtf"], loads="0.5..1.5/40", seeds="1..20/20", settings=dict(mtbf=50))
    with pytest.raises(LookupError) as ended:
        switchyard.sweep(long, tmp_path, progress=another)
    assert inside == [f"another sweep writes into {tmp_path}: wait until it has ended, or sweep into another folder"]
    # One that has ended lets go of it, though its error is kept.
    assert switchyard.sweep(GRID, tmp_path).failed == 0
    assert ended.value.args == ("enough",)


def test_results_are_not_replaced_by_fewer(tmp_path):
    switchyard.sweep(GRID, tmp_path)
    before = files(tmp_path)
    with pytest.raises(switchyard.InputError, match=f"results.csv holds {RUNS} runs, and this grid asks for all but {RUNS // 2} of"):
        switchyard.sweep(GRID | dict(clusters="4x4"), tmp_path)
    assert files(tmp_path) == before
    for name in ("results.parquet", "results.csv"):
        (tmp_path / name).rename(tmp_path / f"whole-{name}")
    # What is known stays known.
    done = []
    small = switchyard.sweep(GRID | dict(clusters="4x4"), tmp_path, progress=done.append)
    assert len(small) == RUNS // 2 and [of["done"] for of in done] == [RUNS // 2]


def test_a_damaged_part_is_refused_by_name(tmp_path):
    switchyard.sweep(GRID, tmp_path)
    [part] = (tmp_path / "parts").glob("*.parquet")
    written = bytearray(part.read_bytes())
    for at in range(0, len(written), len(written) // 20):
        part.write_bytes(written[:at] + bytes([written[at] ^ 4]) + written[at + 1 :])
        with pytest.raises(switchyard.InputError, match=f"{part.name}: it is damaged"):
            switchyard.sweep(GRID, tmp_path)
    part.unlink()
    before = files(tmp_path)
    switchyard.sweep(GRID, tmp_path)
    assert files(tmp_path) == before


def test_what_fails_stands_beside_results(tmp_path):
    grid = dict(traces="sample:lab", policies=["fifo", "tiresias-gittins[history=nosuch]"], loads=[1, 2])
    swept = switchyard.sweep(grid, tmp_path)
    assert swept.failed == 2 and swept["failure"].tolist() == ["", "input", "", "input"]
    assert "cannot read the service history nosuch" in swept["error"][1]
    assert numpy.isnan(swept["jct_mean"][1::2]).all() and (swept["jct_mean"][::2] > 0).all()


def test_a_full_disk_is_said_and_costs_nothing_that_was_written(tmp_path, in_python):
    resource = pytest.importorskip("resource")
    del resource
    grid = "dict(traces='sample:lab', policies=['fifo', 'srtf'], loads='0.5..1.5/20', seeds='1..20/20', settings=dict(mtbf=50))"
    # Files may have so many bytes: a part of 256 rows fits, the table of all does not.
    program = (
        "import resource, signal, switchyard\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        f"try: switchyard.sweep({grid}, {str(tmp_path / 'full')!r})\n"
        "except switchyard.SwitchyardError as why: print(why)\n"
    )
    said, _ = in_python(program, stdout=subprocess.PIPE).communicate()
    assert "cannot write" in said and "goes on from there" in said, said
    assert list((tmp_path / "full/parts").glob("*.parquet")) and not list((tmp_path / "full").rglob("*.partial"))
    done = []
    switchyard.sweep(eval(grid), tmp_path / "full", progress=lambda of: done.append(of["done"]))
    switchyard.sweep(eval(grid), tmp_path / "whole")
    assert files(tmp_path / "full") == files(tmp_path / "whole")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (dict(policies="fifoo"), "policies: "),
        (dict(nosuch=1), "a grid has no 'nosuch'"),
        (dict(traces=["nosuch.csv"]), "nosuch.csv: cannot read"),
        (dict(traces={"a": "b"}), "by name stands what switchyard.open gave"),
        (dict(loads=[float("nan")]), "an option is no number"),
    ],
)
def test_wrong_grids_are_refused(tmp_path, change, says):
    with pytest.raises(switchyard.InputError) as raised:
        switchyard.sweep(GRID | change, tmp_path)
    assert says in str(raised.value)


def test_a_grid_that_is_no_utf_8_is_refused(tmp_path):
    grid = tmp_path / "grid.toml"
    grid.write_text('traces = [{ name = "Z\u00fcrich", files = ["sample:lab"] }]\npolicies = "fifo"\n', "latin-1")
    with pytest.raises(switchyard.InputError) as raised:
        switchyard.sweep(grid, tmp_path / "a")
    assert str(raised.value) == f"cannot read {grid}: it is no UTF-8" and not (tmp_path / "a").exists()
    grid.write_text(grid.read_text("latin-1"), "utf-8")
    assert switchyard.sweep(grid, tmp_path / "a").to_pandas().trace.unique().tolist() == ["Z\u00fcrich"]


def test_other_engines_and_files_of_others_are_refused(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    with pytest.raises(switchyard.InputError, match="engine is 'dusk': there are local and ray"):
        switchyard.sweep(GRID, tmp_path, engine="dusk")
    (tmp_path / "parts").mkdir(exist_ok=True)
    parquet.write_table(pyarrow.table({"point": [1]}), tmp_path / "parts/000007.parquet")
    with pytest.raises(switchyard.InputError, match="000007.parquet: its name has no checksum, .*: sweep into"):
        switchyard.sweep(GRID, tmp_path)


def run_one(trace, configuration):
    """The pure function of a sweep of one's own."""
    return switchyard.run(trace, **configuration).runs[0].log_hash


CONFIGURATIONS = [dict(policies=policy, cluster="4x4", seed=seed) for policy in ("fifo", "srtf") for seed in (1, 2)]


def test_joblib_runs_configurations():
    joblib = pytest.importorskip("joblib")
    trace = switchyard.open("sample:lab")
    hashes = joblib.Parallel(n_jobs=2, prefer="threads")(
        joblib.delayed(run_one)(trace, configuration) for configuration in CONFIGURATIONS
    )
    assert hashes == [run_one(trace, configuration) for configuration in CONFIGURATIONS]


def test_dask_runs_configurations():
    dask = pytest.importorskip("dask")
    trace = dask.delayed(switchyard.open("sample:lab"))
    runs = [dask.delayed(run_one)(trace, configuration) for configuration in CONFIGURATIONS]
    hashes = dask.compute(*runs, scheduler="processes", num_workers=2)
    assert list(hashes) == [run_one("sample:lab", configuration) for configuration in CONFIGURATIONS]
