"""How does a text become nodes? The only grammar: a shunting-yard over bytes that writes the postfix form.

One expression at a time goes through `parse_expression`, interpreted; a buffer of many through `parse_many`, which is
the same function compiled. Nothing recurses: open parentheses, `not`s and connectives wait on an explicit stack, and
there are at most two of them for each level of depth.

    a or not (b and c)          stack when c has been read      nodes, in the order in which they are written
                                or(1 child) not ( and(1 child)  a  b  c  and  not  or
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eligo.kernels import codes
from eligo.kernels.codes import IS_SCOPED
from eligo.kernels.compiled import kernel, part
from eligo.language.text.kernels import parse_errors, tokens
from eligo.language.text.kernels.operands import refusal
from eligo.language.text.kernels.postfix_columns import Outcome, Postfix
from eligo.language.text.kernels.postfix_rows import (
    NODE_COUNT,
    NODE_END,
    NODE_FIELDS,
    NODE_FIRST_OPERAND,
    NODE_FLAGS,
    NODE_KIND,
    NODE_NAME_END,
    NODE_NAME_START,
    NODE_START,
    NUMBER,
    NUMBER_FIELDS,
    OPERAND_END,
    OPERAND_FIELDS,
    OPERAND_FLAGS,
    OPERAND_KIND,
    OPERAND_PAYLOAD,
    OPERAND_START,
    STACK_COUNT,
    STACK_DEPTH,
    STACK_FIELDS,
    STACK_KIND,
    STACK_START,
    WEIGHT,
    Row,
    push,
    write_node,
    write_predicate,
)
from eligo.language.text.kernels.predicates import read_predicate
from eligo.language.text.kernels.quantifiers import is_quantifier, read_quantifier
from eligo.language.text.kernels.tokens import Text, read_token

OPEN = 9
"""An open parenthesis on the stack, beside connectives; no node has this kind."""


@part
def connective_of(word: int) -> int:
    """The connective that a word is; -1 for none."""
    if word == tokens.WORD_AND:
        return codes.AND
    if word == tokens.WORD_OR:
        return codes.OR
    if word == tokens.WORD_XOR:
        return codes.XOR
    if word == tokens.WORD_XNOR:
        return codes.XNOR
    return -1


@part
def precedence(kind: int) -> int:
    """How tightly a connective binds."""
    if kind == codes.OR:
        return 1
    if kind == codes.AND:
        return 3
    return 4 if kind == codes.NOT else 2


@part
def close_connectives(
    stack: Row, top: int, floor: int, same: int, nodes: Row, node: int, start: int, end: int, depth: int
) -> tuple[int, int, int, int]:
    """(top, node, start, depth): give the operand just read to all that bind at least as tightly as `floor`.

    Stops at an open parenthesis and at a chain of the connective `same`, which goes on.
    """
    while top > 0:
        base = (top - 1) * STACK_FIELDS
        kind = stack[base + STACK_KIND]
        if kind in (OPEN, same) or precedence(kind) < floor:
            break
        top -= 1
        start = stack[base + STACK_START]
        depth = 1 + max(depth, stack[base + STACK_DEPTH])
        write_node(nodes, node, kind, start, end, stack[base + STACK_COUNT] + 1)
        node += 1
    return top, node, start, depth


@part
def parse_expression(
    text: Text,
    size: int,
    max_depth: int,
    max_set_size: int,
    stack: Row,
    nodes: Row,
    operands: Row,
    numbers: Row,
) -> tuple[int, int, int, int, int]:
    """(error, where, other, num_nodes, num_operands): write an expression's nodes and operands.

    There must be room for `most_nodes`, `most_operands` (and as many numbers) and `most_waiting` rows.
    """
    node = 0
    operand = 0
    position = 0
    top = 0
    num_open = 0
    num_waiting = 0  # connectives and nots on the stack: the levels above what comes next
    start = end = depth = 0  # of the operand just read
    bare_name = -1  # where the operand just read begins, when it is a name that stands alone
    part_top = -1  # the parenthesis on the stack that opens the body of a quantified part; there is one part at a time
    part_kind = part_start = part_node = part_operand = num_scopes = 0
    variable = variable_end = 0  # what the part calls its document
    is_about_document = False
    is_operand_next = True
    while True:
        token, begin, finish, word = read_token(text, position, size)
        position = finish
        plain_word = word if token == tokens.WORD else 0
        if is_operand_next:
            if token == tokens.LEFT:
                num_open += 1
                if num_open > max_depth:
                    return parse_errors.TOO_DEEP, begin, -1, 0, 0
                push(stack, top, OPEN, begin, 0, 0)
                top += 1
            elif plain_word == tokens.WORD_NOT:
                num_waiting += 1
                if num_waiting >= max_depth:
                    return parse_errors.TOO_DEEP, begin, -1, 0, 0
                push(stack, top, codes.NOT, begin, 0, 0)
                top += 1
            elif plain_word == tokens.WORD_TRUE or plain_word == tokens.WORD_FALSE:
                kind = codes.TRUE if plain_word == tokens.WORD_TRUE else codes.FALSE
                write_node(nodes, node, kind, begin, finish, 0)
                node += 1
                start, end, depth, bare_name, is_operand_next = begin, finish, 1, -1, False
            elif plain_word != 0 and is_quantifier(text, plain_word, finish, size):
                if part_top >= 0:
                    return parse_errors.NESTED_PART, begin, part_start, 0, 0
                error, where, variable, variable_end, num_scopes, position = read_quantifier(
                    text, finish, size, operands, numbers, operand
                )
                if error != 0:
                    return error, where, begin, 0, 0
                num_open += 1
                num_waiting += 1  # the part is a level above its body
                if num_open > max_depth or num_waiting >= max_depth:
                    return parse_errors.TOO_DEEP, begin, -1, 0, 0
                part_kind = codes.EXISTS_DOCUMENT if plain_word == tokens.WORD_EXISTS else codes.FORALL_DOCUMENT
                part_top, part_start, part_node, part_operand, is_about_document = top, begin, node, operand, False
                operand += num_scopes
                push(stack, top, OPEN, where, 0, 0)
                top += 1
            elif token == tokens.NAME or (token == tokens.WORD and plain_word not in tokens.RESERVED_WORDS):
                error, where, other, count, finish, kind, is_negated, is_of_document = read_predicate(
                    text,
                    size,
                    token,
                    begin,
                    finish,
                    word,
                    variable,
                    variable_end,
                    max_set_size,
                    nodes,
                    node,
                    operands,
                    numbers,
                    operand,
                )
                if error != 0:
                    return error, where, other, 0, 0
                is_about_document = is_about_document or is_of_document
                node += 1
                operand += count
                position = finish
                start, end, depth, bare_name, is_operand_next = begin, finish, 1, -1, False
                if kind == codes.IS_TRUE:
                    bare_name = begin
                if is_negated:
                    write_node(nodes, node, codes.NOT, begin, finish, 1)
                    node += 1
                    depth = 2
                if num_waiting + depth > max_depth:
                    return parse_errors.TOO_DEEP, begin, -1, 0, 0
            else:
                return refusal(parse_errors.EXPECTED_EXPRESSION, token, word), begin, -1, 0, 0
            continue
        kind = connective_of(plain_word)
        if kind >= 0:
            before = top
            top, node, start, depth = close_connectives(
                stack, top, precedence(kind), kind, nodes, node, start, end, depth
            )
            num_waiting -= before - top
            base = (top - 1) * STACK_FIELDS
            if top > 0 and stack[base + STACK_KIND] == kind:
                stack[base + STACK_COUNT] += 1
                stack[base + STACK_DEPTH] = max(depth, stack[base + STACK_DEPTH])
            else:
                push(stack, top, kind, start, 1, depth)
                top += 1
                num_waiting += 1
            if num_waiting + depth > max_depth:
                return parse_errors.TOO_DEEP, begin, -1, 0, 0
            is_operand_next = True
        elif token == tokens.RIGHT or token == tokens.END:
            before = top
            top, node, start, depth = close_connectives(stack, top, 0, -1, nodes, node, start, end, depth)
            num_waiting -= before - top
            if token == tokens.END:
                if top > 0:
                    return parse_errors.UNCLOSED_LEFT, stack[(top - 1) * STACK_FIELDS + STACK_START], -1, 0, 0
                return 0, 0, -1, node, operand
            if top == 0:
                return parse_errors.UNMATCHED_RIGHT, begin, -1, 0, 0
            top -= 1
            num_open -= 1
            start, end, bare_name = stack[top * STACK_FIELDS + STACK_START], finish, -1
            if top == part_top:
                if not is_about_document:
                    return parse_errors.NO_DOCUMENT, start, part_start, 0, 0
                start = part_start
                flags = IS_SCOPED if num_scopes > 0 else 0
                write_predicate(
                    nodes, node, part_kind, start, end, node - part_node, part_operand, variable, variable_end, flags
                )
                node += 1
                depth += 1
                num_waiting -= 1
                part_top, variable, variable_end = -1, 0, 0
        else:
            expected = parse_errors.EXPECTED_CONNECTIVE if bare_name < 0 else parse_errors.EXPECTED_OPERATOR
            return refusal(expected, token, word), begin, bare_name, 0, 0


@kernel
def parse_many(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    first: int,
    max_length: int,
    max_depth: int,
    max_set_size: int,
    stack: Row,
    nodes: Row,
    operands: Row,
    numbers: Row,
    out: Postfix,
    outcome: Outcome,
) -> int:
    """Parse the texts `data[offsets[i]:offsets[i + 1]]` for i from `first` on; give the first that is left.

    Stops at a text whose nodes or operands do not fit in `out`, a `Postfix`. A refused text leaves
    no rows there; what became of each text is in `outcome`.
    """
    node = int(outcome.node_offsets[first])
    operand = int(outcome.operand_offsets[first])
    for i in range(first, len(offsets) - 1):
        size = offsets[i + 1] - offsets[i]
        num_nodes = num_operands = 0
        if size > max_length:
            error, where, other = parse_errors.TOO_LONG, max_length, -1
        else:
            error, where, other, num_nodes, num_operands = parse_expression(
                data[offsets[i] : offsets[i + 1]], size, max_depth, max_set_size, stack, nodes, operands, numbers
            )
        if node + num_nodes > len(out.node_kind) or operand + num_operands > len(out.operand_kind):
            return i
        outcome.error[i] = error
        outcome.error_position[i] = where
        outcome.error_other[i] = other
        for row in range(num_nodes):
            base = row * NODE_FIELDS
            out.node_kind[node] = nodes[base + NODE_KIND]
            out.node_start[node] = nodes[base + NODE_START]
            out.node_end[node] = nodes[base + NODE_END]
            out.node_count[node] = nodes[base + NODE_COUNT]
            out.node_first_operand[node] = nodes[base + NODE_FIRST_OPERAND]
            out.name_start[node] = nodes[base + NODE_NAME_START]
            out.name_end[node] = nodes[base + NODE_NAME_END]
            out.node_flags[node] = nodes[base + NODE_FLAGS]
            node += 1
        for row in range(num_operands):
            base = row * OPERAND_FIELDS
            out.operand_kind[operand] = operands[base + OPERAND_KIND]
            out.operand_start[operand] = operands[base + OPERAND_START]
            out.operand_end[operand] = operands[base + OPERAND_END]
            out.operand_payload[operand] = operands[base + OPERAND_PAYLOAD]
            out.operand_flags[operand] = operands[base + OPERAND_FLAGS]
            out.operand_number[operand] = numbers[row * NUMBER_FIELDS + NUMBER]
            out.operand_weight[operand] = numbers[row * NUMBER_FIELDS + WEIGHT]
            operand += 1
        outcome.node_offsets[i + 1] = node
        outcome.operand_offsets[i + 1] = operand
    return len(offsets) - 1
