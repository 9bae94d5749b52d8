"""Is an array of another type or length refused by name when an engine is made from a file, for every engine?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import eligo
from benchmarks.siege import forge
from eligo.engines import registry
from eligo.errors import StorageError
from eligo.index.stored.file_problems import opened_problems
from eligo.storage.array_file import read_arrays
from eligo.storage.directory import open_version, stage_shard, stage_vocabulary
from eligo.storage.file_entries import ShardEntry
from eligo.storage.manifest import MANIFEST_NAME, read_manifest

Array = npt.NDArray[Any]
SETS: dict[str, dict[Any, str]] = {
    "many": forge.expressions(),
    "none": {},
    "numbers": {1: "a = 1", 2: "b > 2.5"},
    "constants": {"x": "true", "y": "false"},
}


@pytest.mark.parametrize("engine", registry.names())
@pytest.mark.parametrize("texts", SETS.values(), ids=SETS)
@pytest.mark.parametrize("missing", ["unknown", "false"])
def test_what_was_built_is_right_however_deep_one_looks(
    tmp_path: Path, engine: str, texts: dict[Any, str], missing: Any
) -> None:
    eligo.build(texts, engine=engine, missing=missing).save(tmp_path)
    assert list(opened_problems(open_version(tmp_path), deep=True)) == []


def put(index: Path, folder: str, name: str, change: Callable[[Array], Array]) -> None:
    """Change one array of a file, with checksums that fit."""
    manifest = read_manifest(index)
    entry: Any = manifest.shards[0] if folder == "shards" else manifest.vocabulary
    file = read_arrays(index / entry.path)
    arrays = {**file.arrays, name: change(file.arrays[name])}
    stage = stage_shard if isinstance(entry, ShardEntry) else stage_vocabulary
    changed: Any = stage(index, arrays, file.meta)
    fields: Any = {"shards": (changed,)} if folder == "shards" else {"vocabulary": changed}
    (index / MANIFEST_NAME).write_bytes(replace(manifest, **fields).to_bytes())


def of_another_type(array: Array) -> Array:
    return np.zeros(len(array), np.int16)


def longer(array: Array) -> Array:
    return np.concatenate([array, np.zeros(1, array.dtype)])


@pytest.mark.parametrize("engine", registry.names())
def test_each_array_of_another_type_is_refused_by_name(tmp_path: Path, engine: str) -> None:
    eligo.build(forge.expressions(12), engine=engine).save(tmp_path)
    manifest = (tmp_path / MANIFEST_NAME).read_bytes()
    files = [("shards", entry.path) for entry in read_manifest(tmp_path).shards]
    files.append(("vocabulary", read_manifest(tmp_path).vocabulary.path))
    for folder, path in files:
        for name in read_arrays(tmp_path / path).arrays:
            put(tmp_path, folder, name, of_another_type)
            with pytest.raises(StorageError) as refused:
                eligo.open(tmp_path)
            is_text = name.startswith(("ids.", "texts."))  # two arrays that are named together
            assert (name.split(".")[0] if is_text else f"'{name}'") in refused.value.message
            (tmp_path / MANIFEST_NAME).write_bytes(manifest)
    assert eligo.open(tmp_path).match({"age": 5}) == eligo.build(forge.expressions(12)).match({"age": 5})


@pytest.mark.parametrize("engine", registry.names())
def test_offsets_that_end_elsewhere_are_refused(tmp_path: Path, engine: str) -> None:
    eligo.build(forge.expressions(12), engine=engine).save(tmp_path)
    manifest = (tmp_path / MANIFEST_NAME).read_bytes()
    (shard,) = read_manifest(tmp_path).shards
    arrays = read_arrays(tmp_path / shard.path).arrays
    for name in [
        name for name in arrays if name.startswith("engine.") and name.endswith("_offsets") and len(arrays[name])
    ]:
        put(tmp_path, "shards", name, longer)
        with pytest.raises(StorageError, match=name.replace(".", r"\.")):
            eligo.open(tmp_path)
        (tmp_path / MANIFEST_NAME).write_bytes(manifest)


def test_what_only_a_deep_look_finds_is_refused_without_trust(tmp_path: Path) -> None:
    eligo.build(forge.expressions(12)).save(tmp_path)

    def beyond(array: Array) -> Array:
        changed = array.copy()
        changed[len(array) // 2] = 0x7FFFFFFF
        return changed

    put(tmp_path, "shards", "table.keys", beyond)
    with pytest.raises(StorageError, match=r"array 'table\.keys' has 2,147,483,647 at"):
        eligo.open(tmp_path, trust=False)


@pytest.mark.parametrize("weight", [-1.0, np.inf, np.nan])
def test_weights_that_scores_cannot_be_counted_with_are_refused_without_trust(tmp_path: Path, weight: float) -> None:
    eligo.build(forge.expressions(12)).save(tmp_path)
    put(tmp_path, "shards", "table.key_weights", lambda array: np.full(len(array), weight))
    with pytest.raises(StorageError, match=r"array 'table\.key_weights' has"):
        eligo.open(tmp_path, trust=False)
