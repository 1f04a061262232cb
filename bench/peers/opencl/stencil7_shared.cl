#define WIDTH 32
#define HEIGHT 8

// Each group marches along z with a plane's tile in local memory.
kernel void stencil7_shared(global float* out, global const float* source, float c0, float c1,
                            int nx, int ny, int nz) {
  local float tile[HEIGHT + 2][WIDTH + 2];
  int x = get_global_id(0), y = get_global_id(1);
  int tx = get_local_id(0) + 1, ty = get_local_id(1) + 1;
  int inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
  int plane = nx * ny;
  int i = y * nx + x;
  float centre = source[i];
  float ahead = source[i + plane];
  out[i] = centre;
  for (int z = 1; z < nz - 1; ++z) {
    i += plane;
    float behind = centre;
    centre = ahead;
    ahead = source[i + plane];
    tile[ty][tx] = centre;
    if (tx == 1 && x > 0) tile[ty][0] = source[i - 1];
    if (tx == WIDTH && x < nx - 1) tile[ty][WIDTH + 1] = source[i + 1];
    if (ty == 1 && y > 0) tile[0][tx] = source[i - nx];
    if (ty == HEIGHT && y < ny - 1) tile[HEIGHT + 1][tx] = source[i + nx];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside) {
      float around = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] +
                     behind + ahead;
      out[i] = c0 * centre + c1 * around;
    } else {
      out[i] = centre;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i + plane] = ahead;
}
