"""Is what every event enters dear, and what stands behind a rare predicate cheap?"""

from __future__ import annotations

import numpy as np
import pytest

from eligo.data.expressions.expression_source import read_expressions
from eligo.engines.expected_costs import expected_costs
from eligo.engines.kernels.entry_costs import entry_shares
from eligo.engines.set_statistics import form_sizes
from eligo.language.limits import DEFAULT_LIMITS

TEXTS = {
    0: "a = 1 and b = 2",
    1: "a = 1 or b = 2",
    2: "a = 1 or a = 1 or b = 2",
    3: "(a = 1 or b = 2) and b = 2",
    4: "true",
    5: "false",
}


def test_an_and_is_entered_as_its_rarest_part_is_and_an_or_as_all_of_them() -> None:
    _, table = read_expressions(TEXTS, schema=None, limits=DEFAULT_LIMITS).encode("unknown")
    likely = np.array([0.75, 0.125])  # a = 1, b = 2
    entered = np.zeros(table.num_expressions)
    entry_shares(table, likely, entered)
    assert entered.tolist() == [0.125, 0.875, 1.0, 0.125, 1.0, 0.0]


@pytest.mark.parametrize("missing", ["unknown", "false"])
def test_a_negation_is_entered_nearly_always(missing: str) -> None:
    texts = {0: "rare = 1 and a = 1", 1: "not rare = 1", **{id: "a = 1" for id in range(2, 20)}}
    vocabulary, table = read_expressions(texts, schema=None, limits=DEFAULT_LIMITS).encode(missing)  # type: ignore[arg-type]
    costs = expected_costs(table, vocabulary, form_sizes(table).literals)
    assert costs[1] > 0.9
    assert costs[0] < 0.3
    assert costs[2] == 0.5, "what is asked for most is taken to hold for every other event"
