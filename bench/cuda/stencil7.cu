extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y * BLOCK_Z)
    stencil7(float* __restrict__ out, const float* __restrict__ source, float c0, float c1, int nx,
             int ny, int nz) {
  int x = blockIdx.x * BLOCK_X + threadIdx.x;
  int y = blockIdx.y * BLOCK_Y + threadIdx.y;
  int z = blockIdx.z * BLOCK_Z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  int plane = ny * nx;
  int at = z * plane + y * nx + x;
  float centre = source[at];
  if (0 < x && x < nx - 1 && 0 < y && y < ny - 1 && 0 < z && z < nz - 1) {
    float around = source[at - 1] + source[at + 1] + source[at - nx] + source[at + nx] +
                   source[at - plane] + source[at + plane];
    out[at] = c0 * centre + c1 * around;
  } else {
    out[at] = centre;
  }
}
