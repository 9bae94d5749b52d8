"""How is a tree with shared nodes written? Each shared connective once, with a number, so the text stays linear.

    a xor b xor c xor d

    #1 := (a and not b) or (not a and b)
    #2 := (a and b) or (not a and not b)
    (((#1 and not c) or (#2 and c)) and not d) or (((#1 and c) or (#2 and not c)) and d)

A literal that holds when its attribute is missing is marked `[or missing]`.
"""

from __future__ import annotations

from collections import Counter

from eligo.language.canonical import canonical_text
from eligo.language.tree import And, Expression, Or, distinct_nodes


def nnf_text(root: Expression) -> str:
    """The text of a tree in negation normal form: one line for each shared connective, then one for the root."""
    nodes = list(distinct_nodes(root))
    places = Counter(id(child) for node in nodes for child in node.children)
    name_of: dict[int, str] = {}
    lines = []
    for node in nodes:
        if node.children and places[id(node)] > 1:
            line = _line(node, name_of)
            name_of[id(node)] = f"#{len(name_of) + 1}"
            lines.append(f"{name_of[id(node)]} := {line}")
    return "\n".join([*lines, _line(root, name_of)])


def _line(top: Expression, name_of: dict[int, str]) -> str:
    pieces: list[str] = []
    pending: list[Expression | str] = [top]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif id(item) in name_of:
            pieces.append(name_of[id(item)])
        elif isinstance(item, And | Or):
            word = " and " if isinstance(item, And) else " or "
            parts: list[Expression | str] = []
            for index, child in enumerate(item.operands):
                parts += [word] if index else []
                enclosed = isinstance(child, And | Or) and id(child) not in name_of
                parts += ["(", child, ")"] if enclosed else [child]
            pending.extend(reversed(parts))
        else:
            pieces.append(canonical_text(item))
    return "".join(pieces)
