"""Clients of the Model Context Protocol for Scripts/test-mcp: two that write every byte themselves, and those of three packages.

As a program it runs in the python of one of the packages: mcp_clients.py PACKAGE ERA < PLAN. It uses a server as the plan says, and prints a
check a line, as JSON.
"""

import asyncio
import contextlib
import json
import re
import resource
import subprocess
import sys
import threading
import time

MODERN, LEGACY = "2026-07-28", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
VERDICTS = {"complete", "bounded", "partial", "unverifiable"}
META = "io.modelcontextprotocol/"
MOST_BYTES = 40_000
# Bytes that a terminal obeys.
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")

# MARK: Judging results


def calls_of(value, is_row=False):
    """Yields the calls that a result names, those in the words of a remedy included. Rows of services name none."""
    if isinstance(value, dict):
        if set(value) == {"tool", "arguments"}:
            yield value
            return
        for name, part in value.items():
            yield from calls_of(part, is_row or name == "items")
    elif isinstance(value, list):
        for part in value:
            yield from calls_of(part, is_row)
    elif isinstance(value, str) and not is_row:
        for found in re.finditer(r"call (\w+) with (?=\{)", value):
            with contextlib.suppress(ValueError):
                yield {"tool": found[1], "arguments": json.JSONDecoder().raw_decode(value[found.end() :])[0]}


def faults_of(tools, name, result):
    """Returns what is wrong with the result of a tool. The tools are as they were listed, by name."""
    import jsonschema

    found, told = [], result.get("structuredContent")
    text = result["content"][0].get("text", "") if result.get("content") else ""
    if not isinstance(told, dict):
        return [f"{name}: structuredContent is missing: {str(result)[:300]}"]
    try:
        if json.loads(text) != told:
            found.append("the text differs from structuredContent")
    except ValueError:
        found.append(f"the text is not JSON: {text[:200]}")
    if len(text.encode()) > MOST_BYTES or len(text) < 2:
        found.append(f"the text has {len(text.encode())} bytes")
    checker = lambda schema: jsonschema.Draft202012Validator(schema)
    found += [f"outputSchema: {error.message[:200]}" for error in checker(tools[name]["outputSchema"]).iter_errors(told)]
    for call in calls_of(told):
        if call["tool"] not in tools:
            found.append(f"a call of the tool {call['tool']}, which is not listed")
            continue
        schema = tools[call["tool"]]["inputSchema"] | {"additionalProperties": False}
        found += [f"a call of {call['tool']} with {call['arguments']}: {error.message[:200]}" for error in checker(schema).iter_errors(call["arguments"])]
    what = told.get("what")
    if not isinstance(what, str) or not what or result.get("isError") != str(what).startswith("FAILED: "):
        found.append(f"isError is {result.get('isError')} and what is {what!r}")
    if result.get("isError"):
        if not {"error", "remedy", "call"} <= set(told) or told["items"] != []:
            found.append("error, remedy, call or items are missing")
        return [f"{name}: {one}" for one in found]
    if not isinstance(told.get("rows"), int) or told["rows"] != len(told["items"]):
        found.append(f"rows is {told.get('rows')} with {len(told['items'])} items")
    if not isinstance(told.get("cut"), int) or told["cut"] < 0 or told["cut"] > 0 and not told.get("more") and not told.get("sources"):
        found.append(f"cut is {told.get('cut')}, more is {told.get('more')}")
    if "more" not in told or "total" not in told or not isinstance(told["total"], int | None):
        found.append(f"more or total is missing: {list(told)}")
    if told.get("verdict", "complete") not in VERDICTS or told.get("verdict") == "partial" and not told.get("reason"):
        found.append(f"the verdict is {told.get('verdict')}, the reason {told.get('reason')!r}")
    if told.get("verdict") == "complete" and told.get("more"):
        found.append("complete, and more rows follow")
    return [f"{name}: {one}" for one in found]


# MARK: Clients that write every byte


class Client:
    """A client of one era. It judges each result of a tool, and notes what is wrong in `faults`, for all clients together."""

    faults, heard, lock = [], [], threading.Lock()

    def __init__(self, is_modern):
        self.is_modern, self.name, self.count, self.listed = is_modern, "", 0, None

    def parameters(self, given, meta=()):
        meta = dict(meta)
        if self.is_modern:
            meta |= {META + "protocolVersion": MODERN, META + "clientCapabilities": {}}
        return dict(given or {}) | ({"_meta": meta} if meta else {})

    def message(self, method, given=None, identity=None, meta=()):
        if identity is None:
            with Client.lock:
                self.count += 1
                identity = f"call {self.count}"
        return {"jsonrpc": "2.0", "id": identity, "method": method, "params": self.parameters(given, meta)}

    @property
    def tools(self):
        if self.listed is None:
            self.listed = {tool["name"]: tool for tool in self.ask("tools/list")["result"]["tools"]}
        return self.listed

    def tool(self, name, arguments=None, meta=()):
        """The structured result of a call."""
        answer = self.ask("tools/call", {"name": name, "arguments": arguments or {}}, meta=meta)
        if "result" not in answer:
            raise AssertionError(f"{name} {arguments}: {str(answer)[:300]}")
        self.judge(name, answer["result"])
        return answer["result"]["structuredContent"]

    def judge(self, name, result):
        Client.faults += [f"{self.name}: {one}" for one in faults_of(self.tools, name, result)]

    def read(self, call, most=600):
        """Reads on as the results say. Returns all rows, and the results."""
        rows, results = [], []
        while call and len(results) < most:
            results.append(self.tool(call["tool"], call["arguments"]))
            rows += results[-1]["items"]
            call = results[-1].get("more")
        return rows, results


def hear(data, where):
    """Notes secrets, raw control bytes, and what is not JSON."""
    from serving import Ear

    Ear.hear(data, where)
    try:
        value = json.loads(data)
    except ValueError:
        Client.heard.append(f"{where}: not JSON: {data[:200]!r}")
        return {}
    if found := CONTROL.search(data):
        Client.heard.append(f"{where}: a raw control byte: {data[max(0, found.start() - 60) : found.end() + 20]!r}")
    # A key may be written with escapes.
    Ear.hear(json.dumps(value, ensure_ascii=False).encode(), where)
    return value


class Stdio(Client):
    """A client of `aggregator mcp`."""

    def __init__(self, desk, *words, is_modern=False, command=None, environment=None, **more):
        from serving import BINARY

        super().__init__(is_modern)
        self.name, self.lines, self.said, self.isOver = f"stdio, {'modern' if is_modern else 'legacy'}", [], [], False
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command or [BINARY, "mcp", *words], cwd=desk.folder, env=environment or desk.environment | more, **pipes)
        self.news, self.answers = threading.Condition(), {}
        for work in (self.listen, self.overhear):
            threading.Thread(target=work, daemon=True).start()
        desk.clients.append(self)
        if not is_modern:
            self.ask("initialize", {"protocolVersion": LEGACY[0], "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def listen(self):
        for line in self.process.stdout:
            value = hear(line, self.name)
            with self.news:
                self.lines.append(value)
                if isinstance(value, dict) and "method" not in value:
                    self.answers.setdefault(json.dumps(value.get("id")), []).append(value)
                self.news.notify_all()
        with self.news:
            self.isOver = True
            self.news.notify_all()

    def overhear(self):
        from serving import Ear

        for line in self.process.stderr:
            Ear.hear(line, "standard error of mcp")
            self.said.append(line.decode(errors="replace"))

    def send(self, *messages):
        data = b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in messages)
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def wait(self, identity, within=30, count=1):
        """The answer to a request; the error of a message without an id for None. Empty if none comes."""
        due = json.dumps(identity)
        with self.news:
            self.news.wait_for(lambda: self.isOver or len(self.answers.get(due, [])) >= count, within)
            found = self.answers.get(due, [])
            return found[count - 1] if len(found) >= count else {}

    def ask(self, method, given=None, identity=None, meta=(), within=30):
        return self.pose(self.message(method, given, identity, meta), within)

    def pose(self, message, within=30):
        """Sends a request, and returns its answer, also if its id was used before."""
        with self.news:
            self.answers.pop(json.dumps(message["id"]), None)
        self.send(message)
        return self.wait(message["id"], within)

    def progress(self, token):
        return [one["params"] for one in self.lines if one.get("method") == "notifications/progress" and one["params"]["progressToken"] == token]

    def end(self, within=10):
        """Closes the input. Returns the exit code and the seconds; None if it does not end."""
        began = time.monotonic()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(within), time.monotonic() - began
        self.kill()
        return None, within

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Web(Client):
    """A client of POST /mcp."""

    def __init__(self, server, is_modern=True):
        super().__init__(is_modern)
        self.server, self.name = server, f"HTTP, {'modern' if is_modern else 'legacy'}"

    def headers(self, message):
        found = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if not self.is_modern:
            return found | ({} if message["method"] == "initialize" else {"MCP-Protocol-Version": LEGACY[0]})
        name = message["params"].get({"tools/call": "name", "resources/read": "uri"}.get(message["method"], ""))
        found |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": message["method"]}
        return found | ({"Mcp-Name": str(name)} if name is not None else {})

    def post(self, message, headers=None, **more):
        """Sends a message, or bytes, and returns the answer of HTTP; `message` of it is the last that came, and `events` all before."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        sent = headers if headers is not None else self.headers(message)
        answer = self.server.request("POST", "/mcp", sent, body, **more)
        came = [part[6:] for part in answer.body.split(b"\n") if part.startswith(b"data: ")]
        came = came if (answer["content-type"] or "").startswith("text/event-stream") else [answer.body] if answer.body else []
        came = [hear(one, self.name) for one in came]
        answer.told, answer.message = came[:-1], came[-1] if came else {}
        return answer

    def ask(self, method, given=None, identity=None, meta=(), headers=None):
        message = self.message(method, given, identity, meta)
        return self.post(message, None if headers is None else self.headers(message) | headers).message


# MARK: Scenarios of the official conformance suite
# Each yields what is wrong, and may yield nothing for a client that it does not concern.


def started(client, revision=LEGACY[0]):
    """The answer to the first request of an era."""
    given = {} if client.is_modern else {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    return client.ask("server/discover" if client.is_modern else "initialize", given).get("result", {})


def scenario_initialize(client):
    found = started(client)
    info = found.get("serverInfo", {}) if not client.is_modern else found["_meta"][META + "serverInfo"]
    yield not (info.get("name") and info.get("version") and found.get("instructions") and isinstance(found["capabilities"].get("tools"), dict)) and f"{found}"
    if client.is_modern:
        yield found["supportedVersions"] != [MODERN] and f"versions {found['supportedVersions']}"
        return
    for revision, due in [(one, one) for one in LEGACY] + [("1999-01-01", LEGACY[0]), (MODERN, LEGACY[0]), ("", LEGACY[0])]:
        yield started(client, revision).get("protocolVersion") != due and f"{revision} agrees on {started(client, revision).get('protocolVersion')}"


def scenario_session(client):
    if not isinstance(client, Web):
        return
    message = client.message("server/discover") if client.is_modern else client.message("initialize", {"protocolVersion": LEGACY[0], "capabilities": {}})
    yield client.post(message)["mcp-session-id"] and "a session is begun"
    answer = client.post({"jsonrpc": "2.0", "method": "notifications/initialized", "params": client.parameters({})})
    yield (answer.status, answer.body) != (202, b"") and f"a notification: {answer.status} {answer.body}"
    for method in ("GET", "DELETE"):
        answer = client.server.request(method, "/mcp", {"Mcp-Session-Id": "x", "Accept": "text/event-stream"})
        yield answer.status != 405 and f"{method}: {answer.status}"


def scenario_ping(client):
    answer = client.ask("ping", identity=77)
    due = {"jsonrpc": "2.0", "id": 77, "result": {}}
    yield (answer["error"]["code"] != -32601 if client.is_modern else answer != due) and f"{answer}"


def scenario_completion(client):
    reference = {"type": "ref/resource", "uri": "aggregator://{source}/{id}"}
    answer = client.ask("completion/complete", {"ref": reference, "argument": {"name": "source", "value": ""}})
    found = answer["result"]["completion"]
    yield not (0 < len(found["values"]) <= 100 and found["total"] == len(found["values"]) and found["hasMore"] is False) and f"{found}"
    yield not all(isinstance(one, str) for one in found["values"]) and f"{found}"
    for wrong in ({"type": "ref/prompt", "name": "x"}, {"type": "ref/resource", "uri": "test://{x}"}, {}, 5):
        answer = client.ask("completion/complete", {"ref": wrong, "argument": {"name": "source", "value": ""}})
        yield answer.get("error", {}).get("code") != -32602 and f"{wrong}: {answer}"


def scenario_tools(client):
    listed = client.ask("tools/list")["result"]["tools"]
    for tool in listed:
        yield (
            not (re.fullmatch(r"[A-Za-z0-9_./-]{1,64}", tool["name"]) and tool["description"] and tool["inputSchema"]["type"] == "object") and f"{tool['name']}"
        )
    yield len({tool["name"] for tool in listed}) != len(listed) and "two tools of one name"


def scenario_schemas(client):
    import jsonschema

    for tool in client.tools.values():
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            jsonschema.Draft202012Validator.check_schema(schema)
            yield schema.get("$schema", "2020-12").find("2020-12") < 0 and f"{tool['name']}: {schema['$schema']}"


def scenario_text(client):
    result = client.ask("tools/call", {"name": "sources"})["result"]
    yield not (len(result["content"]) == 1 and result["content"][0]["type"] == "text" and result["content"][0]["text"]) and f"{result}"
    yield result["isError"] is not False and f"isError {result['isError']}"
    yield (result.get("resultType") == "complete") != client.is_modern and f"resultType {result.get('resultType')}"


def scenario_failed(client):
    result = client.ask("tools/call", {"name": "list", "arguments": {"source": "none"}})["result"]
    yield not (result["isError"] is True and result["content"][0]["text"]) and f"{result}"
    answer = client.ask("tools/call", {"name": "none", "arguments": {}}, identity="unknown")
    yield (answer["error"]["code"], answer["id"]) != (-32602, "unknown") and f"{answer}"


def scenario_progress(client):
    for token in ("a token", 7):
        message = client.message("tools/call", {"name": "list", "arguments": {"source": "boats", "limit": 100, "live": True}}, meta={"progressToken": token})
        if isinstance(client, Web):
            answer = client.post(message)
            yield not answer["content-type"].startswith("text/event-stream") and f"{answer.headers}"
            told, last = [one["params"] for one in answer.told], answer.message
            yield {one["method"] for one in answer.told} != {"notifications/progress"} and f"{answer.told}"
            for accepted in ("application/json", "application/json, text/event-stream;q=0"):
                type_of_answer = client.post(message, client.headers(message) | {"Accept": accepted})["content-type"] or ""
                yield not type_of_answer.startswith("application/json") and f"{type_of_answer} for a client that accepts {accepted}"
        else:
            client.send(message)
            last = client.wait(message["id"])
            client.ask("tools/list")
            told = client.progress(token)
            yield client.lines.index(last) < max(i for i, one in enumerate(client.lines) if one.get("method")) and "progress after the answer"
        numbers = [one["progress"] for one in told]
        yield (
            "result" not in last or not numbers or numbers != sorted(set(numbers)) or {json.dumps(one["progressToken"]) for one in told} != {json.dumps(token)}
        ) and f"{told}"
    message = client.message("tools/call", {"name": "list", "arguments": {"source": "boats", "limit": 100, "live": True}})
    if isinstance(client, Web):
        yield client.post(message).told and "progress that was not asked for"
    else:
        before = len(client.lines)
        client.send(message)
        client.wait(message["id"])
        yield [one.get("method") for one in client.lines[before:]] != [None] and f"{client.lines[before:]}"


def scenario_resources(client):
    found, cursor = [], None
    while True:
        page = client.ask("resources/list", {"cursor": cursor} if cursor else {})["result"]
        found += page["resources"]
        if not (cursor := page.get("nextCursor")):
            break
    yield not all(one["uri"].startswith("aggregator://") and one["name"] for one in found) and "an address or a name is missing"
    yield len({one["uri"] for one in found}) != len(found) and "two of one address"


def scenario_reading(client):
    for address in ("aggregator://boats", "aggregator://boats/7", "aggregator://countries/PE"):
        content = client.ask("resources/read", {"uri": address})["result"]["contents"]
        yield not (len(content) == 1 and content[0]["uri"] == address and content[0]["mimeType"] == "application/json") and f"{content}"
        told = json.loads(content[0]["text"])
        yield not (told["items"] and told["what"]) and f"{told}"


def scenario_templates(client):
    templates = client.ask("resources/templates/list")["result"]["resourceTemplates"]
    yield not all(one["uriTemplate"].startswith("aggregator://{source}") and one["name"] for one in templates) and f"{templates}"
    for address, ids in [
        ("aggregator://boats/3", [3]),
        ("aggregator://boats?limit=2&sort=-id", [250, 249]),
        ("aggregator://boats?where=id%3D9&fields=id", [9]),
    ]:
        answer = client.ask("resources/read", {"uri": address})
        found = [row["id"] for row in json.loads(answer["result"]["contents"][0]["text"])["items"]]
        yield found != ids and f"{address}: {found}"


def scenario_missing_resource(client):
    for address in ("test://nonexistent", "aggregator://none", "aggregator://boats/99999", "aggregator://none/1", ""):
        answer = client.ask("resources/read", {"uri": address}, identity=88)
        due = -32602 if client.is_modern else -32002
        right = "result" not in answer and (answer["error"]["code"], answer["error"].get("data"), answer["id"]) == (due, {"uri": address}, 88)
        yield not right and f"{address}: {answer}"


def scenario_caching(client):
    reads = [("tools/list", {}), ("resources/list", {}), ("resources/templates/list", {}), ("resources/read", {"uri": "aggregator://boats"})]
    for method, given in reads + [("server/discover", {})] * client.is_modern:
        result = client.ask(method, given)["result"]
        ttl, scope = result.get("ttlMs"), result.get("cacheScope")
        right = type(ttl) is int and ttl >= 0 and scope in ("public", "private") if client.is_modern else ttl is scope is None
        yield not right and f"{method}: {ttl}, {scope}"


def scenario_rebinding(client):
    if not isinstance(client, Web):
        return
    message = client.message("server/discover" if client.is_modern else "initialize", {} if client.is_modern else {"protocolVersion": LEGACY[0]})
    host = client.server.host
    for named, origin, due in [
        ("evil.example.com", "http://evil.example.com", range(400, 500)), (host, "http://evil.example.com", range(400, 500)), (host, "null", range(400, 500)),
        (f"evil.example.com:{host.partition(':')[2]}", None, range(400, 500)), (host, f"http://{host}", range(200, 300)), (host, None, range(200, 300)),
    ]:  # fmt: skip
        status = client.post(message, client.headers(message) | {"Origin": origin}, host=named).status
        yield status not in due and f"Host {named}, Origin {origin}: {status}"


def scenario_headers(client):
    if not isinstance(client, Web) or not client.is_modern:
        return
    listing, calling = client.message("tools/list"), client.message("tools/call", {"name": "sources", "arguments": {}})
    reading = client.message("resources/read", {"uri": "aggregator://boats"})
    base = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": MODERN}
    of_call = base | {"Mcp-Method": "tools/call"}
    coded = lambda text: f"=?base64?{text}?="
    for message, headers, is_taken in [
        (listing, base | {"Mcp-Method": "prompts/list"}, False), (listing, base, False), (listing, base | {"Mcp-Method": "TOOLS/LIST"}, False),
        (listing, base | {"mcp-method": "tools/list"}, True), (listing, base | {"MCP-METHOD": "tools/list"}, True), (listing, base | {"Mcp-Method": " \ttools/list "}, True),
        (calling, of_call | {"Mcp-Name": "wrong"}, False), (calling, of_call, False), (calling, of_call | {"Mcp-Name": "  sources  "}, True), (calling, of_call | {"Mcp-Name": "Sources"}, False),
        (calling, of_call | {"MCP-NAME": "sources"}, True), (calling, of_call | {"Mcp-Name": coded("c291cmNlcw==")}, True), (calling, of_call | {"Mcp-Name": coded("c291cmNlcw")}, False),
        (calling, of_call | {"Mcp-Name": coded("c291!!!cmNlcw==")}, False), (calling, of_call | {"Mcp-Name": "c291cmNlcw=="}, False), (calling, of_call | {"Mcp-Name": "=?base64?c291cmNlcw=="}, False),
        (reading, base | {"Mcp-Method": "resources/read"}, False), (reading, base | {"Mcp-Method": "resources/read", "Mcp-Name": "aggregator://boats"}, True),
        (reading, base | {"Mcp-Method": "resources/read", "Mcp-Name": "aggregator://heroes"}, False), (listing, base | {"Mcp-Method": "tools/list", "MCP-Protocol-Version": "2025-11-25"}, False),
        (listing, {name: value for name, value in base.items() if name[0] != "M"} | {"Mcp-Method": "tools/list"}, False), (listing, base | {"Mcp-Method": "tools/list", "MCP-Protocol-Version": f" {MODERN} "}, True),
    ]:  # fmt: skip
        answer = client.post(message, headers)
        told = answer.message
        right = (
            answer.status == 200 and "result" in told
            if is_taken
            else (answer.status, told.get("error", {}).get("code"), told.get("id")) == (400, -32020, message["id"])
        )
        yield not right and f"{message['method']} with {dict(list(headers.items())[2:])}: {answer.status} {str(told)[:200]}"


def scenario_parameter_headers(client):
    for tool in client.tools.values():
        yield "x-mcp-header" in json.dumps(tool["inputSchema"]) and f"{tool['name']} names a header"


def scenario_stateless(client):
    if not client.is_modern:
        return
    whole = client.parameters({})["_meta"]
    for what, meta, code in [
        ("no _meta", None, -32602), ("no version", {META + "clientCapabilities": {}}, -32602), ("no capabilities", {META + "protocolVersion": MODERN}, -32602),
        ("capabilities as a text", whole | {META + "clientCapabilities": "x"}, -32602), ("a version as a number", whole | {META + "protocolVersion": 5}, -32602),
        ("an unknown version", whole | {META + "protocolVersion": "v999.0.0"}, -32022), ("an older version", whole | {META + "protocolVersion": "2025-11-25"}, -32022), ("client info", whole | {META + "clientInfo": {"name": "test", "version": "1"}}, None),
    ]:  # fmt: skip
        for method in ("server/discover", "tools/list"):
            message = {"jsonrpc": "2.0", "id": 101, "method": method, "params": {} if meta is None else {"_meta": meta}}
            if isinstance(client, Web):
                version = (meta or {}).get(META + "protocolVersion", MODERN)
                answer = client.post(message, client.headers(message) | {"MCP-Protocol-Version": version if isinstance(version, str) else MODERN})
                told, status = answer.message, answer.status
                yield status != (400 if code else 200) and f"{what}, {method}: status {status}"
            else:
                told = client.pose(message, within=5)
            error = told.get("error", {})
            yield (error.get("code"), told.get("id")) != (code, 101) and f"{what}, {method}: {told}"
            yield code == -32022 and error.get("data") != {"supported": [MODERN], "requested": meta[META + "protocolVersion"]} and f"{what}, {method}: {error}"
    for method in (
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "unknown/method",
        "subscriptions/listen",
        "prompts/list",
        "TOOLS/LIST",
    ):
        message = client.message(method, identity=500)
        answer = client.post(message) if isinstance(client, Web) else None
        told = answer.message if answer else client.ask(method, identity=500)
        yield (told.get("error", {}).get("code"), told.get("id")) != (-32601, 500) and f"{method}: {told}"
        yield answer and answer.status != 404 and f"{method}: status {answer.status}"
    info = started(client)["_meta"][META + "serverInfo"]
    yield not (info.get("name") and info.get("version")) and f"{info}"
    if isinstance(client, Web):
        message = client.message("server/discover")
        message["params"]["_meta"][META + "protocolVersion"] = "v999.0.0"
        answer = client.post(message)
        yield (answer.status, answer.message.get("error", {}).get("code")) != (
            400,
            -32020,
        ) and f"another version in the header: {answer.status} {answer.message}"
        # The status is due before a stream begins, too.
        for method, version, due in [("unknown/method", MODERN, (404, -32601)), ("tools/list", "v999.0.0", (400, -32022))]:
            message = client.message(method, meta={"progressToken": 1})
            message["params"]["_meta"][META + "protocolVersion"] = version
            answer = client.post(message, client.headers(message) | {"MCP-Protocol-Version": version})
            found = (answer.status, answer.message.get("error", {}).get("code"))
            yield found != due and f"{method} of {version} with a progress token: {found}, not {due}"


def scenario_streams(client):
    if not isinstance(client, Web):
        return
    from concurrent.futures import ThreadPoolExecutor

    messages = [
        client.message("tools/call", {"name": "list", "arguments": {"source": "boats", "limit": 60, "live": True}}, meta={"progressToken": i}) for i in range(3)
    ]
    with ThreadPoolExecutor(3) as pool:
        for message, answer in zip(messages, pool.map(client.post, messages), strict=True):
            yield (answer.status, answer.message.get("id"), bool(answer.told)) != (200, message["id"], True) and f"{answer.status} {answer.message}"


def scenario_result_type(client):
    for method, given in [
        ("tools/list", {}),
        ("resources/list", {}),
        ("tools/call", {"name": "sources", "inputResponses": {"unknown": {}}, "requestState": "x"}),
        ("resources/read", {"uri": "aggregator://boats"}),
    ]:
        result = client.ask(method, given).get("result", {})
        yield result.get("resultType") != ("complete" if client.is_modern else None) and f"{method}: {result.get('resultType')}"
        yield ("inputRequests" in result or "requestState" in result) and f"{method} asks back"


NO_PROMPTS = ("it has no prompts", (["prompts"], ["prompts/list", "prompts/get"]))
NO_SUBSCRIPTIONS = ("it has no subscriptions", ([], ["resources/subscribe", "resources/unsubscribe", "subscriptions/listen"]))
NO_LOGGING = ("it logs to standard error", (["logging"], ["logging/setLevel"]))
NO_QUESTIONS = ("it asks its clients nothing", (["sampling", "elicitation", "roots"], ["sampling/createMessage", "elicitation/create", "roots/list"]))
NO_TASKS = ("it has no tasks", (["tasks"], ["tasks/get", "tasks/list", "tasks/result", "tasks/cancel", "tasks/update"]))
NO_BYTES = ("its results are texts", ([], []))
NO_EVENT_IDS = ("its streams end with their answer, and begin no second time", ([], []))
# Each scenario of the suite, with its check, or with the reason why it does not apply and what the server has to say of it.
SCENARIOS = {
    "caching": scenario_caching, "dns-rebinding-protection": scenario_rebinding, "http-header-validation": scenario_headers,
    "http-custom-header-server-validation": scenario_parameter_headers, "json-schema-2020-12": scenario_schemas, "server-initialize": scenario_initialize,
    "server-session-lifecycle": scenario_session, "server-sse-multiple-streams": scenario_streams, "server-sse-polling": NO_EVENT_IDS, "server-stateless": scenario_stateless,
    "ping": scenario_ping, "completion-complete": scenario_completion, "logging-set-level": NO_LOGGING, "resources-list": scenario_resources, "resources-read-text": scenario_reading,
    "resources-read-binary": NO_BYTES, "resources-templates-read": scenario_templates, "resources-subscribe": NO_SUBSCRIPTIONS, "resources-unsubscribe": NO_SUBSCRIPTIONS,
    "sep-2164-resource-not-found": scenario_missing_resource, "tools-list": scenario_tools, "tools-call-simple-text": scenario_text, "tools-call-error": scenario_failed,
    "tools-call-with-progress": scenario_progress, "tools-call-with-logging": NO_LOGGING, "tools-call-sampling": NO_QUESTIONS, "tools-call-elicitation": NO_QUESTIONS,
    **{f"tools-call-{kind}": NO_BYTES for kind in ("image", "audio", "mixed-content", "embedded-resource")},
    **{f"prompts-{kind}": NO_PROMPTS for kind in ("list", "get-simple", "get-with-args", "get-embedded-resource", "get-with-image")},
    "elicitation-sep1034-defaults": NO_QUESTIONS, "elicitation-sep1330-enums": NO_QUESTIONS,
    **{f"input-required-result-{kind}": scenario_result_type for kind in ("result-type", "unsupported-methods", "ignore-extra-params")},
    **{f"input-required-result-{kind}": NO_QUESTIONS for kind in ("basic-elicitation", "basic-sampling", "basic-list-roots", "request-state", "multiple-input-requests", "multi-round",
       "missing-input-response", "non-tool-request", "tampered-state", "capability-check", "validate-input")},
    **{f"tasks-{kind}": NO_TASKS for kind in ("capability-negotiation", "mrtr-composition", "dispatch-and-envelope", "request-headers", "lifecycle", "mrtr-input",
       "status-notifications", "request-state-removal", "required-task-error", "wire-fields")},
}  # fmt: skip


# MARK: Clients of packages


def plain(value):
    return value.model_dump(by_alias=True, mode="json", exclude_unset=True) if hasattr(value, "model_dump") else value


@contextlib.asynccontextmanager
async def opened(package, era, target):
    """A client of the package that talks with the target, and the revision that they agreed on."""
    if package == "fastmcp":
        from fastmcp import Client as FastClient
        from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

        address, command = target.get("url"), target.get("command")
        transport = (
            StreamableHttpTransport(address) if address else StdioTransport(command[0], command[1:], env=target["env"], cwd=target["cwd"], keep_alive=False)
        )
        async with FastClient(transport, mode=era) as client:
            yield client, None
        return
    from mcp import StdioServerParameters, stdio_client

    if "command" in target:
        talk = stdio_client(StdioServerParameters(command=target["command"][0], args=target["command"][1:], env=target["env"], cwd=target["cwd"]))
    if package == "mcp2":
        from mcp.client import Client as NewClient

        async with NewClient(target.get("url") or talk, mode=era) as client:
            yield client, client.protocol_version
        return
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    async with streamablehttp_client(target["url"]) if "url" in target else talk as streams, ClientSession(*streams[:2]) as client:
        yield client, (await client.initialize()).protocolVersion


class PackageClient:
    """The clients of three packages as one."""

    def __init__(self, package, client):
        self.package, self.client = package, client

    async def call(self, name, arguments, progress=None):
        call = self.client.call_tool_mcp if self.package == "fastmcp" else self.client.call_tool
        key = "progress_handler" if self.package == "fastmcp" else "progress_callback"
        return plain(await call(name, arguments, **({key: progress} if progress else {})))

    async def tools(self):
        found = await self.client.list_tools()
        return {tool.name: plain(tool) for tool in getattr(found, "tools", found)}

    async def resources(self):
        if self.package == "fastmcp":
            return [str(one.uri) for one in await self.client.list_resources()]
        found, cursor = [], None
        while True:
            page = plain(await (self.client.list_resources(cursor=cursor) if cursor else self.client.list_resources()))
            found += [one["uri"] for one in page["resources"]]
            if not (cursor := page.get("nextCursor")):
                return found

    async def templates(self):
        found = await self.client.list_resource_templates()
        return [plain(one)["uriTemplate"] for one in getattr(found, "resourceTemplates", None) or getattr(found, "resource_templates", None) or found]

    async def read(self, address):
        from pydantic import AnyUrl

        found = await self.client.read_resource(AnyUrl(address) if self.package == "mcp1" else address)
        return [plain(one) for one in getattr(found, "contents", found)]

    async def complete(self, name, typed, context=None):
        if self.package == "mcp1":
            from mcp.types import ResourceTemplateReference
        else:
            from mcp_types import ResourceTemplateReference
        reference = ResourceTemplateReference(type="ref/resource", uri="aggregator://{source}{?where,sort,fields,limit}")
        found = plain(await self.client.complete(reference, {"name": name, "value": typed}, context))
        return found.get("completion", found)["values"]


async def use(client, plan, say):
    tools = await client.tools()
    say(list(tools) == plan["tools"], "lists the tools", list(tools))
    faults, count, seen = [], 0, set()
    calls = [(name, arguments, False) for name, arguments in plan["calls"]]
    while calls and count < 400:
        name, arguments, is_further = calls.pop(0)
        count += 1
        result = await client.call(name, arguments)
        faults += [f"{arguments}: {one}" for one in faults_of(tools, name, result)]
        if is_further and result["isError"]:
            faults.append(f"a call that a result named fails: {name} {arguments}: {result['structuredContent']['what']}")
        for call in calls_of(result["structuredContent"]) if not is_further else ():
            key = json.dumps(call, sort_keys=True)
            if call["tool"] != "sync" and key not in seen:
                seen.add(key)
                calls.append((call["tool"], call["arguments"], True))
    say(not faults, f"{count} calls fit their schemas", *faults[:12])
    failed = [(await client.call(name, arguments))["structuredContent"] for name, arguments in plan["bad"]]
    say(all(one["what"].startswith("FAILED: ") for one in failed), "bad arguments are results that say so", *failed)
    say(all(one["call"] for one in failed[: plan["mendable"]]), "each that can be mended has a call", *failed[: plan["mendable"]])
    for name, arguments in plan["progress"]:
        told = []

        async def note(progress, total=None, message=None, told=told):
            told.append(progress)

        result = await client.call(name, arguments, note)
        say(told and told == sorted(set(told)) and not result["isError"], f"the progress of {name} rises: {told}", str(result)[:600])
    try:
        await client.call("no-such-tool", {})
        say(False, "an unknown tool is an error")
    except Exception as error:  # noqa: BLE001
        say("nknown tool" in str(error), "an unknown tool is an error", repr(error))
    addresses = await client.resources()
    say(len(addresses) == len(set(addresses)) > 200, f"lists {len(addresses)} resources, each once")
    chosen = [one for one in addresses if one.count("/") == 2 and not one.endswith("/errors")] + addresses[1:250:40] + addresses[-3:]
    for address in chosen:
        try:
            found = await client.read(address)
            say(found[0]["uri"] == address and json.loads(found[0]["text"])["what"], f"reads {address[:60]}")
        except Exception as error:  # noqa: BLE001
            say(False, f"reads {address[:100]}", repr(error)[:300])
    say(len(await client.templates()) == 2, "lists two templates")
    found = [await client.complete("source", "bo"), await client.complete("sort", "na", {"source": "boats"}), await client.complete("source", "nothing")]
    say(found == [["boats"], ["name"], []], "completes names of sources and fields", found)


async def main():
    package, era = sys.argv[1:]
    plan = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    say = lambda holds, what, *details: print(json.dumps([bool(holds), what, [str(one) for one in details]]), flush=True)
    async with opened(package, era, plan["target"]) as (client, revision):
        if revision:
            say(revision == (MODERN if era == "auto" and package == "mcp2" else LEGACY[0]), f"speaks {revision}")
        await use(PackageClient(package, client), plan, say)
    say(True, "ends")


if __name__ == "__main__":
    asyncio.run(main())
