"""How is a follower opened? By what it follows: an address of HTTP is a service, anything else an index."""

from __future__ import annotations

import os
from pathlib import Path

from eligo.arguments import path as path_argument
from eligo.errors import InputError
from eligo.service.follow.followed_index import EVERY, FollowedIndex
from eligo.service.follow.followed_service import FollowedService
from eligo.service.follow.follower_service import FollowerService
from eligo.service.follow.following import Following
from eligo.service.follow.owner_client import OwnerClient
from eligo.service.service import ServiceOptions
from eligo.service.state.owner_lock import own
from eligo.storage.replace_file import make_directory
from eligo.stores.address import located

TOKEN_VARIABLE = "ELIGO_FOLLOW_TOKEN"


def is_service(source: str) -> bool:
    """Whether what is to be followed is a service."""
    return source.lower().startswith(("http://", "https://"))


def follow(
    source: str,
    directory: str | os.PathLike[str] | None = None,
    *,
    token: str | None = None,
    options: ServiceOptions | None = None,
    every: float = EVERY,
) -> FollowerService:
    """A service that serves what another one, or an index, has, read-only, and keeps up with it.

    A service that is followed needs a directory for its files, and a token of it with the scope admin where it has
    tokens. `every` is how often the live version of an index is looked up, in seconds.
    """
    if not is_service(source):
        path = located(source, "index")
        following = Following(str(path), by_version=True)
        index = FollowedIndex(path, following, every=every)
        return FollowerService(index.first(), index.version, following, index, options)
    if directory is None:
        raise InputError("a follower of a service needs a directory for its files", help="give one")
    place = Path(path_argument(directory))
    client = OwnerClient(source, token)
    make_directory(place, is_private=True)
    lock = own(place)
    try:
        following = Following(client.url)
        service = FollowedService(client, place, following)
        state = service.first()
        return FollowerService(state, service.version, following, service, options, lock)
    except BaseException:
        client.close()
        lock.release()
        raise


def read_token(file: str | os.PathLike[str] | None) -> str | None:
    """The token of the owner: from a file, or from the environment; never from an argument that others can list."""
    if file is None:
        return os.environ.get(TOKEN_VARIABLE) or None
    try:
        return Path(file).read_text(encoding="ascii").strip() or None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the token in {file}: {error}") from None
