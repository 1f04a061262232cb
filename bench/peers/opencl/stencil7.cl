kernel void stencil7(global float* out, global const float* source, float c0, float c1, int nx,
                     int ny, int nz) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  if (x >= nx || y >= ny || z >= nz) return;
  int plane = nx * ny;
  int i = z * plane + y * nx + x;
  float centre = source[i];
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
    float around = source[i - 1] + source[i + 1] + source[i - nx] + source[i + nx] +
                   source[i - plane] + source[i + plane];
    out[i] = c0 * centre + c1 * around;
  } else {
    out[i] = centre;
  }
}
