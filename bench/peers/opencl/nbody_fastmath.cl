// Built with -cl-fast-relaxed-math; else as nbody.cl. native_rsqrt alone is less accurate than is
// wanted, and with a Newton step hardly faster.
#define TILE 256

kernel void nbody_fastmath(global float* ax, global float* ay, global float* az,
                           global const float* x, global const float* y, global const float* z,
                           global const float* mass, float eps2, int n) {
  local float tile[4][TILE];
  int i = get_global_id(0);
  int t = get_local_id(0);
  float xi = x[i], yi = y[i], zi = z[i];
  float sx = 0, sy = 0, sz = 0;
  for (int first = 0; first < n; first += TILE) {
    tile[0][t] = x[first + t];
    tile[1][t] = y[first + t];
    tile[2][t] = z[first + t];
    tile[3][t] = mass[first + t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < TILE; ++j) {
      float dx = tile[0][j] - xi;
      float dy = tile[1][j] - yi;
      float dz = tile[2][j] - zi;
      float d2 = dx * dx + dy * dy + dz * dz + eps2;
      float inverse = 1.0f / sqrt(d2);
      float strength = tile[3][j] * inverse * inverse * inverse;
      sx += strength * dx;
      sy += strength * dy;
      sz += strength * dz;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  ax[i] = sx;
  ay[i] = sy;
  az[i] = sz;
}
