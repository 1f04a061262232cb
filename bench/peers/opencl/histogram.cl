#define THREADS 32
#define BINS 256

// Every work item counts in a row of its own; then the rows are added up.
kernel void histogram(global int* out, global const uchar* source, int share) {
  local int count[THREADS][BINS];
  int t = get_local_id(0);
  for (int row = 0; row < THREADS; ++row)
    for (int k = t; k < BINS; k += THREADS) count[row][k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int first = get_group_id(0) * share;
  for (int i = first + t; i < first + share; i += THREADS) count[t][source[i]] += 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = t; k < BINS; k += THREADS) {
    int total = 0;
    for (int row = 0; row < THREADS; ++row) total += count[row][k];
    out[get_group_id(0) * BINS + k] = total;
  }
}
