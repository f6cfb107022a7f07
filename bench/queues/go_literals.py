"""Reads Go expressions as they stand in tables of tests: literals, names, calls and chains of calls.

In: the text of a Go file. Out: trees of the classes below. Statements are not read: `definitions` finds
`name := expression` at the beginning of a line, and skips what is no such expression.
"""

import re
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:\\.|[^"\\])*"|`[^`]*`)
    |(?P<number>\d[\d_]*(?:\.\d+)?)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<mark>\[\]|[-&*+.,:(){}\[\]/])""",
    re.X | re.S,
)


class NoExpression(Exception):
    """The text is none of the expressions that are read."""


@dataclass
class Name:
    """A name, with its package: `kueue.PreemptionPolicyAny`."""

    name: str


@dataclass
class Chain:
    """Calls one after another: `MakeCohort("r").Parent("q").Obj()` is [("MakeCohort", ["r"]), …].

    A chain that begins with a variable has its name first, with None for arguments.
    """

    calls: list = field(default_factory=list)


@dataclass
class Composite:
    """`Type{…}`: pairs of key and value. The key is None where there is none."""

    type: str
    items: list

    def get(self, name, otherwise=None):
        """The value of a field."""
        for key, value in self.items:
            if isinstance(key, Name) and key.name == name or key == name:
                return value
        return otherwise

    def values(self):
        """All values."""
        return [value for _, value in self.items]


def tokens(text, start):
    at = start
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            yield ("end", text[at], at)
            return
        if match.lastgroup != "space":
            yield (match.lastgroup, match.group(), at)
        at = match.end()


class Reader:
    """Reads one expression."""

    def __init__(self, text, start=0):
        self.tokens = tokens(text, start)
        self.ahead = []

    def peek(self, further=0):
        while len(self.ahead) <= further:
            self.ahead.append(next(self.tokens, ("end", "", -1)))
        return self.ahead[further]

    def take(self, wanted=None):
        token = self.peek()
        if wanted is not None and token[1] != wanted:
            raise NoExpression(f"{token} instead of {wanted}")
        return self.ahead.pop(0)

    def expression(self):
        left = self.unary()
        while self.peek()[1] in ("+", "*", "/", "-"):
            mark = self.take()[1]
            left = Chain([(mark, [left, self.unary()])])
        return left

    def unary(self):
        if self.peek()[1] in ("&", "*"):
            self.take()
            return self.unary()
        if self.peek()[1] == "-":
            self.take()
            value = self.unary()
            return -value if isinstance(value, (int, float)) else Chain([("-", [value])])
        return self.primary()

    def primary(self):
        kind, word, _ = self.take()
        if kind == "string":
            return word[1:-1]
        if kind == "number":
            digits = word.replace("_", "")
            return float(digits) if "." in digits else int(digits)
        if word == "{":
            return Composite("", self.items())
        if word == "(":
            value = self.expression()
            self.take(")")
            return value
        if word == "[]" or word == "map":
            return self.of_type(word)
        if kind != "name" or word == "func":
            raise NoExpression(word)
        return self.after(word)

    def of_type(self, word):
        name = word
        while self.peek()[1] != "{":
            if self.peek()[1] == "struct":
                self.take()
                self.block()
                break
            part = self.take()
            if part[0] == "end":
                raise NoExpression(name)
            name += part[1]
        self.take("{")
        return Composite(name, self.items())

    def block(self):
        self.take("{")
        depth = 1
        while depth:
            token = self.take()
            if token[0] == "end":
                raise NoExpression("an open block")
            depth += {"{": 1, "}": -1}.get(token[1], 0)

    def after(self, word):
        """What follows a name: selectors, calls, a composite."""
        name, chain = word, None
        while True:
            mark = self.peek()[1]
            if mark == ".":
                self.take()
                part = self.take()[1]
                name = f"{name}.{part}" if chain is None else part
            elif mark == "(":
                self.take()
                arguments = self.arguments()
                if chain is None:
                    head, _, last = name.rpartition(".")
                    chain = Chain([(head, None)] if head else [])
                    name = last
                chain.calls.append((name, arguments))
            elif mark == "[":
                self.take()
                depth = 1
                while depth:
                    part = self.take()[1]
                    depth += {"[": 1, "]": -1, "": -9}.get(part, 0)
            elif mark == "{" and chain is None:
                self.take()
                return Composite(name, self.items())
            else:
                break
        if chain is None:
            return {"true": True, "false": False, "nil": None}.get(name, Name(name))
        if name != chain.calls[-1][0]:
            chain.calls.append((name, None))
        return chain

    def arguments(self):
        values = []
        while self.peek()[1] != ")":
            if self.peek()[1] in ("[]", "map"):
                values.append(self.primary())
            else:
                values.append(self.expression())
            while self.peek()[1] in (",", "."):
                self.take()
        self.take(")")
        return values

    def items(self):
        items = []
        while self.peek()[1] != "}":
            value = self.expression()
            key = None
            if self.peek()[1] == ":":
                self.take()
                key, value = value, self.expression()
            items.append((key, value))
            if self.peek()[1] == ",":
                self.take()
        self.take("}")
        return items


def definitions(text, function):
    """What a function defines, by name, also within its loops; what comes first counts."""
    start = text.index(f"func {function}(")
    end = text.find("\n}\n", start)
    found = {}
    for match in re.finditer(r"^\t+(\w+) := ", text[start:end], re.M):
        try:
            value = Reader(text, start + match.end()).expression()
        except NoExpression:
            continue
        found.setdefault(match.group(1), value)
    return found
