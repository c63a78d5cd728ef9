"""A server of `aggregator serve` in a home of its own, and a client that listens for secrets, for Scripts/test-serve and Scripts/test-page."""

import base64
import contextlib
import gzip
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import traceback
from pathlib import Path
from urllib.parse import quote, quote_plus

import stand_ins

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = Path(os.environ.get("AGGREGATOR_BINARY", ROOT / ".build/strict/debug/aggregator")).resolve()
# A server has as many descriptors as a shell usually gives; its clients need more.
DESCRIPTORS = (1_024, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
TOKEN = 'T0ken-of+this/test=="&\\'


class Tally:
    """What was checked, and what there is to say at the end."""

    passed, failed, skipped, figures = 0, 0, [], []


def check(holds, what, *details):
    """Counts a check. Prints a line for it, and details if it failed."""
    if holds:
        Tally.passed += 1
        print(f"ok: {what}")
    else:
        Tally.failed += 1
        print(f"FAILED: {what}", *(str(detail)[:1500] for detail in details), sep="\n    ")


def note(what):
    """Notes a figure, for the end."""
    Tally.figures.append(what)


def attempt(name, test, *arguments):
    """Runs a test. An answer that it did not expect at all is a failure, and not the end."""
    began = time.monotonic()
    try:
        test(*arguments)
    except Exception as error:  # noqa: BLE001
        check(False, f"{name} ends with {error!r}", traceback.format_exc(limit=4))
    print(f"    {name}: {time.monotonic() - began:.1f} s", flush=True)


def conclude():
    """Prints the figures, what was skipped and the counts. Returns the exit code."""
    for one in Tally.figures:
        print(f"figure: {one}")
    for one in sorted(set(Tally.skipped)):
        print(f"skipped: {one}")
    print(f"{Tally.passed} passed, {Tally.failed} failed")
    return 1 if Tally.failed else 0


def wait_for(holds, within=15):
    end = time.monotonic() + within
    while not (found := holds()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def forms(secret):
    """The secret in every form in which it could be told, by the name of the form."""
    plain = secret.encode()
    found = {"plain": plain, "JSON": json.dumps(secret)[1:-1].encode(), "JSON with letters": json.dumps(secret, ensure_ascii=False)[1:-1].encode()}
    for name, make in [("percent", lambda s: quote(s, safe="")), ("percent in a path", quote), ("percent in a form", quote_plus)]:
        found[name] = make(secret).encode()
    for start in range(3):
        # What stands before it decides how it is written; the letters in the middle are the same.
        coded = base64.b64encode(b"x" * start + plain).rstrip(b"=")
        found[f"base64 after {start}"] = coded[[0, 2, 3][start] : -2]
    return found | {f"{name}, small": text.lower() for name, text in found.items() if b"%" in text}


class Ear:
    """Hears every byte that a server sends, and notes the secrets in it."""

    secrets = {"Comic Vine's key": stand_ins.HERO_KEY, "the manifest's key": stand_ins.BOAT_KEY, "the token": TOKEN}
    needles = {(name, form): text for name, secret in secrets.items() for form, text in forms(secret).items()}
    heard, count, lock = set(), 0, threading.Lock()

    @classmethod
    def hear(cls, data, where):
        found = {(name, form, where) for (name, form), text in cls.needles.items() if text in data}
        with cls.lock:
            cls.heard |= found
            cls.count += len(data)
        return found


class Answer:
    """What a server sent to one request. `whole` is False if the transfer broke off."""

    def __init__(self, data, where, is_head=False):
        self.raw = data
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split(" ")[1]) if lines[0].startswith("HTTP/") else 0
        self.headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines[1:])]
        self.whole = bool(head)
        if self["transfer-encoding"] == "chunked" and not is_head:
            parts, self.whole = [], False
            while match := re.match(rb"([0-9A-Fa-f]+)\r\n", body):
                size, start = int(match[1], 16), match.end()
                if size == 0:
                    self.whole = True
                    break
                parts.append(body[start : start + size])
                body = body[start + size + 2 :]
            body = b"".join(parts)
        elif self["content-length"] and not is_head:
            self.whole = len(body) == int(self["content-length"])
        self.body = gzip.decompress(body) if self["content-encoding"] == "gzip" and body else body
        Ear.hear(data, where)
        Ear.hear(self.body, where)

    def __getitem__(self, name):
        return next((value for key, value in self.headers if key == name), None)

    @property
    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return {}

    @property
    def events(self):
        """The events of a stream: name, id and data."""
        found, identity = [], None
        for block in self.body.decode().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and not line.startswith(":"))
            identity = fields.get("id", identity)
            if "data" in fields:
                found.append((fields.get("event"), fields.get("id"), json.loads(fields["data"])))
            elif "id" in fields:
                found.append((None, identity, None))
        return found


class Desk:
    """A home with a store and the manifest of the boats, and the services that it asks."""

    def __init__(self):
        self.services = stand_ins.Services()
        self.folder = Path(tempfile.mkdtemp(prefix="serve-"))
        (self.folder / "sources").mkdir()
        self.manifest = self.folder / "sources/boats.json"
        self.describe()
        self.environment = {
            "HOME": str(self.folder), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "NO_COLOR": "1",
            "AGGREGATOR_SOURCES": str(self.folder / "sources"), **self.services.settings,
            **{f"XDG_{name.upper()}_HOME": str(self.folder / name) for name in ("data", "state", "cache", "config")},
        }  # fmt: skip
        self.servers = []
        self.run("source", "allow", "boats")

    def describe(self, **changes):
        self.manifest.write_text(json.dumps(self.services.manifest(**changes)))

    def run(self, *words, timeout=60, **more):
        return subprocess.run(
            [BINARY, *words], cwd=self.folder, env=self.environment | more, capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL
        )

    def json(self, *words):
        """What the command answers in JSON."""
        done = self.run(*words, "--format", "json")
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise SystemExit(f"{' '.join(words)} printed no JSON: {done.stdout}{done.stderr}") from None

    def serve(self, *words, **more):
        server = Server(self, words, more)
        self.servers.append(server)
        return server

    def close(self):
        for server in self.servers:
            server.kill()
        self.services.gate.set()
        self.services.shutdown()
        self.services.server_close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Server:
    """A running server. Its address is the one that it prints."""

    def __init__(self, desk, words, more):
        words = list(words)
        preparing, environment = more.pop("preexec_fn", lambda: None), desk.environment | more
        if not {"--port", "--socket"} & set(words):
            words += ["--port", "0"]
        self.token = environment.get("AGGREGATOR_TOKEN")
        self.process = subprocess.Popen(
            [BINARY, "serve", *words], cwd=desk.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, preexec_fn=lambda: (resource.setrlimit(resource.RLIMIT_NOFILE, DESCRIPTORS), preparing()),
        )  # fmt: skip
        self.said, self.begun = [], threading.Event()
        threading.Thread(target=self.listen, daemon=True).start()
        self.begun.wait(20)
        line = next((line for line in self.said if "serving at " in line), "")
        self.address = re.sub(r",.*", "", line.partition("serving at ")[2]).strip()
        port = re.search(r":(\d+)$", self.address)
        self.place = ("127.0.0.1", int(port[1])) if port else self.address
        self.host = f"127.0.0.1:{port[1]}" if port else "localhost"

    def listen(self):
        for line in self.process.stderr:
            Ear.hear(line, "standard error")
            self.said.append(line.decode(errors="replace"))
            if "serving at " in self.said[-1]:
                self.begun.set()
        self.begun.set()

    @property
    def runs(self):
        return self.process.poll() is None

    def connect(self, timeout=20):
        kind = socket.AF_INET if isinstance(self.place, tuple) else socket.AF_UNIX
        client = socket.socket(kind)
        client.settimeout(timeout)
        client.connect(self.place)
        return client

    def send(self, data, timeout=20, is_head=False):
        """Sends these bytes, and returns what comes until the server closes the connection or is silent. Status 0: nothing came."""
        received = b""
        with contextlib.suppress(OSError), self.connect(timeout) as client:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                client.sendall(data)
            while part := client.recv(1 << 16):
                received += part
        return Answer(received, data.split(b"\r\n")[0].decode("latin-1")[:120], is_head)

    def request(self, method, path, headers=(), body=b"", timeout=20, host=None):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or self.host}", "Connection: close"]
        headers = dict(headers)
        if self.token and "Authorization" not in headers:
            headers["Authorization"] = f"Bearer {self.token}"
        if body or method in ("POST", "PUT", "PATCH"):
            headers["Content-Length"] = len(body)
        lines += [f"{name}: {value}" for name, value in headers.items() if value is not None]
        return self.send("\r\n".join(lines).encode() + b"\r\n\r\n" + body, timeout, method == "HEAD")

    def get(self, path, **headers):
        return self.request("GET", path, {name.replace("_", "-"): value for name, value in headers.items()})

    def post(self, path, **headers):
        return self.request("POST", path, {name.replace("_", "-"): value for name, value in headers.items()})

    def figure(self, name):
        """A figure of /metrics; None if it is missing."""
        found = re.search(rf"^{re.escape(name)} (\S+)$", self.get("/metrics").body.decode(), re.M)
        return float(found[1]) if found else None

    # MARK: What the process uses

    @property
    def memory(self):
        """Resident memory in MB."""
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())[1]) / 1024

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    @property
    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def rests(self, descriptors, within=15):
        """Waits until no walk, no stream and no more descriptors than these are left. Returns what is left, or None."""
        end = time.monotonic() + within
        while True:
            left = (self.figure("aggregator_walks_running"), self.figure("aggregator_streams"), self.descriptors)
            if left[0] == 0 and left[1] == 0 and left[2] <= descriptors:
                return None
            if time.monotonic() > end:
                return f"{left[0]} walks, {left[1]} streams, {left[2]} descriptors, not {descriptors}"
            time.sleep(0.1)

    def end(self, signal=signal.SIGTERM, within=10):
        """Ends the server. Returns its exit code and the seconds that it took; None if it did not end."""
        began = time.monotonic()
        self.process.send_signal(signal)
        try:
            return self.process.wait(within), time.monotonic() - began
        except subprocess.TimeoutExpired:
            self.kill()
            return None, within

    def kill(self):
        if self.runs:
            self.process.kill()
            self.process.wait()
