"""What does an event of odd things get? An answer, the same in every way of asking, or a typed error.

dict            match, match_batch, and the oracle for some expressions: all answer alike, or all refuse
JSON text       damaged lines beside good ones: each is an event or a reject, and no good one is lost
"""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import eligo
from benchmarks.siege.tally import Tally
from benchmarks.siege.worlds import ATTRIBUTES, KINDS, make_world
from eligo import EventBatch
from eligo.errors import EligoError
from eligo.language.evaluate import matches
from eligo.language.tree import Expression


class _Colour(enum.Enum):
    RED = "x"


class _Text(str):
    """A string of a class of its own."""


ODD: tuple[Any, ...] = (
    *(None, float("nan"), float("inf"), -0.0, 2**63, -(2**63) - 1, 10**400, 1e308, 5e-324),
    *(
        "",
        "\0",
        "\ud800",
        "x" * 5_000,
        "x/" * 2_000,
        "\U0010ffff",
        "null",
        _Text("x"),
        b"x",
        b"\xff",
        bytearray(b"x"),
    ),
    *(dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.datetime.min, dt.datetime.max, dt.time(10), dt.timedelta(1)),
    dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=14))),
    dt.datetime(9999, 12, 31, 23, tzinfo=dt.timezone(dt.timedelta(hours=-12))),
    *(decimal.Decimal("1"), decimal.Decimal("0.1"), decimal.Decimal("NaN"), decimal.Decimal("1e400")),
    *(
        np.int8(3),
        np.uint64(2**64 - 1),
        np.float32(0.1),
        np.float16(1),
        np.bool_(True),
        np.str_("x"),
        np.bytes_(b"x"),
    ),
    *(np.datetime64("2024-01-01"), np.datetime64("2024-01-01T00:00:00.000000001"), np.datetime64("NaT")),
    *(np.datetime64("20000-01-01"), np.timedelta64(1, "s"), np.array([1, 2]), np.array(3), np.array([[1], [2]])),
    *(pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-01", tz="Europe/Paris"), pd.NaT, pd.NA, pd.Timedelta(1)),
    *(pd.Timestamp("2024-01-01 00:00:00.000000001"), pd.Series([1, 2])),
    *([], [[]], [[1]], [None, 1], (1, "x"), {1, 2}, {"y": 1}, {"y": {"z": 1}}, {}, {1: 2}, range(3)),
    *(object(), _Colour.RED, ..., type, 1j, lambda: 1, Exception("x")),
)


def fuzz_events(seed: int, number: int) -> Tally:
    """Ask with so many odd events."""
    tally = Tally()
    rng = random.Random(f"events {seed}")
    world = make_world(seed, 60, 1, 60)
    index = eligo.build(list(enumerate(world.trees)), missing=("unknown", "false")[seed % 2])  # type: ignore[arg-type]
    while tally.num_tried < number:
        events = [_event(rng) for _ in range(40)]
        _ask_dicts(index, world.trees, events, rng, tally)
        _ask_json(index, rng, tally)
    return tally


def _event(rng: random.Random) -> dict[Any, Any]:
    event: dict[Any, Any] = {}
    for name in rng.sample(ATTRIBUTES, rng.randrange(1, 4)):
        value = rng.choice(ODD) if rng.random() < 0.4 else rng.choice(rng.choice(KINDS))
        event[name] = [value, rng.choice(rng.choice(KINDS))] if rng.random() < 0.2 else value
    if rng.random() < 0.03:
        event[rng.choice(("x", "x.y", "", "\ud800", 5, None, "n" * 3_000))] = rng.choice(({"y": 1}, 1, "x"))
    return event


def _outcome(ask: Callable[[], Any], what: Callable[[], str], tally: Tally) -> Any:
    """What comes of asking; None for a typed error."""
    try:
        return ask()
    except EligoError:
        return None
    except Exception as error:
        tally.fail(f"{what()}: {type(error).__name__}: {error}"[:500])
        return None


def _ask_dicts(
    index: eligo.Index, trees: list[Expression], events: list[dict[Any, Any]], rng: random.Random, tally: Tally
) -> None:
    good, found = [], []
    for event in events:
        tally.tried()
        shown = lambda event=event: f"match({event!r})"  # noqa: E731
        ids = _outcome(lambda event=event: index.match(event), shown, tally)  # type: ignore[misc]
        tally.counts["events refused" if ids is None else "events answered"] += 1
        place = rng.randrange(len(trees))
        truth = _outcome(lambda event=event, place=place: matches(trees[place], event, index.missing), shown, tally)  # type: ignore[misc]
        if ids is not None and truth is not None and truth != (place in ids):
            tally.fail(f"{shown()}: tree {place} is {truth} for the oracle"[:500])
        if ids is not None:
            good.append(event)
            found.append(ids)
    together = _outcome(lambda: index.match_batch(good), lambda: f"match_batch({good!r})", tally)
    if together is None and good:
        tally.fail(f"each is answered, together they are refused: {good!r}"[:500])
    elif together is not None:
        for row, ids in enumerate(found):
            if together.ids(row) != ids:
                tally.fail(f"alone {ids}, in a batch {together.ids(row)}: {good[row]!r}"[:500])


JSON_VALUES = (None, True, 0, -1, 2**53 + 1, 0.5, 1e300, "", "x", "é", [], [1, "x"], {"y": 1}, [None])


def _ask_json(index: eligo.Index, rng: random.Random, tally: Tally) -> None:
    """Lines of JSON, some of them damaged: as many events and rejects as lines, and the good ones answered."""
    events = [{name: rng.choice(JSON_VALUES) for name in rng.sample(ATTRIBUTES, 3)} for _ in range(40)]
    lines = [json.dumps(event, ensure_ascii=rng.random() < 0.5).encode() for event in events]
    is_damaged = [rng.random() < 0.4 for _ in lines]
    given = [_damaged(line, rng) if harmed else line for line, harmed in zip(lines, is_damaged, strict=True)]
    tally.tried(len(given))
    tally.counts["lines damaged"] += sum(is_damaged)
    batch = _outcome(
        lambda: EventBatch.from_json_lines(given, index.vocabulary, on_error="reject"), lambda: f"{given!r}", tally
    )
    if batch is None:
        tally.fail(f"JSON lines refused as a whole: {given!r}"[:500])
        return
    tally.counts["lines rejected"] += len(batch.rejects)
    is_rejected = [False] * len(given)
    for reject in batch.rejects:
        is_rejected[int(reject.id)] = True
    if batch.num_events + sum(is_rejected) != len(given):
        tally.fail(f"{len(given)} lines became {batch.num_events} events: {given!r}"[:500])
        return
    found = index.engine.match_batch(batch)
    row = 0
    for place, (event, harmed) in enumerate(zip(events, is_damaged, strict=True)):
        if is_rejected[place]:
            if not harmed:
                tally.fail(f"a good line among damaged ones is rejected: {lines[place]!r}"[:500])
            continue
        positions = found.positions[int(found.offsets[row]) : int(found.offsets[row + 1])].tolist()
        row += 1
        if harmed:
            continue
        alone = _outcome(lambda event=event: index.match(event), lambda event=event: f"match({event!r})", tally)  # type: ignore[misc]
        if positions != alone:
            tally.fail(f"a good line among damaged ones is answered otherwise: {lines[place]!r}"[:500])


def _damaged(line: bytes, rng: random.Random) -> bytes:
    """A line with some bytes changed, but no line ends in it."""
    changed = bytearray(line)
    for _ in range(rng.choice((1, 1, 2, 5))):
        place = rng.randrange(len(changed) + 1)
        byte = rng.choice((*b'{}[]",:\\0-+.eE', 0, 0xFF, 0xC3, 0xED, rng.randrange(256)))
        if rng.random() < 0.5 or place == len(changed):
            changed.insert(place, byte)
        else:
            changed[place] = byte
    return bytes(changed).replace(b"\n", b" ").replace(b"\r", b" ")
