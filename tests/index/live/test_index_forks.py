"""Does a forked process have the index, whatever the other threads were at when it was forked?"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import eligo
from benchmarks.siege.changes import EVENTS, Model, text_of
from benchmarks.siege.fault_points import Interrupter, boundaries, spread
from eligo.errors import MergeError

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks"),
    pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning"),
]
SECONDS = 60
"""After which a child is taken to hang."""


def in_child(work: Callable[[], object]) -> int:
    """Forks, and does the work in the child; returns its process id."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(SECONDS)
        work()
        status = 0
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(status)


def assert_well(pid: int) -> None:
    _, status = os.waitpid(pid, 0)
    assert status == 0, f"the child was {'stuck' if status == signal.SIGALRM else 'wrong'}"


def use(index: eligo.Index, event: dict[str, Any], expected: set[int]) -> None:
    """Everything that a child may want."""
    assert expected <= set(index.match(event))
    assert expected <= set(index.match_batch([event]).ids(0)) & set(index.match_batch([event] * 40).ids(7))
    assert all(id in index for id in expected) and -1 not in index
    index.insert(-5, "a = 1")
    index.replace(0, "a = 1 and c = 3")
    assert {0, -5, *expected} <= set(index.match(event)) and index.top(event, 1)
    index.delete(-5)
    index.merge()
    assert expected <= set(index.match(event)) and -5 not in index


@pytest.mark.parametrize("busy", ["match", "match_batch", "insert", "merge"])
def test_children_of_a_busy_process_answer(busy: str) -> None:
    index = eligo.build({id: "a = 1" for id in range(20)}, merge_at=None)
    index.insert(100, "a = 1 and c = 3")
    event = {"a": 1, "c": 3}
    expected = {*range(20), 100}
    is_over = threading.Event()
    rounds = 0

    def be_busy() -> None:
        nonlocal rounds
        while not is_over.is_set():
            if busy == "match":
                index.match(event)
            elif busy == "match_batch":
                index.match_batch([event] * (3 if rounds % 2 else 40))
            elif busy == "insert":
                index.replace(1_000 + rounds % 7, f"a = 2 and b = {rounds}")
            else:
                index.replace(1_000, f"b = {rounds}")
                index.merge()
            rounds += 1

    threads = [threading.Thread(target=be_busy) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for number in range(8):
            time.sleep(0.002 * number)
            assert_well(in_child(lambda: use(index, event, expected)))
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    assert rounds
    use(index, event, expected)


@pytest.mark.parametrize("number", range(3))
def test_a_fork_in_the_middle_of_a_change(number: int) -> None:
    """As from a signal handler; parent and child both go on."""
    model = Model(num_base=12, num_in_tail=3)
    steps = (
        lambda: model.index.replace(0, text_of(1)),
        lambda: model.index.match(EVENTS[0]),
        model.index.merge,
    )
    children: list[int] = []

    def answer() -> None:
        ids = model.index.ids
        assert len(ids) == len(set(ids)) == len(model.index)
        assert set(model.index.match(EVENTS[0])) <= set(ids)
        model.index.replace(0, "a = 1")
        assert 0 in model.index.match(EVENTS[0])

    steps[number]()
    forks = 0
    for at in spread(boundaries(steps[number]), 8):
        model.index.replace(1, text_of(at))
        Interrupter(at, lambda: children.append(in_child(answer))).run(steps[number])
        for child in children[forks:]:  # none when there were fewer boundaries this time
            assert_well(child)
        forks = len(children)
        assert len(model.index) == 15 and model.index.match_batch(EVENTS).ids(0) == model.index.match(EVENTS[0])
    assert forks > 2


def test_a_merge_stays_with_the_process_that_runs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    index = eligo.build({1: "a = 1"}, merge_at=None)
    index.insert(2, "a = 1")
    may_go_on, has_begun = threading.Event(), threading.Event()
    freeze = index._live._freeze_base

    def wait_and_freeze(*columns: Any) -> Any:
        has_begun.set()
        assert may_go_on.wait(SECONDS)
        return freeze(*columns)

    monkeypatch.setattr(index._live, "_freeze_base", wait_and_freeze)
    future = index.merge(background=True)
    assert future is not None and has_begun.wait(SECONDS)

    def work() -> None:
        may_go_on.set()
        assert isinstance(future.exception(timeout=SECONDS), MergeError)
        index.delete(1)
        index.merge()
        assert index.match({"a": 1}) == [2] and index.stats().num_in_tail == 0

    assert_well(in_child(work))
    may_go_on.set()
    assert future.result(timeout=SECONDS) is None and index.match({"a": 1}) == [1, 2]
