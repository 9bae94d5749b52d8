"""What is a normal form before anyone knows which literals are the same? Flat columns of forms, then of nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


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
