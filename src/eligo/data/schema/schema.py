"""What may attributes hold? A schema: for each attribute its kind, one value or several, its hierarchy and its bounds.

It is optional, and enforced when given: expressions are checked against it with all their violations, and events are
brought to its kinds. Without one, everything is inferred.

    Schema.from_dict({"age": {"kind": "int", "low": 0}, "interests": "list[string]", "day": "date"})
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from eligo.arguments import flag, items, whole_number
from eligo.data.schema.attribute import Attribute
from eligo.data.schema.guards import GUARDS
from eligo.data.schema.hierarchy import Hierarchy
from eligo.data.schema.json_schema_source import attributes_from_json_schema
from eligo.data.schema.schema_check import violations
from eligo.data.schema.schema_events import as_it_is, exact_types, read_event
from eligo.data.schema.schema_sources import (
    attribute_form,
    attribute_from_form,
    attributes_from_dataclass,
    attributes_from_spark,
)
from eligo.errors import EventError, ExpressionError, InputError, SchemaError, shown
from eligo.language.forms.any_form import as_tree
from eligo.language.limits import DEFAULT_LIMITS, Limits, checked_limits
from eligo.language.value import checked_event


class Schema:
    """Attributes by name, in the order given."""

    def __init__(self, attributes: Iterable[Attribute], *, closed: bool = False) -> None:
        self._attributes: dict[str, Attribute] = {}
        for attribute in _checked_attributes(attributes):
            if attribute.name in self._attributes:
                raise SchemaError(f"attribute {attribute.name!r} is in the schema twice")
            self._attributes[attribute.name] = attribute
        self.closed = flag(closed, "closed")
        """Whether an event may have no other attributes."""
        self._exact = exact_types(self)

    @classmethod
    def from_dict(cls, attributes: Mapping[str, Any], *, closed: bool = False) -> Schema:
        """A schema from `{"age": "int", "interests": "list[string]", "score": {"kind": "float", "low": 0}}`."""
        if not isinstance(attributes, Mapping):
            raise SchemaError(
                f"a schema is a mapping from attributes to their kinds, not {shown(attributes)}",
                help='write {"age": "int", "interests": "list[string]"}',
            )
        return cls([attribute_from_form(name, form) for name, form in attributes.items()], closed=closed)

    @classmethod
    def from_dataclass(cls, dataclass: type, *, closed: bool = False) -> Schema:
        """A schema from the annotations of a dataclass; a dataclass within gives dotted names."""
        return cls(attributes_from_dataclass(dataclass), closed=closed)

    @classmethod
    def from_spark(cls, struct: Any, *, closed: bool = False) -> Schema:
        """A schema from a Spark StructType, or from its JSON form; a struct within gives dotted names."""
        return cls(attributes_from_spark(struct), closed=closed)

    @classmethod
    def from_events(cls, events: Any, *, bounds: bool = False, values: int = 0, sample: int = 100_000) -> Schema:
        """A schema that the first events keep to: a table, a frame, mappings, or the path of a file.

        With `bounds` it has the least and the largest values that were seen, and with `values` all of those that are at
        most so many: others are refused from then on.
        """
        from eligo.data.lint.lint_expressions import seen_events

        return seen_events(events, sample=sample).schema(
            bounds=flag(bounds, "bounds"), values=whole_number(values, "values", least=0)
        )

    @classmethod
    def from_json_schema(cls, document: Mapping[str, Any]) -> Schema:
        """A schema from a JSON Schema of an object; `additionalProperties: false` makes it closed."""
        attributes = list(attributes_from_json_schema(document))
        return cls(attributes, closed=document.get("additionalProperties") is False)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Schema:
        """The schema of a JSON document: of `to_json`, of the form of `from_dict`, a JSON Schema, or Spark's form."""
        if not isinstance(document, Mapping):
            raise SchemaError(f"a schema in JSON is an object, not {type(document).__name__}")
        if isinstance(document.get("attributes"), Mapping) and not set(document) - {"attributes", "closed"}:
            return cls.from_dict(document["attributes"], closed=bool(document.get("closed", False)))
        if document.get("type") == "struct" and isinstance(document.get("fields"), list):
            return cls.from_spark(document)
        if "$schema" in document or isinstance(document.get("properties"), Mapping):
            return cls.from_json_schema(document)
        return cls.from_dict(document)

    def to_json(self) -> dict[str, Any]:
        """A form that JSON can hold and `from_json` takes back."""
        forms = {attribute.name: attribute_form(attribute) for attribute in self}
        return {"attributes": forms, "closed": self.closed}

    def check(self, expression: Any) -> list[ExpressionError]:
        """Every violation of an expression: a tree, or a `Source` of `text.parse`, which also gives positions."""
        from eligo.language.text.parse import Source

        known = expression if isinstance(expression, Source) else as_tree(expression)
        return violations(self._attributes, known, is_partial=self.is_partial)

    def check_event(self, event: Mapping[str, Any], *, from_text: bool = False) -> list[EventError]:
        """Everything that is wrong with an event."""
        return self._read(event, from_text)[1]

    def _read(
        self, event: Mapping[str, Any], from_text: bool, limits: Limits = DEFAULT_LIMITS
    ) -> tuple[dict[str, Any], list[EventError]]:
        known, is_text = checked_event(event), flag(from_text, "from_text")
        return read_event(self._attributes, known, from_text=is_text, closed=self.closed, limits=limits)

    def coerce(
        self, event: Mapping[str, Any], *, from_text: bool = False, limits: Limits = DEFAULT_LIMITS
    ) -> dict[str, Any]:
        """The event with flat names and values of the schema's kinds, or an `EventError` for what does not fit.

        ISO strings become dates and timestamps. With `from_text`, as for CSV, all strings are read by their attribute's
        kind. Other attributes stay as they are, unless the schema is closed.
        """
        if type(event) is dict and from_text is False:
            same = as_it_is(event, self._exact, self._attributes, closed=self.closed, limits=checked_limits(limits))
            if same is not None:
                return same
        coerced, errors = self._read(event, from_text, checked_limits(limits))
        if errors:
            raise errors[0]
        return coerced

    @property
    def is_partial(self) -> bool:
        """Whether it only says what tenants and times are, as that of an index that was built without one does."""
        return bool(self._attributes) and not self.closed and all(name in GUARDS for name in self._attributes)

    def is_single(self, name: str) -> bool:
        """Whether an event has at most one value of the attribute; False for an attribute that is not here."""
        attribute = self.get(name)
        return attribute is not None and not attribute.several

    def hierarchies(self) -> dict[str, Hierarchy]:
        """The taxonomies, by attribute."""
        return {a.name: a.hierarchy for a in self if isinstance(a.hierarchy, Hierarchy)}

    @property
    def names(self) -> list[str]:
        return list(self._attributes)

    def get(self, name: str) -> Attribute | None:
        return self._attributes.get(name) if isinstance(name, str) else None

    def __getitem__(self, name: str) -> Attribute:
        if name not in self:
            raise SchemaError(f"there is no attribute {shown(name)} in the schema")
        return self._attributes[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._attributes

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self._attributes.values())

    def __len__(self) -> int:
        return len(self._attributes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and (list(self), self.closed) == (list(other), other.closed)

    def __hash__(self) -> int:
        return hash((tuple(self._attributes), self.closed))

    def __repr__(self) -> str:
        return f"<eligo.Schema of {len(self)} attributes{', closed' if self.closed else ''}>"


def _checked_attributes(attributes: Any) -> Iterator[Attribute]:
    help = "make one from kinds with Schema.from_dict"
    if isinstance(attributes, str | bytes | Mapping) or not isinstance(attributes, Iterable):
        raise SchemaError(f"a schema is made of attributes, not of {shown(attributes)}", help=help)
    for attribute in items(attributes, "attributes"):
        if not isinstance(attribute, Attribute):
            raise SchemaError(f"a schema is made of attributes, and {shown(attribute)} is none", help=help)
        yield attribute


def as_schema(given: Any) -> Schema | None:
    """The schema that a caller gives: one, the form of `Schema.from_dict`, or None."""
    if given is None or isinstance(given, Schema):
        return given
    if isinstance(given, Mapping):
        return Schema.from_dict(given)
    raise InputError(f"schema is a Schema or a mapping from attributes to kinds, not {shown(given)}")
