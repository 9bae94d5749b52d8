"""Do the workers see the path that the driver was given? On a cluster, only what is shared, or in a store.

    local[*], local-cluster[…]          workers are processes of this machine
    any other master                    an address, a path on a network's file system, or file:// by the user's word

A path of the driver's own disk would otherwise be found missing by every task, or, worse, be another file there.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote

from eligo.arguments import scheme_of
from eligo.errors import InputError
from eligo.storage.verified_files import file_system_of

_ONE_MACHINE = re.compile(r"local(-cluster)?(\[.*\])?")
SHARED = re.compile(r"nfs.*|cifs|smb.*|ceph|lustre|gpfs|beegfs|glusterfs|afs|9p|virtiofs|fuse.*|wekafs|vboxsf")
"""File systems that several machines mount."""


def require_reachable(path: str, name: str) -> None:
    """Refuse a path without a scheme that lies on a disk of this machine, where the workers are other machines."""
    master = _master()
    if master is None or is_one_machine() or scheme_of(path) is not None or _is_shared(Path(path)):
        return
    whole = os.path.abspath(path)
    raise InputError(
        f"{name} is {whole}, a path of this machine, and the workers of {master} are other machines",
        help="give an address, such as s3://… or hdfs://…; if every machine sees the same files under this path, "
        f"say so: file://{whole}",
    )


def is_one_machine() -> bool:
    """Whether the workers are known to be processes of this machine."""
    master = _master()
    return master is not None and _ONE_MACHINE.fullmatch(master) is not None


def _master() -> str | None:
    """The master of a session in this process; None where it is not known."""
    session = None if is_remote() else SparkSession.getActiveSession()
    return str(session.sparkContext.master) if session is not None else None


def _is_shared(path: Path) -> bool:
    for place in (path.absolute(), *path.absolute().parents):
        try:
            return SHARED.fullmatch(file_system_of(os.stat(place).st_dev)) is not None
        except OSError:
            continue  # which is not there yet
    return False
