from cuda import device as D

SPAN = 1024  # numbers of a run, as many as there are twiddle factors


@D.kernel
def fft_radix4(out, source, twiddle):
    """A pass of Stockham's transform: each thread a butterfly of four."""
    j = D.tid(1)
    quarter = source.size // 4
    if j < quarter:
        k = j % SPAN
        w = twiddle[k]
        w2 = w * w
        a, b = source[j], w * source[j + quarter]
        c, d = w2 * source[j + 2 * quarter], w * w2 * source[j + 3 * quarter]
        s, t, u, v = a + c, a - c, b + d, b - d
        v = D.complex64(complex(v.imag, -v.real))
        first = (j - k) * 4 + k
        out[first] = s + u
        out[first + SPAN] = t + v
        out[first + 2 * SPAN] = s - u
        out[first + 3 * SPAN] = t - v
