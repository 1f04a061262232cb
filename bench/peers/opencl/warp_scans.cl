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
#define block_scans warp_scans
#include "block_scans.cl"
#endif
