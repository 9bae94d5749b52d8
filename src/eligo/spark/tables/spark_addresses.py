"""What is a place called by Spark, and does it have a file system for it? Hadoop calls S3 otherwise."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from eligo.errors import InputError
from eligo.stores.address import Address, place

PARQUET, ELSEWHERE = "use Parquet, which needs none", "bring the files to where it can read them"
_ABSENT = ("No FileSystem for scheme", "ClassNotFoundException")


@contextmanager
def spark_address(path: str | os.PathLike[str], otherwise: str = PARQUET) -> Iterator[str]:
    """A place as Spark names it; inside, an address that it has no file system for is refused by name.

    A path of the machine stays as it is given, `file://` and all. `otherwise` is what can be done without one.
    """
    found = place(path)
    if not isinstance(found, Address):
        yield os.fspath(path)
        return
    known = str(found)
    if found.scheme == "s3":
        known = f"s3a{known[len('s3') :]}"
    try:
        yield known
    except (PySparkException, Py4JError) as error:
        if not any(absent in str(error) for absent in _ABSENT):
            raise
        raise InputError(
            f"this Spark has no file system for {found.scheme}://, which {found} needs",
            help=f"add it to Spark (for S3, hadoop-aws of its Hadoop's version), or {otherwise}",
        ) from error
