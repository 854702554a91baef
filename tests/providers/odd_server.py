"""A server on 127.0.0.1 that says exactly what it is told to, however odd."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from leaderboard.core.types import Endpoint

GOOD: Mapping[str, object] = {
    "id": "chatcmpl-odd",
    "object": "chat.completion",
    "created": 1,
    "model": "plain-0613",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "well"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
}


def saying(text: str) -> dict[str, object]:
    """The part of a reply that holds its text."""
    message = {"role": "assistant", "content": text}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


@contextmanager
def odd_server(
    changes: Mapping[str, object], *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Iterator[Endpoint]:
    """The endpoint of a server that answers every request with a good reply changed like this."""
    body = json.dumps({**GOOD, **changes}).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield Endpoint(litellm="openai/plain", api_base=f"http://127.0.0.1:{server.server_address[1]}/v1")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
