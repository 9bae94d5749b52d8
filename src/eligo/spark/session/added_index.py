"""How does an index reach workers whose Python can open no store? Spark carries its files, as `ADD FILE` does.

    add_index(spark, "s3://ads/ads.index")     the driver reads it; executors fetch each file from the driver, once
    ADD FILE 'hdfs:///ads.index'               Spark's own Java reads it, on every machine; then
    add_index(spark, "ads.index")              names it as it was added

A worker finds the files in the directory of what was added, and opens them under the names that the index gives them.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from weakref import WeakKeyDictionary

from pyspark import SparkContext, SparkFiles
from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote

from eligo.errors import InputError, StorageError
from eligo.index.index import Index
from eligo.index.stored.opened_version import IndexVersion, index_version, opened_index
from eligo.spark.call_arguments import checked_arguments
from eligo.storage.remote.remote_files import local_copy
from eligo.stores.address import Address, named, place

_added: WeakKeyDictionary[SparkContext, set[str]] = WeakKeyDictionary()
"""Hashes of the files that a session has."""


class AddedIndex(IndexVersion):
    """A version whose files Spark has brought to the machine of this process."""

    def open(self) -> Index:
        """The index, from the files of this executor, or of the driver."""
        return opened_index(IndexVersion(str(_gathered(self)), self.manifest))


@checked_arguments
def add_index(spark: SparkSession, source: str | os.PathLike[str], *, version: int | None = None) -> AddedIndex:
    """Bring an index to all executors, to be given to `match`, `top`, `count` and `explain` in the place of its path.

    It is the version that is live now, or the one asked for. The driver reads it, from a store or from a disk of its
    own. Of a version that is added later, only files that are new are fetched. A directory that Spark was told of by
    `ADD FILE` is named by its last part.
    """
    if is_remote():
        raise InputError("an index cannot be added over Spark Connect", help="have the session of the server add it")
    brought = _brought(source)
    chosen = index_version(brought or source, version)
    chosen.open()
    home = place(chosen.path)
    known = _added.setdefault(spark.sparkContext, set())
    for entry in chosen.opened_manifest().files if brought is None else ():
        if entry.sha256 not in known:
            own = local_copy(home, entry) if isinstance(home, Address) else home / entry.path
            spark.sparkContext.addFile(str(own))
            known.add(entry.sha256)
    return AddedIndex(*chosen)


def _brought(source: str | os.PathLike[str]) -> Path | None:
    """The driver's copy of a directory that was added, if there is one of that name."""
    name = named(source, "source")
    found = _root() / name
    return found if os.path.basename(name) == name and not os.path.exists(name) and found.is_dir() else None


def _root() -> Path:
    """Where this process finds what was added; executors of a cluster are told a path that is relative."""
    return Path(os.path.abspath(SparkFiles.getRootDirectory()))


def _gathered(version: IndexVersion) -> Path:
    """A directory with the names of an index, which lead to what was added."""
    root = _root()
    home = root / f"eligo-{hashlib.sha256(version.manifest).hexdigest()[:32]}"
    for entry in version.opened_manifest().files:
        path = home / entry.path
        if path.exists():
            continue
        places = (root / path.name, root / os.path.basename(version.path) / entry.path)
        added = next((place for place in places if place.exists()), None)
        if added is None:
            raise StorageError(
                f"Spark has not brought {entry.path} of {version.path} to this machine",
                help="add the index in the session that asks it: eligo.spark.add_index(spark, …)",
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        link = path.with_name(f".{os.getpid()}-{path.name}")
        link.symlink_to(added)
        os.replace(link, path)
    return home
