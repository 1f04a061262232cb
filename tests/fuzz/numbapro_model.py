"""Runs kernels of NumbaPro's dialect, thread by thread, with the types that Flow finds.

A variable holds a number of the type that it has at that point, or an array. It is converted where
it is assigned, and where Flow says that paths meet.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np
from support.numbapro_values import Val, convert

from support import numbapro_values as values

from .numbapro_flow import Flow
from .numbapro_typing import Apart, State, Type


class Jump(Exception):
    """break or continue, on its way to the loop."""


class Returned(Exception):
    """The values that a function gives, on their way to the call."""


class Machine:
    """One thread: its variables, arrays among them."""

    def __init__(self, flow: Flow, variables: dict[str, Val | np.ndarray]):
        self.facts = flow.facts
        self.flow = flow
        self.variables = dict(variables)
        self.returned: tuple[Val, ...] = ()

    def run(self, function: ast.FunctionDef) -> Iterator[None]:
        """Stops at each barrier."""
        try:
            yield from self.block(function.body)
        except Returned as returned:
            self.returned = returned.args

    # --- statements ---

    def block(self, body: list[ast.stmt]) -> Iterator[None]:
        for statement in body:
            yield from self.statement(statement)

    def statement(self, s: ast.stmt) -> Iterator[None]:
        match s:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                for name, each in zip(names, self.values(value), strict=True):
                    self.define(name, each)
            case ast.Assign(targets=[ast.Name() as name], value=value):
                self.define(name, self.value(value))
            case ast.Assign(targets=[target], value=value):
                self.store(target, self.value(value))
            case ast.AugAssign(target=ast.Name() as name, op=op, value=value):
                old = self.read(name)
                self.define(name, values.binary(self.sign(op), old, self.value(value)))
            case ast.AugAssign(target=target, op=op, value=value):
                old = self.load(target)
                self.store(target, values.binary(self.sign(op), old, self.value(value)))
            case ast.If(test=test):
                yield from self.block(s.body if values.truth(self.value(test)) else s.orelse)
                self.meet(s)
            case ast.For():
                yield from self.loop(s, self.counted(s))
            case ast.While():
                yield from self.loop(s, self.repeated(s))
            case ast.Return(value=value):
                raise Returned(*(() if value is None else self.values(value)))
            case ast.Break() | ast.Continue():
                raise Jump(type(s).__name__)
            case ast.Expr():  # a barrier
                yield
            case _:
                raise AssertionError(ast.dump(s))

    def loop(self, s: ast.For | ast.While, iterations: Iterator[None]) -> Iterator[None]:
        for _ in iterations:
            try:
                yield from self.block(s.body)
            except Jump as jump:
                if jump.args[0] == "Break":
                    self.leave(s, self.facts.broken)
                    break
        else:
            self.leave(s, self.facts.counted)
            yield from self.block(s.orelse)
        self.meet(s)

    def leave(self, s: ast.For | ast.While, types: dict[ast.stmt, Type]) -> None:
        """The name that a loop counted with, also where there was no iteration."""
        if isinstance(s, ast.For):
            self.become({s.target.id: types[s]})

    def meet(self, s: ast.stmt) -> None:
        """A path after an if or a loop ends; one that a jump leaves meets nothing."""
        self.become(self.facts.meetings.get(s, {}))

    def become(self, types: State) -> None:
        for name in types.keys() & self.variables.keys():
            if isinstance(types[name], Apart):
                del self.variables[name]
            else:
                self.variables[name] = convert(types[name], self.variables[name])

    def counted(self, s: ast.For) -> Iterator[None]:
        t = self.facts.stored[s.target]
        given = [self.value(each) for each in s.iter.args]
        for each in range(*(convert(self.counter(t, given), v).number for v in given)):
            self.define(s.target, convert(t, Val("int64", each)))
            yield

    @staticmethod
    def counter(t: str, given: list[Val]) -> str:
        """What a loop counts in: a type with a sign where an argument is negative."""
        signed = any(not v.type.startswith("u") and v.number < 0 for v in given)
        return "int64" if t.startswith("u") and signed else t

    def repeated(self, s: ast.While) -> Iterator[None]:
        while values.truth(self.value(s.test)):
            yield

    # --- variables and elements ---

    def define(self, name: ast.Name, v: Val | np.ndarray) -> None:
        is_array = isinstance(v, np.ndarray)
        self.variables[name.id] = v if is_array else convert(self.facts.stored[name], v)

    def read(self, name: ast.Name) -> Val | np.ndarray:
        v = self.variables[name.id]
        t = f"{v.dtype.name}[]" if isinstance(v, np.ndarray) else v.type
        assert t == self.facts.types[name], f"{name.id} is {t}, not {self.facts.types[name]}"
        return v

    def place(self, target: ast.Subscript) -> tuple[np.ndarray, str, tuple[int, ...]]:
        array = self.read(target.value)
        indices = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        return array, array.dtype.name, tuple(self.value(each).number for each in indices)

    def load(self, target: ast.Subscript) -> Val:
        array, _, at = self.place(target)
        return values.typed(array[at])

    def store(self, target: ast.Subscript, v: Val) -> None:
        array, t, at = self.place(target)
        array[at] = convert(t, v).number

    # --- expressions ---

    @staticmethod
    def sign(op: ast.AST) -> str:
        return values.SIGNS[type(op).__name__]

    def value(self, e: ast.AST) -> Val | np.ndarray:
        match e:
            case ast.Constant(value=number):
                return values.literal(number)
            case ast.Name():
                return self.read(e)
            case ast.Subscript(value=ast.Name()):
                return self.load(e)
            case ast.Subscript(value=ast.Attribute(value=array, attr=name), slice=at):
                whole = getattr(self.read(array), name)[self.value(at).number]
                return Val("int64", whole)
            case ast.Attribute(value=value, attr="real" | "imag" as name):
                return values.part(self.value(value), name)
            case ast.Attribute(value=array, attr=name):
                return Val("int64", getattr(self.read(array), name))
            case ast.BinOp(left=left, op=op, right=right):
                return values.binary(self.sign(op), self.value(left), self.value(right))
            case ast.UnaryOp() if (whole := values.negative_literal(e)) is not None:
                return whole
            case ast.UnaryOp(op=op, operand=operand):
                return values.unary(self.sign(op), self.value(operand))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return values.compare(self.sign(op), self.value(left), self.value(right))
            case ast.BoolOp(op=op, values=[left, right]):
                return self.decided(e, isinstance(op, ast.And), self.value(left), right)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                chosen = body if values.truth(self.value(test)) else orelse
                return convert(self.facts.types[e], self.value(chosen))
            case ast.Call():
                return self.called(e)
        raise AssertionError(ast.dump(e))

    def decided(self, e: ast.AST, is_and: bool, first: Val, second: ast.AST) -> Val:
        chosen = first if values.truth(first) != is_and else self.value(second)
        return convert(self.facts.types[e], chosen)

    def values(self, e: ast.AST) -> list[Val]:
        """Of a tuple, or the results of a call."""
        if isinstance(e, ast.Tuple):
            return [self.value(each) for each in e.elts]
        if isinstance(e, ast.Call) and self.is_function(e):
            return self.results(e)
        return [self.value(e)]

    def is_function(self, e: ast.Call) -> bool:
        return isinstance(e.func, ast.Name) and e.func.id in self.flow.library.functions

    def results(self, e: ast.Call) -> list[Val]:
        """Of a device function, in the types that each call gives them."""
        library, name = self.flow.library, e.func.id
        types = tuple(self.facts.types[each] for each in e.args)
        flow = library.flow(name, types)
        function = library.functions[name]
        declared = library.declared(name)
        given = [self.value(each) for each in e.args]
        if declared:
            given = [convert(t, v) for t, v in zip(declared.arguments, given, strict=True)]
        names = [each.arg for each in function.args.args]
        machine = Machine(flow, dict(zip(names, given, strict=True)))
        for _ in machine.run(function):
            raise AssertionError("a barrier in a device function")
        result_types = library.results(name, types)
        return [convert(t, v) for t, v in zip(result_types, machine.returned, strict=True)]

    def called(self, e: ast.Call) -> Val:
        if self.is_function(e):
            return self.results(e)[0]
        if isinstance(e.func, ast.Name) and e.func.id == "len":
            return Val("int64", len(self.read(e.args[0])))
        arguments = [self.value(each) for each in e.args]
        if isinstance(e.func, ast.Name) and e.func.id == "complex":
            return values.of_parts("complex128", *arguments)
        match e.func:
            case ast.Attribute(attr=name):
                return values.math_call(name, arguments)
            case ast.Name(id="min" | "max" as name):
                return values.least(*arguments, largest=name == "max")
            case ast.Name(id="abs"):
                return values.absolute(*arguments)
        return convert(self.facts.types[e], *arguments)
