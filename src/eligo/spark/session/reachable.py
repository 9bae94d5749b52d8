"""Do the workers see the path that the driver was given? On a cluster, only what is shared, or in a store.

    local[*], local-cluster[…]          workers are processes of this machine
    any other master                    an address, a path on a network's file system, or file:// by the user's word

A path of the driver's own disk would otherwise be found missing by every task, or, worse, be another file there. The
master is that of the sessions that a call is given, else of the context of this process; where there is none, as where
Spark analyses a query, it is what was told when functions were registered. A server of Spark Connect tells its own, but
not whether it is this machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote

from eligo.arguments import scheme_of
from eligo.errors import InputError
from eligo.storage.verified_files import file_system_of

_ONE_MACHINE = re.compile(r"local(-cluster)?(\[.*\])?")
SHARED = re.compile(r"nfs.*|cifs|smb.*|ceph|lustre|gpfs|beegfs|glusterfs|afs|9p|virtiofs|fuse.*|wekafs|vboxsf")
"""File systems that several machines mount."""


_told: str | None = None
"""The master that a process without a context was told."""


def require_reachable(path: str, name: str, sessions: Iterable[SparkSession] = (), master: str | None = None) -> None:
    """Refuse a path without a scheme that lies on a disk of this machine, where the workers are other machines."""
    master = master or _master(sessions)
    if master is None or _ONE_MACHINE.fullmatch(master) or scheme_of(path) is not None or _is_shared(Path(path)):
        return
    whole = os.path.abspath(path)
    raise InputError(
        f"{name} is {whole}, a path of this machine, and the workers of {master} are other machines",
        help="give an address, such as s3://… or hdfs://…; if every machine sees the same files under this path, "
        f"say so: file://{whole}",
    )


def cluster_of(session: SparkSession) -> str | None:
    """The master of a session whose workers are other machines."""
    master = _master_of(session)
    return None if master is None or _ONE_MACHINE.fullmatch(master) else master


def is_one_machine(session: SparkSession) -> bool:
    """Whether the workers are known to be processes of this machine."""
    master = _master_of(session)
    return master is not None and _ONE_MACHINE.fullmatch(master) is not None


def tell_master(master: str | None) -> None:
    """In a process that has no session: which master the workers are those of."""
    global _told
    _told = master


def _master(sessions: Iterable[SparkSession]) -> str | None:
    for session in sessions:
        return _master_of(session)
    # The active session is that of a thread, and a call may come from any.
    context = SparkContext._active_spark_context
    return _told if context is None else str(context.master)


def _master_of(session: SparkSession) -> str | None:
    return session.conf.get("spark.master", None) if is_remote() else str(session.sparkContext.master)


def _is_shared(path: Path) -> bool:
    for place in (path.absolute(), *path.absolute().parents):
        try:
            return SHARED.fullmatch(file_system_of(os.stat(place).st_dev)) is not None
        except OSError:
            continue  # which is not there yet
    return False
