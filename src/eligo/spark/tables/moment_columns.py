"""How does Spark read a column of texts that name moments? To the same effect as `data/moment_texts.py`."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from eligo.language.moment import DATE_PATTERN, TIMESTAMP_PATTERN


def moment_of_text(text: Column) -> Column:
    """The moment that a text names, as a timestamp; null for what names none."""
    trimmed = F.trim(text)
    is_timed = trimmed.rlike(f"^{TIMESTAMP_PATTERN}$")
    has_zone = trimmed.rlike("(Z|[+-][0-9]{2}:[0-9]{2})$")
    # Spark takes no zone after minutes.
    with_seconds = F.regexp_replace(trimmed, "^(.{10}.[0-9]{2}:[0-9]{2})(Z|[+-].*)?$", "$1:00$2")
    with_zone = F.when(is_timed & has_zone, with_seconds).when(is_timed, F.concat(with_seconds, F.lit("Z")))
    with_zone = with_zone.when(trimmed.rlike(f"^{DATE_PATTERN}$"), F.concat(trimmed, F.lit(" 00:00:00Z")))
    return F.when(~trimmed.startswith("0000"), F.try_to_timestamp(with_zone))


def date_of_text(text: Column) -> Column:
    """The day that a text names; null for what names none."""
    trimmed = F.trim(text)
    is_date = trimmed.rlike(f"^{DATE_PATTERN}$") & ~trimmed.startswith("0000")
    return F.when(is_date, trimmed.try_cast("date"))
