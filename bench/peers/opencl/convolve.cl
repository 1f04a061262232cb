#define WIDTH 32
#define HEIGHT 8
#define RADIUS 2
#define SIDE (2 * RADIUS + 1)

kernel void convolve(global float* out, global const float* source, global const float* weights,
                     int width, int height) {
  local float tile[HEIGHT + 2 * RADIUS][WIDTH + 2 * RADIUS];
  int tx = get_local_id(0), ty = get_local_id(1);
  int x = get_global_id(0), y = get_global_id(1);
  int x0 = x - tx - RADIUS, y0 = y - ty - RADIUS;
  for (int j = ty; j < HEIGHT + 2 * RADIUS; j += HEIGHT)
    for (int i = tx; i < WIDTH + 2 * RADIUS; i += WIDTH)
      tile[j][i] = source[clamp(y0 + j, 0, height - 1) * width + clamp(x0 + i, 0, width - 1)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x < width && y < height) {
    float total = 0;
    for (int j = 0; j < SIDE; ++j)
      for (int i = 0; i < SIDE; ++i) total += weights[j * SIDE + i] * tile[ty + j][tx + i];
    out[y * width + x] = total;
  }
}
