"""The tables of README.md: the results of each reader with each hazard, at a glance and in full, and where hazards were met."""

import re

from hazards import HAZARDS
from readers import MOST_REQUESTS, READERS

BEGIN, END = "<!-- made by compare: from here -->", "<!-- to here -->"
LONGEST = 110


class Row:
    """The results of one reader with one hazard."""

    def __init__(self, hazard, reader, met, run):
        self.hazard, self.reader, self.title = hazard, reader, type(met).__doc__
        self.ends, self.code, due = run.code is not None, run.code, met.due()
        given = [str(row.get(met.field)) for row in run.rows]
        self.due, self.got = len(due), len(due & set(given))
        self.count = len(given) if run.count is None else run.count
        self.level, self.text = said(run)
        self.remark = met.remark()

    @property
    def glance(self):
        """The cell of the first table. It is bold if the reader never ends, or gives too few rows without an error or a warning."""
        if not self.ends:
            return "**never ends**"
        if self.got < self.due and not self.level:
            return f"**{self.got}, silent**"
        if self.got < self.due or self.code:
            return f"{self.got}, {self.level}" + ("" if self.code else ", exit 0")
        return str(self.got)

    def __str__(self):
        """Returns the row of the second table."""
        said = (": ".join(filter(None, [self.level, self.text])) or "nothing") + self.remark
        cells = [self.got, self.count, said, self.code]
        if not self.ends:
            cells = ["–", "–", f"never ends (stopped after {MOST_REQUESTS} requests)", "–"]
        return " | ".join(map(str, [f"| {self.title}", self.reader, self.due, *cells])) + " |"


def said(run):
    """Returns the level and the text of one message: the last error, because it ended the run, or else the first warning."""
    errors = [text for level, text in run.said if level == "error"]
    warnings = [text for level, text in run.said if level == "warning"]
    if not errors and not warnings:
        return ("error", "") if run.code else ("", "")
    return ("error", short(errors[-1])) if errors else ("warning", short(warnings[0]))


def short(text):
    """Returns a message on one short line, without the parts that differ from run to run."""
    text = text.split("caused an exception: ")[-1]
    text = re.sub(r"https?://127\.0\.0\.1:\d+/[^/]*/[^/]*/", "ADDRESS/", " ".join(text.split()))
    text = re.sub(r"\d+\.\d+ seconds", "some seconds", text).replace("|", "\\|").replace("<", "&lt;")
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0] + " …"


def tables(glances, results):
    """Returns the tables of these cells, which are stored by title and reader, in the order of the hazards."""
    names, titles = [reader.name for reader in READERS], [hazard.__doc__ for hazard in HAZARDS.values()]
    lines = [f"| what happens | expected | {' | '.join(names)} |", "|---|---:|" + "---|" * len(names)]
    lines += [f"| {title} | {' | '.join(glances[title])} |" for title in titles if title in glances]
    lines += ["", "| what happens | reader | due | got | rows in all | said | exit code |", "|---|---|---:|---:|---:|---|---:|"]
    lines += [results[title, name] for title in titles for name in names if (title, name) in results]
    lines += ["", "| what happens | somebody met it in |", "|---|---|"]
    return "\n".join(lines + [f"| {hazard.__doc__} | {hazard.thread} |" for hazard in HAZARDS.values() if hazard.thread])


def replaced(text, rows):
    """Returns the text with these rows of all readers in place of the old ones of their hazards. The rows of other hazards stay."""
    before, made, after = text[: text.index(BEGIN)], text[text.index(BEGIN) : text.index(END)], text[text.index(END) :]
    names, glances, results = [reader.name for reader in READERS], {}, {}
    for line in made.split("\n"):
        cells = line.removeprefix("| ").removesuffix(" |").split(" | ")
        if len(cells) == 2 + len(names) and cells[1].isdigit():
            glances[cells[0]] = cells[1:]
        elif len(cells) > 2 and cells[1] in names:
            results[cells[0], cells[1]] = line
    for row in rows:
        glances.setdefault(row.title, [str(row.due)] + [""] * len(names))[1 + names.index(row.reader)] = row.glance
        results[row.title, row.reader] = str(row)
    return f"{before}{BEGIN}\n\n{tables(glances, results)}\n\n{after}"


def renewed(text, rows):
    """Returns the text with these new rows of the last reader in place of its old ones."""
    lines = text.split("\n")
    for row in rows:
        for number, line in enumerate(lines):
            if line.startswith(f"| {row.title} | {row.reader} |"):
                lines[number] = str(row)
            elif line.startswith(f"| {row.title} | {row.due} |"):
                lines[number] = f"{line.rsplit(' | ', 1)[0]} | {row.glance} |"
    return "\n".join(lines)


def differences(text, rows):
    """Yields a line for each row that the text does not have, or has otherwise."""
    new = renewed(text, rows)
    for old, now in zip(text.split("\n"), new.split("\n")):
        if old != now:
            yield f"✘ README.md says {old}\n       and it is {now}"
    for row in rows:
        if str(row) not in new:
            yield f"✘ README.md does not say {row}"
