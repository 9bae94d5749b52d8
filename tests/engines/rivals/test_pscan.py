"""Are only the expressions of the event's posting lists evaluated, and each once?"""

from __future__ import annotations

from typing import Any

from eligo.engines.rivals.pscan import Pscan
from engine_cases import engine_of, matches


def test_the_expressions_of_figure_7() -> None:
    """The paper's c1 to c6 and its event, which satisfies c3, c4 and c5."""
    engine = engine_of(
        Pscan,
        "(A = 1 or B = 1) and (C = 1 or D = 1)",
        "(A = 1 or C = 2) and (B = 1 or D = 1)",
        "(A = 1 or B = 1) and (C = 2 or D = 1)",
        "(A = 1 or B = 1) and (A in (1, 2) or D = 1)",
        "(A = 1 or B = 1) and (C not in (1, 2) or D != 1 or E = 1)",
        "A != 1 or B = 1",
        missing="false",
    )
    assert matches(engine, {"A": 1, "C": 2}) == [2, 3, 4]


def test_what_no_key_leads_to_is_not_evaluated() -> None:
    engine = engine_of(Pscan, *(f"(a = {number} or b = {number}) and c = 1" for number in range(100)))
    assert matches(engine, {"a": 5, "b": 6}) == []
    assert engine.stats().num_evaluations == 5  # 5: a holds, c fails; 6: a fails, b holds, c fails
    assert engine.stats().details["read_postings"] == 2


def test_an_expression_in_two_lists_is_evaluated_once() -> None:
    engine = engine_of(Pscan, "(a = 1 or b = 1) and c = 1")
    assert matches(engine, {"a": 1, "b": 1, "c": 1}) == [0]
    assert engine.stats().details == {"items": 1, "facts": 3, "read_postings": 3, "matched_items": 1}
    assert engine.stats().num_evaluations == 2


def test_a_strong_negation_in_a_disjunction_needs_its_attribute() -> None:
    engine = engine_of(Pscan, "(a strong not in (1) or b = 1) and (c = 1 or a exists)")
    events: list[dict[str, Any]] = [{"a": 2}, {"a": 1}, {}, {"b": 1}, {"b": 1, "c": 1}, {"a": [1, 2]}]
    assert [matches(engine, event) for event in events] == [[0], [], [], [], [0], []]
    assert len(engine.items.zero_items) == 0
