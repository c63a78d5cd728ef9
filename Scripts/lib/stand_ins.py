"""The four services and one that a manifest describes, on the loopback, for Scripts/test-serve and Scripts/test-page.

They answer as the real ones do: Comic Vine with its key in the query and its envelope, the products by POST and without a total, randomuser.me
by seed and page, the countries as one list. `boats` is by offset with a total, wants a key in a header, and has the faults of `hazard`.
"""

import json
import re
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, urlsplit

from portraits import portrait

# Each key has what percent-encoding, JSON and base64 write in another way.
HERO_KEY = "5ecret+of/the=test%ü"
BOAT_KEY = 'b0at"key\\with/all&of+it='
HEROES, PRODUCTS, USERS, BOATS, PAGE = 250, 230, 150, 230, 50
COUNTRIES = [
    ("Austria", "AT", "Vienna", "EU"), ("Åland Islands", "AX", "Mariehamn", "EU"), ("Côte d'Ivoire", "CI", "Yamoussoukro", "AF"),
    ("Antarctica, not", "HM", "", ""), ("Peru", "PE", "Lima", "SA"), ("Samoa", "WS", "Apia", "OC"), ("Japan", "JP", "Tokyo", "AS"),
]  # fmt: skip


class Services(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        # The fault of boats: "", "clamped", "cycling", "inserted", "broken", "liar", "leaky" or "stuck".
        self.hazard, self.rows, self.delay = "", [boat(i) for i in range(BOATS)], 0
        self.names = {}
        # Further lists by name, and what those named in `errors` refuse every request with.
        self.tables, self.errors = {}, {}
        self.asked = []
        self.gate = threading.Event()
        self.gate.set()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def handle_error(self, *_):
        pass  # A client that left is no news.

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def settings(self):
        return {
            "COUNTRIES_URL": f"{self.address}/countries.json", "PRODUCTS_BASE_URL": f"{self.address}/", "PRODUCTS_BUDGET": "unlimited",
            "RANDOM_USER_BASE_URL": f"{self.address}/api/1.4/", "RANDOM_USER_BUDGET": "unlimited",
            "COMIC_VINE_BASE_URL": f"{self.address}/vine/", "COMIC_VINE_API_KEY": HERO_KEY, "COMIC_VINE_BUDGET": "unlimited",
            "BOATS_KEY": BOAT_KEY,
        }  # fmt: skip

    def manifest(self, name="boats", **changes):
        return {
            "aggregator": 1,
            "address": {"setting": "BOATS_URL", "default": f"{self.address}/fleet/"},
            "keys": [{"setting": "BOATS_KEY", "header": "X-Api-Key"}],
            "budget": "unlimited",
            "sources": {
                name: {
                    "summary": "Boats of a fleet",
                    "list": {"path": "boats", "query": {"offset": "{offset}", "limit": "{size}"}},
                    "rows": "rows",
                    "key": "id",
                    "paging": {"by": "offset", "size": PAGE, "total": "total", "end": "total"},
                    "fields": [
                        {"name": "id", "type": "integer", "role": "badge"},
                        {"name": "name", "role": "title", "searchable": True},
                        {"name": "length", "type": "number"},
                        {"name": "built", "type": "time"},
                        {"name": "sails", "type": "boolean"},
                        {"name": "port"},
                        {"name": "page", "type": "address", "role": "link"},
                        {"name": "tags", "type": "json"},
                    ],
                    "detail": {"request": {"path": "boats/{id}"}, "row": "row"},
                    **changes,
                }
            },
        }


def boat(i):
    names = ["=1+1", "<b>Bold & Sons</b>", "日本丸", "Line\nbreak", 'a,b;"c"', "Boat"]
    return {
        "id": i + 1, "name": f"{names[i % 6]} {i + 1}", "length": 5 + i % 7 / 2, "built": f"{1950 + i % 70}-05-01", "sails": i % 2 == 0,
        "port": None if i % 11 == 0 else f"Port {i % 5}", "page": f"https://boats.example/{i + 1}", "tags": ["wood", {"n": i}] if i % 3 else [],
    }  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def give(self, body, status=200, type="application/json"):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        parts = urlsplit(self.path)
        self.query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        self.server.asked.append(self.path)
        self.server.gate.wait(60)
        if self.server.delay:
            time.sleep(self.server.delay)
        words = parts.path.strip("/").split("/")
        if words[0] == "vine":
            return self.give_heroes(words[1:])
        if words[:2] == ["api", "1.4"]:
            return self.give_users()
        if words[0] == "fleet":
            return self.give_boats(words[1:])
        if words[0] == "table" and words[1] in self.server.errors:
            return self.give(self.server.errors[words[1]], 400)
        if words[0] == "table":
            rows, offset, limit = self.server.tables[words[1]], int(self.query["offset"]), int(self.query["limit"])
            return self.give({"rows": rows[offset : offset + limit], "total": len(rows)})
        if words[0] == "product" and len(words) == 2:
            found = [row for row in (product(i, self.server.address) for i in range(PRODUCTS)) if row["id"] == words[1]]
            return self.give({"product": found[0] if found else {}})
        if words[0] == "countries.json":
            return self.give([country(*one) for one in COUNTRIES], type="text/plain")
        if words[0] == "pictures":
            return self.give(portrait(words[1], words[2]), type="image/png")
        self.give(b"<!DOCTYPE html><p>Not found", 404, "text/html")

    def do_POST(self):
        self.server.asked.append(self.path)
        self.server.gate.wait(60)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rows = [product(i, self.server.address) for i in range(PRODUCTS)]
        if title := body.get("where", {}).get("title", {}).get("contains"):
            rows = [row for row in rows if title in (row["title"] or "")]
        if self.path.startswith("/products/offset"):
            if "skip" not in body or "take" not in body:
                return self.give({}, 500)
            return self.give({"products": rows[body["skip"] : body["skip"] + min(body["take"], 100)]})
        self.give(b"<!DOCTYPE html><p>Cannot POST", 404, "text/html")

    # MARK: Comic Vine

    def give_heroes(self, words):
        if self.query.get("api_key") != HERO_KEY:
            # It repeats the key, as careless services do.
            return self.give(envelope([], 0, 100, f"Invalid API Key {self.query.get('api_key')}"), 401)
        if self.server.hazard == "leaky-error":
            return self.give(envelope([], 0, 102, f"Error in URL {self.path} with {HERO_KEY}"), 200)
        offset, limit = (int(self.query.get(name, [0, 100][name == "limit"])) for name in ("offset", "limit"))
        rows = [self.hero(i) for i in range(HEROES)]
        if words[0] == "characters":
            order, _, direction = self.query.get("sort", "id:asc").partition(":")
            rows.sort(key=lambda row: row.get(order, 0), reverse=direction == "desc")
            for condition in filter(None, self.query.get("filter", "").split(",")):
                name, _, value = condition.partition(":")
                low, _, high = value.partition("|")
                rows = [r for r in rows if (low <= r[name] <= high if high else low.lower() == str(r[name]).lower())]
            return self.give(envelope(rows[offset : offset + min(limit, 100)], len(rows), offset=offset))
        if words[0] == "search":
            wanted = self.query.get("query", "").lower().split()
            rows = [row | {"resource_type": "character"} for row in rows if any(word in row["name"].lower() for word in wanted)]
            page = int(self.query.get("page", 1)) - 1
            return self.give(envelope(rows[page * 10 : page * 10 + 10], len(rows)))
        number = int(re.sub(r"\D", "", words[1].partition("-")[2]) or 0) if len(words) > 1 else 0
        if not 1 <= number <= HEROES:
            return self.give(envelope([], 0, 101, "Object Not Found"))
        self.give(envelope(self.hero(number - 1) | {"powers": [{"id": 1, "name": "Flight"}], "teams": []}, 1))

    def hero(self, i):
        name = self.server.names.get(i, f"{['Spider', 'Bat', 'Ant'][i % 3]} {i + 1}")
        moment = f"2026-01-{1 + i // 24 % 28:02} {i % 24:02}:00:00"
        return {
            "id": i + 1, "name": name, "gender": i % 3, "count_of_issue_appearances": i, "date_added": moment, "date_last_updated": moment,
            "api_detail_url": f"{self.server.address}/vine/character/4005-{i + 1}/", "site_detail_url": f"https://comicvine.example/{i + 1}/",
            "image": {"medium_url": f"{self.server.address}/pictures/hero/{i + 1}.png", "small_url": f"{self.server.address}/pictures/hero/{i + 1}.png"},
            "aliases": "One\nTwo" if i % 4 else None, "deck": "Deck & more", "real_name": None, "origin": {"id": 1, "name": "Human"},
            "birth": None, "publisher": {"id": 1, "name": "Marvel" if i % 2 else "DC Comics"}, "description": "<p>text</p>",
        }  # fmt: skip

    # MARK: randomuser.me

    def give_users(self):
        def number(name, most, otherwise):
            text = self.query.get(name, "")
            return int(text) if text.isdigit() and 1 <= int(text) <= most else otherwise

        page, count, seed = number("page", 10_000, 1), number("results", 5000, 1), self.query.get("seed", "none")
        # The list is endless, and begins again after the last page.
        rows = [user(seed, (page - 1) * count + i, self.server.address) for i in range(count)]
        self.give({"results": rows, "info": {"seed": seed, "results": count, "page": page, "version": "1.4"}})

    # MARK: The described source

    def give_boats(self, words):
        server = self.server
        if self.headers["X-Api-Key"] != BOAT_KEY:
            return self.give({"error": f"unknown key {self.headers['X-Api-Key']}"}, 401)
        if len(words) == 2:
            found = [row for row in server.rows if str(row["id"]) == words[1]]
            return self.give({"row": found[0]} if found else {"error": "none"}, 200 if found else 404)
        offset, limit = int(self.query["offset"]), int(self.query["limit"])
        rows, total = server.rows, len(server.rows)
        if server.hazard == "clamped":
            limit = min(limit, 20)
        if server.hazard == "cycling":
            offset %= 100
        if server.hazard == "inserted" and offset:
            rows = [boat(9_999)] + rows
            total = len(rows)
        if server.hazard == "broken" and offset >= 100:
            return self.give({"error": f"boats are out, {BOAT_KEY}"}, 400)
        if server.hazard == "liar":
            total += 70
        if server.hazard == "stuck" and offset >= 50:
            time.sleep(30)
        found = rows[offset : offset + limit]
        if server.hazard == "leaky":
            found = [row | {"name": f"{row['name']} {BOAT_KEY}", "port": HERO_KEY} for row in found]
        self.give({"rows": found, "total": total})


def envelope(results, total, code=1, error="OK", offset=0):
    return {
        "error": error, "limit": 100, "offset": offset, "number_of_page_results": len(results), "number_of_total_results": total,
        "status_code": code, "results": results, "version": "1.0",
    }  # fmt: skip


def country(name, code, capital, region):
    return {
        "name": name, "code": code, "capital": capital, "region": region, "currency": {"code": "EUR", "name": "Euro", "symbol": None},
        "language": {"code": "de", "name": "German"}, "flag": f"https://flags.example/{quote(code)}.svg",
    }  # fmt: skip


def product(i, address):
    title = ["Steel Kettle", "", "+Plus ™", None, "Lamp"][i % 5]
    return {
        "id": str(uuid.UUID(int=i + 1)), "createdAt": f"2020-08-14T20:{59 - i // 60:02}:{59 - i % 60:02}.123Z", "updatedAt": "2020-08-15T00:00:00.000Z",
        "title": title and f"{title} {i}", "url": f"https://shop.example/{i}", "merchant": f"Shop {i % 3}", "images": [[], ["none", ""], [f"{address}/pictures/product/{i}.png"]][min(i % 5, 2)],
    }  # fmt: skip


def user(seed, i, address):
    picture = f"{address}/pictures/user/{i}.png"
    identity = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{seed} {i}"))
    return {
        "gender": "female", "name": {"title": "Ms", "first": f"Mia{i}", "last": "Ólafsdóttir"},
        "location": {"street": {"number": i, "name": "Lane"}, "city": "Oslo", "state": "Oslo", "country": "Norway", "postcode": "0101",
                     "coordinates": {"latitude": "1.0", "longitude": "2.0"}, "timezone": {"offset": "+1:00", "description": "Oslo"}},
        "email": f"mia{i}@example.com", "login": {"uuid": identity, "username": f"mia{i}"}, "dob": {"date": "1990-01-02T03:04:05.678Z", "age": 36},
        "registered": {"date": "2010-01-02T03:04:05.678Z", "age": 16}, "phone": "1", "cell": "2", "id": {"name": "", "value": None},
        "picture": {"large": picture, "medium": picture, "thumbnail": picture}, "nat": "NO",
    }  # fmt: skip
