"""The library of failing-calls.c, a home with a store, and a list on a stand-in service, for Scripts/test-failing-calls and Scripts/chaos."""

import errno
import json
import mmap
import os
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile
import threading
from pathlib import Path

import stand_ins

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = Path(os.environ.get("AGGREGATOR_BINARY", ROOT / ".build/release/aggregator")).resolve()
PAGE = 20
# A process that takes longer than its --timeout and this has not ended by itself.
TIMEOUT, GRACE = 10, 15

# The errors of each kind of call, in the order of the library. SHORT is half of the bytes; a + makes all later calls fail too.
KINDS = {
    "open": ["EMFILE", "EIO", "EINTR", "ENOSPC", "EMFILE+"],
    "read": ["EIO", "EINTR", "SHORT"],
    "pread": ["EIO", "EINTR", "SHORT", "EIO+"],
    "write": ["ENOSPC", "EIO", "EINTR", "SHORT", "ENOSPC+"],
    "pwrite": ["ENOSPC", "EIO", "EINTR", "SHORT", "ENOSPC+"],
    "fsync": ["EIO", "ENOSPC", "EIO+"],
    "rename": ["EIO", "ENOSPC"],
    "unlink": ["EIO"],
    "mkdir": ["ENOSPC", "EACCES"],
    "ftruncate": ["EIO", "ENOSPC"],
    "stat": ["EIO"],
    "mmap": ["ENOMEM"],
    "lock": ["ENOLCK", "EIO"],
    "socket": ["EMFILE", "ENOBUFS"],
    "connect": ["ECONNREFUSED", "ENETUNREACH", "EINTR"],
    "accept": ["ECONNABORTED", "EMFILE", "EINTR"],
    "send": ["ECONNRESET", "EPIPE", "EINTR", "SHORT"],
    "recv": ["ECONNRESET", "EINTR", "SHORT"],
    "poll": ["EINTR", "ENOMEM"],
    "descriptor": ["EMFILE"],
    "malloc": ["ENOMEM", "ENOMEM+"],
}
NUMBERS = {kind: number for number, kind in enumerate(KINDS, 1)}


class Tally:
    """The counts of passed and failed checks. A failed check is printed, and the script continues."""

    def __init__(self):
        self.passed, self.failed = 0, 0

    def check(self, holds, what, *details):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"✘ {what}", *(str(detail)[:1_000].rstrip() for detail in details), sep="\n    ", flush=True)
        return holds

    def conclude(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def scratch(name):
    """Returns a new folder, in memory where the machine has such a place."""
    place = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix=f"{name}.", dir=place if os.access(place, os.W_OK) else None)).resolve()


class Shim:
    """The library that makes calls fail, and the file by which it is told which. The numbers are those of failing-calls.c."""

    def __init__(self, folder):
        self.library, self.place = folder / "failing-calls.so", folder / "failing-calls"
        compiler = next((name for name in (os.environ.get("CC"), "cc", "clang", "gcc") if name and shutil.which(name)), None)
        if not compiler:
            raise SystemExit("a C compiler is needed")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", self.library, ROOT / "Scripts/lib/failing-calls.c", "-ldl"], check=True)
        self.place.write_bytes(bytes(4096))
        with open(self.place, "r+b") as file:
            self.numbers = mmap.mmap(file.fileno(), 4096)
        self.environment = {"LD_PRELOAD": str(self.library), "FAILING_CALLS": str(self.place)}
        self[5], self[6] = sqlite_memory()

    def __getitem__(self, place):
        return struct.unpack_from("<q", self.numbers, 8 * place)[0]

    def __setitem__(self, place, value):
        struct.pack_into("<q", self.numbers, 8 * place, value)

    def arm(self, kind=None, number=0, error="EIO"):
        """Begins to count. The call of this kind and number fails."""
        self[7] = 0
        for place in [*range(32, 64), *range(10, 26), 8]:
            self[place] = 0
        self[9] = -1
        self[0], self[1], self[3] = NUMBERS.get(kind, 0), number, int(error.endswith("+"))
        self[2] = 0 if error == "SHORT" else getattr(errno, error.rstrip("+"))
        self[7] = 1

    def disarm(self):
        self[7] = 0

    @property
    def counts(self):
        return {kind: self[32 + number] for kind, number in NUMBERS.items() if self[32 + number]}

    @property
    def has_failed(self):
        return self[8] > 0

    @property
    def descriptor(self):
        """The descriptor of the last call that failed, or -1."""
        return self[9]

    def ahead(self, seconds):
        """Moves the clock of the processes, also of those that run."""
        self[4] = seconds


def sqlite_memory():
    """Returns the addresses between which SQLite calls malloc in a command that has it linked in, or 0 and 0."""
    if not shutil.which("nm"):
        return 0, 0
    lines = subprocess.run(["nm", "-n", BINARY], capture_output=True, text=True).stdout.splitlines()
    for at, line in enumerate(lines):
        if line.endswith(" sqlite3MemRealloc") and lines[at + 1].endswith(" sqlite3MemMalloc"):
            return int(line.split()[0], 16), int(lines[at + 2].split()[0], 16)
    return 0, 0


def ship(i, edit=""):
    return {"id": i, "name": f"Ship {i}{edit}", "length": 5 + i % 40}


def manifest(address):
    return {
        "aggregator": 1,
        "address": {"setting": "SHIPS_URL", "default": f"{address}/table/"},
        "budget": "unlimited",
        "sources": {
            "ships": {
                "summary": "The ships of a port",
                "list": {"path": "ships", "query": {"offset": "{offset}", "limit": "{size}"}},
                "rows": "rows",
                "key": "id",
                "paging": {"by": "offset", "size": PAGE, "total": "total", "end": "total"},
                "fields": [
                    {"name": "id", "type": "integer"},
                    {"name": "name", "role": "title", "searchable": True},
                    {"name": "length", "type": "integer"},
                ],
            }
        },
    }


class Services(stand_ins.Services):
    """The stand-in services, with a list of ships."""

    def __init__(self, ships=()):
        super().__init__()
        self.tables["ships"] = list(ships)

    @property
    def ships(self):
        return self.tables["ships"]

    @ships.setter
    def ships(self, rows):
        self.tables["ships"] = list(rows)


class Run:
    """What a process printed, and how it ended: its exit code, the negative number of a signal, or None if it did not end by itself."""

    def __init__(self, words, code, output, errors):
        self.words, self.code, self.output, self.errors = words, code, output, errors

    @property
    def json(self):
        try:
            return json.loads(self.output)
        except ValueError:
            return None

    @property
    def rows(self):
        """The whole lines of ndjson."""
        return [json.loads(line) for line in self.output.splitlines(keepends=True) if line.endswith("\n")]

    @property
    def verdict(self):
        found = self.json
        return found["verdict"]["kind"] if isinstance(found, dict) and "verdict" in found else None

    def __str__(self):
        return f"aggregator {' '.join(map(str, self.words))}\n    exit {self.code}\n    {self.output[-400:].strip()}\n    {self.errors[-500:].strip()}"


class Home:
    """A home folder with the manifest of the ships. Its store is a file in it."""

    def __init__(self, folder, services):
        self.folder, self.services = Path(folder), services
        self.store = self.folder / ".local/share/aggregator/store.db"
        self.environment = {
            "HOME": str(self.folder), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "NO_COLOR": "1",
            "AGGREGATOR_SOURCES": str(self.folder / "sources"), **services.settings,
        }  # fmt: skip

    @classmethod
    def make(cls, folder, services):
        home = cls(folder, services)
        (home.folder / "sources").mkdir(parents=True)
        (home.folder / "sources/ships.json").write_text(json.dumps(manifest(services.address)))
        return home

    def copy(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.folder, folder, symlinks=True)
        return Home(folder, self.services)

    def start(self, *words, **more):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.folder} | more
        options["env"] = self.environment | options.get("env", {})
        return subprocess.Popen([BINARY, *map(str, words)], **options)

    def run(self, *words, **more):
        """Runs the command. `env` has further variables."""
        words = [*words, "--timeout", str(TIMEOUT)]
        return finish(self.start(*words, **more), words)

    def ships(self):
        """What is stored of the ships, as the command tells it."""
        return self.run("ships", "list", "--all", "--offline", "--format", "json")

    def look(self):
        """Reads a copy of the store without the command. Returns what is wrong with it ("ok" if it is sound) and the rows of a source by id."""
        if not self.store.exists():
            return "ok", {}
        with tempfile.TemporaryDirectory(dir=self.folder.parent) as folder:
            for ending in ("", "-wal"):
                if (file := Path(f"{self.store}{ending}")).exists():
                    shutil.copy(file, Path(folder) / f"store.db{ending}")
            store = sqlite3.connect(Path(folder) / "store.db")
            try:
                says = store.execute("PRAGMA integrity_check").fetchone()[0]
                tables = {name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE name LIKE '%_record'")}
                rows = store.execute("SELECT id, body FROM ships_record WHERE gone IS NULL").fetchall() if "ships_record" in tables else []
                return says, {int(identity): json.loads(body) for identity, body in rows}
            except sqlite3.DatabaseError as error:
                return str(error), {}
            finally:
                store.close()


def finish(process, words, within=TIMEOUT + GRACE):
    try:
        output, errors = process.communicate(timeout=within)
        code = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        code = None
    return Run(words, code, (output or b"").decode(errors="replace"), (errors or b"").decode(errors="replace"))


class Server:
    """A running `aggregator serve`. It ends with `end`."""

    def __init__(self, home, *words, **more):
        self.process = home.start("serve", "--port", "0", *words, stdout=subprocess.DEVNULL, **more)
        self.said, begun = [], threading.Event()

        def listen():
            for line in self.process.stderr:
                self.said.append(line.decode(errors="replace"))
                if "serving at " in self.said[-1]:
                    begun.set()
            begun.set()

        self.listener = threading.Thread(target=listen, daemon=True)
        self.listener.start()
        begun.wait(20)
        found = re.search(r"serving at http://127\.0\.0\.1:(\d+)", "".join(self.said))
        self.port = int(found[1]) if found else 0

    @property
    def runs(self):
        return self.process.poll() is None

    def end(self):
        """Asks the server to end, and returns its exit code; None if it had to be killed."""
        if self.runs:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = None
        self.listener.join(5)
        self.process.stderr.close()
        return code
