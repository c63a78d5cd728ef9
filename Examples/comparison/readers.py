"""The four readers: each starts a process, and reads the rows and the messages that it prints."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MOST_REQUESTS, MOST_SECONDS = 500, 300


@dataclass
class Run:
    """The rows and the messages that a process printed, and its exit code. The code is None if the process was stopped."""

    code: int | None
    rows: list
    said: list  # pairs of a level, warning or error, and a text
    count: int | None = None  # the number of rows that came, if it is not the number of printed ones


class Peer:
    """A reader that is a script beside this one."""

    def __init__(self, name, script):
        self.name, self.script = name, script

    def read(self, way, address, folder, requests):
        done = Process([sys.executable, "-B", str(HERE / self.script), way, address, str(folder)], folder, requests)
        rows, said = [], []
        for message in done.messages():
            match message.get("type"):
                case None:
                    rows.append(message)
                case "RECORD":
                    rows += [message["record"].get("data", message["record"])] if message.get("stream") != "posts" else []
                case "STATE":
                    # The program that runs a tap or a connector stores its last state for the next run.
                    state = message["value"] if "value" in message else [message["state"]]
                    (folder / "state.json").write_text(json.dumps(state))
                case "LOG" if message["log"]["level"] in ("WARN", "ERROR", "FATAL"):
                    said.append(("warning" if message["log"]["level"] == "WARN" else "error", message["log"]["message"]))
                case "TRACE" if message["trace"]["type"] == "ERROR":
                    said.append(("error", message["trace"]["error"]["message"]))
        for level, text in re.findall(r"\b(WARNING|ERROR|CRITICAL)\b(.*)$", done.errors, re.M):
            said.append(("warning" if level == "WARNING" else "error", text.split("|")[-1]))
        if done.code and "Traceback (most recent call last)" in done.errors:
            said.append(("error", done.errors.strip().splitlines()[-1]))
        return Run(done.code, rows, said)


class Ours:
    """Our own command with our manifest. It prints a list that is read once, and syncs a list that is read twice."""

    name = "aggregator"
    binary = str(Path(os.environ.get("AGGREGATOR_BINARY", ROOT / "aggregator")).resolve())

    def read(self, way, address, folder, requests):
        return self.run([way, "list", "--all", "--require", "complete", "--format", "ndjson"], address, folder, requests)

    def sync(self, way, address, folder, requests):
        run = self.run([way, "sync", "--require", "complete,same-shape", "--format", "json"], address, folder, requests)
        report = run.rows[0]
        run.count = report["received"]
        # The reason of a verdict is in the report alone.
        if run.code and not run.said:
            run.said = [("error", report["verdict"]["reason"])]
        run.rows = self.run([way, "list", "--all", "--offline", "--format", "ndjson"], address, folder, requests).rows
        return run

    def run(self, words, address, folder, requests):
        done = Process([self.binary, *words, "--sources", str(HERE / "ours")], folder, requests, HAZARDS_URL=address)
        level = "error" if done.code else "warning"
        lines = [line.removeprefix("aggregator: ").removeprefix(f"{words[0]}: ") for line in done.errors.splitlines()]
        # Some lines repeat what was required, or say what to type. Only the lines that say what happened count.
        said = [(level, line) for line in lines if not line.endswith("(--require)") and not line.startswith("type '")]
        return Run(done.code, list(done.messages()), said)


class Process:
    """A process with a home of its own. It is stopped if it sends too many requests or takes too long."""

    def __init__(self, command, folder, requests, **settings):
        environment = {
            "HOME": str(folder), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "no_proxy": "*",
            "DO_NOT_TRACK": "1", "RUNTIME__DLTHUB_TELEMETRY": "false", **settings,
        }
        before, begun = len(requests), time.monotonic()
        with open(folder / "out", "w+") as self.out, open(folder / "err", "w+") as err:
            process = subprocess.Popen(command, env=environment, cwd=folder, stdout=self.out, stderr=err, start_new_session=True)
            while process.poll() is None and len(requests) - before < MOST_REQUESTS and time.monotonic() - begun < MOST_SECONDS:
                time.sleep(0.02)
            self.code = process.poll()
            if self.code is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.lines, self.errors = (folder / "out").read_text(), (folder / "err").read_text()

    def messages(self):
        """Yields the objects that the process printed, one on a line. A line that was cut is left out."""
        for line in self.lines.splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                pass


OURS = Ours()
READERS = [Peer("dlt", "read_dlt.py"), Peer("Singer SDK", "read_singer.py"), Peer("Airbyte CDK", "read_airbyte.py"), OURS]
