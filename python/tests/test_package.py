"""What is published: the wheel that is installed, and the source distribution, say what they are and hold their licences."""

import email
import importlib.metadata
import shutil
import subprocess
import sys
import tarfile

import pytest
from conftest import ROOT

LICENCES = {name: (ROOT / name).read_text() for name in ("LICENSE-MIT", "LICENSE-APACHE")}


def is_described(metadata):
    """Looks whether a package's metadata say all that they should."""
    assert metadata["License-Expression"] == "MIT OR Apache-2.0"
    assert set(metadata.get_all("License-File")) == LICENCES.keys()
    assert metadata["Author"] == "The Switchyard authors" and "GPU cluster" in metadata["Summary"]
    assert "scheduling" in metadata["Keywords"] and metadata["Requires-Python"] == ">=3.10"
    assert metadata["Description-Content-Type"].startswith("text/markdown")
    classifiers = metadata.get_all("Classifier")
    assert {"Typing :: Typed", "Programming Language :: Rust", "Programming Language :: Python :: 3.10"} <= set(classifiers)
    assert {"arrow", "environments", "notebook", "ray"} == set(metadata.get_all("Provides-Extra"))


def test_the_wheel_says_what_it_is_and_holds_its_licences():
    try:
        installed = importlib.metadata.distribution("switchyard")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("switchyard is not installed as a package")
    is_described(installed.metadata)
    assert installed.metadata.get_payload().startswith("# Switchyard for Python")
    for name, text in LICENCES.items():
        assert installed.read_text(f"licenses/{name}") == text


def test_the_source_distribution_does_so_too(tmp_path):
    if shutil.which("cargo") is None:
        pytest.skip("there is no cargo to gather the sources with")
    command = [sys.executable, "-m", "maturin", "sdist", "--manifest-path", ROOT / "python/Cargo.toml", "--out", tmp_path]
    subprocess.run(command, check=True, capture_output=True)
    [archive] = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as sources:
        top = archive.name.removesuffix(".tar.gz")
        read = lambda name: sources.extractfile(f"{top}/{name}").read().decode()
        is_described(email.message_from_string(read("PKG-INFO")))
        for name, text in LICENCES.items():
            assert read(name) == text
