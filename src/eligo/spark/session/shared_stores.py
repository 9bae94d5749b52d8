"""How do workers get credentials that the driver has? As a broadcast of their session, which no plan and no log shows.

    share_store(spark, "s3://ads")          what the driver's own chain comes to
    share_store(spark, "s3://ads", {…})     or options

A function that is sent to workers names the broadcast by its number. Spark sends the content from block to block, and
encrypts it on disks and wires where the settings of the session say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias
from weakref import WeakKeyDictionary

from pyspark import Broadcast, SparkContext
from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote

from eligo.errors import InputError
from eligo.spark.call_arguments import checked_arguments
from eligo.stores.given_options import checked, set_store_options, top_of
from eligo.stores.resolved_options import resolved_options

SharedStores: TypeAlias = "Broadcast[dict[str, dict[str, str]]]"
"""Options by the top of the store."""

_shared: WeakKeyDictionary[SparkContext, SharedStores] = WeakKeyDictionary()


@checked_arguments
def share_store(spark: SparkSession, address: str, credentials: Mapping[str, str] | None = None) -> None:
    """Have the driver and all workers speak to the store of an address with the same credentials.

    They are options that are named as obstore's configuration has them (for HDFS, as Hadoop's), or what the environment
    of this process comes to now; what expires has to be shared anew before it does. Every job that is made from now on
    in this session has them, and what `register` registers.
    """
    if is_remote():
        raise InputError(
            "credentials cannot be shared over Spark Connect: a plan would carry them",
            help="the server and its workers use their own environment",
        )
    top = top_of(address)
    given = resolved_options(top) if credentials is None else dict(checked(credentials))
    set_store_options(str(top), given)
    context = spark.sparkContext
    before = _shared.get(context)
    _shared[context] = context.broadcast({**(before.value if before is not None else {}), str(top): given})


def shared_stores(spark: SparkSession) -> SharedStores | None:
    """What workers of a session are to be given."""
    return None if is_remote() else _shared.get(spark.sparkContext)


def take_shared(stores: SharedStores | None) -> None:
    """In a worker: use what the driver shared."""
    for top, options in stores.value.items() if stores is not None else ():
        set_store_options(top, options)
