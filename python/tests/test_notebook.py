"""Results in a notebook: what they show, and the example."""

import base64
import http.server
import re
import subprocess
import threading
import xml.etree.ElementTree as xml
import zlib
from pathlib import Path

import pytest

import switchyard

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_results_show_themselves_as_a_table_and_a_drawing():
    results = switchyard.run("sample:lab", ["fifo", "srtf"], cluster="4x8")
    shown = results._repr_html_()
    # Sound markup, of which a reader makes what is meant.
    drawn = xml.fromstring(shown)
    rows = drawn.findall(".//tbody/tr")
    assert [row.find("th").text for row in rows] == ["fifo", "srtf"]
    lines = drawn.findall(".//{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 2
    for line, run in zip(lines, results.runs):
        points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
        assert points == sorted(points, key=lambda point: (point[0], -point[1])), run
    assert f"{results['fifo']['finished']:,} of" in shown
    alone = xml.fromstring(results["fifo"]._repr_html_())
    assert len(alone.findall(".//tbody/tr")) == 1


def test_what_is_written_in_a_trace_is_no_markup():
    text = 'job,submit,duration,gpus\n"<script>",0,10,1\n'
    trace = switchyard.open(("jobs.csv", text.encode()), map="id=job,submit=submit,duration=duration,gpus=gpus,unit=s")
    assert "<script>" not in trace.run("fifo if 0:1h..2h", cluster="1x1")._repr_html_()


def test_a_view_is_a_widget_of_the_pages_element(tmp_path):
    pytest.importorskip("anywidget")
    shown = switchyard.view("sample:lab", ["fifo", "srtf"], cluster="4x8", view="timeline", page="https://example.org/s/")
    assert (shown.src, shown.policy, shown.cluster, shown.view) == ("lab", "fifo srtf", "4x8", "timeline")
    assert (shown.page, shown.height) == ("https://example.org/s/", 480)
    # Whatever it sets is an attribute of the element, and the script is one.
    element = (EXAMPLES.parents[1] / "static/view.js").read_text()
    said = re.search(r"const ATTRIBUTES = \[(.*?)\]", shown._esm)[1]
    attributes = re.search(r"observedAttributes = \[(.*?)\]", element, re.S)[1]
    assert set(re.findall(r'"(\w+)"', said)) <= set(re.findall(r'"(\w+)"', attributes))
    # An open trace travels within the link, as Share packs one.
    trace = switchyard.open("sample:lab")
    given = switchyard.view(trace, "fifo", link="v=1&sample=fleet&t=60", page="https://example.org/s/")
    link = dict(part.split("=", 1) for part in given.link.split("&"))
    assert (given.src, link.keys(), link["t"]) == ("", {"v", "experiment", "t"}, "60")
    packed = base64.urlsafe_b64decode(link["experiment"] + "=" * (-len(link["experiment"]) % 4))
    again = switchyard.open(("experiment.csv", zlib.decompress(packed, -zlib.MAX_WBITS)))
    assert again.run("fifo").runs[0].log_hash == trace.run("fifo").runs[0].log_hash
    # All of a link counts, not its jobs alone: static/embed.js takes so many letters and no more.
    most = int(re.search(r"MOST_LETTERS = ([\d_]+);", (EXAMPLES.parents[1] / "static/embed.js").read_text())[1])
    room = most - len(switchyard.view(trace, link="c=").link)
    assert len(switchyard.view(trace, link="c=" + "x" * room).link) == most
    with pytest.raises(switchyard.InputError, match="too many for a link, 400,001 letters of at most 400,000"):
        switchyard.view(trace, link="c=" + "x" * (room + 1))
    many = "job,submit,duration,gpus\n" + "".join(f"{i * 7919**3 % 10**9:x},{i},{i * 104729 % 99991}.{i},1\n" for i in range(50_000))
    large = switchyard.open(("jobs.csv", many.encode()), map="id=job,submit=submit,duration=duration,gpus=gpus,unit=s")
    with pytest.raises(switchyard.InputError, match="49,999 jobs are too many for a link"):
        switchyard.view(large)
    with pytest.raises(switchyard.InputError, match="view's trace is None"):
        switchyard.view(None)
    script = tmp_path / "view.mjs"
    script.write_text(shown._esm)
    subprocess.run(["node", "--check", script], check=True)


def test_a_page_that_cannot_be_loaded_is_said_why(tmp_path):
    pytest.importorskip("anywidget")
    (tmp_path / "view.mjs").write_text(switchyard.view("sample:lab")._esm)
    (tmp_path / "try.mjs").write_text(
        'import view from "./view.mjs";\n'
        "const el = {};\n"
        'await view.render({ model: { get: (name) => (name === "page" ? process.argv[2] : "") }, el });\n'
        "console.log(el.textContent);\n"
    )

    def said(port):
        command = ["node", tmp_path / "try.mjs", f"http://127.0.0.1:{port}/"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    # A server that lets nobody else read, as Python's own.
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        there = said(port)
        server.shutdown()
    assert there.startswith(f"http://127.0.0.1:{port}/ answers, but a notebook cannot load") and "Access-Control-Allow-Origin" in there
    assert said(port).startswith(f"nobody answers at http://127.0.0.1:{port}/: start a Switchyard page there (`cargo xtask serve`)")


def test_serve_lets_notebooks_load_the_page():
    trunk = (EXAMPLES.parents[1] / "Trunk.toml").read_text()
    serve = trunk.split("[serve]")[1].split("\n[")[0]
    assert 'headers = { "Access-Control-Allow-Origin" = "*" }' in serve


def test_the_example_runs():
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(EXAMPLES / "first_look.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not kept with it"
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    # Its seeds do change something: nodes fail.
    assert not [output.text for all in outputs for output in all if output.get("name") == "stderr"]
    assert "<svg" in outputs[1][0].data["text/html"]
    assert "tiresias-las" in outputs[3][0].data["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in outputs[4][0].data
