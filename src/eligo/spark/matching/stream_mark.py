"""Whose is the output of a stream? A mark in it and one in the checkpoint name the same stream.

    CHECKPOINT/eligo-stream.json    which stream this is, and where its matches go
    OUT/_stream.json                which stream this is, and where its checkpoint is; so in a directory of rejects

Both name micro-batches by number. With another checkpoint, numbers begin anew, and a batch whose directory is there
already counts as done: its events would be lost. With another output, what was matched before is not in it. Paths in
marks are for messages only, so that a checkpoint and its output may be moved together. A stream that cannot start takes
back the marks that it made, so that it may be started elsewhere.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from eligo.errors import EligoError, InputError, StorageError
from eligo.storage.remote.small_files import is_plain_file, names_in, read_file, remove_file, write_file
from eligo.stores.address import Address, Place

MARK, CHECKPOINT_MARK = "_stream.json", "eligo-stream.json"
_BATCH = re.compile(r"batch=(\d+)")


class Mark(NamedTuple):
    """What a mark says."""

    stream: str
    other: str
    """The path of the other side when it was written: of the output in a checkpoint, and the other way round."""


@contextmanager
def claimed(checkpoint: Place, out: Place, rejects: Place) -> Iterator[None]:
    """Mark the checkpoint and the directories as one stream's; an `InputError` when one of them is another's.

    An error inside leaves the marks that were there before, and no other. What was written before there were marks is
    taken over if its numbers fit: the checkpoint has begun every batch that the output has.
    """
    for directory in (checkpoint, out, rejects):
        if is_plain_file(directory):
            raise InputError(f"{directory} is a file, and a stream needs a directory")
    own = _read(checkpoint / CHECKPOINT_MARK)
    begun, done = _numbers(checkpoint / "offsets"), _numbers(checkpoint / "commits")
    stream = uuid.uuid4().hex if own is None else own.stream
    targets = [out] if _is_within(rejects, out) else [out, rejects]
    marks = {target: _read(target / MARK) for target in targets}
    for target, mark in marks.items():
        if mark is not None and mark.stream != stream:
            raise _another(target, checkpoint, mark.other)
        batches = _batches(target)
        if mark is None and batches and (own is not None or not begun or max(batches) > max(begun)):
            raise _another(target, checkpoint, "")
    if marks[out] is None and (begun if own is not None else done and not _batches(out)):
        where = f", {own.other}," if own is not None else ""
        raise InputError(
            f"{checkpoint} is the checkpoint of a stream with another output{where} and has batches that {out} lacks",
            help="give that output, or a new directory as checkpoint to begin with the first event again",
        )
    made: list[tuple[Place, Mark, Mark | None]] = []
    try:
        for path, mark in (
            (checkpoint / CHECKPOINT_MARK, Mark(stream, str(out))),
            *((target / MARK, Mark(stream, str(checkpoint))) for target in targets),
        ):
            before = _read(path)
            if before != mark:
                made.append((path, mark, before))
                _write(path, mark)
        yield
    except Exception:
        for path, mark, before in reversed(made):
            with suppress(EligoError, OSError):  # what began is told, and not what came of it
                _take_back(path, mark, before)
        raise


def _another(target: Place, checkpoint: Place, owner: str) -> InputError:
    theirs = f", whose checkpoint was {owner}" if owner else ""
    return InputError(
        f"{target} has the batches of another stream{theirs}; with {checkpoint} those of this one would be lost",
        help="give that checkpoint to go on, or a new directory for what this stream writes",
    )


def _is_within(inner: Place, outer: Place) -> bool:
    if isinstance(inner, Address) or isinstance(outer, Address):
        return f"{inner}/".startswith(f"{outer}/")
    return outer in (inner, *inner.parents)


def _numbers(directory: Place) -> list[int]:
    """The batches that Spark has begun, or done."""
    return [int(name) for name in names_in(directory) if name.isdecimal()]


def _batches(directory: Place) -> list[int]:
    found = (_BATCH.fullmatch(name) for name in names_in(directory))
    return [int(match.group(1)) for match in found if match is not None]


def _read(path: Place) -> Mark | None:
    try:
        document = json.loads(read_file(path))
        stream, other = document["stream"], document.get("checkpoint", document.get("out"))
        if isinstance(stream, str) and isinstance(other, str):
            return Mark(stream, other)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise StorageError(
        f"{path} is damaged: it does not say which stream this is",
        help="restore it from a copy, or give new directories as output and checkpoint",
    )


def _write(path: Place, mark: Mark) -> None:
    side = "out" if path.name == CHECKPOINT_MARK else "checkpoint"
    write_file(path, json.dumps({"stream": mark.stream, side: mark.other}).encode())


def _take_back(path: Place, mark: Mark, before: Mark | None) -> None:
    """What was there before, where our mark is still what is there."""
    if _read(path) != mark:
        return
    if before is None:
        remove_file(path)
    else:
        _write(path, before)
