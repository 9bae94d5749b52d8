"""Is every change whole or not at all, whatever is raised in its middle? Faults at every boundary of a call."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import eligo
from eligo.language.evaluate import matches
from eligo.language.parse import parse
from eligo.language.score import score
from eligo.live_state import Death
from faults import FAULTS, Injector, boundaries

PARTS = ("a = 1", "b in (1, 2)", "c < 5", "not d = 'x'", "s starts with 'Jo'", "s between 'A' and 'K'", "d under 'x/y'")
EVENTS: list[dict[str, Any]] = [
    {"a": 1, "b": 2, "c": 3, "d": "x/y/z", "s": "John"},
    {"a": 1, "c": 7, "s": "Beth"},
    {"b": [1, 5], "d": "x", "e": True},
    {},
]
POINTS = 30
"""Boundaries that are tried in an ordinary run, of each operation."""


def text_of(number: int) -> str:
    """Texts that share parts, so that nodes are made, used by others, put together anew and removed."""
    chosen = random.Random(number)
    some = chosen.sample(PARTS, 3)
    return f"({some[0]} or {some[1]} or n = {number % 7}^{number % 5}) {chosen.choice(('and', 'xor'))} {some[2]}"


@cache
def truth_of(text: str) -> tuple[list[bool], float | None]:
    """What the oracle says: for each event whether it satisfies the text, and the score of the first one."""
    tree = parse(text)
    return [matches(tree, event, "unknown") for event in EVENTS], score(tree, EVENTS[0], "unknown")


class Model:
    """An index beside the expressions that it should hold, in their order."""

    def __init__(self, num_base: int, num_in_tail: int, engine: str = "scan") -> None:
        self.texts = {number: text_of(number) for number in range(num_base)}
        self.index = eligo.build(self.texts, engine=engine, merge_at=None)
        self.next_id = 100_000
        for _ in range(num_in_tail):
            self.insert()

    def insert(self) -> int:
        self.next_id += 1
        self.index.insert(self.next_id, text_of(self.next_id))
        self.texts[self.next_id] = text_of(self.next_id)
        return self.next_id

    def with_text(self, id: int, text: str) -> dict[int, str]:
        """What there is when an id has been given a text."""
        return {**{other: known for other, known in self.texts.items() if other != id}, id: text}

    def without(self, id: int) -> dict[int, str]:
        return {other: known for other, known in self.texts.items() if other != id}

    def settle(self, *possible: dict[int, str], where: str = "") -> None:
        """The index holds one of these, whole; that is what it holds from now on."""
        ids = self.index.ids
        held = {id: self.index.text(id) for id in ids}
        assert len(held) == len(ids) and any(list(texts.items()) == list(held.items()) for texts in possible), where
        self.texts = held
        self.check(where)

    def check(self, where: str = "", *, frozen: bool = False) -> None:
        """Every answer is that of the oracle."""
        index, texts = self.index, self.texts
        assert index.ids == list(texts) and len(index) == len(texts), where
        assert all(id in index for id in list(texts)[-5:]) and -1 not in index, where
        truths = {id: truth_of(text) for id, text in texts.items()}
        few = index.match_batch(EVENTS)
        many = index.match_batch(EVENTS * 5) if frozen else few
        for row, event in enumerate(EVENTS):
            expected = [id for id, (is_satisfied, _) in truths.items() if is_satisfied[row]]
            assert index.match(event) == few.ids(row) == many.ids(row) == expected, where
        scores = [(-value, place, id) for place, (id, (_, value)) in enumerate(truths.items()) if value is not None]
        assert [id for id, _ in index.top(EVENTS[0], 5)] == [id for _, _, id in sorted(scores)[:5]], where

    def go_on(self) -> None:
        """Further changes work."""
        inserted = self.insert()
        first = next(iter(self.texts))
        self.index.replace(first, "a = 1")
        self.texts = self.with_text(first, "a = 1")
        self.index.delete(inserted)
        self.texts = self.without(inserted)
        self.check(frozen=True)


Operation = Callable[[Model], tuple[Callable[[], object], dict[int, str]]]
"""What is done to an index, and what it holds afterwards."""


def insert(model: Model) -> tuple[Callable[[], object], dict[int, str]]:
    model.next_id += 1
    id, text = model.next_id, text_of(model.next_id)
    return lambda: model.index.insert(id, text), model.with_text(id, text)


def replace_in_tail(model: Model) -> tuple[Callable[[], object], dict[int, str]]:
    id, text = next(id for id in model.texts if id > 100_000), text_of(random.Random(model.next_id).randrange(999))
    return lambda: model.index.replace(id, text), model.with_text(id, text)


def replace_in_base(model: Model) -> tuple[Callable[[], object], dict[int, str]]:
    id = next(id for id in model.texts if id < 100_000 and isinstance(model.index._live.find(id), Death))
    return lambda: model.index.replace(id, text_of(id + 7)), model.with_text(id, text_of(id + 7))


def delete_in_tail(model: Model) -> tuple[Callable[[], object], dict[int, str]]:
    model.insert()
    id = list(model.texts)[-2]
    return lambda: model.index.delete(id), model.without(id)


def delete_in_base(model: Model) -> tuple[Callable[[], object], dict[int, str]]:
    id = next(iter(model.texts))
    return lambda: model.index.delete(id), model.without(id)


def merge(model: Model) -> tuple[Callable[[], object], dict[int, str]]:
    model.insert()
    first = next(iter(model.texts))
    model.index.delete(first)
    model.texts = model.without(first)
    return model.index.merge, model.texts


def freeze_the_tail(model: Model) -> tuple[Callable[[], object], dict[int, str]]:
    model.insert()
    return lambda: model.index.match_batch(EVENTS * 5), model.texts


def match(model: Model) -> tuple[Callable[[], object], dict[int, str]]:
    return lambda: (model.index.match(EVENTS[0]), model.index.match_batch(EVENTS)), model.texts


def ask_for_ids(model: Model) -> tuple[Callable[[], object], dict[int, str]]:
    model.insert()
    return lambda: (model.index.ids, 5 in model.index, model.index.top(EVENTS[0], 3)), model.texts


OPERATIONS = (
    insert,
    replace_in_tail,
    replace_in_base,
    delete_in_tail,
    delete_in_base,
    merge,
    freeze_the_tail,
    match,
    ask_for_ids,
)


def inject(model: Model, operation: Operation, kinds: Sequence[type[BaseException]], points: int | None) -> int:
    """Break the operation off at its boundaries in turn, all on one index; returns how many faults there were."""
    run, after = operation(model)
    end = boundaries(run)
    model.settle(model.texts, after, where="without a fault")
    step = 1 if points is None else max(1, end // points)
    faults = 0
    for number, at in enumerate(range(1 + end % step, end + 1, step)):
        run, after = operation(model)
        before = model.texts
        injector = Injector(at, kinds[number % len(kinds)])
        faults += injector.run(run) is not None
        model.settle(after, before, where=f"boundary {at} of {end}: {injector.where}")
        if number % 7 == 0:
            model.go_on()
    model.index.merge()
    model.check("after a merge", frozen=True)
    return faults


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_fault_leaves_the_state_before_or_after(operation: Operation) -> None:
    model = Model(num_base=50 if "base" in operation.__name__ else 20, num_in_tail=6)
    assert inject(model, operation, FAULTS, POINTS) >= POINTS // 2


@pytest.mark.long
@pytest.mark.parametrize("raising", FAULTS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_fault_at_every_boundary(operation: Operation, raising: type[BaseException]) -> None:
    model = Model(num_base=3_000 if "base" in operation.__name__ else 20, num_in_tail=6)
    assert inject(model, operation, (raising,), None) >= 50


def test_a_fault_while_publishing_changes_nothing_that_is_live(tmp_path: Path) -> None:
    model = Model(num_base=20, num_in_tail=3)
    end = boundaries(lambda: model.index.publish(tmp_path / "first"))
    for at in range(1, end, max(1, end // POINTS)):
        model.insert()
        injector = Injector(at, KeyboardInterrupt)
        injector.run(lambda: model.index.publish(tmp_path / "index"))
        model.check(injector.where)
    model.index.save(tmp_path / "last")
    assert eligo.open(tmp_path / "last").ids == list(model.texts)
