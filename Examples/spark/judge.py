"""Reads 10,000 records in 8 partitions, from a service of its own on the loopback: python judge.py COMMAND.

It shows count, distinct and sum; Parquet; a filter and a search that bring fewer rows; and that a list which changes between two
partitions fails its task with the reason.
"""

import json
import os
import shlex
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlparse

from pyspark.sql import SparkSession

import aggregator_spark

COUNT = 10_000
state = {"served": 0, "total": COUNT}


class Service(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        query = {name: values[0] for name, values in parse_qs(urlparse(self.path).query).items()}
        start, sought = int(query["offset"]), query.get("q", "")
        found = [i for i in range(COUNT) if sought in f"n{i}"]
        rows = [{"id": f"{i}", "name": f"n{i}", "score": i / 2, "tags": ["a", "b"]} for i in found][start : start + int(query["limit"])]
        state["served"] += len(rows)
        total = len(found) if sought else state["total"]
        body = json.dumps({"count": total, "results": rows}).encode()
        # The list is one row longer from a page in its middle on.
        if start == state.get("grows at"):
            state["total"] = COUNT + 1
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
threading.Thread(target=server.serve_forever, daemon=True).start()
folder = tempfile.TemporaryDirectory()
home = Path(folder.name)
# What the command hands over is counted on its way.
log, command = home / "handed over", home / "counted"
log.touch()
aggregator = shlex.quote(os.path.abspath(sys.argv[1]))
command.write_text(f"#!/bin/bash\nset -o pipefail\n{aggregator} \"$@\" | tee -a '{log}'\n")
command.chmod(0o755)
request = {"limit": "{size}", "offset": "{offset}"}
manifest = {
    "aggregator": 1, "address": {"setting": "ROWS_URL", "default": f"http://127.0.0.1:{server.server_port}/"}, "budget": "unlimited",
    "sources": {"rows": {
        "summary": "rows by number", "list": {"path": "rows", "query": request}, "rows": "results", "key": "id",
        "search": {"request": {"path": "rows", "query": request | {"q": "{text}"}}},
        "paging": {"by": "offset", "size": 100, "total": "count", "end": "total"},
        "fields": [{"name": "id"}, {"name": "name", "role": "title", "searchable": True}, {"name": "score", "type": "number"},
                   {"name": "tags", "type": "texts"}]}}}
(home / "rows.json").write_text(json.dumps(manifest))
os.environ.update(AGGREGATOR_SOURCES=str(home), HOME=str(home), PYSPARK_PYTHON=sys.executable)

spark = (
    SparkSession.builder.master("local[2]").config("spark.speculation", "false").config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false").config("spark.sql.python.filterPushdown.enabled", "true")
    .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate())
spark.sparkContext.setLogLevel("OFF")
spark.sparkContext.addPyFile(aggregator_spark.__file__)
spark.dataSource.register(aggregator_spark.Aggregator)


def rows(**options):
    reader = spark.read.format("aggregator").options(command=str(command), partitions="8", **options)
    return reader.schema("id string, name string, score double, tags string").load("rows")


def counted(work):
    """What comes of the work, how many rows the service gave for it, and how many of them Spark got."""
    before = state["served"], log.read_text().count('{"item"')
    result = work()
    return result, state["served"] - before[0], log.read_text().count('{"item"') - before[1]


all_rows = rows()
started = time.time()
print("partitions", all_rows.rdd.getNumPartitions())
print("count", all_rows.count(), "distinct", all_rows.select("id").distinct().count(), "sum", all_rows.selectExpr("sum(score)").first()[0])
all_rows.write.mode("overwrite").parquet(str(home / "rows.parquet"))
print("parquet", spark.read.parquet(str(home / "rows.parquet")).count())
print("default schema", spark.read.format("aggregator").options(command=str(command)).load("rows").schema.simpleString())
print("where", counted(lambda: [tuple(row) for row in all_rows.where("name = 'n77'").collect()]))
print("search", counted(lambda: rows(search="n77").count()))
state["grows at"] = 4950
try:
    print("wrong:", rows().count())
except Exception as error:
    print("refused:", next(text for text in str(error).splitlines() if text.strip().startswith("RuntimeError")))
print(f"{time.time() - started:.0f} s, Spark {spark.version}")
spark.stop()
