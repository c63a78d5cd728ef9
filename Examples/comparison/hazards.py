"""The lists of the hazard service: honest ones for each way of paging, and hazards, each of which does one thing wrong.

The docstring of a hazard is its name in the table, and `thread` is a public thread in which somebody met it. Every list has 200 records,
fifty on a page. A reader has to give the records of `due`: those that are in the list from its first request to its last.
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
    address = ""  # where the list is, with a slash at the end
    takes_repeats = True  # OData forbids a parameter that is given twice
    thread = ""  # a pull request or an issue, as owner/repository#number

    def __init__(self):
        self.rows = [record(number) for number in range(1, COUNT + 1)]
        self.requests = []

    def due(self):
        return {str(number) for number in range(1, COUNT + 1)}

    def meet(self, path, parameters):
        """Returns the status, the body and perhaps the headers of an answer. A text as the body is sent as HTML."""
        query = dict(parameters)
        if len(query) < len(parameters) and not self.takes_repeats:
            self.requests.append(path)
            return 400, {"error": {"message": "a query option is given twice"}}
        return self.reply(path, query)

    def reply(self, path, query):
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

    thread = "dlt-hub/dlt#970"

    def time_of_change(self):
        return time() - 3 * DAY


class Clamp(ByOffset):
    """a page has 20 rows at most, and 50 are asked for"""

    thread = "airbytehq/airbyte#34883"
    largest = 20


class IgnoredOffset(ByOffset):
    """the offset is ignored: every page is the first one"""

    def page(self, offset, limit):
        return super().page(0, limit)


class RowGoes(ByOffset):
    """a row that was already read is deleted before the next page, by offset"""

    thread = "OData/WebApi#1135"

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

    thread = "PyGithub/PyGithub#824"

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

    thread = "meltano/sdk#2980"

    def answer(self, query):
        match query.get("cursor"):
            case "after-100":
                return 200, {"items": [], "has_more": True, "next_cursor": "after-100-again"}
            case "after-100-again":
                query = {**query, "cursor": "after-100"}
        return super().answer(query)


class ShrinkingPages(ByPage):
    """numbered pages have 25 rows instead of 50 from page 3 on"""

    thread = "open-metadata/OpenMetadata#33190"

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

    thread = "estuary/flow#3388"
    field = "colour"

    def change(self):
        for row in self.rows:
            row["colour"] = f"colour {row['id']}"

    def due(self):
        return {f"colour {number}" for number in range(1, COUNT + 1)}


class PoisonedPage(ByOffset):
    """each page with the row 120 is a 500, and the others are sound"""

    thread = "getnao/nao#1656"

    def answer(self, query):
        offset, limit = int(query.get("offset", 0)), int(query.get("limit", SIZE))
        return (500, {"error": "internal error"}) if offset <= 119 < offset + limit else super().answer(query)


class PoisonedParent(Comments):
    """the comments on one of twenty posts are a 500, and those on the others are sound"""

    thread = "PostHog/posthog#102868"

    def reply(self, path, query):
        status, body = super().reply(path, query)
        return (500, {"error": "internal error"}) if path == "posts/7/comments" else (status, body)


class ByNumber(ByPage):
    """numbered pages of one size lose a row between two runs, and a second run reads them all"""

    way = "by-number"
    thread = "NangoHQ/nango#4367"

    def change(self):
        del self.rows[4]

    def due(self):
        return super().due() - {"5"}


class OData(List):
    """OData: the next page is at `@odata.nextLink`, and no size is asked for"""

    way = "odata"
    largest = 20
    takes_repeats = False

    def answer(self, query):
        begin, top = int(query.get("$skiptoken", 0)), int(query.get("$top", COUNT))
        page = self.rows[begin : begin + min(top, self.largest)]
        body, end, left = {"value": page}, begin + len(page), top - len(page)
        if end < len(self.rows) and left:
            rest = f"&$top={left}" if "$top" in query else ""
            body["@odata.nextLink"] = f"{self.address}items?$skiptoken={end}{rest}"
        return 200, body


class ODataTop(OData):
    """OData: 50 rows are asked for by `$top`, which bounds the whole list and not its page"""

    way = "odata-top"
    thread = "databrickslabs/lakeflow-community-connectors#231"


class Elasticsearch(List):
    """An answer of Elasticsearch. `found` is how many rows it can give."""

    way = "elasticsearch"
    found = 120
    relation = "eq"
    failed = 0

    def answer(self, query):
        begin, size = int(query.get("from", 0)), int(query.get("size", 10))
        hits = [{"_id": str(row["id"]), "_source": row} for row in self.rows[: self.found][begin : begin + size]]
        shards = {"total": 5, "successful": 5 - self.failed, "skipped": 0, "failed": self.failed}
        total = {"value": self.found, "relation": self.relation}
        return 200, {"timed_out": self.failed > 0, "_shards": shards, "hits": {"total": total, "hits": hits}}


class LowerBound(Elasticsearch):
    """Elasticsearch: the total is 100 or more (`relation` is `gte`), and pages after 100 rows are empty"""

    thread = "opencrvs/opencrvs-core#11505"
    found = 100
    relation = "gte"


class FailedShard(Elasticsearch):
    """Elasticsearch: one shard failed and the search timed out (`_shards.failed`, `timed_out`)"""

    thread = "broadinstitute/gnomad-browser#825"
    failed = 1


class GitHub(List):
    """GitHub's search: `incomplete_results` is true"""

    way = "github"
    thread = "lindell/multi-gitter#397"

    def answer(self, query):
        size, page, found = int(query.get("per_page", SIZE)), int(query.get("page", 1)), self.rows[:120]
        return 200, {"total_count": len(found), "incomplete_results": True, "items": found[(page - 1) * size : page * size]}


class Solr(List):
    """Solr: `partialResults` is true"""

    way = "solr"
    thread = "django-haystack/pysolr#39"

    def answer(self, query):
        begin, found = int(query.get("start", 0)), self.rows[:120]
        docs = found[begin : begin + int(query.get("rows", 10))]
        header, response = {"status": 0, "partialResults": True}, {"numFound": len(found), "start": begin, "docs": docs}
        return 200, {"responseHeader": header, "response": response}


class Meta(List):
    """`meta.partial` is true, and a warning says that a region did not answer"""

    way = "meta"
    thread = "department-of-veterans-affairs/vets-api#6027"

    def answer(self, query):
        begin, found = int(query.get("offset", 0)), self.rows[:120]
        meta = {"total": len(found), "partial": True, "warnings": ["region eu-2 did not answer"]}
        return 200, {"data": found[begin : begin + int(query.get("limit", SIZE))], "meta": meta}


class ArcGIS(List):
    """ArcGIS: a layer is read at once, and `exceededTransferLimit` is true after 100 of 200 rows"""

    way = "arcgis"
    field = "OBJECTID"
    thread = "opengeos/GeoLibre#1747"

    def answer(self, query):
        begin, size = int(query.get("resultOffset", 0)), min(int(query.get("resultRecordCount", COUNT)), self.largest)
        features = [{"attributes": {"OBJECTID": row["id"], "name": row["name"]}} for row in self.rows[begin : begin + size]]
        more = {"exceededTransferLimit": True} if begin + size < len(self.rows) else {}
        return 200, {"objectIdFieldName": "OBJECTID", "features": features, **more}


class ArcGISPages(ArcGIS):
    """ArcGIS: a layer is read by `resultOffset`, and each page but the last has `exceededTransferLimit`"""

    way = "arcgis-pages"
    thread = ""


class Overpass(List):
    """Overpass: the answer has 120 of 200 rows, and a `remark` that the query timed out"""

    way = "overpass"
    thread = "openstreetmap/openstreetmap-website#1178"

    def answer(self, query):
        remark = 'runtime error: Query timed out in "query" at line 3 after 25 seconds.'
        return 200, {"version": 0.6, "elements": self.rows[:120], "remark": remark}


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
    "poisoned-page": PoisonedPage,
    "poisoned-parent": PoisonedParent,
    "row-goes-between": ByNumber,
    "odata": OData,
    "odata-top": ODataTop,
    "lower-bound": LowerBound,
    "failed-shard": FailedShard,
    "incomplete-results": GitHub,
    "partial-results": Solr,
    "partial-meta": Meta,
    "transfer-limit": ArcGIS,
    "transfer-limit-pages": ArcGISPages,
    "timed-out-remark": Overpass,
}
