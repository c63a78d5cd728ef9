"""The lists of the hazard service: honest ones for each way of paging, and hazards, each of which does one thing wrong.

The docstring of a hazard is its name in the table. Every list has 200 records, fifty on a page. A reader has to give the records of `due`:
those that are in the list from its first request to its last.
"""

from email.utils import formatdate
from math import ceil
from random import Random
from time import gmtime, strftime, time

COUNT, SIZE, DAY = 200, 50, 86_400
NO_SUCH_PAGE = 404, {"error": "there is nothing here"}


def record(number):
    return {"id": number, "name": f"Record {number}", "updated": "2026-01-01T00:00:00Z"}


def iso(seconds):
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds))


class List:
    """A list: its records, the most rows of a page, and the requests that it got."""

    largest = 100
    field = "id"  # the field whose values are due

    def __init__(self):
        self.rows = [record(number) for number in range(1, COUNT + 1)]
        self.requests = []

    def due(self):
        return {str(number) for number in range(1, COUNT + 1)}

    def reply(self, path, query):
        """Returns the status, the body and perhaps the headers of an answer. A text as the body is sent as HTML."""
        self.requests.append(path)
        return self.answer(query) if path == "items" else NO_SUCH_PAGE

    def remark(self):
        """Returns what the service noticed about its reader; empty if nothing."""
        return ""


class ByOffset(List):
    """an honest list, by offset"""

    way = "by-offset"

    def total(self):
        return len(self.rows)

    def answer(self, query):
        offset = int(query.get("offset", 0))
        return 200, {"total": self.total(), "items": self.page(offset, min(int(query.get("limit", SIZE)), self.largest))}

    def page(self, offset, limit):
        return self.rows[offset : offset + limit]


class ByPage(List):
    """an honest list, by page number"""

    way = "by-page"

    def answer(self, query):
        size, page = min(int(query.get("per_page", SIZE)), self.largest), int(query.get("page", 1))
        rows = self.rows[(page - 1) * size : page * size]
        return 200, {"page": page, "pages": ceil(len(self.rows) / size), "total": len(self.rows), "items": rows}


class ByCursor(List):
    """an honest list, by cursor"""

    way = "by-cursor"

    def answer(self, query):
        after = int(query.get("cursor", "after-0").removeprefix("after-"))
        rows = [row for row in self.rows if row["id"] > after]
        page, has_more = rows[: min(int(query.get("limit", SIZE)), self.largest)], len(rows) > SIZE
        return 200, {"items": page, "has_more": has_more, "next_cursor": f"after-{page[-1]['id']}" if has_more else None}


class Changes(List):
    """ten records change, and a second run asks for changes"""

    way = "by-change"
    field = "name"
    changed = range(5, 205, 20)

    def __init__(self):
        super().__init__()
        for row in self.rows:
            row["updated"] = iso(time() - 30 * DAY + 60 * row["id"])

    def change(self):
        """Changes the records between the two runs."""
        for number in self.changed:
            self.rows[number - 1].update(name=f"Record {number}, changed", updated=iso(self.time_of_change() + number))

    def time_of_change(self):
        return time()

    def due(self):
        return {f"Record {number}, changed" for number in self.changed}

    def answer(self, query):
        offset, limit, since = int(query.get("offset", 0)), int(query.get("limit", SIZE)), query.get("since", "")
        rows = sorted((row for row in self.rows if row["updated"] >= since), key=lambda row: (row["updated"], row["id"]))
        return 200, {"total": len(rows), "items": rows[offset : offset + limit]}


class Comments(List):
    """lists below a list: the ten comments on each of twenty posts"""

    way = "comments"

    def due(self):
        return {f"{post}-{number}" for post in range(1, 21) for number in range(1, 11)}

    def reply(self, path, query):
        self.requests.append(path)
        match path.split("/"):
            case ["posts"]:
                return 200, {"items": [{"id": post, "title": f"Post {post}"} for post in range(1, 21)]}
            case ["posts", post, "comments"]:
                return 200, {"items": [{"id": f"{post}-{number}", "text": "Well said"} for number in range(1, 11)]}
        return NO_SUCH_PAGE


class LateChanges(Changes):
    """ten records change and say that they did so three days ago; a second run asks for changes"""

    def time_of_change(self):
        return time() - 3 * DAY


class Clamp(ByOffset):
    """a page has 20 rows at most, and 50 are asked for"""

    largest = 20


class IgnoredOffset(ByOffset):
    """the offset is ignored: every page is the first one"""

    def page(self, offset, limit):
        return super().page(0, limit)


class RowGoes(ByOffset):
    """a row that was already read is deleted before the next page, by offset"""

    def page(self, offset, limit):
        if len(self.requests) == 2:
            del self.rows[4]
        return super().page(offset, limit)

    def due(self):
        return super().due() - {"5"}


class RowGoesByCursor(ByCursor):
    """a row that was read goes away, in a list by cursor"""

    def answer(self, query):
        if len(self.requests) == 2:
            del self.rows[4]
        return super().answer(query)

    def due(self):
        return super().due() - {"5"}


class RowComes(ByOffset):
    """a row comes at the beginning of the list between two pages"""

    def page(self, offset, limit):
        if len(self.requests) == 2:
            self.rows.insert(0, record(COUNT + 1))
        return super().page(offset, limit)


class RowMoves(ByOffset):
    """a row that was not read yet moves to the beginning of the list"""

    def page(self, offset, limit):
        if len(self.requests) == 2:
            self.rows.insert(0, self.rows.pop(179))
        return super().page(offset, limit)


class NoOrder(ByOffset):
    """the list has another order in each request"""

    def page(self, offset, limit):
        Random(len(self.requests)).shuffle(self.rows)
        return super().page(offset, limit)


class AllAtOnce(ByOffset):
    """every page has all the rows"""

    def page(self, offset, limit):
        return self.rows


class DeepLimit(ByOffset):
    """pages from offset 100 on are empty, and the total is right"""

    def page(self, offset, limit):
        return super().page(offset, limit) if offset < 100 else []


class TotalTooHigh(ByOffset):
    """the announced total is 230, but the list has 200 rows"""

    def total(self):
        return 230


class TotalTooLow(ByOffset):
    """the announced total is 120, but the list has 200 rows"""

    def total(self):
        return 120


class TotalOfPage(ByOffset):
    """the announced total is 50, which is the rows of a page"""

    def total(self):
        return SIZE


class ErrorByOffset(ByOffset):
    """page 3 and all pages after it are an error with status 200"""

    def answer(self, query):
        return (200, {"error": "please try again later"}) if int(query.get("offset", 0)) > 90 else super().answer(query)


class ErrorByCursor(ByCursor):
    """page 3 of a list by cursor is an error with status 200"""

    def answer(self, query):
        return (200, {"error": "please try again later"}) if query.get("cursor") == "after-100" else super().answer(query)


class Maintenance(ByOffset):
    """page 3 and all pages after it are an HTML page with status 200"""

    def answer(self, query):
        return (200, "<html><body>Down for maintenance</body></html>") if int(query.get("offset", 0)) > 90 else super().answer(query)


class CyclingCursor(ByCursor):
    """the cursor of page 3 leads back to page 2"""

    def answer(self, query):
        status, body = super().answer(query)
        return status, {**body, "next_cursor": "after-50"} if query.get("cursor") == "after-100" else body


class LostCursor(ByCursor):
    """page 3 says that there is more and has no cursor"""

    def answer(self, query):
        status, body = super().answer(query)
        return status, {**body, "next_cursor": None} if query.get("cursor") == "after-100" else body


class EmptyPage(ByCursor):
    """page 3 has no rows and a cursor that leads on"""

    def answer(self, query):
        match query.get("cursor"):
            case "after-100":
                return 200, {"items": [], "has_more": True, "next_cursor": "after-100-again"}
            case "after-100-again":
                query = {**query, "cursor": "after-100"}
        return super().answer(query)


class ShrinkingPages(ByPage):
    """numbered pages have 25 rows instead of 50 from page 3 on"""

    def answer(self, query):
        if len(self.requests) > 2:
            self.largest = 25
        return super().answer(query)


class RetryAfterDate(ByOffset):
    """page 3 is a 429 whose `Retry-After` is a date, nine seconds later"""

    until = None
    early = False

    def answer(self, query):
        if self.until is None and int(query.get("offset", 0)) > 90:
            self.until = ceil(time()) + 9
        elif self.until and time() < self.until:
            self.early = True
        if self.until and time() < self.until:
            return 429, {"error": "too many requests"}, {"Retry-After": formatdate(self.until, usegmt=True)}
        return super().answer(query)

    def remark(self):
        return "; it asked again before that time" if self.early else ""


class NewField(ByOffset):
    """rows have a new field in a second run, and its 200 values are due"""

    field = "colour"

    def change(self):
        for row in self.rows:
            row["colour"] = f"colour {row['id']}"

    def due(self):
        return {f"colour {number}" for number in range(1, COUNT + 1)}


HAZARDS = {
    "honest-offset": ByOffset,
    "honest-page": ByPage,
    "honest-cursor": ByCursor,
    "comments": Comments,
    "changes": Changes,
    "late-changes": LateChanges,
    "new-field": NewField,
    "clamp": Clamp,
    "all-at-once": AllAtOnce,
    "ignored-offset": IgnoredOffset,
    "deep-limit": DeepLimit,
    "row-goes": RowGoes,
    "row-goes-by-cursor": RowGoesByCursor,
    "row-comes": RowComes,
    "row-moves": RowMoves,
    "no-order": NoOrder,
    "total-too-high": TotalTooHigh,
    "total-too-low": TotalTooLow,
    "total-of-page": TotalOfPage,
    "error": ErrorByOffset,
    "error-by-cursor": ErrorByCursor,
    "maintenance": Maintenance,
    "cycling-cursor": CyclingCursor,
    "lost-cursor": LostCursor,
    "empty-page": EmptyPage,
    "shrinking-pages": ShrinkingPages,
    "retry-after-date": RetryAfterDate,
}
