#include "small_floats.h"

#define BLOCK 256

float sum_of(float16 v) {
  float8 eight = v.lo + v.hi;
  float4 four = eight.lo + eight.hi;
  float2 two = four.lo + four.hi;
  return two.x + two.y;
}

// Sixteen elements at a time: neither compiler turns conversions of one number into those of
// vectors.
kernel void dot_small(global float* out, global const number* x, global const number* y, int n) {
  local float part[BLOCK];
  int t = get_local_id(0);
  int stride = get_global_size(0);
  int whole = n / TOGETHER;
  float16 sums = 0;
  for (int i = get_global_id(0); i < whole; i += stride) sums += values_of(i, x) * values_of(i, y);
  float total = sum_of(sums);
  for (int i = whole * TOGETHER + get_global_id(0); i < n; i += stride)
    total += value_of(i, x) * value_of(i, y);
  part[t] = total;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = BLOCK / 2; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = part[0];
}
