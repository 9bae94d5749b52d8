"""What do the reports on jobs tell? Counts for each expression, how selective they are, and what they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo._version import __version__
from eligo.data.expressions.expression_profile import Profile
from eligo.data.expressions.shapes import count_shapes
from eligo.report.match_summary import MatchSummary, told_cache
from eligo.report.page import Report

MOST_MATCHED = 20
NEVER_MATCHED = 100
"""So many of the expressions that match nothing are named."""
SHARING_OF = 100_000
"""Sharing is told of so many expressions, the first ones of the index."""


def match_page(
    events: str,
    index: str,
    summary: MatchSummary,
    *,
    counts: pa.Table,
    ids: pa.Array,
    texts: pa.Array,
    text_of: Callable[[Any], str],
    rejects: Sequence[Sequence[Any]] = (),
    made_at: datetime | None = None,
) -> Report:
    """A report on a job over events.

    `counts` has `expression_id` and `matches` for each expression that matches some event; `ids` and `texts` are those
    of all expressions of the index, and `text_of` gives the text of an id. `rejects` are some of the events that could
    not be read: event, error and advice.
    """
    made = (made_at or datetime.now(UTC)).astimezone(UTC)
    unmatched = np.flatnonzero(~is_matched(ids, counts["expression_id"]))[:NEVER_MATCHED]
    best = counts.sort_by([("matches", "descending"), ("expression_id", "ascending")]).slice(0, MOST_MATCHED)
    best_ids = best["expression_id"].to_pylist()
    return Report(
        title=f"Matches of {events}",
        note=f"against {index}, version {summary.version}",
        facts={
            "made": f"{made:%Y-%m-%d %H:%M} UTC by Eligo {__version__}",
            "index": f"version {summary.version} of {index}",
            "events": f"{summary.num_events:,}, of which {summary.num_rejected:,} rejected",
            "expressions": f"{len(texts):,} in {_shards(summary.num_shards)}, {_size(summary.num_bytes)}",
            "rows written": f"{summary.num_matches:,}",
            **({"store": told_cache(summary.cache).partition(": ")[2].strip()} if any(summary.cache) else {}),
            "time": f"{summary.seconds:.1f} s, {_rate(summary)} events a second",
        },
        stages=summary.stages,
        counts=counts["matches"].to_numpy(),
        num_expressions=len(texts),
        num_events=summary.num_events - summary.num_rejected,
        most_matched=list(zip(best_ids, map(text_of, best_ids), best["matches"].to_pylist(), strict=True)),
        never_matched=[(ids[row].as_py(), texts[row].as_py()) for row in unmatched.tolist()],
        num_rejected=summary.num_rejected,
        rejects=rejects,
        sharing=sharing_of(texts.slice(0, SHARING_OF)),
        sharing_note="" if len(texts) <= SHARING_OF else f"Of the first {SHARING_OF:,} expressions.",
    )


def is_matched(ids: pa.Array, matched: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """For each id: whether it is among those of matched expressions."""
    known = matched.cast(ids.type).combine_chunks()
    return np.asarray(pc.is_in(ids, value_set=known).to_numpy(zero_copy_only=False), np.bool_)


def _shards(number: int) -> str:
    return "1 shard" if number == 1 else f"{number:,} shards"


def _size(num_bytes: int) -> str:
    return f"{num_bytes / 1e6:,.1f} MB" if num_bytes >= 100_000 else f"{num_bytes / 1e3:,.1f} kB"


def _rate(summary: MatchSummary) -> str:
    rate = summary.num_events / max(summary.seconds, 1e-9)
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"


def sharing_of(texts: pa.Array) -> list[dict[str, float]]:
    """Sharing by level of some expressions, as the rows of `Profile.sharing`."""
    shapes, _ = count_shapes(texts)
    levels = shapes.column("level").to_numpy()
    occurrences = shapes.column("occurrences").to_numpy()
    rows = []
    for level in np.unique(levels).tolist():
        own = occurrences[levels == level]
        rows.append(
            {
                "level": level,
                "occurrences": int(own.sum()),
                "distinct": len(own),
                "ratio": float(own.sum() / len(own)),
            }
        )
    return rows


def profile_page(title: str, found: Profile, seconds: float) -> Report:
    """A report on a table of expressions."""
    tables = {
        "Most frequent predicates": (found.predicates.column_names, _rows(found.predicates)),
        "Attributes": (found.attributes.column_names, _rows(found.attributes.slice(0, 50))),
        "Operators": (found.operators.column_names, _rows(found.operators)),
        "Predicates an expression": (found.sizes.column_names, _rows(found.sizes.slice(0, 100))),
        "Depth": (found.depths.column_names, _rows(found.depths)),
    }
    if found.selectivity is not None:
        tables["Selectivity"] = (found.selectivity.column_names, _rows(found.selectivity))
    return Report(
        title=title,
        note="Sharing as in A-Tree 2021, Figure 7: occurrences over distinct, by level.",
        facts={
            "expressions": f"{found.num_expressions:,}, of which {found.num_distinct:,} distinct",
            "rejected": f"{found.num_rejected:,}",
            "predicates": f"{found.predicates_per_expression:.2f} an expression",
        },
        stages={"profile": seconds},
        sharing=found.sharing.to_pylist(),
        tables=tables,
    )


def _rows(table: pa.Table) -> list[list[object]]:
    rows = [list(row.values()) for row in table.to_pylist()]
    return [[round(value, 4) if isinstance(value, float) else value for value in row] for row in rows]
