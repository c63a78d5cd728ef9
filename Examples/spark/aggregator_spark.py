"""A Spark data source over two verbs of aggregator, `partitions` and `read`: README.md tells how to use it."""

import json
import shlex
import subprocess
import tempfile

from pyspark.sql.datasource import DataSource, DataSourceReader, EqualTo, InputPartition
from pyspark.sql.types import StringType, StructType


def line(options, verb, *words):
    search = ["--search", options["search"]] if options.get("search") else []
    more = shlex.split(options.get("arguments", ""))
    return [options.get("command", "aggregator"), options["path"], verb, "--quiet", *search, *more, *words]


def printed(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout.splitlines()


class Aggregator(DataSource):
    @classmethod
    def name(cls):
        return "aggregator"

    def schema(self):
        # Every field as text, for whoever gives no schema.
        fields = printed(line(self.options, "read", "--fields"))
        return ", ".join(f"`{name}` string" for name in dict.fromkeys(field.split("\t")[0].split(".")[0] for field in fields))

    def reader(self, schema):
        return Reader(dict(self.options), schema)


class Reader(DataSourceReader):
    def __init__(self, options, schema):
        self.options, self.schema, self.where = options, schema, []

    def pushFilters(self, filters):
        for each in filters:
            if isinstance(each, EqualTo) and len(each.attribute) == 1 and is_plain(each.value):
                self.where += ["--where", f"{each.attribute[0]}={each.value}"]
            # Spark compares again: the command disregards case, and so gives all that Spark wants, and perhaps more.
            yield each

    def partitions(self):
        count = self.options.get("partitions", "8")
        return [InputPartition(text) for text in printed(line(self.options, "partitions", "--count", count))]

    def read(self, partition):
        command = line(self.options, "read", "--format", "framed", "--partition", partition.value, *self.where)
        rows, end = 0, None
        with tempfile.TemporaryFile() as errors, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors) as process:
            for text in process.stdout:
                frame = json.loads(text)
                end = frame.get("end")
                if "item" in frame:
                    rows += 1
                    yield tuple(value(frame["item"].get(field.name), field.dataType) for field in self.schema)
            code = process.wait()
            errors.seek(0)
            reason = (end or {}).get("verdict", {}).get("reason") or errors.read().decode(errors="replace").strip()
        # Without its last line it is not everything, however it ended.
        if code or not end or end["rows"] != rows:
            raise RuntimeError(f"{self.options['path']}: {reason or 'the output was cut short'} (exit {code})")


def is_plain(value):
    # A list is a JSON text here, and a sign in a value begins another condition.
    if isinstance(value, str):
        return value != "" and value[0] not in "[{" and not set(value) & set("=!~<>")
    return isinstance(value, int) and not isinstance(value, bool)


def value(value, kind):
    if value is None or isinstance(value, str) or not isinstance(kind, StringType):
        return value
    return json.dumps(value, ensure_ascii=False)
