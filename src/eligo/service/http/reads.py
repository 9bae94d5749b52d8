"""What do all questions have in common? A tenant, a moment that counts as now, and a write that must be seen."""

from __future__ import annotations

from datetime import UTC, datetime

from eligo.service.http.problems import HttpProblem, too_busy
from eligo.service.service import Service


def moment_of(text: str | None) -> datetime | None:
    """The moment of `?at=`; without a zone it is UTC."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise HttpProblem(
            422, f"at={text[:40]!r} is no moment", help="write at=2026-11-18T09:00:00Z", name="parameter"
        ) from None


async def seen_up_to(service: Service, min_seq: str | int | None, most_seconds: float) -> None:
    """Wait, not for long, until a write is seen."""
    if min_seq is None:
        return
    try:
        wanted = int(min_seq)
        if not 0 <= wanted < 2**63:
            raise ValueError
    except ValueError:
        raise HttpProblem(422, f"min_seq={min_seq!r:.40} is no number", name="parameter") from None
    if service.seq >= wanted:
        return
    if not await service.wait_for_in_loop(wanted, most_seconds):
        raise too_busy(503, f"the write {wanted} is not seen here yet; {service.seq} is the last")
