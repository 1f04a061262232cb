"""Types of variables at each point of a kernel in NumbaPro's dialect, for the model.

An abstract interpretation of the syntax tree, by the specification's section on type inference and
the resolutions NP-A-2 to NP-A-4:

* Outside of loops an assignment gives a name the type of the value.
* Where two paths meet, a name becomes the more general of its two types. Meetings come one by one:
  at the end of each if, and where the breaks of a loop meet the end of its else.
* A loop fixes the types of the names that are assigned in it: that from before the loop, else that
  of the first assignment in it. What an inner loop assigns, the outer one assigns too.
* The name that a `for` counts with has the type of the range in its body. Where no iteration
  follows, that meets the type from before the loop, of no iteration; a break keeps it until breaks
  meet the end of the else. In a loop that fixes the type of the name it becomes this one at once.
* Constant conditions are conditions.

A first assignment may stand after a read that depends on it, so passes repeat until one finds what
the one before it found.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from support.numbapro_rules import REAL, general

from .numbapro_typing import Apart, Facts, NoType, State, Type, Typing, merged, most_general


@dataclass
class Kept:
    """What a loop, or the range of one, fixes the type of a name to."""

    type: Type
    says: ast.AST | None = None  # the first assignment; or the loop, whose range or entry says it


@dataclass
class Loop:
    breaks: list[State]


Names = dict[str, Kept]


class Flow(Typing):
    """The facts of a function whose parameters have these types."""

    def __init__(
        self,
        function: ast.FunctionDef,
        parameters: dict[str, str],
        library: Library | None = None,
    ):
        super().__init__(library or Library([]))
        for _ in range(20):
            before, self.facts = self.facts, Facts()
            self.firsts = before.firsts
            self.loops: list[Loop] = []
            self.block(function.body, dict(parameters), {})
            if self.facts == before:
                break
        else:
            raise AssertionError("types do not stand still")
        for name, t in self.facts.stored.items():
            if t is None:
                self.error(name, f"{name.id!r} has no type")
        if self.facts.errors:
            raise NoType(self.facts.errors[0])

    # --- statements: each takes the state before it and gives that after it, or None: no path ---

    def block(self, body: list[ast.stmt], state: State, kept: Names) -> State | None:
        for statement in body:
            state = self.statement(statement, state, kept)
            if state is None:
                return None
        return state

    def statement(self, s: ast.stmt, state: State, kept: Names) -> State | None:
        match s:
            case ast.Assign(targets=[target], value=value):
                self.read(value, state)
                self.assign_all(target, value, state, kept)
            case ast.AugAssign(target=ast.Name() as name, op=op, value=value):
                old = self.facts.types[name] = self.of_name(name, state)
                self.assign(name, self.operation(op, old, self.read(value, state)), state, kept)
            case ast.AugAssign(target=target, value=value):
                self.read(target, state)
                self.read(value, state)
            case ast.If():
                self.read(s.test, state)
                yes = self.block(s.body, dict(state), kept)
                return self.meeting(s, yes, self.block(s.orelse, dict(state), kept))
            case ast.For():
                return self.count(s, state, kept)
            case ast.While():
                return self.loop(s, state, kept)
            case ast.Break():
                self.loops[-1].breaks.append(state)
                return None
            case ast.Continue():
                return None
            case ast.Return(value=value):
                if value is not None:
                    self.read(value, state)
                    self.facts.returns.append(self.types_of(value))
                return None
        return state

    def meeting(self, s: ast.stmt, left: State | None, right: State | None) -> State | None:
        """What two paths after a statement have in common; the facts say what is converted."""
        if left is None or right is None:
            return right if left is None else left
        found = left | {name: merged(left.get(name), t) for name, t in right.items()}
        self.facts.meetings[s] = {
            name: found[name]
            for name in left.keys() & right.keys()
            if left[name] != right[name] or isinstance(found[name], Apart)
        }
        return found

    # --- assignments ---

    def assign_all(self, target: ast.AST, value: ast.AST, state: State, kept: Names) -> None:
        if isinstance(target, ast.Subscript):
            self.read(target, state)
            return
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        for name, t in zip(names, self.types_of(value)[: len(names)], strict=True):
            self.assign(name, t, state, kept)

    def assign(self, name: ast.Name, t: Type, state: State, kept: Names) -> None:
        if name.id in kept:
            t = self.keep(name, t, kept[name.id])
        state[name.id] = self.facts.stored[name] = t

    def keep(self, name: ast.Name, t: Type, by: Kept) -> Type:
        """The type that is fixed; the first assignment says it, where nothing before it does."""
        if by.says is None:
            by.says = name
        if by.says is name:
            by.type = t
        is_number = t in REAL and by.type in REAL
        if t and by.type and t != by.type and not is_number:
            self.error(name, f"a loop keeps {name.id!r} of {by.type}, found {t}")
        return by.type

    # --- loops ---

    def count(self, s: ast.For, state: State, kept: Names) -> State | None:
        """A loop over a range."""
        name = s.target.id
        for bound in s.iter.args:
            self.read(bound, state)
        # at least an int32.
        t = most_general(["int32", *(self.facts.types[bound] for bound in s.iter.args)])
        self.facts.stored[s.target] = t
        left = self.keep(s.target, t, kept[name]) if name in kept else merged(state.get(name), t)
        broken = left if name in kept else t
        self.facts.counted[s], self.facts.broken[s] = left, broken
        return self.loop(s, state, kept, {name: Kept(t, s)}, {name: left}, {name: broken})

    def loop(
        self,
        s: ast.For | ast.While,
        state: State,
        kept: Names,
        counter: Names | None = None,  # in the body
        left: State | None = None,  # what it becomes where no iteration follows
        broken: State | None = None,  # and at breaks
    ) -> State | None:
        inside = kept | (counter or {})
        names = assigned(s.body)
        for name in names - inside.keys():
            first = Kept(self.firsts.get((s, name)))
            inside[name] = Kept(state[name], s) if name in state else first
        head = state | {name: inside[name].type for name in names | (counter or {}).keys()}
        if isinstance(s, ast.While):
            self.read(s.test, head)
        self.loops.append(Loop([]))
        self.block(s.body, dict(head), inside)
        loop = self.loops.pop()
        for name in inside.keys() - kept.keys() - (counter or {}).keys():
            self.facts.firsts[s, name] = inside[name].type
        # All that is assigned has the type here that the loop keeps, on the breaks too.
        after = state | {name: inside[name].type for name in names} | (left or {})
        breaks = {name: t for each in loop.breaks for name, t in each.items()} | (broken or {})
        ended = self.block(s.orelse, after, kept)
        return self.meeting(s, ended, breaks if loop.breaks else None)

    def result_types(self) -> list[Type]:
        """Of a device function: the most general of what each return gives."""
        found, *others = self.facts.returns
        for types in others:
            found = [general(*two) for two in zip(found, types, strict=True)]
        return found


def assigned(body: list[ast.stmt]) -> set[str]:
    """The names that statements assign, or count with."""
    nodes = [each for statement in body for each in ast.walk(statement)]
    return {e.id for e in nodes if isinstance(e, ast.Name) and isinstance(e.ctx, ast.Store)}


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

    def results(self, name: str, types: tuple[str, ...]) -> list[Type]:
        declared = self.declared(name)
        return [declared.result] if declared else self.flow(name, types).result_types()
