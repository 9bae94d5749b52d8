"""Is what a service needs installed? If not, which extra brings it is said."""

from __future__ import annotations

from importlib.util import find_spec

from eligo.errors import MissingExtraError

PACKAGES = ("fastapi", "httptools", "httpx2", "msgspec", "prometheus_client", "uvicorn", "uvloop")


def require_service() -> None:
    """Refuse to go on without the packages of `eligo[service]`."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"a service needs the package {missing[0]}", help="install it: pip install 'eligo[service]'"
        )
