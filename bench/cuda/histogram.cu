constexpr int kThreads = 32, kBins = 256;

extern "C" __global__ void __launch_bounds__(kThreads)
    histogram(int* __restrict__ out, const unsigned char* __restrict__ source, int share) {
  __shared__ int count[kThreads][kBins];
  int t = threadIdx.x;
  for (int row = 0; row < kThreads; ++row)
    for (int k = t; k < kBins; k += kThreads) count[row][k] = 0;
  __syncthreads();
  int first = blockIdx.x * share;
  for (int i = first + t; i < first + share; i += kThreads) count[t][source[i]] += 1;
  __syncthreads();
  for (int k = t; k < kBins; k += kThreads) {
    int total = 0;
    for (int row = 0; row < kThreads; ++row) total += count[row][k];
    out[blockIdx.x * kBins + k] = total;
  }
}
