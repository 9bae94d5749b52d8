"""Does a service answer from a damaged log? A short one is cut, and a bit of it is flipped, at every byte.

Each time the directory is opened as after a kill. What comes is a typed error that names the file, or everything that
was acknowledged.
"""

from __future__ import annotations

import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.siege.silence import in_silence
from benchmarks.siege.tally import Tally
from eligo.errors import EligoError, StorageError
from eligo.service.records import Publish, PutExpression, PutSubscription
from eligo.service.service import Service

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@in_silence()
def damage_logs(seed: int, number: int) -> Tally:
    """Damage a log so many times; the seeds of several calls say where each begins."""
    tally = Tally()
    first = seed % 1_000_000
    with tempfile.TemporaryDirectory() as directory:
        whole = Path(directory) / "whole"
        expected = _made(whole)
        path = Path(directory) / "x"
        log = next((whole / "log").glob("*.log")).relative_to(whole)
        good = (whole / log).read_bytes()
        for place in range(first, first + number):
            byte, is_cut = place // 2 % len(good), place % 2 == 0
            bit = place // 2 // len(good) % 8
            shutil.rmtree(path, ignore_errors=True)
            shutil.copytree(whole, path)
            changed = good[:byte] if is_cut else good[:byte] + bytes([good[byte] ^ 1 << bit]) + good[byte + 1 :]
            (path / log).write_bytes(changed)
            tally.tried()
            tally.counts["logs cut" if is_cut else "bits flipped"] += 1
            _judge(path, log, expected, f"byte {byte} {'cut' if is_cut else f'bit {bit} flipped'}", tally)
        tally.counts["bytes of the log"] = len(good) if first == 0 else 0
    return tally


def _made(path: Path) -> dict[str, Any]:
    """A service as a killed process leaves it; what it has acknowledged."""
    aside = path.with_name("living")
    with Service.open(aside) as service:
        service.write(PutSubscription(name="s", expression="k > 1"))
        for number in range(3):
            service.write(PutExpression(id=f"e{number}", expression=f"k = {number}"))
        document = msgspec.Raw(b'{"k": 2}')
        service.write(Publish(document=document, time=NOW, source="/s", id="1"))
        shutil.copytree(aside, path)
        return content(service)


def content(service: Service) -> dict[str, Any]:
    """What a service has."""
    return {
        "seq": service.seq,
        "expressions": sorted((str(each.id), each.expression, bytes(each.metadata)) for each in service.expressions),
        "documents": dict(service.documents.snapshot().documents()),
        "waiting": {name: service.subscriptions.counts(name) for name in sorted(service.subscriptions)},
    }


def _judge(path: Path, log: Path, expected: dict[str, Any], what: str, tally: Tally) -> None:
    try:
        service = Service.open(path)
    except StorageError as error:
        tally.counts["refused with a typed error"] += 1
        if log.name not in str(error) and "log" not in str(error):
            tally.fail(f"{what}: refused without saying where: {error}")
        return
    except EligoError as error:
        tally.fail(f"{what}: {type(error).__name__}: {error}")
        return
    except Exception as error:
        tally.fail(f"{what}: not ours: {type(error).__name__}: {error}")
        return
    found = content(service)
    service.close()
    if found != expected:
        tally.fail(f"{what}: it answers, and does not have what was acknowledged")
    else:
        tally.counts["everything there"] += 1
