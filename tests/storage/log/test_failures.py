"""What happens when the disk is full, or fails? Nothing more is taken, and nothing that was acknowledged is lost."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from eligo.errors import InputError, LogFailedError
from eligo.storage.log import frames
from eligo.storage.log.log import Log
from log_cases import abandoned, segment_files

APPENDER = """
import sys
from eligo.storage.log.log import Log
log = Log.open(sys.argv[1], segment_bytes=3000, durability=eval(sys.argv[2]))
number = log.last_seq
while True:
    size = number % 5 + 1
    log.append([b"record %d" % (number + each + 1) for each in range(size)])
    number += size
    print(number, flush=True)
"""

FULL_DISK = """
import resource, sys
from eligo.errors import LogFailedError
from eligo.storage.log.log import Log
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
log = Log.open(sys.argv[1])
number = 0
try:
    while True:
        log.append([b"record %d" % (number + each + 1) for each in range(3)])
        number += 3
except LogFailedError as error:
    print(number, error.message)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
try:
    log.append([b"more"])
except LogFailedError as error:
    print(log.last_seq, error)
"""


def records_of(directory: Path) -> list[bytes]:
    with Log.open(directory) as log:
        return [body for _, body in log.read(1)]


@pytest.mark.parametrize("limit", [1000, 1001, 1013, 1024])
def test_a_file_that_may_not_grow_refuses_all_that_comes_later(tmp_path: Path, limit: int) -> None:
    """The system refuses to write beyond a size, in the middle of a record."""
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, tmp_path, str(limit)], capture_output=True, text=True, check=True
    )
    first, second = done.stdout.splitlines()[:2]
    num_acknowledged = int(first.split()[0])
    assert num_acknowledged > 20
    assert "cannot write" in first
    assert second.startswith(f"{num_acknowledged} the log takes no more records")
    assert "open the log again" in done.stdout
    assert records_of(tmp_path) == [b"record %d" % (number + 1) for number in range(num_acknowledged)]


def test_a_disk_that_is_full_refuses_all_that_comes_later(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True)
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        log = Log.open(disk / "log")
        taken = 0
        with pytest.raises(LogFailedError, match="No space left"):
            while True:
                log.append([bytes(700)])
                taken += 1
        with pytest.raises(LogFailedError, match="takes no more"):
            log.append([b""])
        assert [seq for seq, _ in log.read(1)] == list(range(1, taken + 1))
        log.close()
        with Log.open(disk / "log") as log:
            assert (log.last_seq, log.recovery.num_torn) == (taken, 0)
    finally:
        subprocess.run(["umount", disk], check=True)


def test_an_fsync_that_fails_refuses_all_that_comes_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log.open(tmp_path)
    log.append([b"a", b"b"])
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with pytest.raises(LogFailedError, match="fsync"):
            log.append([b"c"])
    # The second fsync would succeed, and say nothing of what the first has lost.
    with pytest.raises(LogFailedError, match="takes no more"):
        log.append([b"d"])
    assert isinstance(log.failure, LogFailedError)
    assert (log.last_seq, [body for _, body in log.read(1)]) == (2, [b"a", b"b"])
    log.close()
    assert records_of(tmp_path) == [b"a", b"b"]
    with Log.open(tmp_path) as again:
        assert again.append([b"e"]) == range(3, 4)


def test_an_fsync_that_fails_behind_the_caller_is_told_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Log.open(tmp_path, durability=0.001)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        log.append([b"a"])
        for _ in range(5000):
            if log.failure is not None:
                break
            time.sleep(0.002)
    with pytest.raises(LogFailedError, match="takes no more"):
        log.append([b"b"])
    abandoned(log)
    assert records_of(tmp_path) == [b"a"]


def test_a_segment_that_cannot_be_made_refuses_all_that_comes_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Log.open(tmp_path, segment_bytes=1)
    log.append([b"a"])
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", failing)
        with pytest.raises(LogFailedError, match="write"):
            log.append([b"b"])
    with pytest.raises(LogFailedError, match="takes no more"):
        log.append([b"b"])
    abandoned(log)
    assert records_of(tmp_path) == [b"a"]


def test_a_segment_that_was_made_for_nothing_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log.open(tmp_path, segment_bytes=1)
    log.append([b"a"])
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", failing)
        with pytest.raises(LogFailedError, match="write"):
            log.append([b"b"])
    assert len(segment_files(tmp_path)) == 2
    assert [body for _, body in log.read(1)] == [b"a"]
    abandoned(log)
    assert records_of(tmp_path) == [b"a"]
    with Log.open(tmp_path, segment_bytes=1) as again:
        assert again.append([b"b"]) == range(2, 3)
        assert [body for _, body in again.read(1)] == [b"a", b"b"]


def test_what_stands_behind_the_mark_is_written_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a failed fsync the pages of a file can be held for clean, and are not on the disk."""
    log = Log.open(tmp_path)
    log.append([b"a"])
    marked = log.num_bytes
    with monkeypatch.context() as patch:
        patch.setattr(log._writer, "mark", lambda end: None)
        log.append([b"b", b"c"])
    end = log.num_bytes
    abandoned(log)
    written: list[tuple[int, int]] = []
    real = os.pwrite

    def noting(descriptor: int, data: bytes, at: int) -> int:
        written.append((at, len(data)))
        return real(descriptor, data, at)

    monkeypatch.setattr(os, "pwrite", noting)
    Log.open(tmp_path).close()
    assert (marked, end - marked) in written


def test_a_record_that_is_too_large_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_RECORD_BYTES", 10)
    with Log.open(tmp_path) as log:
        with pytest.raises(InputError, match="too large"):
            log.append([b"small", bytes(11)])
        assert log.append([b"small"]) == range(1, 2)


@pytest.mark.parametrize("durability", ["'fsync'", "0.005"])
def test_processes_that_are_killed_lose_nothing(tmp_path: Path, durability: str) -> None:
    chance = random.Random(durability)
    for _ in range(8):
        process = subprocess.Popen(
            [sys.executable, "-c", APPENDER, tmp_path, durability], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        said = [process.stdout.readline()]
        time.sleep(chance.uniform(0, 0.15))
        process.send_signal(signal.SIGKILL)
        said += process.stdout.read().splitlines()
        process.wait()
        process.stdout.close()
        acknowledged = max(int(line) for line in said if line.strip())
        with Log.open(tmp_path) as log:
            records = list(log.read(1))
        assert len(records) >= acknowledged
        assert records == [(number, b"record %d" % number) for number in range(1, len(records) + 1)]
    assert len(segment_files(tmp_path)) > 1


def failing(*whatever: object) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))
