"""Is a state what it was, whatever comes after it?"""

from __future__ import annotations

import numpy as np
import pytest

import eligo
from eligo.errors import InputError
from eligo.index.live.live_part import LivePart
from eligo.index.live.live_state import Death, State


def live_part(first: int, end: int) -> LivePart:
    return LivePart(eligo.build({number: "a" for number in range(first, end)}, engine="scan").parts[0])


def without(state: State, id: int) -> State:
    """The next state, after the one before it was settled, as a change does it."""
    state.settle()
    places = state.find_all([id])
    assert not places.nowhere
    return state.next(num_live=state.num_live - 1, num_dead=state.num_dead + 1, deaths=tuple(places.in_parts))


def test_an_expression_is_where_its_newest_part_has_it() -> None:
    base, delta = live_part(0, 4), live_part(4, 6)
    state = State.first([base, delta])
    assert (state.num_live, state.num_frozen, state.base_size, state.num_changes) == (6, 6, 4, 2)
    assert state.find(1) == Death(base, 1) and state.find(5) == Death(delta, 1) and state.find(9) is None


def test_deaths_of_a_moment_belong_to_its_state_before_they_are_written_down() -> None:
    base = live_part(0, 4)
    first = State.first([base])
    second = without(first, 1)
    assert base.died is None, "nothing is written before the next change"
    third = without(second, 3)
    everything = np.arange(4, dtype=np.uint32)
    for state, expected in ((first, [0, 1, 2, 3]), (second, [0, 2, 3]), (third, [0, 2])):
        mask, is_live = state.mask(base), state.living(base)
        assert (list(range(4)) if mask is None else np.flatnonzero(mask).tolist()) == expected
        assert (everything if is_live is None else everything[is_live(everything)]).tolist() == expected
        assert [id for id in range(4) if state.find(id) is not None] == expected
    assert [state.moment for state in (first, second, third)] == [0, 1, 2]
    assert (third.num_live, third.num_dead, third.num_changes) == (2, 2, 2)


def test_settling_again_changes_nothing() -> None:
    base = live_part(0, 3)
    state = without(State.first([base]), 2)
    for _ in range(2):
        state.settle()
        assert base.died is not None and base.died[2] == state.moment


def test_ids_are_of_one_type_for_as_long_as_there_are_any() -> None:
    state = State.first([live_part(0, 2)])
    assert state.check_kind([7]) is int and state.check_kind([]) is int
    with pytest.raises(InputError, match="of type int"):
        state.check_kind([7, "ad-7"])
    assert state.next(parts=()).id_type is None, "an index without expressions takes any"
