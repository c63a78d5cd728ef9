# Draws lines of a terminal, with their escape sequences for styles, as an SVG.
import html, re, unicodedata

COLUMN, LINE, MARGIN = 8.4, 20, 16
COLORS = {31: "#c4302b", 32: "#2e7d32", 33: "#9a6700", 34: "#1f5fbf", 35: "#8e3a9d", 36: "#0b7285"}
SHEET = (
    "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#24292f;white-space:pre}"
    ".b{font-weight:bold}.d{fill:#6e7781}rect{fill:#f6f8fa}rect.r{fill:#24292f}.r{fill:#f6f8fa}.r.d{opacity:.8}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.d{fill:#8d96a0}rect{fill:#161b22}rect.r{fill:#e6edf3}.r{fill:#161b22}}"
)


class Look:
    """The style of a piece of a line."""

    def __init__(self, bold=False, dim=False, reversed=False, color=None):
        self.bold, self.dim, self.reversed, self.color = bold, dim, reversed, color

    def after(self, codes):
        """Returns the look after an escape sequence with these numbers."""
        look = Look(self.bold, self.dim, self.reversed, self.color)
        for code in codes:
            if code == 0: look = Look()
            elif code == 1: look.bold = True
            elif code == 2: look.dim = True
            elif code == 7: look.reversed = True
            elif code == 22: look.bold = look.dim = False
            elif code == 27: look.reversed = False
            elif code == 39: look.color = None
            elif code in COLORS: look.color = COLORS[code]
        return look

    @property
    def attributes(self):
        names = [name for name, holds in (("b", self.bold), ("d", self.dim), ("r", self.reversed)) if holds]
        fill = f' style="fill:{self.color}"' if self.color and not self.reversed else ""
        return (f' class="{" ".join(names)}"' if names else "") + fill


def pieces(line, look=None):
    """Returns the pieces of a line, each with its look, and the look at the end of the line."""
    look, found = look or Look(), []
    line = re.sub(r"\x1b\]8;;[^\x1b]*\x1b\\", "", line)
    for part in re.split(r"(\x1b\[[0-9;]*[A-Za-z]|\r)", line):
        style = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if style:
            look = look.after([int(code or 0) for code in style.group(1).split(";")])
        elif part and not part.startswith("\x1b") and part != "\r":
            found.append((part, look))
    return found, look


def wrapped(pieces, columns):
    """Returns the pieces in rows that are as wide as the terminal."""
    rows, room = [[]], columns
    for text, look in pieces:
        while len(text) > room:
            rows[-1].append((text[:room], look))
            text, room = text[room:], columns
            rows.append([])
        if text:
            rows[-1].append((text, look))
            room -= len(text)
    return rows


def width(text):
    return sum(0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def drawn(rows, columns, label):
    """Returns the picture. Each piece begins at its column, in any font."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * COLUMN + 2 * MARGIN:.0f}" height="{len(rows) * LINE + 2 * MARGIN}"'
        f' role="img" aria-label="{html.escape(label)}">',
        f"<style>{SHEET}</style>",
        '<rect width="100%" height="100%" rx="8"/>',
    ]
    for number, row in enumerate(rows):
        column, parts = 0, []
        for text, look in row:
            place = f"{MARGIN + column * COLUMN:g}"
            if look.reversed:
                fill = f' style="fill:{look.color}"' if look.color else ""
                lines.append(f'<rect class="r" x="{place}" y="{number * LINE + MARGIN}" width="{width(text) * COLUMN:g}" height="{LINE}"{fill}/>')
            if text.strip():
                parts.append(f'<tspan x="{place}"{look.attributes}>{html.escape(text)}</tspan>')
            column += width(text)
        lines.append(f'<text y="{number * LINE + 30}" xml:space="preserve">{"".join(parts)}</text>')
    return "\n".join(lines + ["</svg>", ""])
