"""`eligo diff`: what would change for these events?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from eligo.cli.shared import event_options, options
from eligo.cli.shared.console import counted
from eligo.cli.shared.event_command import AskedIndex, EventCommand

if TYPE_CHECKING:
    from eligo.report.match_summary import DiffSummary


def diff(
    old: Annotated[str, typer.Argument(help="The directory of the old index.", show_default=False)],
    new: Annotated[
        str, typer.Argument(help="The directory of the new index; may be the same one.", show_default=False)
    ],
    events: event_options.EventTable,
    out: event_options.Out,
    old_version: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The version of the old index.", show_default="the live one")
    ] = None,
    new_version: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The version of the new index.", show_default="the live one")
    ] = None,
    samples: Annotated[int, typer.Option(metavar="N", min=0, help="How many events to name for a change.")] = 5,
    overwrite: options.Overwrite = False,
    format: options.TableFormat = None,
    out_format: event_options.OutFormat = None,
    delimiter: options.Delimiter = ",",
    event_id_column: options.EventIdColumn = "event_id",
    tenant_column: event_options.TenantColumn = None,
    time_column: event_options.TimeColumn = None,
    rejects: event_options.Rejects = None,
    on_error: event_options.OnError = event_options.BadEvents.REJECT,
    master: options.Master = "local[*]",
) -> None:
    """Compare the matches of two indexes, or of two versions of one, on Spark.

    Writes one row for each expression whose matches differ: whether it was added, removed or changed, how many matches
    it gains and loses, and the ids of some of those events. Expressions that are the same in both are not asked.

    Events that one of the indexes cannot read, such as a line that is not JSON, stay out of the comparison; they are
    counted, and the exit code is 1.

    Examples:
      eligo diff ads.index ads.index events.parquet --old-version 3 --out -
      eligo diff live.index candidate.index events.parquet --out changes.parquet
    """
    from eligo.index.events.event_source import EventColumns
    from eligo.spark.matching.diff_files import diff_files

    command = EventCommand(
        "diff",
        (AskedIndex(old, old_version), AskedIndex(new, new_version)),
        events,
        out,
        EventColumns(event_id_column, tenant_column, time_column),
        format=format,
        out_format=out_format,
        overwrite=overwrite,
        rejects=rejects,
        on_error=on_error,
        master=master,
        delimiter=delimiter,
    )
    command.run(
        lambda job: diff_files(
            job.spark,
            old,
            new,
            job.events,
            job.out,
            old_version=old_version,
            new_version=new_version,
            samples=samples,
            **job.options,
        ),
        _told,
        "stayed out of the comparison",
    )


def _told(summary: DiffSummary, _: str | None) -> str:
    return (
        f"{counted(summary.num_events, 'event')}, {counted(summary.num_changed, 'expression')} would change: "
        f"{summary.num_gained:,} matches gained, {summary.num_lost:,} lost"
    )
