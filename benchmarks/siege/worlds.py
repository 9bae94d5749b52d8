"""Which expressions and events does the siege compare? Worlds: seeded, with every operator and every kind of value.

    world 17     160 predicates on 6 attributes   ──▶  400 trees of them      300 events
                 numbers around 2^53, paths, month ends, equal instants in two zones, empty sets, repeated members

Predicates are shared among the trees of a world, as they are among rules, so that their truth can be asked of the
oracle once an event.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from eligo.language import tree as nodes
from eligo.language.tree import Expression, Predicate

Values = tuple[Any, ...]

NUMBERS: Values = (*range(-2, 8), -0.5, 0.5, 2.5, 2**53, 2**53 + 1, float(2**53), 2**63 - 1, -(2**63), 1e300, 5e-324)
STRINGS: Values = ("", "x", "x/", "x/y", "x/y/z", "x/yy", "xy", "/x", "é", "\uffff", "\U00010000", "2024", "2024/01")
DATES: Values = tuple(date(2023, 12, 30) + timedelta(days=days) for days in (0, 1, 2, 3, 33, 34, 62))
MOMENTS: Values = tuple(
    datetime(2023, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC) + timedelta(microseconds=more)
    for more in (0, 1, 2, 86_400_000_000, 2_678_400_000_000)
)
BOOLS: Values = (True, False)
KINDS: tuple[Values, ...] = (NUMBERS, STRINGS, DATES, MOMENTS, BOOLS)
ORDERED = KINDS[:4]
ATTRIBUTES = ("n", "s", "d", "t", "b", "x.y")
"""The first five mostly have the values of one kind; the last has all."""
NODES = ("", "x", "x/", "x/y", "y", "2023", "2024", "2024/01", "2024-02", "2024/13")
PREFIXES = ("", "x", "x/", "xy", "2024", "é", "\U00010000", "z")
ONLY_IN_EVENTS: Values = (
    None,
    float("nan"),
    float("inf"),
    float("-inf"),
    -0.0,
    datetime(2024, 1, 1),
    datetime(2024, 1, 1, 1, tzinfo=timezone(timedelta(hours=1))),
)
WEIGHTS = (1.0, 1.0, 1.0, 0.0, 0.1, 0.2, 0.3, 1 / 3, 2.5, 1e-9, 1e6)
CONNECTIVES = (nodes.And, nodes.And, nodes.Or, nodes.Or, nodes.Xor, nodes.Xnor)


@dataclass(frozen=True)
class World:
    """Expressions, and events to ask them with."""

    seed: int
    trees: list[Expression]
    events: list[dict[str, Any]]
    weights: dict[str, Any]
    """Of the events, for ranking."""


def make_world(seed: int, num_trees: int, num_events: int, num_predicates: int = 160) -> World:
    """The world of a seed."""
    rng = random.Random(f"world {seed}")
    predicates = [_predicate(rng) for _ in range(num_predicates)]
    trees = [_tree(rng, predicates) for _ in range(num_trees)]
    events = [_event(rng) for _ in range(num_events)]
    weights = {name: rng.choice(WEIGHTS) for name in ATTRIBUTES if rng.random() < 0.5}
    return World(seed, trees, events, weights)


def _home(rng: random.Random, attribute: str) -> Values:
    place = ATTRIBUTES.index(attribute)
    return rng.choice(KINDS) if place >= len(KINDS) or rng.random() < 0.1 else KINDS[place]


def _predicate(rng: random.Random) -> Predicate:
    attribute = rng.choice(ATTRIBUTES)
    home = _home(rng, attribute)
    make = rng.choice(PREDICATES if home in ORDERED else UNORDERED)
    return make(rng, attribute, home)


def _members(rng: random.Random, home: Values) -> Values:
    return tuple(rng.choice(home) for _ in range(rng.choice((0, 1, 2, 2, 3, 5))))


def _of_value(kind: Callable[..., Predicate], *, weighted: bool) -> Callable[..., Predicate]:
    def make(rng: random.Random, attribute: str, home: Values) -> Predicate:
        more = (rng.choice(WEIGHTS),) if weighted else ()
        return kind(attribute, rng.choice(home), *more)

    return make


def _of_members(kind: Callable[..., Predicate], *, weighted: bool) -> Callable[..., Predicate]:
    def make(rng: random.Random, attribute: str, home: Values) -> Predicate:
        members = _members(rng, home)
        more = (tuple(rng.choice(WEIGHTS) for _ in members),) if weighted else ()
        return kind(attribute, members, *more)

    return make


def _of_bounds(kind: Callable[..., Predicate], *, weighted: bool) -> Callable[..., Predicate]:
    def make(rng: random.Random, attribute: str, home: Values) -> Predicate:
        more = (rng.choice(WEIGHTS),) if weighted else ()
        return kind(attribute, rng.choice(home), rng.choice(home), *more)

    return make


def _of_text(kind: Callable[..., Predicate], texts: Sequence[str]) -> Callable[..., Predicate]:
    return lambda rng, attribute, home: kind(attribute, rng.choice(texts), rng.choice(WEIGHTS))


def _of_nodes(rng: random.Random, attribute: str, home: Values) -> Predicate:
    chosen = [rng.choice(NODES) for _ in range(rng.randrange(5))]
    return nodes.Under(attribute, chosen, [rng.choice(WEIGHTS) for _ in chosen])


def _alone(kind: Callable[..., Predicate]) -> Callable[..., Predicate]:
    return lambda rng, attribute, home: kind(attribute)


UNORDERED: tuple[Callable[..., Predicate], ...] = (
    _of_value(nodes.Equals, weighted=True),
    _of_value(nodes.NotEquals, weighted=False),
    _of_members(nodes.In, weighted=True),
    _of_members(nodes.ContainsAll, weighted=True),
    *(_of_members(kind, weighted=False) for kind in (nodes.NotIn, nodes.WeakNotIn, nodes.StrongNotIn)),
    *(_alone(kind) for kind in (nodes.Exists, nodes.IsMissing, nodes.IsTrue)),
)
PREDICATES: tuple[Callable[..., Predicate], ...] = (
    *UNORDERED,
    *(_of_value(kind, weighted=True) for kind in (nodes.Less, nodes.LessOrEqual, nodes.Greater, nodes.GreaterOrEqual)),
    _of_bounds(nodes.Between, weighted=True),
    _of_bounds(nodes.NotBetween, weighted=False),
    _of_text(nodes.StartsWith, PREFIXES),
    _of_text(nodes.Under, NODES),
    _of_nodes,
)


def _tree(rng: random.Random, predicates: Sequence[Predicate]) -> Expression:
    """A tree of up to a dozen leaves; one in fifty is a spine of a hundred levels."""
    if rng.random() < 0.02:
        tree: Expression = rng.choice(predicates)
        for _ in range(100):
            tree = nodes.Not(tree) if rng.random() < 0.3 else rng.choice(CONNECTIVES)((tree, rng.choice(predicates)))
        return tree
    return _subtree(rng, predicates, rng.choice((0, 1, 1, 2, 2, 3)))


def _subtree(rng: random.Random, predicates: Sequence[Predicate], depth: int) -> Expression:
    if depth == 0:
        leaf: Expression = nodes.Constant(rng.random() < 0.5) if rng.random() < 0.02 else rng.choice(predicates)
        return nodes.Not(leaf) if rng.random() < 0.2 else leaf
    children = tuple(_subtree(rng, predicates, rng.randrange(depth)) for _ in range(rng.choice((2, 2, 3))))
    joined = rng.choice(CONNECTIVES)(children)
    return nodes.Not(joined) if rng.random() < 0.1 else joined


def _event(rng: random.Random) -> dict[str, Any]:
    event: dict[str, Any] = {}
    for name in ATTRIBUTES:
        shape = rng.random()
        if shape < 0.2:
            continue
        event[name] = (
            _event_value(rng, name) if shape < 0.75 else [_event_value(rng, name) for _ in range(rng.randrange(5))]
        )
    return event


def _event_value(rng: random.Random, attribute: str) -> Any:
    return rng.choice(ONLY_IN_EVENTS if rng.random() < 0.08 else _home(rng, attribute))
