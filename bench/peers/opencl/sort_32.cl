// Sorts each 32 elements by a bitonic network.
#ifdef cl_khr_subgroup_shuffle
float exchanged(float x, int step, int smaller) {
  float other = sub_group_shuffle_xor(x, step);
  return smaller ? fmin(x, other) : fmax(x, other);
}

// A sub-group of 16, with two elements a lane: ten times as fast as one of 32. Half of them
// have nothing to do.
__attribute__((intel_reqd_sub_group_size(16))) kernel void sort_32(global float* out,
                                                                   global const float* source) {
  int row = get_sub_group_id(), lane = get_sub_group_local_id();
  if (row >= get_local_size(0) / 32) return;
  int i = get_group_id(0) * get_local_size(0) + row * 32 + lane;
  float a = source[i], b = source[i + 16];
  for (int size = 2; size <= 16; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      int low = (lane & step) == 0;
      a = exchanged(a, step, low == ((lane & size) == 0));
      b = exchanged(b, step, low == ((lane + 16 & size) == 0));
    }
  }
  float smaller = fmin(a, b);
  b = fmax(a, b);
  a = smaller;
  for (int step = 8; step > 0; step /= 2) {
    a = exchanged(a, step, (lane & step) == 0);
    b = exchanged(b, step, (lane & step) == 0);
  }
  out[i] = a;
  out[i + 16] = b;
}
#else
// A work item for each 32, which are its own: no barriers. The others have nothing to do.
kernel void sort_32(global float* out, global const float* source) {
  float key[32];
  int t = get_local_id(0), active = get_local_size(0) / 32;
  if (t >= active) return;
  int first = (get_group_id(0) * active + t) * 32;
  for (int k = 0; k < 32; ++k) key[k] = source[first + k];
#pragma unroll
  for (int size = 2; size <= 32; size *= 2) {
#pragma unroll
    for (int step = size / 2; step > 0; step /= 2) {
#pragma unroll
      for (int k = 0; k < 32; ++k) {
        if (k & step) continue;
        float small = fmin(key[k], key[k | step]), great = fmax(key[k], key[k | step]);
        key[k] = k & size ? great : small;
        key[k | step] = k & size ? small : great;
      }
    }
  }
  for (int k = 0; k < 32; ++k) out[first + k] = key[k];
}
#endif
