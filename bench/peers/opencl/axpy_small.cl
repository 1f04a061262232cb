#define TOGETHER 16

// The numbers in float32 between reading and writing, so a result is rounded once. bfloat16 is the
// upper half of a float32, and comes as its bits; it is rounded to the nearest, to even.
#ifdef HAS_FLOAT16
typedef half number;
float value_of(size_t i, global const number* x) { return vload_half(i, x); }
float16 values_of(size_t i, global const number* x) { return vload_half16(i, x); }
void put(float value, size_t i, global number* out) { vstore_half(value, i, out); }
void put_all(float16 values, size_t i, global number* out) { vstore_half16(values, i, out); }
#else
typedef ushort number;
float value_of(size_t i, global const number* x) { return as_float((uint)x[i] << 16); }
float16 values_of(size_t i, global const number* x) {
  return as_float16(convert_uint16(vload16(i, x)) << 16);
}
void put(float value, size_t i, global number* out) {
  uint bits = as_uint(value);
  out[i] = isnan(value) ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
void put_all(float16 values, size_t i, global number* out) {
  uint16 bits = as_uint16(values);
  uint16 rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  vstore16(convert_ushort16(isnan(values) ? (uint16)0x7fff : rounded), i, out);
}
#endif

// Sixteen elements for each of a group's first work items: neither compiler turns conversions of
// one number into those of vectors.
kernel void axpy_small(global number* out, global const number* x, global const number* y, float a,
                       int n) {
  int t = get_local_id(0), active = get_local_size(0) / TOGETHER;
  if (t >= active) return;
  int i = get_group_id(0) * active + t;
  if (TOGETHER * i + TOGETHER <= n)
    put_all(a * values_of(i, x) + values_of(i, y), i, out);
  else
    for (int k = TOGETHER * i; k < n; ++k) put(a * value_of(k, x) + value_of(k, y), k, out);
}
