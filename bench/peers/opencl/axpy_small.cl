#include "small_floats.h"

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
