extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    mandelbrot(int* __restrict__ out, int width, int height, float x0, float y0, float dx, float dy,
               int limit) {
  int px = blockIdx.x * BLOCK_X + threadIdx.x;
  int py = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (px >= width || py >= height) return;
  float cx = x0 + px * dx;
  float cy = y0 + py * dy;
  float x = 0, y = 0;
  int n = 0;
  while (n < limit && x * x + y * y <= 4.0f) {
    float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++n;
  }
  out[py * width + px] = n;
}
