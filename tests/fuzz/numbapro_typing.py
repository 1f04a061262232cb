"""Types of expressions in NumbaPro's dialect, from the types of the names in them, for the model.

Types are NumPy's names of them; that of an array of one is "float32[]". A name may have no type
yet (None), or two that have none in common (Apart), which is an error where the name is read.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from support.numbapro_rules import REAL, general, result_of, unary_result
from support.numbapro_values import SIGNS, literal, math_type, negative_literal, part_type

OF_CALLS = {"complex": "complex128", "int": "int64", "float": "float64", "bool_": "bool"}


class NoType(Exception):
    """The dialect has no type for what is written."""


@dataclass(frozen=True)
class Apart:
    """Types of a name on two paths, of which neither can become the other."""

    left: str
    right: str


Type = str | Apart | None
State = dict[str, Type]  # of the names that some path here has assigned


def merged(a: Type, b: Type) -> Type:
    """What a name is where two paths meet: A-3."""
    if a == b or b is None:
        return a
    if a is None:
        return b
    return general(a, b) if a in REAL and b in REAL else Apart(a, b)


def most_general(types: list[Type]) -> Type:
    """Of operands; None: one is not known."""
    found = types[0]
    for t in types[1:]:
        found = found and t and general(found, t)
    return found


@dataclass
class Facts:
    """What one pass over a function finds out."""

    types: dict[ast.AST, Type] = field(default_factory=dict)  # of expressions; reads among them
    stored: dict[ast.AST, Type] = field(default_factory=dict)  # of targets: what they are stored in
    meetings: dict[ast.stmt, State] = field(default_factory=dict)  # what an if or loop ends with
    counted: dict[ast.stmt, Type] = field(default_factory=dict)  # of counters, where loops end
    broken: dict[ast.stmt, Type] = field(default_factory=dict)  # the same where they break
    firsts: dict[tuple[ast.stmt, str], Type] = field(default_factory=dict)  # first ones in loops
    returns: list[list[Type]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Typing:
    """Finds the types of expressions, and keeps them in its facts."""

    def __init__(self, library):
        self.library = library
        self.facts = Facts()

    def error(self, node: ast.AST, what: str) -> None:
        self.facts.errors.append(f"line {node.lineno}: {what}")

    def read(self, e: ast.AST | None, state: State) -> Type:
        """The type of an expression, after those of all that it is made of."""
        if e is None:
            return None
        if isinstance(e, ast.Name):
            self.facts.types[e] = self.of_name(e, state)
        else:
            for each in ast.iter_child_nodes(e):
                called = isinstance(e, ast.Call) and each is e.func
                if isinstance(each, ast.expr) and not called:
                    self.read(each, state)
            self.facts.types[e] = self.type_of(e)
        return self.facts.types[e]

    def of_name(self, name: ast.Name, state: State) -> Type:
        t = state.get(name.id)
        if isinstance(t, Apart):
            self.error(name, f"{name.id!r} would be both {t.left} and {t.right} here")
            return None
        return t

    def operation(self, op: ast.operator, a: Type, b: Type) -> Type:
        return a and b and result_of(SIGNS[type(op).__name__], a, b)

    def type_of(self, e: ast.AST) -> Type:
        types = self.facts.types
        match e:
            case ast.Constant(value=value):
                return literal(value).type
            case ast.Subscript(value=ast.Name() as array):
                return types[array] and types[array].removesuffix("[]")
            case ast.Attribute(attr="real" | "imag", value=value):
                return types[value] and part_type(types[value])
            case ast.Attribute() | ast.Subscript():
                return "int64"  # an intp
            case ast.BinOp(left=left, op=op, right=right):
                return self.operation(op, types[left], types[right])
            case ast.UnaryOp() if (found := negative_literal(e)) is not None:
                return found.type
            case ast.UnaryOp(op=op, operand=operand):
                return types[operand] and unary_result(SIGNS[type(op).__name__], types[operand])
            case ast.Compare():
                return "bool"
            case ast.BoolOp(values=values):
                return most_general([types[each] for each in values])
            case ast.IfExp(body=body, orelse=orelse):
                return most_general([types[body], types[orelse]])
            case ast.Call():
                return self.of_call(e)
            case ast.Tuple():
                return None  # see types_of
        raise AssertionError(ast.dump(e))

    def of_call(self, e: ast.Call) -> Type:
        given = [self.facts.types[each] for each in e.args]
        match e.func:
            case ast.Attribute(attr=name):
                return None if None in given else math_type(name, given)
            case ast.Name(id="len"):
                return "int64"
            case ast.Name(id="abs"):
                return given[0] and unary_result("-", given[0])
            case ast.Name(id="min" | "max"):
                return most_general(given)
            case ast.Name(id=name) if name in self.library.functions:
                return self.types_of(e)[0]
            case ast.Name(id=name):
                return OF_CALLS.get(name, name)
        raise AssertionError(ast.dump(e))

    def types_of(self, e: ast.AST) -> list[Type]:
        """Of the values of a tuple, or the results of a call, that was read."""
        if isinstance(e, ast.Tuple):
            return [self.facts.types[each] for each in e.elts]
        if isinstance(e, ast.Call) and getattr(e.func, "id", None) in self.library.functions:
            given = tuple(self.facts.types[each] for each in e.args)
            # Two are as many as a function has here.
            return [None, None] if None in given else self.library.results(e.func.id, given)
        return [self.facts.types[e]]
