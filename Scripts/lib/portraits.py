"""Small portraits of heroes, people and things, for Scripts/lib/stand_ins.py. Each is drawn of a few ellipses, in a few milliseconds, and is always the same."""

import colorsys
import random
import struct
import zlib

# The figures are drawn on a square of 160, and each of its points is two by two.
SIDE, SCALE = 160, 2


def png(colours, rows):
    """A picture of rows of indices into these colours."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)
    palette = b"".join(bytes(colour) for colour in colours)
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"PLTE", palette) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


class Canvas:
    """A square of one colour, on which ellipses are painted, one over the other."""

    def __init__(self, colour):
        self.colours, self.rows = [colour], [bytearray(SIDE * SCALE) for _ in range(SIDE * SCALE)]

    def ellipse(self, x, y, width, height, colour, top=0, bottom=SIDE):
        """Paints an ellipse around that point; only its rows from `top` to `bottom`."""
        self.colours.append(colour)
        x, y, width, height, top, bottom = (SCALE * part for part in (x, y, width, height, top, bottom))
        for row in range(max(0, top, round(y - height)), min(bottom, round(y + height))):
            half = width * max(0, 1 - ((row + 0.5 - y) / height) ** 2) ** 0.5
            start, end = max(0, round(x - half)), min(SIDE * SCALE, round(x + half))
            self.rows[row][start:end] = bytes([len(self.colours) - 1]) * max(0, end - start)

    @property
    def picture(self):
        return png(self.colours, self.rows)


def colour(hue, saturation, lightness):
    return [round(part * 255) for part in colorsys.hls_to_rgb(hue % 1, lightness, saturation)]


def portrait(kind, number):
    """The portrait of that hero, user or product."""
    chance = random.Random(f"{kind} {number}")
    hue = chance.random()
    canvas = Canvas(colour(hue, 0.35, chance.uniform(0.72, 0.86)))
    (thing if kind == "product" else person)(canvas, chance, hue, kind == "hero")
    return canvas.picture


def person(canvas, chance, hue, is_hero):
    skin, hair = colour(0.07, chance.uniform(0.3, 0.5), chance.choice([0.33, 0.48, 0.62, 0.76])), colour(chance.uniform(0.02, 0.12), 0.4, chance.uniform(0.08, 0.5))
    clothes = colour(hue + 0.5, 0.75 if is_hero else 0.4, chance.uniform(0.3, 0.5))
    dark, middle, broad = colour(0, 0, 0.12), SIDE / 2, chance.uniform(30, 36)
    if chance.random() < 0.5:
        canvas.ellipse(middle, 76, broad + 13, chance.uniform(50, 64), hair)
    canvas.ellipse(middle, 182, chance.uniform(60, 74), 68, clothes)
    canvas.ellipse(middle, 116, 14, 20, skin)
    canvas.ellipse(middle, 74, broad + 4, 44, hair)
    canvas.ellipse(middle, 82, broad, 40, skin, top=chance.choice([50, 56, 62]))
    if is_hero:
        canvas.ellipse(middle, 76, broad + 3, 13, clothes)
        canvas.ellipse(middle, 142, 15, 12, colour(hue, 0.8, 0.6))
    for x in (-14, 14):
        canvas.ellipse(middle + x, 77, 8, 6, colour(0, 0, 0.98))
        canvas.ellipse(middle + x + 1, 77, 3.5, 4, dark)
    canvas.ellipse(middle, 103, 12, chance.uniform(4, 9), colour(0.99, 0.5, 0.45), top=102)


def thing(canvas, chance, hue, _):
    middle, body = SIDE / 2, colour(hue + 0.45, 0.5, chance.uniform(0.4, 0.6))
    canvas.ellipse(middle, 138, 64, 12, colour(hue, 0.25, 0.62))
    if chance.random() < 0.5:  # a kettle
        canvas.ellipse(middle + 40, 88, 26, 28, body)
        canvas.ellipse(middle + 40, 88, 16, 18, canvas.colours[0])
        canvas.ellipse(middle, 96, 42, 44, body, top=56)
        canvas.ellipse(middle, 58, 26, 9, colour(hue + 0.45, 0.5, 0.3))
        canvas.ellipse(middle, 47, 7, 7, colour(0, 0, 0.2))
    else:  # a lamp
        canvas.ellipse(middle, 100, 5, 60, colour(0, 0, 0.3), top=70, bottom=138)
        canvas.ellipse(middle, 136, 30, 8, colour(0, 0, 0.3))
        canvas.ellipse(middle, 84, 52, 62, body, bottom=84)
        canvas.ellipse(middle, 84, 52, 8, colour(0.14, 0.9, 0.75))
