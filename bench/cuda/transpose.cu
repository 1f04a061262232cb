constexpr int kTile = 32, kRows = 8;

extern "C" __global__ void __launch_bounds__(kTile* kRows)
    transpose(float* __restrict__ out, const float* __restrict__ source, int width, int height) {
  __shared__ float tile[kTile][kTile + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty;
  for (int j = 0; j < kTile; j += kRows) tile[ty + j][tx] = source[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * kTile + tx;
  y = blockIdx.x * kTile + ty;
  for (int j = 0; j < kTile; j += kRows) out[(y + j) * height + x] = tile[tx][ty + j];
}
