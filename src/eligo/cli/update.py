"""`eligo update`: changed and deleted expressions become a new version of an index."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

import typer

from eligo.cli.build import (
    Duplicates,
    KeepVersions,
    MaxRejects,
    MaxShrink,
    OnDuplicate,
    OrderBy,
    Rejects,
    ShardRows,
    TenantColumn,
    ValidFrom,
    ValidTo,
    WeightsColumn,
    check_bounds,
    check_places,
    deciding_order,
    outcome_of,
    print_outcome,
    read_table,
    shown_rejects,
)
from eligo.cli.shared import options
from eligo.cli.shared.console import ExitCode, counted
from eligo.cli.shared.spark_input import readable_path
from eligo.cli.shared.spark_session import started_session
from eligo.cli.shared.stage_steps import shown_stages
from eligo.cli.shared.steps import Steps
from eligo.errors import InputError


def update(
    index: Annotated[str, typer.Argument(help="The directory of the index.", show_default=False)],
    changed: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="A table of expressions that are new or changed; - is stdin.", show_default=False
        ),
    ] = None,
    deleted: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A table with the ids of expressions to delete.", show_default=False),
    ] = None,
    rejects: Rejects = None,
    format: options.TableFormat = None,
    delimiter: options.Delimiter = ",",
    id_column: options.IdColumn = "id",
    expression_column: options.ExpressionColumn = "expression",
    weights_column: WeightsColumn = None,
    order_by: OrderBy = None,
    on_duplicate: OnDuplicate = Duplicates.ERROR,
    tenant_column: TenantColumn = None,
    valid_from: ValidFrom = None,
    valid_to: ValidTo = None,
    max_rejects: MaxRejects = None,
    max_shrink: MaxShrink = "50%",
    shard_rows: ShardRows = 500_000,
    keep_versions: KeepVersions = 10,
    master: options.Master = "local[*]",
) -> None:
    """Publish a version of an index with some expressions changed or deleted, on Spark; costs what the changes cost.

    A changed row that is rejected leaves the expression as it was. Ids to delete that the index does not have are
    counted. When there is nothing to change, no version is published, and none when more than half of the expressions
    would go, unless --max-shrink allows it. Run eligo compact when there are many updates.

    Examples:
      eligo update ads.index --changed changed.parquet --deleted deleted.csv
      eligo update ads.index --deleted gone.jsonl --id-column ad
    """
    if changed is None and deleted is None:
        raise InputError("there is nothing to update with", help="give --changed, --deleted, or both")
    check_bounds(max_rejects, max_shrink)
    check_places(index, rejects, changed, deleted)
    from eligo.spark import update as update_index
    from eligo.spark.tables import expression_tables

    with shown_rejects(changed or deleted or ""), Steps() as steps, ExitStack() as files:
        changed_path = files.enter_context(readable_path(changed, format)) if changed is not None else None
        deleted_path = files.enter_context(readable_path(deleted, format)) if deleted is not None else None
        spark = started_session(steps, "eligo update", master)
        changed_rows = deleted_rows = None
        if changed_path is not None:
            changed_rows = read_table(
                spark,
                changed_path,
                format,
                id_column,
                expression_column,
                weights_column,
                order_by,
                tenant_column,
                valid_from,
                valid_to,
                delimiter,
            )
        if deleted_path is not None:
            deleted_rows = expression_tables.read_ids(
                spark, deleted_path, format=format, id=id_column, delimiter=delimiter
            )
        summary = update_index(
            index,
            changed_rows,
            deleted_rows,
            id=id_column,
            expression=expression_column,
            weights=weights_column,
            order_by=deciding_order(order_by, on_duplicate),
            tenant=tenant_column,
            valid_from=valid_from,
            valid_to=valid_to,
            target_shard_rows=shard_rows,
            rejects=rejects,
            max_rejects=max_rejects,
            max_shrink=max_shrink,
            keep_versions=keep_versions,
            on_stage=shown_stages(steps, spark),
        )
        unknown = f" ({counted(summary.num_unknown, 'unknown id')})" if summary.num_unknown else ""
        changes = f"{counted(summary.num_accepted, 'expression')} changed, {summary.num_deleted:,} deleted{unknown}"
        live = f"{summary.num_live:,} live in {outcome_of(summary)}"
        steps.finish(f"{changes}; {live}, {counted(summary.num_deltas, 'update')} on top")
    print_outcome(changed or deleted or "", index, rejects, summary)
    raise typer.Exit(ExitCode.FOUND if summary.num_rejected else ExitCode.FINE)
