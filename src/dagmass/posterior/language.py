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
from dagmass.posterior.features import (
    MAX_DEPTH,
    OPERATORS,
    SET_NAMES,
    And,
    Edge,
    Feature,
    Link,
    Not,
    Or,
    Path,
    Separated,
    SetComparison,
    VStructure,
)
from dagmass.posterior.marks import marked
from dagmass.posterior.names import BARE_NAME, QUOTED_NAME, unquoted

PAIRS: dict[str, Callable[[str, str], Feature]] = {"edge": Edge, "link": Link, "path": Path}
FUNCTIONS = (*PAIRS, "v_structure", "separated", *SET_NAMES)
MAX_NESTING = MAX_DEPTH // 2 - 1  # of parentheses and 'not'; a pair of parentheses holds at most an 'or' of an 'and'
FOREIGN_SIGNS = {"==": "=", "&": "and", "~": "not", "!": "not"}

_BLANK = re.compile(r"\s*")
_TOKEN = re.compile(rf"(?P<quoted>{QUOTED_NAME.pattern})|(?P<bare>{BARE_NAME.pattern})|(?P<sign>>=|<=|=(?!=)|[(){{}},|])")


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
        self.nesting = 0

    def parse(self) -> Feature:
        feature = self.expression()
        if not self.peek().is_end:
            self.fail(self.peek(), "'and', 'or' or the end was expected here.")
        return feature

    def tokenize(self) -> list[Token]:
        tokens: list[Token] = []
        place, end = self.after_blanks(0), len(self.text.rstrip())
        while place < end:
            match = _TOKEN.match(self.text, place)
            if match is None:
                self.fail(Token("", place), self.why_unreadable(place))
            if match["quoted"]:
                tokens.append(Token(unquoted(match[0]), place, is_quoted=True))
            else:
                tokens.append(Token(match[0], place))
            place = self.after_blanks(match.end())
        return [*tokens, Token("", end, is_end=True)]

    def after_blanks(self, place: int) -> int:
        match = _BLANK.match(self.text, place)
        return match.end() if match else place

    def why_unreadable(self, place: int) -> str:
        if self.text.startswith('"', place):
            return "This double quote is not closed."
        for sign, word in FOREIGN_SIGNS.items():
            if self.text.startswith(sign, place):
                return f"Write {word!r} for {sign!r}."
        return 'This is not part of the language; names with odd characters need double quotes: "odd name".'

    def expression(self) -> Feature:
        terms = [self.term()]
        while self.accept("or"):
            terms.append(self.term())
        if self.is_sign("|"):
            self.fail(self.peek(), "Write 'or' for '|'.")
        return Or(tuple(terms)) if len(terms) > 1 else terms[0]

    def term(self) -> Feature:
        factors = [self.factor()]
        while self.accept("and"):
            factors.append(self.factor())
        return And(tuple(factors)) if len(factors) > 1 else factors[0]

    def factor(self) -> Feature:
        token = self.peek()
        if self.accept("not"):
            self.go_deeper(token)
            feature: Feature = Not(self.factor())
        elif self.accept("("):
            self.go_deeper(token)
            feature = self.expression()
            self.expect(")")
        else:
            return self.feature()
        self.nesting -= 1
        return feature

    def go_deeper(self, token: Token) -> None:
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            self.fail(token, f"Parentheses and 'not' go at most {MAX_NESTING} deep. Ask for parts of the expression one by one.")

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
        raise FeatureError(f"{message}\n{marked(self.text, token.place)}")


class FeatureError(InputError):
    """An expression that cannot be read; the message marks the place."""
