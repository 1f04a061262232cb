constexpr int kSize = 1024;  // elements that a block sorts, a pair a thread

extern "C" __global__ void __launch_bounds__(kSize / 2)
    bitonic(float* __restrict__ out, const float* __restrict__ source, int n) {
  __shared__ float key[kSize];
  int t = threadIdx.x;
  int first = blockIdx.x * kSize;
  key[t] = source[first + t];
  key[t + kSize / 2] = source[first + t + kSize / 2];
  __syncthreads();
  for (int k = 2; k <= kSize; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      int low = 2 * t - (t & (j - 1));
      float a = key[low], b = key[low + j];
      if ((a > b) == ((low & k) == 0)) {
        key[low] = b;
        key[low + j] = a;
      }
      __syncthreads();
    }
  }
  out[first + t] = key[t];
  out[first + t + kSize / 2] = key[t + kSize / 2];
}
