"""Which credentials has this process, so that others can be given them? What its own chain comes to, as options.

    S3          AWS_… of the environment; else a profile or a role, through boto3 where it is installed
    Google      the key of a service account, in the file that GOOGLE_… names
    Azure       AZURE_… of the environment

A role that only the machine knows how to renew cannot be given away without boto3, nor can a ticket of Kerberos, nor
what a user of Google has logged in with: then those who use the store need an environment of their own.
"""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

from eligo.errors import StorageError
from eligo.stores.address import Address

_S3 = {
    "access_key_id": ("AWS_ACCESS_KEY_ID",),
    "secret_access_key": ("AWS_SECRET_ACCESS_KEY",),
    "session_token": ("AWS_SESSION_TOKEN",),
    "region": ("AWS_REGION", "AWS_DEFAULT_REGION"),
    "endpoint": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"),
}
"""Options, and the variables that have them."""
_S3_SECRETS = ("access_key_id", "secret_access_key", "session_token")
_GOOGLE_KEY = "GOOGLE_SERVICE_ACCOUNT_KEY"
_GOOGLE_FILES = ("GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_PATH", "GOOGLE_APPLICATION_CREDENTIALS")
_OF_ANY_KIND = "GOOGLE_APPLICATION_CREDENTIALS"
"""The variable that may name credentials of any kind; the others are for service accounts, which need not say so."""
_SERVICE_ACCOUNT = "service_account"
_GOOGLE_KINDS = (
    "authorized_user",
    "external_account",
    "external_account_authorized_user",
    "gdch_service_account",
    "impersonated_service_account",
)
"""Other kinds of credentials, which a store is not spoken to with by their content alone."""


def resolved_options(top: Address) -> dict[str, str]:
    """Options with which another process speaks to a store as this one does."""
    found = {"s3": _of_s3, "gs": _of_google, "abfss": _of_azure}.get(top.scheme, dict)()
    if not found:
        raise StorageError(
            f"this process has no credentials for {top} that it could give to others",
            help="give them as options, set them in its environment, or have each worker find its own",
        )
    return found


def _of_s3() -> dict[str, str]:
    found = {option: value for option, names in _S3.items() if (value := _first(names))}
    if "access_key_id" in found:
        return found
    if importlib.util.find_spec("boto3") is None:
        return {}
    from boto3 import Session

    session = Session()
    credentials = session.get_credentials()
    if credentials is None:
        return {}
    frozen = credentials.get_frozen_credentials()
    keys = dict(zip(_S3_SECRETS, (frozen.access_key, frozen.secret_key, frozen.token), strict=True))
    region = {"region": session.region_name} if session.region_name else {}
    return {**found, **region, **{option: value for option, value in keys.items() if value}}


def _of_google() -> dict[str, str]:
    if key := os.environ.get(_GOOGLE_KEY):
        return {"service_account_key": _service_account(key, _GOOGLE_KEY)}
    for variable in _GOOGLE_FILES:
        if path := os.environ.get(variable):
            return {"service_account_key": _service_account(_content(path, variable), variable)}
    return {}


def _content(path: str, variable: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is no text"
        raise StorageError(
            f"the file of credentials that {variable} names cannot be read: {said}", help="name a file of this machine"
        ) from None


def _service_account(key: str, variable: str) -> str:
    """The key, if it is that of a service account; of another, no more is shown than a kind that is known."""
    try:
        found = json.loads(key)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise StorageError(f"{variable} has no credentials of Google: it is no JSON object")
    kind = found.get("type", None if variable == _OF_ANY_KIND else _SERVICE_ACCOUNT)
    if kind == _SERVICE_ACCOUNT:
        return key
    named = f"of the kind {kind}" if kind in _GOOGLE_KINDS else "of a kind that is not known"
    raise StorageError(
        f"{variable} has credentials {named}, which this process cannot give to others: only keys of service accounts",
        help="name the key of a service account, or have each worker find its own",
    )


def _of_azure() -> dict[str, str]:
    return {name.lower(): value for name, value in os.environ.items() if name.startswith("AZURE_") and value}


def _first(names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := os.environ.get(name))), "")
