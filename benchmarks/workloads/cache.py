"""Where do large workloads wait for the next run? In the user's cache directory, as Parquet.

A directory is named by the workload, the version of its generator and a digest of all parameters, the seed among them,
so a stored workload is never out of date. `ELIGO_BENCHMARK_CACHE` names another place; deleting it is safe.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from eligo.workloads.workload import Generator, Workload


def directory() -> Path:
    """The directory of all stored workloads."""
    chosen = os.environ.get("ELIGO_BENCHMARK_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "eligo-benchmarks"


def place(name: str, version: int, parameters: Mapping[str, Any]) -> Path:
    """Where a workload is stored, whether or not it is there yet."""
    form = json.dumps(parameters, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(form.encode()).hexdigest()[:16]
    return directory() / f"{name}-v{version}-{parameters['num_expressions']}-{digest}"


def load_or_generate(name: str, generate: Generator, version: int, given: Mapping[str, Any]) -> Workload:
    """The stored workload, or a new one that is then stored."""
    parameters = {**_defaults(generate), **given}
    path = place(name, version, parameters)
    if not path.exists():
        write(generate(**given), path)
    return read(name, path)


def _defaults(generate: Generator) -> dict[str, Any]:
    """The parameters that `generate` takes if nothing is said; a changed default is another workload.

    What is stored here was made in one go, so the number of its block says nothing.
    """
    signature = inspect.signature(generate)
    return {
        parameter.name: parameter.default
        for parameter in signature.parameters.values()
        if parameter.default is not inspect.Parameter.empty and parameter.name != "block"
    }


def write(workload: Workload, path: Path) -> None:
    """Store a workload; it appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix="partial-", dir=path.parent))
    try:
        pq.write_table(
            workload.expressions, partial / "expressions.parquet", compression="zstd", row_group_size=100_000
        )
        pq.write_table(workload.events, partial / "events.parquet", compression="zstd")
        about = {"parameters": dict(workload.parameters), "report": dict(workload.report)}
        (partial / "about.json").write_text(json.dumps(about, indent=1))
        partial.rename(path)
    except OSError:
        if not path.exists():  # else another run has stored the same one meanwhile
            raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def read(name: str, path: Path) -> Workload:
    """A stored workload."""
    about = json.loads((path / "about.json").read_text())
    return Workload(
        name,
        pq.read_table(path / "expressions.parquet"),
        pq.read_table(path / "events.parquet"),
        about["parameters"],
        about["report"],
    )
