"""When is a change of a service on the disk? Before it is acknowledged, unless something else was said aloud."""

from __future__ import annotations

import re

import typer

_INTERVAL = re.compile(r"interval=(?P<number>[0-9]+(\.[0-9]+)?)(?P<unit>ms|s)")
MOST_SECONDS = 60.0


def read_durability(text: str) -> float | None:
    """None for fsync, else the seconds of `interval=50ms`."""
    if text == "fsync":
        return None
    found = _INTERVAL.fullmatch(text)
    seconds = 0.0 if found is None else float(found["number"]) / (1000 if found["unit"] == "ms" else 1)
    if not 0 < seconds <= MOST_SECONDS:
        raise typer.BadParameter(f"'{text}' is neither fsync nor such as interval=50ms", param_hint="--durability")
    return seconds


def warning_of(seconds: float) -> str:
    """What is said aloud of an interval."""
    return (
        f"warning: a change is acknowledged before it is on the disk; when the machine fails, those of the last "
        f"{seconds:g} s can be lost (--durability)"
    )
