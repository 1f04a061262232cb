extern "C" __global__ void __launch_bounds__(BLOCK_X)
    sum_parts(float* __restrict__ out, const float* __restrict__ source, int n) {
  __shared__ float part[BLOCK_X];
  int t = threadIdx.x;
  float total = 0;
  for (int i = blockIdx.x * BLOCK_X + t; i < n; i += gridDim.x * BLOCK_X) total += source[i];
  part[t] = total;
  __syncthreads();
  for (int step = BLOCK_X / 2; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
