"""Do the literals that matching reads in the table stand together, and mean the expressions what they meant?"""

from __future__ import annotations

import numpy as np

from eligo.data.events.event_batch import EventBatch
from eligo.engines.a_tree.engine import ATree
from eligo.engines.a_tree.literal_order import read_literals, with_read_literals_last
from eligo.engines.scan.engine import Scan
from engine_cases import encoded, expression_texts, some_events


def test_literals_that_are_read_come_last() -> None:
    _, table = encoded("a in (1, 2, 3, 4, 5, 6, 7) and b = 1", "c = 2 and not d in (1, 2, 3)", "b = 1 or e < 3")
    ordered = with_read_literals_last(table)
    is_read = read_literals(ordered)
    assert is_read.tolist() == [False, False, False, True, True]
    assert np.all(np.diff(ordered.predicates.key_offsets.astype(np.int64))[-2:] >= 3)
    assert ordered.num_expressions == table.num_expressions


def test_expressions_mean_the_same_in_any_order_of_literals() -> None:
    vocabulary, table = encoded(*expression_texts(200, seed=6))
    events = EventBatch.from_dicts(some_events(50, seed=7), vocabulary)
    wanted = Scan.build(table, vocabulary).match_batch(events)
    for found in (
        Scan.build(with_read_literals_last(table), vocabulary).match_batch(events),
        ATree.build(table, vocabulary).match_batch(events),
    ):
        assert found.offsets.tolist() == wanted.offsets.tolist()
        assert found.positions.tolist() == wanted.positions.tolist()
