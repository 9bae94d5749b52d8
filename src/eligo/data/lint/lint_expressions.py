"""Which of these expressions are probably not meant? Everything that lint finds, with events or a schema at hand too.

Expressions come as `build` takes them. One that cannot be read is a finding like any other, and the rest is looked at.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, get_args

import pyarrow as pa

from eligo.arguments import items, one_of, texts, whole_number
from eligo.data.expressions.expression_source import read_expressions, table_of
from eligo.data.lint.event_files import seen_in_file
from eligo.data.lint.event_findings import EVENT_RULES, event_findings
from eligo.data.lint.seen_events import SAMPLE, SeenEvents
from eligo.data.schema.schema import Schema, as_schema
from eligo.errors import EligoError, ExpressionError, InputError, shown
from eligo.language.evaluate import Missing
from eligo.language.limits import DEFAULT_LIMITS, Limits, checked_limits
from eligo.language.lint.finding import Finding, Id
from eligo.language.lint.lint import RULES, SingleValued, lint_each
from eligo.language.text.parse import Source, parse_source
from eligo.language.tree import Expression

ALL_RULES = ("invalid", "schema", *EVENT_RULES, *RULES)
"""Of a bad expression, of a schema that is not kept, of events that it does not fit, and of expressions alone."""


def lint(
    expressions: Any,
    *,
    events: Any = None,
    schema: Schema | Mapping[str, Any] | None = None,
    missing: Missing = "unknown",
    ignore: Collection[str] = (),
    id: str = "id",
    expression: str = "expression",
    sample: int = SAMPLE,
    limits: Limits = DEFAULT_LIMITS,
) -> list[Finding]:
    """What is probably not meant, expression by expression, in the order of `ALL_RULES` for each.

    `expressions` are a mapping, pairs of id and expression, or a table with the columns `id` and `expression`. `events`
    are a table, a frame, mappings or the path of a file, of which the first `sample` are looked at: attributes that no
    event has, kinds and values that never come, and expressions that for that reason never match are told. A `schema`
    says what may come. `missing` is the policy that the expressions are built with.
    """
    one_of(missing, "missing", get_args(Missing))
    unwanted = set(texts(ignore, "ignore"))
    if unknown := sorted(unwanted - set(ALL_RULES)):
        raise InputError(f"there is no lint rule {shown(unknown[0])}", help=f"the rules are {', '.join(ALL_RULES)}")
    given = _Numbered(expressions, id=id, expression=expression)
    ids = given.ids
    read = read_expressions(given.source, id="id", expression="expression", schema=None, limits=checked_limits(limits))
    found: list[list[Finding]] = [[] for _ in ids]
    for reject in read.rejects:
        found[int(reject.id)].append(_of_error(ids[int(reject.id)], "invalid", reject.error))
    rows = read.ids.to_pylist()
    sources = [
        (ids[row], parse_source(text, limits=limits)) for row, text in zip(rows, read.texts.to_pylist(), strict=True)
    ]
    seen = None if events is None else seen_events(events, sample=sample)
    for row, own in zip(rows, findings_of(sources, seen, as_schema(schema), missing, unwanted), strict=True):
        found[row] += own
    return [finding for own in found for finding in own if finding.rule not in unwanted]


def seen_events(events: Any, *, sample: int = SAMPLE) -> SeenEvents:
    """What the first of some events have, whatever they come as; a path is that of a file."""
    if isinstance(events, SeenEvents):
        return events
    most = whole_number(sample, "sample", least=1)
    if isinstance(events, str | os.PathLike):
        return seen_in_file(os.fspath(events), sample=most)
    return SeenEvents.of(events, sample=most)


def findings_of(
    expressions: Sequence[tuple[Id, Source | Expression]],
    seen: SeenEvents | None,
    schema: Schema | None,
    missing: Missing,
    ignore: Collection[str] = (),
) -> list[list[Finding]]:
    """The findings on each of some good expressions."""
    trees = [(id, source if isinstance(source, Expression) else source.tree) for id, source in expressions]
    known = schema or seen
    by_itself = lint_each(trees, missing=missing, schema=known, rules=[rule for rule in RULES if rule not in ignore])
    found: list[list[Finding]] = []
    for (id, source), own in zip(expressions, by_itself, strict=True):
        other = [_of_error(id, "schema", error) for error in schema.check(source)] if schema is not None else []
        if seen is not None:
            other += event_findings(id, source, seen, missing, SingleValued(known))
        found.append([each for each in (*other, *own) if each.rule not in ignore])
    return found


def _of_error(id: Id, rule: str, error: EligoError) -> Finding:
    if isinstance(error, ExpressionError):
        return Finding(id, rule, error.message, help=error.help, text=error.text, position=error.position)
    return Finding(id, rule, error.message, help=error.help)


class _Numbered:
    """Expressions by their rows, so that none is lost by an id that comes twice."""

    def __init__(self, expressions: Any, *, id: str, expression: str) -> None:
        table = table_of(expressions, id=id, expression=expression)
        self.ids: list[Any]
        self.source: Any
        if table is not None:
            self.ids = table["id"].to_pylist()
            self.source = table.set_column(0, "id", pa.array(range(len(self.ids)), pa.int64()))
            return
        pairs = list(expressions.items()) if isinstance(expressions, Mapping) else _pairs(expressions)
        self.ids = [pair[0] for pair in pairs]
        self.source = dict(enumerate(pair[1] for pair in pairs))


def _pairs(expressions: Any) -> list[Any]:
    if isinstance(expressions, str | bytes) or not isinstance(expressions, Iterable):
        raise InputError(
            f"expressions cannot be read from {shown(expressions)}",
            help="give a mapping {id: expression}, an iterable of (id, expression), or a table",
        )
    pairs = items(expressions, "expressions")
    for number, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InputError(f"item {number} is not a pair of id and expression: {shown(pair)}")
    return pairs
