#!/usr/bin/env python3
"""A second reader of manifests, for tests: reference.py MANIFEST SOURCE ADDRESS [SETTING=VALUE…].

It prints one record on each line and the verdict on stderr. It is written from Docs/guides/the-manifest.md, for services that work:
it reads a list from its beginning to its end, and does nothing that keeps a walk safe where something goes wrong.
"""

import base64
import csv
import datetime
import email.utils
import html
import json
import re
import sys
import urllib.error
import urllib.request
import xml.etree.ElementTree
from decimal import Decimal
from urllib.parse import quote, urlencode, urljoin

NOWHERE = object()


class Refused(Exception):
    """What a rule or HTTP says is wrong with an answer."""


def steps(path):
    """`a.b[0]["odd name"][*]` as ["a", "b", 0, "odd name", "*"]."""
    found = []
    for name, quoted, index in re.findall(r'(?:^|\.)([^.\[]+)|\["((?:[^"\\]|\\.)*)"\]|\[(\*|-?\d+)\]', path):
        found.append(name or (json.loads(f'"{quoted}"') if quoted else None) or ("*" if index == "*" else int(index)))
    return found


def find(value, path):
    """What stands at a path; with a star in it, the list of all that does."""
    way = steps(path) if isinstance(path, str) else path
    for number, step in enumerate(way):
        if step == "*":
            if not isinstance(value, list):
                return NOWHERE
            found = [find(element, way[number + 1 :]) for element in value]
            return [element for element in found if element is not NOWHERE and element is not None]
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and -len(value) <= step < len(value) else NOWHERE
        else:
            value = value.get(step, NOWHERE) if isinstance(value, dict) else NOWHERE
        if value is NOWHERE:
            break
    return value


NAME = re.compile(r"\{([A-Za-z][A-Za-z0-9_.-]*)\}")


def fill(template, values, encode=str):
    """The text with values in it; None where one is missing."""
    if any(values.get(name) is None for name in NAME.findall(template)):
        return None
    return NAME.sub(lambda match: encode(str(values[match[1]])), template)


def fill_items(items, values):
    filled = {name: fill(template, values) for name, template in items.items()}
    return {name: value for name, value in filled.items() if value is not None}


def fill_body(value, values):
    """A body; a text that is one template becomes its value, and is left out where it has none."""
    if isinstance(value, dict):
        filled = {name: fill_body(member, values) for name, member in value.items()}
        return {name: member for name, member in filled.items() if member is not NOWHERE}
    if isinstance(value, list):
        return [element for element in (fill_body(element, values) for element in value) if element is not NOWHERE]
    match = NAME.fullmatch(value) if isinstance(value, str) else None
    if not match:
        return value
    return NOWHERE if values.get(match[1]) is None else values[match[1]]


def as_text(value):
    return value if isinstance(value, str) else json.dumps(value, default=str)


def moment(seconds):
    return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def convert(value, field, base):
    kind = field.get("type", "text")
    if value is NOWHERE or value is None or value == "" or isinstance(value, str) and value in field.get("null", []):
        return [] if kind == "texts" else None
    if kind == "text":
        return "".join(map(as_text, value)) if isinstance(value, list) else as_text(value)
    if kind == "texts":
        return [as_text(element) for element in value] if isinstance(value, list) else [as_text(value)]
    if kind == "html":
        return html.unescape(re.sub(r"<[^>]*>", "", value)).strip()
    if kind == "address":
        return [urljoin(base, element) for element in value] if isinstance(value, list) else urljoin(base, value)
    if kind == "unix":
        return moment(value)
    if kind == "time" and not re.match(r"\d{4}-", value):
        return moment(email.utils.parsedate_to_datetime(value).timestamp())
    if kind == "date":
        return value[:10] if isinstance(value, str) else moment(value)[:10]
    if kind == "integer":
        return int(value)
    if kind in ("number", "decimal"):
        return Decimal(str(value))
    return value


def record(row, name, source, values, base):
    """A row as a record; None where it has no key."""
    inner = find(row, source["unwrap"]) if "unwrap" in source else NOWHERE
    made = {}
    for field in source["fields"]:
        if field["name"] == source.get("keyed"):
            made[field["name"]] = name
        elif "text" in field:
            known = {**values, **made}
            names = NAME.findall(field["text"])
            text = NAME.sub(lambda match: "" if known.get(match[1]) is None else str(known[match[1]]), field["text"]).strip()
            made[field["name"]] = text if any(known.get(name) not in (None, "") for name in names) else None
        elif not field.get("detail"):
            path = field.get("path", field["name"])
            found = find(inner, path)
            made[field["name"]] = convert(find(row, path) if found is NOWHERE else found, field, base)
    if isinstance(source["key"], str):
        return made if made[source["key"]] is not None else None
    parts = [made[name] for name in source["key"]]
    if None in parts:
        return None
    return {"key": "/".join(str(part).replace("%", "%25").replace("/", "%2F") for part in parts), **made}


def lists_of(source):
    """The names of elements that a path names as lists."""
    ways = [steps(source.get("rows", "")) + ["*"], *(steps(field.get("path", "")) for field in source["fields"])]
    return {before for way in ways for before, step in zip(way, way[1:]) if step == "*" or isinstance(step, int)}


def element(node, lists):
    """An element of XML as JSON; an element in it is a list where it comes twice, or where a path says so."""
    made = {f"@{name}": value for name, value in node.attrib.items()}
    for child in node:
        made.setdefault(child.tag, []).append(element(child, lists))
    made = {name: value[0] if isinstance(value, list) and len(value) == 1 and name not in lists else value for name, value in made.items()}
    text = (node.text or "").strip()
    if not made:
        return text or None
    return {**made, "#text": text} if text else made


def as_document(text, source):
    """A body as JSON."""
    kind = source.get("body", "json")
    if kind == "ndjson":
        return [json.loads(line, parse_float=Decimal) for line in text.splitlines() if line.strip()]
    if kind in ("csv", "tsv"):
        text = text.decode("utf-8-sig")
        head = text.split("\n", 1)[0]
        names, *rows = csv.reader(text.splitlines(), delimiter="\t" if kind == "tsv" else ";" if head.count(";") > head.count(",") else ",")
        return [dict(zip(names, row)) for row in rows if len(row) == len(names)]
    if kind == "xml":
        root = xml.etree.ElementTree.fromstring(text)
        return {root.tag: element(root, lists_of(source))}
    return json.loads(text, parse_float=Decimal)


class Service:
    def __init__(self, manifest, address, values):
        self.manifest, self.address, self.values = manifest, address, values
        self.headers, self.query = dict(fill_items(manifest.get("headers", {}), values)), {}
        for key in manifest.get("keys", []):
            value = values.get(key["setting"])
            if value is None:
                continue
            if key.get("scheme") == "Basic":
                value = base64.b64encode(f"{values[key['user']]}:{value}".encode()).decode()
            if "header" in key:
                self.headers[key["header"]] = f"{key['scheme']} {value}" if "scheme" in key else value
            else:
                self.query[key["query"]] = value

    def ask(self, source, values, address, rules):
        """The headers and the document of an answer; None in place of both where a rule says that there is nothing."""
        request, values = source["list"], {**self.values, **values}
        plain = self.manifest.get("settings", [])
        keep = {setting["setting"]: "/" for setting in plain}
        path = NAME.sub(lambda match: quote(str(values[match[1]]), safe=keep.get(match[1], "")), request.get("path", ""))
        query = {**self.query, **({} if address else fill_items(request.get("query", {}), values))}
        url = address or urljoin(self.address, path)
        if query:
            url += ("&" if "?" in url else "?") + urlencode(query)
        headers = {**self.headers, **fill_items(request.get("headers", {}), values)}
        body = None
        if "body" in request:
            body = json.dumps(fill_body(request["body"], values)).encode()
            headers["Content-Type"] = "application/json"
        asked = urllib.request.Request(url, body, headers, method=request.get("method", "GET"))
        try:
            answer = urllib.request.urlopen(asked)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            text = answer.read()
        document = as_document(text, source) if text else NOWHERE
        for rule in rules:
            if self.applies(rule, answer, document):
                if rule["kind"] == "nothing":
                    return None
                raise Refused(rule["kind"])
        if not 200 <= answer.status < 300:
            raise Refused(f"HTTP {answer.status}")
        return url, answer.headers, document

    @staticmethod
    def applies(rule, answer, document):
        if rule.get("status", answer.status) != answer.status:
            return False
        if "header" in rule:
            value = answer.headers.get(rule["header"])
        elif "path" in rule:
            value = find(document, rule["path"])
        else:
            return True
        value = None if value is NOWHERE else value
        return (
            rule.get("present", value is not None) == (value is not None)
            and ("is" not in rule or as_text(value) == as_text(rule["is"]))
            and ("isNot" not in rule or as_text(value) != as_text(rule["isNot"]))
        )


def number(place, headers, document):
    if place is None:
        return None
    return int(headers[place[7:]]) if place.startswith("header ") else find(document, place)


def leads_by_key(source):
    """Whether pages go on after the key, which no two rows share."""
    field = next((field for field in source["fields"] if field["name"] == source["key"]), None)
    if field is None or "text" in field or source.get("keyed") == source["key"] or "*" in steps(source["paging"]["next"]):
        return False

    def place(path):
        way, unwrap = steps(path), steps(source.get("unwrap", ""))
        return way[len(unwrap) :] if unwrap and way[: len(unwrap)] == unwrap else way

    return place(source["paging"]["next"]) == place(field.get("path", field["name"]))


def says_more(paging, read, headers, document):
    """Whether the last answer says that there is more than was followed; `read` is how many pages were."""
    if paging["by"] == "whole" and "more" in paging:
        contrary = paging["more"].startswith("not ")
        if find(document, paging["more"][4:] if contrary else paging["more"]) is not contrary:
            return True
    if "pages" in paging and read < number(paging["pages"], headers, document):
        return True
    if paging["by"] in ("whole", "offset", "page") and paging.get("next", "header") != "header":
        if find(document, paging["next"]) not in (None, NOWHERE, "", False):
            return True
    return paging["by"] != "link" and re.search(r'rel="?next"?', headers.get("Link", "")) is not None


def cuts(document, source):
    """Whether an answer says beside its rows that it is not everything, at a path that is not ignored."""
    own = source["paging"].get("more", "")
    silent = [steps(path) for path in [*source.get("ignores", []), own.removeprefix("not ")]]

    def says(value, way):
        if not isinstance(value, dict) or way == steps(source.get("rows", "")):
            return False
        names = ("partial", "incomplete", "incomplete_results", "timed_out")
        mine = any(value.get(name) is True and [*way, name] not in silent for name in names)
        return mine or any(says(member, [*way, name]) for name, member in value.items())

    return says(document, [])


def pages(service, source, values):
    """The records of each page, and in the end the verdict."""
    paging, size = source["paging"], source["paging"].get("size", 100)
    by, end = paging["by"], paging.get("end", "empty")
    rules = source.get("errors", []) + service.manifest.get("errors", [])
    offset, page, token, address, received, total = 0, paging.get("first", 1), None, None, 0, None
    # Numbered pages of any size begin early, as pages by offset do; small ones do not.
    is_sized = by == "page" and "{size}" in json.dumps(source["list"]) and size >= 20
    looks_back = paging.get("lookingBack", True) and (by == "offset" or is_sized)
    counts_rows = by in ("offset", "page") and not looks_back
    sure = not counts_rows or "total" in paging or paging.get("unchanging")
    if by == "last" and "total" not in paging and not leads_by_key(source):
        sure = False
    if by == "whole" and end == "never":
        sure = False
    has_more = is_cut = False
    while True:
        place = {"size": size, "offset": offset, "page": page, "token": token, **values}
        if paging.get("startsPlain") and not received:
            place = dict(values)
        answer = service.ask(source, place, address, rules)
        if answer is None:
            break
        url, headers, document = answer
        found = find(document, source.get("rows", ""))
        if found is NOWHERE and source.get("rowsMayBeMissing"):
            found = []
        rows = list(found.items()) if isinstance(found, dict) else [(None, row) for row in found]
        made = [record(row, name, source, values, service.address) for name, row in rows]
        yield [row for row in made if row is not None], None
        received, offset, page = received + len(rows), offset + len(rows), page + 1
        total = number(paging.get("total"), headers, document)
        is_cut = is_cut or cuts(document, source)
        has_more = says_more(paging, page - paging.get("first", 1), headers, document)
        if by == "whole" or not rows and not has_more or end == "total" and received >= total:
            break
        if "more" in paging:
            contrary = paging["more"].startswith("not ")
            if find(document, paging["more"][4:] if contrary else paging["more"]) is contrary:
                break
        if "pages" in paging and page - paging.get("first", 1) >= number(paging["pages"], headers, document):
            break
        if by == "link" and paging["next"] == "header":
            link = re.search(r'<([^>]*)>\s*;[^,]*rel="?next"?', headers.get("Link", ""))
            token = link and link[1]
        elif by in ("token", "link"):
            token = find(document, paging["next"])
        elif by == "last":
            inner = find(rows[-1][1], source["unwrap"]) if "unwrap" in source else NOWHERE
            token = find(inner, paging["next"])
            token = find(rows[-1][1], paging["next"]) if token is NOWHERE else token
        if by in ("token", "link") and token in (None, NOWHERE, ""):
            break
        address = urljoin(url, token) if by == "link" else None
    if has_more or is_cut or total is not None and received < total:
        yield [], "partial"
    yield [], "complete" if sure else "unverifiable"


WORST = ["complete", "unverifiable", "partial"]


def read(manifest, name, address, values):
    """All records of a source, and the verdict."""
    source = manifest["sources"][name]
    values = {**{setting["setting"]: setting.get("default") for setting in manifest.get("settings", [])}, **values}
    service = Service(manifest, address, values)
    parents, worst, records = [{}], "complete", []
    if "parent" in source:
        rows, worst = read(manifest, source["parent"], address, values)
        parents = [{f"{source['parent']}.{field}": value for field, value in row.items()} for row in rows]
    for parent in parents:
        for rows, verdict in pages(service, source, parent):
            records += rows
            if verdict:
                worst = max(worst, verdict, key=WORST.index)
                break
    return records, worst


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        told = json.load(file)
    found, said = read(told, sys.argv[2], sys.argv[3], dict(pair.split("=", 1) for pair in sys.argv[4:]))
    for row in found:
        print(json.dumps(row, ensure_ascii=False, default=str))
    print(said, file=sys.stderr)
