"""What is the negation normal form of parsed texts? Flat nodes, before anyone knows which literals are the same."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.bulk_operands import Operands
from eligo.data.expressions.kernels.normal_form import make_forms, mark_wanted, write_nodes
from eligo.language.evaluate import Missing
from eligo.language.text.parse import ParsedBatch


class Forms(NamedTuple):
    """The T and F forms of nodes that normal forms are made of; those of an expression stand together."""

    kind: npt.NDArray[np.uint8]
    """For each form: AND, OR, TRUE, FALSE or LITERAL."""
    flags: npt.NDArray[np.uint8]
    """For each literal: POSITIVE and HOLDS_WHEN_MISSING of `normal_form`."""
    source: npt.NDArray[np.uint32]
    """For each literal: the node of the postfix form that it comes from."""
    member: npt.NDArray[np.uint32]
    """For each literal: the operand, if it is for one member of a `contains all`; else NONE."""
    child_offsets: npt.NDArray[np.int64]
    """Form f has the children child_offsets[f] : child_offsets[f + 1]."""
    children: npt.NDArray[np.uint32]
    """For each AND and OR: its children, which are forms."""
    roots: npt.NDArray[np.uint32]
    """For each expression: the form that it is."""
    form_offsets: npt.NDArray[np.int64]
    """Expression x has the forms form_offsets[x] : form_offsets[x + 1]."""


class NormalForms(NamedTuple):
    """Nodes of normal forms, laid out as in `ExpressionTable`; a literal is still told by where it comes from."""

    node_kind: npt.NDArray[np.uint8]
    """For each node: AND, OR, TRUE, FALSE or LITERAL."""
    node_form: npt.NDArray[np.uint32]
    """For each node: the form that it is."""
    child_offsets: npt.NDArray[np.uint64]
    """Node n has the children child_offsets[n] : child_offsets[n + 1]."""
    children: npt.NDArray[np.uint32]
    """For each AND and OR: the numbers of its children."""
    expression_offsets: npt.NDArray[np.uint64]
    """Expression x has the nodes expression_offsets[x] : expression_offsets[x + 1]; the last of them is its root."""


def normal_forms(
    batch: ParsedBatch, rows: npt.NDArray[np.int64], operands: Operands, missing: Missing
) -> tuple[Forms, NormalForms]:
    """The normal forms of the texts `rows`, none of which was refused."""
    postfix, outcome = batch.postfix, batch.outcome
    wanted = np.empty(len(postfix.node_kind), np.uint8)
    num_forms, num_children, longest, most_forms = mark_wanted(
        outcome.node_offsets, rows, postfix.node_kind, postfix.node_count, wanted
    )
    # Room for as many as there can be; what is not used is never touched, so takes no memory.
    forms = Forms(
        np.empty(num_forms, np.uint8),
        np.empty(num_forms, np.uint8),
        np.empty(num_forms, np.uint32),
        np.empty(num_forms, np.uint32),
        np.empty(num_forms + 1, np.int64),
        np.empty(num_children, np.uint32),
        np.empty(len(rows), np.uint32),
        np.empty(len(rows) + 1, np.int64),
    )
    num_forms, num_children = make_forms(
        postfix, outcome, rows, wanted, operands.operand_point, missing == "false", longest, forms
    )
    nodes = NormalForms(
        np.empty(num_forms, np.uint8),
        np.empty(num_forms, np.uint32),
        np.empty(num_forms + 1, np.uint64),
        np.empty(num_children, np.uint32),
        np.empty(len(rows) + 1, np.uint64),
    )
    num_nodes, num_children = write_nodes(forms, most_forms, nodes)
    return forms, NormalForms(
        nodes.node_kind[:num_nodes],
        nodes.node_form[:num_nodes],
        nodes.child_offsets[: num_nodes + 1],
        nodes.children[:num_children],
        nodes.expression_offsets,
    )
