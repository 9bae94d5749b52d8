"""Do ranges come and go at a price that does not grow with how many there are?"""

from __future__ import annotations

import random
from datetime import date, timedelta

import pytest

from eligo.engines.growing_tree.engine import GrowingTree
from eligo.engines.growing_tree.growing_ranges import RangeLists
from eligo.language.evaluate import matches
from eligo.language.text.parse import parse


def text_of(chances: random.Random) -> str:
    low, width = chances.randrange(60), chances.randrange(25)
    return chances.choice(
        (
            f"a between {low} and {low + width}",
            f"a >= {low} and a < {low + width + 1}",
            f"a > {low}",
            f"a <= {low}.5",
            f"d between date '2024-01-01' and date '{date(2024, 1, 2) + timedelta(low)}'",
        )
    )


@pytest.mark.parametrize("seed", range(3))
def test_many_ranges_come_and_go(seed: int) -> None:
    chances = random.Random(seed)
    tree = GrowingTree()
    held: dict[int, str] = {}
    for step in range(900):
        # It grows to some hundreds, shrinks to none, and grows again.
        if held and chances.random() < (0.8 if 300 < step < 650 else 0.2):
            position = chances.choice(list(held))
            tree.delete(position)
            del held[position]
        else:
            held[step] = text_of(chances)
            tree.insert(step, parse(held[step]))
        if step % 60 == 59:
            tree.check()
            for event in ({"a": chances.randrange(90)}, {"a": 30.5, "d": date(2024, 1, 20)}, {"a": [3, 70]}):
                expected = [id for id, text in sorted(held.items()) if matches(parse(text), event, "unknown")]
                assert tree.match(event).tolist() == expected == tree.copy().match(event).tolist()
    for position in held:
        tree.delete(position)
    tree.check()
    assert tree.match({"a": 3}).tolist() == []


def test_a_deletion_does_not_move_what_is_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = 0
    drop_void = RangeLists._drop_void

    def count_and_drop(ranges: RangeLists, axis: int) -> None:
        nonlocal moved
        drop_void(ranges, axis)
        moved += ranges.length(axis)

    monkeypatch.setattr(RangeLists, "_drop_void", count_and_drop)
    tree = GrowingTree()
    for number in range(1_000):
        tree.insert(number, parse(f"a between {number} and {number + 5}"))
    for number in range(1_000):
        tree.delete(number)
    assert 0 < moved < 2_000
    tree.check()
