"""Runs one generated program on a target or on the model, and compares."""

from __future__ import annotations

import contextlib
import functools
import io
import linecache
import pickle
import random
import traceback
from dataclasses import dataclass
from typing import NamedTuple

import cloudpickle
import numpy
from cuda import device as D
from cuda.device import _testing
from support.targets import available, on_this_machine

from . import enumerations, groups, model, records, struct_types
from .arrays import Arrays, flat
from .expression_tree import Array, Thread
from .generate import generate
from .generate_blocks import generate_blocks
from .memory import Placed, place
from .positions import Positions
from .program import Program, run_block
from .random_numbers import interesting, numbers
from .reports import Said, lines_of, told, wrong_reports
from .views import View, argument_of


class Ran(NamedTuple):
    outputs: dict[str, numpy.ndarray]
    said: Said


@dataclass
class Case:
    seed: int
    program: Program
    at: Positions
    arrays: Arrays
    memory: dict[str, Placed]  # by array; second names have none
    initial: dict[str, numpy.ndarray]
    scalars: dict[str, object]
    types: dict[str, str]  # of scalars
    beyond_cache: bool
    views: dict[str, View]  # arrays that are parts of arguments
    record_arrays: Arrays
    record_values: dict[str, tuple]  # of arguments: as the launch takes them, and as the model does
    group: list[str]  # parameters that are attributes of a struct

    def arguments(self) -> list:
        arrays = [*self.arrays.inputs, *self.arrays.outputs]
        given = {
            argument_of(name) if name in self.views else name: self.argument(name)
            for name in arrays
        }
        group = [given.pop(name) for name in self.group]
        numbers = [*given.values(), *self.scalars.values()]
        records = [*self.record_arrays.inputs, *self.record_arrays.outputs]
        arrays = [self.memory[name].array for name in records]
        values = [host for host, _ in self.record_values.values()]
        return [*numbers, *arrays, *values, *([groups.struct_of(*group)] if group else [])]

    def outputs(self) -> dict[str, str]:
        return self.arrays.outputs | self.record_arrays.outputs

    def argument(self, name: str) -> numpy.ndarray:
        if name in self.views:
            return self.views[name].argument(self.memory[name].array)
        if name not in self.arrays.same:
            return self.memory[name].array
        other, first = self.arrays.same[name]
        return self.memory[other].array[first:]


def kept(array: numpy.ndarray) -> numpy.ndarray:
    return array


def has_structs(generator) -> bool:
    types = (generator.record_arrays.outputs | generator.record_arguments).values()
    return any(struct_types.is_struct(t) for t in types)


def make_case(seed: int, blocks: bool = False, atomics: bool = False) -> Case:
    make = functools.partial(generate_blocks if blocks else generate, atomics=atomics)
    width = 64 if random.Random(seed ^ 0x64B17).random() < 0.3 else 32
    model.use_builtins(width)
    generator, program = make(seed)
    if width == 64 and has_structs(generator):  # whose int has 32 bits
        width = 32
        model.use_builtins(width)
        generator, program = make(seed)
    program.builtins = width
    # A rule that the interpreter follows too; what is estimated, only runs (test_fuzz.py).
    program.fastmath = "{'reassociate'}" if seed % 2 else ""
    rng, arrays = random.Random(seed ^ 0x5EED), generator.arrays
    memory, initial = {}, {}
    with numpy.errstate(all="ignore"):
        for name, t in (arrays.inputs | arrays.outputs).items():
            if name not in arrays.same:
                view = generator.views.get(name)
                drawn = numbers(rng, t, view.base if view else arrays.shapes[name])
                initial[name] = arrays.start.get(name, kept)(drawn)
                memory[name] = place(rng, initial[name], bool(view and view.contiguous))
        scalars = {}
        for name, t in generator.scalars.items():
            value = generator.at.extents.get(name) or interesting(rng, t)
            scalars[name] = value if t in ("int", "float") else model.NUMPY[t](value)
    if "s_float" in scalars and abs(scalars["s_float"]) > 1e38:
        scalars["s_float"] = 1.5
    types, beyond = generator.scalars, generator.beyond_cache
    at, views = generator.at, generator.views
    of_records, values = generator.record_arrays, record_values(rng, generator.record_arguments)
    with numpy.errstate(all="ignore"):
        for name, t in (of_records.inputs | of_records.outputs).items():
            shape = of_records.shapes[name]
            drawn = records.filled(t, shape, functools.partial(numbers, rng, shape=shape))
            initial[name] = arrays.start.get(name, kept)(drawn)
            memory[name] = place(rng, initial[name])
    return Case(
        *(seed, program, at, arrays, memory, initial, scalars, types, beyond, views),
        *(of_records, values, generator.group),
    )


def record_values(rng: random.Random, types: dict[str, str]) -> dict[str, tuple]:
    def of_field(t: str):
        value = interesting(rng, t)
        known = scalar(t, model.NUMPY[model.machine(t)](value)).number
        host = float(known) if t == "float" else value if t in ("int", "b1") else known
        return host, known

    with numpy.errstate(all="ignore"):
        return {name: records.argument(t, of_field) for name, t in types.items()}


def compiled(case: Case, fmad: bool):
    source = case.program.source(fmad)
    filename = f"<fuzz {case.seed} fmad={fmad}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    tables = {name: table.array for name, table in case.program.tables.items()}
    namespace: dict[str, object] = {**enumerations.NAMES, **tables}
    exec(compile(source, filename, "exec"), namespace)
    kernel = namespace["kernel"]
    return as_it_arrives(kernel) if travels(case.seed) else kernel


def travels(seed: int) -> bool:
    """Whether the program is one of those that run as they come from another process."""
    return seed % 8 == 3


def as_it_arrives(kernel):
    text = cloudpickle.dumps(kernel)
    del linecache.cache[kernel.underlying.__code__.co_filename]  # it is not there
    return pickle.loads(text)


def cache_of(case: Case):
    """What counts as larger than the cache: this machine's, or everything."""
    return _testing.beyond_cache(1) if case.beyond_cache else contextlib.nullcontext()


def assembled(target: str, seed: int) -> str:
    """Each of many programs is assembled for one architecture: "ptx" takes turns."""
    all_of_them = _testing.architectures()
    return all_of_them[seed % len(all_of_them)] if target == "ptx" else on_this_machine(target)


def run_target(case: Case, kernel, target: str) -> Ran:
    outputs = {name: case.memory[name] for name in case.outputs()}
    for name, placed in outputs.items():
        placed.fill(case.initial[name])
    said, text = Said(), io.StringIO()
    with _testing.use_target(assembled(target, case.seed)), cache_of(case):
        try:
            with contextlib.redirect_stdout(text):
                D.launch(kernel, *case.arguments(), grid=case.at.grid, block=case.at.block)
        except D.errors.KernelFailure as failure:
            said.failures.add(told(failure))
    said.lines = lines_of(text.getvalue())
    return Ran({name: placed.take(name) for name, placed in outputs.items()}, said)


def own_arrays(arrays: dict) -> dict:
    """Nothing in them yet: what is read before it is stored fails."""
    return {
        name: Array(t, [None] * flat(shape), shape if isinstance(shape, tuple) else (shape,))
        for name, (t, shape) in arrays.items()
    }


def run_blocks(case: Case, scalars: dict, arrays: dict, said: Said) -> None:
    size = case.at.block_size()
    for first in range(0, case.at.threads(), size):
        shared = own_arrays(case.program.shared)
        threads = []
        for k in range(first, first + size):
            variables = dict(scalars) | position(case, k) | {"nt": model.Val("i4", size)}
            own = arrays | shared | own_arrays(case.program.local)
            threads.append(Thread(variables, own, said))
        run_block(case.program, threads)


def position(case: Case, thread: int) -> dict[str, model.Val]:
    types = case.at.types
    return {v: model.Val(types[v], int(every[thread])) for v, every in case.at.every.items()}


def scalar(t: str, value: object) -> model.Val:
    if t == "float":
        return model.Val(t, model.NUMPY[model.machine(t)](value))
    if model.is_float(t):
        return model.Val(t, value)
    return model.Val(t, bool(value) if t == "b1" else int(value))


def run_model(case: Case) -> Ran:
    model.use_builtins(case.program.builtins)
    said = Said()
    arrays = {name: table.known() for name, table in case.program.tables.items()}
    types = case.arrays.inputs | case.record_arrays.inputs | case.outputs()
    for name, a in case.initial.items():
        t = types[name]
        values = records.values_of(t, a)
        arrays[name] = Array(t, values, a.shape)
        if view := case.views.get(name):
            places = view.places()
            arrays[name] = Array(t, values, places.shape, places)
    for name, (other, first) in case.arrays.same.items():
        same = arrays[other]
        values = same.numbers[first:] if first else same.numbers
        arrays[name] = Array(same.type, values, case.arrays.shapes[name])
    scalars = {name: scalar(t, case.scalars[name]) for name, t in case.types.items()}
    for name, (_, value) in case.record_values.items():
        scalars[name] = model.Val(name.removeprefix("t_"), value)
    with numpy.errstate(all="ignore"):
        if case.program.shared:
            run_blocks(case, scalars, arrays, said)
        else:
            for k in numpy.flatnonzero(case.at.inside()):
                run_block(case.program, [Thread(scalars | position(case, k), arrays, said)])
        outputs = {
            name: records.array_of(t, arrays[name].numbers, initial.dtype).reshape(initial.shape)
            for name, t in case.outputs().items()
            for initial in [case.initial[name]]
        }
        return Ran(outputs, said)


def runs_here(target: str) -> bool:
    """Whether this machine can run a target; "x8" after a name: gangs of 8 lanes, and so on."""
    return available(target)


def require(targets: list[str]) -> list[str]:
    """The targets, all of which must run here: a run that leaves some out would look like success.

    Raises ValueError that names those which do not.
    """
    missing = [target for target in targets if not runs_here(target)]
    if missing:
        known = ", ".join(_testing.targets())
        raise ValueError(f"this machine cannot run {', '.join(missing)}; it can run {known}")
    return targets


def unequal(a: numpy.ndarray, b: numpy.ndarray) -> numpy.ndarray:
    """Elements with other bits, as a mask; all NaNs count as equal."""
    if a.dtype.names:
        fields = [unequal(a[name], b[name]) for name in a.dtype.names]
        # Of a field that is an array: whether any of its elements differs.
        return numpy.any([f.reshape(*a.shape, -1).any(-1) for f in fields], axis=0)
    if a.dtype.kind == "c":
        return unequal(a.real, b.real) | unequal(a.imag, b.imag)
    if a.dtype.kind not in "fV":  # ml_dtypes' are V
        return a != b
    bits = f"u{a.dtype.itemsize}"
    return (a.view(bits) != b.view(bits)) & ~(numpy.isnan(a) & numpy.isnan(b))


def told_differently(case: Case, left: str, right: str, wrong: str, source: str) -> str:
    return (
        f"seed {case.seed}: {right} {wrong} ({left})\n"
        f"grid {case.at.grid}, block {case.at.block}, scalars {case.scalars}\n{source}"
    )


def difference(case: Case, left: str, x: Ran, right: str, y: Ran, source: str) -> str | None:
    if wrong := wrong_reports(x.said, y.said, by_model=left == MODEL):
        return told_differently(case, left, right, wrong, source)
    a, b = (
        {name: case.arrays.seen.get(name, kept)(o) for name, o in ran.outputs.items()}
        for ran in (x, y)
    )
    for name in a if not x.said.failures else ():
        where = numpy.argwhere(unequal(a[name], b[name]))
        if not len(where):
            continue
        at = tuple(where[0].tolist())
        return (
            f"seed {case.seed}: {name}{list(at)} is {a[name][at]!r} by {left}, "
            f"{b[name][at]!r} by {right} ({len(where)} of {a[name].size} differ)\n"
            f"grid {case.at.grid}, block {case.at.block}, scalars {case.scalars}"
            f"{', beyond the cache' if case.beyond_cache else ''}\n{source}"
        )
    return None


MODEL = "the model"
BOTH = (False, True)


def by_turns(seed: int) -> tuple[bool, ...]:
    """With contraction or without: bits of the number that decide nothing else of a program."""
    return (bool(seed >> 3 & 1),)


def check(
    seed: int,
    targets: list[str],
    blocks: bool = False,
    fmad: tuple[bool, ...] = BOTH,
    atomics: bool = False,
) -> str | None:
    """None, or what is wrong with a program: what differs between the targets, and (without
    contraction) the model; what was written around an array; what was raised."""
    try:
        return differs(make_case(seed, blocks, atomics), targets, fmad)
    except Exception:
        return f"seed {seed}: {traceback.format_exc()}"


def differs(case: Case, targets: list[str], contracted: tuple[bool, ...]) -> str | None:
    for fmad in contracted:
        kernel = compiled(case, fmad)
        source = case.program.source(fmad)
        first = run_model(case) if not fmad else run_target(case, kernel, targets[0])
        name = MODEL if not fmad else targets[0]
        for target in targets if not fmad else targets[1:]:
            found = difference(case, name, first, target, run_target(case, kernel, target), source)
            if found:
                return found
    return None
