"""Kernels of the functions in this package, made when they are needed first.

Each is a closure over what it computes and over the formats it computes in. An index is of 64 bits:
arrays may have more than 2**31 elements.
"""

import functools
from collections.abc import Callable
from typing import Any

from cuda import device as D

BLOCK = 256


def thread() -> Any:
    """This thread's number in the grid."""
    return D.int64(D.block_idx.x) * D.int64(D.block_dim.x) + D.int64(D.thread_idx.x)


def unravel(i: Any, shape: Any) -> Any:
    """The index of element i, row by row."""
    if len(shape) == 0:
        return ()
    return (*unravel(i // shape[-1], shape[:-1]), i % shape[-1])


def elements(shape: Any) -> Any:
    """How many elements an array of that shape has."""
    count = D.int64(1)
    for extent in shape:
        count = count * extent
    return count


def _operand(x: Any, at: Any, is_number: Any, form: Any) -> Any:
    if is_number:
        return form(x)
    return form(x[at])


@functools.cache
def unary(function: Callable[..., Any], form: Any, result: Any) -> Any:
    """out = result(function(form(a))), for each element."""

    @D.kernel
    def array_unary(out: Any, a: Any) -> None:
        i = thread()
        if i < out.size:
            at = unravel(i, out.shape)
            out[at] = result(function(form(a[at])))

    return array_unary


@functools.cache
def binary(function: Any, forms: Any, numbers: Any, result: Any) -> Any:
    """out = result(function(form(a), form(b))); numbers: which of a and b is one number."""
    form_a, form_b = forms
    number_a, number_b = numbers

    @D.kernel
    def array_binary(out: Any, a: Any, b: Any) -> None:
        i = thread()
        if i < out.size:
            at = unravel(i, out.shape)
            x = _operand(a, at, number_a, form_a)
            y = _operand(b, at, number_b, form_b)
            out[at] = result(function(x, y))

    return array_binary


@functools.cache
def where(form: Any) -> Any:
    """out = form(a) where the condition holds, form(b) elsewhere."""

    @D.kernel
    def array_where(out: Any, condition: Any, a: Any, b: Any) -> None:
        i = thread()
        if i < out.size:
            at = unravel(i, out.shape)
            out[at] = form(a[at]) if condition[at] else form(b[at])

    return array_where


@functools.cache
def progression(compute: Any, result: Any) -> Any:
    """out[i] = start + i * step, computed in one format and rounded to the result's."""

    @D.kernel
    def array_progression(out: Any, start: Any, step: Any) -> None:
        i = thread()
        if i < out.size:
            out[i] = result(start + compute(i) * step)

    return array_progression


# --- reductions: `a` has the axes that are kept before those that are reduced ---


@functools.cache
def reduce(combine: Any, form: Any, start: Any, kept: int, result: Any) -> Any:
    """out[row, part] = result(all of that part of a row combined in form): a block for each."""

    @D.kernel
    def array_reduce(out: Any, a: Any, each: Any) -> None:
        block = D.int64(D.block_idx.x)
        parts = D.int64(out.shape[-1])
        row = unravel(block // parts, a.shape[:kept])
        first = block % parts * each
        count = elements(a.shape[kept:])
        end = min(first + each, count)
        total = form(start)
        k = first + D.int64(D.thread_idx.x)
        while k < end:
            total = form(combine(total, form(a[(*row, *unravel(k, a.shape[kept:]))])))
            k = k + D.int64(BLOCK)
        totals = D.shared_array(BLOCK, form)
        t = D.thread_idx.x
        totals[t] = total
        D.syncthreads()
        width = BLOCK // 2
        while width > 0:
            if t < width:
                totals[t] = form(combine(totals[t], totals[t + width]))
            D.syncthreads()
            width = width // 2
        if t == 0:
            out[unravel(block, out.shape)] = result(totals[0])

    return array_reduce


@functools.cache
def position(better: Any, form: Any, kept: int) -> Any:
    """out[row] = where the best of a row is, the first of equal ones: a block for each row."""

    @D.kernel
    def array_position(out: Any, a: Any) -> None:
        block = D.int64(D.block_idx.x)
        row = unravel(block, a.shape[:kept])
        count = elements(a.shape[kept:])
        values = D.shared_array(BLOCK, form)
        places = D.shared_array(BLOCK, D.int64)
        t = D.thread_idx.x
        k = D.int64(t)
        best = form(a[(*row, *unravel(D.int64(0), a.shape[kept:]))])
        place = D.int64(0)
        while k < count:
            value = form(a[(*row, *unravel(k, a.shape[kept:]))])
            if better(value, best):
                best = value
                place = k
            k = k + D.int64(BLOCK)
        values[t] = best
        places[t] = place
        D.syncthreads()
        width = BLOCK // 2
        while width > 0:
            if t < width:
                mine, other = values[t], values[t + width]
                equal = not better(mine, other) and not better(other, mine)
                if better(other, mine) or (equal and places[t + width] < places[t]):
                    values[t] = other
                    places[t] = places[t + width]
            D.syncthreads()
            width = width // 2
        if t == 0:
            out[unravel(block, out.shape)] = places[0]

    return array_position


@functools.cache
def scan(combine: Any, form: Any, start: Any, result: Any) -> Any:
    """Rows of `out` combined in form up to and with each element of those of `a`.

    A block for each row.
    """

    @D.kernel
    def array_scan(out: Any, a: Any) -> None:
        totals = D.shared_array(BLOCK, form)
        row = D.int64(D.block_idx.x)
        t = D.thread_idx.x
        before = form(start)
        begin = D.int64(0)
        while begin < a.shape[1]:
            k = begin + D.int64(t)
            totals[t] = form(a[row, k]) if k < a.shape[1] else form(start)
            D.syncthreads()
            width = 1
            while width < BLOCK:
                added = totals[t - width] if t >= width else form(start)
                D.syncthreads()
                totals[t] = form(combine(added, totals[t]))
                D.syncthreads()
                width = width * 2
            if k < a.shape[1]:
                out[row, k] = result(combine(before, totals[t]))
            before = form(combine(before, totals[BLOCK - 1]))
            D.syncthreads()
            begin = begin + D.int64(BLOCK)

    return array_scan


# --- order ---


@functools.cache
def merge(less: Any) -> Any:
    """Rows of sorted runs merged in pairs: each element goes where its rank in both runs says.

    Equal elements stay in their order.
    """

    @D.kernel
    def array_merge(out: Any, order: Any, a: Any, before: Any, width: Any) -> None:
        i = thread()
        n = D.int64(a.shape[1])
        if i < a.size:
            row, k = i // n, i % n
            run = k // width
            left = run % 2 == 0
            first = (run + 1) * width if left else (run - 1) * width
            low = min(first, n)
            high = min(first + width, n)
            value = a[row, k]
            while low < high:
                middle = (low + high) // 2
                other = a[row, middle]
                # The left run's elements come before equal ones of the right.
                below = less(other, value) if left else not less(value, other)
                if below:
                    low = middle + 1
                else:
                    high = middle
            begin = run * width if left else (run - 1) * width
            to = begin + (k - run * width) + (low - min(first, n))
            out[row, to] = value
            order[row, to] = before[row, k]

    return array_merge


@functools.cache
def search(less: Any, form: Any, right: bool) -> Any:
    """out = where each value goes into a sorted array, before those equal to it or after them."""

    @D.kernel
    def array_search(out: Any, a: Any, values: Any) -> None:
        i = thread()
        if i < out.size:
            value = form(values[i])
            low = D.int64(0)
            high = D.int64(a.size)
            while low < high:
                middle = (low + high) // 2
                other = form(a[middle])
                below = not less(value, other) if right else less(other, value)
                if below:
                    low = middle + 1
                else:
                    high = middle
            out[i] = low

    return array_search


@D.kernel
def array_heads(out: Any, a: Any) -> None:
    """Which elements of a sorted array differ from the one before."""
    i = thread()
    if i < out.size:
        out[i] = i == 0 or a[i] != a[i - 1 if i > 0 else i]


@D.kernel
def array_compress(out: Any, a: Any, chosen: Any, ranks: Any) -> None:
    """out = the chosen elements, close together; ranks count them up to and with each."""
    i = thread()
    if i < a.size and chosen[i]:
        out[ranks[i] - 1] = a[i]


@D.kernel
def array_scatter(out: Any, places: Any, a: Any) -> None:
    """out[places] = a."""
    i = thread()
    if i < places.size:
        out[places[i]] = a[i]


@functools.cache
def take(axis: int) -> Any:
    """out = a with the indices along an axis; those below zero count from the end."""

    @D.kernel
    def array_take(out: Any, a: Any, indices: Any) -> None:
        i = thread()
        if i < out.size:
            at = unravel(i, out.shape)
            k = D.int64(indices[at[axis]])
            k = k + a.shape[axis] if k < 0 else k
            out[at] = a[(*at[:axis], k, *at[axis + 1 :])]

    return array_take


@functools.cache
def take_along(axis: int) -> Any:
    """out = a at the indices along an axis, of the same shape but there."""

    @D.kernel
    def array_take_along(out: Any, a: Any, indices: Any) -> None:
        i = thread()
        if i < out.size:
            at = unravel(i, out.shape)
            k = D.int64(indices[at])
            k = k + a.shape[axis] if k < 0 else k
            out[at] = a[(*at[:axis], k, *at[axis + 1 :])]

    return array_take_along


# --- products ---

TILE = 16


def plus_product(total: Any, a: Any, b: Any) -> Any:
    return total + a * b


def or_both(total: Any, a: Any, b: Any) -> Any:
    return total | a & b


@functools.cache
def matmul(add: Any, form: Any, result: Any) -> Any:
    """out[i] = a[i] @ b[i], by tiles in shared memory. Axes: batch, row, column."""

    @D.kernel
    def array_matmul(out: Any, a: Any, b: Any) -> None:
        left = D.shared_array((TILE, TILE), form)
        right = D.shared_array((TILE, TILE), form)
        x, y = D.thread_idx.x, D.thread_idx.y
        batch = D.int64(D.block_idx.z)
        column = D.int64(D.block_idx.x) * TILE + x
        row = D.int64(D.block_idx.y) * TILE + y
        total = form(0)
        inner = D.int64(a.shape[2])
        begin = D.int64(0)
        while begin < inner:
            k = begin + x
            inside = row < a.shape[1] and k < inner
            left[y, x] = form(a[batch, row, k]) if inside else form(0)
            k = begin + y
            inside = column < b.shape[2] and k < inner
            right[y, x] = form(b[batch, k, column]) if inside else form(0)
            D.syncthreads()
            for j in range(TILE):
                total = form(add(total, left[y, j], right[j, x]))
            D.syncthreads()
            begin = begin + TILE
        if row < out.shape[1] and column < out.shape[2]:
            out[batch, row, column] = result(total)

    return array_matmul
