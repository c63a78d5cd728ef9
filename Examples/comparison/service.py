#!/usr/bin/env python3
"""service.py: runs the hazard service alone, on a free port of 127.0.0.1, until its input ends or Ctrl-C.

`curl 'ADDRESS/me/clamp/items?offset=0&limit=50'` shows a first page. The first part of a path names the reader. Each reader meets each
hazard anew.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from hazards import HAZARDS, NO_SUCH_PAGE


class Service(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock, self.lists = threading.Lock(), {}
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def address(self, reader, hazard):
        return f"http://127.0.0.1:{self.server_port}/{quote(reader)}/{hazard}/"

    def list(self, reader, hazard):
        """Returns the list that this reader meets, and makes it at the first request."""
        met = self.lists.setdefault((reader, hazard), HAZARDS[hazard]())
        met.address = self.address(reader, hazard)
        return met

    def handle_error(self, *_):
        """Ignores the errors of an answer to a stopped reader."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer is sent whole, so that no client waits to acknowledge its first half

    def log_message(self, *_):
        pass

    def do_GET(self):
        parts = urlsplit(self.path)
        reader, hazard, path = (unquote(parts.path).lstrip("/").split("/", 2) + ["", ""])[:3]
        with self.server.lock:
            answer = self.server.list(reader, hazard).meet(path, parse_qsl(parts.query)) if hazard in HAZARDS else NO_SUCH_PAGE
        status, body, headers = (*answer, {})[:3]
        kind, data = ("text/html", body) if isinstance(body, str) else ("application/json", json.dumps(body))
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data.encode())


if __name__ == "__main__":
    service = Service()
    print(f"http://127.0.0.1:{service.server_port}/me/ serves {', '.join(HAZARDS)}", flush=True)
    try:
        sys.stdin.read()
    except KeyboardInterrupt:
        pass
