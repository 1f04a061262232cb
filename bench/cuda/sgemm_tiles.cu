constexpr int kTile = 16;

extern "C" __global__ void __launch_bounds__(kTile* kTile)
    sgemm_tiles(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b,
                int m, int n, int k) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int column = blockIdx.x * kTile + tx, row = blockIdx.y * kTile + ty;
  float total = 0;
  for (int first = 0; first < k; first += kTile) {
    tile_a[ty][tx] = a[row * k + first + tx];
    tile_b[ty][tx] = b[(first + ty) * n + column];
    __syncthreads();
    for (int e = 0; e < kTile; ++e) total += tile_a[ty][e] * tile_b[e][tx];
    __syncthreads();
  }
  c[row * n + column] = total;
}
