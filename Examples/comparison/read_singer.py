"""read_singer.py WAY ADDRESS FOLDER: runs a tap made with the Singer SDK.

It prints Singer's messages. FOLDER may have the state of the run before. The tap is configured as these pages of the SDK's documentation
say: "Migrate your REST tap to use the new pagination classes" for `OffsetPaginator`, "SDK Code Samples" for `next_page_token_jsonpath`,
"Incremental Replication" for the replication key, "Parent-Child Streams" for the comments. By the SDK's own rule an empty page ends a
stream.
"""

import json
import sys
from pathlib import Path

from singer_sdk import RESTStream, Tap
from singer_sdk import typing as th
from singer_sdk.pagination import OffsetPaginator, PageNumberPaginator


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


STREAMS = {"by-offset": [ByOffset], "by-page": [ByPage], "by-cursor": [ByCursor], "by-change": [ByChange], "comments": [Posts, Comments]}


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
