"""How do staged files become a version in a store? By a manifest that is created if there is none of its number.

    A  live is 7 ─ create versions/8.json ─ yes ──────────────────────▶ 8 is live, and A's; manifest.json follows
    B  live is 7 ─ create versions/8.json ─ no, there is one ─ live is 8: a conflict, or on top of it with "any"

Before that moment the old version is live, after it the new one, whatever is killed when. An answer that is lost on its
way is no doubt: each attempt has a name in its manifest, so a publisher knows its own.
"""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Callable

from eligo.errors import StorageError
from eligo.storage.expected_version import ExpectedVersion, require_expected
from eligo.storage.manifest import Manifest
from eligo.storage.remote.remote_files import require_staged
from eligo.storage.remote.remote_retention import remove_from_store
from eligo.storage.remote.store_versions import HINT, version_address
from eligo.stores.address import Address
from eligo.stores.store import store_of

MOST_TRIES = 1000
"""Others that come first, one after another, before a publisher gives up."""


def commit_to_store(
    home: Address,
    manifest_after: Callable[[Manifest | None], Manifest],
    *,
    expected_version: ExpectedVersion,
    keep_versions: int | None,
    grace_seconds: float,
) -> Manifest:
    """Make the next version, which `manifest_after` gives for the live one; see `directory.commit`."""
    store = store_of(home)
    for _ in range(MOST_TRIES):
        live = require_expected(home, expected_version)
        manifest = manifest_after(live)
        named = {entry.path for entry in live.files} if live is not None else set()
        for entry in manifest.files:
            if entry.path not in named:
                require_staged(home, entry)
        if live is not None:
            _keep(home, live)
        data = manifest.to_bytes(attempt=secrets.token_hex(8))
        if _is_created(version_address(home, manifest.version), data):
            break
    else:
        raise StorageError(f"{MOST_TRIES} others have published at {home} meanwhile", help="publish again later")
    try:
        store.put((home / HINT).key, [data])
        if keep_versions is not None:
            remove_from_store(home, keep_versions=keep_versions, grace_seconds=grace_seconds)
    except StorageError as error:  # the version is live, and says so; its publisher succeeded
        warnings.warn(f"version {manifest.version} of {home} is live, but {error.message}", stacklevel=4)
    return manifest


def _keep(home: Address, live: Manifest) -> None:
    """Give the live version a manifest of its own where it has none, as in an index that was copied from a disk."""
    own = version_address(home, live.version)
    if store_of(home).status(own.key) is None:
        store_of(home).create(own.key, live.to_bytes())


def _is_created(address: Address, data: bytes) -> bool:
    """Whether the manifest is there, and ours."""
    store = store_of(address)
    try:
        if store.create(address.key, data):
            return True
    except StorageError:
        if not _is_ours(address, data):
            raise
        return True
    return _is_ours(address, data)


def _is_ours(address: Address, data: bytes) -> bool:
    try:
        return store_of(address).read(address.key) == data
    except (FileNotFoundError, StorageError):
        return False
