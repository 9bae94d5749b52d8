"""Expressions and events with weights that floats cannot add in any order."""

from __future__ import annotations

import random
from typing import Any

WEIGHTS = (0.1, 0.2, 0.3, 0.7, 1 / 3, 1e-9, 4e-10, 1e9, 1.1)


def some_texts(count: int, seed: int) -> dict[int, str]:
    """Flat and nested expressions of few attributes, with weights that floats cannot add in any order."""
    chance = random.Random(seed)

    def weight() -> float:
        return chance.choice([*WEIGHTS, chance.random(), chance.random() * 10 ** chance.randrange(-9, 9)])

    def predicate() -> str:
        name, value = chance.choice("abcde"), chance.randrange(4)
        return chance.choice(
            [
                f"{name} = {value}^{weight()!r}",
                f"{name} in ({value}^{weight()!r}, {value + 1}^{weight()!r}, {value + 2}^{weight()!r})",
                f"{name} between {value} and {value + 2}^{weight()!r}",
                f"{name} > {value}^{weight()!r}",
                f"{name} != {value}",
                f"{name} exists",
            ]
        )

    def clause(connective: str, of: Any) -> str:
        return "(" + connective.join(of() for _ in range(chance.randint(1, 4))) + ")"

    shapes = [
        lambda: clause(" and ", predicate),
        lambda: clause(" or ", predicate),
        lambda: clause(" and ", lambda: clause(" or ", predicate)),
        lambda: clause(" or ", lambda: clause(" and ", predicate)),
    ]
    return {id: chance.choice(shapes)() for id in range(count)}


def some_events(count: int, seed: int) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    return [
        {name: chance.choice([chance.randrange(5), [0, 1, 2, 3], [1, 4]]) for name in "abcde" if chance.random() < 0.9}
        for _ in range(count)
    ]
