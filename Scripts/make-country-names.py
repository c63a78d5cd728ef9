#!/usr/bin/env python3
"""Writes Sources/Sources-Countries/Bundle/names.txt: the countries' names in other languages, from Unicode's CLDR.

    python3 -m pip install --target FOLDER babel==2.18.0
    PYTHONPATH=FOLDER python3 Scripts/make-country-names.py

Babel has CLDR. Sources/Core/Basics/Text/NameTable.swift describes the format. A name is left out if a search finds the country by it without
this table: if its name in countries.json beside it, or one of its other names there, begins with it.
"""

import collections
import json
import pathlib
import unicodedata

from babel import Locale, UnknownLocaleError
from babel.core import get_global

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "Sources/Sources-Countries"
MOST = 160_000

# The thirty most used languages, by their speakers and by texts on the web. The official languages of each country are added to them.
LANGUAGES = "en zh es hi ar fr bn pt ru ur id de ja mr vi te tr ta ko fa it sw th pl uk ro nl el hu cs".split()

# Letters without a decomposition, and apostrophes that count as letters. Core's fold replaces them in the same way.
LETTERS = {
    "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th", "ð": "d", "ħ": "h", "ŧ": "t", "ŋ": "n", "ĸ": "k",
    "ʻ": "'", "ʼ": "'",
}


# Names that people use and CLDR does not have.
USUAL = {
    "BY": "Weißrussland, Biélorussie",
    "CI": "Elfenbeinküste, Costa de Marfil, Costa d'Avorio",
    "GB": "Großbritannien, Grande-Bretagne, Gran Bretaña, Gran Bretagna, Angleterre, Inglaterra, Inghilterra",
}

# Other names of capitals: former names, names in widely used languages, and cities that people take for the capital.
CAPITALS = {
    "AT": "Wien, Vienne, Viena",
    "AU": "Sydney",
    "BE": "Bruxelles, Brussel, Brüssel, Bruselas",
    "BR": "Rio de Janeiro",
    "CH": "Berne, Zurich, Geneva",
    "CI": "Abidjan",
    "CN": "Peking, Pékin",
    "CU": "La Habana",
    "CZ": "Praha, Prag",
    "DK": "København, Kopenhagen, Copenhague",
    "DZ": "Alger, Algier",
    "EG": "Kairo, Le Caire, El Cairo",
    "GB": "Londres, Londra",
    "GE": "Tiflis",
    "GR": "Athína, Athen, Athènes, Atenas",
    "IL": "Tel Aviv",
    "IN": "Delhi",
    "IR": "Tehran, Teheran",
    "IT": "Roma, Rom",
    "KR": "Seúl",
    "KZ": "Nur-Sultan, Almaty",
    "LB": "Beyrouth",
    "LK": "Colombo",
    "LU": "Luxemburg",
    "MA": "Casablanca",
    "MD": "Kishinev",
    "MM": "Rangoon, Yangon",
    "MN": "Ulan Bator",
    "MX": "Ciudad de México",
    "NG": "Lagos",
    "NL": "The Hague",
    "NO": "Christiania",
    "NZ": "Auckland",
    "PL": "Warszawa, Warschau, Varsovie",
    "PT": "Lisboa, Lissabon",
    "RO": "București, Bukarest",
    "RS": "Beograd, Belgrad",
    "RU": "Moskva, Moskau, Moscou, Saint Petersburg",
    "SA": "Riad",
    "SY": "Damaskus, Damas",
    "TR": "Istanbul, Constantinople",
    "TZ": "Dar es Salaam",
    "UA": "Kiev, Kiew",
    "US": "Washington DC",
    "VN": "Saigon, Ho Chi Minh City",
    "ZA": "Cape Town, Johannesburg",
}


def fold(text):
    while True:
        folded = unicodedata.normalize("NFKD", text)
        folded = "".join(c for c in folded if unicodedata.category(c) not in ("Mn", "Me", "Cf") and not unicodedata.combining(c))
        folded = "".join(LETTERS.get(c, c) for c in folded.casefold())
        if folded == text:
            return text
        text = folded


def words(name):
    """Returns the folded words of a name, without the signs between them."""
    return "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in fold(name)).split()


def ends(words):
    """Returns a name, and its ends: the name from each later word on."""
    return ["".join(words[start:]) for start in range(len(words))]


def own_names():
    """Returns the names that a search knows without this table, in words, for each country."""
    rows = json.loads((FOLDER / "Bundle/countries.json").read_text())
    return {row["code"]: [words(name) for name in [row["name"], *row.get("otherNames", [])]] for row in rows}


def translations(code):
    """Yields the usual names of a country, and its names in the thirty languages and in its official ones, in words."""
    yield from (words(name) for name in USUAL.get(code, "").split(", "))
    official = get_global("territory_languages").get(code, {})
    for language in LANGUAGES + [name for name, use in official.items() if use["official_status"] in ("official", "de_facto_official")]:
        try:
            name = Locale.parse(language).territories.get(code)
        except (UnknownLocaleError, ValueError):
            continue
        if name:
            yield words(name)


def tables():
    """Returns the names, the ends of names and the other names of capitals, each with the countries that have it."""
    names, rests = collections.defaultdict(set), collections.defaultdict(set)
    for code, own in own_names().items():
        beginnings = ["".join(name) for name in own]
        inside = [end for name in own for end in ends(name)]
        for name in filter(None, translations(code)):
            whole = "".join(name)
            if not any(known.startswith(whole) for known in beginnings):
                names[whole].add(code)
            for index, end in list(enumerate(ends(name)))[1:]:
                # People do not look for a country by an "of" or "und" in its name.
                if len(name[index].encode()) > 3 and not any(known.startswith(end) for known in inside):
                    rests[end].add(code)
    for end in list(rests):
        rests[end] -= names.get(end, set())
        if not rests[end]:
            del rests[end]
    capitals = collections.defaultdict(set)
    for code, others in CAPITALS.items():
        for name in others.split(", "):
            capitals["".join(words(name))].add(code)
    return names, rests, capitals


def main():
    lines = []
    for sign, names in zip(["", "-", "+"], tables()):
        lines += [(name.encode(), f"{sign}{' '.join(sorted(owners))}".encode()) for name, owners in names.items()]
    file = b"".join(name + b"\t" + owners + b"\n" for name, owners in sorted(lines))
    assert len(file) <= MOST, f"{len(file)} bytes"
    (FOLDER / "Bundle/names.txt").write_bytes(file)
    print(f"{len(file)} bytes")


main()
