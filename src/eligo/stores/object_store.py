"""How are S3, Google's and Azure's stores spoken to? Through obstore, whose `mode="create"` is `If-None-Match: *`.

Credentials, region and endpoint are those of the environment (`AWS_…`, `GOOGLE_…`, `AZURE_…`), of the role that the
machine has, or, of S3, of a profile where boto3 is installed. They are read here, in the process that uses them; what
it was given (`given_options`) comes first.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import from_url

from eligo.errors import InputError, StorageError
from eligo.stores.address import Address
from eligo.stores.given_options import Options
from eligo.stores.patience import CONNECT_SECONDS, MOST_RETRIES, seconds
from eligo.stores.store import FileStatus, require_small
from eligo.stores.store_refusal import code_in, refused

PART_BYTES = 8 << 20
"""Files that are larger go up in parts of so many bytes."""
PARTS_AT_ONCE = 4
_NO_FILE = ("NoSuchKey", "NoSuchVersion", "NoSuchBucket")
"""Codes of an answer that there is no such file."""
LIST_TRIES = 3
"""A page of a listing that is cut off is not asked for again by the library, so the whole listing is."""
_S3_NAMES = {
    "token": "session_token",
    "endpoint_url": "endpoint",
    "default_region": "region",
}
"""Other names of options, without the `aws_` that may stand before each."""
_S3_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
_S3_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")


class ObjectStore:
    """One bucket or container."""

    def __init__(self, scheme: str, authority: str, given: Options = ()) -> None:
        self._top = Address(scheme, authority, "")
        try:
            self._store: Any = from_url(f"{scheme}://{authority}/", **_options(scheme, dict(given)))
        except InputError:
            raise
        except (BaseError, ValueError, TypeError) as error:
            if not given:
                raise
            # Of what was given nothing is shown but names: the library may repeat a value.
            names = ", ".join(name for name, _ in given)
            raise InputError(
                f"{self._top} cannot be spoken to with the options {names}: {type(error).__name__}",
                help="names and values are those of obstore's configuration; see docs/stores.md",
            ) from None

    def read(self, key: str) -> bytes:
        """The whole file."""
        try:
            found = obstore.get(self._store, key)
            require_small(self._top / key, found.meta["size"])
            return bytes(found.bytes())
        except FileNotFoundError as error:
            raise self._absent("read", key, error) from None
        except BaseError as error:
            raise self._refused("read", key, error) from None

    def read_range(self, key: str, start: int, num_bytes: int) -> bytes:
        """Some bytes of a file."""
        try:
            return bytes(obstore.get_range(self._store, key, start=start, length=num_bytes))
        except FileNotFoundError as error:
            raise self._absent("read", key, error) from None
        except BaseError as error:
            raise self._refused("read", key, error) from None

    def status(self, key: str) -> FileStatus | None:
        """None when there is no such file."""
        try:
            return _status(obstore.head(self._store, key))
        except FileNotFoundError:
            return None
        except BaseError as error:
            raise self._refused("look at", key, error) from None

    def list(self, prefix: str) -> Iterator[FileStatus]:
        """All files below a prefix."""
        for left in reversed(range(LIST_TRIES)):
            try:
                pages = list(obstore.list(self._store, prefix.rstrip("/") or None))
            except BaseError as error:
                if left and "response body" in str(error):
                    continue
                raise self._refused("list", prefix, error) from None
            yield from (_status(found) for page in pages for found in page)
            return

    def create(self, key: str, data: bytes) -> bool:
        """Make a file that is not there yet."""
        try:
            obstore.put(self._store, key, data, mode="create", use_multipart=False)
        except AlreadyExistsError:
            return False
        except (FileNotFoundError, BaseError) as error:
            raise self._refused("create", key, error) from None
        return True

    def put(self, key: str, chunks: Iterable[bytes | memoryview]) -> None:
        """Make a file in the place of one that may be there."""
        try:
            obstore.put(self._store, key, _parts(chunks), chunk_size=PART_BYTES, max_concurrency=PARTS_AT_ONCE)
        except (FileNotFoundError, BaseError) as error:
            raise self._refused("write", key, error) from None

    def move(self, key: str, to: str) -> None:
        """Give a file another key: a copy in the store, and a removal."""
        try:
            obstore.rename(self._store, key, to)
        except FileNotFoundError as error:
            raise self._absent("move", key, error) from None
        except BaseError as error:
            raise self._refused("move", key, error) from None

    def delete(self, keys: Sequence[str]) -> None:
        """Remove files, those that are there."""
        try:
            if keys:
                obstore.delete(self._store, list(keys))
        except FileNotFoundError:
            pass
        except BaseError as error:
            raise self._refused("remove", keys[0], error) from None

    def _absent(self, doing: str, key: str, error: FileNotFoundError) -> OSError | StorageError:
        """The error, unless the store says that it is something else that it does not find, such as the user."""
        code = code_in(str(error))
        return (
            FileNotFoundError(str(self._top / key))
            if not code or code in _NO_FILE
            else self._refused(doing, key, error)
        )

    def _refused(self, doing: str, key: str, error: BaseException) -> StorageError:
        return refused(self._top / key if key else self._top, doing, error)


def _options(scheme: str, given: dict[str, str]) -> dict[str, Any]:
    """What is not in the environment as obstore reads it, and what was given, which counts before it."""
    limit = timedelta(seconds=seconds())
    client: dict[str, Any] = {"timeout": limit, "connect_timeout": min(limit, timedelta(seconds=CONNECT_SECONDS))}
    options: dict[str, Any] = {
        "client_options": client,
        "retry_config": {"max_retries": MOST_RETRIES, "retry_timeout": limit},
    }
    if scheme != "s3":
        return options | given
    given = _by_one_name(given)
    options |= given
    endpoint = given.get("endpoint") or next((value for name in _S3_ENDPOINTS if (value := os.environ.get(name))), "")
    if endpoint:
        options["endpoint"] = endpoint
    if endpoint.startswith("http://"):
        client["allow_http"] = True
    if "region" not in given and not any(os.environ.get(name) for name in ("AWS_REGION", "AWS_DEFAULT_REGION")):
        options["region"] = "us-east-1"
    if "access_key_id" in given:
        # As a whole: a token of other credentials, which the environment may have, does not go with these keys.
        keys = {name: options.pop(name, None) for name in ("access_key_id", "secret_access_key", "session_token")}
        options["credential_provider"] = partial(_credentials, keys)
    elif not any(os.environ.get(name) for name in _S3_KEYS) and importlib.util.find_spec("boto3") is not None:
        from boto3 import Session
        from obstore.auth.boto3 import Boto3CredentialProvider

        session = Session()
        if session.get_credentials() is not None:
            options["credential_provider"] = Boto3CredentialProvider(session)
            options["region"] = session.region_name or options.get("region", "us-east-1")
    return options


def _by_one_name(given: dict[str, str]) -> dict[str, str]:
    """Options of S3, each by the one of its names that is asked for here."""
    found: dict[str, str] = {}
    given_as: dict[str, str] = {}
    # A region that is only the default yields to one that is given beside it.
    for name, value in sorted(given.items(), key=lambda option: "default_region" not in option[0]):
        plain = name.removeprefix("aws_")
        known = _S3_NAMES.get(plain, plain)
        before = given_as.get(known)
        if before is not None and found[known] != value and "default_region" not in before:
            raise InputError(f"the options {before} and {name} of a store are the same one", help="give it once")
        found[known], given_as[known] = value, name
    return found


def _credentials(keys: dict[str, str | None]) -> dict[str, str | None]:
    """Keys that were given, as the library asks for them."""
    return {
        "access_key_id": keys["access_key_id"],
        "secret_access_key": keys["secret_access_key"],
        "token": keys["session_token"],
        "expires_at": None,
    }


def _status(found: Any) -> FileStatus:
    return FileStatus(found["path"], found["size"], found["last_modified"])


def _parts(chunks: Iterable[bytes | memoryview]) -> Iterator[bytes]:
    """The same bytes in parts of about the same size, because each is copied on its way."""
    waiting: list[bytes | memoryview] = []
    num_waiting = 0
    for chunk in chunks:
        view = memoryview(chunk).cast("B")
        for first in range(0, len(view), PART_BYTES):
            piece = view[first : first + PART_BYTES]
            waiting.append(piece)
            num_waiting += len(piece)
            if num_waiting >= PART_BYTES:
                yield b"".join(waiting)
                waiting, num_waiting = [], 0
    if num_waiting:
        yield b"".join(waiting)
