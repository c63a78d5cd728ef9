#!/usr/bin/env python3
"""Writes the tables that Sources/Core/Text reads, and the digests that its tests compare with.

    python3 Scripts/make-text-tables.py

The tables follow the Unicode version of the Python that runs this (3.11: Unicode 14.0) and name it. They are in C because
constant arrays in C cost nothing at start and compile at once. The digests are computed from whole texts by the rules,
not from the tables.
"""

import html.entities
import pathlib
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = ROOT / "Sources/C/CText"
DIGESTS = ROOT / "Tests/Support/TextDigests/TextDigests.swift"
SCALARS = [n for n in range(0x110000) if not 0xD800 <= n <= 0xDFFF]

# Letters without a decomposition, and apostrophes. Dashes are added below.
LETTERS = {
    "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th", "ð": "d", "ħ": "h", "ŧ": "t",
    "ŋ": "n", "ĸ": "k", "ʻ": "'", "ʼ": "'", "‘": "'", "’": "'", "‛": "'", "`": "'",
}
for n in SCALARS:
    if unicodedata.category(chr(n)) == "Pd" and not unicodedata.decomposition(chr(n)):
        LETTERS[chr(n)] = "-"
LETTERS["−"] = "-"

# Invisible format characters: a soft hyphen or a joiner inside a word must not hide the word from a search.
UNSEEN = {0xAD, 0x61C, 0x180E, 0xFEFF} | set(range(0x200B, 0x2010)) | set(range(0x202A, 0x202F)) | set(range(0x2060, 0x2070)) \
    | set(range(0xE0000, 0xE1000))


def is_dropped(c):
    # A spacing mark with a combining class is dropped too, because a normal form may move it.
    return unicodedata.category(c) in ("Mn", "Me") or unicodedata.combining(c) != 0 or ord(c) in UNSEEN


def fold(text):
    """Folds a whole text by the rule. It repeats the rule until nothing changes."""
    while True:
        folded = unicodedata.normalize("NFKD", text)
        folded = "".join(c for c in folded if not is_dropped(c)).casefold()
        folded = "".join(LETTERS.get(c, c) for c in folded)
        if folded == text:
            return text
        text = folded


# Format characters that take one column: the soft hyphen, and signs that enclose the digits after them.
VISIBLE_FORMATS = {0xAD, *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
# Ranges in which unassigned scalars are wide: those of ideographs (as EastAsianWidth.txt says) and of new emoji.
WIDE_WHEN_UNASSIGNED = [(0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x1F6D0, 0x1F6EF), (0x1FA70, 0x1FAFF),
                        (0x20000, 0x2FFFD), (0x30000, 0x3FFFD)]


def width(n):
    c = chr(n)
    category = unicodedata.category(c)
    if category in ("Mn", "Me", "Cc", "Cs", "Zl", "Zp") or 0x1160 <= n <= 0x11FF or 0xD7B0 <= n <= 0xD7FF:
        return 0
    if category == "Cf" and n not in VISIBLE_FORMATS:
        return 0
    if category == "Cn":
        return 2 if any(low <= n <= high for low, high in WIDE_WHEN_UNASSIGNED) else 1
    return 2 if unicodedata.east_asian_width(c) in ("W", "F") else 1


def array(kind, name, values):
    lines, line = [], ""
    for value in values:
        item = f"{value},"
        if len(line) + len(item) > 138:
            lines.append(line)
            line = ""
        line += item
    lines.append(line)
    body = "\n  ".join(lines)
    return f"const {kind} {name}[{len(values)}] = {{\n  {body}\n}};\n"


def paged(kind, name, cells):
    """Returns a table in pages of 128 cells. Equal pages are written once."""
    pages, seen, kept = [], {}, []
    for start in range(0, 0x110000, 128):
        page = tuple(cells[start:start + 128])
        if page not in seen:
            seen[page] = len(seen)
            kept.extend(page)
        pages.append(seen[page])
    assert len(seen) <= 256, "pages are numbered in one byte"
    return array("uint8_t", f"{name}_pages", pages) + "\n" + array(kind, f"{name}_cells", kept)


def write_table(name, text):
    note = f"// Unicode {unicodedata.unidata_version}. Written by Scripts/make-text-tables.py: change that, not this.\n"
    (TABLES / name).write_text(note + '#include "CText.h"\n\n' + text)


def fold_table():
    cells, offsets, pool = [0] * 0x110000, {}, [0]
    for n in SCALARS:
        folded = fold(chr(n)).encode()
        # Core takes Hangul syllables apart by arithmetic.
        if folded == chr(n).encode() or 0xAC00 <= n <= 0xD7A3:
            continue
        if folded not in offsets:
            offsets[folded] = len(pool)
            pool += [len(folded), *folded]
        cells[n] = offsets[folded]
    assert len(pool) <= 0x10000, "offsets are two bytes"
    longest = max(map(len, offsets))
    assert longest <= 40, f"Fold.swift leaves room for 40 bytes, not {longest}"
    return paged("uint16_t", "text_fold", cells) + "\n" + array("uint8_t", "text_fold_pool", pool)


def form_table():
    """Returns two tables: the canonical decomposition of a scalar into two (or one: then the second is 0), and the composition of two."""
    apart = []
    for n in SCALARS:
        parts = unicodedata.decomposition(chr(n))
        # Core takes Hangul syllables apart and puts them together by arithmetic.
        if parts and not parts.startswith("<"):
            first, second = (*(int(part, 16) for part in parts.split()), 0)[:2]
            apart.append((n, first, second))
    together = sorted((first, second, n) for n, first, second in apart if unicodedata.normalize("NFC", chr(n)) == chr(n) and second)

    def table(name, rows):
        return f"const uint32_t {name}_count = {len(rows)};\n\n" + array("uint32_t", name, [value for row in rows for value in row])

    return table("text_apart", apart) + "\n" + table("text_together", together)


def entity_table():
    """Returns the names of HTML entities in the order of their bytes, each followed by its text."""
    names = sorted((name[:-1].encode(), value.encode()) for name, value in html.entities.html5.items() if name.endswith(";"))
    starts, pool = [], []
    for name, value in names:
        starts.append(len(pool))
        # The flag says that the name is also valid without its semicolon.
        bare = 1 if name.decode() in html.entities.html5 else 0
        pool += [len(name), len(value), bare, *name, *value]
    assert len(pool) <= 0x10000, "starts are two bytes"
    return f"const uint32_t text_entity_count = {len(starts)};\n\n" + array("uint16_t", "text_entity_starts", starts) + "\n" \
        + array("uint8_t", "text_entity_pool", pool)


def digest(data, seed=0xCBF29CE484222325):
    """Returns the FNV-1a digest in 64 bits."""
    for byte in data:
        seed = ((seed ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return seed


def blocks(of):
    """Returns a digest for each 4,096 scalars of the planes 0 to 3, and one for the first block of plane 14, which has the tags."""
    result = []
    for start in [*range(0, 0x40000, 0x1000), 0xE0000]:
        result.append(digest(b"".join(of(n) for n in range(start, start + 0x1000) if not 0xD800 <= n <= 0xDFFF)))
    return result


def chance(seed):
    """Yields the numbers of SplitMix64, as the project's SeededDice does."""
    mask = 0xFFFFFFFFFFFFFFFF
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        bits = seed
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & mask
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & mask
        yield bits ^ (bits >> 31)


def random_texts():
    """Yields the same texts as `TextDigests.randomTexts` in the tests."""
    rolls = chance(7)
    spans = [0x80, 0x250, 0x3000, 0xD7FF, 0x1F000]
    for _ in range(4000):
        length = next(rolls) % 24
        text = ""
        for _ in range(length):
            span = spans[next(rolls) % len(spans)]
            text += chr(next(rolls) % span if span != 0x1F000 else 0x1D000 + next(rolls) % 0x2C00)
        yield text


def write_digests():
    texts = list(random_texts())
    for text in texts:
        forms = {fold(unicodedata.normalize(form, text)) for form in ("NFC", "NFD", "NFKC", "NFKD")}
        assert forms == {fold(text)}, "the rule must not depend on the normal form"
        assert "".join(map(fold, text)) == fold(text), "the rule must work scalar by scalar"

    def listed(values):
        rows = [", ".join(f"0x{value:016X}" for value in values[i:i + 6]) for i in range(0, len(values), 6)]
        return "[\n    " + ",\n    ".join(rows) + ",\n  ]"

    folds = blocks(lambda n: fold(chr(n)).encode() + b"\n")
    widths = blocks(lambda n: bytes([width(n)]))

    def composed(text):
        return unicodedata.normalize("NFC", text)

    def marked(n):
        # Each scalar is followed by a mark and a jamo, because many scalars compose with these. A scalar that this Python does not know is
        # left out, because a newer Unicode may know it.
        if unicodedata.category(chr(n)) == "Cn":
            return b""
        return composed(unicodedata.normalize("NFD", chr(n)) + "\u0301\u11a8").encode() + b"\n"

    compositions = blocks(marked)
    DIGESTS.write_text(f"""// Unicode {unicodedata.unidata_version}. Written by Scripts/make-text-tables.py: change that, not this.

/// FNV-1a digests of what Python's unicodedata says, one for each block of 4,096 scalars.
package enum TextDigests {{
  package static let folds: [UInt64] = {listed(folds)}

  package static let widths: [UInt64] = {listed(widths)}

  package static let randomFolds: UInt64 = 0x{digest(b"".join(fold(t).encode() + bytes([255]) for t in texts)):016X}

  package static let compositions: [UInt64] = {listed(compositions)}

  package static let randomCompositions: UInt64 = 0x{digest(b"".join(composed(t).encode() + bytes([255]) for t in texts)):016X}
}}
""")


write_table("fold.c", fold_table())
write_table("width.c", paged("uint8_t", "text_width", [0 if 0xD800 <= n <= 0xDFFF else width(n) for n in range(0x110000)]))
write_table("forms.c", form_table())
write_table("entities.c", entity_table())
write_digests()
