"""How does a JSON Schema describe attributes? By `type`, `format`, `items`, `enum`, `minimum` and `maximum`.

Objects within give dotted names; arrays give attributes with several values; `null` beside another type says nothing,
because any attribute may be missing. What says nothing about kinds (`pattern`, `required`, …) is passed over.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from eligo.data.schema.attribute import Attribute, AttributeKind
from eligo.data.schema.schema_sources import DEEPEST, listed, source_error
from eligo.errors import SchemaError, shown

_KINDS: dict[str, AttributeKind] = {"boolean": "bool", "integer": "int", "number": "float", "string": "string"}
_FORMATS: dict[str, AttributeKind] = {"date": "date", "date-time": "timestamp"}


def attributes_from_json_schema(document: Mapping[str, Any]) -> Iterator[Attribute]:
    """The attributes of a JSON Schema of an object."""
    root = _resolved(document, document, "the schema") if isinstance(document, Mapping) else None
    if root is None or not isinstance(root.get("properties"), Mapping):
        raise SchemaError("a JSON Schema of events describes an object", help='it needs "properties"')
    pending = [(str(name), form) for name, form in reversed(root["properties"].items())]
    while pending:
        path, given = pending.pop()
        form = _resolved(given, document, path)
        if isinstance(form.get("properties"), Mapping):
            if path.count(".") >= DEEPEST:
                raise source_error(path, f"objects are nested deeper than {DEEPEST}", "does it refer to itself?")
            pending += [(f"{path}.{name}", inner) for name, inner in reversed(form["properties"].items())]
            continue
        several = "array" in _types(form)
        if several:
            items = form.get("items")
            if not isinstance(items, Mapping):
                raise source_error(path, "an array without one schema for its items", 'give "items"')
            form = _resolved(items, document, path)
        yield _attribute(path, form, several)


def _resolved(form: Any, document: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """The schema behind `$ref` and behind a choice between it and null."""
    for _ in range(DEEPEST):
        if not isinstance(form, Mapping):
            raise source_error(path, f"{shown(form)} is not a schema that says a kind")
        choices = [
            choice for key in ("anyOf", "oneOf") for choice in _list(form, key, path) if choice != {"type": "null"}
        ]
        if "$ref" in form:
            form = _target(str(form["$ref"]), document, path)
        elif choices:
            if len(choices) > 1:
                raise source_error(path, "a choice between several schemas has no single kind")
            form = choices[0]
        else:
            return form
    raise source_error(path, "its references go in a circle")


def _target(reference: str, document: Mapping[str, Any], path: str) -> Any:
    target: Any = document
    if not reference.startswith("#"):
        raise source_error(path, f"the reference {reference!r} leaves the document", "put it under $defs")
    for step in reference[1:].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(target, Mapping) or name not in target:
            raise source_error(path, f"the reference {reference!r} leads nowhere")
        target = target[name]
    return target


def _types(form: Mapping[str, Any]) -> list[str]:
    given = form.get("type", [])
    names = given if isinstance(given, list | tuple) else [given]
    return [name if isinstance(name, str) else shown(name) for name in names if name != "null"]


def _list(form: Mapping[str, Any], key: str, path: str) -> list[Any]:
    given = form.get(key, [])
    if not isinstance(given, list | tuple):
        raise source_error(path, f"{key} is a list, not {shown(given)}")
    return list(given)


def _attribute(path: str, form: Mapping[str, Any], several: bool) -> Attribute:
    names = _types(form)
    if set(names) == {"integer", "number"}:
        names = ["number"]
    listed_values = _list(form, "enum", path) if "enum" in form else [form["const"]] if "const" in form else []
    values = tuple(value for value in listed_values if value is not None)
    if not names and values:
        return listed(path, values, several)
    if len(names) != 1 or names[0] not in _KINDS:
        shown = f"the type {names[0]!r} has no kind" if len(names) == 1 else "it needs one type"
        raise source_error(path, shown, f"types are {', '.join(_KINDS)}, and arrays of them")
    kind = _KINDS[names[0]]
    if kind == "string":
        kind = _FORMATS.get(str(form.get("format")), kind)
    low, high = _bounds(path, form, kind) if kind in ("int", "float") else (None, None)
    return Attribute(path, kind, several=several, low=low, high=high, values=values)


def _bounds(path: str, form: Mapping[str, Any], kind: str) -> tuple[int | float | None, int | float | None]:
    """The bounds with both ends in; an exclusive bound moves to the next number of the kind."""
    for name in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        if isinstance(form.get(name), bool) or not isinstance(form.get(name, 0), int | float):
            raise source_error(path, f"{name} is not a number", "write bounds as in JSON Schema 2020-12")
    lows = [form["minimum"]] if "minimum" in form else []
    highs = [form["maximum"]] if "maximum" in form else []
    if "exclusiveMinimum" in form:
        lows.append(_next(form["exclusiveMinimum"], math.inf, kind))
    if "exclusiveMaximum" in form:
        highs.append(_next(form["exclusiveMaximum"], -math.inf, kind))
    return max(lows, default=None), min(highs, default=None)


def _next(bound: int | float, towards: float, kind: str) -> int | float:
    if kind == "int":
        return math.floor(bound) + 1 if towards > 0 else math.ceil(bound) - 1
    return math.nextafter(float(bound), towards)
