"""Do an index's range lists stay what was asked for, through saving, opening, changes and merges? Does it say so?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eligo
from eligo.engines import registry
from eligo.engines.stored_lists import AxisLists, axis_problems
from eligo.errors import InputError, StorageError
from eligo.index.stored.file_problems import opened_problems
from eligo.ranges import list_choice
from eligo.storage.directory import open_version
from eligo.storage.manifest import MANIFEST_NAME, read_manifest

NESTED = {f"n{number}": f"age between {number} and {200 - number}" for number in range(100)}
SIDE_BY_SIDE = {f"s{number}": f"price between {4 * number} and {4 * number + 2}" for number in range(100)}
BOTH = {**NESTED, **SIDE_BY_SIDE, "far": "name >= 'm'"}
EVENTS: list[dict[str, Any]] = [
    {"age": age, "price": [age, 3 * age], "name": chr(97 + age % 26)} for age in range(0, 210, 7)
]
with_lists = pytest.mark.parametrize("engine", [name for name in registry.names() if name != "scan"])


def forms(index: eligo.Index) -> set[tuple[int, int]]:
    """Axes with segment trees, and with elementary lists, in any shard."""
    shards = (shard for part in index.stats().chosen for shard in part)
    return {(shard.num_segment_trees, shard.num_elementary) for shard in shards}


def answers(index: eligo.Index) -> list[list[Any]]:
    found = index.match_batch(EVENTS)
    return [sorted(found.ids(row)) for row in range(len(EVENTS))]


@with_lists
def test_each_axis_has_what_suits_it_or_what_was_asked_for(engine: str) -> None:
    assert forms(eligo.build(BOTH, engine=engine)) == {(1, 2)}
    assert forms(eligo.build(BOTH, engine=engine, ranges="segment_tree")) == {(3, 0)}
    assert forms(eligo.build(BOTH, engine=engine, ranges="elementary")) == {(0, 3)}


@with_lists
@pytest.mark.parametrize("ranges", ["auto", "segment_tree", "elementary"])
def test_a_saved_index_has_the_same_lists_and_nothing_is_wrong_with_them(
    engine: str, ranges: Any, tmp_path: Path
) -> None:
    index = eligo.build(BOTH, engine=engine, ranges=ranges)
    index.save(tmp_path)
    opened = eligo.open(tmp_path, trust=False)
    assert (opened.settings.ranges, opened.stats().ranges) == (ranges, ranges)
    assert forms(opened) == forms(index)
    assert answers(opened) == answers(eligo.build(BOTH, engine="scan"))
    assert list(opened_problems(open_version(tmp_path), deep=True)) == []


@pytest.mark.parametrize(("ranges", "expected"), [("segment_tree", (3, 0)), ("elementary", (0, 3))])
def test_changes_merges_and_publishing_keep_what_was_asked_for(
    ranges: Any, expected: tuple[int, int], tmp_path: Path
) -> None:
    index = eligo.build(NESTED, ranges=ranges, merge_at=None)
    index.save(tmp_path)
    opened = eligo.open(tmp_path, merge_at=None)
    for id, text in {**SIDE_BY_SIDE, "far": BOTH["far"]}.items():
        opened.insert(id, text)
    opened.publish(tmp_path)
    assert all(min(found) == 0 for found in forms(eligo.open(tmp_path)))
    again = eligo.open(tmp_path, merge_at=None)
    again.merge()
    assert forms(again) == {expected}
    again.save(tmp_path)
    assert read_manifest(tmp_path).settings.ranges == ranges
    assert answers(eligo.open(tmp_path)) == answers(eligo.build(BOTH, engine="scan"))


def test_a_manifest_that_does_not_say_leaves_it_to_the_choice(tmp_path: Path) -> None:
    eligo.build(BOTH).save(tmp_path)
    assert b'"ranges"' not in (tmp_path / MANIFEST_NAME).read_bytes()
    assert eligo.open(tmp_path).settings.ranges == "auto"


def test_a_scan_has_no_lists_and_takes_the_word_all_the_same() -> None:
    index = eligo.build(BOTH, engine="scan", ranges="elementary")
    assert (index.stats().ranges, forms(index)) == ("elementary", {(0, 0)})


def test_quadratic_lists_are_not_made_even_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_choice, "MOST_ELEMENTARY", 1_000)
    index = eligo.build(BOTH, engine="a_tree", ranges="elementary")
    assert forms(index) == {(1, 2)}, "the nested ones would be registered 40,000 times"
    assert answers(index) == answers(eligo.build(BOTH, engine="scan"))


@pytest.mark.parametrize("structure", ["cluster", "hybrid", "interval_tree"])
def test_structures_that_no_engine_can_use_are_refused(structure: Any) -> None:
    with pytest.raises(InputError, match="RangeIndex"):
        eligo.build({}, ranges=structure)


def test_an_index_of_a_version_with_other_lists_is_refused(tmp_path: Path) -> None:
    eligo.build(BOTH, ranges="elementary").save(tmp_path)
    manifest = read_manifest(tmp_path)
    object.__setattr__(manifest.settings, "ranges", "skip_lists")
    (tmp_path / MANIFEST_NAME).write_bytes(manifest.to_bytes())
    with pytest.raises((InputError, StorageError), match="skip_lists"):
        eligo.open(tmp_path)


@pytest.mark.parametrize("sizes", [[512, 1, 1], [1, 1, 8], [0, 1, 4], [2, 1, 1]])
def test_lists_elsewhere_than_the_axes_put_them_are_found(sizes: list[int]) -> None:
    vocabulary = eligo.build(BOTH, engine="a_tree").engine.vocabulary
    arrays = {"axis_base": np.array([9, 9, 9, 9], np.uint32), "axis_size": np.array(sizes, np.uint32)}
    assert set(AxisLists._fields) == set(arrays)
    assert list(axis_problems(arrays, vocabulary, 9))
