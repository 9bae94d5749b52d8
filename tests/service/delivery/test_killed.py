"""Does what was acknowledged survive a killed service, and is all of it delivered at least once and in order?"""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from delivering_service import eventually
from webhook_receiver import receiving

KILLS = 4
SECRET = "whsec_" + "A" * 43 + "="


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as chosen:
        port: int = chosen.getsockname()[1]
        return port


def start(directory: Path, port: int) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-c",
        "from eligo.cli.main import run; run()",
        "serve",
        str(directory),
        "--port",
        str(port),
    ]
    return subprocess.Popen(
        [*command, "--allow-webhook", "127.0.0.1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def ask(port: int, method: str, path: str, body: Any = None) -> Any:
    """What is answered; None when nobody does, or with an error."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, None if body is None else json.dumps(body).encode())
        response = connection.getresponse()
        content = response.read()
        return json.loads(content) if response.status in (200, 201) else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def test_nothing_acknowledged_is_lost_and_all_is_delivered_in_order(tmp_path: Path) -> None:
    chance, port, is_over = random.Random(7), free_port(), threading.Event()
    published: list[tuple[int, int]] = []
    """Seq and x of what was acknowledged, in that order."""
    pulled: list[int] = []
    acknowledged: set[int] = set()
    came_back: list[int] = []

    def publish() -> None:
        x = 0
        while not is_over.is_set():
            answer = ask(port, "POST", "/publish", {"x": x, "parity": x % 2})
            if answer is None:
                time.sleep(0.02)
            else:
                published.append((answer["seq"], x))
            x += 1

    def pull() -> None:
        while not is_over.is_set():
            answer = ask(port, "POST", "/subscriptions/even/pull", {"max": 7, "wait": 0.2})
            seqs = [message["seq"] for message in (answer or {"messages": []})["messages"]]
            came_back.extend(acknowledged.intersection(seqs))
            assert all(message["document"]["x"] % 2 == 0 for message in (answer or {"messages": []})["messages"])
            pulled.extend(seqs)
            if not seqs:
                time.sleep(0.02)
            elif ask(port, "POST", "/subscriptions/even/ack", {"seqs": seqs}) is not None:
                acknowledged.update(seqs)

    with receiving() as receiver:
        process = start(tmp_path / "data", port)
        threads = [threading.Thread(target=publish), threading.Thread(target=pull)]
        try:
            eventually(lambda: ask(port, "GET", "/healthz") is not None)
            even = "parity = 0"
            webhook = {"kind": "webhook", "url": receiver.url, "secret": SECRET, "backoff": 0.05}
            assert ask(port, "PUT", "/subscriptions/even", {"expression": even}) is not None
            assert ask(port, "PUT", "/subscriptions/hook", {"expression": even, "delivery": webhook}) is not None
            for thread in threads:
                thread.start()
            for _ in range(KILLS):
                count = len(published)
                eventually(lambda count=count: len(published) > count + 5)  # type: ignore[misc]
                time.sleep(chance.uniform(0, 0.5))
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                process = start(tmp_path / "data", port)
            count = len(published)
            eventually(lambda: len(published) > count + 5)
            wanted = {seq for seq, x in published[:count] if x % 2 == 0}
            eventually(lambda: wanted <= set(pulled))  # an acknowledgement whose answer was lost may count, too
            eventually(lambda: wanted <= set(receiver.seqs))
        finally:
            is_over.set()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
        assert came_back == []
        assert wanted and acknowledged
        for seqs in (pulled, receiver.seqs):
            first = list(dict.fromkeys(seqs))
            assert first == sorted(first)
        assert all(request.json["data"]["document"]["x"] % 2 == 0 for request in receiver.received)
