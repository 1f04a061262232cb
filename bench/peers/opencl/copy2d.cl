kernel void copy2d(global float* out, global const float* source, int width, int height) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  if (x < width && y < height) out[y * width + x] = source[y * width + x];
}
