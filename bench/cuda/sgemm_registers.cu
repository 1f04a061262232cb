constexpr int kTile = 128;  // of the result, for a block of 16 x 16 threads
constexpr int kDepth = 8;
constexpr int kOwn = 8;  // each thread has 8 x 8 elements, 16 apart

extern "C" __global__ void __launch_bounds__(256)
    sgemm_registers(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b,
                    int m, int n, int k) {
  __shared__ float tile_a[kDepth][kTile];
  __shared__ float tile_b[kDepth][kTile];
  float total[kOwn][kOwn] = {};
  float column[kOwn], row[kOwn];
  int tx = threadIdx.x, ty = threadIdx.y;
  int t = ty * 16 + tx;
  int x0 = blockIdx.x * kTile, y0 = blockIdx.y * kTile;
  for (int first = 0; first < k; first += kDepth) {
    for (int e = t; e < kDepth * kTile; e += 256) {
      tile_a[e % kDepth][e / kDepth] = a[(y0 + e / kDepth) * k + first + e % kDepth];
      tile_b[e / kTile][e % kTile] = b[(first + e / kTile) * n + x0 + e % kTile];
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
#pragma unroll
      for (int i = 0; i < kOwn; ++i) column[i] = tile_a[d][ty + 16 * i];
#pragma unroll
      for (int j = 0; j < kOwn; ++j) row[j] = tile_b[d][tx + 16 * j];
#pragma unroll
      for (int i = 0; i < kOwn; ++i)
#pragma unroll
        for (int j = 0; j < kOwn; ++j) total[i][j] += column[i] * row[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kOwn; ++i)
#pragma unroll
    for (int j = 0; j < kOwn; ++j) c[(y0 + ty + 16 * i) * n + x0 + tx + 16 * j] = total[i][j];
}
