"""On what are engines compared? Expressions of every shape over five attributes, and events that meet them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_source import read_expressions
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.whang.list_engine import ListEngine
from eligo.language.evaluate import Missing
from eligo.language.limits import DEFAULT_LIMITS

CLAUSES = (
    "age between {a} and {b}",
    "age not between {a} and {b}",
    "state in ('CA'^{b}.5, 'NY', 'TX', 's{a}'^{a})",
    "state != 's{a}'",
    "state weak not in ('s{a}', 'CA')",
    "tags contains all ('t{a}'^2, 't{b}')",
    "tags in ('t{a}'^0.5, 't{b}'^{b})",
    "not (age < {a} xor vip)",
    "score > {a}.5",
    "page under 'p{a}'",
    "(vip or age = {a}) and state exists",
    "tags strong not in ('t{a}')",
    "page is missing",
)


def expression_texts(count: int, seed: int) -> list[str]:
    """ANDs and ORs of up to four clauses."""
    chance = random.Random(seed)

    def clause() -> str:
        low = chance.randrange(8)
        return "(" + chance.choice(CLAUSES).format(a=low, b=low + chance.randrange(4)) + ")"

    return [chance.choice([" and ", " or "]).join(clause() for _ in range(chance.randint(1, 4))) for _ in range(count)]


def some_events(count: int, seed: int) -> list[dict[str, Any]]:
    """Events that have, lack or list what the clauses ask for."""
    chance = random.Random(seed)
    return [
        {
            "age": chance.choice([None, chance.randrange(12), [1, 5]]),
            "state": chance.choice([None, "CA", "s3", ["NY", "s1"]]),
            "tags": [f"t{chance.randrange(8)}" for _ in range(chance.randrange(4))],
            "vip": chance.choice([True, False, None]),
            "score": chance.choice([None, chance.random() * 9, [0.5, 7]]),
            "page": chance.choice([None, f"p{chance.randrange(8)}/x"]),
        }
        for _ in range(count)
    ]


def encoded(*texts: str, missing: Missing = "unknown") -> tuple[Vocabulary, ExpressionTable]:
    """The vocabulary of texts, and their table."""
    given = read_expressions(dict(enumerate(texts)), schema=None, limits=DEFAULT_LIMITS)
    assert not given.rejects
    return given.encode(missing, None)


def engine_of(
    kind: Any, *texts: str, missing: Missing = "unknown", sample: list[dict[str, Any]] | None = None, **options: Any
) -> Any:
    """An engine of a class, with the options of that class."""
    vocabulary, table = encoded(*texts, missing=missing)
    if sample is not None:
        options["sample"] = EventBatch.from_dicts(sample, vocabulary)
    return kind.build(table, vocabulary, **options)


def matches(engine: Any, event: Mapping[str, Any]) -> list[int]:
    """What an event matches; of an engine that has two ways, by both alike."""
    events = EventBatch.from_dicts([event], engine.vocabulary)
    found: list[int] = engine.match(events).tolist()
    if isinstance(engine, ListEngine):
        assert engine.match_by_tree(events).positions.tolist() == found
        assert engine.match_by_lists(events).positions.tolist() == found
    return found
