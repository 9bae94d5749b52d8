from __future__ import annotations

import numpy as np

import eligo
from eligo.index.live.live_part import LivePart


def new_part(size: int = 5) -> LivePart:
    return LivePart(eligo.build({number: "a" for number in range(size)}, engine="scan").parts[0])


def test_a_reader_disregards_what_died_after_it_began() -> None:
    live = new_part()
    assert live.mask(10) is None and live.living(10) is None
    live.kill(1, 5)
    live.kill(3, 9)
    for moment, expected in ((4, [0, 1, 2, 3, 4]), (5, [0, 2, 3, 4]), (8, [0, 2, 3, 4]), (9, [0, 2, 4])):
        is_live, mask = live.living(moment), live.mask(moment)
        assert is_live is not None
        assert np.flatnonzero(is_live(np.arange(5, dtype=np.uint32))).tolist() == expected
        assert (list(range(5)) if mask is None else np.flatnonzero(mask).tolist()) == expected


def test_one_dies_once() -> None:
    live = new_part()
    live.kill(1, 5)
    live.kill(1, 9)
    live.kill_all(np.array([False, True, True, False, False]), 7)
    assert live.died is not None and live.died[1] == 5 and live.died[2] == 7
    assert live.num_dead == 2 and live.is_dead(2, 7) and not live.is_dead(2, 6) and not live.is_dead(0, 9)
    assert live.died_between(4, 6).tolist() == [1] and live.died_between(5, 7).tolist() == [2]
    live.kill_all(np.zeros(5, np.bool_), 8)
    assert live.num_dead == 2
