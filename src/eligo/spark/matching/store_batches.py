"""How does a micro-batch become visible in a store, which cannot rename a directory? By its manifest.

    OUT/batch=0/part-….parquet    the matches of a micro-batch
    OUT/_rejects/batch=0/…        its events that could not be read, if there are any
    OUT/_batches/0.json           created if absent, last: the batch is done, and these are its files

A batch without a manifest is made again, in the place of what there is. A reader that must not see one that is being
made takes the files that manifests name: `stream_files`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from eligo.index.written.table_files import write_table
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.matching.parquet_matches import WrittenMatches
from eligo.storage.remote.small_files import names_in, read_file
from eligo.stores.address import Address, Place, place
from eligo.stores.store import store_of

BATCHES = "_batches"


def is_batch_done(out: Address, batch: int) -> bool:
    """Whether a batch has its manifest."""
    return store_of(out).status((out / BATCHES / f"{batch}.json").key) is not None


def write_store_batch(
    out: Address,
    rejects_to: Place,
    batch: int,
    write: Callable[[Address], tuple[WrittenMatches, list[str]]],
    rejects: Callable[[], pa.Table],
) -> tuple[WrittenMatches, list[str]]:
    """Write the matches and rejects of a batch, in the place of those of an attempt that was cut off."""
    written, files = write(out / f"batch={batch}")
    folder = rejects_to / f"batch={batch}"
    if isinstance(folder, Address):
        store_of(folder).delete([found.key for found in store_of(folder).list(folder.prefix)])
    if written.num_rejected:
        write_table(rejects(), str(folder / "rejects.parquet"))
    return written, files


def finish_batch(out: Address, batch: int, told: Mapping[str, Any], files: Sequence[str]) -> None:
    """Make the batch count; if another attempt has done so meanwhile, that one counts."""
    named = [f"batch={batch}/{name}" for name in files]
    store_of(out).create((out / BATCHES / f"{batch}.json").key, json.dumps({**told, "files": named}).encode())


@checked_arguments
def stream_files(out: str | os.PathLike[str]) -> list[str]:
    """The files of the micro-batches of a stream that are done, by batch: those that a reader may rely on."""
    found = place(out, "out")
    files: list[str] = []
    numbers = sorted(int(name[:-5]) for name in names_in(found / BATCHES) if name[:-5].isdecimal())
    for number in numbers:
        told = json.loads(read_file(found / BATCHES / f"{number}.json"))
        named = told.get("files")
        if named is None:  # of a directory, which was renamed whole
            folder = found / f"batch={number}"
            named = [f"batch={number}/{name}" for name in names_in(folder) if not name.startswith(("_", "."))]
        files += [str(found / name) for name in named]
    return files
