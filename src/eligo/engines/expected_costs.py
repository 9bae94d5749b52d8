"""What does each expression cost an event? How often it is entered, times the literals that it may have to ask.

An estimate that holds for no engine exactly and for all roughly: an expression of fifty literals behind a rare one is
cheap, one of five that every event enters is not. How likely a literal is, is guessed from how often expressions ask
for it, since there are no events here.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.fact_keys import fact_keys, used_facts
from eligo.engines.fact_shares import fact_shares
from eligo.engines.kernels.entry_costs import entry_shares
from eligo.engines.kernels.literal_facts import ALWAYS_HOLDS, FALSE_BUT_THERE, FALSE_FACT, TRUE_FACT, TRUE_OR_AWAY

COMMONEST = 0.5
"""How likely the predicate that is asked for most often is taken to be."""


def expected_costs(
    table: ExpressionTable, vocabulary: Vocabulary, literals: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """For each expression: the literals that an event is expected to ask of it; `literals` has how many there are."""
    used = used_facts(table, vocabulary.num_attributes)
    shares = COMMONEST * fact_shares(fact_keys(used.facts, table, vocabulary, "segment_tree"), used.uses, None)
    own = np.append(shares, 0.0)[np.minimum(used.literals.facts, len(shares))]
    kinds = used.literals.kinds
    likely = np.zeros(table.num_literals)
    likely[kinds == ALWAYS_HOLDS] = 1.0
    likely[kinds == TRUE_FACT] = own[kinds == TRUE_FACT]
    # One that holds where a value is not there, or its attribute is missing, holds for nearly every event.
    likely[kinds == TRUE_OR_AWAY] = 1.0
    for kind in (FALSE_FACT, FALSE_BUT_THERE):
        likely[kinds == kind] = 1.0 - own[kinds == kind]
    entered = np.zeros(table.num_expressions)
    entry_shares(table, likely, entered)
    costs: npt.NDArray[np.float64] = entered * literals
    return costs
