"""`eligo compact`: an index with updates on top of it becomes one piece again."""

from __future__ import annotations

from typing import Annotated

import typer

from eligo.cli.build import KeepVersions, ShardRows, outcome_of
from eligo.cli.shared import options
from eligo.cli.shared.console import messages
from eligo.cli.shared.spark_session import started_session
from eligo.cli.shared.stage_steps import shown_stages
from eligo.cli.shared.steps import Steps


def compact(
    index: Annotated[str, typer.Argument(help="The directory of the index.", show_default=False)],
    shard_rows: ShardRows = 500_000,
    keep_versions: KeepVersions = 10,
    master: options.Master = "local[*]",
) -> None:
    """Merge the updates of an index into it, on Spark, and publish a version that answers the same.

    Examples:
      eligo compact ads.index
    """
    from eligo.spark import compact as compact_index
    from eligo.storage.manifest import read_manifest

    if not read_manifest(index).deltas:
        messages().print(f"{index} has no updates to merge")
        return
    with Steps() as steps:
        spark = started_session(steps, "eligo compact", master)
        summary = compact_index(
            index,
            spark=spark,
            target_shard_rows=shard_rows,
            keep_versions=keep_versions,
            on_stage=shown_stages(steps, spark),
        )
        steps.finish(f"{summary.num_accepted:,} expressions, {outcome_of(summary)}")
