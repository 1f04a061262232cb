"""Writes kernels of NumbaPro's dialect: statements, device functions, shared memory."""

from __future__ import annotations

from support.numbapro_rules import REAL
from support.numbapro_values import is_int

from .numbapro_expressions import ODD, SCALARS, Expressions

PLACES = ("    i = cuda.grid(1)", "    t = cuda.threadIdx.x")


class Generator(Expressions):
    """Writes a kernel line by line."""

    result_count = 0  # of the device function that is written
    # --- statements ---

    def put(self, depth: int, line: str) -> None:
        self.lines.append("    " * (depth + 1) + line)

    def block(self, depth: int, count: int, in_loop: bool) -> None:
        """So many statements; what they define is defined for the rest of the block."""
        for _ in range(count):
            self.statement(depth, in_loop)

    def statement(self, depth: int, in_loop: bool) -> None:
        kinds = {self.assign: 6, self.augment: 2, self.store: 3, self.augment_bits: 1}
        if self.functions:
            kinds[self.unpack] = 2
        if self.complexes:
            kinds |= {self.assign_complex: 3, self.store_complex: 3}
        if depth < 3:
            kinds |= {self.branch: 2, self.third: 1, self.part_ways: 1 if depth == 0 else 0}
            kinds |= {self.count: 2, self.repeat: 1, self.keep: 1, self.search: 1}
            if "a2" in self.inputs and self.inputs["a2"] == self.inputs["a0"]:
                kinds[self.exchange] = 2
        make = self.random.choices(list(kinds), list(kinds.values()))[0]
        make(depth, in_loop)

    def free(self) -> list[str]:
        """The variables that may be assigned."""
        return [v for v in self.variables if v not in self.counters]

    def target(self) -> str:
        return self.random.choice(self.free()) if self.chance(0.6) else self.fresh()

    def assign(self, depth: int, _: bool) -> None:
        name = self.target()
        self.put(depth, f"{name} = {self.expression() if self.chance(0.8) else self.number()}")
        self.learn(name)

    def learn(self, name: str) -> None:
        if name not in self.variables:
            self.variables.append(name)

    def unpack(self, depth: int, _: bool) -> None:
        """Several results, or variables that change places."""
        pairs = [name for name, each in self.functions.items() if each[2] == 2]
        first, second = self.target(), self.fresh()
        if pairs:
            value = self.call_of(self.random.choice(pairs), 1)
        else:
            value = f"{self.random.choice(self.variables)}, {first}"
            if first not in self.variables:
                value = f"{self.expression(1)}, {self.expression(1)}"
        self.put(depth, f"{first}, {second} = {value}")
        self.learn(first)
        self.learn(second)

    def assign_complex(self, depth: int, _: bool) -> None:
        """One that is complex already; in straight lines also one that was a real number."""
        t = self.random.choice(("complex64", "complex128"))
        known = [name for name, each in self.complexes.items() if each == t]
        name = self.random.choice(known) if known and self.chance(0.6) else self.fresh()
        if depth == 0 and self.chance(0.2):
            name = self.random.choice([v for v in self.free() if v not in SCALARS] or [name])
        self.put(depth, f"{name} = {self.complex(t)}")
        if name in self.variables:
            self.variables.remove(name)
        self.complexes[name] = t
        if self.chance(0.3):
            self.put(depth, f"{name} {self.random.choice('+-*')}= {self.narrower(t, 1)}")

    def store_complex(self, depth: int, _: bool) -> None:
        array = self.random.choice([name for name, t in self.outputs.items() if t not in REAL])
        sign = self.random.choice(("", "", "+", "-", "*"))
        t = self.random.choice(("complex64", "complex128"))
        value = self.complex(t) if self.chance(0.8) else self.expression(1)
        self.put(depth, f"{array}[i] {sign}= {value}")

    def augment_bits(self, depth: int, _: bool) -> None:
        """What integers alone have."""
        ints = [f"{name}[i]" for name, t in self.outputs.items() if is_int(t)]
        name = self.random.choice(ints)
        if self.chance(0.5):
            name = self.fresh()
            self.put(depth, f"{name} = {self.whole(1)}")
            self.variables.append(name)
        sign = self.random.choice(("&", "|", "^", "<<", ">>", "**"))
        few = sign in ("<<", ">>", "**")
        value = self.random.randint(0, 6) if few else self.whole(1)
        self.put(depth, f"{name} {sign}= {value}")

    def augment(self, depth: int, _: bool) -> None:
        sign = self.random.choice(("+", "-", "*", "//", "/", "%"))
        self.put(depth, f"{self.random.choice(self.free())} {sign}= {self.expression(2)}")

    def store(self, depth: int, _: bool) -> None:
        array = self.random.choice([name for name, t in self.outputs.items() if t in REAL])
        place = f"{array}[i]"
        if self.shared and not self.reads_all and self.chance(0.5):
            place = self.shared_element(self.random.choice(list(self.shared)), own=True)
        sign = self.random.choice(("", "", "+", "-", "*", "//"))
        value = self.random.choice(self.variables) if self.chance(0.5) else self.expression()
        self.put(depth, f"{place} {sign}= {value}")

    def inner(self, depth: int, count: int, in_loop: bool) -> None:
        known = self.known()
        self.block(depth, count, in_loop)
        self.forget(known)

    def known(self) -> tuple[list[str], dict[str, str]]:
        """The variables that are assigned on every path."""
        return list(self.variables), dict(self.complexes)

    def forget(self, known: tuple[list[str], dict[str, str]]) -> None:
        """What else was assigned since then."""
        self.variables, self.complexes = known

    def branch(self, depth: int, in_loop: bool) -> None:
        both = self.fresh() if self.chance(0.4) else None
        self.put(depth, f"if {self.test()}:")
        if both:
            self.put(depth + 1, f"{both} = {self.expression(2)}")
        self.inner(depth + 1, self.random.randint(1, 3), in_loop)
        if in_loop and self.chance(0.4):
            if self.chance(0.3):
                self.put(depth + 1, f"{self.random.choice(self.free())} = {self.number()}")
            self.put(depth + 1, self.random.choice(("break", "continue")))
            both = None
        elif both or self.chance(0.4):
            self.put(depth, "else:")
            if both:
                self.put(depth + 1, f"{both} = {self.expression(2)}")
            self.inner(depth + 1, self.random.randint(1, 2), in_loop)
        if both:
            self.variables.append(both)

    def third(self, depth: int, _: bool) -> None:
        """Two branches that meet, perhaps one in the other, and a third that meets both."""
        name = self.target()
        self.put(depth, f"if {self.test()}:")
        self.put(depth + 1, f"{name} = {self.number()}")
        if self.chance(0.4):
            self.put(depth + 1, f"if {self.test()}:")
            self.put(depth + 2, f"{name} = {self.number()}")
        if name not in self.variables or self.chance(0.5):
            self.put(depth, "else:")
            self.put(depth + 1, f"{name} = {self.number()}")
        self.learn(name)
        if self.chance(0.5):
            self.store_value(depth, name)
        self.perhaps(depth, name)

    def perhaps(self, depth: int, name: str) -> None:
        """A path on which a variable has another type."""
        self.put(depth, f"if {self.test()}:")
        self.put(depth + 1, f"{name} = {self.number()}")

    def store_value(self, depth: int, value: str) -> None:
        arrays = [name for name, t in self.outputs.items() if t in REAL]
        if arrays:  # none in device functions
            sign = self.random.choice(("", "+", "-"))
            self.put(depth, f"{self.random.choice(arrays)}[i] {sign}= {value}")

    def part_ways(self, depth: int, _: bool) -> None:
        """A number on one path, something else on another; then a number that is read."""
        name = self.fresh()
        other = self.complex("complex128") if self.has_complex else self.random.choice(self.reals())
        two = [other, self.expression(1)]
        self.random.shuffle(two)
        self.put(depth, f"if {self.test()}:")
        self.put(depth + 1, f"{name} = {two[0]}")
        self.put(depth, "else:")
        self.put(depth + 1, f"{name} = {two[1]}")
        self.put(depth, f"{name} = {self.expression(1)}")
        self.learn(name)

    # --- loops ---

    def exchange(self, depth: int, _: bool) -> None:
        """Arrays of one type change places in a loop, or one takes the other's."""
        first, second, counter = self.fresh(), self.fresh(), self.fresh()
        array = self.random.choice([name for name, t in self.outputs.items() if t in REAL])
        self.put(depth, f"{first}, {second} = a0, a2")
        if self.chance(0.3):
            self.put(depth, f"if {self.test()}:")
            self.put(depth + 1, f"{second} = a0")
        self.put(depth, f"for {counter} in range({self.bounds()}):")
        if self.chance(0.6):
            self.put(depth + 1, f"{first}, {second} = {second}, {first}")
        else:
            self.put(depth + 1, f"if {self.test()}:")
            self.put(depth + 2, f"{first} = {self.random.choice((second, 'a2'))}")
        self.put(depth + 1, f"{array}[i] += {first}[{self.index()}]")
        self.put(depth, f"{array}[i] -= {self.random.choice((first, second))}[{self.index()}]")

    def bounds(self) -> str:
        t = self.random.choice(("", "", "int8", "uint8", "int16", "int64", "uint32", "uint64"))
        stop = str(self.random.randint(0, 4))
        if self.chance(0.2):
            return f"{t}({stop})" + ", -2, -1"
        if self.chance(0.2):
            return f"{self.random.randint(0, 2)}, {t}({stop})"
        if self.chance(0.15):
            odd = self.random.choice(ODD)
            return f"{odd}, int64({odd + self.random.randint(0, 3)})"
        return f"{t}({stop})" if t else "i % 4" if self.inputs and self.chance(0.2) else stop

    def count(self, depth: int, in_loop: bool) -> None:
        name = self.random.choice(self.counting) if self.counting and self.chance(0.3) else None
        name = name or self.target()
        if self.chance(0.2):
            self.put(depth, f"{name} = {self.number()}")
            self.learn(name)
        form = self.random.choice(("range", "xrange"))
        self.put(depth, f"for {name} in {form}({self.bounds()}):")
        known = self.known()
        self.learn(name)
        self.counting.append(name)
        if self.chance(0.5):
            self.put(
                depth + 1, f"{name} = {name} {self.random.choice('+-*/')} {self.expression(1)}"
            )
        self.block(depth + 1, self.random.randint(1, 3), True)
        self.counting.pop()
        self.forget(known)
        self.after(depth, in_loop)
        if name in self.variables and self.chance(0.4):
            self.perhaps(depth, name)

    def after(self, depth: int, in_loop: bool) -> None:
        """The else of a loop, perhaps."""
        if self.chance(0.25):
            self.put(depth, "else:")
            self.inner(depth + 1, self.random.randint(1, 2), in_loop)

    def repeat(self, depth: int, in_loop: bool) -> None:
        known = self.known()
        self.head_of_while(depth, self.random.randint(1, 4), f" and {self.test()}")
        self.block(depth + 1, self.random.randint(1, 3), True)
        self.forget(known)
        self.after(depth, in_loop)

    def head_of_while(self, depth: int, count: int, test: str = "") -> None:
        counter = self.fresh()
        self.put(depth, f"{counter} = 0")
        self.put(depth, f"while {counter} < {count}{test}:")
        self.variables.append(counter)
        self.counters.add(counter)
        self.put(depth + 1, f"{counter} += 1")

    def keep(self, depth: int, _: bool) -> None:
        """A name that is an integer in a loop, whatever it is assigned there, and after it.

        Or the loop has the first assignment of it, and at least one iteration.
        """
        name = self.fresh()
        first = f"{name} = {self.whole(1)}"
        is_before = self.chance(0.6)
        if is_before:
            self.put(depth, first)
        known = self.known()
        if self.chance(0.5):
            self.head_of_while(depth, self.random.randint(1, 3))
        else:
            counter = self.fresh()
            self.put(depth, f"for {counter} in range({self.random.randint(1, 3)}):")
            self.variables.append(counter)
        if not is_before:
            self.put(depth + 1, first)
        self.learn(name)
        self.whole_names.append(name)
        self.block(depth + 1, self.random.randint(1, 2), True)
        step = self.random.choice((f"{name} + 1.5", f"{name} * 0.75", self.expression(2)))
        self.put(depth + 1, f"{name} = {step}")
        if self.reals():
            self.store_value(depth + 1, f"{self.random.choice(self.reals())}[{name} % 8]")
        self.forget(known)
        self.learn(name)
        self.store_value(depth, self.element())
        self.whole_names.remove(name)
        self.perhaps(depth, name)

    def search(self, depth: int, _: bool) -> None:
        """A loop with a break, on which a variable may be another than after its else.

        The variable may be what the loop counts with.
        """
        name = self.target()
        is_counter = self.chance(0.4)
        if is_counter or name not in self.variables:
            self.put(depth, f"{name} = {self.number()}")
            self.learn(name)
        counter = name if is_counter else self.fresh()
        self.put(depth, f"for {counter} in range({self.bounds()}):")
        if self.chance(0.6):
            self.put(depth + 1, f"{name} {self.random.choice('+-')}= {self.expression(1)}")
        self.put(depth + 1, f"if {self.test()}:")
        if self.chance(0.3):
            self.put(depth + 2, f"{name} = {self.number()}")
        self.put(depth + 2, "break")
        self.put(depth, "else:")
        self.put(depth + 1, f"{name} = {self.number()}")
        self.store_value(depth, name)

    # --- barriers ---

    def barrier(self, depth: int) -> None:
        """Behind it a thread reads what the others wrote, or they write again."""
        self.put(depth, "cuda.syncthreads()")
        self.reads_all = not self.reads_all

    def meet(self) -> None:
        """All threads come to a barrier; or to two in each iteration of a loop."""
        if self.chance(0.6):
            self.barrier(0)
            return
        known = self.known()
        counter = self.fresh()
        self.put(0, f"for {counter} in range({self.random.randint(1, 3)}):")
        self.variables.append(counter)
        for _ in range(2):
            self.block(1, self.random.randint(1, 2), False)
            self.barrier(1)
        self.forget(known)

    # --- functions ---

    def function(self, name: str) -> str:
        """A device function of numbers, perhaps of an array, with one result or two."""
        inner = Generator(self.random.random())
        inner.has_complex, inner.functions, inner.outputs = False, dict(self.functions), {}
        numbers, arrays = self.random.randint(1, 3), int(self.chance(0.3))
        results = 2 if self.chance(0.3) else 1
        inner.variables = [f"p{k}" for k in range(numbers)]
        inner.inputs = {"a": "float64"} if arrays else {}
        inner.lines, inner.result_count = [], results
        if not arrays:
            inner.functions = {f: each for f, each in inner.functions.items() if not each[1]}
        parameters = [*inner.variables, *(["a", "i"] if arrays else [])]
        if self.chance(0.5):
            inner.put(0, f"if {inner.test()}:")
            inner.put(1, f"return {inner.results(results)}")
        inner.body(self.random.randint(0, 3))
        inner.put(0, f"return {inner.results(results)}")
        self.functions[name] = numbers, arrays, results
        declared = ""
        if not arrays and results == 1 and self.chance(0.4):
            result, *types = self.random.choices(REAL[1:], k=1 + numbers)
            declared = f'"{result}({", ".join(types)})", '
        head = f"@cuda.jit({declared}device=True)\ndef {name}({', '.join(parameters)}):"
        return "\n".join([head, *inner.lines, ""])

    def results(self, count: int) -> str:
        return ", ".join(self.expression(2) for _ in range(count))

    def body(self, count: int) -> None:
        """Statements of a function, which has nothing to store to."""
        for _ in range(count):
            makers = [self.assign, self.augment, self.branch_of_function, self.count_of_function]
            self.random.choice([*makers, self.third, self.search])(0, False)

    def branch_of_function(self, depth: int, _: bool) -> None:
        self.put(depth, f"if {self.test()}:")
        self.put(depth + 1, f"{self.random.choice(self.variables)} = {self.expression(2)}")
        if self.result_count and self.chance(0.3):
            self.put(depth + 1, f"return {self.results(self.result_count)}")

    def count_of_function(self, depth: int, _: bool) -> None:
        name, counter = self.random.choice(self.variables), self.fresh()
        self.put(depth, f"for {counter} in range({self.bounds_of_function()}):")
        self.put(depth + 1, f"{name} = {self.expression(2)}")
        if self.chance(0.5):
            self.branch_of_function(depth + 1, True)
        if self.chance(0.3):
            self.put(depth + 1, f"if {self.test()}:")
            self.put(depth + 2, "break")

    def bounds_of_function(self) -> str:
        return f"{self.random.choice(('', 'int8', 'int64'))}({self.random.randint(0, 4)})"

    def complex_function(self, name: str) -> str:
        """A device function of a complex number and one that makes no other type of it."""
        self.complex_functions.append(name)
        left, right = self.random.sample(("z", "x", "z * x", "(z - x)", "-z", "z * 2"), 2)
        lines = [f"    return z + {left} * {right}"]
        if self.chance(0.4):
            lines.insert(0, "    if bool_(z - x):\n        return z - x")
        return "\n".join(["@cuda.jit(device=True)", f"def {name}(z, x):", *lines, ""])

    # --- the kernel ---

    def declare(self) -> None:
        """Shared arrays, and a number of its own from each thread in them."""
        types = self.random.choices(REAL, k=self.random.randint(1, 2))
        shapes = [(self.threads,), (self.threads // 2, 2)]
        made = {f"h{k}": (t, self.random.choice(shapes)) for k, t in enumerate(types)}
        for name, (t, shape) in made.items():
            size = str(shape[0]) if len(shape) == 1 else str(shape)
            self.put(0, f"{name} = cuda.shared.array({size}, {'bool_' if t == 'bool' else t})")
        for name in made:
            value = self.expression(1)
            self.shared[name] = made[name]
            self.put(0, f"{self.shared_element(name, own=True)} = {value}")

    def kernel(self) -> str:
        self.lines = []
        functions = [self.function(f"f{k}") for k in range(self.random.choice((0, 0, 1, 2)))]
        if self.has_complex:
            functions += [self.complex_function("g")] if self.chance(0.5) else []
        parameters = [*self.inputs, *self.outputs, *SCALARS]
        self.lines = [f"def k({', '.join(parameters)}):", *PLACES]
        if self.has_complex:
            self.put(0, f"c0 = {self.complex('complex64')}")
            self.complexes["c0"] = "complex64"
        if self.chance(0.4):
            self.declare()
        elif self.chance(0.2):
            self.put(0, f"if {self.test()}:")
            self.put(1, "return")
        for _ in range(self.random.randint(1, 3)):
            self.block(0, self.random.randint(2, 4), False)
            if self.shared:
                self.meet()
        for array, t in self.outputs.items():
            value = self.random.choice(self.variables) if t in REAL else self.complex(t)
            self.put(0, f"{array}[i] = {value}")
        return "\n".join([*functions, *self.lines]) + "\n"
