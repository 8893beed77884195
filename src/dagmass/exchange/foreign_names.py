"""Names as other programs can read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def respelled(names: Sequence[str], spell: Callable[[str], str], filler: str) -> tuple[str, ...]:
    """Spell names in another way, keeping them different: a spelling that is taken grows by the filler.

    >>> respelled(("a b", "a_b"), lambda name: name.replace(" ", "_"), "_")
    ('a_b_', 'a_b')
    """
    words: list[str] = []
    for name in names:
        word = spell(name)
        while word in words or (word != name and word in names):
            word += filler
        words.append(word)
    return tuple(words)


def changes(names: Sequence[str], words: Sequence[str]) -> list[str]:
    """Say of every name that is spelled in another way how.

    >>> changes(("a b", "c"), ("a_b", "c"))
    ["'a b' is written as 'a_b'"]
    """
    return [f"{name!r} is written as {word!r}" for name, word in zip(names, words, strict=True) if name != word]
