#define BLOCK 256

kernel void block_sums(global float* out, global const float* source, int n) {
  local float part[BLOCK];
  int i = get_global_id(0);
  int t = get_local_id(0);
  part[t] = i < n ? source[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = BLOCK / 2; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = part[0];
}
