constexpr int kTile = 32, kRows = 8;

extern "C" __global__ void __launch_bounds__(kTile* kRows)
    floyd(float* __restrict__ out, const float* __restrict__ source, int tiles) {
  __shared__ float path[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int first = blockIdx.x * kTile * kTile;
  for (int row = ty; row < kTile; row += kRows) path[row][tx] = source[first + row * kTile + tx];
  __syncthreads();
  for (int k = 0; k < kTile; ++k) {
    for (int row = ty; row < kTile; row += kRows)
      path[row][tx] = fminf(path[row][tx], path[row][k] + path[k][tx]);
    __syncthreads();
  }
  for (int row = ty; row < kTile; row += kRows) out[first + row * kTile + tx] = path[row][tx];
}
