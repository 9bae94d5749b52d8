"""From what is a schema made? From plain forms, dataclasses and Spark's StructType; see also `json_schema_source`."""

from __future__ import annotations

import dataclasses
import enum
import re
import types
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from datetime import date, datetime
from typing import Any, get_args

from eligo.data.schema.attribute import VALUE_KINDS, Attribute, AttributeKind, HierarchyRule
from eligo.data.schema.hierarchy import Hierarchy
from eligo.errors import SchemaError, shown
from eligo.language.value import Scalar

_LIST_FORM = re.compile(r"list\[\s*(\w+)\s*\]")
DEEPEST = 30
"""Structs or objects within each other; a schema that refers to itself goes deeper."""
_FORM_FIELDS = ("kind", "several", "hierarchy", "low", "high", "values")


def attribute_from_form(name: str, form: Any) -> Attribute:
    """The attribute of "int", of "list[int]", or of {"kind": "int", "several": true, "low": 0, …}."""
    if isinstance(form, Attribute):
        return dataclasses.replace(form, name=name)
    fields: dict[str, Any] = {"kind": form} if isinstance(form, str) else form
    if not isinstance(fields, Mapping):
        raise source_error(
            name, f"{shown(form)} describes no attribute", 'write "int", "list[string]" or {"kind": "int", "low": 0}'
        )
    unknown = sorted(set(fields) - set(_FORM_FIELDS), key=shown)
    if unknown or "kind" not in fields:
        problem = f"{shown(unknown[0])} is not a field of an attribute" if unknown else "it has no kind"
        raise source_error(name, problem, f"fields are {', '.join(_FORM_FIELDS)}")
    kind = fields["kind"]
    found = _LIST_FORM.fullmatch(kind) if isinstance(kind, str) else None
    return Attribute(
        name,
        found.group(1) if found else kind,  # type: ignore[arg-type]
        several=_several(name, fields.get("several")) or found is not None,
        hierarchy=_hierarchy(name, fields.get("hierarchy")),
        low=fields.get("low"),
        high=fields.get("high"),
        values=_listed_values(name, fields.get("values")),
    )


def _several(name: str, given: Any) -> bool:
    if given is not None and not isinstance(given, bool):
        raise source_error(name, f"several is true or false, not {shown(given)}")
    return bool(given)


def _listed_values(name: str, given: Any) -> tuple[Any, ...]:
    if given is None:
        return ()
    if not isinstance(given, list | tuple | set | frozenset):
        raise source_error(name, f"values are a list, not {shown(given)}")
    return tuple(given)


def _hierarchy(name: str, form: Any) -> Hierarchy | HierarchyRule | None:
    if form is None or isinstance(form, Hierarchy):
        return form
    if isinstance(form, Mapping):
        return Hierarchy.from_json(form)
    if isinstance(form, str) and form in get_args(HierarchyRule):
        return typing.cast(HierarchyRule, form)
    raise source_error(
        name, f"{shown(form)} is not a hierarchy", 'write "path", "date", "none" or {"edges": [[child, parent], …]}'
    )


def attribute_form(attribute: Attribute) -> dict[str, Any]:
    """The form of an attribute that JSON can hold."""
    form: dict[str, Any] = {"kind": attribute.kind}
    if attribute.several:
        form["several"] = True
    if attribute.hierarchy is not None:
        rule = attribute.hierarchy
        form["hierarchy"] = rule.to_json() if isinstance(rule, Hierarchy) else rule
    for field in ("low", "high"):
        if (bound := getattr(attribute, field)) is not None:
            form[field] = _json_value(bound)
    if attribute.values:
        form["values"] = [_json_value(value) for value in attribute.values]
    return form


def _json_value(value: Scalar) -> Any:
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat() + "Z"
    return value.isoformat() if isinstance(value, date) else value


_PYTHON_KINDS: dict[type, AttributeKind] = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "string",
    datetime: "timestamp",
    date: "date",
}
_COLLECTIONS = (list, set, frozenset, tuple, Sequence, Set, Collection, Iterable)


def attributes_from_dataclass(given: type) -> Iterator[Attribute]:
    """The attributes of a dataclass's annotations."""
    if not (isinstance(given, type) and dataclasses.is_dataclass(given)):
        raise SchemaError(f"{shown(given)} is not a dataclass", help="pass the class itself")
    pending: list[tuple[str, Any]] = [("", given)]
    while pending:
        path, annotation = pending.pop()
        plain, several = _without_wrappers(annotation)
        if isinstance(plain, type) and dataclasses.is_dataclass(plain) and not several:
            if path.count(".") > 30:
                raise source_error(path, "its dataclasses contain one another without end")
            prefix = f"{path}." if path else ""
            hints = _hints(path, plain)
            names = [field.name for field in dataclasses.fields(plain)]
            pending += [(f"{prefix}{name}", hints[name]) for name in reversed(names)]
        else:
            yield _annotated(path, plain, several)


def _hints(path: str, given: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(given)
    except Exception as error:  # a name in an annotation that cannot be found, or whatever evaluating it raises
        raise source_error(path or given.__name__, f"its annotations cannot be read: {error}") from None


def _without_wrappers(annotation: Any) -> tuple[Any, bool]:
    """The type inside `X | None`, `Annotated[X, …]` and `list[X]`, and whether there was a list."""
    several = False
    while True:
        origin, arguments = typing.get_origin(annotation), get_args(annotation)
        if origin in (typing.Union, types.UnionType):
            plain = [argument for argument in arguments if argument is not type(None)]
            if len(plain) != 1:
                return annotation, several
            annotation = plain[0]
        elif origin is typing.Annotated:
            annotation = arguments[0]
        elif not several and origin in _COLLECTIONS and arguments:
            if origin is tuple and not (len(arguments) == 2 and arguments[1] is Ellipsis):
                return annotation, several
            annotation, several = arguments[0], True
        else:
            return annotation, several


def _annotated(path: str, annotation: Any, several: bool) -> Attribute:
    if typing.get_origin(annotation) is typing.Literal:
        return listed(path, get_args(annotation), several)
    if isinstance(annotation, type):
        if issubclass(annotation, enum.Enum):
            return listed(path, tuple(member.value for member in annotation), several)
        for python, kind in _PYTHON_KINDS.items():
            if annotation is python:
                return Attribute(path, kind, several=several)
    raise source_error(
        path, f"the annotation {annotation!r} has no kind", f"kinds are {', '.join(VALUE_KINDS)}, and lists of them"
    )


def listed(path: str, values: tuple[Any, ...], several: bool) -> Attribute:
    """An attribute that has only these values; its kind is theirs."""
    values = tuple(value for value in values if value is not None)
    kinds = {_PYTHON_KINDS.get(type(value)) for value in values}
    if kinds == {"int", "float"}:
        kinds = {"float"}
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    if kind is None:
        raise source_error(path, f"its values are not of one kind: {', '.join(map(repr, values[:8]))}")
    return Attribute(path, kind, several=several, values=values)


_SPARK_KINDS: dict[str, AttributeKind] = {
    "boolean": "bool",
    "byte": "int",
    "short": "int",
    "integer": "int",
    "long": "int",
    "float": "float",
    "double": "float",
    "string": "string",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ntz": "timestamp",
}
_SPARK_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")
_SPARK_TEXT = re.compile(r"(varchar|char)\(\d+\)|string collate .*")


def attributes_from_spark(struct: Any) -> Iterator[Attribute]:
    """The attributes of a StructType, through its JSON form, so that Spark need not be there."""
    form = struct.jsonValue() if hasattr(struct, "jsonValue") else struct
    if not (isinstance(form, Mapping) and form.get("type") == "struct" and isinstance(form.get("fields"), list)):
        raise SchemaError(f"{shown(struct)} is not a StructType", help="pass frame.schema")
    pending = _spark_fields("", form)
    while pending:
        path, type_form = pending.pop()
        if isinstance(type_form, Mapping) and type_form.get("type") == "struct":
            pending += _spark_fields(f"{path}.", type_form)
            continue
        several = isinstance(type_form, Mapping) and type_form.get("type") == "array"
        kind = _spark_kind(path, type_form.get("elementType") if several else type_form)
        yield Attribute(path, kind, several=several)


def _spark_fields(prefix: str, form: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The names and types of a struct's fields, the last one first."""
    fields = form.get("fields")
    if not isinstance(fields, list):
        raise source_error(prefix.rstrip("."), "its struct has no list of fields")
    if prefix.count(".") > DEEPEST:
        raise source_error(prefix.rstrip("."), f"structs are nested deeper than {DEEPEST}")
    for field in fields:
        if not isinstance(field, Mapping) or not isinstance(field.get("name"), str) or "type" not in field:
            raise SchemaError(f"{shown(field)} is not a field of a StructType", help="pass frame.schema")
    return [(f"{prefix}{field['name']}", field["type"]) for field in reversed(fields)]


def _spark_kind(path: str, type_form: Any) -> AttributeKind:
    if isinstance(type_form, str):
        if type_form in _SPARK_KINDS:
            return _SPARK_KINDS[type_form]
        if found := _SPARK_DECIMAL.fullmatch(type_form):
            return "int" if int(found.group(2)) <= 0 else "float"
        if _SPARK_TEXT.fullmatch(type_form):
            return "string"
    named = type_form.get("type", type_form) if isinstance(type_form, Mapping) else type_form
    raise source_error(path, f"Spark's type {shown(named)} has no kind", "leave the column out, or cast it")


def source_error(name: str, problem: str, help: str = "") -> SchemaError:
    """What is wrong with one attribute of a source."""
    return SchemaError(f"attribute {shown(name)}: {problem}", help=help)
