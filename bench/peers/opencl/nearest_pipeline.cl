// The same pipeline with barriers that all work-items come to, as OpenCL demands.
#define TILE 256
kernel void nearest_pipeline(global float* out, global const float* points,
                             global const float* queries, float angle_sin, float angle_cos, int n,
                             int m) {
  local float tiles[2][2][TILE];
  int t = get_local_id(0);
  int i = get_group_id(0) * (get_local_size(0) - 32) + t - 32;
  float x = t < 32 ? 0 : queries[i], y = t < 32 ? 0 : queries[m + i], least = 3e38f;
  int steps = n / TILE;
  for (int step = 0; step <= steps; ++step) {
    if (t < 32) {
      if (step < steps)
        for (int k = t; k < TILE; k += 32) {
          float px = points[step * TILE + k], py = points[n + step * TILE + k];
          tiles[step % 2][0][k] = px * angle_cos - py * angle_sin;
          tiles[step % 2][1][k] = px * angle_sin + py * angle_cos;
        }
    } else if (step > 0) {
      for (int k = 0; k < TILE; ++k) {
        float dx = tiles[(step - 1) % 2][0][k] - x, dy = tiles[(step - 1) % 2][1][k] - y;
        least = min(least, dx * dx + dy * dy);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t >= 32) out[i] = least;
}
