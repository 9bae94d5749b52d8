"""What is the negation normal form of parsed texts? Flat nodes, before anyone knows which literals are the same."""

from __future__ import annotations

import numpy as np

from eligo.data.expressions.given_texts import GivenTexts
from eligo.data.expressions.kernels.forms import Forms, NormalForms
from eligo.data.expressions.kernels.normal_form import NUM_CONSTANTS, make_forms, mark_wanted, write_nodes
from eligo.data.expressions.kernels.points import Operands
from eligo.language.evaluate import Missing


def normal_forms(given: GivenTexts, operands: Operands, missing: Missing) -> tuple[Forms, NormalForms]:
    """The normal forms of texts, as the loops take them."""
    running, postfix, outcome, longest = given.running, given.postfix, given.outcome, given.longest
    room = running.room
    wanted = room(len(postfix.node_kind), np.uint8)
    num_forms, num_children, most_forms = running.loop(mark_wanted)(
        outcome.node_offsets,
        given.rows,
        postfix.node_kind,
        postfix.node_count,
        room(longest + 1, np.int64),
        room(longest + 1, np.int64),
        wanted,
    )
    num_rows = len(given.rows)
    # Room for as many as there can be; what is not used is never touched, so takes no memory.
    forms = Forms(
        room(num_forms, np.uint8),
        room(num_forms, np.uint8),
        room(num_forms, np.uint32),
        room(num_forms, np.uint32),
        room(num_forms + 1, np.int64),
        room(num_children, np.uint32),
        room(num_rows, np.uint32),
        room(num_rows + 1, np.int64),
    )
    num_forms, num_children = running.loop(make_forms)(
        postfix,
        outcome,
        given.rows,
        wanted,
        operands.operand_point,
        missing == "false",
        room(2 * longest, np.int64),
        room(longest, np.int64),
        room(NUM_CONSTANTS, np.int64),
        forms,
    )
    nodes = NormalForms(
        room(num_forms, np.uint8),
        room(num_forms, np.uint32),
        room(num_forms + 1, np.uint64),
        room(num_children, np.uint32),
        room(num_rows + 1, np.uint64),
    )
    scratch = [room(most_forms + 1, np.int64) for _ in range(4)]
    num_nodes, num_children = running.loop(write_nodes)(forms, *scratch, nodes)
    return forms, NormalForms(
        nodes.node_kind[:num_nodes],
        nodes.node_form[:num_nodes],
        nodes.child_offsets[: num_nodes + 1],
        nodes.children[:num_children],
        nodes.expression_offsets,
    )
