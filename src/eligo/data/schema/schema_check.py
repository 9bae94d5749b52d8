"""What in an expression contradicts a schema? Every violation, each at its place when the expression came as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from eligo.data.schema.attribute import Attribute, with_article
from eligo.data.schema.hierarchy import Hierarchy
from eligo.data.schema.kind_advice import kind_advice
from eligo.errors import ExpressionError, SchemaMismatchError, UnknownAttributeError
from eligo.language.canonical import attribute_text, value_text
from eligo.language.paths import date_node_range
from eligo.language.quantified import Joined, Quantified
from eligo.language.text.suggest import nearest
from eligo.language.tree import (
    Comparison,
    ContainsAll,
    Exists,
    Expression,
    IsMissing,
    IsTrue,
    Predicate,
    RangePredicate,
    StartsWith,
    Under,
    postorder,
)
from eligo.language.value import Scalar, kind_of

NEAR = 0.6
"""How like a name must be to one of the schema to be suggested for it."""


def violations(
    attributes: Mapping[str, Attribute], expression: Any, *, is_partial: bool = False
) -> list[ExpressionError]:
    """Every violation of a tree, or of a `Source` with its text, tree and positions, in the order of the text.

    Of a schema that is partial, attributes that it does not have may be anything.
    """
    source = None if isinstance(expression, Expression) else expression
    tree: Expression = expression if source is None else source.tree
    found: list[ExpressionError] = []
    for index, node in enumerate(postorder(tree)):
        if isinstance(node, Quantified):
            for place, leaf in enumerate(postorder(node.body)):
                errors = list(_leaf_violations(attributes, leaf, is_partial))
                found += errors if source is None else _placed(errors, source, index, place)
        else:
            errors = list(_leaf_violations(attributes, node, is_partial))
            found += errors if source is None else _placed(errors, source, index)
    return found


def _placed(errors: list[ExpressionError], source: Any, *place: int) -> list[ExpressionError]:
    """The errors with the place of their node."""
    for error in errors:
        error.text, error.position = source.text, source.position(*place)
    return errors


def _leaf_violations(
    attributes: Mapping[str, Attribute], leaf: Expression, is_partial: bool
) -> Iterator[ExpressionError]:
    """Those of a predicate on the event; of a document nothing is known but what a comparison asks of the event."""
    if isinstance(leaf, Joined):
        attribute = attributes.get(leaf.attribute)
        if attribute is None and not is_partial:
            yield _unknown(leaf.attribute, attributes)
        elif attribute is not None and attribute.kind == "bool" and leaf.operator not in ("=", "!="):
            yield _mismatch(attribute, f"is true or false, which have no order, so '{leaf.operator}' cannot be used")
    elif isinstance(leaf, Predicate) and not (is_partial and leaf.attribute not in attributes):
        yield from _predicate_violations(attributes, leaf)


def _predicate_violations(attributes: Mapping[str, Attribute], predicate: Predicate) -> Iterator[ExpressionError]:
    attribute = attributes.get(predicate.attribute)
    if attribute is None:
        yield _unknown(predicate.attribute, attributes)
        return
    if isinstance(predicate, Exists | IsMissing):
        return
    if isinstance(predicate, IsTrue):
        if attribute.kind != "bool":
            yield _mismatch(attribute, "is no truth value, so it cannot stand alone", "compare it with a value")
    elif isinstance(predicate, StartsWith):
        if attribute.kind != "string":
            yield _mismatch(attribute, "has no prefixes: 'starts with' is for strings")
    elif isinstance(predicate, Under):
        yield from _under_violations(attribute, predicate.nodes)
    else:
        yield from _operand_violations(attribute, predicate)
        if isinstance(predicate, ContainsAll) and not attribute.several:
            yield _mismatch(
                attribute,
                "has one value, so 'contains all' makes no sense",
                f'use =, or declare it as "list[{attribute.kind}]" in the schema',
            )


def _operand_violations(attribute: Attribute, predicate: Predicate) -> Iterator[ExpressionError]:
    """At most one violation of each sort for a predicate, however many operands have it."""
    is_ordered = isinstance(predicate, Comparison | RangePredicate)
    values = predicate.values()
    if is_ordered and attribute.kind == "bool":
        yield _mismatch(attribute, f"is true or false, which have no order, so '{predicate.operator}' cannot be used")
        return
    wrong = [value for value in values if kind_of(value) is not attribute.value_kind]
    yield from _violation(attribute, wrong, _kind_problem(attribute), _kind_help(attribute, wrong))
    fitting = [value for value in values if kind_of(value) is attribute.value_kind]
    if attribute.kind == "int" and not is_ordered:
        fractions = [value for value in fitting if not isinstance(value, int)]
        yield from _violation(attribute, fractions, lambda value: f"is an int, so it is never {value_text(value)}")
        fitting = [value for value in fitting if isinstance(value, int)]
    beyond = [value for value in fitting if attribute.whats_out_of_bounds(value)]
    yield from _violation(attribute, beyond, lambda value: f"cannot be so: {attribute.whats_out_of_bounds(value)}")
    if not is_ordered:
        unlisted = [v for v in fitting if attribute.whats_unlisted(v) and not attribute.whats_out_of_bounds(v)]
        help = _near(unlisted[0], attribute.values) if unlisted else ""
        yield from _violation(
            attribute, unlisted, lambda value: f"cannot be so: {attribute.whats_unlisted(value)}", help
        )


def _under_violations(attribute: Attribute, nodes: Sequence[str]) -> Iterator[ExpressionError]:
    rule = attribute.hierarchy
    if rule == "none" or attribute.kind not in ("string", "date", "timestamp"):
        yield _mismatch(attribute, "has no hierarchy, so 'under' cannot be used")
    elif isinstance(rule, Hierarchy):
        unknown = [node for node in nodes if node not in rule]
        help = _near(unknown[0], tuple(rule)) if unknown else ""
        yield from _violation(attribute, unknown, lambda node: f"has no node {value_text(node)} in its hierarchy", help)
    elif attribute.kind != "string":
        wrong, kind = [node for node in nodes if date_node_range(node) is None], with_article(attribute.kind)
        yield from _violation(
            attribute, wrong, lambda node: f"is {kind}, and {value_text(node)} is no year, month or day",
            "write '2024', '2024/01' or '2024/01/31'",
        )  # fmt: skip


def _violation(
    attribute: Attribute, values: Sequence[Scalar], problem: Callable[[Scalar], str], help: str = ""
) -> Iterator[ExpressionError]:
    if values:
        more = f" (and {len(values) - 1} more like it)" if len(values) > 1 else ""
        yield _mismatch(attribute, f"{problem(values[0])}{more}", help)


def _kind_problem(attribute: Attribute) -> Callable[[Scalar], str]:
    holder = f"holds {attribute.kind}s" if attribute.several else f"is {with_article(attribute.kind)}"
    return lambda value: f"{holder}, and {value_text(value)} is a {kind_of(value).name.lower()}"


def _kind_help(attribute: Attribute, wrong: list[Scalar]) -> str:
    if not wrong:
        return ""
    return kind_advice(wrong[0], {attribute.value_kind})


def _mismatch(attribute: Attribute, problem: str, help: str = "") -> SchemaMismatchError:
    return SchemaMismatchError(f"{attribute_text(attribute.name)} {problem}", help=help)


def _unknown(name: str, attributes: Mapping[str, Attribute]) -> UnknownAttributeError:
    close = nearest(name, attributes, cutoff=NEAR)
    help = f"did you mean {attribute_text(close)}?" if close else "add it to the schema if it is meant"
    return UnknownAttributeError(f"there is no attribute {attribute_text(name)} in the schema", help=help)


def _near(value: Scalar, known: tuple[Scalar, ...]) -> str:
    close = nearest(str(value), [name for name in known if isinstance(name, str)], cutoff=NEAR)
    return f"did you mean {value_text(close)}?" if close else ""
