#define BINS 256
#define COPIES 4  // of each count: an addition to the same place waits for the one before
#define TOGETHER 16

// The work items of a group count together. Each has sixteen bytes at a time, a share is a multiple
// of that. (histogram.cl counts without atomic operations.)
kernel void histogram_atomic(global int* out, global const uchar* source, int share) {
  local int count[COPIES][BINS];
  int t = get_local_id(0), threads = get_local_size(0);
  for (int copy = 0; copy < COPIES; ++copy)
    for (int k = t; k < BINS; k += threads) count[copy][k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  global const uchar* own = source + get_group_id(0) * share;
  for (int i = t; i < share / TOGETHER; i += threads) {
    uchar bytes[TOGETHER];
    vstore16(vload16(i, own), 0, bytes);
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) atomic_inc(&count[k % COPIES][bytes[k]]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = t; k < BINS; k += threads) {
    int total = 0;
    for (int copy = 0; copy < COPIES; ++copy) total += count[copy][k];
    out[get_group_id(0) * BINS + k] = total;
  }
}
