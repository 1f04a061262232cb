"""Types of variables in NumbaPro's dialect, by the rules of docs/decisions/0052, for the model.

A kernel's syntax tree becomes points with reads and definitions in their order. Which definitions
reach a read says what type it has: that of the only one; of several the most general type of all
that meet in common reads. What a loop assigns keeps the type from before it, or of the first
assignment in it; the variable that a loop counts with keeps the type of the range.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from support.numbapro_rules import general, result_of, unary_result
from support.numbapro_values import SIGNS, literal, math_type, negative_literal, part_type

UNDEFINED = -1


@dataclass(eq=False)
class Part(ast.AST):
    """One of several results that a statement unpacks."""

    value: ast.AST
    at: int


@dataclass
class Definition:
    name: str
    node: ast.AST
    loops: list[Loop]  # around it, outermost first
    value: ast.AST | None = None  # what is assigned; None: a parameter, or a loop's counter
    type: str | None = None  # of what it gives
    keeps: bool = False  # the type that others say


@dataclass
class Loop:
    counter: int | None = None  # the definition of the variable that a `for` counts with
    entry: int = 0  # the point before it


@dataclass
class Point:
    events: list[tuple[str, object]] = field(default_factory=list)  # ("use", Name), ("def", number)
    after: list[int] = field(default_factory=list)


class Flow:
    """Definitions, which of them reach each read, and the types that follow."""

    def __init__(
        self,
        function: ast.FunctionDef,
        parameters: dict[str, str],
        library: Library | None = None,
    ):
        self.library = library or Library([])
        self.returns: list[ast.AST] = []
        self.definitions: list[Definition] = []
        self.definition_of: dict[ast.AST, int] = {}
        self.points = [Point()]
        self.loops: list[Loop] = []
        self.ranges: dict[ast.AST, ast.Call] = {}  # by the counter
        self.jumps: list[tuple[list[int], list[int]]] = []  # of each loop: breaks and continues
        self.arrays = {name for name, t in parameters.items() if t.endswith("[]")}
        self.elements = {name: t[:-2] for name, t in parameters.items() if t.endswith("[]")}
        for argument in function.args.args:
            if argument.arg not in self.arrays:
                self.define(0, argument.arg, argument)
                self.definitions[-1].type = parameters[argument.arg]
        self.block(function.body, 0)
        self.reaching = self.solve()
        self.webs = self.unite()
        self.infer()

    # --- points ---

    def point(self, *before: int | None) -> int:
        self.points.append(Point())
        for each in before:
            if each is not None:
                self.points[each].after.append(len(self.points) - 1)
        return len(self.points) - 1

    def define(self, at: int, name: str, node: ast.AST, value: ast.AST | None = None) -> int:
        number = len(self.definitions)
        self.definitions.append(Definition(name, node, list(self.loops), value))
        self.definition_of[node] = number
        self.points[at].events.append(("def", number))
        return number

    def read(self, at: int, node: ast.AST | None) -> None:
        for each in ast.walk(node) if node else ():
            is_read = isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
            if is_read and each.id not in self.arrays:
                self.points[at].events.append(("use", each))

    def block(self, body: list[ast.stmt], at: int | None) -> int | None:
        """The point after the statements; None: nothing comes there."""
        for statement in body:
            at = self.statement(statement, self.point() if at is None else at)
        return at

    def statement(self, s: ast.stmt, at: int) -> int | None:
        match s:
            case ast.Assign(targets=[target], value=value):
                self.read(at, value)
                self.assign(at, target, value)
            case ast.AugAssign(target=ast.Name() as name):
                self.points[at].events.append(("use", name))
                self.read(at, s.value)
                self.define(at, name.id, name, s)
            case ast.AugAssign():
                self.read(at, s.target.slice)
                self.read(at, s.value)
            case ast.If():
                self.read(at, s.test)
                yes = self.block(s.body, self.point(at))
                no = self.block(s.orelse, self.point(at))
                return None if yes is None and no is None else self.point(yes, no)
            case ast.For() | ast.While():
                return self.loop(s, at)
            case ast.Break():
                self.jumps[-1][0].append(at)
                return None
            case ast.Continue():
                self.jumps[-1][1].append(at)
                return None
            case ast.Return(value=value):
                self.read(at, value)
                if value is not None:
                    self.returns.append(value)
                return None
        return at

    def assign(self, at: int, target: ast.AST, value: ast.AST) -> None:
        if isinstance(target, ast.Name):
            self.define(at, target.id, target, value)
        elif isinstance(target, ast.Tuple):
            for k, each in enumerate(target.elts):
                self.define(at, each.id, each, Part(value, k))
        else:
            self.read(at, target.slice)

    def loop(self, s: ast.For | ast.While, at: int) -> int:
        if isinstance(s, ast.For):
            self.read(at, s.iter)
        head = self.point(at)
        if isinstance(s, ast.While):
            self.read(head, s.test)
        self.loops.append(Loop(entry=at))
        self.jumps.append(([], []))
        inside = self.point(head)
        if isinstance(s, ast.For):
            self.ranges[s.target] = s.iter
            self.loops[-1].counter = self.define(inside, s.target.id, s.target)
        end = self.block(s.body, inside)
        breaks, continues = self.jumps.pop()
        self.loops.pop()
        for back in [end, *continues]:
            if back is not None:
                self.points[back].after.append(head)
        return self.point(self.block(s.orelse, self.point(head)), *breaks)

    # --- reaching definitions ---

    def solve(self) -> dict[ast.Name, set[int]]:
        names = {d.name for d in self.definitions}
        entry: list[dict[str, set[int]] | None] = [None] * len(self.points)
        entry[0] = {name: {UNDEFINED} for name in names}
        found: dict[ast.Name, set[int]] = {}
        waiting = [0]
        while waiting:
            at = waiting.pop()
            state = dict(entry[at])
            for kind, what in self.points[at].events:
                if kind == "def":
                    state[self.definitions[what].name] = {what}
                elif what.id in names:
                    found[what] = found.get(what, set()) | state[what.id]
            for after in self.points[at].after:
                if entry[after] is None:
                    entry[after] = {name: set(each) for name, each in state.items()}
                elif all(state[name] <= entry[after][name] for name in names):
                    continue
                else:
                    for name in names:
                        entry[after][name] |= state[name]
                waiting.append(after)
        self.exits = [self.left(state, at) for at, state in enumerate(entry)]
        return found

    def left(self, state: dict[str, set[int]] | None, at: int) -> dict[str, set[int]]:
        """What reaches the end of a point."""
        if state is None:
            return {}
        out = dict(state)
        for kind, what in self.points[at].events:
            if kind == "def":
                out[self.definitions[what].name] = {what}
        return out

    # --- webs, and who says their types ---

    def unite(self) -> list[int]:
        parent = list(range(len(self.definitions)))

        def find(i: int) -> int:
            while parent[i] != i:
                i = parent[i]
            return i

        def join(together: list[int]) -> None:
            for each in together[1:]:
                a, b = sorted((find(together[0]), find(each)))
                parent[b] = a

        for reaching in self.reaching.values():
            join(sorted(reaching - {UNDEFINED}))
        kept = []
        for number, d in enumerate(self.definitions):
            for loop in reversed(d.loops):
                if loop.counter == number:
                    break  # the counter itself
                if loop.counter is not None and self.definitions[loop.counter].name == d.name:
                    join([loop.counter, number])
                    kept.append((number, loop.counter))
                    break
                before = self.exits[loop.entry].get(d.name, {UNDEFINED})
                if UNDEFINED not in before:
                    join([number, *before])
                inside = [
                    other
                    for other, e in enumerate(self.definitions)
                    if e.name == d.name and self.belongs(other, loop)
                ]
                join([number, *(other for other in inside if other < number)])
                kept += [(number, e) for e in [*before, *inside] if e < number and e != UNDEFINED]
        for number, earlier in kept:
            self.definitions[number].keeps |= find(number) == find(earlier)
        return [find(i) for i in range(len(parent))]

    def belongs(self, number: int, loop: Loop) -> bool:
        """Whether the definition is in the loop, and of no loop in it that counts with the name."""
        d = self.definitions[number]
        for around in reversed(d.loops):
            if around is loop:
                return loop.counter != number
            counter = around.counter
            if counter is not None and self.definitions[counter].name == d.name:
                return False
        return False

    # --- types ---

    def infer(self) -> None:
        for _ in range(100):
            before = [(d.type, self.web_type(at)) for at, d in enumerate(self.definitions)]
            for d in self.definitions:
                if isinstance(d.value, ast.AugAssign):
                    d.type = self.operation(d.value.op, d.value.target, d.value.value) or d.type
                elif d.value is not None:
                    d.type = self.type_of(d.value) or d.type
                elif isinstance(d.node, ast.Name):  # the counter of a loop
                    d.type = self.counter_type(d) or d.type
            after = [(d.type, self.web_type(at)) for at, d in enumerate(self.definitions)]
            if before == after:
                return
        raise AssertionError("types do not stand still")

    def counter_type(self, d: Definition) -> str | None:
        found = "int32"
        for bound in self.ranges[d.node].args:
            t = self.type_of(bound)
            if t is None:
                return None
            found = general(found, t)
        return found

    def web_type(self, number: int) -> str | None:
        found = None
        for other, d in enumerate(self.definitions):
            if self.webs[other] == self.webs[number] and not d.keeps and d.type:
                found = d.type if found is None else general(found, d.type)
        return found

    def read_type(self, name: ast.Name) -> str | None:
        reaching = self.reaching[name]
        if len(reaching) == 1:
            (only,) = reaching
            if not self.definitions[only].keeps:
                return self.definitions[only].type
        return self.web_type(min(reaching - {UNDEFINED}))

    def operation(self, op: ast.operator, left: ast.AST, right: ast.AST) -> str | None:
        a, b = self.type_of(left), self.type_of(right)
        return a and b and result_of(SIGNS[type(op).__name__], a, b)

    def type_of(self, e: ast.AST) -> str | None:
        match e:
            case ast.Constant(value=value):
                return literal(value).type
            case ast.Name():
                return self.read_type(e)
            case ast.Subscript(value=ast.Name(id=array)):
                return self.elements[array]
            case Part(value=value, at=at):
                found = self.types_of(value)
                return found and found[at]
            case ast.Attribute(attr="real" | "imag", value=value):
                t = self.type_of(value)
                return t and part_type(t)
            case ast.Attribute() | ast.Subscript() | ast.Call(func=ast.Name(id="len")):
                return "int64"  # an intp
            case ast.BinOp(left=left, op=op, right=right):
                return self.operation(op, left, right)
            case ast.UnaryOp() if (found := negative_literal(e)) is not None:
                return found.type
            case ast.UnaryOp(op=op, operand=operand):
                t = self.type_of(operand)
                return t and unary_result(SIGNS[type(op).__name__], t)
            case ast.Compare():
                return "bool"
            case ast.BoolOp(values=values) | ast.Call(func=ast.Name(id="min" | "max"), args=values):
                return self.most_general(values)
            case ast.IfExp(body=body, orelse=orelse):
                return self.most_general([body, orelse])
            case ast.Call(func=ast.Attribute(attr=name), args=args):
                types = [self.type_of(each) for each in args]
                return None if None in types else math_type(name, types)
            case ast.Call(func=ast.Name(id="abs"), args=[value]):
                t = self.type_of(value)
                return t and unary_result("-", t)
            case ast.Call(func=ast.Name(id=name)) if name in self.library.functions:
                found = self.types_of(e)
                return found and found[0]
            case ast.Call(func=ast.Name(id=name)):
                return {
                    "complex": "complex128",
                    "int": "int64",
                    "float": "float64",
                    "bool_": "bool",
                }.get(name, name)
        raise AssertionError(ast.dump(e))

    def types_of(self, e: ast.AST) -> list[str] | None:
        """Of the results of a call, or the values of a tuple."""
        if isinstance(e, ast.Tuple):
            types = [self.type_of(each) for each in e.elts]
            return None if None in types else types
        if not isinstance(e, ast.Call):
            t = self.type_of(e)
            return t and [t]
        types = self.argument_types(e)
        return types and self.library.results(e.func.id, types)

    def argument_types(self, e: ast.Call) -> tuple[str, ...] | None:
        types = tuple(
            f"{self.elements[each.id]}[]"
            if isinstance(each, ast.Name) and each.id in self.arrays
            else self.type_of(each)
            for each in e.args
        )
        return None if None in types else types

    def result_types(self) -> list[str] | None:
        """Of a device function: the most general of what each return gives."""
        found: list[str] | None = None
        for value in self.returns:
            # A call or a tuple may stand there.
            plain = isinstance(value, ast.Tuple)
            types = self.types_of(value) if plain else [self.type_of(value)]
            found = (
                types
                if found is None
                else [general(*two) for two in zip(found, types, strict=True)]
            )
        return found

    def most_general(self, values: list[ast.AST]) -> str | None:
        types = [self.type_of(each) for each in values]
        if None in types:
            return None
        found = types[0]
        for t in types[1:]:
            found = general(found, t)
        return found


@dataclass
class Declared:
    """Types that the decorator of a device function says."""

    result: str
    arguments: list[str]


class Library:
    """Device functions, typed for the arguments of each call."""

    def __init__(self, functions: list[ast.FunctionDef]):
        self.functions = {each.name: each for each in functions}
        self.typed: dict[tuple[str, tuple[str, ...]], Flow] = {}

    def declared(self, name: str) -> Declared | None:
        for decorator in self.functions[name].decorator_list:
            for text in decorator.args:
                call = ast.parse(text.value, mode="eval").body
                return Declared(call.func.id, [each.id for each in call.args])
        return None

    def flow(self, name: str, types: tuple[str, ...]) -> Flow:
        declared = self.declared(name)
        types = tuple(declared.arguments) if declared else types
        if (name, types) not in self.typed:
            function = self.functions[name]
            names = [each.arg for each in function.args.args]
            self.typed[name, types] = Flow(function, dict(zip(names, types, strict=True)), self)
        return self.typed[name, types]

    def results(self, name: str, types: tuple[str, ...]) -> list[str] | None:
        declared = self.declared(name)
        return [declared.result] if declared else self.flow(name, types).result_types()
