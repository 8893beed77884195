"""How names of variables are written in the language of features: bare, or in double quotes."""

from __future__ import annotations

import re

BARE_NAME = re.compile(r"[^\W\d][\w.\-]*|\d[\w.\-]*")
KEYWORDS = frozenset({"and", "or", "not"})


def written(name: str) -> str:
    r"""Write a name so that it can be read again.

    >>> print(written("milk"), written("blood group"), written('say "a"'))
    milk "blood group" "say \"a\""
    """
    if BARE_NAME.fullmatch(name) and name not in KEYWORDS:
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
