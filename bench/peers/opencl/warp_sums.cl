// Built with -cl-std=CL3.0. The sum of each 256 elements by a function of the language, which is
// faster than sub-groups that sum theirs; where it is not there, by a tree in local memory.
#ifdef __opencl_c_work_group_collective_functions
kernel void warp_sums(global float* out, global const float* source, int n) {
  int i = get_global_id(0);
  float total = work_group_reduce_add(i < n ? source[i] : 0.0f);
  if (get_local_id(0) == 0) out[get_group_id(0)] = total;
}
#else
#define block_sums warp_sums
#include "block_sums.cl"
#endif
