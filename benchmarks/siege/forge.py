"""Can a file with valid checksums bring the process down? A forger changes arrays and makes every checksum fit.

    forge(path, random.Random(7))   changes a copied index in place, and says what it changed
    judge(path)                     opens it without trust and asks everything: "answered", or how it was refused

Whatever is not one of these (another exception, a crash, a hang) is a fault. `benchmarks.siege.judging` judges many in
a process of their own, so that a crash is seen.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import eligo
from eligo.engines import registry
from eligo.errors import EligoError
from eligo.storage.array_file import ArrayFileContent, read_arrays
from eligo.storage.array_layout import DTYPES
from eligo.storage.file_entries import FileEntry
from eligo.storage.manifest import MANIFEST_NAME, Manifest, read_manifest

ANSWERED = "answered"
Array = npt.NDArray[Any]
Arrays = dict[str, Array]
Change = Callable[[Arrays, str, random.Random], str]

EVENTS: tuple[dict[str, Any], ...] = tuple(
    {
        "age": number % 45,
        "state": ("CA", "NY", f"s{number}")[number % 3],
        "vip": number % 2 == 0,
        "x": number / 3,
        "path": f"a/b{number}/c",
        "tags": [1, 2, number],
        "a": number % 7,
        "w": f"q{number}z",
        **({"zip": number} if number % 4 else {}),
    }
    for number in range(48)
)
"""Enough that they are taken as a block."""


def expressions(num_expressions: int = 40) -> dict[str, str]:
    """Expressions that use every kind of predicate and connective, with and without weights."""
    texts = {}
    for n in range(num_expressions):
        shapes = (
            f"age >= {n} and state in ('CA'^3, 'NY', 's{n}') or not (x < {n} xor vip)",
            f"path under 'a/b{n}' or w starts with 'q{n % 5}' and age between {n} and {n + 9}",
            f"tags contains all (1, {n}) and (a not in (1, 2, {n}) or state != 'CA')",
            f"zip is missing or a = {n % 7} and age < {n} and vip",
            f"age in ({n}^2.5, {n + 1}, {n + 2}, {n + 3}) and state = 'NY'",
        )
        texts[f"r{n}"] = shapes[n % len(shapes)]
    return {**texts, "always": "true", "never": "false"}


def make(path: Path, engine: str) -> None:
    """An index worth forging: a base part, and a delta with tombstones."""
    index = eligo.build(expressions(), engine=engine, merge_at=None)
    index.save(path)
    opened = eligo.open(path, merge_at=None)
    opened.insert("new", "age > 3 and state = 'CA'")
    opened.delete("r3")
    opened.save(path)


def forge(path: str | Path, rng: random.Random) -> str:
    """Change an index in place so that all checksums and hashes fit; returns what was changed."""
    index = Path(path)
    manifest = read_manifest(index)
    if rng.random() < 0.04:
        return _forge_manifest(index, manifest, rng)
    entry = rng.choice(manifest.files)
    file = read_arrays(index / entry.path, verify=False)
    arrays = {name: np.array(array) for name, array in file.arrays.items()}
    meta: dict[str, Any] = dict(file.meta)
    said = []
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        names = [name for name in sorted(arrays) if not name.startswith("texts.")] or sorted(arrays)
        if not names:
            break
        name = rng.choice(names)
        said.append(f"{name}: {rng.choice(CHANGES)(arrays, name, rng)}")
    if rng.random() < 0.05:
        meta = {key: rng.choice((0, 1, 2**40, "x", None)) for key in meta}
        said.append(f"meta: {meta}")
    content = ArrayFileContent.of(arrays, meta)
    forged = replace(entry, num_bytes=content.num_bytes, sha256=content.sha256, checksum=content.checksum)
    (index / entry.path).unlink()
    (index / forged.path).write_bytes(b"".join(bytes(chunk) for chunk in content.chunks()))
    _publish(index, _with_file(manifest, entry, forged))
    return f"{entry.FOLDER}: {'; '.join(said)}"


def judge(path: str | Path) -> str:
    """How an index that may be forged is taken: it answers, or is refused by an error of Eligo's; others are raised."""
    try:
        index = eligo.open(path, trust=False, merge_at=None)
        for event in EVENTS[:4]:
            index.match(event)
            index.top(event, 3)
        index.top(EVENTS[5], 200)
        index.match_batch(EVENTS)
        index.count_batch(EVENTS)
        index.top_batch(EVENTS[:2], 2)
        index.stats()
        for id in index.ids[:2]:
            index.explanation(id, EVENTS[0])
            index.to_graphviz(id)
    except EligoError as error:
        return f"refused: {type(error).__name__}: {error.message}"
    return ANSWERED


def _forge_manifest(index: Path, manifest: Manifest, rng: random.Random) -> str:
    if rng.random() < 0.5:
        engine = rng.choice((*registry.names(), registry.AUTO, "unknown"))
        _publish(index, replace(manifest, settings=replace(manifest.settings, engine=engine)))
        return f"manifest: engine {engine}"
    entry = rng.choice(manifest.shards)
    number = rng.choice((0, 1, entry.num_expressions + 1, 2**40))
    _publish(index, _with_file(manifest, entry, replace(entry, num_expressions=number)))
    return f"manifest: a shard of {number} expressions"


def _publish(index: Path, manifest: Manifest) -> None:
    (index / MANIFEST_NAME).write_bytes(manifest.to_bytes())


def _with_file(manifest: Manifest, old: FileEntry, new: FileEntry) -> Manifest:
    """The manifest with another file in the place of one, wherever it is named."""

    def put(entry: Any) -> Any:
        return new if entry == old else entry

    deltas = tuple(
        replace(
            delta,
            vocabulary=put(delta.vocabulary),
            shards=tuple(map(put, delta.shards)),
            tombstones=put(delta.tombstones),
        )
        for delta in manifest.deltas
    )
    return replace(
        manifest, vocabulary=put(manifest.vocabulary), shards=tuple(map(put, manifest.shards)), deltas=deltas
    )


def _some_value(arrays: Arrays, array: Array, rng: random.Random) -> Any:
    """A value that an array of this type can hold: an extreme, something near a length, or anything."""
    if array.dtype.kind == "f":
        return rng.choice((0.0, -1.0, 1e308, -1e308, np.inf, -np.inf, np.nan, 5e-324))
    if array.dtype.kind == "b":
        return rng.random() < 0.5
    info = np.iinfo(array.dtype)
    near = len(rng.choice(list(arrays.values()))) + rng.randrange(-2, 3)
    marks = (
        0,
        1,
        2,
        255,
        2**29,
        2**31,
        2**31 - 1,
        2**31 + 1,
        2**32 - 1,
        2**32 - 2,
        7 << 29,
        6 << 29,
        5 << 29,
        info.max,
    )
    value = rng.choice((near, near, near, rng.choice(marks), rng.randrange(0, 64), info.max, info.min))
    return min(max(value, info.min), info.max)


def _one_value(arrays: Arrays, name: str, rng: random.Random) -> str:
    array = arrays[name]
    if not len(array):
        return _longer(arrays, name, rng)
    place, value = rng.randrange(len(array)), _some_value(arrays, array, rng)
    array[place] = value
    return f"[{place}] = {value}"


def _near_value(arrays: Arrays, name: str, rng: random.Random) -> str:
    array = arrays[name]
    if not len(array) or array.dtype.kind not in "ui":
        return _one_value(arrays, name, rng)
    place, step = rng.randrange(len(array)), rng.choice((-1, 1))
    array[place] = (array[place].astype(object) + step) % (int(np.iinfo(array.dtype).max) + 1)
    return f"[{place}] {step:+}"


def _flipped_bit(arrays: Arrays, name: str, rng: random.Random) -> str:
    array = arrays[name]
    if not len(array) or array.dtype.kind == "b":
        return _one_value(arrays, name, rng)
    data = array.view(np.uint8)
    place, bit = rng.randrange(len(data)), rng.randrange(8)
    data[place] ^= 1 << bit
    return f"byte {place} bit {bit} flipped"


def _many_values(arrays: Arrays, name: str, rng: random.Random) -> str:
    array = arrays[name]
    for place in range(len(array)):
        if rng.random() < 0.3:
            array[place] = _some_value(arrays, array, rng)
    return "many values"


def _longer(arrays: Arrays, name: str, rng: random.Random) -> str:
    array = arrays[name]
    more = rng.choice((1, 3, 64))
    arrays[name] = np.concatenate([array, np.full(more, _some_value(arrays, array, rng)).astype(array.dtype)])
    return f"{more} longer"


def _shorter(arrays: Arrays, name: str, rng: random.Random) -> str:
    array = arrays[name]
    length = rng.choice((0, len(array) // 2, max(0, len(array) - 1)))
    arrays[name] = array[:length].copy()
    return f"{length} of {len(array)} elements"


def _all_shorter(arrays: Arrays, name: str, rng: random.Random) -> str:
    """All arrays of one length become shorter together, as those of one owner would."""
    length = len(arrays[name])
    for other, array in arrays.items():
        if len(array) == length:
            arrays[other] = array[: max(0, length - 1)].copy()
    return f"all of {length} elements one shorter"


def _other_type(arrays: Arrays, name: str, rng: random.Random) -> str:
    array = arrays[name]
    dtype = DTYPES[rng.choice(sorted(DTYPES))]
    if rng.random() < 0.5 and dtype.itemsize and array.nbytes % dtype.itemsize == 0 and dtype.kind != "b":
        arrays[name] = array.view(dtype).copy()
        return f"read as {dtype.str}"
    with np.errstate(all="ignore"):
        arrays[name] = array.astype(dtype)
    return f"turned into {dtype.str}"


def _other_array(arrays: Arrays, name: str, rng: random.Random) -> str:
    other = rng.choice(sorted(arrays))
    arrays[name], arrays[other] = arrays[other], arrays[name]
    return f"swapped with {other}"


def _no_array(arrays: Arrays, name: str, rng: random.Random) -> str:
    del arrays[name]
    return "removed"


def _other_order(arrays: Arrays, name: str, rng: random.Random) -> str:
    array = arrays[name]
    order = list(range(len(array)))
    if rng.random() < 0.5:
        order.reverse()
    else:
        rng.shuffle(order)
    arrays[name] = array[order]
    return "in another order"


def _other_middle(arrays: Arrays, name: str, rng: random.Random) -> str:
    """The ends stay, so that a look at them finds nothing; what is between goes beyond them or falls."""
    array = arrays[name]
    if len(array) < 3 or array.dtype.kind not in "ui":
        return _one_value(arrays, name, rng)
    place = rng.randrange(1, len(array) - 1)
    value = rng.choice((int(array[-1]) + 1, int(np.iinfo(array.dtype).max), 0, int(array[0])))
    array[place] = min(value, int(np.iinfo(array.dtype).max))
    return f"[{place}] = {value} between its ends"


def _equal_values(arrays: Arrays, name: str, rng: random.Random) -> str:
    array = arrays[name]
    if len(array):
        array[:] = _some_value(arrays, array, rng)
    return "all values equal"


CHANGES: tuple[Change, ...] = (
    _one_value,
    _one_value,
    _near_value,
    _near_value,
    _near_value,
    _flipped_bit,
    _many_values,
    _longer,
    _shorter,
    _all_shorter,
    _other_type,
    _other_array,
    _no_array,
    _other_order,
    _other_middle,
    _other_middle,
    _equal_values,
)
