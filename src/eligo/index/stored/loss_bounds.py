"""How much may a new version lose? So many expressions, or such a share of them; so many rows of a table, or a share.

    100        at most a hundred
    0.1        at most a tenth: a float from 0 to 1 is a share
    "10%"      the same, as it is written on a command line; "0.1" and "100" are read as above

A table that is empty by accident, or that no longer says what it did, would otherwise replace a good index in silence.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import NamedTuple, TypeAlias

from eligo.errors import InputError, ShrunkIndexError, TooManyRejectsError, shown

Bound: TypeAlias = int | float | str
"""A number of things, or a share of them."""

MOST_SHRINK = 0.5
"""How much of an index goes without being asked for."""


def checked_bound(bound: object, name: str) -> int | float:
    """The bound as a number (int) or a share (float); an `InputError` names the argument."""
    known = _parsed(bound) if isinstance(bound, str) else bound
    if isinstance(known, int) and not isinstance(known, bool) and known >= 0:
        return known
    if isinstance(known, float) and 0.0 <= known <= 1.0:
        return known
    raise InputError(
        f"{name} cannot be {shown(bound)}",
        help='give a number from 0 on, or a share: a float from 0 to 1, or a text such as "10%"',
    )


class LossBounds(NamedTuple):
    """How much a table and the version made of it may lose."""

    rejects: int | float | None
    """Rows that may be rejected; None where nothing was said."""
    shrink: int | float
    """Expressions fewer than the live version has."""

    @classmethod
    def checked(cls, max_rejects: Bound | None, max_shrink: Bound) -> LossBounds:
        """What a caller gave as `max_rejects` and `max_shrink`."""
        rejects = None if max_rejects is None else checked_bound(max_rejects, "max_rejects")
        return cls(rejects, checked_bound(max_shrink, "max_shrink"))


def _parsed(text: str) -> object:
    stripped = text.strip()
    try:
        if stripped.endswith("%"):
            return float(stripped[:-1]) / 100.0
        return int(stripped) if stripped.isdecimal() else float(stripped)
    except ValueError:
        return None


def most(bound: int | float, total: int) -> int:
    """The largest number that a checked bound allows of a total."""
    # 0.29 means 29 of 100, not what is left of it in binary.
    return bound if isinstance(bound, int) else math.floor(Decimal(repr(bound)) * total)


def check_shrink(bound: int | float, before: int, after: int, where: object) -> None:
    """Refuse a version that has lost too many of the expressions of the live one."""
    lost = before - after
    if lost > most(bound, before):
        left = f"{after:,} of {before:,} expressions" if after else f"none of {before:,} expressions"
        raise ShrunkIndexError(
            f"{where} would be left with {left}, and at most {_words(bound)} may go; nothing was published",
            help='if that is meant, allow it: max_shrink="100%" (--max-shrink 100%), or as much as will go',
        )


def check_rejects(bound: int | float | None, rejected: int, rows: int, where: object) -> None:
    """Refuse a table of which too many rows were rejected; without a bound, one of which all were."""
    if bound is None:
        if rows and rejected == rows:
            raise TooManyRejectsError(
                f"all {rows:,} rows for {where} were rejected; nothing was published",
                help='to publish an index of nothing all the same, give max_rejects="100%" (--max-rejects 100%)',
            )
    elif rejected > most(bound, rows):
        raise TooManyRejectsError(
            f"{rejected:,} of {rows:,} rows for {where} were rejected, and at most {_words(bound)} may be; "
            "nothing was published",
            help="correct the rows, or give a larger max_rejects= (--max-rejects)",
        )


def _words(bound: int | float) -> str:
    return f"{bound:,}" if isinstance(bound, int) else f"{bound * 100:.6g} %"
