"""read_dlt.py WAY ADDRESS FOLDER: reads a list with dlt's REST API source.

It prints the rows, one on a line. dlt stores its state between runs in FOLDER. The source is configured as the page "REST API source" of
dlt's documentation says. "Pagination" has the `offset` paginator with the path of the total, or without one where an empty page ends the
list, the `page_number` paginator with the path of the number of pages, or without one, the `cursor` and the `json_link` paginator.
"Incremental loading" has the placeholder in `params`. "Define resource relationships" has the placeholder in `path`. Rows go to a function,
as the page "Custom destination: Reverse ETL" says.
"""

import json
import sys

import dlt
from dlt.sources.rest_api import rest_api_source

WAYS = {
    "by-offset": {"paginator": {"type": "offset", "limit": 50, "total_path": "total"}},
    "by-page": {"paginator": {"type": "page_number", "base_page": 1, "total_path": "pages"}, "params": {"per_page": 50}},
    "by-cursor": {
        "paginator": {"type": "cursor", "cursor_path": "next_cursor", "cursor_param": "cursor", "has_more_path": "has_more"},
        "params": {"limit": 50},
    },
    "by-change": {
        "paginator": {"type": "offset", "limit": 50, "total_path": "total"},
        "params": {"since": "{incremental.start_value}"},
        "incremental": {"cursor_path": "updated", "initial_value": "1970-01-01T00:00:00Z"},
    },
    "by-number": {"paginator": {"type": "page_number", "base_page": 1, "total_path": "pages"}},
    "odata": {"data_selector": "value", "paginator": {"type": "json_link", "next_url_path": "['@odata.nextLink']"}},
    "odata-top": {
        "data_selector": "value",
        "paginator": {"type": "json_link", "next_url_path": "['@odata.nextLink']"},
        "params": {"$top": 50},
    },
    "elasticsearch": {
        "data_selector": "hits.hits[*]._source",
        "paginator": {"type": "offset", "limit": 50, "offset_param": "from", "limit_param": "size", "total_path": "hits.total.value"},
    },
    "github": {"paginator": {"type": "page_number", "base_page": 1, "total_path": None}, "params": {"per_page": 50}},
    "solr": {
        "data_selector": "response.docs",
        "paginator": {"type": "offset", "limit": 50, "offset_param": "start", "limit_param": "rows", "total_path": "response.numFound"},
    },
    "meta": {"data_selector": "data", "paginator": {"type": "offset", "limit": 50, "total_path": "meta.total"}},
    "arcgis": {"data_selector": "features[*].attributes", "paginator": "single_page"},
    "arcgis-pages": {
        "data_selector": "features[*].attributes",
        "paginator": {
            "type": "offset", "limit": 50, "offset_param": "resultOffset", "limit_param": "resultRecordCount", "total_path": None,
        },
    },
    "overpass": {"data_selector": "elements", "paginator": "single_page"},
}
COMMENTS = [
    {"name": "posts", "endpoint": {"path": "posts", "data_selector": "items", "paginator": "single_page"}},
    {"name": "rows", "endpoint": {"path": "posts/{resources.posts.id}/comments", "data_selector": "items", "paginator": "single_page"}},
]


@dlt.destination(name="printed", loader_file_format="typed-jsonl", naming_convention="direct", skip_dlt_columns_and_tables=True)
def printed(items, table):
    if table["name"] == "rows":
        for item in items:
            print(json.dumps(item, default=str))


def main(way, address, folder):
    endpoint = {"path": "items", "data_selector": "items", **WAYS.get(way, {})}
    key = "OBJECTID" if way.startswith("arcgis") else "id"
    resources = COMMENTS if way == "comments" else [{"name": "rows", "primary_key": key, "endpoint": endpoint}]
    source = rest_api_source({"client": {"base_url": address}, "resources": resources})
    dlt.pipeline("comparison", pipelines_dir=folder, destination=printed()).run(source)


if __name__ == "__main__":
    main(*sys.argv[1:])
