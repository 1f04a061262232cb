extern "C" __global__ void __launch_bounds__(BLOCK_X)
    block_scans(float* __restrict__ out, const float* __restrict__ source, int n) {
  __shared__ float part[2][BLOCK_X];
  int t = threadIdx.x;
  int i = blockIdx.x * BLOCK_X + t;
  int now = 0;
  part[now][t] = i < n ? source[i] : 0.0f;
  __syncthreads();
  for (int step = 1; step < BLOCK_X; step *= 2) {
    if (t >= step)
      part[1 - now][t] = part[now][t] + part[now][t - step];
    else
      part[1 - now][t] = part[now][t];
    __syncthreads();
    now = 1 - now;
  }
  if (i < n) out[i] = part[now][t];
}
