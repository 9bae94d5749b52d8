"""How large is an index, and of what? The sums over its shards, and each shard's own figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from eligo.engines.protocol import EngineStats
from eligo.engines.stored_lists import range_forms
from eligo.index.document_questions import IndexJoins
from eligo.index.live.live_set import LiveSet
from eligo.index.live.live_state import State
from eligo.index.settings import Settings
from eligo.index.shard import Shard
from eligo.joins.asking.part_joins import PartJoinStats

NAMED = "it was asked for by its name"
"""Why an engine, when nothing was chosen."""


class ShardChoice(NamedTuple):
    """The engine that answers for a shard."""

    engine: str
    why: str
    num_expressions: int
    num_bytes: int
    """Of the engine's own arrays."""
    num_segment_trees: int
    num_elementary: int
    """Axes (an ordered attribute has one for each kind of value in its ranges) with such lists; see `ranges`."""


class JoinStats(NamedTuple):
    """What an index holds about documents, and has done with them since it was built, opened or merged."""

    num_joins: int
    """Distinct quantified parts of expressions, in all parts of the index and the tail."""
    num_decided: int
    """Pairs of an event and a quantified part that were decided: an event decides each at most once."""
    parts: tuple[PartJoinStats, ...]
    """For each part of the index that has some, from the oldest to the newest."""


@dataclass(frozen=True, kw_only=True)
class IndexStats(EngineStats):
    """What an index holds; sums over all shards, without the tail, which has figures of its own.

    `num_expressions` counts what is frozen, dead or not. `details` are those of the engine when there is one shard.
    """

    num_live: int
    """Expressions that can match."""
    num_dead: int
    """Frozen expressions that were deleted or replaced; a merge removes them."""
    num_in_tail: int
    """Expressions that came since the last merge or opening."""
    num_merges: int
    """Since it was built or opened: how often parts were made one, in the background or not."""
    merge_seconds: float
    """What that took."""
    last_merge_error: str | None
    """Why the last merge failed; None when it did not, or when there was none."""
    parts: tuple[tuple[EngineStats, ...], ...]
    """For each part, from the oldest to the newest: the figures of its shards."""
    engine: str
    """The engine that was asked for; "auto" has one chosen for each shard."""
    ranges: str
    """What lists for ranges were asked for; "auto" has them chosen for each axis of a shard."""
    chosen: tuple[tuple[ShardChoice, ...], ...]
    """For each part: the engine of each of its shards, and why."""
    joins: JoinStats
    """What it holds about documents."""


def measure(state: State, settings: Settings, live: LiveSet, joins: IndexJoins) -> IndexStats:
    """The figures of an index between two updates."""
    merge_error = live.merge_error
    parts = tuple(tuple(shard.engine.stats() for shard in each.part.shards) for each in state.parts)
    shards = [shard for part in parts for shard in part]
    return IndexStats(
        num_expressions=sum(shard.num_expressions for shard in shards),
        num_nodes=sum(shard.num_nodes for shard in shards),
        num_postings=sum(shard.num_postings for shard in shards),
        num_bytes=sum(shard.num_bytes for shard in shards),
        num_evaluations=sum(shard.num_evaluations for shard in shards),
        details=shards[0].details if len(shards) == 1 else {},
        num_live=state.num_live,
        num_dead=state.num_dead,
        num_in_tail=state.num_in_tail,
        num_merges=live.num_merges,
        merge_seconds=live.merge_seconds,
        last_merge_error=None if merge_error is None else f"{type(merge_error).__name__}: {merge_error}",
        parts=parts,
        engine=settings.engine,
        ranges=settings.ranges,
        chosen=tuple(
            tuple(_choice(shard, of_shard) for shard, of_shard in zip(each.part.shards, of_part, strict=True))
            for each, of_part in zip(state.parts, parts, strict=True)
        ),
        joins=JoinStats(joins.tables.num_distinct, joins.tables.num_decided, tuple(joins.part_stats())),
    )


def _choice(shard: Shard, figures: EngineStats) -> ShardChoice:
    forms = range_forms(shard.engine.range_lists(), shard.engine.vocabulary)
    return ShardChoice(shard.engine.name, shard.why or NAMED, figures.num_expressions, figures.num_bytes, *forms)
