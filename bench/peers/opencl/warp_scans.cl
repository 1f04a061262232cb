// Built with -cl-std=CL3.0. Sums up to and with each element of 256 by a function of the language,
// which is faster than sub-groups that scan theirs; where it is not there, by the eight steps of
// Hillis and Steele in local memory.
#ifdef __opencl_c_work_group_collective_functions
kernel void warp_scans(global float* out, global const float* source, int n) {
  int i = get_global_id(0);
  float sum = work_group_scan_inclusive_add(i < n ? source[i] : 0.0f);
  if (i < n) out[i] = sum;
}
#else
#define BLOCK 256

kernel void warp_scans(global float* out, global const float* source, int n) {
  local float part[2][BLOCK];
  int i = get_global_id(0);
  int t = get_local_id(0);
  int now = 0;
  part[now][t] = i < n ? source[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step < BLOCK; step *= 2) {
    if (t >= step)
      part[1 - now][t] = part[now][t] + part[now][t - step];
    else
      part[1 - now][t] = part[now][t];
    barrier(CLK_LOCAL_MEM_FENCE);
    now = 1 - now;
  }
  if (i < n) out[i] = part[now][t];
}
#endif
