"""What a warp moves and compares at once: in words on GPUs, scalar by scalar on the host."""

I64 = "array[int64, 1]"


@case(I64, I64)
@kernel
def one_word(out, a):
    t = device.thread_idx.x
    x = a[t]
    i, b, h = device.shfl_xor_sync(-1, (device.int8(x), x % 2 == 0, device.int16(x >> 8)), 3)
    out[t] = i
    out[t + 32] = 5 if b else 7
    out[t + 64] = h


@case(I64, I64)
@kernel
def two_words(out, a):
    t = device.thread_idx.x
    x = a[t]
    given = (x > 0, device.uint8(x), device.int8(x >> 8), device.uint16(x >> 16), x % 3 == 0)
    b, u, i, h, c = device.shfl_sync(-1, given, device.int32(x >> 32))
    out[t] = (1 if b else 2) + (10 if c else 20)
    out[t + 32] = u
    out[t + 64] = i
    out[t + 96] = h


@case(I64, I64)
@kernel
def floats_and_bytes(out, a):
    t = device.thread_idx.x
    x = a[t]
    f, i, j = device.shfl_up_sync(-1, (device.float32(x), device.int8(x), device.int8(x >> 8)), 1)
    out[t] = device.int64(f)
    out[t + 32] = i
    out[t + 64] = j


@case(I64, I64)
@kernel
def compared(out, a):
    t = device.thread_idx.x
    x = a[t] & 1
    y = a[t] >> 5 & 1
    out[t] = device.match_any_sync(-1, (device.int8(-x), device.int32(y), x == y))
    out[t + 32] = device.match_any_sync(-1, (device.float32(x), device.float32(y)))
    out[t + 64] = device.match_any_sync(-1, (device.int8(x), device.float64(y), device.int16(y)))
    lanes, same = device.match_all_sync(-1, (device.int8(x - x), device.int16(t - t)))
    out[t + 96] = 3 if same else 4
