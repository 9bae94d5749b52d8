"""How is an owner asked? Over HTTP, with bounds on time and size; its token is in no message and in no log."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import msgspec

from eligo.errors import InputError, LogGoneError, ServiceError, StorageError
from eligo.service.follow.checkpoint_text import CheckpointText
from eligo.storage.file_entries import FileEntry
from eligo.storage.replace_file import replace_file

TIMEOUT = httpx2.Timeout(30.0, connect=10.0)
MOST_TEXT = 64 << 20
"""Bytes of a checkpoint's texts."""
MOST_PIECE = 1 << 31
"""Bytes of an answer with records."""


class Piece(NamedTuple):
    """An answer with records."""

    data: bytes
    last_seq: int
    """Of the owner."""
    version: int


class OwnerClient:
    """Asks one owner."""

    def __init__(self, url: str, token: str | None = None, *, transport: httpx2.BaseTransport | None = None) -> None:
        parsed = httpx2.URL(url)
        if parsed.userinfo or parsed.scheme not in ("http", "https") or not parsed.host:
            raise InputError(
                "the address of a service is http:// or https:// with a host, and no name or password in it",
                help="give the token by the environment",
            )
        self.url = str(parsed)
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self._http = httpx2.Client(
            base_url=url, headers=headers, timeout=TIMEOUT, follow_redirects=False, transport=transport
        )

    def close(self) -> None:
        """Let the connections go."""
        self._http.close()

    def checkpoint(self) -> CheckpointText:
        """The owner's checkpoint."""
        data, _ = self._get("/checkpoint", {}, MOST_TEXT)
        try:
            return msgspec.json.decode(data, type=CheckpointText)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise ServiceError(f"{self.url} does not answer as an owner does: {error}") from None

    def fetch(self, entry: FileEntry, path: Path) -> None:
        """Have a file of the owner at a path: whole and verified, or not at all."""
        replace_file(path, self._verified(entry), is_private=True)

    def _verified(self, entry: FileEntry) -> Iterator[bytes]:
        found, num_bytes = hashlib.sha256(), 0
        for chunk in self._chunks(f"/checkpoint/files/{entry.sha256}", {}, entry.num_bytes):
            found.update(chunk)
            num_bytes += len(chunk)
            yield chunk
        if num_bytes != entry.num_bytes or found.hexdigest() != entry.sha256:
            raise StorageError(f"{self.url} has sent something else than {entry.path}", help="it is asked again")

    def log(self, first_seq: int, crc: int | None, rules: int, wait: float) -> Piece:
        """Records from a number on; waits so many seconds for the first of them."""
        query = {"from": str(first_seq), "rules": str(rules), "wait": str(wait)}
        if crc is not None:
            query["crc"] = str(crc)
        data, headers = self._get("/log", query, MOST_PIECE)
        try:
            return Piece(data, int(headers["eligo-seq"]), int(headers["eligo-version"]))
        except (KeyError, ValueError):
            raise ServiceError(f"{self.url} does not answer as an owner does") from None

    def _get(self, path: str, query: dict[str, str], most: int) -> tuple[bytes, Any]:
        headers: dict[str, str] = {}
        return b"".join(self._chunks(path, query, most, headers)), headers

    def _chunks(
        self, path: str, query: dict[str, str], most: int, headers: dict[str, str] | None = None
    ) -> Iterator[bytes]:
        try:
            with self._http.stream("GET", path, params=query) as response:
                if response.status_code != 200:
                    raise self._refused(path, response)
                if headers is not None:
                    headers.update({name.lower(): value for name, value in response.headers.items()})
                num_bytes = 0
                for chunk in response.iter_bytes():
                    num_bytes += len(chunk)
                    if num_bytes > most:
                        raise ServiceError(f"{self.url}{path} has sent more than {most:,} bytes")
                    yield chunk
        except httpx2.HTTPError as error:
            raise ServiceError(f"{self.url} does not answer: {type(error).__name__} {error}".rstrip()) from None

    def _refused(self, path: str, response: httpx2.Response) -> Exception:
        if response.status_code == 410:
            return LogGoneError(f"{self.url} no longer has these records", help="begin with a checkpoint")
        help = {
            401: "give a token of the owner with the scope admin",
            403: "give a token of the owner with the scope admin",
        }
        error = ServiceError(
            f"{self.url}{path} answers with {response.status_code}", help=help.get(response.status_code, "")
        )
        error.status = response.status_code
        given = response.headers.get("retry-after", "")
        error.retry_after = float(given) if given.isdigit() and math.isfinite(float(given)) else None
        return error
