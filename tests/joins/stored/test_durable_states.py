"""Is a base on disk the same after it was opened again, whatever happened in between?"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import eligo
from document_content import as_sets, expected, let_go
from eligo.errors import ForeignFileError, InputError, StorageError
from eligo.joins.segment import Snapshot
from eligo.joins.stored import durable_states
from strategies import any_scalars, events

MOMENT = datetime(2024, 1, 31, 10, tzinfo=UTC)
LARGE = durable_states.LARGE_CHANGE


def content(base: eligo.DocumentBase | Snapshot) -> dict[int, tuple[int, dict[str, set[Any]]]]:
    """The documents by number with their times; the order of an attribute's values says nothing."""
    snapshot = base if isinstance(base, Snapshot) else base.snapshot()
    times = snapshot.times().tolist()
    return {number: (times[place], as_sets(document)) for place, (number, document) in enumerate(snapshot.documents())}


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), events()),
        st.tuples(st.just("add"), st.dictionaries(st.sampled_from("ab"), any_scalars())),
        st.tuples(st.just("batch"), st.lists(events(), max_size=5)),
        st.tuples(st.just("remove"), st.sets(st.integers(0, 40))),
        st.tuples(st.just("reopen"), st.booleans()),
        st.tuples(st.just("compact"), st.none()),
    ),
    max_size=20,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(STEPS, st.sampled_from([1, 3, 1024]), st.sampled_from([200, 1 << 20]))
def test_it_is_the_same_after_opening_again(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, Any]], large: int, checkpoint_bytes: int
) -> None:
    path = tmp_path_factory.mktemp("bases") / "docs.base"
    model: dict[int, Any] = {}
    count = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(durable_states, "LARGE_CHANGE", large)
        patch.setattr(durable_states, "CHECKPOINT_BYTES", checkpoint_bytes)
        base = eligo.DocumentBase(path)
        for what, argument in steps:
            if what == "add":
                moment = MOMENT + timedelta(microseconds=count)
                assert base.add(argument, time=moment) == count
                model[count] = expected(argument)
                count += 1
            elif what == "batch":
                assert base.add_batch(argument, times=MOMENT).numbers == range(count, count + len(argument))
                for document in argument:
                    model[count] = expected(document)
                    count += 1
            elif what == "remove":
                base.remove(argument & model.keys())
                model = {number: document for number, document in model.items() if number not in argument}
            elif what == "compact":
                base.compact()
            else:
                before = content(base)
                base = reopened(base, path, is_closed=argument)
                assert content(base) == before
        assert {number: document for number, (_, document) in content(base).items()} == model
        assert content(eligo.DocumentBase(path, read_only=True)) == content(base)
        base.close()
        assert base.stats().next_number == eligo.DocumentBase(path, read_only=True).stats().next_number == count


def reopened(base: eligo.DocumentBase, path: Path, *, is_closed: bool) -> eligo.DocumentBase:
    """The base after its process ended, with or without closing it."""
    if is_closed:
        base.close()
    else:
        let_go(base)
    return eligo.DocumentBase(path)


def test_values_of_all_kinds_survive(tmp_path: Path) -> None:
    document = {
        "a": [True, 1, 2.5, float("inf"), -float("inf"), 1e300, 2**63 - 1, "ü\0'", date(1, 1, 1), MOMENT],
        "user": {"name": ""},
        "nothing": None,
    }
    with eligo.DocumentBase(tmp_path / "docs.base") as base:
        base.add(document)
        base.add({})
        base.add_batch([document] * LARGE)
        before = content(base)
    for _ in range(2):
        with eligo.DocumentBase(tmp_path / "docs.base") as base:
            assert content(base) == before
            assert base.add({"more": 1}) == max(before) + 1
            before = content(base)


def test_one_opens_it_for_adding_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "docs.base"
    base = eligo.DocumentBase(path)
    base.add({"a": 1})
    with pytest.raises(StorageError, match="open for adding already"):
        eligo.DocumentBase(path)
    reader = eligo.DocumentBase(path, read_only=True)
    assert list(reader) == [0]
    with pytest.raises(StorageError, match="read_only"):
        reader.add({"a": 1})
    base.add({"a": 2})
    assert len(reader) == 1
    base.close()
    base.close()
    with pytest.raises(StorageError, match="closed"):
        base.add({"a": 1})
    assert len(base) == 2
    with eligo.DocumentBase(path) as again:
        assert again.add({"a": 3}) == 2


def test_a_forked_process_reads_and_does_not_write(tmp_path: Path) -> None:
    base = eligo.DocumentBase(tmp_path / "docs.base")
    base.add({"a": 1})
    child = os.fork()
    if child == 0:
        try:
            base.add({"a": 2})
        except StorageError as error:
            base.close()
            os._exit(0 if "forked" in str(error) and len(base) == 1 else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert base.add({"a": 2}) == 1
    with pytest.raises(StorageError, match="open for adding"):
        eligo.DocumentBase(tmp_path / "docs.base")


def test_what_is_no_base_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("x")
    with pytest.raises(ForeignFileError, match="not a document base"):
        eligo.DocumentBase(tmp_path / "other")
    assert os.listdir(tmp_path / "other") == ["file"]
    with pytest.raises(ForeignFileError, match="is a file"):
        eligo.DocumentBase(tmp_path / "other" / "file")
    with pytest.raises(StorageError, match="no document base"):
        eligo.DocumentBase(tmp_path / "none", read_only=True)
    eligo.build({"a": "x = 1"}).save(tmp_path / "index")
    with pytest.raises(ForeignFileError, match="document base"):
        eligo.DocumentBase(tmp_path / "index")
    with pytest.raises(InputError, match="read_only"):
        eligo.DocumentBase(read_only=True)


def test_the_log_becomes_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable_states, "CHECKPOINT_BYTES", 5000)
    path = tmp_path / "docs.base"
    base = eligo.DocumentBase(path, keep_last=200)
    for number in range(1000):
        base.add({"number": number, "text": "x" * 20})
    log = list((path / "log").iterdir())
    assert len(log) == 1
    assert log[0].stat().st_size < 6000
    assert 0 < len(list((path / "segments").iterdir())) < 12
    on_disk = sum(file.stat().st_size for file in path.rglob("*") if file.is_file() and file.name != "manifest.json")
    assert base.stats().bytes_on_disk == on_disk
    let_go(base)
    with eligo.DocumentBase(path) as again:
        assert list(again) == list(range(800, 1000))
        assert again.stats().next_number == 1000
        again.compact()
        assert again.stats().num_dead == 0
        assert len(list((path / "segments").iterdir())) == 1


def test_threads_share_an_fsync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = eligo.DocumentBase(tmp_path / "docs.base")
    syncs = 0
    real = os.fsync

    def slow(descriptor: int) -> None:
        nonlocal syncs
        syncs += 1
        threading.Event().wait(0.002)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", slow)
    numbers: list[int] = []

    def work() -> None:
        for step in range(25):
            number = base.add({"step": step})
            assert number in base
            numbers.append(number)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(200)) == list(base)
    assert syncs < 150
    syncs = 0
    base.add_batch([{"step": 1}] * 100)
    assert syncs == 1


def failing(name: str, monkeypatch: pytest.MonkeyPatch, number: int, when: Callable[[], bool]) -> None:
    real = getattr(os, name)

    def fail(*arguments: Any) -> Any:
        if when():
            raise OSError(number, os.strerror(number))
        return real(*arguments)

    monkeypatch.setattr(os, name, fail)


def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "docs.base"
    base = eligo.DocumentBase(path)
    base.add({"a": 1})
    full = True
    failing("pwrite", monkeypatch, errno.ENOSPC, lambda: full)
    with pytest.raises(StorageError, match=r"(?s)No space left.*make room"):
        base.add({"a": 2})
    assert list(base) == [0]
    full = False
    assert base.add({"a": 3}) == 1
    let_go(base)
    assert [document["a"] for _, document in eligo.DocumentBase(path).snapshot().documents()] == [(1,), (3,)]


def test_half_a_record_is_cut_before_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = eligo.DocumentBase(tmp_path / "docs.base")
    real = os.pwrite
    is_first = True

    def half(descriptor: int, data: bytes, offset: int) -> int:
        nonlocal is_first
        if is_first:
            is_first = False
            real(descriptor, data[:10], offset)
            raise KeyboardInterrupt
        return real(descriptor, data, offset)

    monkeypatch.setattr(os, "pwrite", half)
    with pytest.raises(KeyboardInterrupt):
        base.add({"a": 1})
    assert base.add({"a": 2}) == 0
    let_go(base)
    assert eligo.DocumentBase(tmp_path / "docs.base").document(0) == {"a": (2,)}


def test_after_a_failed_fsync_nothing_more_is_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "docs.base"
    base = eligo.DocumentBase(path)
    base.add({"a": 1})
    is_broken = True
    failing("fsync", monkeypatch, errno.EIO, lambda: is_broken)
    with pytest.raises(StorageError, match=r"(?s)fsync.*open the base again"):
        base.add({"a": 2})
    is_broken = False
    assert list(base) == [0]
    with pytest.raises(StorageError, match=r"(?s)nothing can be added.*open the base again"):
        base.add({"a": 3})
    base.close()
    with eligo.DocumentBase(path) as again:
        assert list(again) == [0]
        assert again.add({"a": 4}) == 1


@pytest.mark.parametrize("name", ["replace", "fsync"])
@pytest.mark.parametrize("place", range(6))
def test_a_checkpoint_that_fails_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, place: int
) -> None:
    path = tmp_path / "docs.base"
    base = eligo.DocumentBase(path)
    base.add({"a": 1})
    count = 0

    def is_now() -> bool:
        nonlocal count
        count += 1
        return count == place + 1

    with monkeypatch.context() as patch:
        failing(name, patch, errno.ENOSPC, is_now)
        is_added = True
        try:
            base.add_batch({"a": np.arange(LARGE)})
        except StorageError as error:
            is_added = False
            assert "make room" in error.help or "open the base again" in error.help
    known = [0, *range(1, LARGE + 1)] if is_added else [0]
    assert list(base) == known
    base.close()
    with eligo.DocumentBase(path) as again:
        if list(again) != known:  # it failed when all was there, and said that it is to be opened again
            assert not is_added
            assert list(again) == [0, *range(1, LARGE + 1)]
        assert again.add({"a": 1}) == again.stats().next_number - 1


def test_a_handler_in_the_middle_of_a_change_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = eligo.DocumentBase(tmp_path / "docs.base")
    real = os.fsync
    errors: list[str] = []

    def handled(descriptor: int) -> None:
        with pytest.raises(StorageError) as caught:
            base.add({"from": "handler"})
        errors.append(str(caught.value))
        assert len(base.snapshot().numbers()) == 0
        real(descriptor)

    monkeypatch.setattr(os, "fsync", handled)
    base.add({"a": 1})
    assert "signal handler" in errors[0]
    assert list(base) == [0]


def test_threads_lose_nothing_while_logs_become_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable_states, "CHECKPOINT_BYTES", 2000)
    monkeypatch.setattr(durable_states, "LARGE_CHANGE", 20)
    path = tmp_path / "docs.base"
    base = eligo.DocumentBase(path)
    acknowledged: dict[int, tuple[int, int]] = {}
    removed: set[int] = set()

    def work(thread: int) -> None:
        for step in range(30):
            if step % 10 == 9:
                for number in base.add_batch([{"thread": thread, "step": step}] * 25).numbers:
                    acknowledged[number] = (thread, step)
            else:
                acknowledged[base.add({"thread": thread, "step": step})] = (thread, step)
            if step % 7 == 6:
                number = next(number for number, (owner, _) in list(acknowledged.items()) if owner == thread)
                if number not in removed:
                    base.remove(number)
                    removed.add(number)
            assert all(number in base for number in list(acknowledged)[-1:] if number not in removed)

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wanted = {number: made for number, made in acknowledged.items() if number not in removed}
    assert len(acknowledged) == 4 * (27 + 75)
    let_go(base)
    for read_only in (True, False):
        again = eligo.DocumentBase(path, read_only=read_only)
        held = {number: (*each["thread"], *each["step"]) for number, each in again.snapshot().documents()}
        assert held == wanted
