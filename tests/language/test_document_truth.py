"""What do quantified parts mean? The oracle over documents, on examples."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from eligo.errors import EligoError
from eligo.language.document_truth import Received
from eligo.language.evaluate import Missing, Truth, evaluate
from eligo.language.quantified import Joined, OfDocument, Quantified
from eligo.language.tree import And, Equals, Expression, Not

DOCUMENTS = ({"price": 10, "year": 2000, "author": "Smith"}, {"price": 25, "year": 1999})
EVENT = {"price": 30, "year": 2001, "author": "Smith"}
P1 = Quantified("exists", Joined("price", "<", "price"))
P2 = Quantified("forall", Joined("year", ">", "year"))
P3 = Quantified("exists", Joined("author", "=", "author"))


def test_example_5_of_tatbul() -> None:
    assert [evaluate(part, EVENT, documents=DOCUMENTS) for part in (P1, P2, P3)] == [False, True, True]


@pytest.mark.parametrize(
    ("part", "event", "missing", "expected"),
    [
        (P3, {"author": "Jones"}, "unknown", None),  # of the second document it is unknown
        (P3, {"author": "Jones"}, "false", False),
        (P3, {}, "unknown", None),
        (Quantified("forall", Joined("author", "=", "author")), {"author": "Smith"}, "unknown", None),
        (Quantified("forall", Joined("author", "=", "author")), {"author": "Jones"}, "unknown", False),
        (Quantified("forall", Joined("author", "!=", "author")), {"author": "Jones"}, "false", True),
        (Quantified("exists", Joined("price", "<", "price")), {"price": [20, 99]}, "unknown", True),
        (Quantified("exists", Joined("price", "<", "year")), {"price": 5}, "unknown", True),
        (Not(P1), EVENT, "unknown", True),
        (Quantified("exists", Joined("price", "<", "price"), 1), {"price": 5}, "unknown", True),
        (Quantified("exists", Joined("author", "=", "author"), 1), {"author": "Smith"}, "false", False),
        (And((Equals("price", 30), P2)), EVENT, "unknown", True),
        (
            Quantified("exists", And((Joined("price", ">", "price"), OfDocument(Equals("year", 1999))))),
            EVENT,
            "unknown",
            True,
        ),
    ],
)
def test_parts(part: Expression, event: dict[str, object], missing: Missing, expected: Truth) -> None:
    assert evaluate(part, event, missing, documents=DOCUMENTS) is expected


def test_over_no_documents_exists_is_false_and_forall_true() -> None:
    assert evaluate(P1, EVENT, documents=()) is False
    assert evaluate(P2, {}, documents=()) is True


def test_without_documents_the_question_is_refused() -> None:
    with pytest.raises(EligoError, match="depends on documents"):
        evaluate(P1, EVENT)


def test_the_last_so_much_time() -> None:
    now = datetime(2026, 11, 16, tzinfo=UTC)
    documents = [Received({"price": price}, now - timedelta(days=age)) for price, age in ((9, 30), (5, 7), (3, 1))]
    cheaper = Quantified("forall", Joined("price", "<", "price"), timedelta(days=7))
    assert evaluate(cheaper, {"price": 2}, documents=documents, at=now) is True
    assert evaluate(cheaper, {"price": 4}, documents=documents, at=now) is False
    assert evaluate(cheaper, {"price": 4}, documents=documents, at=now - timedelta(days=2)) is False
    with pytest.raises(EligoError, match="documents with times"):
        evaluate(cheaper, {"price": 2}, documents=DOCUMENTS)


def test_a_part_is_a_leaf_with_its_text_for_a_name() -> None:
    assert P1.attribute == "@exists d (price < d.price)"
    assert P1.depth == 2
    assert (Quantified("exists", Joined("price", "<", "price")) & P2) == (P1 & P2)
    assert Quantified("exists", Joined("price", "<", "price"), 3) != P1


def test_what_is_no_part_is_refused() -> None:
    for body in (Equals("price", 3), And((P1, Joined("a", "=", "a")))):
        with pytest.raises(EligoError):
            Quantified("exists", body)
    for last in (0, True, "7 days", timedelta(0)):
        with pytest.raises(EligoError):
            Quantified("exists", Joined("a", "=", "a"), last)  # type: ignore[arg-type]
