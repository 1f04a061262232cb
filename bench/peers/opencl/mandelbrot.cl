kernel void mandelbrot(global int* out, int width, int height, float x0, float y0, float dx,
                       float dy, int limit) {
  int px = get_global_id(0);
  int py = get_global_id(1);
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
