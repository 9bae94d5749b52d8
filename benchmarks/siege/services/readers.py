"""Who reads from a service while it is killed? One who pulls, one who is posted to, one who reads a stream."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.siege.services.ledger import Deliveries
from benchmarks.siege.services.line import BrokenError, Line, Scene

REFUSED_SHARE = 0.05
"""Of messages, or posts, that are not taken at first."""


class Puller(threading.Thread):
    """Pulls and acknowledges; sometimes it refuses, or forgets to say anything."""

    def __init__(self, deliveries: Deliveries, seed: int, scene: Scene) -> None:
        super().__init__(name=f"puller of {deliveries.name}", daemon=True)
        self._deliveries = deliveries
        self._rng = random.Random(f"puller {seed} {deliveries.name}")
        self._scene = scene
        self._line = Line(scene)

    def run(self) -> None:
        path = f"/subscriptions/{self._deliveries.name}"
        while not self._scene.is_finished.is_set():
            try:
                reply = self._line.ask("POST", f"{path}/pull", {"max": 50, "wait": 0.2})
                if reply.status != 200:
                    self._deliveries.fail(f"a pull was answered with {reply.status} {reply.body[:200]!r}")
                    time.sleep(0.1)
                    continue
                self._take(path, reply.json)
            except BrokenError:
                continue
        self._line.close()

    def _take(self, path: str, told: Any) -> None:
        if told["dropped"]:
            self._deliveries.fail(f"{told['dropped']} messages were dropped")
        seqs = []
        for message in told["messages"]:
            self._deliveries.take(message["seq"], message["document"])
            seqs.append(message["seq"])
        if not seqs or self._rng.random() < REFUSED_SHARE:
            return
        if self._rng.random() < REFUSED_SHARE:
            self._line.ask("POST", f"{path}/nack", {"seqs": seqs})
            return
        if self._line.ask("POST", f"{path}/ack", {"seqs": seqs}).status == 200:
            self._deliveries.taken.update(seqs)


class Hook:
    """A receiver of webhooks."""

    def __init__(self, deliveries: Deliveries, seed: int) -> None:
        rng = random.Random(f"hook {seed}")
        lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                body = self.rfile.read(length)
                if len(body) < length:  # the service was killed in the middle of it
                    self.close_connection = True
                    return
                with lock:
                    is_taken = rng.random() >= REFUSED_SHARE
                    if is_taken:
                        message = json.loads(body)["data"]
                        deliveries.take(message["seq"], message["document"])
                self.send_response(200 if is_taken else 500)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *whatever: Any) -> None:
                """Nothing."""

            def handle(self) -> None:
                try:
                    super().handle()
                except OSError:
                    """The service was killed."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/hook"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class StreamReader(threading.Thread):
    """Reads a stream, and resumes it where it broke."""

    def __init__(self, deliveries: Deliveries, scene: Scene) -> None:
        super().__init__(name=f"reader of {deliveries.name}", daemon=True)
        self._deliveries = deliveries
        self._scene = scene
        self._last = ""

    def run(self) -> None:
        while not self._scene.is_finished.is_set():
            if not self._scene.is_up.wait(0.5):
                continue
            connection = http.client.HTTPConnection("127.0.0.1", self._scene.port, timeout=2)
            try:
                headers = {"last-event-id": self._last} if self._last else {}
                connection.request("GET", f"/subscriptions/{self._deliveries.name}/stream", headers=headers)
                response = connection.getresponse()
                if response.status == 200:
                    self._read(response)
            except (OSError, http.client.HTTPException):
                continue
            finally:
                connection.close()

    def _read(self, response: http.client.HTTPResponse) -> None:
        event: dict[str, str] = {}
        while not self._scene.is_finished.is_set():
            line = response.readline()
            if not line:
                return
            text = line.decode().rstrip("\n")
            if text:
                name, _, value = text.partition(": ")
                event[name] = value
                continue
            if event.get("event") == "gap":
                self._deliveries.fail(f"the stream has a gap: {event['data']}")
            elif "id" in event and "data" in event:
                message = json.loads(event["data"])
                self._deliveries.take(message["seq"], message["document"])
                self._last = event["id"]
            event = {}
