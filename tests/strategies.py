"""Which expressions and events do property tests run on? Hypothesis strategies shared by all tests.

Two worlds. The small one (`scalars`, `predicates`, `expressions`, `events`, …) has five attributes and few values of
every kind, chosen so that predicates really hit and so that the known traps are among them: 2^53 beside 2^53+1, path
separators, month ends, equal instants in two time zones. The wide one (`any_…`) has arbitrary Unicode names and
values, for round trips through text and JSON.

Weights are such that floats would add up to something else in another order: a score must not depend on that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any, TypeVar

from hypothesis import strategies as st

from eligo.kernels.score_units import MOST_WEIGHT
from eligo.language.document_truth import Received
from eligo.language.quantified import COMPARISONS, QUANTIFIERS, Joined, OfDocument, Quantified
from eligo.language.tree import (
    And,
    Between,
    Constant,
    ContainsAll,
    Equals,
    Exists,
    Expression,
    Greater,
    GreaterOrEqual,
    In,
    IsMissing,
    IsTrue,
    Less,
    LessOrEqual,
    Not,
    NotBetween,
    NotEquals,
    NotIn,
    Or,
    Predicate,
    StartsWith,
    StrongNotIn,
    Under,
    WeakNotIn,
    Xnor,
    Xor,
)
from eligo.language.value import INT64_MAX, INT64_MIN, Scalar, canonical_value, kind_of

ATTRIBUTES = ("a", "b", "c", "d", "e")

NUMBERS: tuple[int | float, ...] = (
    *range(-3, 7),
    *(-2.5, -0.5, 0.5, 1.5, 2.5, 5.5),
    *(2**53 - 1, 2**53, 2**53 + 1, float(2**53), float(2**53 + 2), -(2**53) - 1),
    *(INT64_MAX, INT64_MAX - 1, INT64_MIN, float(2**63), 1e300, -1e300, 5e-324),
)
PATHS = ("x", "x/", "x/y", "x/y/z", "x/yy", "/x")
STRINGS = ("", "xy", "xyz", "y", "2024", "2024/01", "é", "\uffff", "\U00010000", *PATHS)
DATES = tuple(date(2023, 12, 29) + timedelta(days=offset) for offset in (0, 1, 2, 3, 4, 33, 34, 35, 64))
TIMESTAMPS = (
    datetime(2023, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime(2024, 1, 1, tzinfo=UTC),
    datetime(2024, 1, 1, 0, 0, 0, 1, tzinfo=UTC),
    datetime(2024, 1, 31, 10, 30, tzinfo=UTC),
    datetime(2024, 1, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime(2024, 2, 1, tzinfo=UTC),
)
EVENT_ONLY: tuple[Any, ...] = (
    float("inf"),
    float("-inf"),
    datetime(2024, 1, 31, 10, 30),
    datetime(2024, 1, 31, 11, 30, tzinfo=timezone(timedelta(hours=1))),
)
"""What an event may hold and an operand may not, or not in this form."""
NOTHING = (None, float("nan")) * 4
"""What stands for no value in an event."""
SCALARS: tuple[Scalar, ...] = (*range(4), True, False, *NUMBERS, *STRINGS, *DATES, *TIMESTAMPS)
HOMES: tuple[tuple[Scalar, ...], ...] = (
    (*(0, 1, 2, 3) * 5, *NUMBERS),
    (*("x", "x/y", "xy") * 3, *STRINGS),
    DATES,
    TIMESTAMPS,
    (True, False, 1, "x"),
)
"""What the first, second, … attribute mostly has, so that predicates and events often meet."""
DATE_NODES = ("2023", "2024", "2024/01", "2024-01", "2024/01/31", "2024-02-01", "2024/13")
NODES = ("", "x", "x/", "x/y", "x/y/z", "y", *DATE_NODES)
PREFIXES = ("", "x", "xy", "x/", "x/y", "2024", "é", "\U00010000", "z")
POLICIES = ("unknown", "false")


Drawn = TypeVar("Drawn")


def _named(name: str, strategy: st.SearchStrategy[Drawn]) -> st.SearchStrategy[Drawn]:
    """The same strategy with its name for a repr.

    Hypothesis keeps the reprs of strategies with every example that had to draw again, and those of a state machine's
    rules with it: with all values written out, a thousand sequences of updates took gigabytes.
    """

    def drawn(draw: st.DrawFn) -> Drawn:
        return draw(strategy)

    drawn.__name__ = name
    return st.composite(drawn)()


def policies() -> st.SearchStrategy[Any]:
    """The two policies for a missing attribute."""
    return st.sampled_from(POLICIES)


WEIGHTS = (0.0, 0.1, 0.2, 0.3, 1 / 3, 0.5, 0.7, 1.5, 2.0, 3.0, 10.0, 1e-9, 4e-10, 1e6 + 0.1, 1e9)
"""Most are no binary fractions, and sums of them depend on the order wherever they are added as floats."""


def weights() -> st.SearchStrategy[float]:
    """Weights of operands; half of them 1."""
    return st.one_of(st.just(1.0), st.sampled_from(WEIGHTS))


def attributes() -> st.SearchStrategy[str]:
    """The names of the small world."""
    return st.sampled_from(ATTRIBUTES)


def numbers() -> st.SearchStrategy[Any]:
    """Numbers of the small world, often from 0 to 3."""
    return st.sampled_from(HOMES[0])


def strings() -> st.SearchStrategy[Any]:
    """Strings of the small world."""
    return st.sampled_from(HOMES[1])


def dates() -> st.SearchStrategy[date]:
    """Dates of the small world."""
    return st.sampled_from(DATES)


def timestamps() -> st.SearchStrategy[datetime]:
    """Timestamps of the small world."""
    return st.sampled_from(TIMESTAMPS)


def ordered_kinds() -> tuple[st.SearchStrategy[Any], ...]:
    """One strategy for each kind of value that has an order."""
    return numbers(), strings(), dates(), timestamps()


def scalars() -> st.SearchStrategy[Scalar]:
    """Values of every kind that an expression may hold."""
    return st.sampled_from(SCALARS)


def _predicates(
    names: st.SearchStrategy[str],
    values: st.SearchStrategy[Scalar],
    ordered: Sequence[st.SearchStrategy[Any]],
    prefixes: st.SearchStrategy[str],
    nodes: st.SearchStrategy[str],
    weight: st.SearchStrategy[float],
    max_members: int,
) -> st.SearchStrategy[Predicate]:
    one_ordered = st.one_of(*ordered)
    bounds = st.one_of(*(st.tuples(kind, kind) for kind in ordered))
    members = st.lists(values, max_size=max_members).map(tuple)
    weighted_members = st.lists(st.tuples(values, weight), max_size=max_members)

    def ranged(kind: Callable[..., Predicate]) -> st.SearchStrategy[Predicate]:
        if kind is NotBetween:
            return st.builds(lambda name, ends: NotBetween(name, *ends), names, bounds)
        return st.builds(lambda name, ends, w: Between(name, *ends, w), names, bounds, weight)

    def weighted_set(kind: Callable[..., Predicate]) -> st.SearchStrategy[Predicate]:
        return st.builds(
            lambda name, pairs: kind(name, tuple(v for v, _ in pairs), tuple(w for _, w in pairs)),
            names,
            weighted_members,
        )

    return st.one_of(
        st.builds(Equals, names, values, weight),
        st.builds(NotEquals, names, values),
        *(st.builds(kind, names, one_ordered, weight) for kind in (Less, LessOrEqual, Greater, GreaterOrEqual)),
        ranged(Between),
        ranged(NotBetween),
        weighted_set(In),
        weighted_set(ContainsAll),
        *(st.builds(kind, names, members) for kind in (NotIn, WeakNotIn, StrongNotIn)),
        st.builds(StartsWith, names, prefixes, weight),
        st.builds(Under, names, nodes, weight),
        st.builds(
            lambda name, pairs: Under(name, tuple(node for node, _ in pairs), tuple(w for _, w in pairs)),
            names,
            st.lists(st.tuples(nodes, weight), max_size=max_members),
        ),
        *(st.builds(kind, names) for kind in (Exists, IsMissing, IsTrue)),
    )


def predicates(attributes: Sequence[str] = ATTRIBUTES) -> st.SearchStrategy[Predicate]:
    """Every class of predicate, with and without weights, sets empty or with repeated members."""

    def on(name: str, home: Sequence[Scalar]) -> st.SearchStrategy[Predicate]:
        ordered = [value for value in home if not isinstance(value, bool)]
        is_one_kind = len({kind_of(canonical_value(value)) for value in ordered}) == 1
        return _predicates(
            st.just(name),
            st.sampled_from((*home, *home, *SCALARS)),
            (st.sampled_from(ordered), st.sampled_from(ordered), *ordered_kinds()) if is_one_kind else ordered_kinds(),
            st.sampled_from(PREFIXES),
            st.sampled_from(DATE_NODES if home in (DATES, TIMESTAMPS) else NODES),
            weights(),
            max_members=4,
        )

    of_each = (on(name, HOMES[index % len(HOMES)]) for index, name in enumerate(attributes))
    return _named("predicates", st.one_of(*of_each))


def constants() -> st.SearchStrategy[Expression]:
    """`true` and `false`."""
    return st.builds(Constant, st.booleans())


def _trees(leaves: st.SearchStrategy[Any], max_leaves: int) -> st.SearchStrategy[Expression]:
    def level(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        several = st.lists(below, min_size=2, max_size=4).map(tuple)
        return st.one_of(st.builds(Not, below), *(st.builds(kind, several) for kind in (And, Or, Xor, Xnor)))

    return st.recursive(leaves, level, max_leaves=max_leaves)


def expressions(max_leaves: int = 8, attributes: Sequence[str] = ATTRIBUTES) -> st.SearchStrategy[Expression]:
    """Trees of the small world: every connective, constants, and every class of predicate."""
    return _trees(st.one_of(predicates(attributes), constants()), max_leaves)


def range_expressions(max_leaves: int = 8) -> st.SearchStrategy[Expression]:
    """Trees of ranges on one attribute: side by side, nested, overlapping, open on one side, empty and negated."""
    ends, weight = st.sampled_from(NUMBERS[:16]), weights()
    two_ends = (st.builds(Between, st.just("a"), ends, ends, weight), st.builds(NotBetween, st.just("a"), ends, ends))
    one_end = (st.builds(kind, st.just("a"), ends, weight) for kind in (Less, LessOrEqual, Greater, GreaterOrEqual))
    return _trees(st.one_of(*two_ends, *one_end), max_leaves)


def deep_expressions(max_depth: int = 300, attributes: Sequence[str] = ATTRIBUTES) -> st.SearchStrategy[Expression]:
    """Trees up to `max_depth` deep: a spine of connectives with a leaf hanging off each."""

    def grow(leaves: list[Predicate], steps: list[type[Any]], depth: int) -> Expression:
        tree: Expression = leaves[0]
        for level in range(1, depth):
            kind, leaf = steps[level % len(steps)], leaves[level % len(leaves)]
            tree = Not(tree) if kind is Not else kind((tree, leaf) if level % 2 else (leaf, tree))
        return tree

    leaves = st.lists(predicates(attributes), min_size=1, max_size=3)
    steps = st.lists(st.sampled_from((Not, And, Or, Xor, Xnor)), min_size=1, max_size=5)
    return st.builds(grow, leaves, steps, st.integers(1, max_depth))


def event_scalars() -> st.SearchStrategy[Any]:
    """Values as an event gives them, so also infinities, naive timestamps and other time zones."""
    return st.sampled_from((*SCALARS, *EVENT_ONLY))


def events(attributes: Sequence[str] = ATTRIBUTES, *, several: bool = True) -> st.SearchStrategy[dict[str, Any]]:
    """Events: each attribute absent, null, NaN, an empty list, one value, or (`several`) a list of mixed kinds."""

    def of(home: Sequence[Scalar]) -> st.SearchStrategy[Any]:
        value = st.sampled_from((*home * (1 + 60 // len(home)), *SCALARS, *EVENT_ONLY, *NOTHING))
        return st.one_of(value, st.lists(value, max_size=4)) if several else value

    values = {name: of(HOMES[index % len(HOMES)]) for index, name in enumerate(attributes)}
    some = st.builds(
        lambda event, absent: {name: event[name] for name in event if name not in absent},
        st.fixed_dictionaries(values),
        st.sets(st.sampled_from(tuple(attributes)), max_size=1),
    )
    return _named("events", some)


def event_weights(attributes: Sequence[str] = ATTRIBUTES) -> st.SearchStrategy[dict[str, Any]]:
    """Weights of an event: for an attribute one number, or one for each of some values."""
    of_values = st.dictionaries(scalars(), weights(), max_size=3)
    some = st.dictionaries(st.sampled_from(tuple(attributes)), st.one_of(weights(), of_values), max_size=3)
    return _named("event_weights", some)


def any_attributes() -> st.SearchStrategy[str]:
    """Names with any characters, and those that look like keywords or need quotes."""
    awkward = ("and", "NOT", "missing", "null", "a.b", ".a", "a b", 'say "x"', "1a", "é", "--", "weak", "date", "_")
    return st.one_of(attributes(), st.sampled_from(awkward), st.text(min_size=1, max_size=12))


def any_ordered_kinds() -> tuple[st.SearchStrategy[Any], ...]:
    """One strategy for each kind of value that has an order, over its whole range."""
    any_number = st.one_of(
        st.integers(INT64_MIN, INT64_MAX), st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(NUMBERS)
    )
    any_string = st.one_of(st.text(max_size=12), st.sampled_from(("it's", '"', "--", "\\", "\n", "\0")))
    return any_number, any_string, st.dates(), st.datetimes()


def any_scalars() -> st.SearchStrategy[Scalar]:
    """Any value that an expression may hold."""
    return st.one_of(st.booleans(), *any_ordered_kinds())


def any_weights() -> st.SearchStrategy[float]:
    """Any weight."""
    return st.one_of(weights(), st.floats(min_value=0, max_value=MOST_WEIGHT))


def any_predicates() -> st.SearchStrategy[Predicate]:
    """Every class of predicate over arbitrary names and values."""
    text = st.text(max_size=12)
    return _predicates(any_attributes(), any_scalars(), any_ordered_kinds(), text, text, any_weights(), max_members=4)


def any_expressions(max_leaves: int = 8) -> st.SearchStrategy[Expression]:
    """Trees over arbitrary names and values."""
    return _trees(st.one_of(any_predicates(), constants()), max_leaves)


def joins(attributes: Sequence[str] = ATTRIBUTES) -> st.SearchStrategy[Joined]:
    """Comparisons of an event with a document, mostly of one attribute with itself."""
    names = st.sampled_from(tuple(attributes))
    sign = st.sampled_from(COMPARISONS)
    same = st.builds(lambda name, comparison: Joined(name, comparison, name), names, sign)
    return st.one_of(same, same, st.builds(Joined, names, sign, names))


def _parts(
    predicate: st.SearchStrategy[Predicate], join: st.SearchStrategy[Joined], max_leaves: int
) -> st.SearchStrategy[Quantified]:
    of_document = predicate.map(OfDocument)
    about_document = st.one_of(join, of_document)
    body = _trees(st.one_of(about_document, join, predicate, constants()), max_leaves)
    whole = st.builds(
        lambda leaf, rest, kind: kind((leaf, rest)), about_document, body, st.sampled_from((And, Or, Xor))
    )
    count = st.one_of(st.integers(1, 4), st.just(INT64_MAX))
    time = st.one_of(st.integers(1, 4).map(lambda days: timedelta(days=days)), st.just(timedelta(1, 7261, 1)))
    return st.builds(
        Quantified, st.sampled_from(QUANTIFIERS), st.one_of(about_document, whole), st.one_of(st.none(), count, time)
    )


def quantified_parts(max_leaves: int = 3, attributes: Sequence[str] = ATTRIBUTES) -> st.SearchStrategy[Quantified]:
    """Quantified parts of the small world: comparisons, predicates on the document, predicates on the event."""
    return _named("quantified_parts", _parts(predicates(attributes), joins(attributes), max_leaves))


def expressions_with_parts(
    max_leaves: int = 6, attributes: Sequence[str] = ATTRIBUTES
) -> st.SearchStrategy[Expression]:
    """Trees of the small world with quantified parts anywhere."""
    part = quantified_parts(attributes=attributes)
    return _trees(st.one_of(part, part, predicates(attributes), constants()), max_leaves)


def documents(attributes: Sequence[str] = ATTRIBUTES, max_size: int = 5) -> st.SearchStrategy[list[Received]]:
    """Documents in the order in which they came, hours and days before the start of 2025."""
    times = st.integers(0, 120).map(lambda hours: datetime(2025, 1, 1, tzinfo=UTC) - timedelta(hours=hours))
    return _named("documents", st.lists(st.builds(Received, events(attributes), times), max_size=max_size))


def any_quantified_parts(max_leaves: int = 3) -> st.SearchStrategy[Quantified]:
    """Quantified parts over arbitrary names and values."""
    names = st.one_of(any_attributes(), st.sampled_from(("d", "d.a", "D.a", "forall", "last", "date")))
    join = st.builds(Joined, names, st.sampled_from(COMPARISONS), names)
    return _named("any_quantified_parts", _parts(any_predicates(), join, max_leaves))


def any_expressions_with_parts(max_leaves: int = 6) -> st.SearchStrategy[Expression]:
    """Trees over arbitrary names and values with quantified parts anywhere."""
    leaves = st.one_of(any_quantified_parts(), _named("any_predicates", any_predicates()), constants())
    return _trees(leaves, max_leaves)
