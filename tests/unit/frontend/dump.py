"""Reads test programs and writes them as text for the C++ tests: dump.py <output> <node.def> <program>

A program file holds functions decorated with `case` (see below) and whatever they use. Every case becomes one program:
its functions as syntax trees with the meaning of their free names, its argument types, and for a case that runs, its
arguments and what plain Python makes of them, one thread after the other.

`types.txt` files hold one expression a line:  name: type, ... | expression | expected type (or `! message`)
"""

import ast
import builtins
import contextlib
import itertools
import math
import re
import sys

import numpy as np


def read_node_def(path):
    nodes = {}
    for name, fields in re.findall(r"^NODE\((\w+), (.*)\)$", open(path).read(), re.M):
        nodes[name] = [
            (macro, args.split(", ")[-1])
            for macro, args in re.findall(r"(\w+)\(([^)]*)\)", fields)
        ]
    return nodes


class Entity:
    """Stands for an object of cuda.device that has no meaning in plain Python."""

    def __init__(self, name):
        self.name = name


class Position:
    def __init__(self, name):
        self.name = name
        self.at = (0, 0, 0)

    x = property(lambda self: self.at[0])
    y = property(lambda self: self.at[1])
    z = property(lambda self: self.at[2])

    def __iter__(self):
        return iter(self.at)

    def __getitem__(self, i):
        return self.at[i]

    def __len__(self):
        return 3


class Device:
    """The module `device` as plain Python sees it."""

    __name__ = "device"
    positions = ("thread_idx", "block_idx", "block_dim", "grid_dim")
    formats = [f"{s}int{n}" for s in ("", "u") for n in (8, 16, 32, 64)] + ["float32", "float64"]

    def __init__(self):
        for name in self.positions:
            setattr(self, name, Position("device." + name))
        for name in self.formats:
            setattr(self, name, getattr(np, name))

    def tid(self, n):
        t = tuple(a + b * c for a, b, c in zip(self.thread_idx, self.block_idx, self.block_dim))
        return t[0] if n == 1 else t[:n]

    def grid_size(self, n):
        s = tuple(a * b for a, b in zip(self.block_dim, self.grid_dim))
        return s[0] if n == 1 else s[:n]

    def popc(self, x):
        return bin(int(x) & 0xFFFFFFFF).count("1")

    # Names that the table knows and plain Python does not.
    later = ("syncthreads", "shared_array", "brev", "clz", "ffs", "cbrt", "fma", "lane_id", "warp_size",
             "shfl_sync", "shfl_up_sync", "shfl_xor_sync", "match_any_sync", "match_all_sync")

    def __getattr__(self, name):
        if name in self.later:
            return Entity("device." + name)
        raise AttributeError(name)


device = Device()
CASES = []


def case(*types, args=None, grid=1, block=1, name=None, dialect="Device"):
    """types: argument types as text. args: run it with these arguments too."""

    def decorate(f):
        CASES.append((name or plain(f).__name__, f, types, args, grid, block, dialect))
        return f

    return decorate


def mark(kind):
    def decorate(f):
        f.kind = kind
        return f

    return decorate


kernel, func = mark("Kernel"), mark("Func")


def plain(f):
    return f


# --- text ---


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def bound_names(node):
    """The names that are assigned in a piece of source."""
    parts = list(ast.walk(node))
    names = {n.id for n in parts if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return sorted(names | {n.name for n in parts if isinstance(n, ast.ExceptHandler) and n.name})


def span(node):
    if not hasattr(node, "lineno"):
        return "0 0 0 0"
    return f"{node.lineno} {node.col_offset} {node.end_lineno} {node.end_col_offset}"


def value(v):
    match v:
        case None:
            return "None"
        case bool():
            return f"Bool {int(v)}"
        case np.generic():
            inner = value(v.item())
            return f"Typed {v.dtype.name} {inner}"
        case int() if not -(2**127) <= v < 2**127:
            return f"BigInt {v}"
        case int():
            return f"Int {v}"
        case float():
            return f"Float {v.hex()}"
        case complex():
            return "Complex"
        case str():
            return f"String {quote(v)}"
        case tuple():
            return f"Tuple {len(v)} " + " ".join(value(e) for e in v)
        case _ if v is ...:
            return "Ellipsis"
    return f"Other {quote(type(v).__name__)}"


class Program:
    def __init__(self, nodes, path, tree, environment):
        self.nodes, self.path, self.environment = nodes, path, environment
        self.definitions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
        for n in tree.body:
            if isinstance(n, ast.Assign) and isinstance(n.value, ast.Lambda):
                self.definitions[n.targets[0].id] = n.value
        self.functions = []
        self.texts = []

    def index(self, f):
        names = [n for n, d in self.definitions.items() if self.environment.get(n) is f]
        if names[0] not in self.functions:
            self.functions.append(names[0])
            self.texts.append(None)
            place = len(self.texts) - 1
            self.texts[place] = self.function(names[0], f)
        return self.functions.index(names[0])

    def binding(self, v):
        if isinstance(v, type) and issubclass(v, (np.generic, int, float)):
            prefix = "builtins." if v in (int, float, bool) else "device."
            return f"Entity {quote(prefix + v.__name__)}"
        if isinstance(v, (Position, Entity)):
            return f"Entity {quote(v.name)}"
        if isinstance(v, (Device, type(math))):
            return f"Module {quote(v.__name__)}"
        for module, prefix in ((math, "math."), (device, "device."), (builtins, "builtins.")):
            if callable(v) and getattr(module, getattr(v, "__name__", "?"), None) in (v,):
                return f"Entity {quote(prefix + v.__name__)}"
        if isinstance(v, type(device.tid)) and v.__self__ is device:
            return f"Entity {quote('device.' + v.__name__)}"
        if v in [self.environment.get(n) for n in self.definitions] and callable(v):
            return f"Function {self.index(v)}"
        if value(v).startswith("Other"):
            return f"Object {quote(type(v).__name__)}"
        return f"Constant {value(v)}"

    def lookup(self, node):
        """The object a name or attribute chain stands for, or `self` where there is none."""
        if isinstance(node, ast.Name):
            if node.id in self.locals:
                return self
            return self.environment.get(node.id, getattr(builtins, node.id, KeyError))
        base = self.lookup(node.value) if isinstance(node.value, (ast.Name, ast.Attribute)) else self
        if base is self or not isinstance(base, (Device, type(math))):
            return self
        return getattr(base, node.attr, KeyError)

    def node(self, n):
        if n is None:
            return "-"
        name = type(n).__name__
        if name not in self.nodes:
            return f"(Unsupported {span(n)} {quote(name)} {quote(' '.join(bound_names(n)))})"
        out = [f"({name} {span(n)}"]
        for macro, field in self.nodes[name]:
            out.append(self.field(macro, getattr(n, field)))
        text = " ".join(out) + ")"
        if isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Load):
            found = self.lookup(n)
            if found is not self:
                bound = "Undefined" if found is KeyError else self.binding(found)
                return f"@ {bound} {text}"
        return text

    def field(self, macro, v):
        match macro:
            case "CHILD" | "OPT":
                return self.node(v)
            case "CHILDREN":
                return f"[ {' '.join(self.node(e) for e in v)} ]"
            case "TEXT" | "TEXT_AS":
                return quote(v or "")
            case "OPER":
                return quote(type(v).__name__)
            case "OPERS":
                return f"[ {' '.join(quote(type(e).__name__) for e in v)} ]"
            case "TEXTS":
                return f"[ {' '.join(quote(e) for e in v)} ]"
        return value(v)

    def function(self, name, f):
        definition = self.definitions[name]
        previous, self.locals = getattr(self, "locals", None), set(f.__code__.co_varnames)
        body = definition.body
        if isinstance(definition, ast.Lambda):
            returned = ast.Return(body)
            ast.copy_location(returned, body)
            body = [returned]
        defaults = [self.binding(d) for d in f.__defaults__ or ()]
        kw = [(f.__kwdefaults__ or {}).get(a.arg, KeyError) for a in definition.args.kwonlyargs]
        kw_defaults = ["Undefined" if d is KeyError else self.binding(d) for d in kw]
        text = "\n".join([
            f"function {quote(name)} {getattr(f, 'kind', 'Plain')} {span(definition)}",
            self.node(definition.args),
            f"[ {' '.join(self.node(s) for s in body)} ]",
            self.node(getattr(definition, "returns", None)),
            f"[ {' '.join(defaults)} ] [ {' '.join(kw_defaults)} ]",
        ])
        self.locals = previous
        return text


def run(f, args, grid, block):
    """What plain Python makes of the launch: the arrays afterwards."""
    grid, block = (tuple(np.atleast_1d(d)) + (1, 1) for d in (grid, block))
    grid, block = grid[:3], block[:3]
    device.block_dim.at, device.grid_dim.at = block, grid
    after = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    with np.errstate(all="ignore"):
        for b in itertools.product(*(range(int(n)) for n in reversed(grid))):
            for t in itertools.product(*(range(int(n)) for n in reversed(block))):
                device.block_idx.at, device.thread_idx.at = b[::-1], t[::-1]
                f(*after)
    return after


def arrays_text(args):
    out = []
    for a in args:
        if isinstance(a, np.ndarray):
            shape = " ".join(map(str, a.shape))
            strides = " ".join(map(str, a.strides))
            data = " ".join(float(e).hex() if a.dtype.kind == "f" else str(int(e)) for e in a.flat)
            out.append(f"array {a.ndim} {shape} {strides} {a.size} {data}")
        else:
            out.append(f"scalar {value(a)}")
    return out


def write(nodes, path, text, lines, name, environment, f, types, args, grid, block, dialect):
    program = Program(nodes, path, ast.parse(text), environment)
    program.index(f)
    print(f"case {quote(name)} {dialect}")
    print(f"file {quote(path.rsplit('/')[-1])} {len(lines)}")
    for line in lines:
        print(quote(line))
    print(f"types {len(types)} {' '.join(quote(t) for t in types)}")
    print(f"functions {len(program.texts)}")
    print("\n".join(program.texts))
    if args is None:
        print("end")
        return
    dims = [" ".join(map(str, (tuple(np.atleast_1d(d)) + (1, 1))[:3])) for d in (grid, block)]
    print(f"run {dims[0]} {dims[1]} {len(args)}")
    print("\n".join(arrays_text(args) + arrays_text(run(f, args, grid, block))))
    print("end")


def program_cases(nodes, path):
    text = open(path).read()
    CASES.clear()
    environment = {"device": device, "math": math, "np": np, "case": case, "kernel": kernel, "func": func}
    exec(compile(text, path, "exec"), environment)
    for name, f, *rest in list(CASES):
        write(nodes, path, text, text.split("\n"), name, environment, f, *rest)


def type_cases(nodes, path):
    for line in open(path):
        line = line.rstrip("\n")
        if not line.strip() or line.startswith("#"):
            continue
        parameters, expression, expected = (p.strip() for p in (" " + line).rsplit(" | ", 2))
        typed = [p.split(":") for p in re.split(r",\s*(?=\w+:)", parameters) if p]
        names, types = [t[0].strip() for t in typed], [t[1].strip() for t in typed]
        text = f"def f({', '.join(names)}): return {expression}"
        environment = {"device": device, "math": math}
        exec(text, environment)
        name = f"{parameters} | {expression} | {expected}"
        write(nodes, path, text, [text], name, environment, environment["f"], types, None, 1, 1, "Device")


def main():
    output, node_def, path = sys.argv[1:]
    nodes = read_node_def(node_def)
    with open(output, "w") as out, contextlib.redirect_stdout(out):
        (type_cases if path.endswith(".txt") else program_cases)(nodes, path)


main()
