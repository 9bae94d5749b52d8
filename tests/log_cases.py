"""How is a log let go as a kill lets it go? Its thread ends and its files close, and nothing more is written."""

from __future__ import annotations

from pathlib import Path

from eligo.storage.log.log import Log


def abandoned(log: Log) -> None:
    """Leave a log as a process that is killed leaves it."""
    if log._flusher is not None:
        log._flusher.stop()
    log._writer.close()


def segment_files(directory: Path) -> list[Path]:
    """The files of a log, the oldest first."""
    return sorted(directory.glob("*.log"))
