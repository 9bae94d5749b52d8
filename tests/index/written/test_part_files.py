"""Is a directory that tasks fill there as a whole or not at all, with the files of attempts that count?"""

from __future__ import annotations

from pathlib import Path

import pytest

from eligo.errors import InputError, StorageError
from eligo.index.written.part_files import ASIDE, DONE, part_files


def names(path: Path) -> set[str]:
    return {found.name for found in path.iterdir()}


def test_only_named_files_come_into_place(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with part_files(out) as parts:
        for name in ("first-attempt", "second-attempt", "other-task"):
            (parts.aside / name).write_text(name)
        assert names(out) == {ASIDE}  # nothing that a reader takes for a row
        parts.commit(["second-attempt", "other-task"])
    assert names(out) == {"second-attempt", "other-task", DONE}
    with pytest.raises(FileNotFoundError):
        (parts.aside / "late").write_text("an attempt that is still at work")


def test_what_fails_leaves_nothing_and_keeps_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(ZeroDivisionError), part_files(out) as parts:
        (parts.aside / "part").write_text("new")
        raise ZeroDivisionError
    assert not out.exists()
    out.mkdir()
    (out / "part").write_text("old")
    with pytest.raises(ZeroDivisionError), part_files(out, overwrite=True) as parts:
        (parts.aside / "part").write_text("new")
        raise ZeroDivisionError
    assert names(out) == {"part"}
    assert (out / "part").read_text() == "old"


def test_a_file_stays_until_the_commit(tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    out.write_text("old")
    with pytest.raises(ZeroDivisionError), part_files(out, overwrite=True) as parts:
        (parts.aside / "part").write_text("new")
        raise ZeroDivisionError
    assert out.read_text() == "old" and names(tmp_path) == {"out.parquet"}
    with part_files(out, overwrite=True) as parts:
        (parts.aside / "part").write_text("new")
        assert out.read_text() == "old"
        parts.commit(["part"])
    assert names(out) == {"part", DONE} and names(tmp_path) == {"out.parquet"}


@pytest.mark.parametrize("is_file", [False, True])
def test_overwriting_is_asked_for(tmp_path: Path, is_file: bool) -> None:
    out = tmp_path / "out"
    if is_file:
        out.write_text("a file")
    else:
        (out / "below").mkdir(parents=True)
    with pytest.raises(InputError, match="is there already"), part_files(out):
        pass
    with part_files(out, overwrite=True) as parts:
        (parts.aside / "part").touch()
        parts.commit(["part"])
    assert names(out) == {"part", DONE}


def test_a_file_that_is_not_seen_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="1 of 2 files"), part_files(tmp_path / "out") as parts:
        (parts.aside / "here").touch()
        parts.commit(["here", "on another machine"])
    assert not (tmp_path / "out").exists()


def test_jobs_beside_each_other_keep_their_files(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with part_files(out) as one, part_files(out, overwrite=True) as other:
        (other.aside / "other").touch()
        one.commit([])
        other.commit(["other"])
    assert names(out) == {"other", DONE}
