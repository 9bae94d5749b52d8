"""What does a harness need before it can run? Its library from a package registry, and its own code compiled.

Everything goes to `ELIGO_BENCHMARK_CACHE` or the user's cache directory, and is made again when the sources of the
harness have changed. Nothing is fetched unless someone says so: `python -m benchmarks.neighbours`, or a run at scale
`full`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.workloads import cache

HERE = Path(__file__).parent
LONGEST_S = 900
"""Seconds that one tool may take."""


class PreparationError(Exception):
    """A harness cannot be prepared here, and why."""


def place(name: str, *sources: Path, given: str = "") -> Path:
    """Where a prepared harness is, whether or not it is there yet; other sources are another place."""
    digest = hashlib.sha256(given.encode())
    for source in sources:
        digest.update(source.read_bytes())
    return cache.directory() / "neighbours" / f"{name}-{digest.hexdigest()[:16]}"


def make(path: Path, steps: Callable[[Path], None]) -> None:
    """Make a prepared harness; it appears whole or not at all."""
    if path.exists():
        return
    partial = path.with_name(f"partial-{os.getpid()}-{path.name}")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        steps(partial)
        partial.rename(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def run(*command: str | Path, cwd: Path | None = None, environment: Mapping[str, str] | None = None) -> None:
    """Run a tool; what it says is shown if it fails."""
    tool = str(command[0])
    if shutil.which(tool) is None:
        raise PreparationError(f"there is no {Path(tool).name} here")
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=cwd,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
        )
    except subprocess.TimeoutExpired as error:
        raise PreparationError(f"{Path(tool).name} was not done after {LONGEST_S} s") from error
    if done.returncode:
        raise PreparationError(f"{Path(tool).name} failed: {(done.stderr or done.stdout)[-600:].strip()}")


def fetch_jars(pom: Path, target: Path) -> None:
    """The dependencies of a pom, by their coordinates."""
    command = ("mvn", "--quiet", "--batch-mode", "--file", pom, "dependency:copy-dependencies")
    run(*command, f"-DoutputDirectory={target}", "-DincludeScope=runtime", cwd=target)


def compile_java(sources: Sequence[Path], class_path: str, target: Path) -> None:
    """A harness in Java."""
    run(java_tool("javac"), "-d", target, "-cp", class_path, *sources)


def java_tool(name: str) -> str:
    """`java` or `javac`: of JAVA_HOME where that is set and has it, else of the path."""
    home = os.environ.get("JAVA_HOME")
    within = Path(home, "bin", name) if home else None
    return str(within) if within and within.exists() else name


def install_python(target: Path, *requirements: str) -> None:
    """Packages into a directory of their own."""
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    run(*pip, "--target", target, *requirements)
