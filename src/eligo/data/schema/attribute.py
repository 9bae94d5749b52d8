"""What may one attribute hold? Its kind, one value or several, its hierarchy, its bounds, its only values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any, Literal, get_args

from eligo.arguments import is_unicode
from eligo.data.schema.hierarchy import Hierarchy
from eligo.errors import ExpressionValueError, SchemaError, shown
from eligo.language.canonical import value_text
from eligo.language.moment import parse_date, parse_timestamp, without_idle_zeros
from eligo.language.value import Kind, Scalar, canonical_value, identity, kind_of

AttributeKind = Literal["bool", "int", "float", "string", "date", "timestamp"]
"""What the values of an attribute are. An int is a whole number; ints and floats compare as numbers."""

HierarchyRule = Literal["path", "date", "none"]
"""How `under` works where there is no taxonomy: by the steps of a string, by year/month/day, or not at all."""

VALUE_KINDS: dict[str, Kind] = {
    "bool": Kind.BOOL,
    "int": Kind.NUMBER,
    "float": Kind.NUMBER,
    "string": Kind.STRING,
    "date": Kind.DATE,
    "timestamp": Kind.TIMESTAMP,
}


@dataclass(frozen=True)
class Attribute:
    """What one attribute may hold."""

    name: str
    kind: AttributeKind
    several: bool = False
    """Whether an event may give it more than one value."""
    hierarchy: Hierarchy | HierarchyRule | None = None
    """What `under` means; None for the rule that goes with the kind."""
    low: Scalar | None = None
    """The least value, itself allowed."""
    high: Scalar | None = None
    """The largest value, itself allowed."""
    values: tuple[Scalar, ...] = ()
    """The only values allowed; empty when all are."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise SchemaError(f"an attribute's name is a string that is not empty, not {shown(self.name)}")
        if not is_unicode(self.name):
            raise SchemaError(f"an attribute's name is not Unicode text: {shown(self.name)}")
        if not isinstance(self.kind, str) or self.kind not in VALUE_KINDS:
            raise self._error(f"{shown(self.kind)} is not a kind", f"kinds are {', '.join(VALUE_KINDS)}")
        self._check_hierarchy()
        if not isinstance(self.several, bool) or not isinstance(self.values, tuple | list):
            raise self._error("several is true or false, and values are a tuple")
        for field in ("low", "high"):
            if (bound := getattr(self, field)) is not None:
                if self.kind == "bool":
                    raise self._error(f"bool has no order, so no {field} bound")
                object.__setattr__(self, field, self._read(bound))
        object.__setattr__(self, "values", tuple(self._read(value) for value in self.values))
        if self.low is not None and self.high is not None and identity(self.low) > identity(self.high):
            raise self._error(f"low {value_text(self.low)} is above high {value_text(self.high)}")

    def _check_hierarchy(self) -> None:
        rule = self.hierarchy
        if rule is None or (isinstance(rule, str) and rule == "none"):
            return
        if not isinstance(rule, Hierarchy) and not (isinstance(rule, str) and rule in get_args(HierarchyRule)):
            raise self._error(f"{shown(rule)} is not a hierarchy", 'a Hierarchy, "path", "date" or "none"')
        of_strings = rule != "date"
        if of_strings != (self.kind == "string") or (not of_strings and self.kind not in ("date", "timestamp")):
            raise self._error(
                f"a {self.kind} attribute cannot have this hierarchy", "taxonomies and paths are of strings"
            )

    def _error(self, message: str, help: str = "") -> SchemaError:
        return SchemaError(f"attribute {shown(self.name)}: {message}", help=help)

    def _read(self, raw: Any) -> Scalar:
        """A bound or listed value of the schema; dates and timestamps may be ISO text."""
        try:
            value = parse_moment(raw, self.kind) if isinstance(raw, str) else canonical_value(raw)
        except ExpressionValueError as error:
            raise self._error(error.message, error.help) from None
        if kind_of(value) is not self.value_kind:
            raise self._error(f"{value_text(value)} is not {with_article(self.kind)}")
        return value

    @property
    def value_kind(self) -> Kind:
        """The kind that its values have in comparisons: ints and floats are numbers."""
        return VALUE_KINDS[self.kind]

    @property
    def is_restricted(self) -> bool:
        """Whether some values of its kind are not allowed."""
        return self.low is not None or self.high is not None or bool(self.values)

    def whats_wrong(self, value: Scalar) -> str:
        """Why a canonical value cannot be one of this attribute's, or an empty string."""
        if kind_of(value) is not self.value_kind:
            return f"{value_text(value)} is not {with_article(self.kind)}"
        if self.kind == "int" and not isinstance(value, int):
            return f"{value_text(value)} is not a whole number"
        return self.whats_out_of_bounds(value) or self.whats_unlisted(value)

    def whats_out_of_bounds(self, value: Scalar) -> str:
        """Why a value of the right kind is beyond the bounds, or an empty string."""
        if self.low is not None and identity(value) < identity(self.low):
            return f"{value_text(value)} is below the least value, {value_text(self.low)}"
        if self.high is not None and identity(value) > identity(self.high):
            return f"{value_text(value)} is above the largest value, {value_text(self.high)}"
        return ""

    def whats_unlisted(self, value: Scalar) -> str:
        """Why a value is not one of the listed ones, or an empty string."""
        if self.values and identity(value) not in {identity(allowed) for allowed in self.values}:
            shown = ", ".join(map(value_text, self.values[:8])) + (", …" if len(self.values) > 8 else "")
            return f"{value_text(value)} is not one of {shown}"
        return ""


def with_article(kind: str) -> str:
    """The kind as a sentence has it: an int, a float."""
    return f"an {kind}" if kind == "int" else f"a {kind}"


def parse_moment(text: str, kind: str) -> Scalar:
    """The date or timestamp that an ISO text writes, for those kinds; midnight when a timestamp is only a date."""
    if kind == "date":
        return parse_date(text)
    if kind != "timestamp":
        return text
    if len(text) == len("2024-01-31"):
        return datetime.combine(parse_date(text), time(), tzinfo=UTC)
    return parse_timestamp(without_idle_zeros(text))
