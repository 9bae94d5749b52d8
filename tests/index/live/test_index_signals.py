"""May a signal handler ask and change an index in the middle of whatever its thread does with it?"""

from __future__ import annotations

import random
import signal
import types
from collections.abc import Callable
from typing import Any

import pytest

import eligo
from benchmarks.siege.changes import EVENTS, Model, text_of
from benchmarks.siege.fault_points import ASIDE, Broken, Interrupter, boundaries, spread
from eligo.engines import registry
from eligo.errors import MergeError

POINTS = 25
OTHER = EVENTS[2]


@pytest.mark.parametrize("engine", registry.names())
def test_a_match_in_the_middle_of_a_match_spoils_neither(engine: str) -> None:
    model = Model(num_base=30, num_in_tail=4, engine=engine)
    index = model.index
    expected = index.match(OTHER), index.top(OTHER, 4), index.count_batch([OTHER] * 30).tolist()

    def ask() -> None:
        assert (index.match(OTHER), index.top(OTHER, 4), index.count_batch([OTHER] * 30).tolist()) == expected

    def answers() -> Any:
        few, many = index.match_batch(EVENTS), index.match_batch(EVENTS * 9)
        return [index.match(event) for event in EVENTS], few.ids(0), many.ids(4), index.top(EVENTS[0], 5)

    right = answers()
    for at in spread(boundaries(answers), POINTS):
        interrupter = Interrupter(at, ask)
        assert interrupter.run(answers) == right, interrupter.where


def test_a_text_parsed_in_the_middle_of_another_spoils_neither() -> None:
    eligo.parse(" or ".join(f"abc{number} = {number}" for number in range(20_000)), limits=eligo.Limits(length=10**7))
    text, other = "a = 1 and b in (2, 3) or not c < 4", "x starts with 'yz' xor y exists"
    right = eligo.parse(text)
    for at in range(1, boundaries(lambda: eligo.parse(text)) + 1):
        assert Interrupter(at, lambda: eligo.parse(other)).run(lambda: eligo.parse(text)) == right


def operations(model: Model) -> list[Callable[[], object]]:
    """Changes that may be interrupted."""
    index = model.index
    in_base, in_tail = next(id for id in model.texts if id < 100_000), list(model.texts)[-1]
    model.next_id += 1
    new = model.next_id
    return [
        lambda: index.insert(new, text_of(new)),
        lambda: index.replace(in_tail, f"a = {new}"),
        lambda: index.replace(in_base, f"a = {new}"),
        lambda: index.delete(in_tail),
        lambda: index.delete(in_base),
        index.merge,
    ]


@pytest.mark.parametrize("number", range(6))
def test_a_change_in_the_middle_of_a_change_loses_neither(number: int) -> None:
    model = Model(num_base=70, num_in_tail=5)
    for at in spread(boundaries(operations(model)[number]), POINTS if number < 5 else POINTS // 3):
        model.texts = {id: model.index.text(id) for id in model.index.ids}
        operation = operations(model)[number]
        gone = list(model.texts)[3]
        model.next_id += 1
        inner = model.next_id
        before = model.texts

        def change(gone: int = gone, inner: int = inner) -> None:
            model.index.insert(inner, "c < 5")
            model.index.delete(gone)
            assert inner in model.index and gone not in model.index

        interrupter = Interrupter(at, change)
        interrupter.run(operation)
        if not interrupter.where:  # it had fewer boundaries this time
            change()
        assert inner in model.index and gone not in model.index, interrupter.where
        held = model.index.ids
        model.texts = {id: model.index.text(id) for id in held}
        model.check(interrupter.where)
        changed = set(before.items()) ^ set(model.texts.items())
        outer = {id for id, _ in changed} - {inner, gone}
        assert len(outer) == (0 if number == 5 else 1), interrupter.where
    model.index.merge()
    model.check(frozen=True)


def test_a_handler_cannot_wait_for_the_merge_in_whose_middle_it_came() -> None:
    model = Model(num_base=10, num_in_tail=3, short=True)
    refused: list[MergeError] = []

    def merge_again() -> None:
        model.index.merge(background=True)
        try:
            model.index.merge()
        except MergeError as error:
            refused.append(error)

    # Where it begins, in particular: there it holds the lock for changes and is not known yet.
    for at in (*range(1, 40), *spread(boundaries(model.index.merge, ASIDE), POINTS)):
        model.insert()
        Interrupter(at, merge_again, ASIDE).run(model.index.merge)
        model.check()
    assert refused and "this thread is in the middle of a merge" in str(refused[0])


# An alarm that rings in a callback of the garbage collector is lost there, and Python says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("raising", [False, True])
def test_alarms_in_the_middle_of_changes(raising: bool) -> None:
    model = Model(num_base=20, num_in_tail=4)
    chances = random.Random(7)
    rings = 0

    def ring(_signal: int, _frame: types.FrameType | None) -> None:
        nonlocal rings
        rings += 1
        if raising:
            raise Broken
        assert model.index.match(EVENTS[0]) and model.index.match_batch(EVENTS).ids(3) == []

    before = signal.signal(signal.SIGALRM, ring)
    try:
        for _ in range(150):
            id = chances.choice(list(model.texts))
            text = text_of(chances.randrange(1_000))
            after = model.with_text(id, text)
            try:
                signal.setitimer(signal.ITIMER_REAL, chances.uniform(1e-5, 1.5e-3))
                model.index.replace(id, text)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Broken:
                pass
            signal.setitimer(signal.ITIMER_REAL, 0)
            model.settle(model.texts, after)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert rings > 10
    model.index.merge()
    model.check(frozen=True)
