"""Which files is the page made of, and how are they sent? As they stand beside this module, named by what is in them.

    /                                    index.html, asked for anew each time
    /page/assets/5f2c…/main.js           a file; its address changes with any file, so that a browser may keep it

All scripts and styles are files of the service itself: a policy forbids everything else, inline code included.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import NamedTuple

PLACE = "{{assets}}"
"""What stands in index.html for the place of its files."""
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
SAFE = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every file."""
KEPT = "public, max-age=31536000, immutable"


class Asset(NamedTuple):
    """A file of the page."""

    media_type: str
    content: bytes
    gzipped: bytes
    etag: str


def _asset(name: str, content: bytes) -> Asset:
    media_type = f"{TYPES[name[name.rindex('.') :]]}; charset=utf-8"
    digest = hashlib.blake2b(content, digest_size=12).hexdigest()
    return Asset(media_type, content, gzip.compress(content, mtime=0), f'"{digest}"')


@cache
def assets() -> dict[str, Asset]:
    """The files by name, as `editors/completion.js`; read once."""
    return dict(sorted(_found(resources.files("eligo.service.page") / "static", "")))


def _found(folder: Traversable, prefix: str) -> Iterator[tuple[str, Asset]]:
    for place in folder.iterdir():
        name = prefix + place.name
        if place.is_dir():
            yield from _found(place, f"{name}/")
        elif name[name.rindex(".") :] in TYPES:
            yield name, _asset(name, place.read_bytes())


@cache
def digest() -> str:
    """What changes with any of the files."""
    found = hashlib.blake2b(digest_size=10)
    for name, asset in assets().items():
        found.update(f"{name} {asset.etag}\n".encode())
    return found.hexdigest()


@cache
def front() -> Asset:
    """The page itself, which leads to its files by relative addresses, so that a proxy may put it below a path."""
    text = assets()["index.html"].content.decode()
    return _asset("index.html", text.replace(PLACE, f"page/assets/{digest()}").encode())
