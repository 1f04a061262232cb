#define TOGETHER 16

// Numbers of 16 bits, in float32 between reading and writing: a result is rounded once. bfloat16 is
// the upper half of a float32, and comes as its bits; it is rounded to the nearest, to even.
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
