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

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.kernels.forms import Forms, NormalForms
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
from eligo.kernels.compiled import kernel, part
from eligo.kernels.hashing import i64
from eligo.kernels.interning import Bytes, Places
from eligo.language.text.kernels.postfix_columns import Outcome, Postfix

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
WHOLE = 0xFFFFFFFF
"""`NONE` in `Forms.member`: the literal is for the whole predicate."""


@kernel
def mark_wanted(
    node_offsets: Places,
    rows: Places,
    node_kind: Bytes,
    node_count: npt.NDArray[np.int32],
    remaining: Places,
    passed_on: Places,
    wanted: Bytes,
) -> tuple[int, int, int]:
    """Write which forms of each node are wanted.

    Gives how many forms and children of forms there can be in all, and how many forms in one expression. `remaining`
    and `passed_on` have room for one more than the nodes of the longest expression.
    """
    total_forms = total_children = most_forms = 0
    for row in rows:
        num_forms = 0
        remaining[0] = 1
        passed_on[0] = WANT_TRUE
        top = 1
        # From the root down, which in the postfix form is from the last node to the first.
        for node in range(node_offsets[row + 1] - 1, node_offsets[row] - 1, -1):
            mask = passed_on[top - 1]
            remaining[top - 1] -= 1
            if remaining[top - 1] == 0:
                top -= 1
            wanted[node] = mask
            kind = node_kind[node]
            count = i64(node_count[node])
            num_polarities = 2 if mask == WANT_BOTH else 1
            if kind == XOR or kind == XNOR:
                # A chain is joined two by two; all but the last join are needed both ways, and so are the operands.
                num_joins = 2 * (count - 2) + num_polarities
                num_forms += 3 * num_joins
                total_children += 6 * num_joins
                mask = i64(WANT_BOTH)
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
    return total_forms, total_children, most_forms


@part
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


@part
def add_contains_all(
    forms: Forms,
    form: int,
    child: int,
    node: int,
    operand_point: npt.NDArray[np.uint32],
    first_operand: int,
    count: int,
    is_wanted: bool,
    is_missing_false: bool,
) -> tuple[int, int]:
    """Make one form of a `contains all` with members, from `form` and `child` on; the next form and child.

    One literal for each distinct member; what joins several of them comes last.
    """
    first_form = form
    for operand in range(first_operand, first_operand + count):
        if operand_point[operand] != WHOLE:
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


@part
def add_xor(
    forms: Forms, form: int, child: int, left: tuple[int, int], right: tuple[int, int], polarity: int, is_xor: bool
) -> None:
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


@part
def add_chain(
    forms: Forms,
    form: int,
    child: int,
    form_of: Places,
    operands: Places,
    top: int,
    count: int,
    node: int,
    mask: int,
    is_xor: bool,
) -> tuple[int, int]:
    """Make the wanted forms of a chain of xors or xnors, joined two by two from the left; the next form and child.

    `form_of` gets those of the node, as it gets those of every join on the way.
    """
    left = (form_of[2 * operands[top]], form_of[2 * operands[top] + 1])
    for place in range(top + 1, top + count):
        right = (form_of[2 * operands[place]], form_of[2 * operands[place] + 1])
        made = mask if place == top + count - 1 else WANT_BOTH
        for polarity in range(2):
            if made & (1 << polarity):
                add_xor(forms, form, child, left, right, polarity, is_xor)
                form_of[2 * node + polarity] = form + 2
                form += 3
                child += 6
        left = (form_of[2 * node], form_of[2 * node + 1])
    return form, child


@part
def add_join(
    forms: Forms,
    form: int,
    child: int,
    form_of: Places,
    operands: Places,
    top: int,
    count: int,
    is_and: bool,
    polarity: int,
) -> tuple[int, int]:
    """Make one form of an `and` or `or`, of the same forms of its children; the next form and child."""
    forms.kind[form] = AND if is_and == (polarity == 1) else OR
    forms.child_offsets[form] = child
    for place in range(top, top + count):
        forms.children[child] = form_of[2 * operands[place] + polarity]
        child += 1
    return form + 1, child


@part
def add_constant(forms: Forms, form: int, child: int, place: int, constants: Places) -> int:
    """Make one of the shared constants, unless the expression has it; the next form."""
    if constants[place] >= 0:
        return form
    forms.kind[form] = TRUE if place == 1 or place == 2 else FALSE
    forms.child_offsets[form] = child
    constants[place] = form
    return form + 1


@part
def add_literal(
    forms: Forms, form: int, child: int, node: int, kind: int, is_wanted: bool, is_missing_false: bool
) -> int:
    """Make the literal of a predicate that is not split; the next form.

    `contains all ()` is true of every present attribute: none of its values is in the empty set. Its negation, unless
    it is unknown, is that the attribute is missing.
    """
    flags = literal_flags(kind, is_wanted, is_missing_false)
    forms.flags[form] = flags if kind != CONTAINS_ALL else flags & HOLDS_WHEN_MISSING
    forms.kind[form] = LITERAL
    forms.source[form] = node
    forms.member[form] = WHOLE
    forms.child_offsets[form] = child
    return form + 1


@kernel
def make_forms(
    postfix: Postfix,
    outcome: Outcome,
    rows: Places,
    wanted: Bytes,
    operand_point: npt.NDArray[np.uint32],
    is_missing_false: bool,
    form_of: Places,
    operands: Places,
    constants: Places,
    out: Forms,
) -> tuple[int, int]:
    """Make the wanted forms of the expressions `rows`; how many forms and children there are.

    `operand_point` is NONE for a member that is in its list already. While an expression is read, `form_of` has the F
    and the T form of each of its nodes, `operands` the nodes that wait for the connective over them, and `constants`
    those that it shares.
    """
    node_kind, node_count, node_first_operand = postfix.node_kind, postfix.node_count, postfix.node_first_operand
    node_offsets, operand_offsets = outcome.node_offsets, outcome.operand_offsets
    form = child = 0
    for index in range(len(rows)):
        row = rows[index]
        out.form_offsets[index] = form
        for place in range(NUM_CONSTANTS):
            constants[place] = -1
        base = node_offsets[row]
        top = 0
        for node in range(base, node_offsets[row + 1]):
            local = node - base
            kind, count, mask = i64(node_kind[node]), i64(node_count[node]), i64(wanted[node])
            if kind <= NOT:
                top -= count
            if kind == NOT:  # nothing is made: what it negates has both forms
                form_of[2 * local] = form_of[2 * operands[top] + 1]
                form_of[2 * local + 1] = form_of[2 * operands[top]]
            elif kind == XOR or kind == XNOR:
                form, child = add_chain(out, form, child, form_of, operands, top, count, local, mask, kind == XOR)
            else:
                for polarity in range(2):
                    if mask & (1 << polarity) == 0:
                        continue
                    is_wanted = polarity == 1
                    if kind == AND or kind == OR:
                        form, child = add_join(out, form, child, form_of, operands, top, count, kind == AND, polarity)
                    elif kind == CONTAINS_ALL and count > 0:
                        first = operand_offsets[row] + node_first_operand[node]
                        form, child = add_contains_all(
                            out, form, child, node, operand_point, first, count, is_wanted, is_missing_false
                        )
                    elif kind >= EQUALS and (kind != CONTAINS_ALL or is_wanted or is_missing_false):
                        form = add_literal(out, form, child, node, kind, is_wanted, is_missing_false)
                    else:
                        place = SHARED_FALSE if kind == CONTAINS_ALL else 2 * (kind - TRUE) + polarity
                        form = add_constant(out, form, child, place, constants)
                        form_of[2 * local + polarity] = constants[place]
                        continue
                    form_of[2 * local + polarity] = form - 1  # what was made last joins the rest
            operands[top] = local
            top += 1
        out.roots[index] = form_of[2 * operands[0] + 1]
    out.form_offsets[len(rows)] = form
    out.child_offsets[form] = child
    return form, child


@part
def count_places(
    first: int,
    last: int,
    child_offsets: Places,
    children: npt.NDArray[np.uint32],
    num_places: Places,
    number_of: Places,
) -> None:
    """Count in how many places each form of an expression stands; none is walked yet."""
    for form in range(first, last):
        num_places[form - first] = 0
        number_of[form - first] = UNDONE
    for place in range(child_offsets[first], child_offsets[last]):
        num_places[children[place] - first] += 1


@part
def write_children(
    form: int,
    base: int,
    top: int,
    child_offsets: Places,
    children: npt.NDArray[np.uint32],
    number_of: Places,
    walked: Places,
    next_child: Places,
    out_children: npt.NDArray[np.uint32],
    num_children: int,
) -> int:
    """Write the children of a form, and those of dissolved forms in their place; how many children there are now.

    It is a walk on the part of the path, above `top`, that is free.
    """
    bottom = top + 1
    walked[bottom] = form
    next_child[bottom] = child_offsets[form]
    while bottom > top:
        if next_child[bottom] == child_offsets[walked[bottom] + 1]:
            bottom -= 1
            continue
        child = i64(children[next_child[bottom]])
        next_child[bottom] += 1
        if number_of[child - base] == DISSOLVED:
            bottom += 1
            walked[bottom] = child
            next_child[bottom] = child_offsets[child]
        else:
            out_children[num_children] = number_of[child - base]
            num_children += 1
    return num_children


@kernel
def write_nodes(
    forms: Forms, num_places: Places, number_of: Places, walked: Places, next_child: Places, out: NormalForms
) -> tuple[int, int]:
    """Write the nodes of normal forms; how many nodes and children there are.

    The arrays in the middle have room for one more than the forms of the largest expression: for each of them, in how
    many places it stands and its node; and a path from the root, with the child to walk next.
    """
    kinds, child_offsets, children = forms.kind, forms.child_offsets, forms.children
    roots, form_offsets = forms.roots, forms.form_offsets
    out_kind, out_form, out_child_offsets, out_children = out.node_kind, out.node_form, out.child_offsets, out.children
    expression_offsets = out.expression_offsets
    node = num_children = 0
    out_child_offsets[0] = 0
    expression_offsets[0] = 0
    for index in range(len(roots)):
        base = form_offsets[index]
        count_places(base, form_offsets[index + 1], child_offsets, children, num_places, number_of)
        walked[0] = roots[index]
        next_child[0] = child_offsets[roots[index]]
        top = 0
        while top >= 0:
            form = walked[top]
            if next_child[top] < child_offsets[form + 1]:
                child = i64(children[next_child[top]])
                next_child[top] += 1
                if number_of[child - base] == UNDONE:
                    top += 1
                    walked[top] = child
                    next_child[top] = child_offsets[child]
                continue
            # All below it is written. An AND that stands in an AND only, or an OR in an OR, has no node of its own.
            top -= 1
            kind = kinds[form]
            if kind <= OR and top >= 0 and num_places[form - base] == 1 and kinds[walked[top]] == kind:
                number_of[form - base] = DISSOLVED
                continue
            number_of[form - base] = node
            out_kind[node] = kind
            out_form[node] = form
            num_children = write_children(
                form, base, top, child_offsets, children, number_of, walked, next_child, out_children, num_children
            )
            node += 1
            out_child_offsets[node] = num_children
        expression_offsets[index + 1] = node
    return node, num_children
