"""What do the loops of the encoder take? Parsed texts as columns, arrays or lists, and which of the texts to encode."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.kernels.running import Running
from eligo.language.text.kernels.postfix_columns import Outcome, Postfix
from eligo.language.text.parse import ParsedBatch


class GivenTexts(NamedTuple):
    """Parsed texts, none of which was refused among those to encode; `running` says whether columns are lists."""

    running: Running
    data: Any
    """The bytes of all texts."""
    text_offsets: Any
    """Where each text begins among them."""
    postfix: Postfix
    number_bits: Any
    """The bits of `operand_number`."""
    outcome: Outcome
    rows: Any
    """The texts to encode, in their order."""
    longest: int
    """How many nodes one of them has at most."""
    most_operands: int
    """How many operands one predicate has at most."""
    is_weighted: bool
    """Whether some operand has a weight that is not 1."""


def given_texts(batch: ParsedBatch, rows: npt.NDArray[np.int64], running: Running) -> GivenTexts:
    """Some rows of a batch, as loops that run so take them."""
    postfix, outcome = batch.postfix, batch.outcome
    data, text_offsets = batch.buffers()
    num_nodes = outcome.node_offsets[rows + 1] - outcome.node_offsets[rows]
    return GivenTexts(
        running,
        running.bytes(data),
        running.given(text_offsets),
        running.columns(postfix),
        running.given(postfix.operand_number.view(np.uint64)),
        running.columns(outcome),
        running.given(rows),
        int(num_nodes.max(initial=1)),
        max(2, int(postfix.node_count.max(initial=0))),
        bool((postfix.operand_weight != 1.0).any()),
    )
