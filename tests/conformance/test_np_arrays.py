"""Arrays of NumbaPro's dialect: elements and four attributes (NP-ARR)."""

import numpy as np
from cuda.device.numbapro import cuda
from support.clauses import clause
from support.numbapro import expect_errors, types_of_variables

A = np.arange(24.0).reshape(4, 6)


@cuda.autojit
def attributes(out, a, b):
    h, w = a.shape
    s0, s1 = a.strides
    n = a.size
    d = a.ndim
    k = a.shape[1]
    t = a.strides[0]
    e = b[0]
    out[0], out[1], out[2], out[3] = h, w, s0, s1
    out[4], out[5], out[6], out[7] = n, d, k, t
    out[8], out[9] = len(a), e
    out[10] = a.ndim + 2147483647  # an intp does not wrap


@clause("NP-ARR-02", "NP-ARR-05", "NP-ARR-06", "NP-ARR-07", "NP-ARR-08", "NP-ARR-14", "NP-NPM-08")
def test_shape_strides_size_and_ndim(target):
    out, b = np.zeros(11, np.int64), np.array([-3], np.int8)
    attributes[1, 1](out, A, b)
    assert out.tolist() == [4, 6, 48, 8, 24, 2, 6, 48, 4, -3, 2147483649]
    attributes[1, 1](out, A[::-1, ::-2], b)
    assert out[:6].tolist() == [4, 3, -48, -16, 12, 2]
    attributes[1, 1](out, np.broadcast_to(A[0, :4], (3, 4)), b)
    assert out[:6].tolist() == [3, 4, 0, 8, 12, 2]


@clause("NP-ARR-05", "NP-ARR-06", "NP-ARR-07", "NP-ARR-08", "NP-ARR-14")
def test_attributes_are_intp():
    found = types_of_variables(attributes, "array[int64, 1]", "array[float64, 2]", "array[int8, 1]")
    assert all(found[name] == "int64" for name in ("h", "w", "s0", "s1", "n", "k", "t"))
    assert found["e"] == "int8"


@cuda.autojit
def elements(out, a, b, c):
    out[0] = a[1]
    out[1] = b[2, 3]
    out[2] = c[1, 0, 2]
    out[3] = a[-1]
    i = 1
    out[4] = b[-i, i]
    a[2] = 7
    b[0, 1] = 8
    c[0, 1, 2] = 9
    b[i, -1] += 1


@clause("NP-ARR-01", "NP-ARR-10")
def test_elements_are_read_and_written(target):
    for step in (1, 2, -1):
        a = np.arange(12.0)[::step]
        b = np.arange(48.0).reshape(8, 6)[::2][:, ::step]
        c = np.arange(24.0).reshape(2, 3, 4)[..., ::step]
        if step == 2:
            c = np.arange(48.0).reshape(2, 3, 8)[..., ::2]
            b = np.arange(96.0).reshape(8, 12)[::2, ::2]
        want = [x.copy() for x in (a, b, c)]
        out = np.zeros(5)
        expected = [want[0][1], want[1][2, 3], want[2][1, 0, 2], want[0][-1], want[1][-1, 1]]
        want[0][2], want[1][0, 1], want[2][0, 1, 2] = 7, 8, 9
        want[1][1, -1] += 1
        elements[1, 1](out, a, b, c)
        assert out.tolist() == expected
        for found, wanted in zip((a, b, c), want, strict=True):
            assert np.array_equal(found, wanted)


@cuda.autojit
def converts(ints, bytes_, floats, zs, flags, x, n):
    ints[0] = 3.9
    ints[1] = x
    ints[2] = True
    bytes_[0] = 300
    bytes_[1] = n
    floats[0] = 1
    floats[1] = n
    zs[0] = 2.5
    zs[1] = n
    flags[0] = 2
    flags[1] = x - x


@clause("NP-ARR-15")
def test_stores_convert_to_the_type_of_the_elements(target):
    ints, bytes_, floats = np.zeros(3, np.int32), np.zeros(2, np.int8), np.zeros(2, np.float32)
    zs, flags = np.zeros(2, np.complex64), np.ones(2, bool)
    converts[1, 1](ints, bytes_, floats, zs, flags, -3.9, 300)
    assert ints.tolist() == [3, -3, 1]
    assert bytes_.tolist() == [44, 44]
    assert floats.tolist() == [1, 300]
    assert zs.tolist() == [2.5, 300]
    assert flags.tolist() == [True, False]


@cuda.autojit
def other_attributes(out, a):
    x = a.T  # error at `a.T`: array[float64, 2] has no attribute 'T'
    # hint: arrays of this dialect have shape, strides, size and ndim, and nothing else
    x = a.dtype  # error at `a.dtype`: array[float64, 2] has no attribute 'dtype'
    # hint: arrays of this dialect have shape, strides, size and ndim, and nothing else
    x = a.sum()  # error at `a.sum`: array[float64, 2] has no attribute 'sum'
    # hint: arrays of this dialect have shape, strides, size and ndim, and nothing else
    x = a.reshape  # error at `a.reshape`: array[float64, 2] has no attribute 'reshape'
    # hint: arrays of this dialect have shape, strides, size and ndim, and nothing else
    out[0] = x


@cuda.autojit
def assigned_attributes(a):
    a.shape = (1,)  # error at `a.shape`: 'shape' of array[float64, 2] cannot be assigned
    # hint: names and elements of arrays can
    a.size = 3  # error at `a.size`: 'size' of array[float64, 2] cannot be assigned
    # hint: names and elements of arrays can
    a.shape[0] = 3  # error at `a.shape[0]`: an element of (int64, int64) cannot be assigned
    # hint: tuples do not change; elements of cuda.local.array(shape, dtype) do


@cuda.autojit
def unpacked(out, a):
    x, y = a  # error at `a`: array[float64, 1] cannot be unpacked
    # hint: tuples can; read the elements of an array by index
    out[0] = x


@clause("NP-ARR-03", "NP-ARR-04", "NP-ARR-09")
def test_what_else_is_asked_of_an_array():
    out = np.zeros(4)
    expect_errors(other_attributes, out, A)
    expect_errors(assigned_attributes, A)
    expect_errors(unpacked, out, np.zeros(2))


@cuda.autojit
def slices(out, a, b, idx, mask):
    x = a[1:3]  # error at `1:3`: an array is indexed by integers only, found a slice: slices and
    # ... fancy indices are not in this dialect
    # hint: give one integer for each dimension, and read or write element by element
    x = b[:, 0]  # error at `:`: an array is indexed by integers only, found a slice: slices and
    # ... fancy indices are not in this dialect
    # hint: give one integer for each dimension, and read or write element by element
    x = a[idx]  # error at `idx`: an array is indexed by integers only, found array[int64, 1]:
    # ... slices and fancy indices are not in this dialect
    # hint: give one integer for each dimension, and read or write element by element
    x = a[mask]  # error at `mask`: an array is indexed by integers only, found array[bool, 1]:
    # ... slices and fancy indices are not in this dialect
    # hint: give one integer for each dimension, and read or write element by element
    x = a[...]  # error at `...`: an array is indexed by integers only, found '...': slices and
    # ... fancy indices are not in this dialect
    # hint: give one integer for each dimension, and read or write element by element
    x = a[None]  # error at `None`: an array is indexed by integers only, found None: slices and
    # ... fancy indices are not in this dialect
    # hint: give one integer for each dimension, and read or write element by element
    a[0:2] = 1  # error at `0:2`: an array is indexed by integers only, found a slice: slices and
    # ... fancy indices are not in this dialect
    # hint: give one integer for each dimension, and read or write element by element
    out[0] = x


@cuda.autojit
def counts(out, a):
    out[0] = a[0]  # error at `a[0]`: array[float64, 2] has 2 dimensions, so an element of it has 2
    # ... indices; found 1
    # hint: give one integer for each dimension
    out[0] = a[0, 1, 2]  # error at `a[0, 1, 2]`: array[float64, 2] has 2 dimensions, so an element
    # ... of it has 2 indices; found 3
    # hint: give one integer for each dimension
    a[1] = 3  # error at `a[1]`: array[float64, 2] has 2 dimensions, so an element of it has 2
    # ... indices; found 1
    # hint: give one integer for each dimension
    out[0] = out[1.5]  # error at `1.5`: an index must be an integer, found float64
    # hint: convert it with int()


@clause("NP-ARR-11", "NP-ARR-12", "NP-ARR-13")
def test_an_index_is_an_integer_for_each_dimension():
    out = np.zeros(4)
    expect_errors(slices, out, np.zeros(4), A, np.zeros(2, np.int64), np.zeros(4, bool))
    expect_errors(counts, out, A)
