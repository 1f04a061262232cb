#define TOGETHER 16

// All work items count together, in `counts`, which the last group hands over and clears.
kernel void histogram_global(global int* out, global int* counts, global int* done,
                             global const ushort* source, int n, int bins) {
  local int last;
  int t = get_local_id(0), threads = get_local_size(0);
  int whole = n / TOGETHER;
  for (int i = get_global_id(0); i < whole; i += get_global_size(0)) {
    ushort numbers[TOGETHER];
    vstore16(vload16(i, source), 0, numbers);
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) atomic_inc(&counts[numbers[k]]);
  }
  for (int i = whole * TOGETHER + get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&counts[source[i]]);
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (t == 0) last = atomic_inc(done) == get_num_groups(0) - 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (!last) return;
  for (int k = t; k < bins; k += threads) {
    out[k] = counts[k];
    counts[k] = 0;
  }
  if (t == 0) *done = 0;
}
