"""Which files need not be read whole again? Those that this process, or another of the user, has verified.

A file is known by device, inode, size and the times of its last change, in nanoseconds, and by its own checksum. The
kernel sets the time of the last change (ctime) at every write, and no program can set it back; so a file that was
changed since, in place or by another one under its name, is another file here. Where that does not hold nothing is
remembered, and the file is read whole each time:

- on file systems that are not known to keep such times, as those of networks and of user space may not;
- within two seconds of a change, because a second change may fall on the same tick of the kernel's clock.
"""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from eligo.storage import verified_marks

SETTLED_NS = 2_000_000_000
"""So long after its last change a file is known by its times: far more than a tick of any kernel's clock."""

KEEPS_CHANGE_TIMES = frozenset(("btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "tmpfs", "xfs", "zfs"))
"""File systems whose times of change the kernel of this machine sets."""

MOST_REMEMBERED = 100_000


class FileIdentity(NamedTuple):
    """What distinguishes the content of a file from any other that this machine has had since it was started."""

    device: int
    inode: int
    num_bytes: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, found: os.stat_result) -> FileIdentity:
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    @property
    def is_settled(self) -> bool:
        """Whether every later change gives another identity."""
        age = time.time_ns() - max(self.mtime_ns, self.ctime_ns)
        return age >= SETTLED_NS and file_system_of(self.device) in KEEPS_CHANGE_TIMES


_verified: set[tuple[FileIdentity, int]] = set()
"""What this process has verified: identities and checksums of files. Each step that changes it is one of the
interpreter's, so there is no lock that a forked process, or a signal handler, could find held for ever."""
_file_systems: dict[int, str] = {}
"""By device."""


def is_verified(identity: FileIdentity, checksum: int) -> bool:
    """Whether the file has been verified since its last change, here or by another process that left a mark."""
    if (identity, checksum) in _verified:
        return True
    if not identity.is_settled or not verified_marks.is_marked(_mark(identity, checksum)):
        return False
    _remember(identity, checksum)
    return True


def note_verified(identity: FileIdentity, checksum: int, *, began_settled: bool) -> None:
    """Remember a file that was read whole; `began_settled` says that it was settled before the reading began."""
    if began_settled:
        _remember(identity, checksum)
        verified_marks.mark(_mark(identity, checksum))


def forget() -> None:
    """Verify every file again; marks of other processes count as before."""
    _verified.clear()
    _file_systems.clear()


def _remember(identity: FileIdentity, checksum: int) -> None:
    if len(_verified) >= MOST_REMEMBERED:
        _verified.clear()
    _verified.add((identity, checksum))


def _mark(identity: FileIdentity, checksum: int) -> str:
    return "-".join(f"{part:x}" for part in (*identity, checksum))


def file_system_of(device: int) -> str:
    """The type of the file system that a device is mounted with; empty when the kernel does not say."""
    known = _file_systems.get(device)
    if known is None:
        _file_systems.update(_mounted())
        known = _file_systems.setdefault(device, "")
    return known


def _mounted() -> dict[int, str]:
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as lines:
            found = {}
            for line in lines:
                before, _, after = line.partition(" - ")
                major, _, minor = before.split()[2].partition(":")
                found[os.makedev(int(major), int(minor))] = after.split()[0]
            return found
    except (OSError, ValueError, IndexError):
        return {}
