"""Debian's Chromium, with what its pages ask for and say, for Scripts/test-page."""

import contextlib
import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit

from serving import check

CHROMIUM = shutil.which("chromium")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# Every place at which Tab may stop. An empty heading of a form, or a link in a closed menu, has no box.
STOPS = "a[href], button, input:not([type=hidden]), select, summary, textarea, [tabindex='0']"
# What has the focus: its number among the stops, what it is, and whether all of it can be seen.
FOCUS = """stops => {
  const it = document.activeElement;
  if (!it || it === document.body || it === document.documentElement) return null;
  const box = it.getBoundingClientRect(), bar = document.querySelector('.bar');
  const top = bar && !bar.contains(it) && getComputedStyle(it).position !== 'fixed' ? bar.getBoundingClientRect().bottom : 0;
  const isLarge = box.height > innerHeight - top;
  const inSight = box.width > 1 && box.height > 1 && (isLarge || box.top >= top - 1 && box.bottom <= innerHeight + 1) && box.left >= -1 && box.right <= innerWidth + 1;
  const over = document.elementFromPoint(box.left + box.width / 2, Math.min(Math.max(box.top, top) + 3, innerHeight - 3));
  const isCovered = !isLarge && over && !it.contains(over) && !over.contains(it);
  return {
    number: [...document.querySelectorAll(stops)].filter(one => one.checkVisibility({visibilityProperty: true})).indexOf(it), inSight, isCovered,
    what: it.outerHTML.slice(0, 120), isDate: (it.type ?? '').startsWith('date'), box: [box.left, box.top, box.right, box.bottom].map(Math.round), top, isMarked: (it.type ?? '').startsWith('date') || getComputedStyle(it).outlineStyle !== 'none',
  };
}"""
LAST = "stops => [...document.querySelectorAll(stops)].filter(one => one.checkVisibility({visibilityProperty: true})).at(-1).focus()"
COUNT = "stops => [...document.querySelectorAll(stops)].filter(one => one.checkVisibility({visibilityProperty: true})).length"


class Browser:
    """A running Chromium. Its pages note the requests that leave their server, and what they say on the console."""

    def __init__(self, playwright, **more):
        # No name is looked up, so that nothing can leave this machine.
        arguments = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        self.program = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments, **more)
        self.playwright = playwright
        self.foreign, self.said, self.dialogs = [], [], []

    @contextlib.contextmanager
    def page(self, server, width=1280, height=900, scripts=True, **more):
        context = self.program.new_context(
            base_url=server.address, viewport={"width": width, "height": height}, java_script_enabled=scripts, reduced_motion="reduce", **more
        )
        page = context.new_page()
        page.set_default_timeout(5_000)
        page.asked = []
        page.on("request", lambda request: self.note(page, request, server.host))
        # A problem has a status of its own, which Chromium repeats on the console.
        page.on("console", lambda message: None if "the server responded with a status of" in message.text else self.said.append(f"{page.url}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"{page.url}: {error}"))
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        try:
            yield page
        finally:
            context.close()

    def note(self, page, request, host):
        page.asked.append(request)
        if urlsplit(request.url).netloc != host and not request.url.startswith(("data:", "blob:", "about:")):
            self.foreign.append(f"{page.url}: {request.url}")

    def judge(self, what):
        """Checks what the pages asked for and said since the last time."""
        check(not self.foreign, f"{what}: no request leaves the server", *self.foreign[:5])
        check(not self.said, f"{what}: the console is silent", *self.said[:5])
        check(not self.dialogs, f"{what}: no dialog opens", *self.dialogs[:5])
        self.foreign, self.said, self.dialogs = [], [], []


def axe(page, rules=None, within="html"):
    """What axe finds on the page: violations, and what it cannot tell. `rules` are those that are asked; None: all of the tags."""
    from axe_playwright_python.sync_playwright import Axe

    if not page.evaluate("!!window.axe"):
        page.evaluate(Axe().axe_script)
    which = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": TAGS}
    return page.evaluate(JUDGING, [within, which])


# Cells that a table has scrolled away lie behind its edge, and axe cannot tell which colour is behind them. It is that of the cells in sight.
JUDGING = """async ([place, which]) => {
  const found = await axe.run(place, {runOnly: which, resultTypes: ["violations", "incomplete"]});
  const isExcused = (rule, node) => rule.id === "color-contrast" && document.querySelector(node.target[0])?.closest(".scroll td, .scroll th");
  const told = (kind, rule, nodes) => nodes.slice(0, 2).map(node => `${kind} ${rule.id} (${nodes.length}): ${node.html.slice(0, 160)} ${node.failureSummary.slice(0, 300)}`);
  return [
    ...found.violations.flatMap(rule => told("violation", rule, rule.nodes)),
    ...found.incomplete.flatMap(rule => told("unsure", rule, rule.nodes.filter(node => !isExcused(rule, node)))),
  ];
}"""


def width(page):
    """How wide the page wants to be, and what sticks out of it."""
    return page.evaluate(
        """() => [document.documentElement.scrollWidth, [...document.querySelectorAll('main *, header *, footer *')]
           .filter(one => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('.scroll'))
           .slice(0, 3).map(one => one.outerHTML.slice(0, 150))]"""
    )


def inner_scrolls(page):
    """Elements that scroll sideways inside of the page, but for tables and fields."""
    return page.evaluate(
        """() => [...document.querySelectorAll('body *')].filter(one => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1
             && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX) && !one.querySelector(':scope > table') && !one.matches('input, select'))
           .map(one => one.outerHTML.slice(0, 150))"""
    )


def walk(page, key="Tab", most=400):
    """Presses the key until the focus leaves the page, from its beginning, or with Shift+Tab from its end. Returns what had the focus, in order, and
    how many stops the page has."""
    page.evaluate("document.activeElement.blur()")
    stops = []
    if key != "Tab":
        page.evaluate(LAST, STOPS)
        stops.append(page.evaluate(FOCUS, STOPS))
    while len(stops) < most:
        page.keyboard.press(key)
        now = page.evaluate(FOCUS, STOPS)
        if now is None or stops and now["number"] == stops[0]["number"]:
            break
        # A date is a field of several stops, which Chromium marks itself.
        if not (stops and now["isDate"] and now["number"] == stops[-1]["number"]):
            stops.append(now)
    return stops, page.evaluate(COUNT, STOPS)


def snapshot(page, replacing):
    """What a screen reader is told of the page's content. `replacing`: patterns of what is another at each run, with what stands for it."""
    text = "\n".join(shortened(page.locator("main").aria_snapshot().split("\n")))
    for pattern, placeholder in replacing:
        text = re.sub(pattern, placeholder, text)
    return text + "\n"


def shortened(lines, most=5):
    """The lines of a snapshot without those of further records: of many rows and items that follow each other, the first few stay."""
    found, counts = [], {}
    for line in lines:
        depth, role = len(line) - len(line.lstrip()), line.strip(" -").split(" ")[0].rstrip(":")
        for deeper in [one for one in counts if one > depth]:
            del counts[deeper]
        if all(count <= most or one == depth for one, (_, count) in counts.items()):
            same = counts.get(depth, (role, 0))[0] == role
            counts[depth] = (role, counts.get(depth, (role, 0))[1] + 1 if same else 1)
            if role not in ("row", "listitem", "option") or counts[depth][1] <= most:
                found.append(line)
            elif counts[depth][1] == most + 1:
                found.append(f"{' ' * depth}# further: {role}")
    return found


class Golden:
    """Files with what a view should be. AGGREGATOR_REWRITE=1 writes them."""

    def __init__(self, folder, rewrites):
        self.folder, self.rewrites, self.known = Path(folder), rewrites, set()
        if rewrites:
            self.folder.mkdir(parents=True, exist_ok=True)

    def check(self, name, text):
        path = self.folder / f"{name}.yaml"
        self.known.add(path.name)
        if self.rewrites:
            path.write_text(text)
        due = path.read_text() if path.exists() else ""
        check(text == due, f"{name}: a screen reader is told what {path.name} says", *differences(due, text))

    def judge_files(self):
        unknown = {path.name for path in self.folder.glob("*.yaml")} - self.known
        check(not unknown, "every golden file is of a view", unknown)


def differences(one, other):
    import difflib

    return ["\n    ".join(difflib.unified_diff(one.splitlines(), other.splitlines(), "golden", "found", lineterm="", n=1))]
