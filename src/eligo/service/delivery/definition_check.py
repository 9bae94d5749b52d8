"""Is a subscription one that can be kept? Its name, its expression and all its numbers, before it is written."""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import urlsplit

import msgspec

from eligo.errors import InputError, shown
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.text.parse import parse
from eligo.language.tree import Expression
from eligo.service.delivery.ranking_window import MOST_BEST
from eligo.service.delivery.subscription import LEAST_BYTES, MOST_BYTES, MOST_PENDING
from eligo.service.records import PullDelivery, PutSubscription, Ranking, WebhookDelivery

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~:@-]{0,199}")
SECRET_PREFIX = "whsec_"
SECRET_BYTES = range(24, 65)
"""How long a secret may be, as Standard Webhooks have it."""
DAY = 86_400.0


def check_definition(record: PutSubscription, limits: Limits = DEFAULT_LIMITS) -> Expression:
    """Refuse what cannot be a subscription, with an error of ours; the tree of its expression."""
    if not NAME.fullmatch(record.name):
        raise InputError(
            f"{shown(record.name)} is no name of a subscription",
            help="a letter or digit, then letters, digits and . _ ~ : @ -; at most 200 characters",
        )
    tree = parse(record.expression, limits=limits)
    _within("max_pending", record.max_pending, 1, MOST_PENDING)
    _within("max_bytes", record.max_bytes, LEAST_BYTES, MOST_BYTES)
    if not isinstance(_decoded(record.metadata), dict | None):
        raise InputError("metadata is a JSON object")
    if record.ranking is not None:
        _check_ranking(record.ranking, record.max_pending)
    delivery = record.delivery
    if isinstance(delivery, PullDelivery):
        _within("ack_wait", delivery.ack_wait, 0.1, DAY)
    if isinstance(delivery, WebhookDelivery):
        _within("timeout", delivery.timeout, 0.1, 60)
        check_url(delivery.url)
        secret_bytes(delivery.secret)
    if isinstance(delivery, PullDelivery | WebhookDelivery):
        _within("max_deliveries", delivery.max_deliveries, 1, 1_000)
        _within("backoff", delivery.backoff, 0.0, 3_600)
    return tree


def _decoded(given: msgspec.Raw) -> object:
    try:
        return msgspec.json.decode(given)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"metadata is no JSON: {error}", help="write JSON in UTF-8") from None


def _check_ranking(ranking: Ranking, max_pending: int) -> None:
    _within("best", ranking.best, 1, MOST_BEST)
    _within("window", ranking.window, 0.1, 31 * DAY)
    if ranking.best > max_pending:
        raise InputError("best is more than max_pending, so that the best would be dropped", help="raise max_pending")


def _within(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:  # which NaN is not either
        raise InputError(f"{name} is from {least:g} to {most:,.0f}, not {shown(value)}")


def check_url(url: str) -> None:
    """Refuse what is no address that can be posted to; where it leads is looked at whenever something is sent."""
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good or not url.isascii() or not url.isprintable() or " " in url or len(url) > 2_000:
        raise InputError(f"{shown(url)} is no address of a webhook", help="such as https://example.org/hook")
    if parts.username is not None or parts.password is not None:
        raise InputError("the address of a webhook has no user and no password", help="the signature says who sends")


def secret_bytes(secret: str) -> bytes:
    """The key that a secret stands for; an `InputError` that does not show it where it is none."""
    encoded = secret.removeprefix(SECRET_PREFIX)
    try:
        key = base64.b64decode(encoded, validate=True) if encoded != secret else b""
    except (binascii.Error, ValueError):
        key = b""
    if len(key) not in SECRET_BYTES:
        raise InputError(
            "the secret is none", help=f"{SECRET_PREFIX} with base64 of {SECRET_BYTES[0]} to {SECRET_BYTES[-1]} bytes"
        )
    return key
