"""Runs kernels of NumbaPro's dialect, thread by thread, with the types that Flow finds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np
from support.numbapro_values import Val, convert

from support import numbapro_values as values

from .numbapro_flow import Definition, Flow


class Jump(Exception):
    """break or continue, on its way to the loop."""


class Returned(Exception):
    """The values that a function gives, on their way to the call."""


class Machine:
    """One thread: its variables, and the arrays of all."""

    def __init__(self, flow: Flow, arrays: dict[str, np.ndarray], scalars: dict[str, Val]):
        self.flow = flow
        self.arrays = arrays
        self.variables: dict[str, tuple[Definition, Val]] = {}
        self.scalars = scalars
        self.returned: tuple[Val, ...] = ()

    def run(self, function: ast.FunctionDef) -> Iterator[None]:
        """Stops at each barrier."""
        for argument in function.args.args:
            if argument.arg in self.scalars:
                self.define(argument, self.scalars[argument.arg])
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
                    return
        yield from self.block(s.orelse)

    def counted(self, s: ast.For) -> Iterator[None]:
        t = self.flow.definitions[self.flow.definition_of[s.target]].type
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

    def define(self, node: ast.AST, v: Val) -> None:
        number = self.flow.definition_of[node]
        d = self.flow.definitions[number]
        self.variables[d.name] = (d, convert(self.flow.web_type(number), v) if d.keeps else v)

    def read(self, name: ast.Name) -> Val:
        _, v = self.variables[name.id]
        return convert(self.flow.read_type(name), v)

    def place(self, target: ast.Subscript) -> tuple[np.ndarray, str, tuple[int, ...]]:
        array = self.arrays[target.value.id]
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

    def value(self, e: ast.AST) -> Val:
        match e:
            case ast.Constant(value=number):
                return values.literal(number)
            case ast.Name():
                return self.read(e)
            case ast.Subscript(value=ast.Name()):
                return self.load(e)
            case ast.Subscript(value=ast.Attribute(value=array, attr=name), slice=at):
                whole = getattr(self.arrays[array.id], name)[self.value(at).number]
                return Val("int64", whole)
            case ast.Attribute(value=value, attr="real" | "imag" as name):
                return values.part(self.value(value), name)
            case ast.Attribute(value=array, attr=name):
                return Val("int64", getattr(self.arrays[array.id], name))
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
                return convert(self.flow.type_of(e), self.value(chosen))
            case ast.Call():
                return self.called(e)
        raise AssertionError(ast.dump(e))

    def decided(self, e: ast.AST, is_and: bool, first: Val, second: ast.AST) -> Val:
        chosen = first if values.truth(first) != is_and else self.value(second)
        return convert(self.flow.type_of(e), chosen)

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
        types = self.flow.argument_types(e)
        flow = library.flow(name, types)
        function = library.functions[name]
        declared = library.declared(name)
        arrays, scalars = {}, {}
        for argument, given, t in zip(function.args.args, e.args, types, strict=True):
            if t.endswith("[]"):
                arrays[argument.arg] = self.arrays[given.id]
                continue
            scalars[argument.arg] = self.value(given)
        if declared:
            for (name_, v), t in zip(list(scalars.items()), declared.arguments, strict=True):
                scalars[name_] = convert(t, v)
        machine = Machine(flow, arrays, scalars)
        for _ in machine.run(function):
            raise AssertionError("a barrier in a device function")
        result_types = library.results(name, types)
        return [convert(t, v) for t, v in zip(result_types, machine.returned, strict=True)]

    def called(self, e: ast.Call) -> Val:
        if self.is_function(e):
            return self.results(e)[0]
        if isinstance(e.func, ast.Name) and e.func.id == "len":
            return Val("int64", len(self.arrays[e.args[0].id]))
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
        return convert(self.flow.type_of(e), *arguments)
