"""How does a receiver know that a message is ours? By a signature as Standard Webhooks 1.0 have it.

    webhook-id: adults.42                 the same whenever the message is sent again
    webhook-timestamp: 1798880400         of this attempt
    webhook-signature: v1,K5oZfzN95…      HMAC-SHA256 of id.timestamp.body with the secret's bytes, in base64

(The Standard Webhooks specification, sections "Webhook headers" and "Signature scheme".)
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

from eligo.service.delivery.definition_check import SECRET_PREFIX, secret_bytes

_NEW_SECRET_BYTES = 32


def new_secret() -> str:
    """A secret for a subscription that was put without one."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_NEW_SECRET_BYTES)).decode("ascii")


def signature(secret: str, id: str, timestamp: int, body: bytes) -> str:
    """What stands in `webhook-signature`."""
    signed = b"%b.%d.%b" % (id.encode("ascii"), timestamp, body)
    digest = hmac.new(secret_bytes(secret), signed, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode("ascii")


def signed_headers(secret: str, id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The headers that a message is sent with."""
    return {
        "webhook-id": id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secret, id, timestamp, body),
    }
