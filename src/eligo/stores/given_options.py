"""With what is a store spoken to that the environment does not say enough of? With options that a program gives.

    set_store_options("s3://ads", {"access_key_id": …, "secret_access_key": …, "endpoint": "http://…"})

Names are those of obstore's configuration, or of Hadoop's for HDFS. Options stay in this process, and go to no address,
manifest or message; on Spark, `share_store` gives them to the workers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from eligo.errors import InputError, shown
from eligo.stores.address import Address, place

Options: TypeAlias = tuple[tuple[str, str], ...]
"""Names and values, in the order of the names."""

_given: dict[str, Options] = {}
"""By the top of the store, as `s3://bucket/`."""


def set_store_options(address: str, options: Mapping[str, str] | None) -> None:
    """Have this process speak to the store of an address with these options, in place of any that were given before.

    What they do not name comes from the environment, as ever. None takes them back.
    """
    top = str(top_of(address))
    if options is None:
        _given.pop(top, None)
    else:
        _given[top] = checked(options)


def top_of(address: Any) -> Address:
    """The store of an address: its bucket, container or file system."""
    found = place(address, "address")
    if not isinstance(found, Address):
        raise InputError("options are those of a store, and this is a path of a machine", help="such as s3://bucket")
    return Address(found.scheme, found.authority, "")


def checked(options: Any) -> Options:
    """The options, if they can be; a value is never shown."""
    if not isinstance(options, Mapping):
        raise InputError("options of a store are a mapping from names to texts")
    for name, value in options.items():
        if not isinstance(name, str) or not isinstance(value, str):
            where = f" {shown(name)}" if isinstance(name, str) else ""
            raise InputError(f"an option{where} of a store is {type(value).__name__}", help="give names and texts")
    return tuple(sorted((name.lower(), value) for name, value in options.items()))


def options_for(top: Address) -> Options:
    """What was given for a store; nothing for most."""
    return _given.get(str(top), ())


def given_values() -> list[tuple[str, str]]:
    """All that was given, for those who must not show it."""
    return [option for options in list(_given.values()) for option in options]
