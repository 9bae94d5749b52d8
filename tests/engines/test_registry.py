from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.engines import registry
from eligo.engines.protocol import Engine
from eligo.errors import NormalFormTooLargeError, UnknownEngineError
from eligo.language.canonical import canonical_text
from eligo.language.limits import Limits
from engine_cases import encoded
from strategies import expressions

NORMAL_FORMS = [name for name in registry.names() if not registry.get(name).capabilities.takes_any_shape]
ALTERNATING = [name for name in NORMAL_FORMS if registry.get(name).capabilities.normal_form == "alternating"]


def test_every_registered_engine_can_be_had_by_its_name() -> None:
    for name in registry.names():
        engine = registry.get(name)
        assert issubclass(engine, Engine)
        assert engine.name == name
    assert registry.DEFAULT_ENGINE == registry.AUTO


def test_an_unknown_engine_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownEngineError, match="did you mean 'scan'"):
        registry.get("scam")


def refusal(attempt: Any, *given: Any, **options: Any) -> tuple[str, str, tuple[int, ...]] | None:
    try:
        attempt(*given, **options)
    except NormalFormTooLargeError as error:
        return error.message, error.help, error.rows
    return None


def test_each_engine_of_normal_forms_says_which() -> None:
    forms = {name: registry.get(name).capabilities.normal_form for name in NORMAL_FORMS}
    assert forms["k_index"] == forms["sift"] == forms["propagation"] == "disjunctive"
    assert forms["cnf"] == forms["pscan"] == "conjunctive"
    assert forms["dewey_id"] == forms["interval_id"] == forms["conjunction_scan"] == "alternating"


@pytest.mark.parametrize("engine", NORMAL_FORMS)
@given(
    trees=st.lists(expressions(), min_size=1, max_size=3),
    bound=st.integers(1, 24),
    missing=st.sampled_from(["unknown", "false"]),
)
def test_a_shape_is_refused_if_and_as_building_refuses_it(engine: str, trees: Any, bound: int, missing: Any) -> None:
    vocabulary, table = encoded(*map(canonical_text, trees), missing=missing)
    limits = Limits(normal_form=bound)
    told = refusal(registry.require_shapes, engine, table, limits=limits)
    assert told == refusal(registry.build, engine, table, vocabulary, limits=limits)


@pytest.mark.parametrize("engine", [name for name in NORMAL_FORMS if name not in ALTERNATING])
@pytest.mark.parametrize("num_clauses", [3, 8])
def test_the_bound_is_met_where_building_meets_it(engine: str, num_clauses: int) -> None:
    """Products of both kinds, with bounds on both sides of what they take."""
    for inner, outer in ((" or ", " and "), (" and ", " or ")):
        text = outer.join(f"(a{place} = 1{inner}b{place} = 2)" for place in range(num_clauses))
        vocabulary, table = encoded(text, "x = 1", text)
        outcomes = set()
        short, long = 2 * num_clauses, num_clauses * 2**num_clauses
        for bound in (1, 2, short - 1, short, long - 1, long):
            limits = Limits(normal_form=bound)
            told = refusal(registry.require_shapes, engine, table, limits=limits)
            assert told == refusal(registry.build, engine, table, vocabulary, limits=limits)
            outcomes.add(told is None)
        assert outcomes == {True, False}


@pytest.mark.parametrize("engine", ALTERNATING)
def test_a_tree_meets_the_bound_where_building_meets_it(engine: str) -> None:
    """A xor is twice what is before it, and its own predicate twice: 4, 10, … literals; a product is what it is."""
    shared = " xor ".join(f"a{place} = 1" for place in range(8))
    product = " and ".join(f"(a{place} = 1 or b{place} = 2)" for place in range(8))
    vocabulary, table = encoded(product, shared)
    for bound, is_refused in ((1, True), (381, True), (382, False)):
        limits = Limits(normal_form=bound)
        told = refusal(registry.require_shapes, engine, table, limits=limits)
        assert told == refusal(registry.build, engine, table, vocabulary, limits=limits)
        assert (told is not None) == is_refused
        assert told is None or told[2] == (1,)


def test_a_very_large_bound_is_come_to_by_degrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "ROOMY_FORM", 4)
    text = " and ".join(f"(a{place} = 1 or b{place} = 2)" for place in range(4))
    _, table = encoded(text)
    assert refusal(registry.require_shapes, "k_index", table, limits=Limits(normal_form=64)) is None
    told = refusal(registry.require_shapes, "k_index", table, limits=Limits(normal_form=63))
    assert told is not None and "more than 63 literals" in told[0]


@pytest.mark.parametrize("engine", [name for name in registry.names() if name not in NORMAL_FORMS])
def test_others_take_any_shape(engine: str) -> None:
    _, table = encoded(" and ".join(f"(a{place} = 1 or b{place} = 2)" for place in range(30)))
    registry.require_shapes(engine, table, limits=Limits(normal_form=1))
