"""Why is a new Python worker ready at once? Because it is forked from a daemon that has loaded Eligo already.

Spark starts one daemon for a machine and forks workers from it, also to replace those that were idle for a minute. Its
own daemon has loaded nothing, so that each worker would import Arrow, Numba and Eligo anew, which takes over a second
of a core. A local session names this module as `spark.python.daemon.module`; on a cluster anyone may do so whose
workers have Eligo installed.
"""

from __future__ import annotations

import gc
from importlib import import_module
from importlib.util import find_spec

from pyspark.daemon import manager

PRELOADED = (
    *(name for name in ("pyspark.sql.worker.utils",) if find_spec(name) is not None),  # of 4.2 and later
    "pyspark.worker",
    "pyarrow.compute",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "eligo.index.build_open",
    "eligo.engines.a_tree.engine",
    "eligo.spark.matching.count",
    "eligo.spark.matching.parquet_matches",
    "eligo.spark.building.part_build",
    "eligo.spark.matching.top",
)
"""What tasks need; importing these imports the rest."""


def preload() -> None:
    """Import what tasks need, and keep it out of later garbage collections, of which a worker makes one a task."""
    for name in PRELOADED:
        import_module(name)
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    preload()
    manager()
