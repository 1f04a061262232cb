#define TOGETHER 16

// All work items count together, in addition to what is there.
kernel void histogram_global(global int* out, global const ushort* source, int n, int bins) {
  int whole = n / TOGETHER;
  for (int i = get_global_id(0); i < whole; i += get_global_size(0)) {
    ushort numbers[TOGETHER];
    vstore16(vload16(i, source), 0, numbers);
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) atomic_inc(&out[numbers[k]]);
  }
  for (int i = whole * TOGETHER + get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&out[source[i]]);
}
