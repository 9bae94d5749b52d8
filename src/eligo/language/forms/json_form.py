"""How is an expression written in JSON? One object a node; `expression.schema.json` beside this file is its schema.

{"and": [{"attribute": "age", "operator": "between", "low": 18, "high": 24},
         {"not": {"attribute": "device", "operator": "=", "value": "tv"}},
         {"attribute": "state", "operator": "in", "values": [{"value": "CA", "weight": 3}, "NY"]}]}
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import resources
from typing import Any

from eligo.errors import JsonFormError, LimitError, shown
from eligo.language.forms.json_part import (
    OUTSIDE,
    as_of_event,
    joined_from_json,
    joined_to_json,
    last_from_json,
    of_document_to_json,
    part_to_json,
)
from eligo.language.forms.json_place import Place, checked
from eligo.language.forms.json_text import read_json, write_json
from eligo.language.forms.json_value import described, value_from_json, value_to_json
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.quantified import QUANTIFIERS, Joined, OfDocument, Quantified
from eligo.language.text.suggest import did_you_mean
from eligo.language.tree import (
    And,
    Between,
    Comparison,
    Constant,
    ContainsAll,
    Equals,
    Exists,
    Expression,
    Greater,
    GreaterOrEqual,
    In,
    IsMissing,
    IsTrue,
    Less,
    LessOrEqual,
    Literal,
    NaryConnective,
    Not,
    NotBetween,
    NotEquals,
    NotIn,
    Or,
    Predicate,
    RangePredicate,
    SetPredicate,
    StartsWith,
    StrongNotIn,
    TextPredicate,
    Under,
    ValuePredicate,
    WeakNotIn,
    WeightedSetPredicate,
    Xnor,
    Xor,
    distinct_nodes,
)
from eligo.language.weight import RULE, weight_of

_CONNECTIVES: dict[str, type[NaryConnective]] = {"and": And, "or": Or, "xor": Xor, "xnor": Xnor}
_NODE_KEYS = (*_CONNECTIVES, "not", "constant", "attribute", *QUANTIFIERS)
_VALUE_KINDS: tuple[type[ValuePredicate], ...] = (Equals, NotEquals, Less, LessOrEqual, Greater, GreaterOrEqual)
_SET_KINDS: tuple[type[SetPredicate], ...] = (In, NotIn, WeakNotIn, StrongNotIn, ContainsAll, Under)
_RANGE_KINDS: tuple[type[RangePredicate], ...] = (Between, NotBetween)
_TEXT_KINDS: tuple[type[TextPredicate], ...] = (StartsWith,)
_BARE_KINDS: tuple[type[Predicate], ...] = (Exists, IsMissing, IsTrue)
_PREDICATES: dict[str, type[Predicate]] = {
    kind.operator: kind for kind in (*_VALUE_KINDS, *_RANGE_KINDS, *_SET_KINDS, *_TEXT_KINDS, *_BARE_KINDS)
}
_WITH_WEIGHT = (Equals, Comparison, Between, TextPredicate)


def schema() -> dict[str, Any]:
    """The JSON Schema of the JSON form."""
    text = resources.files(__package__).joinpath("expression.schema.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


def dumps(tree: Expression, *, indent: int | None = None) -> str:
    """The JSON text of a tree."""
    return write_json(to_json(tree), indent=indent)


def loads(text: str, *, limits: Limits = DEFAULT_LIMITS) -> Expression:
    """The tree of a JSON text."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > limits.length:
        raise LimitError(f"the JSON has {size:,} bytes, more than {limits.length:,}", help="raise Limits.length")
    # A node is an object in a list; below the last node there may be a list of values that are objects.
    return from_json(read_json(text, max_depth=2 * limits.depth + 4), limits=limits)


def to_json(tree: Expression) -> dict[str, Any]:
    """The JSON form of a tree; nodes that the tree shares are shared in it too."""
    document_of: dict[int, dict[str, Any]] = {}
    for node in distinct_nodes(tree):
        if isinstance(node, Quantified):
            document_of[id(node)] = part_to_json(node, to_json(node.body))
        elif isinstance(node, Joined):
            document_of[id(node)] = joined_to_json(node)
        elif isinstance(node, OfDocument):
            document_of[id(node)] = of_document_to_json(_predicate_to_json(node.predicate))
        elif isinstance(node, Predicate):
            document_of[id(node)] = _predicate_to_json(node)
        elif isinstance(node, Constant):
            document_of[id(node)] = {"constant": node.value}
        elif isinstance(node, Not):
            document_of[id(node)] = {"not": document_of[id(node.operand)]}
        elif isinstance(node, Literal):
            raise JsonFormError("a tree in negation normal form has no JSON form", help="write the tree it came from")
        else:
            word = type(node).__name__.lower()
            document_of[id(node)] = {word: [document_of[id(child)] for child in node.children]}
    return document_of[id(tree)]


def _predicate_to_json(predicate: Predicate) -> dict[str, Any]:
    document: dict[str, Any] = {"attribute": predicate.attribute, "operator": predicate.operator}
    if isinstance(predicate, ValuePredicate):
        document["value"] = value_to_json(predicate.value)
    elif isinstance(predicate, RangePredicate):
        document |= {"low": value_to_json(predicate.low), "high": value_to_json(predicate.high)}
    elif isinstance(predicate, TextPredicate):
        document["value"] = predicate.operand
    elif isinstance(predicate, Under) and len(predicate.members) == 1:
        ((document["value"], weight),) = predicate.weighted()
        document |= {"weight": _weight_to_json(weight)} if weight != 1.0 else {}
    elif isinstance(predicate, WeightedSetPredicate):
        document["values"] = [_member_to_json(value, weight) for value, weight in predicate.weighted()]
    elif isinstance(predicate, SetPredicate):
        document["values"] = [value_to_json(value) for value in predicate.members]
    if isinstance(predicate, _WITH_WEIGHT) and predicate.weight != 1.0:
        document["weight"] = _weight_to_json(predicate.weight)
    return document


def _member_to_json(value: Any, weight: float) -> Any:
    return value_to_json(value) if weight == 1.0 else {"value": value_to_json(value), "weight": _weight_to_json(weight)}


def _weight_to_json(weight: float) -> int | float:
    return int(weight) if weight.is_integer() and weight < 1e15 else weight


def from_json(document: Any, *, limits: Limits = DEFAULT_LIMITS) -> Expression:
    """The tree of a JSON form (parsed already: dicts and lists), or a `JsonFormError` that names the place in it."""
    made: dict[int, Expression] = {}
    pending: list[tuple[Any, Place, int, bool]] = [(document, Place(), 1, False)]
    while pending:
        current, place, level, children_done = pending.pop()
        if id(current) in made:
            continue
        below = [] if children_done else _children(current, place)
        if below and level >= limits.depth:
            raise _too_deep(place, limits)
        if below:
            pending.append((current, place, level, True))
            pending.extend((child, step, level + 1, False) for child, step in reversed(below))
        else:
            made[id(current)] = _node(current, place, made, limits)
    tree = made[id(document)]
    if any(isinstance(node, OfDocument | Joined) for node in distinct_nodes(tree)):
        raise Place().error("an attribute of a document stands outside a part about it", OUTSIDE)
    if tree.depth > limits.depth:  # parts that are shared were met at their first place only
        raise _too_deep(Place(), limits)
    return tree


def _too_deep(place: Place, limits: Limits) -> LimitError:
    return LimitError(
        f"{place}: nested more than {limits.depth:,} deep", help="split the expression, or raise Limits.depth"
    )


def _children(document: Any, place: Place) -> list[tuple[Any, Place]]:
    """The documents of the nodes directly below, after a check of the document's outer form."""
    if not isinstance(document, dict):
        raise place.error(
            f"a node is an object, not {described(document)}",
            'write {"and": [...]} or {"attribute": ..., "operator": ...}',
        )
    if "attribute" in document or "document_attribute" in document:
        return []
    if wrong_keys := [key for key in document if not isinstance(key, str)]:
        raise place.error(f"a key is a string, not {shown(wrong_keys[0])}")
    if quantifier := next((word for word in QUANTIFIERS if word in document), None):
        if extra := [key for key in document if key not in (quantifier, "last")]:
            raise place.error(f"{quantifier!r} does not take {shown(extra[0])}", _suggestion(extra[0], ("last",)))
        return [(document[quantifier], place / quantifier)]
    if len(document) != 1 or next(iter(document)) not in _NODE_KEYS:
        wrong = next((key for key in document if key not in _NODE_KEYS), None)
        problem = f"{shown(wrong)} is not a kind of node" if wrong is not None else "a node has one of these keys only"
        raise place.error(problem, _suggestion(wrong, _NODE_KEYS))
    ((word, operand),) = document.items()
    if word == "constant":
        return []
    if word == "not":
        return [(operand, place / word)]
    if not isinstance(operand, list) or len(operand) < 2:
        raise (place / word).error(f"{word!r} takes a list of two nodes or more, not {described(operand)}")
    return [(child, place / word / index) for index, child in enumerate(operand)]


def _node(document: dict[str, Any], place: Place, made: dict[int, Expression], limits: Limits) -> Expression:
    if "document_attribute" in document:
        if "attribute" in document:
            return joined_from_json(document, place)
        predicate = _predicate_from_json(as_of_event(document), place, limits)
        return checked(place, OfDocument, predicate)
    if "attribute" in document:
        return _predicate_from_json(document, place, limits)
    if quantifier := next((word for word in QUANTIFIERS if word in document), None):
        last = last_from_json(document["last"], place / "last") if "last" in document else None
        return checked(place, Quantified, quantifier, made[id(document[quantifier])], last)
    ((word, operand),) = document.items()
    if word == "not":
        return Not(made[id(operand)])
    if word == "constant":
        if not isinstance(operand, bool):
            raise (place / word).error(f"a constant is true or false, not {described(operand)}")
        return Constant(operand)
    return _CONNECTIVES[word](tuple(made[id(child)] for child in operand))


def _predicate_from_json(document: dict[str, Any], place: Place, limits: Limits) -> Predicate:
    operator, attribute = document.get("operator"), document["attribute"]
    kind = _PREDICATES.get(operator) if isinstance(operator, str) else None
    if kind is None:
        problem = "a predicate needs an operator" if operator is None else f"{shown(operator)} is not an operator"
        raise (place / "operator").error(problem, _suggestion(operator, _PREDICATES))
    is_single_node = kind is Under and "values" not in document
    needed = ["value"] if is_single_node else _operand_keys(kind)
    has_weight = is_single_node or issubclass(kind, _WITH_WEIGHT)
    allowed = ["attribute", "operator", *needed, *(["weight"] if has_weight else [])]
    for key in document:
        if not isinstance(key, str) or key not in allowed:
            raise place.error(f"{operator!r} does not take {shown(key)}", _suggestion(key, allowed))
    for key in needed:
        if key not in document:
            raise place.error(f"{operator!r} needs {key!r}")
    if is_single_node:
        own = _weight(document["weight"], place / "weight") if "weight" in document else 1.0
        return checked(place, _one_node, attribute, checked(place / "value", value_from_json, document["value"]), own)
    operands = _operands(kind, document, place, limits)
    weight = {"weight": _weight(document["weight"], place / "weight")} if "weight" in document else {}
    return checked(place, kind, attribute, *operands, **weight)


def _one_node(attribute: str, node: Any, weight: float) -> Predicate:
    return Under(attribute, (node,), weight)


def _operand_keys(kind: type[Predicate]) -> list[str]:
    if issubclass(kind, ValuePredicate | TextPredicate):
        return ["value"]
    if issubclass(kind, RangePredicate):
        return ["low", "high"]
    return ["values"] if issubclass(kind, SetPredicate) else []


def _operands(kind: type[Predicate], document: dict[str, Any], place: Place, limits: Limits) -> list[Any]:
    if not issubclass(kind, SetPredicate):
        return [checked(place / key, value_from_json, document[key]) for key in _operand_keys(kind)]
    members, place = document["values"], place / "values"
    if not isinstance(members, list):
        raise place.error(f"{kind.operator!r} takes a list of values, not {described(members)}")
    if len(members) > limits.set_size:
        raise LimitError(
            f"{place}: {len(members):,} values, more than {limits.set_size:,}",
            help="split the list, use ranges or a hierarchy, or raise Limits.set_size",
        )
    values: list[Any] = []
    weights: list[float] = []
    for index, member in enumerate(members):
        is_weighted = isinstance(member, dict) and member.keys() == {"value", "weight"}
        if is_weighted and not issubclass(kind, WeightedSetPredicate):
            raise (place / index).error(f"{kind.operator!r} takes no weights")
        weights.append(_weight(member["weight"], place / index / "weight") if is_weighted else 1.0)
        where = place / index / "value" if is_weighted else place / index
        values.append(checked(where, value_from_json, member["value"] if is_weighted else member))
    return [values, weights] if issubclass(kind, WeightedSetPredicate) else [values]


def _weight(document: Any, place: Place) -> float:
    if isinstance(document, bool) or not isinstance(document, int | float):
        raise place.error(f"a weight is a number, not {described(document)}")
    weight = weight_of(document)
    if weight is None:
        raise place.error(f"{RULE}, not {shown(document)}")
    return weight


def _suggestion(given: Any, known: Iterable[str]) -> str:
    near = did_you_mean(given, known) if isinstance(given, str) else ""
    return near or f"one of {', '.join(known)}"
