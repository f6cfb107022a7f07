"""Results in a notebook: what they show, and the example."""

import re
import subprocess
import sys
import xml.etree.ElementTree as xml
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
    script = tmp_path / "view.mjs"
    script.write_text(shown._esm)
    subprocess.run(["node", "--check", script], check=True)


def test_the_example_runs():
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(EXAMPLES / "first_look.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not kept with it"
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert "<svg" in outputs[1][0].data["text/html"]
    assert "tiresias-las" in outputs[3][0].data["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in outputs[4][0].data
