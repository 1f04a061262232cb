constexpr int kWidth = 32, kHeight = 8;

extern "C" __global__ void __launch_bounds__(kWidth* kHeight)
    stencil7_shared(float* __restrict__ out, const float* __restrict__ source, float c0, float c1,
                    int nx, int ny, int nz) {
  __shared__ float tile[kHeight + 2][kWidth + 2];
  int x = blockIdx.x * kWidth + threadIdx.x, y = blockIdx.y * kHeight + threadIdx.y;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int plane = ny * nx;
  int at = y * nx + x;
  bool inside = 0 < x && x < nx - 1 && 0 < y && y < ny - 1;
  float centre = source[at];
  float ahead = source[at + plane];
  out[at] = centre;
  for (int z = 1; z < nz - 1; ++z) {
    at += plane;
    float behind = centre;
    centre = ahead;
    ahead = source[at + plane];
    tile[ty][tx] = centre;
    if (tx == 1 && x > 0) tile[ty][0] = source[at - 1];
    if (tx == kWidth && x < nx - 1) tile[ty][kWidth + 1] = source[at + 1];
    if (ty == 1 && y > 0) tile[0][tx] = source[at - nx];
    if (ty == kHeight && y < ny - 1) tile[kHeight + 1][tx] = source[at + nx];
    __syncthreads();
    if (inside) {
      float around = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] +
                     behind + ahead;
      out[at] = c0 * centre + c1 * around;
    } else {
      out[at] = centre;
    }
    __syncthreads();
  }
  out[at + plane] = ahead;
}
