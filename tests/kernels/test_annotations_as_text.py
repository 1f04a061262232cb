"""Annotations that Python does not evaluate: all of this file's, and what stands in quotes."""

# ruff: noqa: UP037

from __future__ import annotations

import numpy as np
import pytest
from cuda import device as D
from support.launching import run

Format = D.int16


@D.struct
class Pair:
    x: int
    y: int


@D.func
def narrow(x: "Format", scale: D.ConstExpr["D.int32"] = 3) -> "D.int64":
    return D.int64(x * scale)


@D.kernel
def declared(out, n: D.int16, p: "Pair", k: "D.ConstExpr[int]", m: D.ConstExpr["int"]) -> "None":
    x: "D.float64" = 0.1
    y: D.float32 = 0.1
    z: "D.float64"
    z = 0.1
    q: "Pair" = p
    out[0] = x
    out[1] = y
    out[2] = z
    out[3] = narrow(n)
    out[4] = q.x + q.y
    table = D.local_array(k, D.int32)
    out[5] = table.size + m


def test_text_declares_what_it_says(target):
    out = np.zeros(6)
    run(declared, out, 5, Pair(3, 4), 6, 7)
    assert out.tolist() == [0.1, np.float32(0.1), 0.1, 15, 7, 13]


@D.func
def scaled(pair: tuple["D.int8", tuple["D.float64", ...]]) -> "tuple['D.int64', D.float64]":
    return pair[0] * 2, pair[1][0] + pair[1][1]


@D.kernel
def declared_tuples(out, n):
    t: tuple["D.int16", "Pair"] = (n, Pair(1, 2))
    count, total = scaled((D.int8(50), (0.1, 0.2)))
    u: tuple["D.float64", ...] = (0.1, 0.1)
    out[0] = t[0] + t[1].y
    out[1] = count
    out[2] = total
    out[3] = u[0] + u[1]


def test_text_within_tuples_declares_what_it_says(target):
    out = np.zeros(4)
    run(declared_tuples, out, np.int16(5))
    assert out.tolist() == [7, 100, 0.1 + 0.2, 0.2]


@D.kernel
def too_wide(out, n: "D.int8"):
    out[0] = n


@D.kernel
def in_a_local(out, n):
    x: "Format" = n
    out[0] = x


@D.kernel
def in_a_tuple(out, n):
    t: tuple["Format", "D.float64"] = (n, 0.1)
    out[0] = t[0]


def test_what_does_not_fit_is_refused():
    with pytest.raises(D.errors.CompileError, match="declared int8"):
        run(too_wide, np.zeros(1), np.int32(5))
    with pytest.raises(
        D.errors.CompileError, match="'x' is declared int16, but the value is int32"
    ):
        run(in_a_local, np.zeros(1), np.int32(5))
    with pytest.raises(D.errors.CompileError, match="element 0 of 't' is declared int16"):
        run(in_a_tuple, np.zeros(1), np.int32(5))


def test_text_is_read_again_where_its_names_change():
    out = np.zeros(1)
    run(in_a_local, out, np.int16(5))
    globals()["Format"] = D.int64
    try:
        run(in_a_local, out, np.int32(6))
    finally:
        globals()["Format"] = D.int16
    assert out[0] == 6
