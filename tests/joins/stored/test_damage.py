"""Is a damaged base answered from? Every region of every file is changed: refused, or a torn tail that is cut off."""

from __future__ import annotations

import os
import random
import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eligo
from document_content import let_go
from eligo.errors import DamagedFileError, ForeignFileError, NewerFormatError, StorageError
from eligo.joins.stored import durable_states
from eligo.joins.stored.base_directory import LOCK_NAME
from eligo.joins.stored.log_file import new_log, read_log
from eligo.storage.array_file import ArrayFileContent
from eligo.storage.log.record_file import START, RecordWriter

REFUSED = (DamagedFileError, ForeignFileError, NewerFormatError)


def made(path: Path) -> dict[int, Any]:
    """A base with segments, dead documents and a log, as a killed process leaves it; what it holds."""
    base = eligo.DocumentBase(path)
    base.add_batch({"n": np.arange(durable_states.LARGE_CHANGE), "s": ["text"] * durable_states.LARGE_CHANGE})
    base.remove(np.arange(0, 300))
    base.close()
    base = eligo.DocumentBase(path)
    for number in range(5):
        base.add({"n": number, "t": "x" * number})
    base.remove([700])
    held = dict(base.snapshot().documents())
    let_go(base)
    return held


def opened(path: Path) -> tuple[dict[int, Any], list[str]]:
    """What a base holds, and the warnings of opening it."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        base = eligo.DocumentBase(path, read_only=False)
    held = dict(base.snapshot().documents())
    let_go(base)
    return held, [str(each.message) for each in told]


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, Any]]:
    path = tmp_path_factory.mktemp("damage") / "docs.base"
    return path, made(path)


def files_of(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*") if file.is_file() and file.name != LOCK_NAME)


def test_there_is_a_file_of_every_kind(intact: tuple[Path, dict[int, Any]]) -> None:
    assert {file.parent.name for file in files_of(intact[0])} == {"docs.base", "segments", "dead", "log"}
    assert opened(intact[0]) == (intact[1], [])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("folder", ["docs.base", "segments", "dead", "log"])
def test_no_region_of_a_file_can_change_unnoticed(
    intact: tuple[Path, dict[int, Any]], tmp_path: Path, folder: str, seed: int
) -> None:
    path = tmp_path / "docs.base"
    shutil.copytree(intact[0], path)
    file = next(file for file in files_of(path) if file.parent.name == folder)
    good = file.read_bytes()
    rng = random.Random(f"{folder} {seed}")
    step = max(1, len(good) // 150)
    for start in range(0, len(good), step):
        place = rng.randrange(start, min(start + step, len(good)))
        changed = bytearray(good)
        changed[place] ^= 1 << rng.randrange(8)
        replaced(file, bytes(changed))
        with pytest.raises(REFUSED) as caught:
            eligo.DocumentBase(path)
        assert file.name in str(caught.value)
        with pytest.raises(REFUSED):
            eligo.DocumentBase(path, read_only=True)
    replaced(file, good)
    assert opened(path)[0] == intact[1]


@pytest.mark.parametrize("folder", ["docs.base", "segments", "dead", "log"])
def test_what_is_cut_off_or_gone_is_refused(intact: tuple[Path, dict[int, Any]], tmp_path: Path, folder: str) -> None:
    path = tmp_path / "docs.base"
    shutil.copytree(intact[0], path)
    file = next(file for file in files_of(path) if file.parent.name == folder)
    good = file.read_bytes()
    for length in (0, 1, 63, 64, 100, len(good) // 2, len(good) - 1):
        replaced(file, good[:length])
        with pytest.raises(StorageError):
            eligo.DocumentBase(path)
    file.unlink()
    with pytest.raises(StorageError):
        eligo.DocumentBase(path)


def replaced(file: Path, data: bytes) -> None:
    """A new file in the place of one; what has the old one mapped keeps it."""
    aside = file.with_name("aside")
    aside.write_bytes(data)
    os.replace(aside, file)


def test_a_torn_tail_is_cut_off_with_a_warning(intact: tuple[Path, dict[int, Any]], tmp_path: Path) -> None:
    path = tmp_path / "docs.base"
    shutil.copytree(intact[0], path)
    log = next(file for file in files_of(path) if file.parent.name == "log")
    good = log.read_bytes()
    record = good[START:][:60]
    for torn in (b"\0", record[:5], record[:20], bytes(1000), good[START : START + 30]):
        replaced(log, good + torn)
        assert dict(eligo.DocumentBase(path, read_only=True).snapshot().documents()) == intact[1]
        held, told = opened(path)
        assert held == intact[1]
        assert len(told) == 1
        assert f"last {len(torn):,} bytes were cut off" in told[0]
        assert "nothing that was acknowledged is lost" in told[0]
        assert log.read_bytes() == good
        assert opened(path) == (intact[1], [])


def test_a_record_that_was_written_and_not_acknowledged_may_be_there(tmp_path: Path) -> None:
    path = tmp_path / "docs.base"
    base = eligo.DocumentBase(path)
    log = next(file for file in files_of(path) if file.parent.name == "log")
    before = log.read_bytes()
    base.add({"a": 1})
    after = log.read_bytes()
    base.add({"a": 2})
    let_go(base)
    last = log.read_bytes()
    # The mark of before, with the records of now: as if the power went between the two.
    replaced(log, after[:START] + last[START:])
    assert len(opened(path)[0]) == 2
    damaged = bytearray(after[:START] + last[START:])
    damaged[-1] ^= 1
    replaced(log, bytes(damaged))
    held, told = opened(path)
    assert (len(held), len(told)) == (1, 1)
    # What the mark says to be on the disk is not cut off.
    damaged = bytearray(last)
    damaged[-1] ^= 1
    replaced(log, bytes(damaged))
    with pytest.raises(DamagedFileError, match=rf"{log.name}.*acknowledged"):
        eligo.DocumentBase(path)
    assert before[:START] != last[:START]


def test_the_help_speaks_of_the_base(intact: tuple[Path, dict[int, Any]], tmp_path: Path) -> None:
    path = tmp_path / "docs.base"
    shutil.copytree(intact[0], path)
    (path / "manifest.json").write_bytes(b'{\n  "kind": "eligo document base",\n')
    with pytest.raises(DamagedFileError, match="restore the base"):
        eligo.DocumentBase(path)


FORGED: list[tuple[str, Any]] = [
    ("numbers", lambda array: array[::-1]),
    ("numbers", lambda array: array + 10**9),
    ("numbers", lambda array: array - 10**6),
    ("numbers", lambda array: array[:-1]),
    ("numbers", lambda array: array.astype(np.float64)),
    ("times", lambda array: array + 2**62),
    ("int.rows", lambda array: array + 1),
    ("int.rows", lambda array: -array),
    ("int.rows", lambda array: array[::-1]),
    ("int.values", lambda array: array[:-1]),
    ("int.starts", lambda array: array * 2),
    ("int.attributes", lambda array: array + 7),
    ("string.offsets", lambda array: array[::-1]),
    ("string.data", lambda array: np.full_like(array, 0xFF)),
    ("names.data", lambda array: np.full_like(array, 0xFF)),
]


@pytest.mark.parametrize(("name", "harm"), FORGED, ids=[f"{place} {name}" for place, (name, _) in enumerate(FORGED)])
def test_a_forged_segment_is_refused(tmp_path: Path, name: str, harm: Any) -> None:
    from eligo.joins.stored import base_directory

    path = tmp_path / "docs.base"
    real = base_directory.segment_arrays

    def forged(segment: Any) -> Any:
        arrays, meta = real(segment)
        return {**arrays, name: harm(arrays[name])}, meta

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base_directory, "segment_arrays", forged)
        with eligo.DocumentBase(path) as base:
            base.add_batch([{"n": number, "s": f"text {number}"} for number in range(20)])
    with pytest.raises(StorageError, match=r"\.eligo|strings|names"):
        eligo.DocumentBase(path)


def test_a_forged_record_is_refused(tmp_path: Path) -> None:
    good = '{"documents":[{"a":[1]}],"gone":[],"next":1,"numbers":[0],"times":[5]}'
    forged = (
        "[]",
        "{}",
        good.replace("[1]", "[[1]]"),
        good.replace("[1]", '[{"date":99999999}]'),
        good.replace("[1]", '[{"what":1}]'),
        good.replace("[1]", "1"),
        good.replace('"next":1', '"next":0'),
        good.replace('"numbers":[0]', '"numbers":[true]'),
        good.replace('"numbers":[0]', '"numbers":[0,1]'),
        good.replace('"gone":[]', '"gone":[[5,6]]'),
        good.replace('"gone":[]', '"gone":[[1]]'),
        good.replace('"times":[5]', '"times":[9223372036854775807]'),
    )
    for place, text in enumerate((good, *forged)):
        path = tmp_path / f"{place}.base"
        eligo.DocumentBase(path).close()
        log = path / "log" / f"{0:016d}.log"
        new_log(log, 0)
        writer = RecordWriter(log)
        writer.append([text.encode()], START, 0)
        writer.close()
        assert len(read_log(log, 0).records) == 1
        if text == good:
            assert opened(path)[0] == {0: {"a": (1,)}}
        else:
            with pytest.raises(DamagedFileError, match=r"\.log is damaged"):
                eligo.DocumentBase(path)


def test_a_file_of_other_content_is_refused(intact: tuple[Path, dict[int, Any]], tmp_path: Path) -> None:
    path = tmp_path / "docs.base"
    shutil.copytree(intact[0], path)
    for folder in ("segments", "dead"):
        file = next(file for file in files_of(path) if file.parent.name == folder)
        good = file.read_bytes()
        other = ArrayFileContent.of({"numbers": np.arange(5)}, {"kind": "something else"})
        replaced(file, b"".join(bytes(chunk) for chunk in other.chunks()))
        with pytest.raises(DamagedFileError, match=file.name):
            eligo.DocumentBase(path)
        replaced(file, good)
