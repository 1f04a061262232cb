"""What random programs do with vectors and structs: half of the plain ones have some."""

from __future__ import annotations

import random

from . import model, other_numbers, struct_types
from .arrays import Arrays
from .expression_tree import Binary, Call, Cast, Conditional, Element, Literal, Variable
from .expressions import ARITHMETIC, BITWISE, Expressions
from .model import is_record
from .program import Assign, Join, Store
from .records import (
    Component,
    Converted,
    Equal,
    Field,
    FieldStore,
    Make,
    Replaced,
    SetComponent,
    Sum,
    Unpack,
    VectorBinary,
    VectorUnary,
    kind_of,
    vector_code,
)
from .sub_arrays import INPUT, OUTPUT, SubArrays

STRUCTS = ("first", "second")  # of the program: struct_types.py
OTHER_KINDS = ("second", "second", "f2x4", "bfx2", "i1x3", "u8x2", "i4x1")
KINDS = ("f4x2", "f4x3", "f4x4", "i4x3", "u1x4", "f8x2", "i2x1", "first")


class Records(Expressions):
    """Makes expressions and statements of records, where a program has any."""

    frozen: set[str]
    record_arrays: Arrays  # of records; the others are in `arrays`
    record_arguments: dict[str, str]  # the type of each
    within_record: bool  # whose parts are no parts of others, or expressions would have no end

    def choose_records(self, seed: int, n: int) -> None:
        """By numbers of its own: programs without records stay what they are."""
        self.record_arrays, self.record_arguments, self.within_record = Arrays(), {}, False
        if SubArrays.wanted(seed):
            t = struct_types.dtype_of(seed)
            self.record_arrays.inputs[INPUT] = self.record_arrays.outputs[OUTPUT] = t
            self.record_arrays.shapes |= {INPUT: (n + seed % 7,), OUTPUT: (n + seed % 5,)}
        for t in other_numbers.OtherNumbers.chosen(seed):
            for name, arrays in (
                (other_numbers.input_of(t), self.record_arrays.inputs),
                (other_numbers.output_of(t), self.record_arrays.outputs),
            ):
                arrays[name], self.record_arrays.shapes[name] = t, (n + seed % 3,)
        rng = random.Random(seed ^ 0xEC08D)
        if rng.random() < 0.5:
            return
        first, second = rng.sample(KINDS, 2)
        if (other := random.Random(f"{seed} has other records")).random() < 0.7:
            second = other.choice(OTHER_KINDS)
            first = "first" if other.random() < 0.5 else first
        first, second = (
            struct_types.struct_of(seed, STRUCTS.index(t)) if t in STRUCTS else t
            for t in (first, second)
        )
        arrays = self.record_arrays
        names = f"r_{first}", f"q_{first}", f"q_{second}"
        arrays.inputs |= {names[0]: first}
        arrays.outputs |= {names[1]: first, names[2]: second}
        for name in names:
            arrays.shapes[name] = (n + rng.choice((0, 0, 9, 70)),)
        self.record_arguments = {f"t_{k}": k for k in (first, second)}

    def has_records(self) -> bool:
        return bool(self.record_arguments) and not self.within_record

    def record_variables(self) -> dict[str, str]:
        found = {}
        for scope in self.scopes:
            found |= {v: t for v, t in scope.items() if is_record(t)}
        return found

    # --- expressions ---

    def record_leaf(self, types):
        """A number that is part of a record; None: none of these types."""
        self.within_record = True
        record = self.record(1)
        self.within_record = False
        place, (_, code) = self.random.choice(list(enumerate(kind_of(record.type).fields)))
        if kind_of(record.type).lanes and self.chance(0.2):
            found = Component(code, record, self.somewhere_in(kind_of(record.type).lanes))
        elif kind_of(record.type).lanes and self.chance(0.15):
            total = "int"
            for _ in kind_of(record.type).fields:
                total = model.binary_type("+", total, code)
            found = Sum(total, record)
        else:
            kind = kind_of(record.type)
            by_view = not kind.lanes and isinstance(record, Element) and self.chance(0.4)
            by_view = by_view and not kind.is_tuple
            found = Field(code, record, place, bool(kind.lanes) and self.chance(0.4), by_view)
        while is_record(found.type):
            place, (_, code) = self.random.choice(list(enumerate(kind_of(found.type).fields)))
            found = Field(code, found, place)
        if found.type in model.EIGHT_BITS:
            return None
        return found if types is None or found.type in types else None

    def somewhere_in(self, lanes: int):
        index = Binary("i4", "%", Variable("i4", self.place), Literal("int", lanes))
        return Binary("i4", "-", index, Literal("int", lanes)) if self.chance(0.3) else index

    def record(self, depth: int):
        """Of any type."""
        known = [*self.record_arguments.values(), *self.record_variables().values()]
        if depth > 0 and self.chance(0.6):
            return self.vector(self.random.randint(1, 4), depth)
        return self.record_of(self.random.choice(known), depth)

    def record_of(self, t: str, depth: int):
        known = [v for v, kind in self.record_variables().items() if kind == t]
        kinds = [(3, "make")]
        kinds += [(6, "variable")] if known else []
        inputs = [a for a, kind in self.record_arrays.inputs.items() if kind == t]
        kinds += [(5, "element")] if inputs else []
        if depth > 0:
            kinds += [(1, "choice"), (1, "call")]
            changed = "converted" if kind_of(t).lanes else "replaced"
            kinds += [] if kind_of(t).is_tuple else [(3, changed)]
        kind = self.weighted(kinds)
        if kind == "variable":
            return Variable(t, self.random.choice(known))
        if kind == "element":
            array = self.random.choice(inputs)
            return Element(t, array, self.indices.within(self.record_arrays.shapes[array]))
        if kind == "choice":
            yes, no = (self.record_of(t, depth - 1) for _ in range(2))
            return Conditional(t, self.condition(0), yes, no)
        if kind == "call":
            return self.record_call(t, depth)
        if kind == "converted":
            return Converted(t, self.vector(kind_of(t).lanes, depth - 1))
        if kind == "replaced":
            place, (_, code) = self.random.choice(list(enumerate(kind_of(t).fields)))
            return Replaced(t, self.record_of(t, depth - 1), place, self.part(code))
        return Make(t, [self.part(code) for _, code in kind_of(t).fields])

    def part(self, code: str):
        """A value for a field: of its type, which a struct asks for."""
        if is_record(code):
            return self.record_of(code, 0)
        within, self.within_record = self.within_record, True
        value = Cast(code, self.runtime(self.expression(0)))
        self.within_record = within
        return value

    def vector(self, lanes: int, depth: int):
        """Of any format."""
        known = (*(t for t in KINDS if t not in STRUCTS), *self.record_variables().values())
        same = [t for t in known if kind_of(t).lanes == lanes]
        if depth <= 0 or self.chance(0.3):
            component = self.random.choice(("f4", "i4", "u1", "i8", "f8"))
            return self.record_of(self.random.choice([*same, vector_code(component, lanes)]), 0)
        left = self.vector(lanes, depth - 1)
        t = kind_of(left.type).component
        if self.chance(0.2):
            op = self.random.choice(("-", "abs", *(["~"] * (not model.is_float(t)))))
            return VectorUnary(left.type, op, left)
        right = self.vector(lanes, depth - 1) if self.chance(0.6) else self.expression(0)
        if isinstance(right, Literal) and right.type == "int":
            right = self.fitting(right, t)
        other = kind_of(right.type).component if is_record(right.type) else right.type
        op = self.random.choice((*ARITHMETIC, *BITWISE))
        result = model.binary_type(op, t, other)
        if result is None:
            op, result = "+", model.binary_type("+", t, other)
        swapped = not isinstance(right, Literal) and model.binary_type(op, other, t) == result
        if swapped and self.chance(0.3):
            left, right = right, left
        return VectorBinary(vector_code(result, lanes), op, left, right)

    def record_call(self, t: str, depth: int):
        """A helper with an early return of one of its arguments."""
        helper = self.helper()
        operands = [self.record_of(t, depth - 1) for _ in range(2)]
        p, q = (Variable(t, v) for v in helper.parameters)
        helper.test = Equal(self.random.choice(("==", "!=")), p, q)
        helper.yes, helper.no = p, q
        if kind_of(t).lanes:
            code = kind_of(t).component
            helper.no = Converted(t, VectorBinary(vector_code(code, kind_of(t).lanes), "+", q, p))
        return Call(t, helper, operands)

    def record_condition(self):
        known = list(self.record_variables().values())
        t = self.random.choice(known)
        op = self.random.choice(("==", "!="))
        return Equal(op, self.record_of(t, 1), self.record_of(t, 1))

    # --- statements ---

    def record_kinds(self) -> list:
        """Statements beside their weights."""
        if not self.record_arguments:
            return []
        kinds = [(3, self.assign_record), (2, self.set_component), (2, self.store_record)]
        return [*kinds, (3, self.store_field), (1, self.unpack), (1, self.join_records)]

    def assign_record(self, _: int):
        known = self.record_variables()
        if self.chance(0.5):  # of the same type, maybe in an inner construct
            name = self.random.choice(list(known))
            return Assign(name, self.record_of(known[name], 1))
        value = self.record(2)
        return Assign(self.fresh_record(value.type), value)

    def fresh_record(self, t: str) -> str:
        name = self.fresh("w")
        self.scopes[-1][name] = t
        self.frozen.add(name)
        return name

    def join_records(self, _: int):
        t = self.random.choice(list(self.record_variables().values()))
        yes, no, test = self.record_of(t, 1), self.record_of(t, 1), self.record_condition()
        return Join(self.fresh_record(t), t, test, yes, no)

    def set_component(self, depth: int):
        vectors = {v: t for v, t in self.record_variables().items() if kind_of(t).lanes}
        if not vectors:
            return self.assign_record(depth)
        name = self.random.choice(list(vectors))
        lanes = kind_of(vectors[name]).lanes
        index = Literal("int", self.random.randint(-lanes, lanes - 1))
        value = self.runtime(self.expression(1))
        return SetComponent(name, self.somewhere_in(lanes) if self.chance(0.4) else index, value)

    def outputs_of_records(self) -> list[tuple[str, str]]:
        outputs = self.record_arrays.outputs.items()
        return [
            (array, t)
            for array, t in outputs
            if not struct_types.is_dtype(t) and t not in other_numbers.KINDS
        ]

    def own_record(self) -> tuple[str, str]:
        return self.random.choice(self.outputs_of_records())

    def store_record(self, _: int):
        array, t = self.own_record()
        return Store(array, Variable("i4", "i"), "", self.record_of(t, 2))

    def store_field(self, _: int):
        structs = [(a, t) for a, t in self.outputs_of_records() if not kind_of(t).lanes]
        array, t = self.random.choice(structs) if structs else self.own_record()
        path, code = [], t
        while is_record(code) and (not path or self.chance(0.7)):
            place = self.random.randrange(len(kind_of(code).fields))
            path.append(place)
            code = kind_of(code).fields[place][1]
        by_name = self.chance(0.3)
        if is_record(code):
            value, op = self.record_of(code, 1), ""
        else:
            value = self.runtime(self.expression(1))
            op = self.random.choice(("", "+", "-", "*"))
            op = "" if code in model.EIGHT_BITS else op
        made = FieldStore(
            array, Variable("i4", "i"), t, tuple(path), op, value, by_name, False, None
        )
        made.by_view = not kind_of(t).lanes and self.chance(0.5)
        if lanes := made.lanes_of_last_step():
            made.component = self.somewhere_in(lanes) if self.chance(0.3) else None
        return made

    def unpack(self, _: int):
        value = self.vector(self.random.randint(1, 4), 1)
        code = kind_of(value.type).component
        names = [self.fresh("v") for _ in kind_of(value.type).fields]
        self.scopes[-1] |= dict.fromkeys(names, code)
        return Unpack(names, value)
