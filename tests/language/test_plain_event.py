"""Does the quick reading of a plain event say what the careful one does?"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.plain_event import LONGEST_TEXT, plain_attributes
from eligo.language.value import event_attributes

odd = st.sampled_from([None, float("nan"), 1.5, 2**70, "é", "x" * 2_000, {"a": 1}, b"x", [1, None], ["a", "a"], (1, 2)])


@given(event=strategies.events() | st.dictionaries(strategies.attributes() | st.just("other"), odd | st.integers()))
def test_what_it_reads_is_what_there_is(event: dict[str, Any]) -> None:
    known = set(strategies.ATTRIBUTES)
    found = plain_attributes(event, known, DEFAULT_LIMITS)
    assert found is None or found == event_attributes(event, known, limits=DEFAULT_LIMITS)


def test_plain_events_are_read_and_others_are_left() -> None:
    known = {"a", "b"}
    plain = {"a": 1, "b": ["x", "y", "x"], "c": 1.5, "d": None}
    assert plain_attributes(plain, known, DEFAULT_LIMITS) == {"a": (1,), "b": ("x", "y")}
    assert plain_attributes({"a": True, "b": []}, known, DEFAULT_LIMITS) == {"a": (True,)}
    for left in ({"a": 1.0}, {"c": {"a": 1}}, {"a": "x" * (LONGEST_TEXT + 1)}, {"a": [True]}, {1: 2}):
        assert plain_attributes(left, known, DEFAULT_LIMITS) is None


@pytest.mark.parametrize("limits", [Limits(event_values=2), Limits(event_bytes=1_000)])
def test_what_may_be_beyond_a_limit_is_left(limits: Limits) -> None:
    assert plain_attributes({"a": [1, 2, 3]}, {"a"}, limits) is None
