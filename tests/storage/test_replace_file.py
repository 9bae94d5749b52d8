from __future__ import annotations

import errno
import os
import stat

import pytest

from eligo.errors import StorageError
from eligo.storage.replace_file import TEMPORARY_NAME, make_directory, put_directory, replace_file


@pytest.fixture
def calls(monkeypatch):
    """What is asked of the operating system, in order."""
    made: list[str] = []
    fsync, replace, mkdir = os.fsync, os.replace, os.mkdir

    def record_fsync(descriptor):
        made.append("fsync directory" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "fsync file")
        fsync(descriptor)

    def record_replace(source, target):
        made.append("replace")
        assert TEMPORARY_NAME.fullmatch(os.path.basename(source))
        assert os.path.dirname(source) == os.path.dirname(target)
        replace(source, target)

    def record_mkdir(path, *args):
        made.append(f"mkdir {os.path.basename(path)}")
        mkdir(path, *args)

    monkeypatch.setattr(os, "fsync", record_fsync)
    monkeypatch.setattr(os, "replace", record_replace)
    monkeypatch.setattr(os, "mkdir", record_mkdir)
    return made


def test_a_file_is_on_disk_before_it_gets_its_name_and_its_name_after(tmp_path, calls):
    replace_file(tmp_path / "a", [b"one", memoryview(b"two")])
    assert calls == ["fsync file", "replace", "fsync directory"]
    assert (tmp_path / "a").read_bytes() == b"onetwo"


def test_new_directories_are_on_disk_from_the_top_down(tmp_path, calls):
    make_directory(tmp_path / "a" / "b")
    assert calls == ["mkdir a", "fsync directory", "mkdir b", "fsync directory"]
    make_directory(tmp_path / "a" / "b")
    assert len(calls) == 4


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_nothing_is_left_when_the_content_fails(tmp_path, error):
    def chunks():
        yield b"half"
        raise error

    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(error):
        replace_file(tmp_path / "a", chunks())
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_file_systems_that_cannot_sync_a_directory_are_borne(tmp_path, monkeypatch):
    fsync = os.fsync

    def refuse_directories(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(number, os.strerror(number))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", refuse_directories)
    number = errno.EINVAL
    replace_file(tmp_path / "a", [b"text"])
    number = errno.EIO
    with pytest.raises(StorageError, match="Input/output error"):
        replace_file(tmp_path / "a", [b"text"])


def test_a_directory_that_is_not_there_is_an_error_that_names_the_file(tmp_path):
    with pytest.raises(StorageError, match=r"cannot write .*gone/a: No such file or directory"):
        replace_file(tmp_path / "gone" / "a", [])


def test_a_directory_is_on_disk_before_it_gets_its_name_and_its_name_after(tmp_path, monkeypatch):
    (tmp_path / "staged" / "below").mkdir(parents=True)
    for name in ("a", "below/b"):
        (tmp_path / "staged" / name).write_text("text")
    made: list[str] = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: made.append(os.readlink(f"/proc/self/fd/{file}")) or fsync(file))
    monkeypatch.setattr(os, "replace", lambda *paths: made.append("replace") or replace(*paths))
    put_directory(tmp_path / "staged", tmp_path / "batch=1")
    before = [str(tmp_path / "staged" / name) for name in ("below/b", "a", "below", "")]
    assert sorted(made[:4]) == sorted(path.rstrip("/") for path in before)
    assert made[3:] == [str(tmp_path / "staged"), "replace", str(tmp_path)]
    assert (tmp_path / "batch=1" / "below" / "b").read_text() == "text"
    with pytest.raises(StorageError, match=r"cannot write .*batch=2"):
        put_directory(tmp_path / "none", tmp_path / "batch=2")
