"""How are the texts of dates and timestamps read, outside expressions? As within them (see `text.kernels.times`).

Dates are `YYYY-MM-DD`; timestamps `YYYY-MM-DDThh:mm[:ss[.f…]][Z|±hh:mm]`, a space for the `T` allowed, UTC where no
zone is given, at most six decimals. A moment of a table (`read_moment`) is either of these, and may be blank.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time

from eligo.errors import ExpressionValueError

DATE_HELP = "a date is written YYYY-MM-DD, such as 2024-01-31"
TIMESTAMP_HELP = "a timestamp is written YYYY-MM-DDThh:mm:ssZ, such as 2024-01-31T10:00:00Z"

DATE_PATTERN = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?"
_ZONE = r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?"
TIMESTAMP_PATTERN = f"{DATE_PATTERN}[T ]{_TIME}{_ZONE}"
"""What the texts look like, also for Arrow's and Java's regular expressions; not each of them is in the calendar."""

_DATE = re.compile(DATE_PATTERN)
_TIMESTAMP = re.compile(TIMESTAMP_PATTERN)
_LIKE_A_MOMENT = re.compile(
    r"[+-]?[0-9]{4,}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]*)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_IDLE_ZEROS = re.compile(r"(\.[0-9]{6})0+(?=Z|[+-]|$)")


def is_no_moment(text: str) -> bool:
    """Whether a text is written like a date or timestamp and is none: 2024-02-30, the year 12000, or nanoseconds."""
    if not _LIKE_A_MOMENT.fullmatch(text):
        return False
    try:
        (parse_date if _DATE.fullmatch(text) else parse_timestamp)(without_idle_zeros(text))
    except ExpressionValueError:
        return True
    return False


def without_idle_zeros(text: str) -> str:
    """A timestamp's text without zeros after its microseconds, which other programs write."""
    return _IDLE_ZEROS.sub(r"\1", text) if len(text) > len("2024-01-31T10:00:00.000000") else text


def parse_date(text: str) -> date:
    """The date that a text writes."""
    if not _DATE.fullmatch(text):
        raise ExpressionValueError(f"{text!r} is not a date", help=DATE_HELP)
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ExpressionValueError(f"{text!r} is not a day of the calendar", help=DATE_HELP) from None


def parse_timestamp(text: str) -> datetime:
    """The moment, in UTC, that a text writes."""
    if not _TIMESTAMP.fullmatch(text):
        raise ExpressionValueError(f"{text!r} is not a timestamp", help=TIMESTAMP_HELP)
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise ExpressionValueError(
            f"{text!r} is not a moment of the years 1 to 9999 in UTC", help=TIMESTAMP_HELP
        ) from None


def read_moment(text: str) -> datetime | None:
    """The moment, in UTC, that a text of a table names: a timestamp, or the midnight of a date; None when blank."""
    stripped = text.strip()
    if not stripped:
        return None
    if _DATE.fullmatch(stripped):
        return datetime.combine(parse_date(stripped), time(), tzinfo=UTC)
    return parse_timestamp(stripped)
