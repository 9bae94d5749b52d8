"""On top of which version may a publisher put its own? On the one that it started from, unless it says otherwise.

    a number     the version that the publisher has seen; 0 for a path where nothing has been published yet
    a manifest   the same, and its content too: a directory that was removed and made anew counts its versions anew
    "any"        whatever is live is replaced, with all that others have put into it

Two publishers that start from one version can then not undo each other's work: the second is refused.
"""

from __future__ import annotations

import os
from typing import Literal, TypeAlias

from eligo.errors import InputError, VersionConflictError, shown
from eligo.storage.manifest import MANIFEST_NAME, Manifest, read_manifest
from eligo.storage.remote.store_versions import live_bytes
from eligo.stores.address import Address, Place, place

ExpectedVersion: TypeAlias = int | Literal["any"] | Manifest


def check_expectation(expected: object) -> None:
    """Refuse what is no version, before anything is written."""
    if isinstance(expected, Manifest) or (isinstance(expected, str) and expected == "any"):
        return
    if not isinstance(expected, int) or isinstance(expected, bool) or expected < 0:
        raise InputError(
            f"{shown(expected)} is not a version that can be expected",
            help='give the number of the version that was opened, 0 for none, or "any" to replace whatever is live',
        )


def live_manifest(path: str | os.PathLike[str] | Place) -> Manifest | None:
    """The manifest of the live version, None where nothing has been published."""
    index = place(path)
    if isinstance(index, Address):
        found = live_bytes(index)
        return None if found is None else Manifest.from_bytes(*found)
    if os.path.isfile(index) or os.path.lexists(index / MANIFEST_NAME):
        return read_manifest(index)
    return None


def require_expected(index: Place, expected: ExpectedVersion) -> Manifest | None:
    """The live manifest, when it is the expected one; a `VersionConflictError` otherwise."""
    live = live_manifest(index)
    if expected == "any":
        return live
    number = expected.version if isinstance(expected, Manifest) else expected
    current = live.version if live is not None else 0
    if current != number:
        raise _conflict(index, current, number)
    if isinstance(expected, Manifest) and live != expected:
        raise VersionConflictError(
            f"{index} was made anew: its version {current} is not the one that was opened",
            expected=number,
            live=current,
            help=f'open the index again and apply the change to it, or give expected_version={current} (or "any") '
            "to replace it",
        )
    return live


def _conflict(index: Place, current: int, expected: int) -> VersionConflictError:
    if expected == 0:
        what = f"{index} is at version {current}, not at version 0 as expected: there is an index already"
        help = f"to replace it, give expected_version={current}; to change it, open it, apply the change, and publish"
    elif current == 0:
        what = f"{index} has no version, not version {expected} as expected: it was removed"
        help = "to publish there all the same, give expected_version=0"
    elif current < expected:
        what = f"{index} is at version {current}, not at version {expected} as expected: it was made anew, or put back"
        help = "open the index again, apply the change to that version, and publish"
    else:
        what = f"{index} is at version {current}, not at version {expected} as expected: another has been published"
        help = "open the index again, apply the change to that version, and publish"
    return VersionConflictError(
        what, expected=expected, live=current, help=f'{help}; expected_version="any" replaces whatever is live'
    )
