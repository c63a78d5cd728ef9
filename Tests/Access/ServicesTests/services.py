#!/usr/bin/env python3
"""The services that Examples/manifests describe, on the loopback: services.py [PORT [CLAMP]] serves until its input ends.

Each list has 250 records; a page has at most CLAMP, whatever is asked for. Each service lies below the name of its manifest:
/github/repos/….
"""

import base64
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

COUNT = 250
# What each manifest's settings are here.
VALUES = {
    "GITHUB_REPOSITORY": "swiftlang/swift", "STRIPE_API_KEY": "sk_stripe_1234", "LINEAR_API_KEY": "lin_12345678",
    "NOTION_DATA_SOURCE": "table", "NOTION_TOKEN": "ntn_12345678", "LIBRARY_USER": "ada", "LIBRARY_PASSWORD": "lovelace-1815",
    "QUAKES_KEY": "quakes-1906",
}
POKEMON = "bulbasaur ivysaur venusaur charmander charmeleon charizard squirtle wartortle blastoise".split()


def day(i):
    return f"{2000 + i // 28}-02-{i % 28 + 1:02}"


def issue(i):
    return {
        "number": i + 1, "title": f"Issue {i + 1}", "user": None if i % 7 == 0 else {"login": "ada"}, "state": "open",
        "labels": [{"name": "bug"}, {"name": "macOS"}] if i % 3 == 0 else [], "comments": i % 4, "updated_at": f"{day(i)}T08:00:00Z",
        "html_url": f"https://github.com/swiftlang/swift/issues/{i + 1}", "body": "text",
    }


def pokemon(i):
    return {"name": POKEMON[i] if i < len(POKEMON) else f"pokemon-{i + 1}", "url": f"https://pokeapi.co/api/v2/pokemon/{i + 1}/"}


def customer(i):
    about = {"email": None, "balance": -i, "created": 1_700_000_000 + i, "metadata": {"plan": i % 3}}
    return {"id": f"cus_{i}", "name": f"Customer {i}", **about}


def page(i):
    name = {"title": [{"plain_text": "Row "}, {"plain_text": str(i)}]}
    return {
        "object": "page", "id": f"page-{i}", "last_edited_time": f"{day(i)}T00:00:00.000Z", "url": f"https://www.notion.so/{i}",
        "properties": {"Name": name, "Status": {"select": {"name": "done"} if i % 2 else None}},
    }


def team(i):
    return {"id": f"team-{i}", "name": f"Team {i}", "key": f"T{i}", "updatedAt": f"{day(i)}T00:00:00Z"}


def project(i):
    return {"id": f"project-{i}", "name": f"Project {i}", "progress": i % 4 / 4, "startDate": day(i) if i % 5 else None}


def article(i):
    return {
        "type": "articles", "id": str(i), "attributes": {"title": f"Article {i}", "published": day(i)},
        "relationships": {"author": {"data": {"type": "people", "id": str(i % 9)}}}, "links": {"self": f"articles/{i}"},
    }


def post(i):
    return {"id": i + 1, "title": f"Post {i + 1}", "replies": len(comments(i + 1)), "body": f"<p>Hello &amp; <b>welcome</b> {i + 1}</p>"}


def comments(number):
    """Most posts have none, one has more than a page; there are 250 in all."""
    count = 60 if number == 1 else 10 if 2 <= number <= 20 else 0
    return [{"number": i + 1, "author": f"user{i}" if i % 6 else "[deleted]", "body": f"<p>Comment {i + 1}</p>"} for i in range(count)]


def quake(i):
    place = f"{i} km off Kyoto" if i % 10 else "unknown"
    properties = {"sequence": i + 1, "place": place, "mag": f"{i % 8}.50", "felt": i % 2 == 0, "time": 1_600_000_000 + 60 * i}
    return {"type": "Feature", "properties": properties, "geometry": {"type": "Point", "coordinates": [135.7, 35, i / 2]}}


def station(i):
    return {"display name": f"Station {i}", "lines": ["A", "B"] if i % 3 else "A", "picture": f"/pictures/{i}.jpg"}


def notice(i):
    return {"id": f"n{i}", "text": f"Notice {i}", "day": f"{day(i)}T10:00:00+02:00", "at": [{"code": f"ST{i}"}, {"code": "ST0"}]}


def book(i):
    return {"isbn": str(9781000000000 + i), "title": f"Book {i}", "subtitle": None, "in_print": i % 2 == 0}


def author(i):
    return {"id": i, "name": {"family": "Ito", "given": f"Mai {i}"} if i % 4 else {"family": f"Okafor {i}"}, "born": day(i)}


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A head and a body are two writes, and the second is not to wait for the first to be acknowledged.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(None)

    def do_POST(self):
        self.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def give(self, body, status=200, **headers):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def answer(self, body):
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        path = [unquote(part) for part in parts.path.split("/") if part]
        rows = getattr(self, "list_" + path[-1].split(".")[0].replace("-", "_"), None) or getattr(self, "below_" + path[-2], None)
        if rows:
            rows(query, body, path)
        else:
            self.give({"message": "Not Found"}, 404)

    def cut(self, rows, start, size):
        """The rows of a page, and whether more stand after them."""
        size = min(int(size), self.server.clamp)
        return rows[start : start + size], start + size < len(rows)

    def list_issues(self, query, body, path):
        number, size = int(query.get("page", 1)), min(int(query["per_page"]), self.server.clamp)
        rows, has_more = self.cut([issue(i) for i in range(COUNT)], (number - 1) * size, size)
        following = urlencode({**query, "per_page": size, "page": number + 1})
        link = f'<http://{self.headers["Host"]}{urlsplit(self.path).path}?{following}>; rel="next"'
        self.give(rows, **({"Link": link} if has_more else {}))

    def give_text(self, text, **headers):
        data = text.encode()
        self.send_response(200)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def list_prices(self, query, body, path):
        places, _ = self.cut(range(COUNT), int(query["offset"]), query["limit"])
        lines = [f'p{i};"Thing {i}; red";{i}.50;{"" if i % 5 == 0 else i}' for i in places]
        self.give_text("\r\n".join(["sku;Name;Unit Price;stock", *lines]), X_Total=str(COUNT))

    def list_news(self, query, body, path):
        items = [
            f'<item><guid isPermaLink="false">n{i}</guid><title>News {i} &lt;{i}&gt;</title><pubDate>{i % 28 + 1} Jun 2025 11:41:01 +0200</pubDate>'
            + ("<category>a</category>" if i % 2 else "")
            + f'<description><![CDATA[<p>News &amp; more</p>]]></description><enclosure url="https://market.example/{i}.jpg"/></item>'
            for i in range(COUNT)
        ]
        self.give_text(f'<rss version="2.0"><channel><title>News</title>{"".join(items)}</channel></rss>')

    def list_pokemon(self, query, body, path):
        rows, _ = self.cut([pokemon(i) for i in range(COUNT)], int(query["offset"]), query["limit"])
        self.give({"count": COUNT, "results": rows})

    def below_pokemon(self, query, body, path):
        known = [i for i in range(len(POKEMON)) if path[-1] == POKEMON[i]]
        if not known:
            return self.give({"message": "Not Found"}, 404)
        i = known[0]
        self.give({
            "name": POKEMON[i], "id": i + 1, "height": 7, "types": [{"type": {"name": "grass"}}, {"type": {"name": "poison"}}],
            "sprites": {"front_default": f"https://pokeapi.co/sprites/{i + 1}.png"},
        })

    def list_customers(self, query, body, path):
        if self.headers["Authorization"] != f"Bearer {VALUES['STRIPE_API_KEY']}":
            return self.give({"error": {"message": "Invalid API Key"}}, 401)
        start = int(query["starting_after"][4:]) + 1 if "starting_after" in query else 0
        rows, has_more = self.cut([customer(i) for i in range(COUNT)], start, query["limit"])
        self.give({"has_more": has_more, "data": rows})

    def list_query(self, query, body, path):
        if body is None:
            return self.list_quakes(query)
        start = int(body.get("start_cursor", "c0")[1:])
        rows, has_more = self.cut([page(i) for i in range(COUNT)], start, body["page_size"])
        self.give({"object": "list", "results": rows, "has_more": has_more, "next_cursor": f"c{start + len(rows)}" if has_more else None})

    def list_quakes(self, query):
        if query.get("apikey") != VALUES["QUAKES_KEY"]:
            return self.give({}, 403)
        rows, _ = self.cut([quake(i) for i in range(COUNT)], int(query.get("after", 0)), query.get("limit", 20))
        self.give({"type": "FeatureCollection", "features": rows} if rows else None, 200 if rows else 204)

    def list_graphql(self, query, body, path):
        if self.headers["Authorization"] != VALUES["LINEAR_API_KEY"]:
            return self.give({"errors": [{"message": "not authenticated", "extensions": {"code": "AUTHENTICATION_ERROR"}}]})
        start, size = int(body["variables"].get("after", 0)), body["variables"]["first"]
        if "teams(" in body["query"]:
            rows, has_more = self.cut([team(i) for i in range(COUNT)], start, size)
            info = {"hasNextPage": has_more, "endCursor": str(start + len(rows))}
            return self.give({"data": {"teams": {"nodes": rows, "pageInfo": info}}})
        rows, _ = self.cut([project(i) for i in range(COUNT)], start, size)
        self.give({"data": {"projects": {"edges": [{"cursor": str(start + 1 + i), "node": row} for i, row in enumerate(rows)]}}})

    def list_articles(self, query, body, path):
        pair = f"{VALUES['LIBRARY_USER']}:{VALUES['LIBRARY_PASSWORD']}"
        if self.headers["Authorization"] != "Basic " + base64.b64encode(pair.encode()).decode():
            return self.give({"errors": [{"detail": "who are you?"}]}, 401)
        rows = [article(i) for i in range(COUNT) if query.get("filter[title]", "").lower() in f"article {i}"]
        number, size = int(query.get("page[number]", 1)), min(int(query["page[size]"]), self.server.clamp)
        part, has_more = self.cut(rows, (number - 1) * size, size)
        following = "?" + urlencode({**query, "page[size]": size, "page[number]": number + 1})
        self.give({"data": part, "meta": {"total": len(rows)}, "links": {"next": following if has_more else None}})

    def list_posts(self, query, body, path):
        size = min(int(query["per_page"]), self.server.clamp)
        rows, _ = self.cut([post(i) for i in range(COUNT)], (int(query["page"]) - 1) * size, size)
        self.give({"posts": rows, "meta": {"partial": True}}, X_Total_Count=str(COUNT))

    def list_comments(self, query, body, path):
        all_rows = comments(int(path[-2]))
        if not all_rows:
            return self.give({"error": "no comments"}, 404)
        rows, has_more = self.cut(all_rows, int(query["start"]), query["count"])
        self.give({"comments": rows, "more": has_more} if rows else {"more": False})

    def list_stations(self, query, body, path):
        places, _ = self.cut(range(COUNT), int(query["$skip"]), query["$top"])
        self.give({"status": "ok", "stations": {f"ST{i}": station(i) for i in places}}, X_Total=str(COUNT))

    def list_notices(self, query, body, path):
        self.give({"status": "ok", "count": COUNT, "notices": [notice(i) for i in range(COUNT)]})

    def list_books(self, query, body, path):
        size = min(int(query["size"]), self.server.clamp)
        rows, has_more = self.cut([(book if path[-1] == "books" else author)(i) for i in range(COUNT)], int(query["page"]) * size, size)
        self.give({"content": rows, "last": not has_more, "page": {"totalPages": -(-COUNT // size)}})

    list_authors = list_books


def serve(port=0, clamp=1000, service=Service):
    """A server that answers on a thread of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", port), service)
    server.daemon_threads = True
    server.clamp = clamp
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


if __name__ == "__main__":
    started = serve(*map(int, sys.argv[1:]))
    print(started.server_port, flush=True)
    sys.stdin.read()
