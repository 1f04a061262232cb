kernel void spmv(global float* y, global const int* row_start, global const int* column,
                 global const float* value, global const float* x, int rows) {
  int row = get_global_id(0);
  if (row >= rows) return;
  float total = 0;
  for (int k = row_start[row]; k < row_start[row + 1]; ++k) total += value[k] * x[column[k]];
  y[row] = total;
}
