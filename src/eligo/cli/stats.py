"""`eligo stats`: what does an index hold, which engine answers and why, and what costs most?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from eligo.cli.build import readable_bytes
from eligo.cli.shared import options
from eligo.cli.shared.console import counted, messages, output
from eligo.index.index import Index
from eligo.index.inspection import Inspection
from eligo.index.stats import IndexStats
from eligo.storage.kept_versions import read_version
from eligo.storage.manifest import Manifest, read_manifest

SHOWN_TEXT = 60
"""Characters of an expression that are shown."""


def stats(
    index: Annotated[str, typer.Argument(help="The directory of the index.", show_default=False)],
    costliest: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Show so many of the expressions that cost most.")
    ] = 5,
    version: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=1, help="This version, not the live one.", show_default=False)
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Tell what an index holds, which engine answers for it and why, how much is shared, and what costs most.

    Expressions are read again, two million of them at most. A cost is how many predicates an event is expected to ask
    of an expression: those that it has, times how often it is entered, guessed from how often expressions ask for the
    same values.

    Examples:
      eligo stats ads.index
      eligo stats ads.index --costliest 20 --json
    """
    from eligo.index.build_open import open as open_index

    manifest = read_manifest(index) if version is None else read_version(index, version)
    opened = open_index(index, manifest=manifest)
    if len(opened) > 100_000:
        messages().print(f"reading {len(opened):,} expressions …")
    found = opened.inspect(costliest=costliest)
    if as_json:
        print(json.dumps(_fields(manifest, opened, opened.stats(), found)))
        return
    for line in _lines(manifest, opened, opened.stats(), found):
        output().print(line)


def _fields(manifest: Manifest, index: Index, held: IndexStats, found: Inspection) -> dict[str, Any]:
    statistics = found.statistics
    return {
        "version": manifest.version,
        "created": manifest.created.isoformat(),
        "missing": index.missing,
        "expressions": held.num_live,
        "deleted": held.num_dead,
        "read": found.num_read,
        "distinct": found.num_distinct,
        "engine": held.engine,
        "ranges": held.ranges,
        "shards": [{"part": number, **shard._asdict()} for number, part in enumerate(held.chosen) for shard in part],
        "bytes": manifest.num_bytes,
        "engine_bytes": held.num_bytes,
        "attributes": len(index.attribute_names),
        "joins": held.joins.num_joins,
        "predicates_per_expression": round(statistics.literals, 2),
        "distinct_predicates": statistics.num_predicates,
        "sharing": round(statistics.sharing, 2),
        "depth": statistics.depth,
        "dnf_growth": statistics.dnf_growth,
        "cnf_growth": statistics.cnf_growth,
        "costliest": [costly._asdict() for costly in found.costliest],
    }


def _lines(manifest: Manifest, index: Index, held: IndexStats, found: Inspection) -> Iterator[str]:
    statistics = found.statistics
    deleted = f", {held.num_dead:,} deleted" if held.num_dead else ""
    updates = f", {counted(len(manifest.deltas), 'update')} on top" if manifest.deltas else ""
    yield f"version       {manifest.version}, published {manifest.created:%Y-%m-%d %H:%M:%S}{updates}"
    read = f"; {found.num_read:,} of them were read" if found.num_read < held.num_live else ""
    yield f"expressions   {held.num_live:,}{deleted}, {found.num_distinct:,} different texts{read}"
    yield f"attributes    {len(index.attribute_names):,}; what is missing is {index.missing}"
    if held.joins.num_joins:
        yield f"joins         {held.joins.num_joins:,} distinct parts about documents"
    yield f"shape         {statistics.literals:.1f} predicates an expression, nested at most {statistics.depth} deep"
    sharing = f"each in {statistics.sharing:.1f} places on average"
    yield f"sharing       {statistics.num_predicates:,} distinct predicates, {sharing}"
    of_engine = readable_bytes(held.num_bytes)
    yield f"bytes         {readable_bytes(manifest.num_bytes)} of files, of which the engine has {of_engine}"
    yield f"engine        {held.engine}"
    for part, shards in enumerate(held.chosen):
        for number, shard in enumerate(shards):
            where = f"{'part ' + str(part + 1) + ', ' if len(held.chosen) > 1 else ''}shard {number + 1}"
            yield f"  {where:<11}  {shard.engine} for {shard.num_expressions:,} expressions: {shard.why}"
    yield f"ranges        {_range_lists(held)}"
    if found.costliest:
        yield "costliest     predicates asked an event, of how many, id and text"
    for costly in found.costliest:
        line = " ".join(costly.text.split())
        text = line if len(line) <= SHOWN_TEXT else f"{line[: SHOWN_TEXT - 1]}…"
        yield f"  {costly.cost:>10.2f}  {costly.num_predicates:>4}  {costly.id}  {text}"


def _range_lists(held: IndexStats) -> str:
    """What lists ranges have, for how many axes of all shards."""
    shards = [shard for part in held.chosen for shard in part]
    trees = counted(sum(shard.num_segment_trees for shard in shards), "axis", "axes")
    elementary = counted(sum(shard.num_elementary for shard in shards), "axis", "axes")
    return f"{held.ranges}: segment trees for {trees}, elementary lists for {elementary}"
