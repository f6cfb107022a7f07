"""Types: a user's script passes strict checks, and nothing that is public is without a type."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "users_script.py"
EXAMPLES = Path(__file__).parents[1] / "examples"


def checked(checker, *arguments, where):
    """Runs a checker as a user does, outside of this repository; what it says."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", checker, *map(str, arguments)]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, env=os.environ | {"PATH": path})
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("example", ["tiresias.py", "net_keys.py", "scored.py"])
def test_the_examples_of_functions_are_sound_to_mypy(example, tmp_path):
    pytest.importorskip("mypy")
    script = Path(shutil.copy(EXAMPLES / example, tmp_path))
    status, said = checked("mypy", "--strict", script, where=tmp_path)
    assert status == 0, said


@pytest.fixture
def script(tmp_path):
    return Path(shutil.copy(SCRIPT, tmp_path))


def test_a_users_script_is_sound_to_mypy(script):
    pytest.importorskip("mypy")
    status, said = checked("mypy", "--strict", script, where=script.parent)
    assert status == 0, said
    # It does look: what is wrong is found.
    script.write_text(script.read_text().replace("hashed: str = run.log_hash", "hashed: int = run.log_hash"))
    status, said = checked("mypy", "--strict", script, where=script.parent)
    assert status == 1 and 'variable has type "int"' in said, said


def test_a_users_script_is_sound_to_pyright(script):
    pytest.importorskip("pyright")
    status, said = checked("pyright", "--pythonpath", sys.executable, script, where=script.parent)
    assert status == 0 and "0 errors" in said, said
    script.write_text(script.read_text().replace("hashed: str = run.log_hash", "hashed: int = run.log_hash"))
    status, said = checked("pyright", "--pythonpath", sys.executable, script, where=script.parent)
    assert status == 1 and '"str" is not assignable to "int"' in said, said


def test_the_package_itself_is_sound(tmp_path):
    pytest.importorskip("mypy")
    arguments = ["--config-file", "pyproject.toml", "--cache-dir", tmp_path, "package/switchyard"]
    status, said = checked("mypy", *arguments, where=Path(__file__).parents[1])
    assert status == 0, said


def test_everything_public_has_a_type(tmp_path):
    pytest.importorskip("pyright")
    status, said = checked("pyright", "--verifytypes", "switchyard", "--ignoreexternal", where=tmp_path)
    assert status == 0 and "Type completeness score: 100%" in said, said
