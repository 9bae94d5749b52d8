"""How many events of a sample pass each node of a draft? A row a node, parents first.

age > 18 and state = 'CA'      events  1  2  3

and                            1 of 3  ✓  ✗  ?
├─ age > 18                    2 of 3  ✓  ✗  ✓
└─ state = 'CA'                2 of 3  ✓  ✓  ?
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from eligo.language.explain.reason import leaf_text
from eligo.language.text.parse import Source
from eligo.language.tree import Constant, Expression, Literal, Predicate, postorder
from eligo.service.page.tried_draft import LETTER, NO_TRUTH, Verdict

MOST_NODES = 1_000
"""Nodes of a draft that have rows; the draft's truth is that of all."""


def node_rows(source: Source, verdicts: Sequence[Verdict], chosen: int | None) -> Iterator[dict[str, Any]]:
    """A row for each node: its text, its truths, a letter for each event, and why it has that of the chosen event.

    `start` and `end` are its place in the draft, in the units of UTF-16 that browsers count in.
    """
    units = _units_before(source.text)
    explanation = verdicts[chosen].explanation if chosen is not None and chosen < len(verdicts) else None
    for node, depth, number in _preorder(source.tree):
        truths = "".join(
            NO_TRUTH if each.explanation is None else LETTER[each.explanation.truth_of[id(node)]] for each in verdicts
        )
        start, end = source.spans[number]
        is_leaf = isinstance(node, Predicate | Literal)
        row: dict[str, Any] = {
            "depth": depth,
            "kind": "predicate" if is_leaf else type(node).__name__.lower(),
            "text": _text(node),
            "truths": truths,
            "passes": truths.count("t"),
            "fails": truths.count("f"),
            "unknown": truths.count("u"),
            "start": units[start],
            "end": units[end],
        }
        if explanation is not None:
            row["truth"] = LETTER[explanation.truth_of[id(node)]]
            if isinstance(node, Predicate | Literal):
                row["reason"] = explanation.reason(node).phrase
        yield row


def _text(node: Expression) -> str:
    if isinstance(node, Predicate | Literal):
        return leaf_text(node)
    if isinstance(node, Constant):
        return "true" if node.value else "false"
    return type(node).__name__.lower()


def _units_before(text: str) -> Sequence[int]:
    """For each byte of a text's UTF-8 form: the units of its UTF-16 form that stand before it."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) == len(text):
        return range(len(data) + 1)
    units, count = [], 0
    for byte in data:
        units.append(count)
        if byte & 0xC0 != 0x80:  # the first byte of a character
            count += 2 if byte >= 0xF0 else 1
    return [*units, count]


def _preorder(tree: Expression) -> Iterator[tuple[Expression, int, int]]:
    """Node, depth, and number in the order of `postorder`; parents first, as many as have rows."""
    sizes: list[int] = []  # of each node in the order of `postorder`: nodes with and below it
    open_sizes: list[int] = []
    for node in postorder(tree):
        size = 1 + sum(open_sizes.pop() for _ in node.children)
        open_sizes.append(size)
        sizes.append(size)
    pending = [(tree, 0, len(sizes) - 1)]
    for _ in range(min(MOST_NODES, len(sizes))):
        node, depth, number = pending.pop()
        yield node, depth, number
        below = []
        last = number - 1
        for child in reversed(node.children):
            below.append((child, depth + 1, last))
            last -= sizes[last]
        pending.extend(below)
