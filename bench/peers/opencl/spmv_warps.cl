#define LANES 32  // work items of a row

// A work item for each row, which is more than twice as fast here as a sub-group for each; the
// other 31 that a row has been given do nothing. One at a time: across rows it would gather.
#ifdef cl_intel_vec_len_hint
__attribute__((intel_vec_len_hint(1)))
#endif
kernel void spmv_warps(global float* y, global const int* row_start, global const int* column,
                       global const float* value, global const float* x, int rows) {
  int t = get_local_id(0), active = get_local_size(0) / LANES;
  int row = get_group_id(0) * active + t;
  if (t >= active || row >= rows) return;
  float total = 0;
  for (int k = row_start[row]; k < row_start[row + 1]; ++k) total += value[k] * x[column[k]];
  y[row] = total;
}
