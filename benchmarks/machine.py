"""On what was it measured? The machine, the versions and the commit that a result names."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "numba", "pyarrow", "pyspark")


def describe() -> dict[str, Any]:
    """All that a reader needs to judge whether two results can be compared."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": cpu_model(),
        "cores": available_cores(),
        "memory_gib": memory_gib(),
        "system": platform.platform(),
        "versions": {"python": platform.python_version()} | {name: package_version(name) for name in PACKAGES},
        **commit(),
    }


def cpu_model() -> str:
    """The processor's name."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        named = _output("sysctl", "-n", "machdep.cpu.brand_string")
        if named:
            return named
    return platform.processor() or platform.machine()


def available_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_gib() -> float | None:
    """The machine's memory."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (ValueError, OSError):
        return None


def package_version(name: str) -> str | None:
    """The version of an installed package, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def commit() -> dict[str, Any]:
    """The commit of the checkout, and whether files that it knows or would know differ from it, but for results."""
    status = _output("git", "status", "--porcelain", "--", ":/", ":/!benchmarks/results")
    return {"commit": _output("git", "rev-parse", "HEAD"), "is_dirty": None if status is None else bool(status)}


def _output(*command: str) -> str | None:
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            command, cwd=Path(__file__).parent, env=environment, capture_output=True, text=True, check=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
