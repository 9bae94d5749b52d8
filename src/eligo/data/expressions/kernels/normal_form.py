"""How do many expressions become ANDs and ORs over literals? From the postfix form, without a tree.

The rules are those of `rewrites.push_negations`: each node has a form "is true" (T) and a form "is false" (F), made
once and shared. Here they are made in three passes over all expressions:

    not (a or b) xor c          postfix    a  b  or  not  c  xor

    mark_wanted   from the root down, which forms of a node are wanted:     xor T;  c, not, or, a, b: T and F
    make_forms    from the leaves up, the forms and their children:         0 ¬a  1 a  2 ¬b  3 b  4 ¬a∧¬b  5 a∨b
                                                                            6 ¬c  7 c  8 4∧6  9 5∧7  10 8∨9
    write_nodes   from the root down, children first, each form once:       ¬a ¬b ¬c 8  a b 5 c 9  10
                  form 4 is an AND that stands only in an AND: its children stand there instead

The last gives the nodes in the order in which `tree.distinct_nodes` walks the normal form of a tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from eligo.kernels.codes import (
    AND,
    CONTAINS_ALL,
    EQUALS,
    EXISTS,
    FALSE,
    IS_MISSING,
    LITERAL,
    NOT,
    NOT_BETWEEN,
    NOT_EQUALS,
    NOT_IN,
    OR,
    STRONG_NOT_IN,
    TRUE,
    WEAK_NOT_IN,
    XNOR,
    XOR,
)
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE

WANT_TRUE, WANT_BOTH = 2, 3
"""Which forms of a node are wanted, as bits: 1 << polarity, where F has polarity 0 and T 1."""

POSITIVE, HOLDS_WHEN_MISSING = 1, 2
"""The flags of a literal."""

NUM_CONSTANTS = 4
"""Constants that an expression may share: the F and T forms of `true`, then those of `false`."""
SHARED_FALSE = 3
"""The T form of `false`."""

UNDONE, DISSOLVED = -1, -2
"""Instead of a form's number: not walked yet, and written as the children of the one form that it stands in."""


@kernel
def mark_wanted(node_offsets: Any, rows: Any, node_kind: Any, node_count: Any, wanted: Any) -> Any:
    """Write which forms of each node are wanted.

    Gives how many forms and children of forms there can be in all, and nodes and forms in one expression.
    """
    longest = 1
    for row in rows:
        longest = max(longest, node_offsets[row + 1] - node_offsets[row])
    remaining = np.empty(longest + 1, np.int64)
    passed_on = np.empty(longest + 1, np.int64)
    total_forms = total_children = most_forms = 0
    for row in rows:
        num_forms = 0
        remaining[0] = 1
        passed_on[0] = WANT_TRUE
        top = 1
        for node in range(node_offsets[row + 1] - 1, node_offsets[row] - 1, -1):
            mask = passed_on[top - 1]
            remaining[top - 1] -= 1
            if remaining[top - 1] == 0:
                top -= 1
            wanted[node] = mask
            kind = node_kind[node]
            count = np.int64(node_count[node])
            num_polarities = 2 if mask == WANT_BOTH else 1
            if kind == XOR or kind == XNOR:
                num_joins = 2 * (count - 2) + num_polarities
                num_forms += 3 * num_joins
                total_children += 6 * num_joins
                mask = WANT_BOTH
            elif kind == NOT:
                mask = ((mask << 1) | (mask >> 1)) & WANT_BOTH
            elif kind == CONTAINS_ALL:
                num_forms += num_polarities * (count + 1)
                total_children += num_polarities * count
            else:
                num_forms += num_polarities
                if kind == AND or kind == OR:
                    total_children += num_polarities * count
            if kind <= NOT:
                remaining[top] = count
                passed_on[top] = mask
                top += 1
        total_forms += num_forms
        most_forms = max(most_forms, num_forms)
    return total_forms, total_children, longest, most_forms


@register_jitable
def literal_flags(kind: int, is_wanted: bool, is_missing_false: bool) -> int:
    """The flags of a predicate's T form (`is_wanted`) or F form, as `push_negations.literal_form` has them."""
    if kind == EXISTS or kind == IS_MISSING:
        return POSITIVE if (kind == EXISTS) == is_wanted else HOLDS_WHEN_MISSING
    if kind == WEAK_NOT_IN:
        return HOLDS_WHEN_MISSING if is_wanted else POSITIVE
    if kind == STRONG_NOT_IN:
        return 0 if is_wanted else POSITIVE | HOLDS_WHEN_MISSING
    if is_wanted != (kind == NOT_EQUALS or kind == NOT_BETWEEN or kind == NOT_IN):
        return POSITIVE
    return HOLDS_WHEN_MISSING if is_missing_false else 0


@kernel
def add_contains_all(
    forms: Any,
    form: int,
    child: int,
    node: int,
    operand_point: Any,
    first_operand: int,
    count: int,
    is_wanted: bool,
    is_missing_false: bool,
) -> Any:
    """Make one form of a `contains all` with members, from `form` and `child` on; the next form and child.

    One literal for each distinct member; what joins several of them comes last.
    """
    first_form = form
    for operand in range(first_operand, first_operand + count):
        if operand_point[operand] != NONE:
            forms.kind[form] = LITERAL
            forms.flags[form] = literal_flags(CONTAINS_ALL, is_wanted, is_missing_false)
            forms.source[form] = node
            forms.member[form] = operand
            forms.child_offsets[form] = child
            form += 1
    if form == first_form + 1:
        return form, child
    forms.kind[form] = AND if is_wanted else OR
    forms.child_offsets[form] = child
    for literal in range(first_form, form):
        forms.children[child] = literal
        child += 1
    return form + 1, child


@kernel
def add_xor(forms: Any, form: int, child: int, left: Any, right: Any, polarity: int, is_xor: bool) -> None:
    """Make one form of a binary xor or xnor, three forms from `form` on, of the pairs (F, T) of its operands."""
    differs = is_xor == (polarity == 1)
    for step in range(2):
        forms.kind[form + step] = AND
        forms.child_offsets[form + step] = child + 2 * step
        forms.children[child + 2 * step] = left[1 - step]
        forms.children[child + 2 * step + 1] = right[step if differs else 1 - step]
    forms.kind[form + 2] = OR
    forms.child_offsets[form + 2] = child + 4
    forms.children[child + 4] = form
    forms.children[child + 5] = form + 1


@kernel
def make_forms(
    postfix: Any,
    outcome: Any,
    rows: Any,
    wanted: Any,
    operand_point: Any,
    is_missing_false: bool,
    longest: int,
    out: Any,
) -> Any:
    """Make the wanted forms of the expressions `rows`; how many forms and children there are.

    `operand_point` is NONE for a member that is in its list already. `longest` is the number of nodes of the largest
    expression. `out` is a `bulk_forms.Forms`.
    """
    node_kind, node_count, node_first_operand = postfix.node_kind, postfix.node_count, postfix.node_first_operand
    node_offsets, operand_offsets = outcome.node_offsets, outcome.operand_offsets
    out_kind, out_flags, out_source, out_member = out.kind, out.flags, out.source, out.member
    out_child_offsets, out_children, roots, form_offsets = out.child_offsets, out.children, out.roots, out.form_offsets
    form_of = np.empty((longest, 2), np.int64)  # of each node, by polarity
    operands = np.empty(longest, np.int64)  # nodes that wait for the connective over them
    constants = np.empty(NUM_CONSTANTS, np.int64)
    form = child = 0
    for index in range(len(rows)):
        row = rows[index]
        form_offsets[index] = form
        for place in range(NUM_CONSTANTS):
            constants[place] = -1
        base = node_offsets[row]
        top = 0
        for node in range(base, node_offsets[row + 1]):
            local = node - base
            kind = np.int64(node_kind[node])
            count = np.int64(node_count[node])
            mask = np.int64(wanted[node])
            if kind <= NOT:
                top -= count
            if kind == NOT:
                form_of[local, 0] = form_of[operands[top], 1]
                form_of[local, 1] = form_of[operands[top], 0]
            elif kind == XOR or kind == XNOR:
                left = (form_of[operands[top], 0], form_of[operands[top], 1])
                for place in range(top + 1, top + count):
                    right = (form_of[operands[place], 0], form_of[operands[place], 1])
                    made = mask if place == top + count - 1 else WANT_BOTH
                    for polarity in range(2):
                        if made & (1 << polarity):
                            add_xor(out, form, child, left, right, polarity, kind == XOR)
                            form_of[local, polarity] = form + 2
                            form += 3
                            child += 6
                    left = (form_of[local, 0], form_of[local, 1])
            else:
                for polarity in range(2):
                    if mask & (1 << polarity) == 0:
                        continue
                    is_wanted = polarity == 1
                    if kind == AND or kind == OR:
                        out_kind[form] = AND if (kind == AND) == is_wanted else OR
                        out_child_offsets[form] = child
                        for place in range(top, top + count):
                            out_children[child] = form_of[operands[place], polarity]
                            child += 1
                        form += 1
                    elif kind == CONTAINS_ALL and count > 0:
                        first_operand = operand_offsets[row] + node_first_operand[node]
                        form, child = add_contains_all(
                            out, form, child, node, operand_point, first_operand, count, is_wanted, is_missing_false
                        )
                    elif kind >= EQUALS and (kind != CONTAINS_ALL or is_wanted or is_missing_false):
                        flags = literal_flags(kind, is_wanted, is_missing_false)
                        # `contains all ()` is true of every present attribute: none of its values is in the empty set.
                        # Its negation, unless it is unknown, is that the attribute is missing.
                        out_flags[form] = flags if kind != CONTAINS_ALL else flags & HOLDS_WHEN_MISSING
                        out_kind[form] = LITERAL
                        out_source[form] = node
                        out_member[form] = NONE
                        out_child_offsets[form] = child
                        form += 1
                    else:
                        place = SHARED_FALSE if kind == CONTAINS_ALL else 2 * (kind - TRUE) + polarity
                        if constants[place] < 0:
                            out_kind[form] = TRUE if place == 1 or place == 2 else FALSE
                            out_child_offsets[form] = child
                            constants[place] = form
                            form += 1
                        form_of[local, polarity] = constants[place]
                        continue
                    form_of[local, polarity] = form - 1
            operands[top] = local
            top += 1
        roots[index] = form_of[operands[0], 1]
    form_offsets[len(rows)] = form
    out_child_offsets[form] = child
    return form, child


@kernel
def write_nodes(forms: Any, most_forms: int, out: Any) -> Any:
    """Write the nodes of normal forms; how many nodes and children there are.

    `forms` is a `bulk_forms.Forms`, `most_forms` how many the largest expression has. `out` is a
    `bulk_forms.NormalForms`.
    """
    kinds, child_offsets, children = forms.kind, forms.child_offsets, forms.children
    roots, form_offsets = forms.roots, forms.form_offsets
    out_kind, out_form, out_child_offsets, out_children = out.node_kind, out.node_form, out.child_offsets, out.children
    expression_offsets = out.expression_offsets
    num_places = np.empty(most_forms, np.int64)
    number_of = np.empty(most_forms, np.int64)
    walked = np.empty(most_forms + 1, np.int64)  # a path from the root
    next_child = np.empty(most_forms + 1, np.int64)
    node = num_children = 0
    out_child_offsets[0] = 0
    expression_offsets[0] = 0
    for index in range(len(roots)):
        base = form_offsets[index]
        for form in range(base, form_offsets[index + 1]):
            num_places[form - base] = 0
            number_of[form - base] = UNDONE
        for place in range(child_offsets[base], child_offsets[form_offsets[index + 1]]):
            num_places[children[place] - base] += 1
        walked[0] = roots[index]
        next_child[0] = child_offsets[roots[index]]
        top = 0
        while top >= 0:
            form = walked[top]
            if next_child[top] < child_offsets[form + 1]:
                child = np.int64(children[next_child[top]])
                next_child[top] += 1
                if number_of[child - base] == UNDONE:
                    top += 1
                    walked[top] = child
                    next_child[top] = child_offsets[child]
                continue
            top -= 1
            kind = kinds[form]
            if kind <= OR and top >= 0 and num_places[form - base] == 1 and kinds[walked[top]] == kind:
                number_of[form - base] = DISSOLVED
                continue
            number_of[form - base] = node
            out_kind[node] = kind
            out_form[node] = form
            # The children, and those of dissolved forms in their place: a walk on the part of the path that is free.
            bottom = top + 1
            walked[bottom] = form
            next_child[bottom] = child_offsets[form]
            while bottom > top:
                if next_child[bottom] == child_offsets[walked[bottom] + 1]:
                    bottom -= 1
                    continue
                child = np.int64(children[next_child[bottom]])
                next_child[bottom] += 1
                if number_of[child - base] == DISSOLVED:
                    bottom += 1
                    walked[bottom] = child
                    next_child[bottom] = child_offsets[child]
                else:
                    out_children[num_children] = number_of[child - base]
                    num_children += 1
            node += 1
            out_child_offsets[node] = num_children
        expression_offsets[index + 1] = node
    return node, num_children
