constexpr int kTile = BLOCK_X;

extern "C" __global__ void __launch_bounds__(kTile)
    nbody(float* __restrict__ ax, float* __restrict__ ay, float* __restrict__ az,
          const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,
          const float* __restrict__ mass, float eps2, int n) {
  __shared__ float tile[4][kTile];
  int t = threadIdx.x;
  int i = blockIdx.x * kTile + t;
  float xi = x[i], yi = y[i], zi = z[i];
  float sx = 0, sy = 0, sz = 0;
  for (int first = 0; first < n; first += kTile) {
    tile[0][t] = x[first + t];
    tile[1][t] = y[first + t];
    tile[2][t] = z[first + t];
    tile[3][t] = mass[first + t];
    __syncthreads();
    for (int j = 0; j < kTile; ++j) {
      float dx = tile[0][j] - xi, dy = tile[1][j] - yi, dz = tile[2][j] - zi;
      float d2 = dx * dx + dy * dy + dz * dz + eps2;
      float inverse = 1.0f / sqrtf(d2);
      float strength = tile[3][j] * inverse * inverse * inverse;
      sx += strength * dx;
      sy += strength * dy;
      sz += strength * dz;
    }
    __syncthreads();
  }
  ax[i] = sx;
  ay[i] = sy;
  az[i] = sz;
}
