"""Clients that are many, slow or rude, for Scripts/test-serve: none of them may cost others their answers, or leave anything running."""

import contextlib
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from serving import Ear, check, note

# The connections to services and to the store that are kept for the next request.
KEPT = 72


def warm(server):
    """Returns the number of descriptors of a server that has opened what it opens once."""
    for address in ["/metrics", "/api/boats/walk?live=true", "/api/heroes?limit=5", "/api/heroes?live=true&limit=5"]:
        server.get(address)
    return server.descriptors


def test_crowd(desk, server):
    rest, threads = warm(server), server.threads
    for terms in ["&offline=true", ""]:
        before, most = server.memory, 0
        began = time.monotonic()
        clients = [server.connect() for _ in range(400)]
        head = f"GET /api/heroes?limit=5{terms} HTTP/1.1\r\nHost: {server.host}\r\nConnection: close\r\n\r\n".encode()
        for client in clients:
            client.sendall(head)
        statuses = Counter()
        for client in clients:
            data = b""
            with contextlib.suppress(OSError), client:
                while part := client.recv(1 << 16):
                    data += part
            Ear.hear(data, "one of 400")
            statuses[data[9:12].decode()] += 1
            most = max(most, server.descriptors)
        seconds, what = time.monotonic() - began, "stored" if terms else "of the service"
        note(
            f"400 connections at once, {what}: {dict(statuses)} in {seconds:.2f} s, {before:.0f} MB before, {server.memory:.0f} MB after, at most {most} descriptors"
        )
        check(statuses == {"200": 400}, f"400 connections at once are answered with what is {what}, in {seconds:.1f} s", statuses)
        check(server.memory < before + 100, f"they cost {server.memory - before:.0f} MB")
    # Some connections to the store are kept for the next rush.
    left = server.rests(rest + 64)
    check(not left, "most of what they needed is given back", left)
    rest = server.descriptors
    test_leavers(desk, server, rest)
    test_walks(desk, server)
    test_slow_readers(desk, server)
    left = server.rests(rest + KEPT)
    check(not left, "nothing is left running", left)
    note(f"descriptors {rest} before and {server.descriptors} after, threads {threads} and {server.threads}, {server.memory:.0f} MB")
    check(server.threads <= threads + 8, f"no threads are left: {threads} before, {server.threads} after")


def test_leavers(desk, server, rest):
    """100 clients leave while their walk waits for the service."""
    desk.services.delay = 0.2
    counts = Counter()

    def leave(number):
        with server.connect() as client:
            client.sendall(
                f"GET /api/boats/walk?live=true&format={['events', 'csv', 'ndjson', 'json'][number % 4]} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode()
            )
            time.sleep(0.05 + number % 5 / 10)
            client.setblocking(False)
            with contextlib.suppress(OSError):
                counts[client.recv(1 << 16)[9:12].decode()] += 1

    with ThreadPoolExecutor(25) as pool:
        list(pool.map(leave, range(100)))
    left = server.rests(rest + KEPT)
    desk.services.delay = 0
    note(f"100 clients that leave: {dict(counts)}")
    check(not left, f"100 clients leave, and no walk runs: {dict(counts)}", left)


def test_walks(desk, server):
    """20 walks at once: some run, the others are refused at once."""
    desk.services.delay = 0.3
    began = time.monotonic()
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: server.get("/api/boats/walk?live=true&format=json"), range(20)))
    desk.services.delay = 0
    statuses = Counter(answer.status for answer in answers)
    seconds = time.monotonic() - began
    refused = [answer for answer in answers if answer.status == 429]
    note(f"20 walks at once: {dict(statuses)} in {seconds:.1f} s")
    check(statuses[200] == 8 and statuses[429] == 12, f"of 20 walks at once 8 run: {dict(statuses)}")
    check(all(answer["retry-after"] for answer in refused), "the others are told when to ask again")
    check(all(answer.json["verdict"]["kind"] == "complete" for answer in answers if answer.status == 200), "the walks that run are whole")


def test_slow_readers(desk, server):
    """Six clients ask for a large walk and read nothing."""
    desk.services.rows = [row | {"tags": ["x" * 2_000]} for row in (desk.services.rows[i % 230] | {"id": i + 1} for i in range(4_000))]
    before = server.memory
    clients = [server.connect() for _ in range(6)]
    for client in clients:
        client.sendall(f"GET /api/boats/walk?live=true&format=ndjson HTTP/1.1\r\nHost: {server.host}\r\nConnection: close\r\n\r\n".encode())
    most = 0
    for _ in range(20):
        time.sleep(0.1)
        most = max(most, server.memory)
    check(server.figure("aggregator_walks_running") == len(clients), "a walk waits for its reader")
    for client in clients:
        client.close()
    desk.services.rows = [{**row, "tags": []} for row in desk.services.rows[:230]]
    note(f"6 readers that read nothing of 8 MB: {before:.0f} MB before, {most:.0f} MB at most")
    check(most < before + 60, f"slow readers cost {most - before:.0f} MB")


class Drips:
    """50 clients that send a byte a second. They run while other checks do."""

    def __init__(self, server):
        self.server, self.lasted = server, []
        self.threads = [threading.Thread(target=self.drip, args=(i,), daemon=True) for i in range(50)]
        for thread in self.threads:
            thread.start()

    def drip(self, number):
        began = time.monotonic()
        with contextlib.suppress(OSError), self.server.connect() as client:
            text = (
                b"GET /api/heroes HTTP/1.1\r\n" + b"X-A: b\r\n" * 20
                if number % 2
                else f"POST /api/boats/sync HTTP/1.1\r\nHost: {self.server.host}\r\nContent-Length: 99\r\n\r\n".encode()
            )
            first = 1 if number % 2 else len(text)
            client.sendall(text[:first])
            client.settimeout(1)
            for byte in text[first:] + b"x" * 30:
                try:
                    if not client.recv(1000):
                        break
                except TimeoutError:
                    client.sendall(bytes([byte]))
        self.lasted.append(time.monotonic() - began)

    def judge(self):
        for thread in self.threads:
            thread.join(30)
        note(f"50 drips: cut after {min(self.lasted):.1f} to {max(self.lasted):.1f} s")
        check(
            len(self.lasted) == 50 and 9 < min(self.lasted) and max(self.lasted) < 13,
            f"50 drips are cut after 10 s: {min(self.lasted):.1f} to {max(self.lasted):.1f} s",
        )
        left = self.server.rests(self.rest + KEPT)
        check(not left, "nothing is left of them", left)


def malformed(host):
    """Requests that are none: a name, the bytes, and the statuses that are right. 0 is a connection that is closed."""
    name = f"Host: {host}\r\n".encode()
    get, end = b"GET /healthz HTTP/1.1\r\n" + name, b"Connection: close\r\n\r\n"
    second = b"GET /readyz HTTP/1.1\r\n" + name + end
    post = b"POST /api/boats/sync HTTP/1.1\r\n" + name
    return [
        ("no Host", b"GET /healthz HTTP/1.1\r\n" + end, {400}),
        ("an empty Host", b"GET /healthz HTTP/1.1\r\nHost:\r\n" + end, {400, 421}),
        ("two Hosts", get + b"Host: evil.example\r\n" + end, {400}),
        ("two equal Hosts", get + name + end, {400}),
        ("a space before the colon", get + b"X-A : b\r\n" + end, {400}),
        ("a header without a colon", get + b"nonsense\r\n" + end, {400}),
        ("a folded header", get + b"X-A: b\r\n c\r\n" + end, {200, 400}),
        ("bare line feeds", get.replace(b"\r\n", b"\n") + b"Connection: close\n\n", {200, 400}),
        # The library ends a text there.
        ("NUL in a header", get + b"X-A: b\0c\r\n" + end, {200, 400, 0}),
        ("NUL in the address", b"GET /heal\0thz HTTP/1.1\r\n" + name + end, {400, 404, 0}),
        ("%00 in the address", b"GET /heal%00thz HTTP/1.1\r\n" + name + end, {400}),
        ("no UTF-8 in the address", b"GET /heal%FFthz HTTP/1.1\r\n" + name + end, {400}),
        ("% without digits", b"GET /heal%zz HTTP/1.1\r\n" + name + end, {400}),
        ("two different lengths", post + b"Content-Length: 5\r\nContent-Length: 6\r\n" + end + b"12345", {400, 0}),
        ("a length and chunks", post + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n" + end + b"0\r\n\r\n" + second, {400}),
        ("an unknown coding", post + b"Transfer-Encoding: xyz\r\n" + end + second, {400, 501, 0}),
        ("a length that is none", post + b"Content-Length: 1x\r\n" + end, {400, 0}),
        ("a length below zero", post + b"Content-Length: -5\r\n" + end, {400, 0}),
        ("a huge length", post + b"Content-Length: 99999999999999999999\r\n" + end, {400, 413, 0}),
        ("a body of 70 kB", post + b"Content-Length: 70000\r\n" + end + b"x" * 70_000, {413}),
        ("chunks of 70 kB", post + b"Transfer-Encoding: chunked\r\n" + end + b"11170\r\n" + b"x" * 70_000 + b"\r\n0\r\n\r\n", {413}),
        ("a chunk that is none", post + b"Transfer-Encoding: chunked\r\n" + end + b"zz\r\nabc", {400, 0}),
        ("500 headers", get + b"".join(b"X-%d: b\r\n" % i for i in range(5_000)) + end, {431, 0}),
        ("a header of 40 kB", get + b"X-A: " + b"b" * 40_000 + b"\r\n" + end, {431, 0}),
        ("an address of 20 kB", b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n" + name + end, {414}),
        ("no version", b"GET /healthz\r\n\r\n", {400, 0}),
        ("version 3.7", b"GET /healthz HTTP/3.7\r\n" + name + end, {505, 400, 0}),
        ("garbage", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 50 + b"\r\n\r\n", {400, 0}),
        ("an address of another host", b"GET http://evil.example/healthz HTTP/1.1\r\n" + name + end, {400, 404, 421}),
        ("a word for an address", b"GET healthz HTTP/1.1\r\n" + name + end, {400, 404}),
        ("CONNECT", b"CONNECT evil.example:443 HTTP/1.1\r\n" + name + end, {400, 404, 405}),
        ("OPTIONS *", b"OPTIONS * HTTP/1.1\r\n" + name + end, {200, 204, 400, 404}),
    ]  # fmt: skip


def test_malformed(server):
    wrong = []
    for name, data, due in malformed(server.host):
        answer = server.send(data, timeout=5)
        # The library sends the head of an error of its own twice.
        others = answer.raw.count(b"HTTP/1.1 ") - (2 if b"\r\n\r\nHTTP/1.1 " in answer.raw and b"\r\n\r\n<html>" in answer.raw else answer.status > 0)
        print(f"    {name:30} {answer.status or 'closed'}{' and a second answer' if others else ''}")
        if answer.status not in due or others or b"ready" in answer.body:
            wrong.append(f"{name}: {answer.status}, not {due}; {answer.raw[:300]}")
    check(not wrong, "malformed requests are refused", *wrong)
