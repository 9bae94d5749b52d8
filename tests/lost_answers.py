"""How is an answer lost in tests that no one can read on its way? A connection that ends when something was asked.

    with losing_answers(port) as between:
        between.lose(b"rename2")        the next request with these bytes is done, and its answer does not come

It knows nothing of what is said: it hands bytes on, both ways. For S3 there is `faulty_store`.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class LosingAnswers:
    """A listener in front of a port."""

    def __init__(self, upstream: int) -> None:
        self._upstream = upstream
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._wanted: bytes | None = None
        self.num_lost = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def lose(self, wanted: bytes) -> None:
        """Lose the answer to the next request that these bytes are found in."""
        self._wanted = wanted

    def close(self) -> None:
        """Take no more connections."""
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._upstream))
                is_cut = threading.Event()
                threading.Thread(target=self._ask, args=(client, server, is_cut), daemon=True).start()
                threading.Thread(target=self._answer, args=(client, server, is_cut), daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket, is_cut: threading.Event) -> None:
        with suppress(OSError):
            while asked := client.recv(1 << 16):
                if self._wanted is not None and self._wanted in asked:
                    self._wanted = None
                    is_cut.set()
                server.sendall(asked)
            server.shutdown(socket.SHUT_WR)

    def _answer(self, client: socket.socket, server: socket.socket, is_cut: threading.Event) -> None:
        with suppress(OSError), client, server:
            while answered := server.recv(1 << 16):
                if is_cut.is_set():  # it is done: nothing is answered before
                    self.num_lost += 1
                    client.shutdown(socket.SHUT_RDWR)
                    return
                client.sendall(answered)


@contextmanager
def losing_answers(upstream: int) -> Iterator[LosingAnswers]:
    """Such a listener for a while."""
    between = LosingAnswers(upstream)
    try:
        yield between
    finally:
        between.close()
