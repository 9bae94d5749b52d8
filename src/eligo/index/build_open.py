"""How does one come by an index? It is built from expressions, or opened from a directory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import pyarrow as pa

from eligo.arguments import flag, instance, number, one_of, whole_number
from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_chunks import ExpressionChunks, ReadingRules
from eligo.data.expressions.expression_source import OnDuplicate
from eligo.data.foreign_tables import capsule_reader, is_capsule, is_pandas, read_once
from eligo.data.schema.hierarchy import Hierarchy
from eligo.data.schema.schema import Schema
from eligo.engines import registry
from eligo.errors import InputError
from eligo.index.bounded_build import build_part
from eligo.index.index import Index
from eligo.index.live.due_merge import MERGE_AT
from eligo.index.live.live_part import LivePart
from eligo.index.memory import give_back
from eligo.index.part import Events
from eligo.index.settings import Settings, limits_argument
from eligo.index.stored.files import read_parts
from eligo.language.evaluate import Missing
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.ranges.list_choice import RangeLists
from eligo.storage.manifest import Manifest
from eligo.storage.spilled.spilled_table import spill_table
from eligo.stores.address import named


def open(
    path: str | os.PathLike[str],
    *,
    version: int | None = None,
    manifest: Manifest | None = None,
    verify: bool = True,
    trust: bool = True,
    limits: Limits = DEFAULT_LIMITS,
    merge_at: float | None = MERGE_AT,
) -> Index:
    """Open the live version of a saved index, an older one by its number, or the one of a manifest read before.

    Checksums are compared unless that was done since the files were last changed; `verify=False` never compares them: a
    damaged file may then give wrong answers or end the process. `trust=False`, for an index from somewhere else, looks
    at every element of every array first: what would lead a kernel outside of its arrays is refused. `limits` and
    `merge_at` are for expressions that will be inserted; see `build`.
    """
    path = named(path)
    if version is not None:
        version = whole_number(version, "version", least=1)
    if manifest is not None:
        instance(manifest, "manifest", Manifest, "one that was read before")
    verify, trust, merge_at = flag(verify, "verify"), flag(trust, "trust"), _checked_merge_at(merge_at)
    limits = limits_argument(limits)
    manifest, parts = read_parts(path, version=version, manifest=manifest, verify=verify or not trust, trust=trust)
    return Index(parts, Settings.from_stored(manifest.settings, limits), merge_at=merge_at, opened=(path, manifest))


MANY = 100_000
"""Of so many expressions or more, what building has freed is given back to the system at once."""


def build(
    expressions: Any,
    *,
    missing: Missing = "unknown",
    engine: str = registry.DEFAULT_ENGINE,
    ranges: RangeLists = "auto",
    schema: Schema | Mapping[str, Any] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    sample: Events | None = None,
    merge_at: float | None = MERGE_AT,
    on_error: Literal["raise", "reject"] = "raise",
    id: str = "id",
    expression: str = "expression",
    weights: str | None = None,
    on_duplicate: OnDuplicate = "error",
) -> Index:
    """Index expressions.

    `expressions` is a mapping from ids to expressions, an iterable of (id, expression), or an Arrow table, an Arrow
    reader of batches or a pandas frame whose columns `id` and `expression` name, and whose column `weights`, if named,
    has maps from attributes to the weights of predicates that have none of their own. More than a million texts of an
    Arrow table or reader become several shards, built one after another. An expression is a text, a tree, or the JSON
    form, also as text; an id is a string or an int. An id that comes again with another expression is a
    `DuplicateIdError`, also with `on_error="reject"`; with `on_duplicate="last"` the last one counts, and stands where
    the first one did. Bad expressions are reported all together in one `BuildError`, those whose normal form is too
    large for the engine in a `NormalFormTooLargeError`; with `on_error="reject"` the good ones are built, and the bad
    ones are the `rejects` of the index.

    `engine` is the name of one, or "auto": then the expressions, and the sample if there is one, decide, and
    `stats().chosen` says which it is and why. `ranges` says what lists the ranges of ordered attributes get, whatever
    the engine: "segment_tree", "elementary", or "auto", which chooses for each attribute; no answer depends on it.
    `sample` has events like those to come, from which an engine may learn which predicates are rare; it changes no
    answer. `merge_at` is the share of the base that later changes may make up before they are merged into it in the
    background; None leaves merging to `Index.merge`.
    """
    one_of(on_error, "on_error", ("raise", "reject"))
    settings = Settings.checked(
        missing=missing, engine=engine, schema=schema, hierarchies=hierarchies, limits=limits, ranges=ranges
    )
    merge_at, sample = _checked_merge_at(merge_at), _checked_sample(sample)
    rules = ReadingRules(settings.schema, settings.limits, id, expression, weights, on_duplicate)
    part, rejects = build_part(_chunks(expressions, rules), settings, sample, on_error=on_error)
    index = Index([LivePart(part)], settings, merge_at=merge_at, sample=sample)
    index.rejects = tuple(rejects)
    if len(index) >= MANY:
        give_back()
    return index


def _chunks(expressions: Any, rules: ReadingRules) -> ExpressionChunks:
    """What is given, read some at a time; what comes batch by batch waits in a file."""
    if isinstance(expressions, pa.Table | pa.RecordBatch) or is_pandas(expressions) or not is_capsule(expressions):
        return ExpressionChunks(expressions, rules)
    waiting = spill_table(capsule_reader(expressions))
    return ExpressionChunks(waiting.table, rules, between=waiting.let_go)


def _checked_merge_at(merge_at: float | None) -> float | None:
    return None if merge_at is None else number(merge_at, "merge_at", least=0, help="a share, or None for never")


def _checked_sample(sample: Events | None) -> Events | None:
    if isinstance(sample, EventBatch):
        raise InputError("a sample is encoded while the index is built", help="give the events themselves")
    sample = read_once(sample)
    return list(sample) if isinstance(sample, Iterator) else sample
