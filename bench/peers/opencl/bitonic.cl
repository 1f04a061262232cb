#define SIZE 1024

// Sorts each 1024 elements with 512 work items, each a pair that it compares and exchanges.
kernel void bitonic(global float* out, global const float* source, int n) {
  local float key[SIZE];
  int t = get_local_id(0);
  int first = get_group_id(0) * SIZE;
  key[t] = source[first + t];
  key[t + SIZE / 2] = source[first + t + SIZE / 2];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 2; k <= SIZE; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      int low = 2 * t - (t & (j - 1));
      float a = key[low];
      float b = key[low + j];
      if ((a > b) == ((low & k) == 0)) {
        key[low] = b;
        key[low + j] = a;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  out[first + t] = key[t];
  out[first + t + SIZE / 2] = key[t + SIZE / 2];
}
