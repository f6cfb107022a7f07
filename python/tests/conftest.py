"""What the tests share: the command line tool, beside whose results those of Python are laid."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLI = Path(os.environ.get("SWITCHYARD_CLI", ROOT / "target/debug/switchyard"))


@pytest.fixture(scope="session")
def cli():
    """Runs the command line tool; what it says on standard output."""

    def call(*arguments, status=0):
        done = subprocess.run([CLI, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        return done.stdout if status == 0 else done.stderr

    return call


@pytest.fixture(scope="session")
def fixtures():
    return ROOT / "tests/fixtures"


@pytest.fixture
def in_python():
    """Runs a program in a Python of its own."""

    def start(program, **options):
        return subprocess.Popen([sys.executable, "-c", program], text=True, **options)

    return start
