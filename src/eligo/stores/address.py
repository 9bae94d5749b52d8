"""Which addresses are known, and which is meant? A path of this machine, or a place in a store.

    ads.index, /data/ads.index, file:///data/ads.index      a path of this machine
    s3://bucket/ads.index, s3a://…                          S3, and what speaks like it
    gs://bucket/…   abfss://container@account.dfs.core.windows.net/…   hdfs://namenode:8020/…

Whatever else has a scheme is refused, and no address may carry credentials: an address stands in plans, logs, manifests
and messages.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote, urlsplit

from eligo import arguments
from eligo.arguments import scheme_of
from eligo.errors import InputError, shown

SCHEMES = ("file", "s3", "s3a", "gs", "abfss", "hdfs")
"""Of addresses that are known."""
LOCAL = "file"
_SAME = {"s3a": "s3"}
"""Schemes by which other programs know what has another name here."""
_TOLD = {**_SAME, "s3n": "s3", "abfs": "abfss"}
"""More such schemes, which no caller gives, but a program may tell what it reads by."""
_AUTHORITY = re.compile(r"[A-Za-z0-9._-]+(:[0-9]{1,5})?")
_CONTAINER = re.compile(r"[A-Za-z0-9$-]+@[A-Za-z0-9.-]+(:[0-9]{1,5})?")
_SECRETIVE = re.compile(r"[?#\x00-\x1f\x7f]")
"""What begins the part of a web address in which signatures stand, and control characters."""


@dataclass(frozen=True)
class Address:
    """A place in a store; equal addresses are the same place."""

    scheme: str
    authority: str
    """The bucket; of Azure, the container and the account; of HDFS, the name node or the name of a cluster, or nothing
    where that is configured."""
    key: str
    """The path below, without a slash at either end; empty for the top."""

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}/{self.key}"

    def __truediv__(self, name: str) -> Address:
        return Address(self.scheme, self.authority, f"{self.key}/{name}" if self.key else name)

    @property
    def name(self) -> str:
        """The last part."""
        return self.key.rpartition("/")[2]

    @property
    def prefix(self) -> str:
        """What the keys of all that lies below begin with."""
        return f"{self.key}/" if self.key else ""


Place: TypeAlias = Path | Address
"""Where something is: on this machine, or in a store."""


def place(value: Any, name: str = "path") -> Place:
    """The place that a caller names by a string or a `Path`; an `InputError` for one that cannot be."""
    if isinstance(value, Address | Path) and not scheme_of(os.fspath(value) if isinstance(value, Path) else ""):
        return value
    given = arguments.named_path(value, name)
    scheme = scheme_of(given)
    if scheme is None:
        return Path(given)
    if scheme not in SCHEMES:
        raise InputError(
            f"{name} has the scheme {shown(scheme)}, which is not known",
            help=f"known are {', '.join(f'{known}://' for known in SCHEMES)}, and paths without a scheme",
        )
    if isinstance(value, os.PathLike) and not isinstance(value, Address):
        raise InputError(f"{name} is an address, and a Path loses a slash of it", help="give it as a string")
    return Path(arguments.path(given, name)) if scheme == LOCAL else _parsed(given, scheme, name)


def named(value: Any, name: str = "path") -> str:
    """The place as a text; a path that is relative stays so."""
    return str(found) if isinstance(found := place(value, name), Address) else os.fspath(found)


def located(value: Any, name: str = "path") -> str:
    """The place as a text that leads there from any directory, and from other processes."""
    found = place(value, name)
    return str(found) if isinstance(found, Address) else os.path.abspath(found)


def told_place(told: str) -> Place | None:
    """The place that another program tells as a URI, with `%20` for a blank; None where nothing here can write."""
    parts = urlsplit(told)
    if parts.scheme in ("", LOCAL):
        return Path(unquote(parts.path))
    scheme = _TOLD.get(parts.scheme, parts.scheme)
    return Address(scheme, parts.netloc, unquote(parts.path).strip("/")) if scheme in SCHEMES else None


def resolved(found: Place) -> Place:
    """The place under the one name that it is known by."""
    return found if isinstance(found, Address) else found.resolve()


def is_address(value: Any) -> bool:
    """Whether a text names a place in a store, or has an unknown scheme; never raises."""
    return isinstance(value, Address) or (isinstance(value, str) and scheme_of(value) not in (None, LOCAL))


def _parsed(text: str, scheme: str, name: str) -> Address:
    rest = text[len(scheme) + 1 :]
    if not rest.startswith("//"):
        raise InputError(f"{name} is no address: after {scheme}: two slashes are missing", help="give it as a string")
    authority, _, key = rest[2:].partition("/")
    key = key.rstrip("/")
    # Nothing of it is shown: what does not fit may be a password, or a signature.
    if _SECRETIVE.search(rest):
        raise InputError(
            f"{name} is an address of {scheme}:// with a query, a fragment or a control character",
            help="leave it out; credentials come from the environment, never from an address",
        )
    pattern = _CONTAINER if scheme == "abfss" else _AUTHORITY
    if not pattern.fullmatch(authority) and not (scheme == "hdfs" and authority == ""):
        what = "container@account.dfs.core.windows.net" if scheme == "abfss" else "a bucket" if scheme != "hdfs" else ""
        raise InputError(
            f"{name} is an address of {scheme}:// that does not name {what or 'a host and a port'}",
            help="give it without user or password; credentials come from the environment",
        )
    if any(part in ("", ".", "..") for part in key.split("/")) and key:
        raise InputError(f"{name} has an empty part, . or .. in it", help="name the place itself")
    return Address(_SAME.get(scheme, scheme), authority, key)
