"""Reads tables of tests written in Go: a small interpreter of what such tables are made of.

It parses declarations, literals, assignments, loops, conditions and calls, and evaluates them. A literal of a struct
becomes a `Record`, a map a dict, a list a list. What the caller does not define (functions and constants of other
packages) becomes a `Name` or a `Call`, which it may look at. Nothing is compiled or run by Go.
"""

import re

TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<newline>\n)
    |(?P<number>0x[0-9a-fA-F_]+|\d[\d_]*\.?\d*(?:e[+-]?\d+)?)|(?P<ident>[^\W\d]\w*)
    |(?P<string>"(?:\\.|[^"\\])*"|`[^`]*`|'(?:\\.|[^'\\])*')
    |(?P<op>:=|==|!=|<=|>=|&&|\|\||\+\+|--|\+=|-=|\*=|/=|\.\.\.|<-|<<|>>|[-+*/%&|^!<>=.,;:(){}\[\]~])""",
    re.X | re.S,
)
ENDS = {"break", "continue", "return", ")", "]", "}", "++", "--"}
KEYWORDS = {
    "break", "case", "const", "continue", "default", "defer", "else", "for", "func", "go", "if", "import",
    "interface", "map", "package", "range", "return", "struct", "switch", "type", "var", "chan", "select",
}


def tokens(text):
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise SyntaxError(f"no token at {text[at:at + 40]!r}")
        kind, value = match.lastgroup, match.group()
        at = match.end()
        if kind == "newline" or (kind == "comment" and "\n" in value):
            if found and (found[-1][0] in ("number", "string") or found[-1][1] in ENDS
                          or (found[-1][0] == "ident" and found[-1][1] not in KEYWORDS)):
                found.append(("op", ";"))
        elif kind == "number":
            found.append((kind, value))
        elif kind not in ("space", "comment"):
            found.append((kind, value))
    found.append(("end", ""))
    return found


class Parser:
    def __init__(self, text):
        self.tokens, self.at, self.header = tokens(text), 0, False

    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)][1]

    def kind(self):
        return self.tokens[self.at][0]

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1][1]

    def accept(self, value):
        if self.peek() == value and self.kind() != "string":
            self.at += 1
            return True
        return False

    def expect(self, value):
        if not self.accept(value):
            near = " ".join(token[1] for token in self.tokens[self.at - 8:self.at + 8])
            raise SyntaxError(f"wanted {value!r} near: {near}")

    # Types are tuples: ("name", text), ("list", T), ("map", K, V), ("struct", [(field, T)]), ("func",).
    def type(self):
        if self.accept("*"):
            return self.type()
        if self.accept("["):
            if not self.accept("]"):
                self.accept("...") or self.expression()
                self.expect("]")
            return ("list", self.type())
        if self.accept("map"):
            self.expect("[")
            key = self.type()
            self.expect("]")
            return ("map", key, self.type())
        if self.accept("func"):
            self.signature()
            return ("func",)
        if self.accept("struct"):
            fields = []
            self.expect("{")
            while not self.accept("}"):
                if self.accept(";"):
                    continue
                names = [self.next()]
                if self.peek() in (";", "."):  # an embedded type
                    name = names[0]
                    while self.accept("."):
                        name = self.next()
                    fields.append((name, ("name", name)))
                    continue
                while self.accept(","):
                    names.append(self.next())
                kind = self.type()
                fields += [(name, kind) for name in names]
                if self.kind() == "string":
                    self.next()
            return ("struct", fields)
        if self.accept("interface"):
            self.expect("{")
            self.expect("}")
            return ("name", "any")
        if self.accept("("):
            inner = self.type()
            self.expect(")")
            return inner
        name = self.next()
        while self.accept("."):
            name += "." + self.next()
        return ("name", name)

    def signature(self):
        """Names of parameters, and the result's type."""
        params = []
        self.expect("(")
        depth, names, start = 1, [], self.at
        while depth:
            token = self.next()
            depth += token in ("(", "[", "{")
            depth -= token in (")", "]", "}")
            if depth == 1 and self.tokens[self.at - 2][1] in ("(", ",") and self.tokens[self.at - 1][0] == "ident":
                if self.at - 1 >= start:
                    params.append(token)
        result = None
        if self.peek() not in ("{", ")", ",", ";", "}", ":", "=") and self.kind() != "string":
            if self.accept("("):
                depth = 1
                while depth:
                    token = self.next()
                    depth += token == "("
                    depth -= token == ")"
            else:
                result = self.type()
        return params, result

    def file(self):
        declared = []
        while self.kind() != "end":
            if self.accept(";"):
                continue
            if self.accept("package"):
                self.next()
            elif self.accept("import"):
                if self.accept("("):
                    while not self.accept(")"):
                        self.next()
                else:
                    while not self.accept(";"):
                        self.next()
            elif self.peek() == "func":
                self.next()
                receiver = self.accept("(")
                if receiver:
                    while not self.accept(")"):
                        self.next()
                name = self.next()
                params, _ = self.signature()
                body = self.block()
                if not receiver:
                    declared.append(("set", [("ident", name)], [("function", params, body)]))
            else:
                declared.append(self.statement())
        return ("block", declared)

    def block(self):
        header, self.header = self.header, False
        self.expect("{")
        found = []
        while not self.accept("}"):
            if not self.accept(";"):
                found.append(self.statement())
        self.header = header
        return ("block", found)

    def declaration(self, keyword):
        def one():
            names = [self.next()]
            while self.accept(","):
                names.append(self.next())
            kind = None
            if self.peek() not in ("=", ";", ")"):
                kind = self.type()
            values = self.expressions() if self.accept("=") else None
            if values is None:
                values = [("zero", kind)] * len(names)
            return ("set", [("ident", name) for name in names], values)

        def named():
            name = self.next()
            self.accept("=")
            return ("type", name, self.type())

        one = named if keyword == "type" else one
        if not self.accept("("):
            return one()
        found = []
        while not self.accept(")"):
            if not self.accept(";"):
                found.append(one())
        return ("declared", found)

    def statement(self):
        token = self.peek()
        if self.kind() != "string":
            if token in ("var", "const", "type"):
                return self.declaration(self.next())
            if token == "{":
                return self.block()
            if token == "return":
                self.next()
                ends = self.peek() in (";", "}")
                return ("return", [] if ends else self.expressions())
            if token in ("break", "continue"):
                return (self.next(),)
            if token in ("defer", "go"):
                self.next()
                self.expression()
                return ("block", [])
            if token == "if":
                self.next()
                return self.condition()
            if token == "for":
                self.next()
                return self.loop()
            if token == "switch":
                raise SyntaxError("a switch")
        return self.simple()

    def condition(self):
        header, self.header = self.header, True
        first = self.simple()
        test = first
        setup = None
        if self.accept(";"):
            setup, test = first, self.simple()
        self.header = header
        then = self.block()
        other = None
        if self.accept("else"):
            if self.accept("if"):
                other = self.condition()
            else:
                other = self.block()
        return ("if", setup, test[1], then, other)

    def loop(self):
        header, self.header = self.header, True
        if self.peek() == "{":
            self.header = header
            return ("for", None, None, None, self.block())
        if self.accept("range"):
            over = self.expression()
            self.header = header
            return ("range", [], over, self.block())
        first = None if self.peek() == ";" else self.simple()
        if first and first[0] == "range of":
            self.header = header
            return ("range", first[1], first[2], self.block())
        if self.accept(";"):
            test = None if self.peek() == ";" else self.expression()
            self.expect(";")
            step = None if self.peek() == "{" else self.simple()
        else:
            test, first, step = first[1], None, None
        self.header = header
        return ("for", first, test, step, self.block())

    def simple(self):
        left = self.expressions()
        token = self.peek()
        if token in (":=", "="):
            self.next()
            if self.accept("range"):
                return ("range of", left, self.expression())
            return ("define" if token == ":=" else "set", left, self.expressions())
        if token in ("+=", "-=", "*=", "/="):
            self.next()
            return ("set", left, [("binary", token[0], left[0], self.expression())])
        if token in ("++", "--"):
            self.next()
            return ("set", left, [("binary", token[0], left[0], ("value", 1))])
        return ("do", left[0])

    def expressions(self):
        found = [self.expression()]
        while self.accept(","):
            found.append(self.expression())
        return found

    LEVELS = [("||",), ("&&",), ("==", "!=", "<", "<=", ">", ">="), ("+", "-", "|", "^"), ("*", "/", "%", "&", "<<", ">>")]

    def expression(self, level=0):
        if level == len(self.LEVELS):
            return self.unary()
        left = self.expression(level + 1)
        while self.peek() in self.LEVELS[level] and self.kind() == "op":
            operator = self.next()
            left = ("binary", operator, left, self.expression(level + 1))
        return left

    def unary(self):
        if self.kind() == "op":
            if self.accept("&") or self.accept("*") or self.accept("+"):
                return self.unary()
            if self.accept("-"):
                return ("binary", "-", ("value", 0), self.unary())
            if self.accept("!"):
                return ("not", self.unary())
        return self.primary()

    def literal(self, kind):
        header, self.header = self.header, False
        self.expect("{")
        items = []
        while not self.accept("}"):
            if self.accept(",") or self.accept(";"):
                continue
            key = None
            value = self.literal(None) if self.peek() == "{" else self.expression()
            if self.accept(":"):
                key = value
                value = self.literal(None) if self.peek() == "{" else self.expression()
            items.append((key, value))
        self.header = header
        return ("literal", kind, items)

    def primary(self):
        kind, token = self.tokens[self.at]
        if kind == "number":
            self.next()
            text = token.replace("_", "")
            value = int(text, 0) if re.fullmatch(r"0x[0-9a-fA-F]+|\d+", text) else float(text)
            found = ("value", value)
        elif kind == "string":
            self.next()
            text = token[1:-1]
            found = ("value", text if token[0] == "`" else text.replace('\\"', '"').replace("\\n", "\n"))
        elif token == "(":
            header, self.header = self.header, False
            self.next()
            found = self.expression()
            self.expect(")")
            self.header = header
        elif token == "func":
            self.next()
            params, _ = self.signature()
            found = ("function", params, self.block())
        elif token in ("[", "map", "struct"):
            found = ("as", self.type())
            if self.peek() == "{":
                found = self.literal(found[1])
        else:
            self.next()
            found = ("ident", token)
        while self.kind() == "op":
            if self.accept("."):
                if self.accept("("):
                    self.type()
                    self.expect(")")
                else:
                    found = ("field", found, self.next())
            elif self.accept("("):
                header, self.header = self.header, False
                given = []
                while not self.accept(")"):
                    if self.accept(",") or self.accept(";") or self.accept("..."):
                        continue
                    given.append(self.expression())
                self.header = header
                found = ("call", found, given)
            elif self.peek() == "[":
                header, self.header = self.header, False
                self.next()
                low = None if self.peek() == ":" else self.expression()
                if self.accept(":"):
                    high = None if self.peek() == "]" else self.expression()
                    found = ("slice", found, low, high)
                else:
                    found = ("index", found, low)
                self.expect("]")
                self.header = header
            elif self.peek() == "{" and not self.header and found[0] in ("ident", "field"):
                found = self.literal(("name", dotted(found)))
            else:
                break
        return found


def dotted(found):
    return found[1] if found[0] == "ident" else dotted(found[1]) + "." + found[2]


class Record(dict):
    """A struct: its fields. `type` is its name, where it stands in the text."""

    type = None


class Name(str):
    """Something of another package: its dotted name."""


class Call:
    """A call of something of another package."""

    def __init__(self, name, given):
        self.name, self.given = name, given

    def __repr__(self):
        return f"{self.name}{tuple(self.given)}"


class Leave(Exception):
    def __init__(self, how, values=()):
        self.how, self.values = how, values


class Scope:
    def __init__(self, above=None):
        self.above, self.values, self.types = above, {}, {}

    def find(self, name):
        scope = self
        while scope:
            if name in scope.values:
                return scope
            scope = scope.above
        return None

    def type(self, kind):
        scope = self
        while kind and kind[0] == "name" and scope:
            if kind[1] in scope.types:
                return scope.types[kind[1]]
            scope = scope.above
        return kind


class Runner:
    """Evaluates. `calls` maps names of functions and methods to Python: they get what they are called on, and values."""

    def __init__(self, calls, embedded=()):
        self.calls, self.embedded = calls, embedded
        self.top = Scope()

    def load(self, text):
        for statement in Parser(text).file()[1]:
            self.run(statement, self.top)

    def call(self, name, *given):
        return self.apply(self.top.values[name], given)

    def apply(self, function, given):
        if callable(function):
            return function(*given)
        _, params, body, scope = function
        inner = Scope(scope)
        inner.values.update(zip(params, given))
        try:
            for statement in body[1]:
                self.run(statement, inner)
        except Leave as leave:
            values = leave.values
            return values[0] if len(values) == 1 else tuple(values)
        return None

    def run(self, statement, scope):
        kind = statement[0]
        if kind in ("block", "declared"):
            inner = Scope(scope) if kind == "block" else scope
            for one in statement[1]:
                self.run(one, inner)
        elif kind == "type":
            scope.types[statement[1]] = statement[2]
        elif kind in ("define", "set"):
            values = [self.value(value, scope) for value in statement[2]]
            if len(statement[1]) > len(values):
                values = list(values[0]) if isinstance(values[0], tuple) else values + [True]
            for place, value in zip(statement[1], values):
                self.assign(place, value, scope, kind == "define" or scope is self.top)
        elif kind == "do":
            self.value(statement[1], scope)
        elif kind == "return":
            raise Leave("return", [self.value(value, scope) for value in statement[1]])
        elif kind in ("break", "continue"):
            raise Leave(kind)
        elif kind == "if":
            inner = Scope(scope)
            if statement[1]:
                self.run(statement[1], inner)
            if self.value(statement[2], inner):
                self.run(statement[3], inner)
            elif statement[4]:
                self.run(statement[4], inner)
        elif kind == "range":
            over = self.value(statement[2], scope)
            if isinstance(over, dict):
                pairs = list(over.items())
            elif isinstance(over, int):
                pairs = [(at, at) for at in range(over)]
            else:
                pairs = list(enumerate(over or []))
            for pair in pairs:
                inner = Scope(scope)
                for place, value in zip(statement[1], pair):
                    self.assign(place, value, inner, True)
                if not self.round(statement[3], inner):
                    break
        elif kind == "for":
            inner = Scope(scope)
            if statement[1]:
                self.run(statement[1], inner)
            while statement[2] is None or self.value(statement[2], inner):
                if not self.round(statement[4], inner):
                    break
                if statement[3]:
                    self.run(statement[3], inner)
        else:
            raise SyntaxError(kind)

    def round(self, body, scope):
        try:
            self.run(body, scope)
        except Leave as leave:
            if leave.how == "return":
                raise
            return leave.how == "continue"
        return True

    def assign(self, place, value, scope, define):
        if place[0] == "ident":
            if place[1] == "_":
                return
            home = scope if define else scope.find(place[1]) or scope
            home.values[place[1]] = value
        elif place[0] == "field":
            record = self.value(place[1], scope)
            if record == 0 and place[1][0] == "field":  # a struct that was never written down
                record = Record()
                self.assign(place[1], record, scope, False)
            self.holder(record, place[2])[place[2]] = value
        elif place[0] == "index":
            self.value(place[1], scope)[self.value(place[2], scope)] = value

    def holder(self, record, field):
        """The record that has a field: itself, or one embedded in it."""
        for name in self.embedded:
            if isinstance(record, dict) and field not in record and field in (record.get(name) or {}):
                return record[name]
        return record

    def value(self, what, scope):
        kind = what[0]
        if kind == "value":
            return what[1]
        if kind == "zero":
            named = scope.type(what[1])
            return [] if named and named[0] == "list" else Record() if named and named[0] == "struct" else None
        if kind == "ident":
            home = scope.find(what[1])
            if home:
                return home.values[what[1]]
            return {"true": True, "false": False, "nil": None}.get(what[1], Name(what[1]))
        if kind == "field":
            on = self.value(what[1], scope)
            if isinstance(on, Name):
                return Name(f"{on}.{what[2]}")
            if isinstance(on, dict):
                return self.holder(on, what[2]).get(what[2], 0)
            return Name(what[2])
        if kind == "index":
            on, at = self.value(what[1], scope), self.value(what[2], scope)
            if isinstance(on, dict):
                return on.get(at, 0)
            return on[at]
        if kind == "slice":
            on = self.value(what[1], scope)
            low, high = (self.value(end, scope) if end else None for end in what[2:])
            return on[low:high]
        if kind == "binary":
            return self.binary(what, scope)
        if kind == "not":
            return not self.value(what[1], scope)
        if kind == "function":
            return ("function", what[1], what[2], scope)
        if kind == "literal":
            return self.literal(what[1], what[2], scope)
        if kind == "as":
            return what
        if kind == "call":
            return self.called(what[1], what[2], scope)
        raise SyntaxError(kind)

    def binary(self, what, scope):
        operator = what[1]
        left = self.value(what[2], scope)
        if operator == "&&":
            return left and self.value(what[3], scope)
        if operator == "||":
            return left or self.value(what[3], scope)
        right = self.value(what[3], scope)
        if operator == "==":
            return left == right
        if operator == "!=":
            return left != right
        if operator == "/" and isinstance(left, int) and isinstance(right, int):
            return left // right
        return {
            "+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right,
            "/": lambda: left / right, "%": lambda: left % right, "<": lambda: left < right,
            "<=": lambda: left <= right, ">": lambda: left > right, ">=": lambda: left >= right,
        }[operator]()

    def literal(self, kind, items, scope):
        named = kind
        kind = scope.type(kind)
        inner = lambda item, of: self.literal(of, item[2], scope) if item[0] == "literal" and item[1] is None \
            else self.value(item, scope)
        if kind and kind[0] == "list":
            return [inner(value, kind[1]) for _, value in items]
        if kind and kind[0] == "map":
            return {(inner(key, kind[1])): inner(value, kind[2]) for key, value in items}
        fields = dict(kind[1]) if kind and kind[0] == "struct" else {}
        names = [name for name, _ in kind[1]] if fields else []
        # A type of another package may be a map: then keys are no plain names.
        if items and items[0][0] and items[0][0][0] != "ident":
            return {self.value(key, scope): inner(value, None) for key, value in items}
        if items and items[0][0] is None and not names:
            return [inner(value, None) for _, value in items]
        found = Record()
        found.type = named[1] if named and named[0] == "name" else None
        for at, (key, value) in enumerate(items):
            name = key[1] if key else names[at]
            found[name] = inner(value, fields.get(name))
        for name, of in fields.items():
            if of[0] == "list":
                found.setdefault(name, [])
            elif of[0] == "map":
                found.setdefault(name, {})
        return found

    def called(self, function, given, scope):
        on = None
        if function[0] == "field":
            on = self.value(function[1], scope)
            name = function[2]
            full = f"{on}.{name}" if isinstance(on, Name) else name
            if isinstance(on, dict) and isinstance(on.get(name), tuple):
                return self.apply(on[name], [self.value(one, scope) for one in given])
            for known in (full, name):
                if known in self.calls:
                    return self.calls[known](on, *[self.value(one, scope) for one in given])
            return Call(full, [self.value(one, scope) for one in given])
        if function[0] == "as":
            return self.value(given[0], scope)
        if function[0] == "ident" and function[1] == "append":
            values = [self.value(one, scope) for one in given]
            tail = values[1] if len(values) == 2 and isinstance(values[1], list) else values[1:]
            return list(values[0] or []) + list(tail)
        if function[0] == "ident" and function[1] == "make":
            kind = given[0][1] if given[0][0] == "as" else None
            return [] if kind and kind[0] == "list" else {}
        if function[0] == "ident" and function[1] == "len":
            return len(self.value(given[0], scope) or [])
        name = function[1] if function[0] == "ident" else None
        if name in self.calls:
            return self.calls[name](None, *[self.value(one, scope) for one in given])
        if name in ("float64", "int", "int32", "int64", "string", "new"):
            return self.value(given[0], scope)
        callee = self.value(function, scope)
        values = [self.value(one, scope) for one in given]
        if isinstance(callee, Name):
            return Call(str(callee), values)
        return self.apply(callee, values)


class Ginkgo:
    """Runs a file of Ginkgo tests: groups, what stands before each test, tests, tables with entries."""

    def __init__(self, calls, before_test, after_test, embedded=()):
        self.path, self.befores = [], [[]]
        self.before_test, self.after_test = before_test, after_test
        mine = {name: self.group for name in ("Describe", "Context", "When")}
        mine |= {
            "It": self.test, "BeforeEach": self.before, "DescribeTable": self.table,
            "Entry": lambda _, name, *given: ("entry", name, given),
            "Expect": lambda _, got, *rest: ("expected", got), "Equal": lambda _, wanted: wanted,
            "BeTrue": lambda _: True, "BeFalse": lambda _: False, "To": lambda on, wanted, *rest: self.told(on, wanted),
        }
        self.told = lambda on, wanted: None
        self.runner = Runner(mine | calls, embedded)

    def group(self, _, name, body):
        self.path.append(name)
        self.befores.append([])
        self.runner.apply(body, [])
        self.befores.pop()
        self.path.pop()

    def before(self, _, body):
        self.befores[-1].append(body)

    def test(self, _, name, body):
        for level in self.befores:
            for before in level:
                self.runner.apply(before, [])
        self.before_test(self.path + [name])
        self.runner.apply(body, [])
        self.after_test(self.path + [name])

    def table(self, _, name, body, *entries):
        for _, entry, given in entries:
            self.test(None, entry, lambda: self.runner.apply(body, given))
