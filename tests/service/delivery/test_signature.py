"""Is a signature the one that Standard Webhooks specify?"""

from __future__ import annotations

from eligo.service.delivery.definition_check import secret_bytes
from eligo.service.delivery.webhooks.signature import new_secret, signature


def test_the_example_of_the_specification() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    signed = signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_new_secrets_are_good_and_differ() -> None:
    assert len(secret_bytes(new_secret())) == 32
    assert new_secret() != new_secret()
