"""What has a job over events seen and written, and how long did it take?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eligo.stores.cache_usage import CacheUsage

NOT_USED = CacheUsage()


@dataclass(frozen=True)
class MatchSummary:
    """What a job over events has seen and written."""

    num_events: int
    """Read, rejected ones included."""
    num_rejected: int
    num_matches: int
    """Rows written: matches, or counts."""
    version: int
    num_shards: int
    num_bytes: int
    """Of the version's files."""
    stages: Mapping[str, float]
    """Seconds by stage."""
    cache: CacheUsage = NOT_USED
    """Files of a store: those that machines had already, and those that came."""

    @property
    def seconds(self) -> float:
        """In all."""
        return sum(self.stages.values())

    def __str__(self) -> str:
        stages = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.stages.items())
        rate = self.num_events / self.seconds if self.seconds else 0.0
        return (
            f"{self.num_events:,} events, {self.num_rejected:,} rejected, {self.num_matches:,} rows written\n"
            f"version {self.version}: {self.num_shards:,} shards, {self.num_bytes:,} bytes\n"
            f"{told_cache(self.cache)}"
            f"{self.seconds:.1f} s ({stages}), {rate:,.0f} events/s"
        )


def told_cache(cache: CacheUsage) -> str:
    """A line on files of a store; nothing where there were none."""
    if not any(cache):
        return ""
    return (
        f"files of the store: {cache.num_hits:,} cache hits, {cache.num_downloads:,} downloads of "
        f"{cache.num_downloaded_bytes:,} bytes\n"
    )


@dataclass(frozen=True)
class DiffSummary:
    """What a comparison has seen."""

    num_events: int
    """Read, rejected ones included."""
    num_rejected: int
    """That one of the two indexes cannot read; they count for neither."""
    num_changed: int
    """Expressions whose matches differ."""
    num_gained: int
    num_lost: int
    """Matches that only the new index, and only the old one, has."""
    old_version: int
    new_version: int
    seconds: float
