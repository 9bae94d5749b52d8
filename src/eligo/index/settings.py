"""What does a set of expressions mean? Its settings say: one object, from the first expression to the last version.

    build(…), spark.build(…) ──▶ Settings ──▶ parts, tails, views ──▶ answers
                                  ▲    │
                 open, update, …  │    ▼  publish
                              StoredSettings  ⇄  manifest.json

Equal expressions under equal settings match equal events, whoever asks. Limits bound what comes in, not what is there
already, so they are given anew whenever an index is opened, and are not stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from eligo.arguments import instance
from eligo.data.schema.hierarchy import Hierarchy
from eligo.data.schema.schema import Schema, as_schema
from eligo.engines import registry
from eligo.language.evaluate import Missing, check_policy, checked_hierarchies
from eligo.language.limits import DEFAULT_LIMITS, UNBOUNDED, Limits
from eligo.ranges.list_choice import RangeLists, checked_range_lists
from eligo.storage.stored_settings import StoredSettings


@dataclass(frozen=True)
class Settings:
    """What expressions mean, and what they are turned into."""

    missing: Missing = "unknown"
    """What a predicate on a missing attribute is."""
    engine: str = registry.DEFAULT_ENGINE
    """The name of the engine that answers for what is frozen; "auto" has one chosen for each shard."""
    schema: Schema | None = None
    """What is known of the attributes in advance."""
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """By attribute; those of the schema too."""
    limits: Limits = DEFAULT_LIMITS
    """Bounds of expressions that come in, and of events."""
    ranges: RangeLists = "auto"
    """What lists the ranges of ordered attributes get in engines; see `ranges.list_choice`."""
    known_strings: tuple[str, ...] = ()
    """Attributes of which a schema said so that is no longer asked."""

    @classmethod
    def checked(
        cls,
        *,
        missing: Missing,
        engine: str,
        schema: Schema | Mapping[str, Any] | None,
        hierarchies: Mapping[str, Hierarchy] | None,
        limits: Limits,
        ranges: RangeLists = "auto",
    ) -> Settings:
        """What a caller gave, or an error for what cannot be; `hierarchies` come before those of the schema."""
        check_policy(missing)
        registry.require_name(engine)
        known_ranges = checked_range_lists(ranges)
        known_limits = limits_argument(limits)
        known_schema = as_schema(schema)
        for name, hierarchy in (checked_hierarchies(hierarchies) or {}).items():
            instance(hierarchy, f"hierarchies[{name!r}]", Hierarchy, "a Hierarchy")
        own_hierarchies = known_schema.hierarchies() if known_schema is not None else {}
        return cls(
            missing, engine, known_schema, {**own_hierarchies, **(hierarchies or {})}, known_limits, known_ranges
        )

    @classmethod
    def from_stored(cls, stored: StoredSettings, limits: Limits = DEFAULT_LIMITS) -> Settings:
        """Those of a version; an error for an engine, schema, hierarchy or kind of lists that there is not."""
        registry.require_name(stored.engine)
        return cls(
            stored.missing,
            stored.engine,
            Schema.from_json(stored.schema) if stored.schema is not None else None,
            {name: Hierarchy.from_json(cast(Any, form)) for name, form in stored.hierarchies.items()},
            limits,
            checked_range_lists(stored.ranges),
        )

    def to_stored(self) -> StoredSettings:
        """What a manifest keeps of them."""
        return StoredSettings(
            missing=self.missing,
            engine=self.engine,
            ranges=self.ranges,
            schema=self.schema.to_json() if self.schema is not None else None,
            hierarchies={name: self.hierarchies[name].to_json() for name in sorted(self.hierarchies)},
        )

    def with_schema(self, schema: Schema | None) -> Settings:
        """The same with another schema; hierarchies stay, and without one what was known to be strings."""
        return replace(self, schema=schema, known_strings=self.only_strings if schema is None else ())

    @property
    def only_strings(self) -> tuple[str, ...]:
        """The attributes whose values, by the schema, are strings: no event with any other gets past it."""
        by_schema = (attribute.name for attribute in self.schema or () if attribute.kind == "string")
        return (*self.known_strings, *by_schema)

    @property
    def unbounded(self) -> Settings:
        """The same for expressions that were within their limits when they came."""
        return replace(self, limits=UNBOUNDED)


def limits_argument(limits: Any) -> Limits:
    """What a caller gave as limits."""
    return instance(limits, "limits", Limits, "a Limits", help="write Limits(depth=1_000)")
