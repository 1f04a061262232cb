"""Vectors, tuples and structs as C++ classes, with assertions of what the package says they are.

Random types come from a seed. Sizes, alignments and offsets in the assertions are the package's;
the classes are written without them, so the C++ compiler finds its own.
"""

import random

from cuda import device as D
from cuda.device._hints import understood

INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
SMALL = ["float8e4m3", "float8e5m2", "float16", "bfloat16"]
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
VECTORS = [f"{number}x{n}" for number in INTEGERS + SMALL + FLOATS for n in (1, 2, 3, 4)]
BUILTINS = [(int, "std::int32_t"), (float, "float"), (bool, "bool")]
BUILTINS += [(complex, "complex64"), (None, "std::nullptr_t")]

# Formats that C++ lacks, as classes of their own, and those of CUDA.
PLAIN = """
#include <cstddef>
#include <cstdint>
struct float8e4m3 { unsigned char bits; };
struct float8e5m2 { unsigned char bits; };
struct float16 { std::uint16_t bits; };
struct bfloat16 { std::uint16_t bits; };
struct alignas(8) complex64 { float real, imag; };
struct alignas(16) complex128 { double real, imag; };
"""
CUDA = """
#include <cstddef>
#include <cstdint>
#include <cuda/std/complex>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
using float8e4m3 = __nv_fp8_e4m3;
using float8e5m2 = __nv_fp8_e5m2;
using float16 = __half;
using bfloat16 = __nv_bfloat16;
using complex64 = cuda::std::complex<float>;
using complex128 = cuda::std::complex<double>;
"""

# No alignment may be laxer than what the type or its members have.
STRICTEST = """
constexpr std::size_t strictest(std::size_t a) { return a; }
template <class... T>
constexpr std::size_t strictest(std::size_t a, std::size_t b, T... more) {
  return strictest(a < b ? b : a, more...);
}
"""

# Vectors that CUDA C++ has.
_STEMS = {
    **{"int8": "char", "int16": "short", "int32": "int", "int64": "longlong"},
    **{"uint8": "uchar", "uint16": "ushort", "uint32": "uint", "uint64": "ulonglong"},
    **{"float32": "float", "float64": "double"},
}
OF_CUDA = {f"{number}x{n}": f"{stem}{n}" for number, stem in _STEMS.items() for n in (1, 2, 3, 4)}
OF_CUDA |= {"float16x2": "__half2", "bfloat16x2": "__nv_bfloat162"}
OF_CUDA |= {
    f"float8{form}x{n}": f"__nv_fp8x{n}_{form}" for form in ("e4m3", "e5m2") for n in (2, 4)
}


def number_in_cpp(name):
    if name in INTEGERS:
        return f"std::{name}_t"
    return {"float32": "float", "float64": "double"}.get(name, name)


def assertion(condition, text):
    return f'static_assert({condition}, "{text}");\n'


def of_whole(name, size, align):
    condition = f"sizeof({name}) == {size} && alignof({name}) == {align}"
    return assertion(condition, f"{name}: {size} bytes, aligned to {align}")


def of_member(name, member, offset):
    return assertion(f"offsetof({name}, {member}) == {offset}", f"{name}.{member} at {offset}")


def vector_class(name):
    """A vector that C++ has no type for: two and four components are aligned as a whole."""
    number, lanes = number_in_cpp(name[:-2]), int(name[-1])
    whole = f"{lanes} * sizeof({number})"
    align = f"{whole} < 16 ? {whole} : 16" if lanes in (2, 4) else f"alignof({number})"
    return f"struct alignas({align}) {name} {{ {number} {', '.join('xyzw'[:lanes])}; }};\n"


def vectors(of_cuda):
    """All of them, and what their dtypes say."""
    lines = []
    for name in VECTORS:
        dtype = getattr(D, name).numpy_dtype
        own = OF_CUDA.get(name) if of_cuda else None
        lines.append(f"using {name} = {own};\n" if own else vector_class(name))
        lines.append(of_whole(name, dtype.itemsize, dtype.alignment))
        if not (own or "").startswith("__"):
            lines += [of_member(name, m, dtype.fields[m][1]) for m in dtype.names]
    return lines


class RandomRecords:
    """Tuples and structs of numbers, of vectors, and of each other."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.made = []  # (hint, name in C++)

    def _type(self):
        choice = self.random.choice
        if self.made and self.random.random() < 0.3:
            return choice(self.made)
        if self.random.random() < 0.3:
            return choice(BUILTINS)
        name = choice(choice([INTEGERS, SMALL, FLOATS, COMPLEX, VECTORS]))
        return getattr(D, name), number_in_cpp(name)

    def _member(self):
        """A hint, its name in C++, and its alignment there."""
        hint, name = self._type()
        if self.random.random() > 0.15:
            return hint, name, f"alignof({name})"
        align = 2 ** self.random.randrange(6)
        return D.align(hint, align), name, f"strictest({align}, alignof({name}))"

    def _add(self, hint, name, members, layout, align=None):
        """`align`: of the class, beside what its members need."""
        body = ""
        for i, (_, type_name, alignment) in enumerate(members):
            plain = alignment.startswith("alignof")
            body += f"  {'' if plain else f'alignas({alignment}) '}{type_name} member{i};\n"
        all_of_them = ", ".join([str(align), *(alignment for _, _, alignment in members)])
        alignas = f"alignas(strictest({all_of_them})) " if align else ""
        self.lines.append(f"struct {alignas}{name} {{\n{body}}};\n")
        self.lines.append(of_whole(name, layout.size, layout.align))
        for i, field in enumerate(layout.fields):
            self.lines.append(of_member(name, f"member{i}", field.offset))
        self.made.append((hint, name))

    def add_tuple(self):
        members = [self._member() for _ in range(self.random.randrange(5))]
        hint = tuple[tuple(hint for hint, _, _ in members)]
        self._add(hint, f"Tuple{len(self.made)}", members, understood(hint).type)

    def add_struct(self):
        members = [self._member() for _ in range(self.random.randrange(8))]
        align = self.random.choice([None, None, None, 1, 2, 8, 16, 64])
        name = f"Struct{len(self.made)}"
        hints = {f"member{i}": hint for i, (hint, _, _) in enumerate(members)}
        made = D.struct(align=align or 1)(type(name, (), {"__annotations__": hints}))
        self._add(made, name, members, made.__cuda_device_struct__, align)


def header(seed, tuples, structs, of_cuda):
    """All vectors, and random tuples and structs in turn."""
    records = RandomRecords(seed)
    for i in range(max(tuples, structs)):
        if i < tuples:
            records.add_tuple()
        if i < structs:
            records.add_struct()
    return "".join([CUDA if of_cuda else PLAIN, STRICTEST, *vectors(of_cuda), *records.lines])
