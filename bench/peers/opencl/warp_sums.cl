// Built with -cl-std=CL3.0. The sum of each 256 elements by a function of the language, which is
// faster than sub-groups that sum theirs; where it is not there, by a tree in local memory.
#ifdef __opencl_c_work_group_collective_functions
kernel void warp_sums(global float* out, global const float* source, int n) {
  int i = get_global_id(0);
  float total = work_group_reduce_add(i < n ? source[i] : 0.0f);
  if (get_local_id(0) == 0) out[get_group_id(0)] = total;
}
#else
#define BLOCK 256

kernel void warp_sums(global float* out, global const float* source, int n) {
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
#endif
