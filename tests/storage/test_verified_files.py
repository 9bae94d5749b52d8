"""Is a file read whole once, and again whenever it may have changed?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from benchmarks.siege.fault_points import Interrupter, boundaries
from eligo.errors import DamagedFileError
from eligo.storage import array_file, verified_files, verified_marks
from eligo.storage.array_file import read_arrays, write_arrays
from eligo.storage.verified_files import FileIdentity

ARRAY = np.arange(5_000, dtype=np.uint64)

needs_change_times = pytest.mark.skipif(
    not verified_marks._boot() or verified_files.file_system_of(os.stat("/tmp").st_dev) == "",
    reason="the kernel does not say what file system this is",
)


class Reads:
    """Counts the arrays that are read whole."""

    def __init__(self) -> None:
        self.count = 0

    def crc32(self, data: memoryview) -> int:
        self.count += len(data) == ARRAY.nbytes
        return zlib.crc32(data)


@pytest.fixture
def reads(file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Reads:
    """A process that has verified nothing, with a directory of marks of its own."""
    counted = Reads()
    monkeypatch.setattr(array_file, "zlib", counted)
    monkeypatch.setenv(verified_marks.VARIABLE, str(tmp_path / "marks"))
    verified_files.forget()
    return counted


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_arrays(tmp_path / "a.eligo", {"a": ARRAY}, {})
    return tmp_path / "a.eligo"


def settle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every file as settled: the tests write again only what they mean to change, and wait for a tick first."""
    monkeypatch.setattr(verified_files, "SETTLED_NS", 0)


def flip(path: Path) -> None:
    """One bit in place; size, inode and time of writing stay."""
    before = path.stat()
    while FileIdentity.of(path.stat()) == FileIdentity.of(before):
        with open(path, "r+b") as file:
            file.seek(before.st_size - 64)
            byte = file.read(1)[0]
            file.seek(before.st_size - 64)
            file.write(bytes([byte | 127]))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_mtime_ns == before.st_mtime_ns


@needs_change_times
def test_a_settled_file_is_read_once_in_a_process(reads: Reads, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(monkeypatch)
    for _ in range(3):
        read_arrays(file)
    assert reads.count == 1


def test_a_file_that_was_changed_a_moment_ago_is_read_each_time(reads: Reads, file: Path) -> None:
    read_arrays(file)
    read_arrays(file)
    assert reads.count == 2
    assert not os.path.exists(os.environ[verified_marks.VARIABLE])


@needs_change_times
def test_a_mark_of_another_process_counts(reads: Reads, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(monkeypatch)
    program = (
        "from eligo.storage import verified_files, array_file; verified_files.SETTLED_NS = 0; "
        f"array_file.read_arrays({str(file)!r})"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    read_arrays(file)
    assert reads.count == 0


@needs_change_times
def test_a_flip_that_keeps_size_inode_and_time_of_writing_is_found(
    reads: Reads, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    read_arrays(file)
    flip(file)
    with pytest.raises(DamagedFileError, match="checksum of array 'a'"):
        read_arrays(file)


@needs_change_times
@pytest.mark.parametrize(
    "forgery", ["open directory", "linked directory", "open mark", "linked mark", "folder for a mark"]
)
def test_a_mark_that_others_could_have_made_is_not_believed(
    reads: Reads, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgery: str
) -> None:
    settle(monkeypatch)
    read_arrays(file)
    marks = tmp_path / "marks"
    (mark,) = marks.iterdir()
    assert (marks.stat().st_mode & 0o777, mark.stat().st_mode & 0o777) == (0o700, 0o600)
    if forgery == "open directory":
        marks.chmod(0o770)
    elif forgery == "linked directory":
        marks.rename(tmp_path / "others")
        marks.symlink_to(tmp_path / "others")
    elif forgery == "open mark":
        mark.chmod(0o660)
    else:
        mark.rename(tmp_path / "aside")
        mark.symlink_to(tmp_path / "aside") if forgery == "linked mark" else mark.mkdir(mode=0o700)
    verified_files.forget()
    read_arrays(file)
    assert reads.count == 2


@needs_change_times
def test_marks_of_an_earlier_start_of_the_machine_do_not_count(
    reads: Reads, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    read_arrays(file)
    monkeypatch.setattr(verified_marks, "_boot", lambda: "another")
    verified_files.forget()
    read_arrays(file)
    assert reads.count == 2


def test_nothing_is_remembered_on_a_file_system_without_such_times(
    reads: Reads, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    monkeypatch.setattr(verified_files, "KEEPS_CHANGE_TIMES", frozenset())
    read_arrays(file)
    read_arrays(file)
    assert reads.count == 2


@needs_change_times
def test_marks_can_be_turned_off(reads: Reads, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(monkeypatch)
    monkeypatch.setenv(verified_marks.VARIABLE, "off")
    read_arrays(file)
    verified_files.forget()
    read_arrays(file)
    assert reads.count == 2


def test_only_the_arrays_that_are_asked_for_are_read(reads: Reads, tmp_path: Path) -> None:
    path = tmp_path / "two.eligo"
    write_arrays(path, {"ids.a": ARRAY, "texts.a": ARRAY}, {})
    reads.count = 0
    assert list(read_arrays(path, only=("ids.",)).arrays) == ["ids.a"]
    assert reads.count == 1


@needs_change_times
def test_old_marks_go_when_there_are_many(
    reads: Reads, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    monkeypatch.setattr(verified_marks, "MOST_MARKS", 3)
    (tmp_path / "marks").mkdir(mode=0o700)
    for number in range(5):
        old = tmp_path / "marks" / str(number)
        old.touch()
        os.utime(old, (0, 0))
    read_arrays(file)
    assert len(list((tmp_path / "marks").iterdir())) == 1


@needs_change_times
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_file_can_be_read_in_the_middle_of_its_reading(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As from a signal handler, or in a process that was forked meanwhile: there is no lock to wait for."""
    settle(monkeypatch)

    def read() -> None:
        verified_files.forget()
        read_arrays(file)

    pid = os.fork()
    if not pid:
        status = 1
        try:
            signal.alarm(60)  # ends a child that hangs
            for at in range(1, boundaries(read) + 1):
                Interrupter(at, read).run(read)
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0
