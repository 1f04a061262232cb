#define BLOCK 256

kernel void sum_parts(global float* out, global const float* source, int n) {
  local float part[BLOCK];
  int t = get_local_id(0);
  int stride = get_global_size(0);
  float total = 0;
  for (int i = get_global_id(0); i < n; i += stride) total += source[i];
  part[t] = total;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = BLOCK / 2; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = part[0];
}
