"""What in an expression can never be true of events like those seen, and can the whole of it never be?

Predicates are judged where they stand (`predicate_judgement`). What is certain of them is put into the negation normal
form: a literal that no event satisfies is false, one on an attribute that no event has is what it is when missing.
When nothing is left that could be true, the expression never matches.

    agee > 18 or agee < 3                    false or false                never-matches
    state = 'CA' and device != 'tv'          no event has a device         never-matches, where missing is unknown
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from eligo.data.lint.predicate_judgement import CERTAIN_RULES, REMARK_RULES, Judgement, judgements
from eligo.data.lint.seen_events import SeenEvents
from eligo.language.lint.finding import Finding, Id
from eligo.language.quantified import Joined, Quantified
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.rewrites.satisfiable import is_never_true
from eligo.language.rewrites.simplify import simplify
from eligo.language.text.parse import Source
from eligo.language.tree import Constant, Expression, IsTrue, Literal, Predicate, distinct_nodes, postorder

if TYPE_CHECKING:
    from eligo.language.evaluate import Missing

EVENT_RULES = (*CERTAIN_RULES, "never-matches", *REMARK_RULES, "no-match-seen")


def event_findings(
    id: Id, source: Source | Expression, events: SeenEvents, missing: Missing, single_valued: Container[str]
) -> Iterator[Finding]:
    """What is to be said of the predicates of an expression, and of the whole of it."""
    tree = source if isinstance(source, Expression) else source.tree
    found = predicate_findings(id, source, events)
    yield from found
    rules = {finding.rule for finding in found}
    if rules & {*CERTAIN_RULES} and _is_never_true(tree, events, missing, single_valued, {*CERTAIN_RULES}):
        yield Finding(id, "never-matches", "no event makes it true, because of what the events do not have")
    elif rules and _is_never_true(tree, events, missing, single_valued, {*CERTAIN_RULES, *REMARK_RULES}):
        yield Finding(id, "no-match-seen", f"none of the {events.num_events:,} events makes it true")


def predicate_findings(id: Id, source: Source | Expression, events: SeenEvents) -> list[Finding]:
    """What is to be said of the predicates of an expression, at their places when it came with its text."""
    tree = source if isinstance(source, Expression) else source.tree
    found = []
    for place, judgement in _judged_places(tree, events):
        finding = Finding(id, judgement.rule, judgement.message, help=judgement.help)
        found.append(finding if isinstance(source, Expression) else _placed(finding, source, place))
    return found


def _judged_places(tree: Expression, events: SeenEvents) -> Iterator[tuple[tuple[int, ...], Judgement]]:
    """The judgements on the predicates of a tree, those in bodies of parts too, with their places."""
    for place, node in enumerate(postorder(tree)):
        if isinstance(node, Quantified):
            for inner, leaf in enumerate(postorder(node.body)):
                if isinstance(leaf, Joined):
                    leaf = IsTrue(leaf.attribute)
                    own = [each for each in judgements(leaf, events) if each.rule == "unknown-attribute"]
                else:
                    own = judgements(leaf, events) if isinstance(leaf, Predicate) else []
                yield from (((place, inner), judgement) for judgement in own)
        elif isinstance(node, Predicate):
            yield from (((place,), judgement) for judgement in judgements(node, events))


def _placed(finding: Finding, source: Source, place: tuple[int, ...]) -> Finding:
    return Finding(
        finding.id,
        finding.rule,
        finding.message,
        help=finding.help,
        text=source.text,
        position=source.position(*place),
    )


def _is_never_true(
    tree: Expression, events: SeenEvents, missing: Missing, single_valued: Container[str], rules: set[str]
) -> bool:
    """Whether nothing is left of the tree when what these rules say of its literals is put in."""
    done: dict[int, Expression] = {}
    nnf = push_negations(tree, missing)
    for node in distinct_nodes(nnf):
        if isinstance(node, Literal):
            done[id(node)] = _decided(node, events, rules)
        elif node.children:
            done[id(node)] = type(node)(tuple(done[id(child)] for child in node.children))  # type: ignore[call-arg]
        else:
            done[id(node)] = node
    simple = simplify(done[id(nnf)], missing=missing, single_valued=single_valued)
    return is_never_true(simple, single_valued)


def _decided(literal: Literal, events: SeenEvents, rules: set[str]) -> Expression:
    """A literal, or what it is of every event."""
    if isinstance(literal.predicate, Quantified):
        return literal
    found = [each for each in judgements(literal.predicate, events) if each.rule in rules and each.is_false]
    if any(each.rule == "unknown-attribute" for each in found):
        return Constant(literal.holds_when_missing)
    is_false = bool(found) and literal.positive and not literal.holds_when_missing
    return Constant(False) if is_false else literal
