"""How is an index followed that others publish? Its live version is looked up again and again, opened, and swapped in.

Readers keep the version that they have begun with. What cannot be opened is said, and the version of before is
answered from.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta

from eligo.data.schema.guards import TENANT
from eligo.errors import InputError
from eligo.index.build_open import open as open_index
from eligo.index.index import Index
from eligo.index.stored.opened_version import IndexVersion, index_version
from eligo.joins.document_base import DocumentBase
from eligo.language.value import Kind
from eligo.service.delivery.subscriptions import Subscriptions
from eligo.service.follow.following import Following
from eligo.service.follow.retries import Repeated
from eligo.service.state.document_moments import DocumentMoments
from eligo.service.state.expressions import Expressions
from eligo.service.state.publications import Publications
from eligo.service.state.service_state import ServiceState

logger = logging.getLogger("eligo.service")

EVERY = 1.0
"""Seconds between two looks at the live version."""


class FollowedIndex:
    """A source of states: an index in a directory, or at an address."""

    def __init__(self, path: str, following: Following, *, every: float = EVERY) -> None:
        self._path = path
        self._following = following
        self._steps = Repeated(self._step, following, every=every)
        self._take_up: Callable[[ServiceState, int], None] = lambda state, version: None
        self._taken: IndexVersion | None = None
        self.version = 0

    def first(self) -> ServiceState:
        """The version that is live now."""
        return self._opened(index_version(self._path))

    def begin(self, take_up: Callable[[ServiceState, int], None]) -> None:
        """Follow from now on."""
        self._take_up = take_up
        self._steps.begin()

    def close(self) -> None:
        """Follow no more."""
        self._steps.close()

    def _step(self) -> None:
        live = index_version(self._path)
        if live != self._taken:
            state = self._opened(live)
            self._take_up(state, self.version)
        self._following.heard(live.number, self.version)

    def _opened(self, version: IndexVersion) -> ServiceState:
        manifest = version.opened_manifest()
        index = open_index(version.path, manifest=manifest)
        _require_texts(index, self._path)
        documents = DocumentBase()
        index.match({}, documents=documents)  # so that the first question does not pay for what is made once
        if index.stats().joins.num_joins:
            logger.warning(
                "expressions of version %d of %s speak of documents, and an index has none: they are answered as if "
                "none had come before; follow the service that has them, by its address",
                manifest.version,
                self._path,
            )
        state = ServiceState(
            Expressions(index),
            documents,
            Subscriptions(index.missing),
            Publications(timedelta()),
            DocumentMoments.of_index(index),
        )
        self._taken, self.version = version, manifest.version
        self._following.num_checkpoints += 1
        return state


def _require_texts(index: Index, path: str) -> None:
    if not index.view().attribute_kinds().get(TENANT, frozenset()) <= {Kind.STRING}:
        raise InputError(
            f"the tenants of {path} are not strings, as those of a service are",
            help="build it again with tenants as strings",
        )
