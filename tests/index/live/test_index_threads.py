"""Does every reader see the index of one moment? Readers match while a writer replaces, deletes and merges."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import eligo
from eligo.engines.growing_tree.engine import GrowingTree
from eligo.index.live import due_merge

NUM_IDS = 6
ROUNDS = 60
EVENT = {"a": True, "n": 1}


@pytest.fixture(autouse=True)
def _frequent_switches() -> Iterator[None]:
    """Threads take turns a thousand times as often as usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(before)


def run(writer: Callable[[], None], readers: list[Callable[[], None]]) -> None:
    """Runs readers again and again until the writer has finished; raises what any of them raises."""
    is_done = threading.Event()

    def repeat(reader: Callable[[], None]) -> int:
        rounds = 0
        while not is_done.is_set() or rounds == 0:
            reader()
            rounds += 1
        return rounds

    def write() -> None:
        try:
            writer()
        finally:
            is_done.set()

    with ThreadPoolExecutor(len(readers) + 1) as pool:
        running = [pool.submit(repeat, reader) for reader in readers]
        pool.submit(write).result(timeout=240)
        assert all(future.result(timeout=60) > 0 for future in running)


def every_reader(index: eligo.Index, check: Callable[[list[Any]], None]) -> list[Callable[[], None]]:
    def match() -> None:
        check(index.match(EVENT))

    def match_batch() -> None:
        found = index.match_batch([EVENT, {}, EVENT])
        assert found.ids(1) == []
        check(found.ids(0))
        check(found.ids(2))

    def match_many() -> None:
        found = index.match_batch([EVENT, {}] * 20)
        assert found.ids(1) == []
        check(found.ids(0))
        check(found.ids(38))

    def top() -> None:
        check([id for id, _ in index.top(EVENT, 100)])

    return [match, match, match_batch, match_many, top]


def texts(state: int) -> str:
    """Two texts that the event satisfies, and that differ in their form and their score."""
    return "a" if state % 2 else f"n = 1 and (b or n > 0) and n != {state + 5}"


@pytest.mark.parametrize("engine", ["a_tree", "scan"])
def test_a_replaced_id_is_there_exactly_once_at_any_time(engine: str) -> None:
    index = eligo.build({id: texts(0) for id in range(NUM_IDS)}, engine=engine, merge_at=None)

    def check(found: list[Any]) -> None:
        assert sorted(found) == list(range(NUM_IDS))

    def write() -> None:
        for state in range(1, ROUNDS):
            for id in range(NUM_IDS):
                index.replace(id, texts(state))
            if state % 5 == 0:
                index.merge(background=True)
            if state % 20 == 0:
                index.merge()

    run(write, every_reader(index, check))
    index.merge()
    check(index.match(EVENT))


def test_updates_are_seen_in_their_order() -> None:
    """The writer inserts 0, 1, 2, … and deletes 0, 1, 2, … so that what is there is always a run of numbers."""
    index = eligo.build({0: "a"}, merge_at=None)

    def check(found: list[Any]) -> None:
        ordered = sorted(found)
        assert 1 <= len(ordered) <= NUM_IDS + 1
        assert ordered == list(range(ordered[0], ordered[0] + len(ordered)))

    def write() -> None:
        for number in range(1, 6 * ROUNDS):
            index.insert(number, texts(number))
            if number >= NUM_IDS:
                index.delete(number - NUM_IDS)
            if number % 25 == 0:
                index.merge(background=True)

    run(write, every_reader(index, check))
    assert sorted(index.ids) == list(range(6 * ROUNDS - NUM_IDS, 6 * ROUNDS))


def test_an_update_during_a_merge_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    index = eligo.build({id: "a" for id in range(4)}, merge_at=None)
    index.insert(4, "a")
    index.insert(5, "a")
    may_go_on, has_begun = threading.Event(), threading.Event()
    freeze = index._live._freeze_base

    def wait_and_freeze(*columns: Any) -> Any:
        has_begun.set()
        assert may_go_on.wait(60)
        return freeze(*columns)

    monkeypatch.setattr(index._live, "_freeze_base", wait_and_freeze)
    future = index.merge(background=True)
    assert has_begun.wait(60) and index.merge(background=True) is future
    index.delete(0)  # in the base
    index.delete(4)  # in the tail that is being merged
    index.replace(1, "a and n = 1")
    index.replace(5, "a and n = 2")
    index.insert(6, "a")
    index.insert(7, "a")
    index.delete(7)  # in the tail that came since
    index.delete(2)
    index.insert(2, "n = 1")
    expected = [3, 1, 6, 2]
    assert index.match(EVENT) == expected
    may_go_on.set()
    assert future is not None
    future.result(timeout=60)
    assert index.match(EVENT) == expected and index.ids == [3, 1, 5, 6, 2] and len(index) == 5
    assert index.stats().num_dead == 5
    monkeypatch.undo()
    assert index.match_batch([EVENT]).ids(0) == expected
    index.merge()
    assert index.match(EVENT) == expected and index.stats().num_dead == 0


def test_saving_while_writing_gives_one_moment(tmp_path: Path) -> None:
    index = eligo.build({id: texts(0) for id in range(NUM_IDS)}, merge_at=None)

    def save() -> None:
        index.save(tmp_path / "i")
        assert sorted(eligo.open(tmp_path / "i", merge_at=None).match(EVENT)) == list(range(NUM_IDS))

    def write() -> None:
        for state in range(1, 20):
            for id in range(NUM_IDS):
                index.replace(id, texts(state))

    run(write, [save])


def test_readers_do_not_wait_for_the_work_of_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change is held in the middle of its work; whoever asks meanwhile is answered for the moment before."""
    index = eligo.build({1: "a", 2: "a"}, merge_at=None)
    index.insert(3, "a")
    index.insert(4, "a and n = 1")
    may_go_on, has_begun = threading.Event(), threading.Event()
    put = GrowingTree.put

    def wait_and_put(tree: GrowingTree, position: int, recipe: Any) -> None:
        has_begun.set()
        assert may_go_on.wait(60)
        put(tree, position, recipe)

    monkeypatch.setattr(GrowingTree, "put", wait_and_put)
    with ThreadPoolExecutor(1) as pool:
        changed = pool.submit(index.replace, 3, "a and n > 0")
        assert has_begun.wait(60)
        for _ in range(3):
            assert index.match(EVENT) == [1, 2, 3, 4] == index.ids == index.match_batch([EVENT]).ids(0)
            assert index.match_batch([EVENT] * 30).ids(29) == [1, 2, 3, 4] == index.view().match(EVENT)
            assert 3 in index and 5 not in index and len(index) == 4 and index.text(3) == "a"
            assert len(index.top(EVENT, 9)) == 4 and index.count_batch([EVENT]).tolist() == [1] * 4
            assert index.stats().num_in_tail == 2 and not changed.done()
        may_go_on.set()
        changed.result(timeout=60)
    assert index.match(EVENT) == [1, 2, 4, 3] and index.text(3) == "a and n > 0"


def test_writers_do_not_wait_for_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader is held in the middle of its match; changes go on beside it, and it answers for its moment."""
    index = eligo.build({1: "a"}, merge_at=None)
    index.insert(2, "a")
    index.insert(3, "a")
    may_go_on, has_begun = threading.Event(), threading.Event()
    satisfied = GrowingTree.satisfied

    def wait_and_ask(tree: GrowingTree, attributes: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            has_begun.set()
            assert may_go_on.wait(60)
        return satisfied(tree, attributes)

    monkeypatch.setattr(GrowingTree, "satisfied", wait_and_ask)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(index.match, EVENT)
        assert has_begun.wait(60)
        for number in range(4, 30):
            index.insert(number, "a" if number % 2 else "n = 1")
            index.delete(number - 2)
            assert index.match(EVENT) == [1, number - 1, number]
        may_go_on.set()
        assert found.result(timeout=60) == [1, 2, 3]
    assert index.match(EVENT) == [1, 28, 29]


def test_a_large_change_is_copied_rather_than_made_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    index = eligo.build({}, merge_at=None)
    index.insert(0, " xor ".join(f"a{number} = {number}" for number in range(300)))
    steps = 0
    put = GrowingTree.put

    def count_and_put(tree: GrowingTree, position: int, recipe: Any) -> None:
        nonlocal steps
        steps += len(recipe)
        put(tree, position, recipe)

    monkeypatch.setattr(GrowingTree, "put", count_and_put)
    for number in range(1, 9):
        index.insert(number, "n = 1")
    assert steps < 40 and index.match({"n": 1}) == list(range(1, 9))


class TestNoThreads:
    """A process that may have no more threads."""

    @pytest.fixture(autouse=True)
    def _no_threads(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        def refuse(_: threading.Thread) -> None:
            raise RuntimeError("can't start new thread")

        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", refuse)
            self.have_threads = patched.undo
            yield

    def test_changes_go_on_and_a_merge_comes_later(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(due_merge, "FEWEST_CHANGES", 4)
        index = eligo.build({}, merge_at=0)
        for number in range(10):
            index.insert(number, "a")
            assert index._live.merging is None
        assert index.match(EVENT) == list(range(10)) and index.stats().num_in_tail == 10
        assert caplog.text.count("no thread for merging") == 1
        assert index.stats().last_merge_error == "RuntimeError: can't start new thread"
        with pytest.raises(RuntimeError, match="new thread"):
            failed = index.merge(background=True)
            assert failed is not None
            failed.result(timeout=60)
        self.have_threads()
        number = 10
        while index.stats().num_in_tail == number or index._live.merging is not None:
            if (running := index._live.merging) is None:
                assert number < 60, "no merge was tried again"
                index.insert(number, "a")
                number += 1
            else:
                running.result(timeout=60)
        assert index.match(EVENT) == list(range(number)) and index.stats().last_merge_error is None

    def test_a_merge_that_is_waited_for_needs_none(self) -> None:
        index = eligo.build({1: "a"}, merge_at=None)
        index.insert(2, "a")
        index.merge()
        assert index.stats().num_in_tail == 0 and index.match(EVENT) == [1, 2]

    def test_batches_are_matched_by_the_thread_that_asks(self) -> None:
        index = eligo.build({number: f"n = {number}" for number in range(5)})
        found = index.match_batch([{"n": number % 7} for number in range(5_000)])
        assert [found.ids(row) for row in (0, 4_999, 6)] == [[0], [1], []]
        assert index.count_batch([{"n": 3}] * 3_000).tolist() == [0, 0, 0, 3_000, 0]
