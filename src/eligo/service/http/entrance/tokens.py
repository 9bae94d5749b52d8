"""Who may do what? Whoever shows a token: a random text whose hash is kept, with its scopes and perhaps a tenant.

    tokens.json   {"format": 1, "tokens": [{"name": "web-shop", "hash": "…", "scopes": ["read"], "tenant": "acme"}]}

A token has 256 random bits, so that its SHA-256 says nothing about it and needs no salt; it is looked up by that hash,
and compared in constant time. The file is replaced whole, and a service takes up a new one within a second.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import math
import secrets
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

import msgspec

from eligo.errors import DamagedFileError, EligoError, InputError, UnknownIdError, shown
from eligo.service.http.problems import HttpProblem
from eligo.storage.replace_file import replace_file

logger = logging.getLogger("eligo.service")

FILE = "tokens.json"
PREFIX = "eligo_"
"""What tokens begin with, so that one that was lost is recognised."""
LOOKS_EACH = 1.0
"""Seconds from one look at the file to the next."""

ScopeName = Literal["read", "consume", "write", "publish", "admin"]
SCOPES: tuple[ScopeName, ...] = get_args(ScopeName)
INCLUDED_IN: Mapping[str, frozenset[str]] = {"consume": frozenset({"write"})}
"""Scopes that allow another one's things, too; admin allows everything."""


_NONE: frozenset[str] = frozenset()


class Token(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is kept of a token."""

    name: str
    hash: str
    scopes: list[ScopeName]
    tenant: str | None = None
    created: datetime

    def may(self, scope: str) -> bool:
        """Whether it allows something; `admin` allows everything, and `write` what `consume` does."""
        own = self.scopes
        return scope in own or "admin" in own or not INCLUDED_IN.get(scope, _NONE).isdisjoint(own)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal[1]
    tokens: list[Token]


def hash_of(token: str | bytes) -> str:
    """What is kept of a token's text."""
    return hashlib.sha256(token if isinstance(token, bytes) else token.encode()).hexdigest()


def read_tokens(path: Path) -> list[Token] | None:
    """The tokens of a file; None where there is no file."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        return msgspec.json.decode(data, type=_File).tokens
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DamagedFileError(
            f"{path} is no file of tokens: {error}", help="make it anew with `eligo token`"
        ) from None


def _write(path: Path, tokens: Sequence[Token]) -> None:
    data = msgspec.json.format(msgspec.json.encode(_File(1, list(tokens))), indent=2)
    replace_file(path, [data + b"\n"])


def create_token(path: Path, name: str, scopes: Sequence[ScopeName], tenant: str | None = None) -> str:
    """Make a token; its text is returned, and kept nowhere."""
    known = read_tokens(path) or []
    if not name or not name.isprintable() or len(name) > 200:
        raise InputError(f"{shown(name)} is no name of a token", help="1 to 200 letters, digits and signs")
    if any(token.name == name for token in known):
        raise InputError(f"there is a token {shown(name)} already", help="revoke it first, or choose another name")
    unknown = set(scopes) - set(SCOPES)
    if unknown or not scopes:
        raise InputError(f"the scopes of a token are {', '.join(SCOPES)}, not {shown(', '.join(sorted(unknown)))}")
    if tenant is not None and "admin" in scopes:
        raise InputError("a token with the scope admin is for no tenant", help="leave out one of the two")
    text = PREFIX + secrets.token_urlsafe(32)
    made = Token(name=name, hash=hash_of(text), scopes=sorted(set(scopes)), tenant=tenant, created=datetime.now(UTC))
    _write(path, [*known, made])
    return text


def revoke_token(path: Path, name: str) -> None:
    """Let a token be worth nothing from now on."""
    known = read_tokens(path) or []
    left = [token for token in known if token.name != name]
    if len(left) == len(known):
        raise UnknownIdError(f"there is no token {shown(name)}", help="`eligo token list` names them")
    _write(path, left)


class Tokens:
    """The tokens of a file, as it is now; without a file there are none, and none is needed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int, int] | None = None
        self._by_hash: dict[str, Token] | None = None
        self._unread: str | None = None
        """Why the file could not be read when it was looked at last, if so."""
        self._looked = -LOOKS_EACH
        self._read()

    def _look(self) -> None:
        """Take up what has changed; a file that cannot be read lets nobody in until it can."""
        self._looked = time.monotonic()
        try:
            self._read()
        except (OSError, EligoError) as error:
            self._unread = error.message if isinstance(error, EligoError) else f"{self._path}: {error.strerror}"
            logger.error("nobody is let in, for the tokens cannot be read: %s", self._unread)
        else:
            self._unread = None

    def _read(self) -> None:
        try:
            found = self._path.stat()
            stamp = (found.st_mtime_ns, found.st_ino, found.st_size)
        except FileNotFoundError:
            if self._stamp is None:  # one that is lost opens no doors
                return
            stamp = (0, 0, 0)
        if stamp != self._stamp:
            self._by_hash = {token.hash: token for token in read_tokens(self._path) or ()}
            self._stamp = stamp  # only now: what could not be read is read again

    @property
    def are_needed(self) -> bool:
        """Whether there is a file of tokens; also one in which none is left needs one. A 503 while it is not known."""
        if time.monotonic() - self._looked > LOOKS_EACH:
            self._look()
        if self._unread is not None:
            raise HttpProblem(
                503,
                f"nobody is let in, because the tokens cannot be read: {self._unread}",
                help="make the file readable for the service, or make it anew with `eligo token`",
                name="tokens",
                headers={"retry-after": str(math.ceil(LOOKS_EACH))},
            )
        return self._by_hash is not None

    def find(self, text: bytes) -> Token | None:
        """The token of a text."""
        if not self.are_needed or self._by_hash is None:
            return None
        own = hash_of(text)
        found = self._by_hash.get(own)
        return found if found is not None and hmac.compare_digest(found.hash, own) else None
