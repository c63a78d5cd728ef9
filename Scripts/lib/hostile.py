"""Records, descriptions and addresses that were made to break a page, for Scripts/test-page."""

import json

RUN = "document.title='pwned'"
# What each text tries.
TEXTS = {
    "an element": f'"><script>{RUN}</script>',
    "an attribute": f"' autofocus onfocus={RUN} onmouseover={RUN} x='",
    "a quoted attribute": f'" autofocus onfocus="{RUN}" x="',
    "an address": f"javascript:{RUN}",
    "an address with blanks": f"\tjava\nscript:{RUN}//http://x.example/",
    "data": f"data:text/html,<script>{RUN}</script>",
    "a picture": f'http://x.example/"><img src=x onerror="{RUN}">.png',
    "an end": f"--></title></textarea></style></script><svg onload={RUN}>]]>",
    "what was escaped before": "&lt;script&gt; &#x3c;b&#x3e; &amp;amp; %3Cscript%3E",
    "a terminal": "\x1b]0;pwned\x07\x1b[31mred\x1b[0m \x9b32m",
    "another direction": "\u202eturned\u202c \u2066around\u2069",
    "control characters": "bell\x07 \x01 \x08 \x0b \x7f \x85 \u2028 \ufeff \ufffe",
    "a long word": "W" * 10_000,
    "a long word of marks": "e" + "\u0301" * 3_000,
}
MARKUP = TEXTS["an element"]
# All of it that fits into an address.
SHORT = " ".join(text for text in TEXTS.values() if len(text) < 500)
LONG = "W" * 2_000

FIELDS = [
    {"name": "id", "role": "badge"}, {"name": "name", "role": "title", "searchable": True}, {"name": "about", "role": "subtitle"},
    {"name": "picture", "type": "address", "role": "picture"}, {"name": "page", "type": "address", "role": "link"},
    {"name": "kind"}, {"name": "count", "type": "integer"}, {"name": "at", "type": "time"}, {"name": "is", "type": "boolean"},
    {"name": "tags", "type": "json"},
]  # fmt: skip


def rows():
    texts = list(TEXTS.values())
    return [
        {
            "id": f"{i} {text}", "name": text, "about": texts[i - 1], "picture": text, "page": texts[i - 2], "kind": texts[i % 3], "count": text, "at": text,
            "is": text, "tags": {text[:200]: [text, {"deep": texts}]},
        }
        for i, text in enumerate(texts)
    ]  # fmt: skip


def manifest(name, address, **changes):
    """A manifest whose every text is hostile, as far as a manifest may have it."""
    source = {
        "summary": " ".join(TEXTS.values()),
        "list": {"path": name, "query": {"offset": "{offset}", "limit": "{size}"}}, "rows": "rows", "key": "id",
        "paging": {"by": "offset", "size": 50, "total": "total", "end": "total"}, "fields": FIELDS,
    }  # fmt: skip
    return {"aggregator": 1, "address": {"setting": "TRAPS_URL", "default": f"{address}/table/"}, "budget": "unlimited", "sources": {name: source}, **changes}


def error():
    """What a service says when it refuses a request."""
    return json.dumps({"message": SHORT + TEXTS["a long word"]}).encode()
