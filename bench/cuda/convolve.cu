constexpr int kWidth = 32, kHeight = 8, kRadius = 2;

extern "C" __global__ void __launch_bounds__(kWidth* kHeight)
    convolve(float* __restrict__ out, const float* __restrict__ source,
             const float* __restrict__ weights, int width, int height) {
  __shared__ float tile[kHeight + 2 * kRadius][kWidth + 2 * kRadius];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x0 = blockIdx.x * kWidth - kRadius, y0 = blockIdx.y * kHeight - kRadius;
  for (int j = ty; j < kHeight + 2 * kRadius; j += kHeight)
    for (int i = tx; i < kWidth + 2 * kRadius; i += kWidth)
      tile[j][i] = source[min(max(y0 + j, 0), height - 1) * width + min(max(x0 + i, 0), width - 1)];
  __syncthreads();
  int x = blockIdx.x * kWidth + tx, y = blockIdx.y * kHeight + ty;
  if (x >= width || y >= height) return;
  float total = 0;
  for (int j = 0; j < 2 * kRadius + 1; ++j)
    for (int i = 0; i < 2 * kRadius + 1; ++i)
      total += weights[j * (2 * kRadius + 1) + i] * tile[ty + j][tx + i];
  out[y * width + x] = total;
}
