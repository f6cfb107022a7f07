"""Builds the package from its sources: maturin's hooks (PEP 517), which pip calls where there is no wheel.

Where there is no Rust, maturin fetches a toolchain of 1.3 GB. This says instead what is missing, before anything is fetched.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Any

import maturin
from maturin import build_sdist

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

# As `rust-version` in Cargo.toml.
LEAST = (1, 95)

Settings = dict[str, Any] | None


def check_rust() -> None:
    """Ends the build with one sentence where no sufficient Rust is installed."""
    least = ".".join(map(str, LEAST))
    whole = (
        f"There is no wheel of Switchyard for this Python and machine, and building it takes Rust {least} or later, %s. "
        "Install it (https://rustup.rs) and try again, or use CPython 3.10 or later on Linux, macOS or Windows, which have wheels."
    )
    if shutil.which("cargo") is None:
        raise SystemExit(whole % "which is not installed")
    said = subprocess.run(["cargo", "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"cargo (\d+)\.(\d+)", said)
    if version is None or (int(version[1]), int(version[2])) < LEAST:
        raise SystemExit(whole % f"and this is {said.strip() or 'none that answers'}")


def get_requires_for_build_wheel(settings: Settings = None) -> list[str]:
    """No more than `requires` in pyproject.toml."""
    check_rust()
    return maturin.get_requires_for_build_wheel(settings)


get_requires_for_build_editable = get_requires_for_build_wheel


def get_requires_for_build_sdist(settings: Settings = None) -> list[str]:
    """Packing sources asks cargo which they are."""
    check_rust()
    return maturin.get_requires_for_build_sdist(settings)


def prepare_metadata_for_build_wheel(folder: str, settings: Settings = None) -> str:
    """The wheel's name and version."""
    check_rust()
    return maturin.prepare_metadata_for_build_wheel(folder, settings)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(folder: str, settings: Settings = None, metadata: str | None = None) -> str:
    """The wheel."""
    check_rust()
    return maturin.build_wheel(folder, settings, metadata)


def build_editable(folder: str, settings: Settings = None, metadata: str | None = None) -> str:
    """A wheel that points here."""
    check_rust()
    return maturin.build_editable(folder, settings, metadata)
