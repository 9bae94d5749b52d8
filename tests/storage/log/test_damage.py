"""Is a damaged log read on? It is cut short and changed at every byte: refused, or a tail that no one was told of."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from eligo.errors import DamagedFileError, ForeignFileError, NewerFormatError, StorageError
from eligo.storage.log.log import Log
from eligo.storage.log.record_file import MARK_AT, START
from log_cases import abandoned, segment_files

REFUSED = (DamagedFileError, ForeignFileError, NewerFormatError)
BODIES = [b"first", b"", b"the third is longer", b"4", b"last of all"]


def killed_log(directory: Path, *, segment_bytes: int = 1 << 20) -> list[Path]:
    """A log as a killed process leaves it; its files."""
    log = Log.open(directory, segment_bytes=segment_bytes)
    log.append(BODIES[:2])
    log.append(BODIES[2:4])
    log.append(BODIES[4:])
    abandoned(log)
    return segment_files(directory)


def held(directory: Path) -> tuple[list[bytes], int]:
    """What a log has, and how much was cut off."""
    with Log.open(directory) as log:
        return [body for _, body in log.read(log.first_seq)], log.recovery.num_torn


def test_no_bit_of_what_was_acknowledged_can_change_unnoticed(tmp_path: Path) -> None:
    (file,) = killed_log(tmp_path)
    good = file.read_bytes()
    for place in range(len(good)):
        for bit in range(8):
            changed = bytearray(good)
            changed[place] ^= 1 << bit
            file.write_bytes(bytes(changed))
            with pytest.raises(REFUSED, match=file.name):
                Log.open(tmp_path)
            assert file.read_bytes() == bytes(changed), "a refused log was changed"
    file.write_bytes(good)
    assert held(tmp_path) == (BODIES, 0)


def test_no_bit_of_an_earlier_segment_can_change_unnoticed(tmp_path: Path) -> None:
    earlier, *_ = killed_log(tmp_path, segment_bytes=1)
    good = earlier.read_bytes()
    for place in range(len(good)):
        changed = bytearray(good)
        changed[place] ^= 1 << place % 8
        if place == MARK_AT + 12 and place % 8 == 0:
            continue  # whether another follows: it does, and the next segment says so
        earlier.write_bytes(bytes(changed))
        with pytest.raises(REFUSED, match=earlier.name):
            Log.open(tmp_path)


def test_a_log_that_is_cut_anywhere_is_refused(tmp_path: Path) -> None:
    for segment_bytes in (1 << 20, 1):
        directory = tmp_path / str(segment_bytes)
        for file in killed_log(directory, segment_bytes=segment_bytes):
            good = file.read_bytes()
            for length in range(len(good)):
                file.write_bytes(good[:length])
                with pytest.raises(REFUSED, match=file.name):
                    Log.open(directory)
            file.write_bytes(good)
        assert held(directory) == (BODIES, 0)


def test_what_was_not_acknowledged_is_cut_at_any_byte(tmp_path: Path) -> None:
    """The mark of before the last group, with that group cut or changed: as when the machine stopped in between."""
    log = Log.open(tmp_path / "log")
    log.append(BODIES[:4])
    (file,) = segment_files(tmp_path / "log")
    before = file.read_bytes()
    log.append(BODIES[4:])
    abandoned(log)
    whole = before[:START] + file.read_bytes()[START:]
    for length in range(len(before), len(whole)):
        file.write_bytes(whole[:length])
        assert held(tmp_path / "log") == (BODIES[:4], length - len(before))
        assert held(tmp_path / "log") == (BODIES[:4], 0)
        changed = bytearray(whole)
        changed[length] ^= 1 << length % 8
        file.write_bytes(bytes(changed))
        assert held(tmp_path / "log") == (BODIES[:4], len(whole) - len(before))
    file.write_bytes(whole)
    assert held(tmp_path / "log") == (BODIES, 0)
    # It was kept, so it is acknowledged by now.
    changed = bytearray(file.read_bytes())
    changed[-1] ^= 1
    file.write_bytes(bytes(changed))
    with pytest.raises(DamagedFileError, match=rf"{file.name}.* at byte {len(before):,}"):
        Log.open(tmp_path / "log")


def test_what_follows_a_cut_tail_is_kept(tmp_path: Path) -> None:
    (file,) = killed_log(tmp_path)
    file.write_bytes(file.read_bytes() + b"torn in the middle of a record")
    with Log.open(tmp_path) as log:
        assert log.append([b"sixth"]) == range(6, 7)
    assert held(tmp_path) == ([*BODIES, b"sixth"], 0)


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_a_segment_that_is_gone_is_missed(tmp_path: Path, gone: int) -> None:
    files = killed_log(tmp_path, segment_bytes=1)
    assert len(files) == 3
    files[gone].unlink()
    with pytest.raises(DamagedFileError, match=r"missing|begins with 5"):
        Log.open(tmp_path)


def test_the_segment_of_another_place_is_refused(tmp_path: Path) -> None:
    files = killed_log(tmp_path, segment_bytes=1)
    shutil.copy(files[0], files[1])
    with pytest.raises(DamagedFileError, match="segment of record 1, not of 3"):
        Log.open(tmp_path)


def test_damage_is_found_by_readers_too(tmp_path: Path) -> None:
    log = Log.open(tmp_path)
    log.append(BODIES)
    (file,) = segment_files(tmp_path)
    changed = bytearray(file.read_bytes())
    changed[-1] ^= 1
    file.write_bytes(bytes(changed))
    with pytest.raises(DamagedFileError, match=rf"{file.name}.*record 5 .* byte"):
        list(log.read(1))
    log.close()


def test_the_help_speaks_of_the_log(tmp_path: Path) -> None:
    (file,) = killed_log(tmp_path)
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(StorageError, match="restore the log from a copy"):
        Log.open(tmp_path)
