"""On top of which version does an index publish? The one of that directory that it knows.

    A and B open version 1; A publishes 2; B would publish what it has, without A's changes: it is told so

It is the version that the index was opened from or has published there last. An index that never was at a directory
expects nothing there.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Literal
from weakref import WeakSet

import pyarrow as pa

from eligo.errors import VersionConflictError
from eligo.index.part import Part
from eligo.index.settings import Settings
from eligo.index.stored.files import Attempt, write_parts
from eligo.index.stored.live_count import num_live_if_readable
from eligo.index.stored.loss_bounds import MOST_SHRINK, Bound, check_shrink, checked_bound
from eligo.index.view import View
from eligo.storage.expected_version import ExpectedVersion, check_expectation, live_manifest, require_expected
from eligo.storage.manifest import Manifest
from eligo.storage.retention import check_keep_versions
from eligo.storage.staging import discard, prepare
from eligo.stores.address import Place, place, resolved

_publishers: WeakSet[Publisher] = WeakSet()


class Publisher:
    """Where an index has been, and how it gets there again."""

    def __init__(self) -> None:
        self._manifests: dict[Place, Manifest] = {}
        """By resolved place: the version that is ours there."""
        self._lock = threading.RLock()
        """One publication of an index after the other, each on top of the one before."""
        _publishers.add(self)

    def opened(self, path: str | os.PathLike[str], manifest: Manifest) -> None:
        """The index has been made from a version."""
        self._manifests[resolved(place(path))] = manifest

    def publish(
        self,
        path: str | os.PathLike[str],
        settings: Settings,
        take_view: Callable[[], View],
        freeze: Callable[[pa.Array, pa.Array], Part],
        *,
        expected_version: int | Literal["any"] | None,
        keep_versions: int | None,
        max_shrink: Bound | None,
    ) -> int:
        """Make a view the live version, and return its number; see `Index.publish`."""
        check_keep_versions(keep_versions)
        shrink = None if max_shrink is None else checked_bound(max_shrink, "max_shrink")
        if expected_version is not None:
            check_expectation(expected_version)
        with self._lock:
            home = resolved(place(path))
            ours = self._manifests.get(home)
            expected: ExpectedVersion = (ours or 0) if expected_version is None else expected_version
            prepare(path)
            view: View | None = None
            while True:
                live = require_expected(place(path), expected)
                view = view or take_view()
                if live is not None and (shrink is not None or live != ours):
                    _check_shrink(path, live, view, MOST_SHRINK if shrink is None else shrink)
                attempt = Attempt()
                try:
                    manifest = write_parts(path, view, freeze, settings, live, attempt, keep_versions=keep_versions)
                    self._manifests[home] = manifest
                    return manifest.version
                except BaseException as error:
                    discard(path, attempt.written)
                    self._remember_if_live(home, attempt)
                    if isinstance(error, VersionConflictError) and expected == "any":
                        continue
                    raise

    def _remember_if_live(self, home: Place, attempt: Attempt) -> None:
        """A publication that was broken off may be live all the same, as when a signal came after the rename."""
        try:
            live = live_manifest(home)
        except Exception:  # what broke the publication off is what the caller must hear of
            return
        if live is not None and attempt.content == (live.vocabulary, live.shards, live.deltas):
            self._manifests[home] = live

    def renew_lock(self) -> None:
        """In a child whose parent may have been publishing in another thread."""
        self._lock = threading.RLock()


def _check_shrink(path: str | os.PathLike[str], live: Manifest, view: View, bound: int | float) -> None:
    before = num_live_if_readable(path, live)
    if before is not None:
        check_shrink(bound, before, view.num_live, os.fspath(path))


def _renew_locks() -> None:
    for publisher in list(_publishers):
        publisher.renew_lock()


os.register_at_fork(after_in_child=_renew_locks)
