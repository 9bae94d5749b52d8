"""Is what was appended read again, in order and with its numbers? And what may a caller ask?"""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from eligo.errors import InputError, LogGoneError, StorageError
from eligo.storage.log.log import Log
from eligo.storage.log.record_file import START
from log_cases import abandoned, segment_files

payloads = st.lists(st.binary(max_size=60), max_size=6)


class LogAgainstList(RuleBasedStateMachine):
    """A log beside a dictionary of what it must have; reopened, killed and dropped from at any moment."""

    @initialize(segment_bytes=st.sampled_from([1, 150, 400, 10_000]), durability=st.sampled_from(["fsync", 0.001]))
    def begin(self, segment_bytes: int, durability: float) -> None:
        import tempfile

        self._place = tempfile.TemporaryDirectory()
        self.directory = Path(self._place.name) / "log"
        self.options = {"segment_bytes": segment_bytes, "durability": durability}
        self.kept: dict[int, bytes] = {}
        self.after = self.last = 0
        self.log = Log.open(self.directory, **self.options)  # type: ignore[arg-type]

    def teardown(self) -> None:
        if hasattr(self, "log"):
            self.log.close()
            self._place.cleanup()

    @rule(group=payloads)
    def append(self, group: list[bytes]) -> None:
        seqs = self.log.append(group)
        assert seqs == range(self.last + 1, self.last + 1 + len(group))
        self.kept.update(zip(seqs, group, strict=True))
        self.last += len(group)

    @rule()
    def reopen(self) -> None:
        self.log.close()
        self._open_again()

    @rule(torn=st.binary(max_size=30))
    def kill(self, torn: bytes) -> None:
        abandoned(self.log)
        last = segment_files(self.directory)[-1]
        with open(last, "ab") as file:
            file.write(torn)
        self._open_again()
        assert self.log.recovery.num_torn == len(torn)

    @rule(more=st.integers(0, 50), share=st.floats(0, 1))
    def drop(self, more: int, share: float) -> None:
        self.after = max(self.after, int(self.last * share))
        self.log.drop_before(self.after + 1)
        assert self.log.first_seq <= self.after + 1

    @rule()
    def jump(self) -> None:
        """A checkpoint has more than the log, as after a power cut with an interval."""
        self.log.close()
        self.after = self.last = self.last + 3
        self._open_again()
        assert self.log.first_seq == self.last + 1

    def _open_again(self) -> None:
        self.log = Log.open(self.directory, after=self.after, **self.options)  # type: ignore[arg-type]

    @invariant()
    def has_everything(self) -> None:
        if not hasattr(self, "log"):
            return
        assert self.log.last_seq == self.last
        first = self.log.first_seq
        assert list(self.log.read(first)) == [(seq, self.kept[seq]) for seq in range(first, self.last + 1)]
        middle = (first + self.last + 1) // 2
        assert [seq for seq, _ in self.log.read(middle)] == list(range(middle, self.last + 1))
        assert self.log.num_bytes == sum(file.stat().st_size for file in segment_files(self.directory))


TestLogAgainstList = LogAgainstList.TestCase
TestLogAgainstList.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)


def test_a_group_is_one_fsync(tmp_path: Path) -> None:
    with Log.open(tmp_path) as log:
        assert log.append([b"a", b"b", b"c"]) == range(1, 4)
        assert log.append([]) == range(4, 4)
        assert (log.num_syncs, log.synced_seq, log.last_seq) == (1, 3, 3)
        assert log.sync_seconds > 0
        log.append([b"d"])
        assert log.num_syncs == 2


def test_segments_are_rolled_by_size_and_dropped_whole(tmp_path: Path) -> None:
    with Log.open(tmp_path, segment_bytes=200) as log:
        for number in range(30):
            log.append([bytes([number]) * 20])
        names = [file.name for file in segment_files(tmp_path)]
        assert names[:3] == ["00000000000000000001.log", "00000000000000000006.log", "00000000000000000011.log"]
        log.drop_before(9)
        assert (log.first_seq, segment_files(tmp_path)[0].name) == (6, names[1])
        with pytest.raises(LogGoneError, match="begins with record 6, behind 5"):
            log.read(5)
        assert [seq for seq, _ in log.read(6)] == list(range(6, 31))
        log.drop_before(10**9)
        assert (log.first_seq, log.last_seq, len(segment_files(tmp_path))) == (26, 30, 1)


def test_a_reader_of_what_is_dropped_is_told(tmp_path: Path) -> None:
    with Log.open(tmp_path, segment_bytes=1) as log:
        log.append([b"a"])
        log.append([b"b"])
        log.append([b"c"])
        reader = log.read(1)
        assert next(reader) == (1, b"a")
        log.drop_before(3)
        with pytest.raises(LogGoneError, match="no longer has record 2"):
            next(reader)


def test_a_large_record_is_read_whole(tmp_path: Path) -> None:
    large = bytes(range(256)) * 20_000
    with Log.open(tmp_path) as log:
        log.append([b"a", large, b"b"])
        assert list(log.read(1)) == [(1, b"a"), (2, large), (3, b"b")]


def test_readers_see_whole_groups_while_others_append(tmp_path: Path) -> None:
    log = Log.open(tmp_path, segment_bytes=2_000)
    seen: list[int] = []
    wrong: list[object] = []
    done = threading.Event()

    def read_on() -> None:
        next_seq = 1
        while not (done.is_set() and next_seq > log.last_seq):
            for seq, body in log.read(next_seq):
                if seq != next_seq or body != b"record %d" % seq:
                    wrong.append((seq, body))
                next_seq += 1
        seen.append(next_seq - 1)

    readers = [threading.Thread(target=read_on) for _ in range(3)]
    for reader in readers:
        reader.start()
    number = 0
    for size in range(100):
        log.append([b"record %d" % (number + each + 1) for each in range(size % 7)])
        number += size % 7
    done.set()
    for reader in readers:
        reader.join()
    assert (wrong, seen) == ([], [number] * 3)
    log.close()


def test_an_interval_brings_records_to_the_disk_behind_the_caller(tmp_path: Path) -> None:
    with Log.open(tmp_path, durability=3600) as log:
        log.append([b"a"])
        assert (log.last_seq, log.synced_seq, log.num_syncs) == (1, 0, 0)
        assert list(log.read(1)) == [(1, b"a")]
        log.sync()
        assert (log.synced_seq, log.num_syncs) == (1, 1)
        log.append([b"b"])
    assert (log.synced_seq, log.num_syncs) == (2, 2)
    with Log.open(tmp_path, durability=0.01) as log:
        log.append([b"c"])
        waited = threading.Event()
        for _ in range(1000):
            if log.synced_seq == 3:
                break
            waited.wait(0.01)
        assert log.synced_seq == 3


def test_an_empty_log_begins_behind_what_is_known(tmp_path: Path) -> None:
    with Log.open(tmp_path, after=41) as log:
        assert (log.first_seq, log.last_seq, log.num_bytes) == (42, 41, START)
        assert list(log.read(42)) == []
        assert log.append([b"a"]) == range(42, 43)


def test_what_a_killed_process_left_unfinished_is_removed(tmp_path: Path) -> None:
    Log.open(tmp_path).close()
    left = tmp_path / f".eligo-{0:016x}.tmp"
    left.write_bytes(b"half")
    Log.open(tmp_path).close()
    assert not left.exists()


def test_a_torn_tail_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Log.open(tmp_path) as log:
        log.append([b"a"])
    file = segment_files(tmp_path)[0]
    file.write_bytes(file.read_bytes() + b"torn")
    with caplog.at_level(logging.WARNING, "eligo"), Log.open(tmp_path) as log:
        assert log.recovery.num_torn == 4
    assert f"{file} ended in the middle of a record: its last 4 bytes were cut off" in caplog.text


@pytest.mark.parametrize("durability", [0, -1, 3601, "never", float("nan")])
def test_a_durability_that_is_none_is_refused(tmp_path: Path, durability: float) -> None:
    with pytest.raises(InputError, match="durability"):
        Log.open(tmp_path, durability=durability)


def test_odd_questions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        Log.open(tmp_path, after=-1)
    log = Log.open(tmp_path)
    log.append([b"a"])
    for odd in (0, -5, 3):
        with pytest.raises(InputError, match="ends with record 1"):
            log.read(odd)
    log.close()
    log.close()
    with pytest.raises(StorageError, match="closed"):
        log.append([b"b"])
    assert list(log.read(1)) == [(1, b"a")]
