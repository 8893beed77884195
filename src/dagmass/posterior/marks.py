"""Marking a place in a text with a caret under it."""

from __future__ import annotations

import re
import unicodedata

REACH = 60  # characters shown on either side of the place


def marked(text: str, place: int) -> str:
    """Return the text around a place on one line, and a caret below.

    >>> print(marked("edge(a,b", 8))
      edge(a,b
              ^
    """
    line = re.sub(r"\s", " ", text)  # tabs and line ends are as wide as a blank this way
    start, end = max(place - REACH, 0), place + REACH
    before = ("…" if start else "") + line[start:place]
    after = line[place:end] + ("…" if end < len(line) else "")
    return f"  {before}{after}\n  {' ' * sum(map(width, before))}^"


def width(character: str) -> int:
    """Return how many columns a terminal gives to a character."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
