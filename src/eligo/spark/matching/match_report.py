"""How does a job over events get its report? Its events are counted once more, which makes no pairs.

Where some could not be read, a second pass brings the first of them.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from eligo.data.file_format import FileFormat
from eligo.index.events.event_source import EventColumns
from eligo.index.stored.opened_version import IndexVersion, index_version
from eligo.index.written.table_files import DELIMITER
from eligo.report.job_pages import match_page
from eligo.report.match_summary import MatchSummary
from eligo.report.page import Report
from eligo.spark.matching.count import count
from eligo.spark.matching.match import rejects
from eligo.spark.session.job_description import described
from eligo.spark.session.worker_errors import worker_errors
from eligo.spark.tables.event_files import EventFile, open_event_file
from eligo.spark.tables.events import EventOptions

MOST_REJECTS = 50
"""So many of the events that could not be read are shown."""


def match_report(
    spark: SparkSession,
    index: str,
    events: str,
    summary: MatchSummary,
    *,
    columns: EventColumns | None = None,
    format: FileFormat | None = None,
    delimiter: str = DELIMITER,
) -> Report:
    """A report on a job over a file of events, for the version that the job asked."""
    version = index_version(index, summary.version)
    opened = version.open()
    file = open_event_file(
        spark, events, version, columns or EventColumns(), format=format, needs_id=False, delimiter=delimiter
    )
    with described(spark, f"eligo report: {events} against {index}"), worker_errors():
        counts = count(file.events, version, **file.options).toArrow()
        refused = _refused(file, version) if summary.num_rejected else ()
    view = opened.view()
    return match_page(
        events, index, summary, counts=counts, ids=view.ids, texts=view.texts, text_of=opened.text, rejects=refused
    )


def _refused(file: EventFile, version: IndexVersion) -> list[tuple[Any, ...]]:
    """The first events that could not be read: event, error and advice."""
    options: EventOptions = {**file.options, "event_id": ()}
    rows = rejects(file.events, version, **options).limit(MOST_REJECTS).collect()
    return [(row["event"], row["error"], row["help"] or "") for row in rows]
