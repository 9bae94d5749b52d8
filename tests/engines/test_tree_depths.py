"""Does every engine give the oracle's answer on trees of depth 1 to 9, however they came in?"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import eligo
from eligo.engines import registry
from eligo.kernels.score_units import UNITS
from eligo.language.evaluate import matches
from eligo.language.score import score_units
from eligo.language.text.parse import parse
from engine_cases import CLAUSES, some_events

DEEPEST = 9
EMPTY = ("tags in ()", "not state in ()", "tags contains all ()", "true", "false")


def clause(chance: random.Random) -> str:
    low = chance.randrange(8)
    shape = chance.choice(CLAUSES if chance.random() < 0.9 else EMPTY)
    return shape.format(a=low, b=low + chance.randrange(4))


def tree(depth: int, chance: random.Random) -> str:
    """A tree of alternating connectives of this depth, in which one child of each is deep and the others are leaves."""
    text = clause(chance)
    connective = chance.choice(["and", "or"])
    for _ in range(depth - 1):
        connective = "or" if connective == "and" else "and"
        parts = [f"({text})", *(f"({clause(chance)})" for _ in range(chance.choice((1, 1, 2))))]
        chance.shuffle(parts)
        text = f" {connective} ".join(parts)
        if chance.random() < 0.15:
            text = f"not ({text})"
    return text


@pytest.mark.parametrize("engine", registry.names())
@pytest.mark.parametrize("missing", ["unknown", "false"])
def test_trees_of_every_depth_agree_with_the_oracle(engine: str, missing: Any, tmp_path: Path) -> None:
    chance = random.Random(engine + missing)
    texts = {(depth - 1) * 4 + place: tree(depth, chance) for depth in range(1, DEEPEST + 1) for place in range(4)}
    trees = {number: parse(text) for number, text in texts.items()}
    events = some_events(12, seed=6)

    def check(index: eligo.Index) -> None:
        alive = index.ids
        found = index.match_batch(events)
        for row, event in enumerate(events):
            expected = [number for number in alive if matches(trees[number], event, missing)]
            assert found.ids(row) == expected, (event, [texts[number] for number in {*expected} ^ {*found.ids(row)}])
        scores = {number: score_units(trees[number], events[0], missing, weights={"age": 2.5}) for number in alive}
        ranked = sorted((-own, place, number) for place, (number, own) in enumerate(scores.items()) if own is not None)
        best = [(number, -own / UNITS) for own, _, number in ranked[:5]]
        assert index.top(events[0], 5, weights={"age": 2.5}) == best

    index = eligo.build(texts, engine=engine, missing=missing, merge_at=None)
    check(index)
    index.save(tmp_path)
    check(eligo.open(tmp_path))

    live = eligo.build(dict(list(texts.items())[::2]), engine=engine, missing=missing, merge_at=None)
    for number in list(texts)[1::6]:
        live.insert(number, texts[number])
    for number in list(texts)[::8]:
        live.delete(number)
    check(live)
    live.merge()
    check(live)
