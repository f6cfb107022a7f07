"""What is published: the wheel that is installed, and the source distribution, say what they are and hold their licences."""

import email
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tarfile

import pytest
from conftest import ROOT

LICENCES = {name: (ROOT / name).read_text() for name in ("LICENSE-MIT", "LICENSE-APACHE")}


def is_described(metadata):
    """Looks whether a package's metadata say all that they should."""
    assert metadata["Name"] == "switchyard-gpu"
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
        installed = importlib.metadata.distribution("switchyard-gpu")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("switchyard-gpu is not installed as a package")
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
        # What builds it where there is no wheel.
        assert "def build_wheel" in read("build_backend/from_source.py")


def builds_with(path):
    """What is said where the package is to be built from its sources, by what is found in `path` alone."""
    command = [sys.executable, "-c", "import from_source; from_source.get_requires_for_build_wheel()"]
    environment = os.environ | {"PATH": str(path), "PYTHONPATH": str(ROOT / "python/build_backend")}
    done = subprocess.run(command, cwd=ROOT / "python", env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.skipif(os.name == "nt", reason="a script is a program on POSIX alone")
def test_who_has_no_rust_or_an_old_one_is_told_so_before_anything_is_fetched(tmp_path):
    status, said = builds_with(tmp_path)
    assert status == 1 and said.count("\n") == 1
    assert "building it takes Rust 1.95 or later, which is not installed" in said
    cargo = tmp_path / "cargo"
    cargo.write_text("#!/bin/sh\necho 'cargo 1.70.0 (ec8a8a0ca 2023-04-25)'\n")
    cargo.chmod(0o755)
    status, said = builds_with(tmp_path)
    assert status == 1 and "and this is cargo 1.70.0" in said
    cargo.write_text("#!/bin/sh\necho 'cargo 1.95.0 (f2d3ce0bd 2026-03-21)'\n")
    assert builds_with(tmp_path) == (0, "")
    least = re.search(r'rust-version = "([\d.]+)"', (ROOT / "Cargo.toml").read_text())[1]
    assert f"takes Rust {least} or later" in builds_with("")[1]
