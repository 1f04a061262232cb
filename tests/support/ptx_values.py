"""What the instructions of a warp are given in PTX, and what is stored: each register as the
expression that it holds. Code is a straight line, which no register leaves.

A parameter is `p2`, what is loaded `value` (and of two at once `value.0` and `value.1`). Registers
of 64 bits that are made of two are `join(low, high)`, taken apart `low(...)` and `high(...)`.
"""

from __future__ import annotations

import re

_INSTRUCTION = re.compile(r"^\s*(?:@!?%p\d+\s+)?([a-z][\w.:]*)\s*(.*?);", re.MULTILINE)
_OF_WARPS = ("shfl", "vote", "match", "bar.warp", "activemask")
_ALL = str(0xFFFFFFFF)


def _operands(text: str) -> list[str]:
    """At commas that are not between braces."""
    return [part.strip() for part in re.split(r",(?![^{]*\})", text)] if text else []


def _parts(operand: str) -> list[str]:
    """Of {a, b}, or of a|b."""
    return [part.strip() for part in re.split(r"[,|]", operand.strip("{}"))]


def _low(value: str) -> str:
    shifted = re.fullmatch(r"shifted\((.*)\)", value)
    return f"high({shifted[1]})" if shifted else f"low({value})"


class _Line:
    """The registers, and what has been seen so far."""

    def __init__(self) -> None:
        self.registers: dict[str, str] = {}
        self.operations: list[str] = []
        self.stores: list[str] = []

    def value(self, operand: str) -> str:
        if operand.startswith("{"):
            return f"join({', '.join(map(self.value, _parts(operand)))})"
        return "-1" if operand == _ALL else self.registers.get(operand, operand)

    def run(self, name: str, operands: list[str]) -> None:
        if name.startswith("st."):
            values = _parts(operands[1])
            self.stores += [self.value(v) for v in values]
        elif name.startswith(_OF_WARPS):
            self.operation(name, operands)
        elif operands:
            result = self.result(name, operands)
            names = _parts(operands[0])
            values = [result] if len(names) == 1 else self.split(name, result, len(names))
            self.registers.update(zip(names, values, strict=True))

    def operation(self, name: str, operands: list[str]) -> None:
        given = operands if name.startswith("bar.") else operands[1:]
        text = f"{name}({', '.join(map(self.value, given))})"
        self.operations.append(text)
        if given is not operands:
            results = _parts(operands[0])
            self.registers.update(zip(results, (text, f"whether {text}"), strict=False))

    @staticmethod
    def split(name: str, result: str, count: int) -> list[str]:
        if name.startswith("ld."):
            return [f"{result}.{k}" for k in range(count)]
        return [f"low({result})", f"high({result})"]

    def result(self, name: str, operands: list[str]) -> str:
        given = [self.value(operand) for operand in operands[1:]]
        kind, *types = name.split(".")
        if kind == "ld":
            parameter = re.search(r"_param_(\d+)", operands[1]) if "param" in types else None
            return f"p{parameter[1]}" if parameter else "value"
        if kind == "mov":
            return given[0]
        if kind == "setp":
            return f"{types[0]}({', '.join(given)})"
        if kind == "selp" and given[:2] == ["1", "0"]:
            return given[2]
        if kind == "cvt" and types == ["u32", "u64"]:
            return _low(given[0])
        if kind == "cvt" and types == ["u64", "u32"]:
            return f"wide({given[0]})"
        if kind == "shr" and given[1] == "32":
            return f"shifted({given[0]})"
        if kind == "or" and types == ["b64"]:
            return self.joined(*given)
        return f"{name}({', '.join(given)})"

    @staticmethod
    def joined(left: str, right: str) -> str:
        high = re.fullmatch(r"shl\.b64\(wide\((.*)\), 32\)", left)
        low = re.fullmatch(r"wide\((.*)\)", right)
        return f"join({low[1]}, {high[1]})" if high and low else f"or({left}, {right})"


def operations_and_stores(ptx: str) -> tuple[list[str], list[str]]:
    """The instructions of a warp in one kernel, sorted, and the values it stores, in order."""
    line = _Line()
    for name, operands in _INSTRUCTION.findall(ptx):
        line.run(name, _operands(operands))
    return sorted(line.operations), line.stores
