"""read_singer.py WAY ADDRESS FOLDER: runs a tap made with the Singer SDK.

It prints Singer's messages. FOLDER may have the state of the run before. The tap is configured as these pages of the SDK's documentation
say: "Migrate your REST tap to use the new pagination classes" for `OffsetPaginator`, "SDK Code Samples" for `next_page_token_jsonpath`,
"Incremental Replication" for the replication key, "Parent-Child Streams" for the comments, and the class reference of
`BaseHATEOASPaginator` for the next address of OData. By the SDK's own rule an empty page ends a stream.
"""

import json
import sys
from pathlib import Path

from singer_sdk import RESTStream, Tap
from singer_sdk import typing as th
from singer_sdk.pagination import BaseHATEOASPaginator, OffsetPaginator, PageNumberPaginator


class Rows(RESTStream):
    name = "rows"
    path = "items"
    records_jsonpath = "$.items[*]"
    primary_keys = ("id",)
    schema = th.PropertiesList(
        th.Property("id", th.IntegerType), th.Property("name", th.StringType), th.Property("updated", th.DateTimeType)
    ).to_dict()

    @property
    def url_base(self):
        return self.config["address"]


class ByOffset(Rows):
    def get_new_paginator(self):
        return OffsetPaginator(start_value=0, page_size=50)

    def get_url_params(self, context, next_page_token):
        return {"offset": next_page_token, "limit": 50}


class ByPage(Rows):
    def get_new_paginator(self):
        return PageNumberPaginator(start_value=1)

    def get_url_params(self, context, next_page_token):
        return {"page": next_page_token, "per_page": 50}


class ByCursor(Rows):
    next_page_token_jsonpath = "$.next_cursor"

    def get_url_params(self, context, next_page_token):
        return {"cursor": next_page_token, "limit": 50}


class ByChange(ByOffset):
    replication_key = "updated"
    is_sorted = True

    def get_url_params(self, context, next_page_token):
        return super().get_url_params(context, next_page_token) | {"since": self.get_starting_replication_key_value(context)}


class Posts(Rows):
    name = "posts"
    path = "posts"
    schema = th.PropertiesList(th.Property("id", th.IntegerType), th.Property("title", th.StringType)).to_dict()

    def get_child_context(self, record, context):
        return {"post": record["id"]}


class Comments(Rows):
    path = "posts/{post}/comments"
    parent_stream_type = Posts
    schema = th.PropertiesList(
        th.Property("id", th.StringType), th.Property("post", th.IntegerType), th.Property("text", th.StringType)
    ).to_dict()


class ByNumber(ByPage):
    def get_url_params(self, context, next_page_token):
        return {"page": next_page_token}


class NextLink(BaseHATEOASPaginator):
    def get_next_url(self, response):
        return response.json().get("@odata.nextLink")


class OData(Rows):
    records_jsonpath = "$.value[*]"

    def get_new_paginator(self):
        return NextLink()

    def get_http_request(self, *, page):
        request = super().get_http_request(page=page)
        if page.next_page_token:
            request.url, request.params = page.next_page_token.geturl(), {}
        return request


class ODataTop(OData):
    def get_url_params(self, context, next_page_token):
        return {"$top": 50}


class Elasticsearch(ByOffset):
    records_jsonpath = "$.hits.hits[*]._source"

    def get_url_params(self, context, next_page_token):
        return {"from": next_page_token, "size": 50}


class Solr(ByOffset):
    records_jsonpath = "$.response.docs[*]"

    def get_url_params(self, context, next_page_token):
        return {"start": next_page_token, "rows": 50}


class Meta(ByOffset):
    records_jsonpath = "$.data[*]"


class ArcGIS(Rows):
    records_jsonpath = "$.features[*].attributes"
    primary_keys = ("OBJECTID",)
    schema = th.PropertiesList(th.Property("OBJECTID", th.IntegerType), th.Property("name", th.StringType)).to_dict()


class ArcGISPages(ArcGIS):
    def get_new_paginator(self):
        return OffsetPaginator(start_value=0, page_size=50)

    def get_url_params(self, context, next_page_token):
        return {"resultOffset": next_page_token, "resultRecordCount": 50}


class Overpass(Rows):
    records_jsonpath = "$.elements[*]"


STREAMS = {
    "by-offset": [ByOffset], "by-page": [ByPage], "by-cursor": [ByCursor], "by-change": [ByChange], "comments": [Posts, Comments],
    "by-number": [ByNumber], "odata": [OData], "odata-top": [ODataTop], "elasticsearch": [Elasticsearch], "github": [ByPage],
    "solr": [Solr], "meta": [Meta], "arcgis": [ArcGIS], "arcgis-pages": [ArcGISPages], "overpass": [Overpass],
}


class Hazards(Tap):
    name = "tap-hazards"
    config_jsonschema = th.PropertiesList(th.Property("address", th.StringType), th.Property("way", th.StringType)).to_dict()

    def discover_streams(self):
        return [stream(self) for stream in STREAMS[self.config["way"]]]


def main(way, address, folder):
    config, state = Path(folder, "config.json"), Path(folder, "state.json")
    config.write_text(json.dumps({"way": way, "address": address}))
    Hazards.cli([f"--config={config}", *([f"--state={state}"] if state.exists() else [])])


if __name__ == "__main__":
    main(*sys.argv[1:])
