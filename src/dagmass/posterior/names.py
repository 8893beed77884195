"""How names of variables are written in the language of features: bare, or in double quotes."""

from __future__ import annotations

import re

BARE_NAME = re.compile(r"[^\W\d][\w.\-]*|\d[\w.\-]*")
QUOTED_NAME = re.compile(r'"(?:[^"\\]|\\.)*"')
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


def unquoted(text: str) -> str:
    r"""Return the name that a text in double quotes stands for; any other text is a name as it is.

    >>> print(unquoted("milk"), unquoted('"say \\"a\\""'))
    milk say "a"
    """
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if QUOTED_NAME.fullmatch(text) else text
