"""Which changes of a live index are broken off? Each kind of change, on an index beside what it should hold."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import eligo
from eligo.index.live.live_state import Death
from eligo.language.evaluate import matches
from eligo.language.score import score
from eligo.language.text.parse import parse

PARTS = ("a = 1", "b in (1, 2)", "c < 5", "not d = 'x'", "s starts with 'Jo'", "s between 'A' and 'K'", "d under 'x/y'")
EVENTS: list[dict[str, Any]] = [
    {"a": 1, "b": 2, "c": 3, "d": "x/y/z", "s": "John"},
    {"a": 1, "c": 7, "s": "Beth"},
    {"b": [1, 5], "d": "x", "e": True},
    {},
]


def text_of(number: int, *, short: bool = False) -> str:
    """Texts that share parts, so that nodes are made, used by others, put together anew and removed."""
    chosen = random.Random(number)
    if short:
        return f"{chosen.choice(PARTS)} or n = {number % 7}^{number % 5}"
    some = chosen.sample(PARTS, 3)
    return f"({some[0]} or {some[1]} or n = {number % 7}^{number % 5}) {chosen.choice(('and', 'xor'))} {some[2]}"


@cache
def truth_of(text: str) -> tuple[list[bool], float | None]:
    """What the oracle says: for each event whether it satisfies the text, and the score of the first one."""
    tree = parse(text)
    return [matches(tree, event, "unknown") for event in EVENTS], score(tree, EVENTS[0], "unknown")


class Model:
    """An index beside the expressions that it should hold, in their order."""

    def __init__(self, num_base: int, num_in_tail: int, engine: str = "scan", *, short: bool = False) -> None:
        self.short = short
        self.texts = {number: self.text_of(number) for number in range(num_base)}
        self.index = eligo.build(self.texts, engine=engine, merge_at=None)
        self.next_id = 100_000
        for _ in range(num_in_tail):
            self.insert()

    def text_of(self, number: int) -> str:
        return text_of(number, short=self.short)

    def insert(self) -> int:
        self.next_id += 1
        self.index.insert(self.next_id, self.text_of(self.next_id))
        self.texts[self.next_id] = self.text_of(self.next_id)
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


Step = tuple[Callable[[], object], dict[int, str]]
Operation = Callable[[Model], Step]
"""What is done to an index, and what it holds afterwards."""


def insert(model: Model) -> Step:
    """Insert a new expression."""
    model.next_id += 1
    id, text = model.next_id, model.text_of(model.next_id)
    return lambda: model.index.insert(id, text), model.with_text(id, text)


def replace_in_tail(model: Model) -> Step:
    """Replace an expression that was inserted."""
    id, text = (
        next(id for id in model.texts if id > 100_000),
        model.text_of(random.Random(model.next_id).randrange(999)),
    )
    return lambda: model.index.replace(id, text), model.with_text(id, text)


def replace_in_base(model: Model) -> Step:
    """Replace an expression that was built."""
    id = next(id for id in model.texts if id < 100_000 and isinstance(model.index._live.find(id), Death))
    return lambda: model.index.replace(id, model.text_of(id + 7)), model.with_text(id, model.text_of(id + 7))


def delete_in_tail(model: Model) -> Step:
    """Delete an expression that was inserted."""
    model.insert()
    id = list(model.texts)[-2]
    return lambda: model.index.delete(id), model.without(id)


def delete_in_base(model: Model) -> Step:
    """Delete an expression that was built."""
    id = next(iter(model.texts))
    return lambda: model.index.delete(id), model.without(id)


def change_several(model: Model) -> Step:
    """Insert, replace and delete at once: in what was built and in what was inserted."""
    model.next_id += 2
    base, inserted = next(iter(model.texts)), model.insert()
    first, second, *_ = list(model.texts)[1:]
    puts = [(model.next_id - 1, "a = 1"), (first, "b in (1, 2)"), (inserted, "c < 5"), (base, "a = 1 or c < 5")]
    after = model.texts
    for id, text in puts:
        after = {**{other: known for other, known in after.items() if other != id}, id: text}
    after.pop(second)
    return lambda: model.index.change(puts, [second]), after


def merge(model: Model) -> Step:
    """Merge, after a change of either kind."""
    model.insert()
    first = next(iter(model.texts))
    model.index.delete(first)
    model.texts = model.without(first)
    return model.index.merge, model.texts


def freeze_the_tail(model: Model) -> Step:
    """Ask with a batch that makes the tail freeze."""
    model.insert()
    return lambda: model.index.match_batch(EVENTS * 5), model.texts


def match(model: Model) -> Step:
    """Ask; nothing changes."""
    return lambda: (model.index.match(EVENTS[0]), model.index.match_batch(EVENTS)), model.texts


def ask_for_ids(model: Model) -> Step:
    """Ask for what is put together when it is first wanted."""
    model.insert()
    return lambda: (model.index.ids, 5 in model.index, model.index.top(EVENTS[0], 3)), model.texts


OPERATIONS = (
    insert,
    replace_in_tail,
    replace_in_base,
    delete_in_tail,
    delete_in_base,
    change_several,
    merge,
    freeze_the_tail,
    match,
    ask_for_ids,
)
