#!/usr/bin/env python3
"""Services that page in odd ways, on the loopback: odd_services.py [PORT [CLAMP]] serves until its input ends.

Each list has 250 records; a page has at most CLAMP, whatever is asked for, and 20 where nothing is asked for. GET /log tells how often
each was asked, GET /log?clear begins to count anew.
"""

import sys
import threading
from collections import Counter
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import services

COUNT = 250
KEY = "odd-key-0123456789abcdef"
# What an address gives when everything is asked for: its rows, and the verdicts that are true of them.
EXPECTED = {
    "start/boats": (COUNT, {"complete"}), "zero/boats": (COUNT, {"complete"}), "since/boats": (COUNT, {"complete"}),
    "link/boats": (COUNT, {"complete"}), "gaps/boats": (COUNT, {"complete"}), "headers/boats": (COUNT, {"complete"}),
    "keyed/boats": (COUNT, {"complete"}), "deep/boats": (COUNT, {"complete"}), "jsonapi/boats": (COUNT, {"complete"}),
    "odata/Boats": (COUNT, {"complete"}), "edges/boats": (COUNT, {"complete"}), "locked/boats": (COUNT, {"complete"}),
    "bound/boats": (COUNT, {"complete"}), "arcgis/boats": (COUNT, {"complete"}),
    # It says that there is more, and gives no way to it.
    "stuck/boats": (20, {"partial"}),
}


def boat(i):
    port = None if i % 11 == 0 else {"code": f"P{i % 9}", "name": f"Port {i % 9}"}
    return {
        "id": 1000 + i, "object": "boat", "name": f"Boat {i}", "length": 5 + i % 7 / 2, "built": f"{1950 + i % 70}-05-01", "port": port,
        "flags": ["sail"] if i % 2 else [], "updated_at": f"2026-01-01T{i % 24:02}:00:00Z", "url": f"https://boats.example/{1000 + i}",
    }


BOATS = [boat(i) for i in range(COUNT)]


class OddService(services.Service):
    asked = Counter()
    lock = threading.Lock()

    def answer(self, body):
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        name = parts.path.strip("/").split("/")[0]
        if name == "log":
            with self.lock:
                counts = dict(self.asked)
                if "clear" in query:
                    self.asked.clear()
            return self.give(counts)
        with self.lock:
            self.asked[name] += 1
        answer = getattr(self, "give_" + name, None)
        if answer is None or parts.path.strip("/") not in EXPECTED or body is not None:
            return self.give({"error": "there is nothing here"}, 404)
        try:
            answer(query)
        except (KeyError, ValueError):
            self.give({"error": "this makes no sense"}, 400)

    def page(self, query, size, start, most=1000):
        """The rows from `start` on, as many as the parameter `size` says, and whether more stand after them."""
        count = min(int(query.get(size, 20)), most, self.server.clamp)
        if start < 0 or count < 1:
            raise ValueError
        return BOATS[start : start + count], start + count < COUNT

    def to(self, query, **changes):
        """The address of this list with other values."""
        return f"{urlsplit(self.path).path}?{urlencode({**query, **changes})}"

    def give_start(self, query):
        rows, _ = self.page(query, "count", int(query.get("start", 0)))
        self.give({"start": int(query.get("start", 0)), "total": COUNT, "boats": rows})

    def give_zero(self, query):
        size = min(int(query.get("n", 20)), self.server.clamp)
        rows, has_more = self.page(query, "n", int(query.get("p", 0)) * size)
        self.give({"p": int(query.get("p", 0)), "found": {"total": COUNT}, "last": not has_more, "list": rows})

    def give_since(self, query):
        rows, _ = self.page(query, "limit", max(0, int(query.get("since_id", 999)) - 999), 100)
        self.give(rows)

    def give_link(self, query):
        size = min(int(query.get("per_page", 20)), self.server.clamp)
        number = int(query.get("page", 1))
        rows, has_more = self.page(query, "per_page", (number - 1) * size)
        links = [f'<{self.to(query, page=1)}>; rel="first"'] + ([f'<{self.to(query, page=number + 1)}>; rel="next"'] if has_more else [])
        self.give(rows, Link=", ".join(links))

    def give_gaps(self, query):
        # Every third page has nothing, and names a next one all the same.
        step, start = map(int, query.get("cursor", "0-0").split("-"))
        size = 1 if step % 3 == 2 else min(int(query.get("limit", 20)), self.server.clamp)
        rows, has_more = ([], True) if step % 3 == 2 else self.page({"limit": size}, "limit", start)
        self.give({"rows": rows, "next_cursor": f"{step + 1}-{start + len(rows)}" if has_more else None})

    def give_headers(self, query):
        size = min(int(query.get("per_page", 20)), self.server.clamp)
        rows, _ = self.page(query, "per_page", (int(query.get("page", 1)) - 1) * size)
        self.give(rows, X_Total_Count=str(COUNT), X_Per_Page=str(size))

    def give_keyed(self, query):
        rows, _ = self.page(query, "limit", int(query.get("offset", 0)))
        self.give({"status": "ok", "total": COUNT, "boats": {f"B{row['id']}": row for row in rows}})

    def give_deep(self, query):
        rows, _ = self.page(query, "rows", int(query.get("start", 0)))
        self.give({"responseHeader": {"status": 0}, "response": {"numFound": COUNT, "result": {"docs": rows}}})

    def give_jsonapi(self, query):
        size, number = min(int(query.get("page[size]", 20)), self.server.clamp), int(query.get("page[number]", 1))
        rows, has_more = self.page(query, "page[size]", (number - 1) * size)
        data = [
            {"type": "boats", "id": str(row["id"]), "attributes": {name: row[name] for name in ("name", "length", "built")},
             "relationships": {"port": {"data": {"type": "ports", "id": str(row["id"] % 9)}}}}
            for row in rows
        ]
        following = self.to(query, **{"page[size]": size, "page[number]": number + 1}) if has_more else None
        self.give({"data": data, "included": [{"type": "ports", "id": "1"}], "links": {"next": following}, "meta": {"total": COUNT}})

    def give_odata(self, query):
        start = int(query.get("$skip", 0))
        rows, has_more = self.page(query, "$top", start)
        # Who names a number gets no next address, unless the service gave fewer than that.
        is_cut = has_more and ("$top" not in query or len(rows) < int(query["$top"]))
        answer = {"@odata.context": "$metadata#Boats", "@odata.count": COUNT, "value": rows}
        if is_cut:
            host = self.headers["Host"]
            answer["@odata.nextLink"] = f"http://{host}{urlsplit(self.path).path}?{quote('$skip')}={start + len(rows)}"
        self.give(answer)

    def give_bound(self, query):
        """OData as the standard has it: $top bounds the whole list, and the next address has what is left of it."""
        n = int(query["$top"]) if "$top" in query else None
        at = int(query.get("$skiptoken", 0))
        page = BOATS[at : at + min(20, n or 20)]
        end, left = at + len(page), None if n is None else n - len(page)
        answer = {"value": page}
        if end < COUNT and left != 0:
            base = f"http://{self.headers['Host']}{urlsplit(self.path).path}"
            answer["@odata.nextLink"] = f"{base}?$skiptoken={end}" + (f"&$top={left}" if left else "")
        self.give(answer)

    def give_arcgis(self, query):
        rows, has_more = self.page(query, "resultRecordCount", int(query.get("resultOffset", 0)))
        features = {"features": [{"attributes": row} for row in rows]}
        self.give({**features, "exceededTransferLimit": True} if has_more else features)

    def give_edges(self, query):
        start = int(query["after"][1:]) if query.get("after") else 0
        rows, has_more = self.page(query, "first", start)
        edges = [{"cursor": f"c{start + i + 1}", "node": row} for i, row in enumerate(rows)]
        info = {"hasNextPage": has_more, "endCursor": edges[-1]["cursor"] if edges else None}
        self.give({"boats": {"edges": edges, "pageInfo": info}})

    def give_locked(self, query):
        if self.headers["X-Api-Key"] != KEY:
            return self.give({"error": "who are you?"}, 401)
        rows, _ = self.page(query, "limit", int(query.get("offset", 0)))
        self.give({"total": COUNT, "data": rows})

    def give_stuck(self, query):
        self.give({"data": BOATS[: min(20, self.server.clamp)], "has_more": True})


def serve(port=0, clamp=1000):
    return services.serve(port, clamp, OddService)


if __name__ == "__main__":
    started = serve(*map(int, sys.argv[1:]))
    print(started.server_port, flush=True)
    sys.stdin.read()
