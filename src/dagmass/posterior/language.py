"""The language of features, one for Python strings and the command line. docs/language.md describes it.

expression = term { "or" term }            term = factor { "and" factor }
factor     = "not" factor | "(" expression ")" | feature
feature    = ("edge" | "link" | "path") "(" name "," name ")"
| "v_structure" "(" name "," name "," name ")"
| "separated" "(" side "," side [ "|" names ] ")"
| ("parents" | "children" | "ancestors" | "descendants" | "blanket") "(" name ")" ("=" | ">=" | "<=") "{" [ names ] "}"
side       = name | "{" names "}"          names = name { "," name }
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from dagmass.errors import InputError
from dagmass.graphs.varset import nearest_hint
from dagmass.posterior.features import OPERATORS, SET_NAMES, Edge, Feature, Link, Path, Separated, SetComparison, VStructure
from dagmass.posterior.names import BARE_NAME

PAIRS: dict[str, Callable[[str, str], Feature]] = {"edge": Edge, "link": Link, "path": Path}
FUNCTIONS = (*PAIRS, "v_structure", "separated", *SET_NAMES)

_TOKEN = re.compile(rf'\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<bare>{BARE_NAME.pattern})|(?P<sign>>=|<=|[(){{}},|=]))')


@dataclass(frozen=True)
class Token:
    """A name, or a sign or keyword as it stands."""

    text: str
    place: int  # of its first character
    is_quoted: bool = False
    is_end: bool = False


def parse_feature(text: str, variables: tuple[str, ...]) -> Feature:
    """Read an expression; names must be among the variables.

    >>> print(parse_feature("path(a,b) and not edge(a,b)", ("a", "b")))
    path(a, b) and not edge(a, b)
    """
    return _Parser(text, variables).parse()


class _Parser:
    def __init__(self, text: str, variables: tuple[str, ...]) -> None:
        self.text = text
        self.variables = variables
        self.tokens = self.tokenize()
        self.next = 0

    def parse(self) -> Feature:
        feature = self.expression()
        if not self.peek().is_end:
            self.fail(self.peek(), "'and', 'or' or the end was expected here.")
        return feature

    def tokenize(self) -> list[Token]:
        tokens: list[Token] = []
        place = 0
        while self.text[place:].strip():
            match = _TOKEN.match(self.text, place)
            if match is None:
                start = place + len(self.text[place:]) - len(self.text[place:].lstrip())
                self.fail(Token("", start), 'This is not part of the language; names with odd characters need double quotes: "odd name".')
            if match["quoted"]:
                tokens.append(Token(re.sub(r"\\(.)", r"\1", match["quoted"][1:-1]), match.start("quoted"), is_quoted=True))
            else:
                kind = "bare" if match["bare"] else "sign"
                tokens.append(Token(match[kind], match.start(kind)))
            place = match.end()
        return [*tokens, Token("", len(self.text.rstrip()), is_end=True)]

    def expression(self) -> Feature:
        feature = self.term()
        while self.accept("or"):
            feature = feature | self.term()
        return feature

    def term(self) -> Feature:
        feature = self.factor()
        while self.accept("and"):
            feature = feature & self.factor()
        return feature

    def factor(self) -> Feature:
        if self.accept("not"):
            return ~self.factor()
        if self.accept("("):
            feature = self.expression()
            self.expect(")")
            return feature
        return self.feature()

    def feature(self) -> Feature:
        token = self.take()
        if token.text not in FUNCTIONS or token.is_quoted:
            hint = nearest_hint(token.text, FUNCTIONS)
            self.fail(token, f"A feature was expected here.{hint} There are {', '.join(FUNCTIONS)}.")
        try:
            return self.arguments(token.text)
        except FeatureError:
            raise
        except InputError as error:
            self.fail(token, str(error))

    def arguments(self, function: str) -> Feature:
        self.expect("(")
        if function in SET_NAMES:
            return self.comparison(function)
        if function == "separated":
            return self.separation()
        names = [self.name()]
        for _ in range(1 if function in PAIRS else 2):
            self.expect(",")
            names.append(self.name())
        self.expect(")")
        return PAIRS[function](*names) if function in PAIRS else VStructure(*names)

    def comparison(self, function: str) -> Feature:
        variable = self.name()
        self.expect(")")
        operator = self.take()
        if operator.text not in OPERATORS or operator.is_quoted:
            self.fail(operator, f"A comparison was expected here: {', '.join(OPERATORS)} and a set in braces.")
        which = next(name for name in SET_NAMES if name == function)
        return SetComparison(which, variable, next(sign for sign in OPERATORS if sign == operator.text), self.braces())

    def separation(self) -> Feature:
        left = self.side()
        self.expect(",")
        right = self.side()
        given = self.names() if self.accept("|") else frozenset()
        self.expect(")")
        return Separated(left, right, given)

    def side(self) -> frozenset[str]:
        return self.braces() if self.is_sign("{") else frozenset({self.name()})

    def braces(self) -> frozenset[str]:
        self.expect("{")
        names = frozenset() if self.is_sign("}") else self.names()
        self.expect("}")
        return names

    def names(self) -> frozenset[str]:
        names = {self.name()}
        while self.accept(","):
            names.add(self.name())
        return frozenset(names)

    def name(self) -> str:
        token = self.take()
        if not token.is_quoted and not BARE_NAME.fullmatch(token.text):
            self.fail(token, "The name of a variable was expected here.")
        if token.text not in self.variables:
            self.fail(token, f"There is no variable {token.text!r}.{nearest_hint(token.text, self.variables)}")
        return token.text

    def peek(self) -> Token:
        return self.tokens[self.next]

    def take(self) -> Token:
        token = self.peek()
        if token.is_end:
            self.fail(token, "The expression ends too early.")
        self.next += 1
        return token

    def is_sign(self, text: str) -> bool:
        return self.peek().text == text and not self.peek().is_quoted

    def accept(self, text: str) -> bool:
        found = self.is_sign(text) and not self.peek().is_end
        self.next += found
        return found

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.fail(self.peek(), f"{text!r} was expected here.")

    def fail(self, token: Token, message: str) -> NoReturn:
        raise FeatureError(f"{message}\n  {self.text}\n  {' ' * token.place}^")


class FeatureError(InputError):
    """An expression that cannot be read; the message marks the place."""
