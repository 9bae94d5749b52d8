"""Is a part decided over segments as it is by going through the documents one by one?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from eligo.data.schema.hierarchy import Hierarchy
from eligo.errors import EligoError
from eligo.joins.decide import Decider
from eligo.joins.document_base import DocumentBase
from eligo.joins.segment import Segment, Snapshot
from eligo.language.document_truth import Numbered, in_scope, numbered_documents, part_truth
from eligo.language.evaluate import Hierarchies, Missing, Truth
from eligo.language.quantified import COMPARISONS, Joined, OfDocument, Quantified
from eligo.language.tree import (
    And,
    ContainsAll,
    Equals,
    Exists,
    Expression,
    Greater,
    In,
    Less,
    Not,
    Or,
    Under,
    Xnor,
    Xor,
)
from eligo.language.value import Scalar, event_attributes

NOW = datetime(2026, 11, 16, tzinfo=UTC)
ATTRIBUTES = ("a", "b", "c")
TRUTHS = {1: True, 0: False, -1: None}
TAXONOMY = Hierarchy.from_paths(["x/y/z", "x/yy", "xy/xyz"])


def parts(max_leaves: int = 6) -> st.SearchStrategy[Quantified]:
    """Parts with any tree for a body, and any scope."""
    joined = st.builds(Joined, st.sampled_from(ATTRIBUTES), st.sampled_from(COMPARISONS), st.sampled_from(ATTRIBUTES))
    of_document = st.builds(OfDocument, strategies.predicates(ATTRIBUTES))
    leaves = st.one_of(joined, joined, of_document, strategies.predicates(ATTRIBUTES), strategies.constants())

    def level(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        several = st.lists(below, min_size=2, max_size=4).map(tuple)
        return st.one_of(st.builds(Not, below), *(st.builds(kind, several) for kind in (And, And, Or, Xor, Xnor)))

    scopes = st.one_of(
        st.none(), st.none(), st.integers(1, 6), st.integers(1, 10).map(lambda days: timedelta(days=days))
    )
    bodies = st.recursive(leaves, level, max_leaves=max_leaves).map(_about_documents)
    return st.builds(Quantified, st.sampled_from(("exists", "forall")), bodies, scopes)


def _about_documents(body: Expression) -> Expression:
    try:
        Quantified("exists", body)
    except EligoError:
        return And((body, Joined("a", "<=", "b")))
    return body


Change = tuple[dict[str, Any], timedelta] | int
"""A document with its age, or the place of one that is removed among those that are there."""


def changes() -> st.SearchStrategy[list[Change]]:
    """Documents that come with an age, not always in the order of time, and go."""
    coming = st.tuples(strategies.events(ATTRIBUTES), st.integers(0, 12).map(lambda days: timedelta(days=days)))
    return st.lists(st.one_of(coming, coming, coming, st.integers(0, 8)), max_size=12)


def expected(
    part: Quantified, event: Mapping[str, Any], base: DocumentBase, missing: Missing, hierarchies: Hierarchies | None
) -> Truth:
    documents = documents_in_scope(numbered_documents(base, part), part)
    return part_truth(part, event_attributes(event), documents, missing, hierarchies)


def documents_in_scope(documents: list[Numbered], part: Quantified) -> list[dict[str, tuple[Scalar, ...]]]:
    return [event_attributes(each.document) for each in in_scope(documents, part.last, NOW)]


def answers(decider: Decider, event: Mapping[str, Any], snapshot: Snapshot) -> list[Truth]:
    return [TRUTHS[answer] for answer in decider.decide(event_attributes(event), snapshot, at=NOW).tolist()]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(parts(), min_size=1, max_size=4),
    st.lists(st.tuples(changes(), strategies.events(ATTRIBUTES)), min_size=1, max_size=3),
    strategies.policies(),
    st.sampled_from([None, {"b": TAXONOMY}]),
)
def test_decided_as_by_loops(
    asked: list[Quantified],
    questions: list[tuple[list[Change], dict[str, Any]]],
    missing: Missing,
    hierarchies: Hierarchies | None,
) -> None:
    decider = Decider(asked, missing, hierarchies)
    base = DocumentBase()
    for coming, event in questions:
        for change in coming:
            if not isinstance(change, int):
                base.add(change[0], NOW - change[1])
            elif len(base):
                base.remove(list(base)[change % len(base)])
        snapshot = base.snapshot()
        wanted = [expected(part, event, base, missing, hierarchies) for part in asked]
        assert answers(decider, event, snapshot) == wanted
        backwards = np.arange(len(asked), dtype=np.int32)[::-1]
        found = decider.decide(event_attributes(event), snapshot, at=NOW, which=backwards).tolist()
        assert [TRUTHS[answer] for answer in found] == wanted[::-1]
        check_documents(decider, event, base, missing, hierarchies)


def check_documents(
    decider: Decider, event: Mapping[str, Any], base: DocumentBase, missing: Missing, hierarchies: Hierarchies | None
) -> None:
    """Compare the documents that satisfy each part's body, and the one that decided, with what loops find."""
    attributes, snapshot = event_attributes(event), base.snapshot()
    for number, part in enumerate(decider.parts):
        numbers = snapshot.in_scope(part.last, NOW).numbers().tolist()
        some = Quantified("exists", part.body)
        truths = [part_truth(some, attributes, [base.document(each)], missing, hierarchies) for each in numbers]
        satisfying = [each for each, truth in zip(numbers, truths, strict=True) if truth is True]
        assert decider.documents(number, attributes, snapshot, at=NOW).tolist() == satisfying
        wanted = [False, None] if part.is_universal else [True]
        deciding = (each for truth in wanted for each, found in zip(numbers, truths, strict=True) if found is truth)
        assert decider.witness(number, attributes, snapshot, at=NOW) == next(deciding, None)


P1 = Quantified("exists", Joined("price", "<", "price"))
P2 = Quantified("forall", Joined("year", ">", "year"))
P3 = Quantified("exists", Joined("author", "=", "author"))


def test_example_5_of_tatbul() -> None:
    base = DocumentBase()
    base.add({"price": 10, "year": 2000, "author": "Smith"})
    base.add({"price": 25, "year": 1999})
    event = event_attributes({"price": 30, "year": 2001, "author": "Smith"})
    decider, snapshot = Decider([P1, P2, P3], "unknown"), base.snapshot()
    vectors = [decider.documents(part, event, snapshot, at=NOW) for part in range(3)]
    assert ["".join(str(int(number in found)) for number in range(2)) for found in vectors] == ["00", "11", "10"]
    assert decider.decide(event, snapshot, at=NOW).tolist() == [0, 1, 1]
    assert [decider.witness(part, event, snapshot, at=NOW) for part in range(3)] == [None, None, 0]


def against(number: int) -> dict[str, Any]:
    """A document of a set in which what is high in `up` is low in `down`."""
    found: dict[str, Any] = {"up": number, "down": 1000 - number, "half": number % 2, "tag": f"t{number % 7}"}
    if number % 5:
        found["some"] = number / 2
    if number % 11 == 0:
        found["many"] = [number, f"t{number % 3}", number % 4 == 0]
    return found


def crossing_parts() -> list[Quantified]:
    """Parts whose literals fit many documents each, and together few, one or none."""
    up, down = Joined("up", "<", "up"), Joined("down", "<=", "down")
    leaves: list[Expression] = [
        *(up, down, Joined("up", ">=", "up"), Joined("some", "<", "some"), Joined("many", "=", "many")),
        *(OfDocument(Equals("half", 1)), OfDocument(Greater("up", 150)), OfDocument(Less("some", 70.5))),
        *(OfDocument(In("tag", ("t1", "t3", "t6"))), OfDocument(Exists("many")), OfDocument(Under("tag", "t2"))),
        *(OfDocument(ContainsAll("many", ("t1", False))), Joined("many", "!=", "many"), Equals("tag", "t3")),
    ]
    bodies: list[Expression] = []
    for first, leaf in enumerate(leaves):
        for other in leaves[first + 1 :]:
            bodies += [And((leaf, other)), And((Not(leaf), other, up)), Or((leaf, Not(other)))]
    bodies += [And((up, down, leaf)) for leaf in leaves[2:]]
    bodies += [Or(tuple(And((Xor((leaf, other)), up)) for other in leaves[:9] if other != leaf)) for leaf in leaves[:4]]
    chosen = [body for body in bodies if any(isinstance(node, Joined | OfDocument) for node in _leaves(body))]
    scopes: Sequence[int | timedelta | None] = (None, None, 100, timedelta(days=3))
    return [
        Quantified(("exists", "forall")[place % 3 == 2], body, scopes[place % len(scopes)])
        for place, body in enumerate(chosen[::5])
    ]


def _leaves(body: Expression) -> list[Expression]:
    found, pending = [], [body]
    while pending:
        node = pending.pop()
        found += [] if node.children else [node]
        pending += node.children
    return found


CROSSING_EVENTS: tuple[dict[str, Any], ...] = (
    {"up": 150, "down": 850, "some": 30, "many": [11, "t1"], "tag": "t3"},
    {"up": 299, "down": 0, "some": [1.5, 200], "many": True},
    {"down": 700.5, "tag": "t1"},
)


def crossing_base(with_dead: bool) -> DocumentBase:
    base = DocumentBase()
    times = [NOW - timedelta(hours=(7 * number) % 200) for number in range(300)]
    base.add_batch([against(number) for number in range(300)], times=times)
    if with_dead:
        base.remove([number for number in range(300) if number % 9 in (0, 4)])
    return base


@cache
def crossing_truths(missing: Missing, with_dead: bool) -> list[list[Truth]]:
    """For each event: what loops find for each part."""
    documents = numbered_documents(crossing_base(with_dead), P1)
    asked = [(part, documents_in_scope(documents, part)) for part in crossing_parts()]
    return [
        [part_truth(part, event_attributes(event), in_its_scope, missing) for part, in_its_scope in asked]
        for event in CROSSING_EVENTS
    ]


@pytest.mark.parametrize("missing", ["unknown", "false"])
@pytest.mark.parametrize("with_dead", [False, True])
@pytest.mark.parametrize("room", ["as it is", "bit vectors at once", "no room for bit vectors"])
def test_walked_or_by_bit_vectors(
    missing: Missing, with_dead: bool, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if room == "bit vectors at once":
        monkeypatch.setattr("eligo.joins.ordered_column.FEWEST_FOR_CHECKPOINTS", 0)
        monkeypatch.setattr("eligo.joins.segment_questions.FEWEST_FOR_WORDS", 0)
    if room == "no room for bit vectors":
        monkeypatch.setattr("eligo.joins.decide_scratch.MOST_WORDS", 0)
    base = crossing_base(with_dead)
    decider = Decider(crossing_parts(), missing)
    for event, wanted in zip(CROSSING_EVENTS, crossing_truths(missing, with_dead), strict=True):
        assert answers(decider, event, base.snapshot()) == wanted


def test_a_simple_part_takes_one_search() -> None:
    base = DocumentBase()
    base.add_batch({"price": np.arange(100_000)})
    decider = Decider([P1, Quantified("forall", Joined("price", ">=", "price"))], "unknown")
    event = event_attributes({"price": 70_000})
    decider.decide(event, base.snapshot(), at=NOW)
    assert decider.evaluations <= np.ceil(np.log2(100_000))


def test_a_conjunction_takes_no_more_than_bit_vectors_would() -> None:
    """Half of the documents fit each comparison, and none fits both."""
    base = DocumentBase()
    base.add_batch({"up": np.arange(100_000), "down": -np.arange(100_000)})
    both = Quantified("exists", And((Joined("up", "<", "up"), Joined("down", "<", "down"))))
    decider = Decider([both], "unknown")
    assert decider.decide(event_attributes({"up": 50_000, "down": -50_000}), base.snapshot(), at=NOW).tolist() == [0]
    assert decider.evaluations < 1_000


def test_each_question_is_asked_once() -> None:
    cheaper, newer = Joined("price", "<", "price"), Joined("year", ">", "year")
    decider = Decider(
        [
            Quantified("exists", And((cheaper, newer))),
            Quantified("exists", And((newer, cheaper))),
            Quantified("exists", Or((cheaper, And((newer, cheaper))))),
            Quantified("forall", Not(And((cheaper, newer)))),
            Quantified("exists", cheaper),
            Quantified("exists", cheaper, 10),
        ],
        "unknown",
    )
    assert decider.num_questions == 3


def test_over_no_documents() -> None:
    decider = Decider([P1, P2], "unknown")
    assert decider.decide({}, DocumentBase().snapshot(), at=NOW).tolist() == [0, 1]
    nothing = Snapshot([(Segment.of([], [], []), None)], 0)
    assert decider.decide({}, nothing, at=NOW).tolist() == [0, 1]
    base = DocumentBase()
    base.add({"price": 1})
    base.remove(0)
    assert decider.decide({}, base.snapshot(), at=NOW).tolist() == [0, 1]


def test_no_parts_at_all() -> None:
    base = DocumentBase()
    base.add({"price": 1})
    assert Decider([], "unknown").decide({"price": (1,)}, base.snapshot(), at=NOW).tolist() == []


def test_what_is_no_part_or_policy_is_refused() -> None:
    with pytest.raises(EligoError, match="no part 3"):
        Decider([P1, P2, P3], "unknown").witness(3, {}, DocumentBase().snapshot(), at=NOW)
    with pytest.raises(EligoError, match="policy"):
        Decider([P1], "maybe")  # type: ignore[arg-type]


def test_what_is_kept_goes_with_the_segment() -> None:
    decider = Decider([P1], "unknown")
    for number in range(3):
        base = DocumentBase()
        base.add({"price": number})
        decider.decide({"price": (1,)}, base.snapshot(), at=NOW)
        assert decider.num_segments == 1
