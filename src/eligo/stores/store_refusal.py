"""What is told when a store says no, or nothing? The store's own word for it, and what to do; never a secret.

    cannot list s3://ads/rules.index/versions/: ExpiredToken: The provided token has expired. (403 Forbidden)
      help: the credentials of this process have expired: renew them and do it again

A store puts into its answer what it was asked with: S3 repeats a session token that has expired. So of an answer only
its code and its message are shown, and of what a library says, its first line up to such an answer, without the queries
of web addresses. What the environment, or an option that was given, holds as a secret is taken out of both.
"""

from __future__ import annotations

import os
import re

from eligo.errors import StorageError
from eligo.stores.given_options import given_values
from eligo.stores.patience import VARIABLE

MOST_CHARACTERS = 300
SECRET_NAME = re.compile(r"SECRET|TOKEN|PASSWORD|ACCESS_KEY|ACCOUNT_KEY|SAS|CREDENTIAL")
"""Names of variables of the environment, and of options, whose values are shown to no one."""
_SHORTEST_SECRET = 6
_CODE = re.compile(r"<Code>([^<]{1,100})</Code>")
_MESSAGE = re.compile(r"<Message>([^<]{1,1000})</Message>")
_STATUS = re.compile(r"status code: ([1-5][0-9]{2}(?: [A-Z][A-Za-z]+)*)")
_TIMED_OUT = re.compile(r"\bkind: Timeout\b|TimedOut|timed out")
_NOT_CONNECTED = re.compile(r"\bkind: Connect\b|Connection refused")

_HELP = {
    "ExpiredToken": "the credentials of this process have expired: renew them and do it again",
    "RequestTimeTooSkewed": "the clock of this machine is not that of the store: set it",
    "NoSuchBucket": "make the bucket first, or name another",
    "SignatureDoesNotMatch": "the secret key does not belong to the access key, or the region is another",
    "InvalidAccessKeyId": "the store does not know this access key; is it that of another store?",
    "SlowDown": "the store is asked too often: wait, or have fewer ask at once",
}
_SAME = {
    "ExpiredTokenException": "ExpiredToken",
    "TokenRefreshRequired": "ExpiredToken",
    "RequestExpired": "ExpiredToken",
}
_OF_STATUS = {
    "401": "give this process credentials that the store knows; see docs/stores.md",
    "403": "give this process credentials that may do so; see docs/stores.md",
}


def refused(address: object, doing: str, error: BaseException) -> StorageError:
    """That a store said no, in a line."""
    text = str(error)
    code, message, status = (_first(pattern, text) for pattern in (_CODE, _MESSAGE, _STATUS))
    if code:
        said = ": ".join(part for part in (code, message) if part) + (f" ({status})" if status else "")
        help = _HELP.get(_SAME.get(code, code)) or _OF_STATUS.get(status[:3], "")
    elif status:
        said, help = status, _OF_STATUS.get(status[:3], "")
    elif _TIMED_OUT.search(text):
        said, help = "it did not answer in time", f"{VARIABLE} says how many seconds that is"
    elif _NOT_CONNECTED.search(text):
        said, help = "it cannot be reached", "is its address right, and does it run?"
    else:
        said, help = _plain(text) or type(error).__name__, ""
    return StorageError(f"cannot {doing} {address}: {_without_secrets(said)[:MOST_CHARACTERS]}", help=help)


def code_in(text: str) -> str:
    """The code of the answer of a store that a library shows; empty where there is none."""
    return _first(_CODE, text)


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return " ".join(found[1].split()) if found else ""


def _plain(text: str) -> str:
    """The first line, up to the answer of a store, without the queries of web addresses."""
    words = text.partition("\n")[0].partition("<")[0].split()
    return " ".join(word.partition("?")[0] if "://" in word else word for word in words)


def _without_secrets(text: str) -> str:
    for name, value in (*os.environ.items(), *given_values()):
        if SECRET_NAME.search(name.upper()) and len(value) >= _SHORTEST_SECRET:
            text = text.replace(value, "…")
    return text
