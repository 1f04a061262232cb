"""Runs kernels of NumbaPro's dialect, thread by thread, with the types that Flow finds."""

from __future__ import annotations

import ast

import numpy as np

from . import numbapro_values as values
from .numbapro_flow import Definition, Flow
from .numbapro_values import Val, convert


class Jump(Exception):
    """break or continue, on its way to the loop."""


class Machine:
    """One thread: its variables, and the arrays of all."""

    def __init__(self, flow: Flow, arrays: dict[str, np.ndarray], scalars: dict[str, Val]):
        self.flow = flow
        self.arrays = arrays
        self.variables: dict[str, tuple[Definition, Val]] = {}
        self.scalars = scalars

    def run(self, function: ast.FunctionDef) -> None:
        for argument in function.args.args:
            if argument.arg in self.scalars:
                self.define(argument, self.scalars[argument.arg])
        self.block(function.body)

    # --- statements ---

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, s: ast.stmt) -> None:
        match s:
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
                self.block(s.body if values.truth(self.value(test)) else s.orelse)
            case ast.For():
                self.loop(s, self.counted(s))
            case ast.While():
                self.loop(s, self.repeated(s))
            case ast.Break() | ast.Continue():
                raise Jump(type(s).__name__)
            case ast.Pass() | ast.Expr():
                pass
            case _:
                raise AssertionError(ast.dump(s))

    def loop(self, s: ast.For | ast.While, iterations) -> None:
        for _ in iterations:
            try:
                self.block(s.body)
            except Jump as jump:
                if jump.args[0] == "Break":
                    return
        self.block(s.orelse)

    def counted(self, s: ast.For):
        t = self.flow.definitions[self.flow.definition_of[s.target]].type
        bounds = [convert(t, self.value(each)).number for each in s.iter.args]
        for each in range(*bounds):
            self.define(s.target, Val(t, each))
            yield

    def repeated(self, s: ast.While):
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

    def place(self, target: ast.Subscript) -> tuple[np.ndarray, str, int]:
        array = self.arrays[target.value.id]
        return array, array.dtype.name, int(self.value(target.slice).number)

    def load(self, target: ast.Subscript) -> Val:
        array, t, at = self.place(target)
        number = array[at]
        return Val(t, number if values.is_float(t) else number.item())

    def store(self, target: ast.Subscript, v: Val) -> None:
        array, t, at = self.place(target)
        array[at] = convert(t, v).number

    # --- expressions ---

    @staticmethod
    def sign(op: ast.operator) -> str:
        return values.SIGNS[type(op).__name__]

    def value(self, e: ast.AST) -> Val:
        match e:
            case ast.Constant(value=number):
                return values.literal(number)
            case ast.Name():
                return self.read(e)
            case ast.Subscript():
                return self.load(e)
            case ast.BinOp(left=left, op=op, right=right):
                return values.binary(self.sign(op), self.value(left), self.value(right))
            case ast.UnaryOp(op=op, operand=operand):
                return values.unary(type(op).__name__, self.value(operand))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return values.compare(type(op).__name__, self.value(left), self.value(right))
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

    def called(self, e: ast.Call) -> Val:
        arguments = [self.value(each) for each in e.args]
        match e.func:
            case ast.Attribute(attr=name):
                return values.math_call(name, arguments)
            case ast.Name(id="min" | "max" as name):
                return values.least(*arguments, largest=name == "max")
            case ast.Name(id="abs"):
                return values.absolute(*arguments)
        return convert(self.flow.type_of(e), *arguments)
